//! Step 2: maps the file's columns to fields. Columns with known names are preselected.

use super::{PLACE, build_actor, describe_import_kind, describe_rejections, format_quantity};
use crate::http::form::SubmittedForm;
use crate::http::parameters::PathNumber;
use crate::http::redirect::{derive_root_path, redirect_to};
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::frame::PageFrame;
use crate::widgets::page::{HandlerResult, render_page, show_page};
use crate::widgets::select_option::SelectOption;
use app::idempotency::{IdempotentWrite, WriteOutcome};
use app::{App, Error};
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use domain::{ImportCode, ImportKind, ImportState};
use exchange::import::{self, ColumnMapping, StoredImportRun};
use wire::read::FieldPatch;

/// Sample lines shown.
const EXAMPLE_LINES: i64 = 3;

struct MappedColumn {
    number: usize,
    name: String,
    examples: Vec<String>,
    /// Target field; empty for none.
    field: String,
    problem: Option<String>,
}

struct MappingTarget {
    name: &'static str,
    label: &'static str,
    is_required: bool,
}

#[derive(Template)]
#[template(path = "console/importacao_colunas.html")]
struct MapColumnsPage {
    frame: PageFrame,
    code: i32,
    file: String,
    what: &'static str,
    lines: String,
    columns: Vec<MappedColumn>,
    targets: Vec<MappingTarget>,
    /// Required fields that no column is mapped to.
    missing: Vec<&'static str>,
    /// Number of unmapped columns.
    left_out: String,
    /// Choices for the branch of new records whose line names none; empty if there is only one branch.
    branches: Vec<SelectOption>,
    problems: Vec<String>,
}

/// The mapping, as stored or as submitted.
struct MappingChoice {
    mapping: Vec<String>,
    branch: Option<i32>,
}

/// `GET /console/importar/{codigo}/colunas`
pub async fn show_mapping_form(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
) -> HandlerResult {
    let import = import::load_import(&app, &build_actor(&user), ImportCode::new(code)).await?;
    if !matches!(import.state, ImportState::Ready | ImportState::Checked) {
        return Ok(redirect_to(&super::show::build_import_path(&derive_root_path(&app), code)));
    }
    let chosen =
        MappingChoice { mapping: import.mapping.clone(), branch: import.branch.map(domain::BranchCode::get) };
    show_page(&build_mapping_page(&app, &user, &import, &chosen, Vec::new()).await?)
}

async fn build_mapping_page(
    app: &App,
    user: &SignedInUser,
    import: &StoredImportRun,
    chosen: &MappingChoice,
    problems: Vec<String>,
) -> Result<MapColumnsPage, Error> {
    let mapping = &chosen.mapping;
    let lines = import::list_first_lines(app, &build_actor(user), import, EXAMPLE_LINES).await?;
    let fields = wire::import_sheet::list_import_fields(import.kind);
    let label = |name: &str| fields.iter().find(|one| one.name == name).map_or("", |one| one.label);
    let column = |(at, name): (usize, &String)| {
        let field = mapping.get(at).cloned().unwrap_or_default();
        let twice = !field.is_empty() && mapping.iter().filter(|one| **one == field).count() > 1;
        let cells = lines.iter().filter_map(|cells| cells.get(at));
        MappedColumn {
            number: at,
            name: name.clone(),
            examples: cells.filter(|cell| !cell.is_empty()).map(|cell| shorten_cell(cell)).collect(),
            problem: twice
                .then(|| format!("Outra coluna também vai para “{}”: escolha só uma.", label(&field))),
            field,
        }
    };
    let left_out = mapping.iter().filter(|field| field.is_empty()).count();
    Ok(MapColumnsPage {
        frame: PageFrame::load(app, user, PLACE).await?,
        code: import.code.get(),
        file: import.file_name.clone(),
        what: describe_import_kind(import.kind).title,
        lines: format_quantity(import.total, "linha", "linhas"),
        columns: import.headers.iter().enumerate().map(column).collect(),
        targets: fields
            .iter()
            .map(|one| MappingTarget { name: one.name, label: one.label, is_required: one.required })
            .collect(),
        missing: list_missing_fields(import.kind, mapping),
        left_out: match left_out {
            0 => String::new(),
            one => format_quantity(
                i64::try_from(one).unwrap_or(i64::MAX),
                "coluna fica de fora",
                "colunas ficam de fora",
            ),
        },
        branches: list_branch_choices(app, user, import, chosen.branch).await?,
        problems,
    })
}

