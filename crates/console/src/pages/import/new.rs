//! Step 1: the choice of the import kind and the upload.

use super::{PLACE, build_actor, describe_import_kind, describe_rejections};
use crate::http::parameters::QueryParams;
use crate::http::redirect::{derive_root_path, redirect_to};
use crate::http::refusal::Refusal;
use crate::http::upload::{MultipartField, MultipartUpload};
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::formats::format_count;
use crate::widgets::frame::PageFrame;
use crate::widgets::page::{HandlerResult, render_page, show_page};
use app::idempotency::{IdempotentWrite, WriteOutcome};
use app::{App, Error};
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use domain::ImportKind;
use exchange::import::{self, MOST_LINES, UploadSpool};
use std::time::Duration;
use wire::import_sheet::{name_import_kind, parse_import_kind};

/// Time limit of an upload.
const UPLOAD_TIMEOUT: Duration = Duration::from_mins(30);
/// Longest accepted text field, in bytes.
const LONGEST_FILE_NAME: usize = 200;

struct ImportKindCard {
    name: &'static str,
    title: &'static str,
    about: &'static str,
    is_chosen: bool,
}

#[derive(Template)]
#[template(path = "console/importacao_nova.html")]
struct StartImportPage {
    frame: PageFrame,
    cards: Vec<ImportKindCard>,
    most_mib: u64,
    most_lines: String,
    kind_problem: Option<String>,
    file_problem: Option<String>,
}

#[derive(Default)]
struct StartImportProblems {
    kind: Option<String>,
    file: Option<String>,
}

/// `GET /console/importar/novo`
pub async fn show_start_form(
    State(app): State<App>,
    user: SignedInUser,
    query: QueryParams,
) -> HandlerResult {
    let chosen = parse_import_kind(query.text("tipo"));
    show_page(&build_start_page(&app, &user, chosen, StartImportProblems::default()).await?)
}

/// Import kinds that the user may start.
fn list_allowed_kinds(user: &SignedInUser) -> impl Iterator<Item = ImportKind> {
    let importer = build_actor(user);
    ImportKind::ALL.iter().copied().filter(move |kind| importer.authorize_import(*kind).is_ok())
}

async fn build_start_page(
    app: &App,
    user: &SignedInUser,
    chosen: Option<ImportKind>,
    form_problems: StartImportProblems,
) -> Result<StartImportPage, Error> {
    let card = |kind| {
        let words = describe_import_kind(kind);
        ImportKindCard {
            name: name_import_kind(kind),
            title: words.title,
            about: words.about,
            is_chosen: chosen == Some(kind),
        }
    };
    Ok(StartImportPage {
        frame: PageFrame::load(app, user, PLACE).await?,
        cards: list_allowed_kinds(user).map(card).collect(),
        most_mib: app.import_mib,
        most_lines: format_count(i64::from(MOST_LINES)),
        kind_problem: form_problems.kind,
        file_problem: form_problems.file,
    })
}

/// Renders the form again, with the choices and their problems.
async fn render_refused_start(
    app: &App,
    user: &SignedInUser,
    kind: Option<ImportKind>,
    form_problems: StartImportProblems,
) -> HandlerResult {
    render_page(StatusCode::BAD_REQUEST, &build_start_page(app, user, kind, form_problems).await?)
}

/// Contents of the submitted form.
#[derive(Default)]
struct ImportUpload {
    kind: Option<ImportKind>,
    file: Option<(String, Result<UploadSpool, Error>)>,
}

