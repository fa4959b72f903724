//! `/console/estilo`: every building block of pages, in every state, on one page.

use crate::session::signed_in_user::SignedInUser;
use crate::widgets::board::{KanbanBoard, KanbanCard, KanbanColumn};
use crate::widgets::formats::{BarChart, ColumnChart, ListPager};
use crate::widgets::frame::PageFrame;
use crate::widgets::page::{HandlerResult, show_page};
use crate::widgets::situation_badge::SituationBadge;
use app::App;
use askama::Template;
use axum::extract::State;

#[derive(Template)]
#[template(path = "console/estilo.html")]
struct StyleGuidePage {
    frame: PageFrame,
    situations: Vec<(&'static str, Vec<SituationBadge>)>,
    chart: BarChart,
    columns: ColumnChart,
    pager: ListPager,
    board: KanbanBoard,
}

pub async fn show_style_page(State(app): State<App>, user: SignedInUser) -> HandlerResult {
    let frame = PageFrame::load(&app, &user, "estilo").await?;
    let registers = app::register_snapshot::load_registers(&app, user.session().scope.tenant()).await?;
    let situations = domain::Entity::SITUATED.iter().map(|entity| {
        let badges = registers.active_situations(*entity);
        let badges =
            badges.map(|one| SituationBadge { code: one.code.get(), name: one.name.clone() }).collect();
        (wire::set_names::entity(*entity), badges)
    });
    let bar = |name: &str, number| (name.to_owned(), number, String::new(), None);
    let bars = vec![bar("Muitos", 1_234_567), bar("Alguns", 345_678), bar("Um", 1), bar("Nenhum", 0)];
    let links = || ["#campos", "#botoes"].map(str::to_owned);
    let months = [("set/26", [120, 30]), ("out/26", [80, 95]), ("nov/26", [1, 0])];
    let months = months.map(|(name, numbers)| (name.to_owned(), numbers, links())).to_vec();
    show_page(&StyleGuidePage {
        situations: situations.collect(),
        chart: BarChart::new("Um gráfico de exemplo", "O quê", bars),
        columns: ColumnChart::new("Um gráfico de colunas", ["Entradas", "Cancelamentos"], months),
        board: build_sample_board(),
        pager: ListPager::new(2, 250, 100, |page| format!("?pagina={page}")),
        frame,
    })
}

fn build_sample_board() -> KanbanBoard {
    let card = |id: i32, title: &str, is_late: bool, badge| KanbanCard {
        id,
        title: title.to_owned(),
        link: "#quadro".to_owned(),
        lines: vec!["Colisão · ABC1D23".to_owned()],
        version: 1,
        badge,
        age: if is_late { "há 9 dias, atrasado".to_owned() } else { "há 2 horas".to_owned() },
        is_late,
        order: id.into(),
        mover: "#quadro".to_owned(),
    };
    let column = |id: i32, title: &str, class: &str, cards: Vec<KanbanCard>| KanbanColumn {
        id,
        title: title.to_owned(),
        class: class.to_owned(),
        count: cards.len().to_string(),
        note: if cards.iter().any(|card| card.is_late) {
            "1 passou do prazo".to_owned()
        } else {
            String::new()
        },
        more: (cards.len() > 1).then(|| "#quadro".to_owned()),
        cards,
        newest_first: false,
        from: Vec::new(),
        needs_reason: Vec::new(),
    };
    let urgent = Some(("wrong", "Urgente".to_owned()));
    let full = vec![
        card(1, "4711 · Maria Souza", true, urgent),
        card(2, "4712 · Um nome muito comprido", false, None),
    ];
    KanbanBoard {
        title: "Quadro de exemplo".to_owned(),
        moves: "#".to_owned(),
        changes: "#".to_owned(),
        since: 0,
        columns: vec![
            column(1, "Cheia", "fine", full),
            column(2, "Com um", "warn", vec![card(3, "4713 · João", false, None)]),
            column(3, "Vazia", "", Vec::new()),
        ],
        triggers: String::new(),
        takes_reason: true,
    }
}

#[cfg(test)]
pub const CASES: crate::template_tests::TemplateCases = &[("console/estilo.html", |with| {
    crate::template_tests::render_template(&StyleGuidePage {
        frame: with.frame(),
        situations: vec![("benefício", with.list_of(|| with.badge()))],
        chart: with.chart(),
        columns: with.columns(),
        pager: with.pager(),
        board: with.board(),
    })
})];
