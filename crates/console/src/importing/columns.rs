//! The second step: where each column of the file goes. What the names say is chosen already.

use super::{PLACE, by, counted, told, words};
use crate::form::Form;
use crate::frame::Frame;
use crate::members::Choice;
use crate::page::{Refusal, page, refused, show};
use crate::visitor::{Guest, Number, redirect, root};
use app::importing::{self, Import, Mapping};
use app::once::{Done, Once};
use app::{App, Error};
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use domain::{ImportCode, ImportState};
use wire::read::Given;

/// Lines that are shown as examples.
const EXAMPLES: i64 = 3;

struct Column {
    number: usize,
    name: String,
    examples: Vec<String>,
    /// The field it goes to; empty for none.
    field: String,
    problem: Option<String>,
}

/// A field that a column may go to.
struct Target {
    name: &'static str,
    label: &'static str,
    is_required: bool,
}

#[derive(Template)]
#[template(path = "console/importacao_colunas.html")]
struct Columns {
    frame: Frame,
    code: i32,
    file: String,
    what: &'static str,
    lines: String,
    columns: Vec<Column>,
    targets: Vec<Target>,
    /// Fields without which no line can do and that no column goes to.
    missing: Vec<&'static str>,
    /// How many columns go nowhere.
    left_out: String,
    /// Where those go who are new and whose line names no branch; nothing to choose where there is one alone.
    branches: Vec<Choice>,
    problems: Vec<String>,
}

/// What is chosen, or shall be.
struct Chosen {
    mapping: Vec<String>,
    branch: Option<i32>,
}

/// `GET /console/importar/{codigo}/colunas`
pub async fn form(State(app): State<App>, guest: Guest, Number(code): Number) -> Response {
    let import = match importing::one(&app, &by(&guest), ImportCode::new(code)).await {
        Ok(import) => import,
        Err(error) => return refused(&guest, &error),
    };
    if !matches!(import.state, ImportState::Ready | ImportState::Checked) {
        return redirect(&super::one::at(&root(&app), code));
    }
    let chosen =
        Chosen { mapping: import.mapping.clone(), branch: import.branch.map(domain::BranchCode::get) };
    show(&guest, made(&app, &guest, &import, &chosen, Vec::new()).await)
}

async fn made(
    app: &App,
    guest: &Guest,
    import: &Import,
    chosen: &Chosen,
    problems: Vec<String>,
) -> Result<Columns, Error> {
    let mapping = &chosen.mapping;
    let lines = importing::first_lines(app, &by(guest), import, EXAMPLES).await?;
    let fields = wire::sheet::columns(import.kind);
    let is_chosen = |name: &str| mapping.iter().any(|field| field == name);
    let label = |name: &str| fields.iter().find(|one| one.name == name).map_or("", |one| one.label);
    let column = |(at, name): (usize, &String)| {
        let field = mapping.get(at).cloned().unwrap_or_default();
        let twice = !field.is_empty() && mapping.iter().filter(|one| **one == field).count() > 1;
        let cells = lines.iter().filter_map(|cells| cells.get(at));
        Column {
            number: at,
            name: name.clone(),
            examples: cells.filter(|cell| !cell.is_empty()).map(|cell| short(cell)).collect(),
            problem: twice
                .then(|| format!("Outra coluna também vai para “{}”: escolha só uma.", label(&field))),
            field,
        }
    };
    let left_out = mapping.iter().filter(|field| field.is_empty()).count();
    Ok(Columns {
        frame: Frame::of(app, guest, PLACE).await?,
        code: import.code.get(),
        file: import.file_name.clone(),
        what: words(import.kind).title,
        lines: counted(import.total, "linha", "linhas"),
        columns: import.headers.iter().enumerate().map(column).collect(),
        targets: fields
            .iter()
            .map(|one| Target { name: one.name, label: one.label, is_required: one.required })
            .collect(),
        missing: fields
            .iter()
            .filter(|one| one.required && !is_chosen(one.name))
            .map(|one| one.label)
            .collect(),
        left_out: match left_out {
            0 => String::new(),
            one => counted(
                i64::try_from(one).unwrap_or(i64::MAX),
                "coluna fica de fora",
                "colunas ficam de fora",
            ),
        },
        branches: branches(app, guest, import, chosen.branch).await?,
        problems,
    })
}

