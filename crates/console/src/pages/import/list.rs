//! The list of imports that the user may see, newest first.

use super::{PLACE, build_actor, describe_import_kind, format_quantity, label_import_state};
use crate::http::parameters::QueryParams;
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::formats::{ListPager, format_moment};
use crate::widgets::frame::PageFrame;
use crate::widgets::page::{HandlerResult, show_page};
use app::App;
use app::access::users;
use askama::Template;
use axum::extract::State;
use domain::{ImportState, TimeZone, UserCode};
use exchange::import::{self, StoredImportRun};
use std::collections::HashMap;

const RUNS_PER_PAGE: i64 = 50;

struct ImportRunLine {
    link: String,
    what: &'static str,
    file: String,
    when: String,
    who: String,
    state: &'static str,
    class: &'static str,
    counts: String,
}

#[derive(Template)]
#[template(path = "console/importacoes.html")]
struct BrowseImportsPage {
    frame: PageFrame,
    rows: Vec<ImportRunLine>,
    pager: ListPager,
}

/// `GET /console/importar`
pub async fn show_import_list(
    State(app): State<App>,
    signed_in: SignedInUser,
    query: QueryParams,
) -> HandlerResult {
    let scope = &signed_in.session().scope;
    let frame = PageFrame::load(&app, &signed_in, PLACE).await?;
    let number = query.page_number();
    let (imports, total) = import::list_imports(
        &app,
        &build_actor(&signed_in),
        (RUNS_PER_PAGE, i64::from(number - 1) * RUNS_PER_PAGE),
    )
    .await?;
    let registers = app::register_snapshot::load_registers(&app, scope.tenant()).await?;
    let mut names: HashMap<UserCode, String> = HashMap::new();
    if signed_in.is_admin() {
        names.extend(
            users::list_users(&app, scope).await?.into_iter().map(|user| (user.code, user.name.clone())),
        );
    }
    names.insert(signed_in.session().user, signed_in.visitor.name.clone());
    let row = |import: &StoredImportRun| build_import_line(&frame.root, import, &names, &registers.zone);
    show_page(&BrowseImportsPage {
        rows: imports.iter().map(row).collect(),
        pager: ListPager::new(number, total, RUNS_PER_PAGE, |page| query.with_page(page)),
        frame,
    })
}

fn build_import_line(
    root: &str,
    import: &StoredImportRun,
    names: &HashMap<UserCode, String>,
    zone: &TimeZone,
) -> ImportRunLine {
    let (word, class) = label_import_state(import);
    let who = match import.user {
        Some(user) => names.get(&user).cloned().unwrap_or_else(|| format!("usuário {user}")),
        None => "linha de comando".to_owned(),
    };
    ImportRunLine {
        link: format!("{root}/console/importar/{}", import.code),
        what: describe_import_kind(import.kind).title,
        file: import.file_name.clone(),
        when: format_moment(import.created_at, zone),
        who,
        state: word,
        class,
        counts: describe_counts(import),
    }
}

fn describe_counts(import: &StoredImportRun) -> String {
    let counts = &import.counts;
    let all = match import.state {
        ImportState::Undone | ImportState::Undoing => vec![
            (counts.removed, "removido", "removidos"),
            (counts.restored, "restaurado", "restaurados"),
            (counts.kept, "mantido", "mantidos"),
        ],
        _ => vec![
            (counts.created, "novo", "novos"),
            (counts.changed, "alterado", "alterados"),
            (counts.same, "igual", "iguais"),
            (counts.refused, "com problema", "com problema"),
        ],
    };
    let parts: Vec<String> = all
        .into_iter()
        .filter(|(number, ..)| *number > 0)
        .map(|(number, one, many)| format_quantity(number, one, many))
        .collect();
    if parts.is_empty() { format_quantity(import.total, "linha", "linhas") } else { parts.join(", ") }
}

#[cfg(test)]
pub const CASES: crate::template_tests::TemplateCases = &[("console/importacoes.html", |with| {
    let row = || ImportRunLine {
        link: with.text(),
        what: "Associados",
        file: with.text(),
        when: with.text(),
        who: with.text(),
        state: "Concluída",
        class: "fine",
        counts: with.text(),
    };
    crate::template_tests::render_template(&BrowseImportsPage {
        frame: with.frame(),
        rows: with.list_of(row),
        pager: with.pager(),
    })
})];