/// Labels of the required fields that no column is mapped to.
fn list_missing_fields(kind: ImportKind, mapping: &[String]) -> Vec<&'static str> {
    let is_missing = |name: &str| !mapping.iter().any(|field| field == name);
    let fields = wire::import_sheet::list_import_fields(kind).iter();
    fields.filter(|one| one.required && is_missing(one.name)).map(|one| one.label).collect()
}

/// Empty if there is no choice or the import kind needs no branch.
async fn list_branch_choices(
    app: &App,
    user: &SignedInUser,
    import: &StoredImportRun,
    chosen: Option<i32>,
) -> Result<Vec<SelectOption>, Error> {
    let scope = &user.session().scope;
    let registers = app::register_snapshot::load_registers(app, scope.tenant()).await?;
    let choices = registers.usable_branches(scope).map(|one| SelectOption {
        value: one.code.to_string(),
        name: one.name.clone(),
        is_chosen: chosen == Some(one.code.get()),
    });
    let choices: Vec<SelectOption> = choices.collect();
    let is_needed = choices.len() > 1 && import::has_default_branch(import.kind);
    Ok(if is_needed { choices } else { Vec::new() })
}

fn shorten_cell(cell: &str) -> String {
    const MOST: usize = 40;
    if cell.chars().count() <= MOST {
        cell.to_owned()
    } else {
        cell.chars().take(MOST).chain(['…']).collect()
    }
}

/// `POST /console/importar/{codigo}/colunas`: saves the mapping and starts the dry run.
pub async fn save_mapping(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(number): PathNumber,
    submitted: SubmittedForm,
) -> HandlerResult {
    let (caller, code) = (build_actor(&user), ImportCode::new(number));
    let import = import::load_import(&app, &caller, code).await?;
    let chosen: Vec<String> =
        (0..import.headers.len()).map(|at| submitted.text(&format!("campo-{at}")).to_owned()).collect();
    let chosen = MappingChoice { mapping: chosen, branch: submitted.text("loja").parse().ok() };
    // Its dry run would be refused, so an incomplete mapping is not stored either. The page names what is missing.
    if !list_missing_fields(import.kind, &chosen.mapping).is_empty() {
        let page = build_mapping_page(&app, &user, &import, &chosen, Vec::new()).await?;
        return render_page(StatusCode::BAD_REQUEST, &page);
    }
    let mapping = ColumnMapping {
        columns: import.headers.iter().cloned().zip(chosen.mapping.iter().cloned()).collect(),
        branch: chosen
            .branch
            .map_or(FieldPatch::Clear, |code| FieldPatch::Set(domain::BranchCode::new(code))),
    };
    let done = match import::map_import_columns(&app, &caller, code, mapping, IdempotentWrite::without_key())
        .await
        .and_then(WriteOutcome::into_fresh)
    {
        Ok(_) => import::start_dry_run(&app, &caller, code, IdempotentWrite::without_key())
            .await
            .and_then(WriteOutcome::into_fresh),
        Err(error) => Err(error),
    };
    match done {
        Ok(_) => Ok(redirect_to(&super::show::build_import_path(&derive_root_path(&app), number))),
        Err(Error::Refused(problems)) => {
            let is_known = |one: &domain::Rejection| {
                use domain::ImportProblem as P;
                // The page shows these next to the columns and above them.
                matches!(one, domain::Rejection::Import(P::FieldTwice(_) | P::NotMapped(_)))
            };
            let others: Vec<domain::Rejection> = problems.into_iter().filter(|one| !is_known(one)).collect();
            let problems = describe_rejections(&others);
            let page = build_mapping_page(&app, &user, &import, &chosen, problems).await?;
            render_page(StatusCode::BAD_REQUEST, &page)
        }
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
pub const CASES: crate::template_tests::TemplateCases = &[("console/importacao_colunas.html", |with| {
    let column = || MappedColumn {
        number: 0,
        name: with.text(),
        examples: with.list_of(|| with.text()),
        field: "cpfCnpj".to_owned(),
        problem: with.option_of(|| with.text()),
    };
    crate::template_tests::render_template(&MapColumnsPage {
        frame: with.frame(),
        code: 7,
        file: with.text(),
        what: "Associados",
        lines: "5 linhas".to_owned(),
        columns: with.list_of(column),
        targets: vec![MappingTarget { name: "cpfCnpj", label: "CPF ou CNPJ", is_required: true }],
        missing: with.list_of(|| "Nome"),
        left_out: with.text(),
        branches: with.choices(),
        problems: with.list_of(|| with.text()),
    })
})];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_cell_is_cut() {
        assert_eq!(shorten_cell("Ávila"), "Ávila");
        assert_eq!(shorten_cell(&"é".repeat(50)).chars().count(), 41);
    }
}
