//! The page of an import from its dry run on: progress, counts, problems by line and column, and actions.

use super::{PLACE, build_actor, describe_import_kind, format_quantity, label_import_state};
use crate::http::parameters::{PathNumber, QueryParams};
use crate::http::redirect::{derive_root_path, redirect_to};
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::form_problems::capitalize_sentence;
use crate::widgets::formats::{format_count, format_moment};
use crate::widgets::frame::PageFrame;
use crate::widgets::page::{HandlerResult, render_page, show_page};
use app::{App, Error};
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use domain::{ImportCode, ImportState, TimeZone};
use exchange::import::{self, StoredImportRun, UNDO_FOR};

/// Problems per page.
const SHOWN_LINES: usize = 50;

/// A problem of a line, or the reason why an undo skipped it.
pub struct ImportLineRemark {
    number: i32,
    column: String,
    value: String,
    text: String,
    link: Option<String>,
}

/// One page of remarks, and the link to the next.
#[derive(Default)]
pub struct LineRemarkList {
    rows: Vec<ImportLineRemark>,
    is_first: bool,
    next: Option<String>,
}

pub struct StageProgress {
    done: i64,
    total: i64,
    text: String,
}

#[derive(Template)]
#[template(path = "console/importacao.html")]
pub struct ViewImportPage {
    frame: PageFrame,
    code: i32,
    file: String,
    what: &'static str,
    /// Value in the URL that starts an import of this kind.
    kind: &'static str,
    one: &'static str,
    state: ImportState,
    badge: (&'static str, &'static str),
    /// One sentence on the current state.
    description: String,
    /// Current step: 3 is the dry run, 4 the import.
    step: u8,
    progress: Option<StageProgress>,
    /// Number and label.
    figures: Vec<(String, &'static str)>,
    facts: Vec<(&'static str, String)>,
    /// How many lines would be or were imported, in words; empty if none.
    entering: String,
    /// How many lines stay out, and what can be done about it; empty if all are imported.
    refused_lines: String,
    problems: LineRemarkList,
    skipped_lines: LineRemarkList,
    /// End of the undo period; empty if an undo is not possible.
    undo_until: String,
    list: (&'static str, String),
    alerts: Vec<String>,
}

impl ViewImportPage {
    /// Whether a stage is running, so that the page reloads itself.
    fn is_moving(&self) -> bool {
        use ImportState as S;
        matches!(self.state, S::Reading | S::Checking | S::Running | S::Undoing)
    }
}

pub fn build_import_path(root: &str, code: i32) -> String {
    format!("{root}/console/importar/{code}")
}

/// `GET /console/importar/{codigo}`
pub async fn show_import_page(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
    query: QueryParams,
) -> HandlerResult {
    let import = import::load_import(&app, &build_actor(&user), ImportCode::new(code)).await?;
    if import.state == ImportState::Ready {
        return Ok(redirect_to(&format!("{}/colunas", build_import_path(&derive_root_path(&app), code))));
    }
    show_page(&build_import_page(&app, &user, import, &query, Vec::new()).await?)
}

/// Renders the page with the reasons why an action was refused.
pub async fn render_import_with_alerts(
    app: &App,
    user: &SignedInUser,
    code: i32,
    alerts: Vec<String>,
) -> HandlerResult {
    let import = import::load_import(app, &build_actor(user), ImportCode::new(code)).await?;
    let page = build_import_page(app, user, import, &QueryParams::parse(""), alerts).await?;
    render_page(StatusCode::BAD_REQUEST, &page)
}

async fn build_import_page(
    app: &App,
    user: &SignedInUser,
    import: StoredImportRun,
    query: &QueryParams,
    alerts: Vec<String>,
) -> Result<ViewImportPage, Error> {
    let frame = PageFrame::load(app, user, PLACE).await?;
    let zone = &app::register_snapshot::load_registers(app, user.session().scope.tenant()).await?.zone;
    let words = describe_import_kind(import.kind);
    let now = app.now();
    let ended = import.finished_at.or(import.started_at);
    let undo_until = ended.filter(|_| import::may_undo_import(&import, now));
    let enters = import.counts.created + import.counts.changed;
    Ok(ViewImportPage {
        code: import.code.get(),
        file: import.file_name.clone(),
        what: words.title,
        kind: wire::import_sheet::name_import_kind(import.kind),
        one: words.one,
        state: import.state,
        badge: label_import_state(&import),
        description: describe_import(&import),
        step: match import.state {
            ImportState::Reading => 1,
            ImportState::Ready => 2,
            ImportState::Checking | ImportState::Checked => 3,
            _ => 4,
        },
        progress: measure_progress(&import),
        figures: list_import_figures(&import),
        facts: list_import_facts(&import, zone),
        entering: if enters > 0 { format_quantity(enters, "linha", "linhas") } else { String::new() },
        refused_lines: describe_refused_lines(import.counts.refused),
        problems: list_line_problems(app, user, &import, query).await?,
        skipped_lines: list_skipped_lines(app, user, &import, query, &frame.root).await?,
        undo_until: undo_until.map(|at| format_moment(at.plus(UNDO_FOR), zone)).unwrap_or_default(),
        list: (words.list.0, format!("{}/console{}", frame.root, words.list.1)),
        alerts,
        frame,
    })
}

fn describe_refused_lines(refused: i64) -> String {
    match refused {
        0 => String::new(),
        1 => "1 linha com problema não entra agora. Você pode arrumá-la depois, no arquivo de erros, e enviar só ela."
            .to_owned(),
        many => format!(
            "{} linhas com problema não entram agora. Você pode arrumá-las depois, no arquivo de erros, e enviar só \
             elas.",
            format_count(many)
        ),
    }
}

fn describe_import(import: &StoredImportRun) -> String {
    let counts = &import.counts;
    match import.state {
        ImportState::Reading => "O arquivo ainda está sendo lido.".to_owned(),
        ImportState::Ready => String::new(),
        ImportState::Checking => {
            "Cada linha é conferida como se fosse entrar agora. Nada está sendo gravado.".to_owned()
        }
        ImportState::Checked if counts.refused == 0 && counts.created + counts.changed == 0 => {
            "Tudo o que está na planilha já está aqui, igual. Não há nada a importar.".to_owned()
        }
        ImportState::Checked if counts.refused == 0 => {
            "Nenhum problema. Nada foi gravado ainda: a importação começa quando você mandar.".to_owned()
        }
        ImportState::Checked if counts.created + counts.changed + counts.same == 0 => {
            "Nenhuma linha pode entrar como está. Veja abaixo o que arrumar; nada foi gravado.".to_owned()
        }
        ImportState::Checked if counts.refused == 1 => {
            "Nada foi gravado ainda. Você pode arrumar a linha com problema antes, ou importar o resto agora."
                .to_owned()
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
        ImportState::Done if counts.refused == 1 => {
            "Terminou. A linha com problema não entrou: baixe-a, arrume e envie de novo.".to_owned()
        }
        ImportState::Done if counts.refused > 0 => {
            "Terminou. As linhas com problema não entraram: baixe-as, arrume e envie de novo.".to_owned()
        }
        ImportState::Done => "Terminou, e todas as linhas entraram.".to_owned(),
        ImportState::Undoing => {
            "O que a importação criou está sendo removido, e o que ela mudou volta a ser como era.".to_owned()
        }
        ImportState::Undone if counts.kept == 1 => {
            "Desfeita. Um registro ficou como está, porque alguém já mexeu nele: veja abaixo.".to_owned()
        }
        ImportState::Undone if counts.kept > 0 => {
            "Desfeita. Alguns registros ficaram como estão, porque alguém já mexeu neles: veja abaixo.".to_owned()
        }
        ImportState::Undone => "Desfeita por inteiro.".to_owned(),
    }
}

fn measure_progress(import: &StoredImportRun) -> Option<StageProgress> {
    use ImportState as S;
    let word = match import.state {
        S::Checking => ("linha conferida", "linhas conferidas"),
        S::Running | S::Paused => ("linha", "linhas"),
        S::Undoing => ("registro", "registros"),
        _ => return None,
    };
    let (done, total) = import::measure_progress(import);
    let percent = if total > 0 { done * 100 / total } else { 0 };
    let text = format!("{} de {} ({percent}%)", format_count(done), format_quantity(total, word.0, word.1));
    Some(StageProgress { done, total, text })
}

fn list_import_figures(import: &StoredImportRun) -> Vec<(String, &'static str)> {
    use ImportState as S;
    let counts = &import.counts;
    let all: Vec<(i64, &str, &str)> = match import.state {
        S::Reading | S::Ready => Vec::new(),
        S::Undoing | S::Undone => vec![
            (counts.removed, "removido", "removidos"),
            (counts.restored, "voltou a ser como era", "voltaram a ser como eram"),
            (counts.kept, "ficou como está", "ficaram como estão"),
        ],
        S::Checking | S::Checked => vec![
            (counts.created, "novo", "novos"),
            (counts.changed, "alterado", "alterados"),
            (counts.same, "igual ao que já está aqui", "iguais ao que já está aqui"),
            (counts.refused, "com problema", "com problema"),
        ],
        S::Running | S::Paused | S::Done => vec![
            (counts.created, "criado", "criados"),
            (counts.changed, "alterado", "alterados"),
            (counts.same, "já estava igual", "já estavam iguais"),
            (counts.refused, "não entrou", "não entraram"),
        ],
    };
    all.into_iter()
        .map(|(number, one, many)| (format_count(number), if number == 1 { one } else { many }))
        .collect()
}

fn list_import_facts(import: &StoredImportRun, zone: &TimeZone) -> Vec<(&'static str, String)> {
    let at = |at: Option<domain::Moment>| at.map(|at| format_moment(at, zone)).unwrap_or_default();
    let triggers = match (import.started_at, import.triggers) {
        (None, _) => String::new(),
        (Some(_), true) => "avisados".to_owned(),
        (Some(_), false) => "não avisados".to_owned(),
    };
    vec![
        ("Linhas do arquivo", format_count(import.total)),
        ("Enviado em", format_moment(import.created_at, zone)),
        ("Importação começou", at(import.started_at)),
        ("Terminou", at(import.finished_at)),
        ("Sistemas ligados", triggers),
    ]
}

/// The line after which a list continues.
fn parse_last_line(query: &QueryParams, name: &str) -> i32 {
    query.text(name).parse().ok().filter(|line| *line > 0).unwrap_or(0)
}

/// Cuts a page at a line boundary of the file; also returns the line after which the next page starts.
fn cut_remark_page<T>(mut rows: Vec<T>, line: impl Fn(&T) -> i32) -> (Vec<T>, Option<i32>) {
    if rows.len() <= SHOWN_LINES {
        return (rows, None);
    }
    let cut = line(&rows[SHOWN_LINES]);
    let complete = rows.iter().take_while(|row| line(row) < cut).count();
    // A line with more problems than a page holds is shown alone, truncated.
    rows.truncate(if complete > 0 { complete } else { SHOWN_LINES });
    let last = rows.last().map(line);
    (rows, last)
}

async fn list_line_problems(
    app: &App,
    user: &SignedInUser,
    import: &StoredImportRun,
    query: &QueryParams,
) -> Result<LineRemarkList, Error> {
    use ImportState as S;
    if !matches!(import.state, S::Checked | S::Running | S::Paused | S::Done) || import.counts.refused == 0 {
        return Ok(LineRemarkList::default());
    }
    let last_line = parse_last_line(query, "depois");
    let found = import::list_import_problems(
        app,
        &build_actor(user),
        import.code,
        (last_line, SHOWN_LINES as i64 + 1),
    )
    .await?;
    let (found, next) = cut_remark_page(found, |one| one.line);
    let mut lines: Vec<i32> = found.iter().map(|one| one.line).collect();
    lines.dedup();
    let cells = import::list_cells_by_line(app, &build_actor(user), import, &lines).await?;
    let value = |line: i32, header: &str| {
        let at = import.headers.iter().position(|one| one == header)?;
        cells.get(&line)?.get(at).cloned()
    };
    let rows = found.into_iter().map(|one| ImportLineRemark {
        number: one.line,
        value: one.header.as_deref().and_then(|header| value(one.line, header)).unwrap_or_default(),
        column: one.header.unwrap_or_default(),
        text: capitalize_sentence(&one.text),
        link: None,
    });
    Ok(LineRemarkList {
        rows: rows.collect(),
        is_first: last_line == 0,
        next: next.map(|line| format!("?depois={line}")),
    })
}

async fn list_skipped_lines(
    app: &App,
    user: &SignedInUser,
    import: &StoredImportRun,
    query: &QueryParams,
    root: &str,
) -> Result<LineRemarkList, Error> {
    if import.state != ImportState::Undone || import.counts.kept == 0 {
        return Ok(LineRemarkList::default());
    }
    let words = describe_import_kind(import.kind);
    let last_line = parse_last_line(query, "mantidos");
    let found =
        import::list_kept_rows(app, &build_actor(user), import.code, (last_line, SHOWN_LINES as i64 + 1))
            .await?;
    let (found, next) = cut_remark_page(found, |one| one.line);
    let rows = found.into_iter().map(|one| ImportLineRemark {
        number: one.line,
        column: one.record.map(|code| format!("{} {code}", words.one)).unwrap_or_default(),
        value: String::new(),
        text: capitalize_sentence(&one.because),
        link: one.record.and_then(|code| words.record.map(|path| format!("{root}/console{path}/{code}"))),
    });
    Ok(LineRemarkList {
        rows: rows.collect(),
        is_first: last_line == 0,
        next: next.map(|line| format!("?mantidos={line}")),
    })
}

#[cfg(test)]
pub const CASES: crate::template_tests::TemplateCases = &[("console/importacao.html", |with| {
    let line = || ImportLineRemark {
        number: 7,
        column: with.text(),
        value: with.text(),
        text: with.text(),
        link: with.option_of(|| with.text()),
    };
    let lines =
        || LineRemarkList { rows: with.list_of(line), is_first: false, next: with.option_of(|| with.text()) };
    let page = |state| {
        crate::template_tests::render_template(&ViewImportPage {
            frame: with.frame(),
            code: 7,
            file: with.text(),
            what: "Associados",
            kind: "associados",
            one: "associado",
            state,
            badge: ("Concluída", "fine"),
            description: with.text(),
            step: 4,
            progress: with.option_of(|| StageProgress { done: 1, total: 3, text: with.text() }),
            figures: with.list_of(|| (with.text(), "novos")),
            facts: with.facts(),
            entering: with.text(),
            refused_lines: with.text(),
            problems: lines(),
            skipped_lines: lines(),
            undo_until: with.text(),
            list: ("Ver os associados", with.text()),
            alerts: with.list_of(|| with.text()),
        })
    };
    // The same page shows every state.
    ImportState::ALL.iter().map(|state| page(*state)).collect()
})];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_that_stays_out_is_not_spoken_of_as_many() {
        assert_eq!(describe_refused_lines(0), "");
        let one = describe_refused_lines(1);
        assert!(
            one.starts_with("1 linha com problema não entra agora.") && one.ends_with("só ela."),
            "{one}"
        );
        let many = describe_refused_lines(1234);
        assert!(many.starts_with("1.234 linhas com problema não entram agora."), "{many}");
        assert!(many.ends_with("só elas."), "{many}");
    }

    #[test]
    fn a_page_ends_with_a_whole_line_of_the_file() {
        let lines = |all: &[i32]| cut_remark_page(all.to_vec(), |line| *line);
        assert_eq!(lines(&[2, 2, 3]), (vec![2, 2, 3], None));
        let many: Vec<i32> = (0..=50).map(|at| if at < 49 { at + 2 } else { 60 }).collect();
        let (rows, next) = cut_remark_page(many, |line| *line);
        assert_eq!((rows.len(), next), (49, Some(50)));
        let (rows, next) = cut_remark_page(vec![7; 51], |line| *line);
        assert_eq!((rows.len(), next), (50, Some(7)));
    }
}
