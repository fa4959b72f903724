//! An import from its dry run on: how far it is, what it came to, what is wrong by line and column, and what may be done.

use super::{PLACE, by, counted, state, words};
use crate::frame::Frame;
use crate::page::{page as answer, refused, show};
use crate::records::sentence;
use crate::show::{count, moment};
use crate::visitor::{Guest, Number, Query, redirect, root};
use app::importing::{self, Import, UNDO_FOR};
use app::{App, Error};
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use domain::{ImportCode, ImportState, TimeZone};

/// Problems of a page.
const SHOWN: usize = 50;

/// Something that is wrong with a line, or why undoing left it.
pub struct Line {
    number: i32,
    column: String,
    value: String,
    text: String,
    link: Option<String>,
}

/// Lines of a page, and the way to the others.
#[derive(Default)]
pub struct Lines {
    rows: Vec<Line>,
    is_first: bool,
    next: Option<String>,
}

/// How much of a stage is done.
pub struct Progress {
    done: i64,
    total: i64,
    text: String,
}

#[derive(Template)]
#[template(path = "console/importacao.html")]
pub struct Page {
    frame: Frame,
    code: i32,
    file: String,
    what: &'static str,
    /// In the address of a new one.
    kind: &'static str,
    one: &'static str,
    state: ImportState,
    badge: (&'static str, &'static str),
    /// What happens now, or has happened, in a sentence.
    told: String,
    /// Where the journey is: 3 is the dry run, 4 the import.
    step: u8,
    progress: Option<Progress>,
    /// Figure, and what it is.
    figures: Vec<(String, &'static str)>,
    facts: Vec<(&'static str, String)>,
    /// How many lines would go in, or have, in words; none of them where it is empty.
    entering: String,
    refused: i64,
    refused_told: String,
    problems: Lines,
    kept: Lines,
    /// Until when it may be undone; empty where it may not.
    undo_until: String,
    list: (&'static str, String),
    alerts: Vec<String>,
}

impl Page {
    /// Somebody works on it: the page looks again by itself.
    fn is_moving(&self) -> bool {
        use ImportState as S;
        matches!(self.state, S::Reading | S::Checking | S::Running | S::Undoing)
    }

    fn is(&self, name: &str) -> bool {
        name_of(self.state) == name
    }
}

fn name_of(state: ImportState) -> &'static str {
    match state {
        ImportState::Reading => "lendo",
        ImportState::Ready => "pronta",
        ImportState::Checking => "conferindo",
        ImportState::Checked => "conferida",
        ImportState::Running => "importando",
        ImportState::Paused => "pausada",
        ImportState::Done => "concluida",
        ImportState::Undoing => "desfazendo",
        ImportState::Undone => "desfeita",
    }
}

pub fn at(root: &str, code: i32) -> String {
    format!("{root}/console/importar/{code}")
}

/// `GET /console/importar/{codigo}`
pub async fn page(State(app): State<App>, guest: Guest, Number(code): Number, query: Query) -> Response {
    let import = match importing::one(&app, &by(&guest), ImportCode::new(code)).await {
        Ok(import) => import,
        Err(error) => return refused(&guest, &error),
    };
    if import.state == ImportState::Ready {
        return redirect(&format!("{}/colunas", at(&root(&app), code)));
    }
    show(&guest, made(&app, &guest, import, &query, Vec::new()).await)
}

/// The page, with why something cannot be done.
pub async fn with_problems(app: &App, guest: &Guest, code: i32, alerts: Vec<String>) -> Response {
    let page = match importing::one(app, &by(guest), ImportCode::new(code)).await {
        Ok(import) => made(app, guest, import, &Query::read(""), alerts).await,
        Err(error) => Err(error),
    };
    match page {
        Ok(page) => answer(StatusCode::BAD_REQUEST, &page),
        Err(error) => refused(guest, &error),
    }
}

async fn made(
    app: &App,
    guest: &Guest,
    import: Import,
    query: &Query,
    alerts: Vec<String>,
) -> Result<Page, Error> {
    let frame = Frame::of(app, guest, PLACE).await?;
    let zone = &app::base::registers(app, guest.session().scope.tenant()).await?.zone;
    let words = words(import.kind);
    let now = app.now();
    let ended = import.finished_at.or(import.started_at);
    let undo_until = ended.filter(|_| importing::may_undo(&import, now));
    let enters = import.counts.created + import.counts.changed;
    Ok(Page {
        code: import.code.get(),
        file: import.file_name.clone(),
        what: words.title,
        kind: wire::sheet::kind_name(import.kind),
        one: words.one,
        state: import.state,
        badge: state(&import),
        told: told(&import),
        step: match import.state {
            ImportState::Reading => 1,
            ImportState::Ready => 2,
            ImportState::Checking | ImportState::Checked => 3,
            _ => 4,
        },
        progress: progress(&import),
        figures: figures(&import),
        facts: facts(&import, zone),
        entering: if enters > 0 { counted(enters, "linha", "linhas") } else { String::new() },
        refused: import.counts.refused,
        refused_told: counted(import.counts.refused, "linha com problema", "linhas com problema"),
        problems: problems(app, guest, &import, query).await?,
        kept: kept(app, guest, &import, query, &frame.root).await?,
        undo_until: undo_until.map(|at| moment(at.plus(UNDO_FOR), zone)).unwrap_or_default(),
        list: (words.list.0, format!("{}/console{}", frame.root, words.list.1)),
        alerts,
        frame,
    })
}

fn told(import: &Import) -> String {
    let of = &import.counts;
    match import.state {
        ImportState::Reading => "O arquivo ainda está sendo lido.".to_owned(),
        ImportState::Ready => String::new(),
        ImportState::Checking => {
            "Cada linha é conferida como se fosse entrar agora. Nada está sendo gravado.".to_owned()
        }
        ImportState::Checked if of.refused == 0 && of.created + of.changed == 0 => {
            "Tudo o que está na planilha já está aqui, igual. Não há nada a importar.".to_owned()
        }
        ImportState::Checked if of.refused == 0 => {
            "Nenhum problema. Nada foi gravado ainda: a importação começa quando você mandar.".to_owned()
        }
        ImportState::Checked if of.created + of.changed + of.same == 0 => {
            "Nenhuma linha pode entrar como está. Veja abaixo o que arrumar; nada foi gravado.".to_owned()
        }
        ImportState::Checked => {
            "Nada foi gravado ainda. Você pode arrumar as linhas com problema antes, ou importar as outras agora."
                .to_owned()
        }
        ImportState::Running => {
            "Você pode fechar esta página e fazer outra coisa: a importação continua sozinha.".to_owned()
        }
        ImportState::Paused => {
            "Parada onde estava. O que já entrou continua no lugar; as outras linhas esperam.".to_owned()
        }
        ImportState::Done if of.refused > 0 => {
            "Terminou. As linhas com problema não entraram: baixe-as, arrume e envie de novo.".to_owned()
        }
        ImportState::Done => "Terminou, e todas as linhas entraram.".to_owned(),
        ImportState::Undoing => {
            "O que a importação criou está sendo removido, e o que ela mudou volta a ser como era.".to_owned()
        }
        ImportState::Undone if of.kept > 0 => {
            "Desfeita. Alguns registros ficaram como estão, porque alguém já mexeu neles: veja abaixo.".to_owned()
        }
        ImportState::Undone => "Desfeita por inteiro.".to_owned(),
    }
}

fn progress(import: &Import) -> Option<Progress> {
    use ImportState as S;
    let word = match import.state {
        S::Checking => ("linha conferida", "linhas conferidas"),
        S::Running | S::Paused => ("linha", "linhas"),
        S::Undoing => ("registro", "registros"),
        _ => return None,
    };
    let (done, total) = importing::progress(import);
    let percent = if total > 0 { done * 100 / total } else { 0 };
    let text = format!("{} de {} ({percent}%)", count(done), counted(total, word.0, word.1));
    Some(Progress { done, total, text })
}

fn figures(import: &Import) -> Vec<(String, &'static str)> {
    use ImportState as S;
    let of = &import.counts;
    let all: Vec<(i64, &str, &str)> = match import.state {
        S::Reading | S::Ready => Vec::new(),
        S::Undoing | S::Undone => vec![
            (of.removed, "removido", "removidos"),
            (of.restored, "voltou a ser como era", "voltaram a ser como eram"),
            (of.kept, "ficou como está", "ficaram como estão"),
        ],
        S::Checking | S::Checked => vec![
            (of.created, "novo", "novos"),
            (of.changed, "alterado", "alterados"),
            (of.same, "igual ao que já está aqui", "iguais ao que já está aqui"),
            (of.refused, "com problema", "com problema"),
        ],
        S::Running | S::Paused | S::Done => vec![
            (of.created, "criado", "criados"),
            (of.changed, "alterado", "alterados"),
            (of.same, "já estava igual", "já estavam iguais"),
            (of.refused, "não entrou", "não entraram"),
        ],
    };
    all.into_iter().map(|(number, one, many)| (count(number), if number == 1 { one } else { many })).collect()
}

fn facts(import: &Import, zone: &TimeZone) -> Vec<(&'static str, String)> {
    let at = |at: Option<domain::Moment>| at.map(|at| moment(at, zone)).unwrap_or_default();
    let triggers = match (import.started_at, import.triggers) {
        (None, _) => String::new(),
        (Some(_), true) => "avisados".to_owned(),
        (Some(_), false) => "não avisados".to_owned(),
    };
    vec![
        ("Linhas do arquivo", count(import.total)),
        ("Enviado em", moment(import.created_at, zone)),
        ("Importação começou", at(import.started_at)),
        ("Terminou", at(import.finished_at)),
        ("Sistemas ligados", triggers),
    ]
}

/// The line behind which a list goes on.
fn after(query: &Query, name: &str) -> i32 {
    query.text(name).parse().ok().filter(|line| *line > 0).unwrap_or(0)
}

/// What fits a page of what was read behind a line: whole lines of the file, and behind which the next page begins.
fn paged<T>(mut rows: Vec<T>, line: impl Fn(&T) -> i32) -> (Vec<T>, Option<i32>) {
    if rows.len() <= SHOWN {
        return (rows, None);
    }
    let cut = line(&rows[SHOWN]);
    let whole = rows.iter().take_while(|row| line(row) < cut).count();
    // A line with more problems than a page holds is shown alone, as far as it goes.
    rows.truncate(if whole > 0 { whole } else { SHOWN });
    let last = rows.last().map(line);
    (rows, last)
}

async fn problems(app: &App, guest: &Guest, import: &Import, query: &Query) -> Result<Lines, Error> {
    use ImportState as S;
    if !matches!(import.state, S::Checked | S::Running | S::Paused | S::Done) || import.counts.refused == 0 {
        return Ok(Lines::default());
    }
    let from = after(query, "depois");
    let found = importing::problems(app, &by(guest), import.code, (from, SHOWN as i64 + 1)).await?;
    let (found, next) = paged(found, |one| one.line);
    let mut lines: Vec<i32> = found.iter().map(|one| one.line).collect();
    lines.dedup();
    let cells = importing::cells(app, &by(guest), import, &lines).await?;
    let value = |line: i32, header: &str| {
        let at = import.headers.iter().position(|one| one == header)?;
        cells.get(&line)?.get(at).cloned()
    };
    let rows = found.into_iter().map(|one| Line {
        number: one.line,
        value: one.header.as_deref().and_then(|header| value(one.line, header)).unwrap_or_default(),
        column: one.header.unwrap_or_default(),
        text: sentence(&one.text),
        link: None,
    });
    Ok(Lines { rows: rows.collect(), is_first: from == 0, next: next.map(|line| format!("?depois={line}")) })
}

async fn kept(app: &App, guest: &Guest, import: &Import, query: &Query, root: &str) -> Result<Lines, Error> {
    if import.state != ImportState::Undone || import.counts.kept == 0 {
        return Ok(Lines::default());
    }
    let words = words(import.kind);
    let from = after(query, "mantidos");
    let found = importing::kept(app, &by(guest), import.code, (from, SHOWN as i64 + 1)).await?;
    let (found, next) = paged(found, |one| one.line);
    let rows = found.into_iter().map(|one| Line {
        number: one.line,
        column: one.record.map(|code| format!("{} {code}", words.one)).unwrap_or_default(),
        value: String::new(),
        text: sentence(&one.because),
        link: one.record.and_then(|code| words.record.map(|path| format!("{root}/console{path}/{code}"))),
    });
    Ok(Lines {
        rows: rows.collect(),
        is_first: from == 0,
        next: next.map(|line| format!("?mantidos={line}")),
    })
}

#[cfg(test)]
pub const CASES: crate::rendered::Cases = &[("console/importacao.html", |with| {
    let line = || Line {
        number: 7,
        column: with.text(),
        value: with.text(),
        text: with.text(),
        link: with.maybe(|| with.text()),
    };
    let lines = || Lines { rows: with.many(line), is_first: false, next: with.maybe(|| with.text()) };
    let page = |state| {
        crate::rendered::text(&Page {
            frame: with.frame(),
            code: 7,
            file: with.text(),
            what: "Associados",
            kind: "associados",
            one: "associado",
            state,
            badge: ("Concluída", "fine"),
            told: with.text(),
            step: 4,
            progress: with.maybe(|| Progress { done: 1, total: 3, text: with.text() }),
            figures: with.many(|| (with.text(), "novos")),
            facts: with.facts(),
            entering: with.text(),
            refused: if with.is_full() { 3 } else { 0 },
            refused_told: with.text(),
            problems: lines(),
            kept: lines(),
            undo_until: with.text(),
            list: ("Ver os associados", with.text()),
            alerts: with.many(|| with.text()),
        })
    };
    // One page shows whatever state it is in.
    ImportState::ALL.iter().map(|state| page(*state)).collect()
})];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_ends_with_a_whole_line_of_the_file() {
        let lines = |all: &[i32]| paged(all.to_vec(), |line| *line);
        assert_eq!(lines(&[2, 2, 3]), (vec![2, 2, 3], None));
        let many: Vec<i32> = (0..=50).map(|at| if at < 49 { at + 2 } else { 60 }).collect();
        let (shown, next) = paged(many, |line| *line);
        assert_eq!((shown.len(), next), (49, Some(50)));
        let (shown, next) = paged(vec![7; 51], |line| *line);
        assert_eq!((shown.len(), next), (50, Some(7)));
    }
}