/// The branches that somebody may choose among, where there is a choice and a sheet of this kind may need it.
async fn branches(
    app: &App,
    guest: &Guest,
    import: &Import,
    chosen: Option<i32>,
) -> Result<Vec<Choice>, Error> {
    let scope = &guest.session().scope;
    let registers = app::base::registers(app, scope.tenant()).await?;
    let choices = registers.branches_of(scope).map(|one| Choice {
        value: one.code.to_string(),
        name: one.name.clone(),
        is_chosen: chosen == Some(one.code.get()),
    });
    let choices: Vec<Choice> = choices.collect();
    let is_needed = choices.len() > 1 && importing::begins_in_a_branch(import.kind);
    Ok(if is_needed { choices } else { Vec::new() })
}

/// As much of a cell as shows what it is.
fn short(cell: &str) -> String {
    const MOST: usize = 40;
    if cell.chars().count() <= MOST {
        cell.to_owned()
    } else {
        cell.chars().take(MOST).chain(['…']).collect()
    }
}

/// `POST /console/importar/{codigo}/colunas`: keeps the choice and begins the dry run.
pub async fn choose(
    State(app): State<App>,
    guest: Guest,
    Number(number): Number,
    sent: Result<Form, Refusal>,
) -> Response {
    let sent = match sent {
        Ok(sent) => sent,
        Err(refusal) => return refusal.into_response(),
    };
    let (by, code) = (by(&guest), ImportCode::new(number));
    let import = match importing::one(&app, &by, code).await {
        Ok(import) => import,
        Err(error) => return refused(&guest, &error),
    };
    let chosen: Vec<String> =
        (0..import.headers.len()).map(|at| sent.text(&format!("campo-{at}")).to_owned()).collect();
    let chosen = Chosen { mapping: chosen, branch: sent.text("loja").parse().ok() };
    let wanted = Mapping {
        columns: import.headers.iter().cloned().zip(chosen.mapping.iter().cloned()).collect(),
        branch: chosen.branch.map_or(Given::Clear, |code| Given::Set(domain::BranchCode::new(code))),
    };
    let done = match importing::map(&app, &by, code, wanted, Once::each_time()).await.and_then(Done::now) {
        Ok(_) => importing::check(&app, &by, code, Once::each_time()).await.and_then(Done::now),
        Err(error) => Err(error),
    };
    match done {
        Ok(_) => redirect(&super::one::at(&root(&app), number)),
        Err(Error::Refused(problems)) => {
            let is_known = |one: &domain::Rejection| {
                use domain::ImportProblem as P;
                // These stand beside their columns, and above them.
                matches!(one, domain::Rejection::Import(P::FieldTwice(_) | P::NotMapped(_)))
            };
            let others: Vec<domain::Rejection> = problems.into_iter().filter(|one| !is_known(one)).collect();
            match made(&app, &guest, &import, &chosen, told(&others)).await {
                Ok(form) => page(StatusCode::BAD_REQUEST, &form),
                Err(error) => refused(&guest, &error),
            }
        }
        Err(error) => refused(&guest, &error),
    }
}

#[cfg(test)]
pub const CASES: crate::rendered::Cases = &[("console/importacao_colunas.html", |with| {
    let column = || Column {
        number: 0,
        name: with.text(),
        examples: with.many(|| with.text()),
        field: "cpfCnpj".to_owned(),
        problem: with.maybe(|| with.text()),
    };
    crate::rendered::text(&Columns {
        frame: with.frame(),
        code: 7,
        file: with.text(),
        what: "Associados",
        lines: "5 linhas".to_owned(),
        columns: with.many(column),
        targets: vec![Target { name: "cpfCnpj", label: "CPF ou CNPJ", is_required: true }],
        missing: with.many(|| "Nome"),
        left_out: with.text(),
        branches: with.choices(),
        problems: with.many(|| with.text()),
    })
})];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_cell_is_cut() {
        assert_eq!(short("Ávila"), "Ávila");
        assert_eq!(short(&"é".repeat(50)).chars().count(), 41);
    }
}
