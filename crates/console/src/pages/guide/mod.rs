//! `/console/guia`: the user guide. It has a chapter for every menu entry, one for the account and one for the search.
//! Each is a template in `templates/console/guia`, with a picture that `tests/browser/run --guide` makes.
//!
//! # Adding a chapter
//! Add its text as `templates/console/guia/NAME.html`, a line in `CHAPTERS`, a line in `guia_capitulo.html`, and its
//! picture in `tests/browser/guide.mjs`. Text between “ and ” is the label of a button or a field: a test looks for it.

use crate::http::refusal::Refusal;
use crate::page_route::{PageRoute, routes};
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::assets::respond_cacheable;
use crate::widgets::frame::PageFrame;
use crate::widgets::page::{HandlerResult, show_page};
use app::App;
use askama::Template;
use axum::extract::{FromRequestParts, RawPathParams, State};
use axum::http::request::Parts;
use axum::response::Response;

pub struct GuideChapter {
    /// Equal to the name of its menu entry.
    name: &'static str,
    title: &'static str,
    about: &'static str,
    for_administrators: bool,
    picture: ChapterPicture,
}

struct ChapterPicture {
    png: &'static [u8],
    /// Alternative text for screen readers.
    description: &'static str,
}

impl ChapterPicture {
    /// Size in pixels, which keeps the text from moving while the picture loads. A PNG has it at a fixed offset.
    fn size(&self) -> (u32, u32) {
        let number = |at: usize| {
            self.png.get(at..at + 4).and_then(|four| four.try_into().ok()).map_or(0, u32::from_be_bytes)
        };
        (number(16), number(20))
    }

    fn width(&self) -> u32 {
        self.size().0
    }

    fn height(&self) -> u32 {
        self.size().1
    }
}

macro_rules! chapter {
    ($name:literal, $title:literal, $about:literal, $description:literal) => {
        chapter!($name, $title, $about, $description, false)
    };
    ($name:literal, $title:literal, $about:literal, $description:literal, $for_administrators:literal) => {
        GuideChapter {
            name: $name,
            title: $title,
            about: $about,
            for_administrators: $for_administrators,
            picture: ChapterPicture {
                png: include_bytes!(concat!("../../../static/guia/", $name, ".png")),
                description: $description,
            },
        }
    };
}

const CHAPTERS: &[GuideChapter] = &[
    chapter!(
        "painel",
        "Painel",
        "O que espera por você hoje, e como vai a associação.",
        "O painel: o que precisa de atenção e os números de hoje."
    ),
    chapter!(
        "associados",
        "Associados",
        "Encontrar, cadastrar e manter em dia.",
        "A página de um associado, com os benefícios e a linha do tempo."
    ),
    chapter!(
        "beneficios",
        "Benefícios",
        "Criar, ativar, cancelar; planos, dependentes e cartão.",
        "A página de um benefício, com “Mudar a situação” no alto."
    ),
    chapter!(
        "eventos",
        "Eventos",
        "Colisão, roubo, vidros: do aviso ao fim.",
        "A lista de eventos, com os atrasados avisados no alto."
    ),
    chapter!(
        "vistorias",
        "Vistorias",
        "Marcar, conferir e aprovar.",
        "A página de uma vistoria, com a data marcada e a linha do tempo."
    ),
    chapter!(
        "help-desk",
        "Help desk",
        "Pedidos e dúvidas dos associados.",
        "O quadro do help desk: uma coluna para cada situação."
    ),
    chapter!(
        "consultas",
        "Consultas",
        "Marcar, remarcar e registrar quem foi.",
        "A lista de consultas, com o dia e a hora de cada uma."
    ),
    chapter!(
        "vendas",
        "Vendas",
        "Do primeiro contato ao novo associado.",
        "O quadro de vendas: uma coluna para cada etapa do funil."
    ),
    chapter!(
        "financeiro",
        "Financeiro",
        "Cobrar o mês, receber no balcão, corrigir e fechar.",
        "O financeiro: o que está vencido, o que vence e o que entrou no mês."
    ),
    chapter!(
        "busca",
        "Busca e atalhos",
        "Achar qualquer coisa, e trabalhar pelo teclado.",
        "O resultado de uma busca pelo nome."
    ),
    chapter!(
        "conta",
        "Sua conta",
        "Entrar, senha e segundo fator.",
        "A página da conta, com o segundo fator e as sessões abertas."
    ),
    chapter!(
        "cadastros",
        "Cadastros",
        "Lojas, planos, situações e o que mais a associação nomeia.",
        "Os cadastros, cada um com o que guarda."
    ),
    chapter!(
        "importar",
        "Importar",
        "Trazer uma planilha, conferir antes e desfazer se preciso.",
        "A conferência de uma planilha: quantas linhas são novas, e o que há de errado em cada uma."
    ),
    chapter!(
        "usuarios",
        "Usuários",
        "Quem entra, com que perfil e em que lojas.",
        "A lista de usuários, com o perfil e as lojas de cada um.",
        true
    ),
    chapter!(
        "gatilhos",
        "Gatilhos",
        "Outros sistemas avisados na hora.",
        "A página de um receptor, com as últimas entregas e “Pausar” no alto.",
        true
    ),
    chapter!(
        "auditoria",
        "Auditoria",
        "Quem alterou e quem viu o quê.",
        "A auditoria, com os filtros no alto e as linhas mais novas.",
        true
    ),
    chapter!(
        "emails",
        "E-mails",
        "O que o sistema escreveu, e se saiu.",
        "A página de e-mails, com o botão de teste.",
        true
    ),
];

