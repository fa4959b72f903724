//! The second step: where each column of the file goes. What the names say is chosen already.

use super::{PLACE, by, counted, told, words};
use crate::form::Form;
use crate::frame::Frame;
use crate::page::{Refusal, page, refused, show};
use crate::visitor::{Guest, Number, redirect, root};
use app::importing::{self, Import};
use app::once::{Done, Once};
use app::{App, Error};
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use domain::{ImportCode, ImportState};

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
    problems: Vec<String>,
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
    let mapping = import.mapping.clone();
    show(&guest, made(&app, &guest, &import, &mapping, Vec::new()).await)
}

async fn made(
    app: &App,
    guest: &Guest,
    import: &Import,
    mapping: &[String],
    problems: Vec<String>,
) -> Result<Columns, Error> {
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
        problems,
    })
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
    let wanted = import.headers.iter().cloned().zip(chosen.iter().cloned()).collect();
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