/// `POST /console/importar/novo`
pub async fn receive_import(
    State(app): State<App>,
    user: SignedInUser,
    upload: MultipartUpload,
) -> HandlerResult {
    let reading = read_import_upload(upload, app.import_mib * 1024 * 1024);
    let input = tokio::time::timeout(UPLOAD_TIMEOUT, reading).await.map_err(|_| Refusal::Unreadable)??;
    let no_kind = || Some("Escolha o que a planilha traz.".to_owned());
    let (kind, name, spool) = match (input.kind, input.file) {
        (Some(kind), Some((name, Ok(spool)))) => (kind, name, spool),
        (kind, Some((_, Err(Error::Refused(problems))))) => {
            let form_problems = StartImportProblems {
                kind: if kind.is_none() { no_kind() } else { None },
                file: Some(describe_rejections(&problems).join(" ")),
            };
            return render_refused_start(&app, &user, kind, form_problems).await;
        }
        (_, Some((_, Err(error)))) => return Err(error.into()),
        (kind, file) => {
            let no_file = match &file {
                None => "Escolha o arquivo da planilha.",
                Some(_) => "O arquivo chegou bem, mas o navegador pede que você o escolha de novo.",
            };
            let form_problems = StartImportProblems {
                kind: if kind.is_none() { no_kind() } else { None },
                file: Some(no_file.to_owned()),
            };
            return render_refused_start(&app, &user, kind, form_problems).await;
        }
    };
    let received =
        import::receive_upload(&app, &build_actor(&user), kind, &name, spool, IdempotentWrite::without_key())
            .await;
    match received.and_then(WriteOutcome::into_fresh) {
        Ok(import) => {
            Ok(redirect_to(&format!("{}/console/importar/{}/colunas", derive_root_path(&app), import.code)))
        }
        Err(Error::Refused(problems)) => {
            let form_problems =
                StartImportProblems { kind: None, file: Some(describe_rejections(&problems).join(" ")) };
            render_refused_start(&app, &user, Some(kind), form_problems).await
        }
        Err(error) => Err(error.into()),
    }
}

async fn read_import_upload(mut upload: MultipartUpload, most: u64) -> Result<ImportUpload, Refusal> {
    let mut input = ImportUpload::default();
    while let Some(part) = upload.next().await? {
        match (part.name(), part.file_name()) {
            (Some("tipo"), _) => input.kind = parse_import_kind(&read_short_text(part).await?),
            (Some("arquivo"), Some(name)) if input.file.is_none() => {
                input.file = Some((name, spool_file(part, most).await?));
            }
            _ => {}
        }
    }
    Ok(input)
}

async fn read_short_text(mut part: MultipartField) -> Result<String, Refusal> {
    let mut text = Vec::new();
    while let Some(bytes) = part.chunk().await? {
        text.extend_from_slice(&bytes);
        if text.len() > LONGEST_FILE_NAME {
            return Err(Refusal::TooLarge);
        }
    }
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// Reads the file to its end, even if it is over the limit and discarded.
async fn spool_file(mut part: MultipartField, most: u64) -> Result<Result<UploadSpool, Error>, Refusal> {
    let mut spool = match import::create_upload_spool(most) {
        Ok(spool) => spool,
        Err(error) => return Ok(Err(error)),
    };
    let mut thrown_away = 0;
    let mut refused = None;
    while let Some(bytes) = part.chunk().await? {
        match refused {
            None => refused = spool.write(&bytes).err(),
            // A browser shows no answer before it has sent everything, so the rest is read, up to a limit.
            Some(_) => thrown_away += bytes.len() as u64,
        }
        if thrown_away > most {
            return Err(Refusal::TooLarge);
        }
    }
    Ok(refused.map_or(Ok(spool), Err))
}

#[cfg(test)]
pub const CASES: crate::template_tests::TemplateCases = &[("console/importacao_nova.html", |with| {
    let card =
        || ImportKindCard { name: "associados", title: "Associados", about: "Pessoas.", is_chosen: true };
    crate::template_tests::render_template(&StartImportPage {
        frame: with.frame(),
        cards: with.list_of(card),
        most_mib: 100,
        most_lines: "500.000".to_owned(),
        kind_problem: with.option_of(|| with.text()),
        file_problem: with.option_of(|| with.text()),
    })
})];
