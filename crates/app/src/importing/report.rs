//! What an import has to say: what is wrong with its lines, the lines that failed as a file, and what undoing had to leave.

use super::{By, Import, Kept, Problem, one};
use crate::{App, Error as AppError};
use domain::ImportCode;
use std::borrow::Cow;
use storage::{Lane, audit, imports};

/// Lines of an error file that are read at once.
pub const ERRORS_AT_ONCE: i64 = 256;
/// What the column is called that says why.
const WHY: &str = "Motivo da recusa";

/// A page of what is wrong, behind a line.
pub async fn problems(
    app: &App,
    by: &By,
    code: ImportCode,
    (after, limit): (i32, i64),
) -> Result<Vec<Problem>, AppError> {
    one(app, by, code).await?;
    Ok(imports::problems(&app.db, by.tenant(), code, (after, limit)).await?)
}

/// A page of what undoing left, behind a line.
pub async fn kept(
    app: &App,
    by: &By,
    code: ImportCode,
    (after, limit): (i32, i64),
) -> Result<Vec<Kept>, AppError> {
    one(app, by, code).await?;
    Ok(imports::kept(&app.db, by.tenant(), code, (after, limit)).await?)
}

/// Notes that somebody takes the lines that failed: they hold what is personal.
pub async fn note_download(app: &App, by: &By, import: &Import) -> Result<(), AppError> {
    let entry = audit::Entry {
        tenant: by.tenant(),
        at: app.now(),
        user: by.user,
        operation: "GET /gestao/importacao/{codImportacao}/arquivoErros",
        person: None,
        detail: Some(format!("importação {}: arquivo de erros baixado", import.code)),
    };
    let lane = Lane::of(by.tenant());
    let noted =
        app.db.write(lane, entry, |tx, entry| Box::pin(async move { Ok(audit::append(tx, entry).await?) }));
    noted.await
}

/// A piece of an error file, and the line behind which the next begins.
#[derive(Clone, Debug)]
pub struct Error {
    pub text: String,
    pub next: Option<i32>,
}

/// A piece of the file of lines that failed: the columns that they came with, and one that says why, so that it can be mended
/// and sent again. It opens right in a Brazilian sheet, and nothing in it is taken for a formula. The first piece is asked
/// for behind line 0.
pub async fn error_file(app: &App, by: &By, import: &Import, after: i32) -> Result<Error, AppError> {
    let (tenant, code) = (by.tenant(), import.code);
    let mut text = String::new();
    if after == 0 {
        // By its mark a sheet knows UTF-8.
        text.push('\u{FEFF}');
        let headers = import.headers.iter().filter(|header| *header != WHY).map(String::as_str);
        row(&mut text, headers.chain([WHY]));
    }
    let lines = imports::problem_lines(&app.db, tenant, code, (after, ERRORS_AT_ONCE)).await?;
    let Some(last) = lines.last().copied() else { return Ok(Error { text, next: None }) };
    let cells = imports::cells_at(&app.db, tenant, code, &lines).await?;
    let why = imports::problems_at(&app.db, tenant, code, &lines).await?;
    let is_why: Vec<bool> = import.headers.iter().map(|header| header == WHY).collect();
    for (line, cells) in cells {
        let cells: Vec<String> = serde_json::from_str(&cells).unwrap_or_default();
        let own = why.iter().filter(|problem| problem.line == line).map(|problem| match &problem.header {
            Some(header) => format!("{header}: {}", problem.text),
            None => problem.text.clone(),
        });
        let own = own.collect::<Vec<_>>().join(" ");
        let came = cells.iter().zip(&is_why).filter(|(_, is_why)| !**is_why).map(|(cell, _)| cell.as_str());
        row(&mut text, came.chain([own.as_str()]));
    }
    let next = (lines.len() as i64 == ERRORS_AT_ONCE).then_some(last);
    Ok(Error { text, next })
}

/// One line, as sheets in Brazil part it.
fn row<'c>(text: &mut String, cells: impl Iterator<Item = &'c str>) {
    let mut writer = csv::WriterBuilder::new()
        .delimiter(b';')
        .terminator(csv::Terminator::CRLF)
        .flexible(true)
        .from_writer(Vec::new());
    // Memory takes whatever is written.
    let _ = writer.write_record(cells.map(|cell| harmless(cell).into_owned()));
    text.push_str(&String::from_utf8_lossy(&writer.into_inner().unwrap_or_default()));
}

/// A sheet works out what begins like a formula; a number with a sign is none. Whoever reads the file again takes the sign
/// before it away.
fn harmless(cell: &str) -> Cow<'_, str> {
    let is_sign = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | ' ' | '-' | '(' | ')');
    let is_number = || cell.chars().skip(1).all(is_sign);
    match cell.chars().next() {
        Some('=' | '@') => format!("'{cell}").into(),
        Some('+' | '-') if !is_number() => format!("'{cell}").into(),
        _ => cell.into(),
    }
}