#[derive(Template)]
#[template(path = "console/guia.html")]
struct GuideContentsPage {
    frame: PageFrame,
    /// Chapters for all users, and chapters for administrators.
    parts: Vec<(&'static str, Vec<&'static GuideChapter>)>,
}

#[derive(Template)]
#[template(path = "console/guia_capitulo.html")]
struct GuideChapterPage {
    frame: PageFrame,
    chapter: &'static GuideChapter,
    /// Relative to the console's root.
    place: String,
    before: Option<&'static GuideChapter>,
    after: Option<&'static GuideChapter>,
}

impl GuideChapterPage {
    /// Whether the user may open what the chapter is about.
    fn may_open(&self) -> bool {
        match self.chapter.name {
            "financeiro" => self.frame.sees_money,
            _ => !self.chapter.for_administrators || self.frame.is_admin,
        }
    }
}

pub fn list_guide_routes() -> Vec<PageRoute> {
    routes! {
        get  "/console/guia"                  SignedIn show_guide_contents;
        get  "/console/guia/{capitulo}"       SignedIn show_chapter_page;
        get  "/console/guia/figuras/{figura}" Public   serve_chapter_picture;
    }
}

async fn show_guide_contents(State(app): State<App>, user: SignedInUser) -> HandlerResult {
    let frame = PageFrame::load(&app, &user, "guia").await?;
    show_page(&build_contents_page(frame))
}

fn build_contents_page(frame: PageFrame) -> GuideContentsPage {
    let part = |for_administrators: bool| {
        let all = CHAPTERS.iter().filter(|chapter| chapter.for_administrators == for_administrators);
        all.collect()
    };
    let mut parts = vec![("O dia a dia", part(false))];
    if frame.is_admin {
        parts.push(("Administração", part(true)));
    }
    GuideContentsPage { frame, parts }
}

/// The chapter that the path names, directly or by its picture.
struct ChapterParam(&'static GuideChapter);

impl<S: Send + Sync> FromRequestParts<S> for ChapterParam {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<ChapterParam, Refusal> {
        let path = RawPathParams::from_request_parts(parts, state).await.map_err(|_| Refusal::NotThere)?;
        let named = path.iter().find_map(|(param, value)| match param {
            "figura" => value.strip_suffix(".png"),
            _ => Some(value),
        });
        let found = CHAPTERS.iter().find(|chapter| Some(chapter.name) == named);
        found.map(ChapterParam).ok_or(Refusal::NotThere)
    }
}

/// Every user can open every chapter, because links get shared and no chapter is confidential.
async fn show_chapter_page(
    State(app): State<App>,
    user: SignedInUser,
    ChapterParam(chapter): ChapterParam,
) -> HandlerResult {
    let frame = PageFrame::load(&app, &user, "guia").await?;
    show_page(&build_chapter_page(frame, chapter))
}

fn build_chapter_page(frame: PageFrame, chapter: &'static GuideChapter) -> GuideChapterPage {
    let listed: Vec<&'static GuideChapter> =
        CHAPTERS.iter().filter(|one| frame.is_admin || !one.for_administrators).collect();
    let here = listed.iter().position(|one| one.name == chapter.name);
    let before = here.and_then(|at| at.checked_sub(1)).and_then(|at| listed.get(at).copied());
    let after = here.and_then(|at| listed.get(at + 1).copied());
    let place = if chapter.name == "painel" { String::new() } else { format!("/{}", chapter.name) };
    GuideChapterPage { frame, chapter, place, before, after }
}

async fn serve_chapter_picture(ChapterParam(chapter): ChapterParam) -> Response {
    respond_cacheable("image/png", chapter.picture.png)
}

#[cfg(test)]
pub const CASES: crate::template_tests::TemplateCases = &[
    ("console/guia.html", |with| crate::template_tests::render_template(&build_contents_page(with.frame()))),
    ("console/guia_capitulo.html", |with| {
        crate::template_tests::render_template(&build_chapter_page(
            with.frame(),
            if with.is_filled() { &CHAPTERS[0] } else { &CHAPTERS[16] },
        ))
    }),
];

#[cfg(test)]
mod tests;
