//! The page of one file: pictures are shown large, other files by their metadata. Content is served so that browsers
//! never render it as a page.

use super::{build_owner_path, describe_file_kind, format_binary_size};
use crate::http::form::SubmittedForm;
use crate::http::parameters::PathNumber;
use crate::http::redirect::{derive_root_path, redirect_to};
use crate::http::refusal::Refusal;
use crate::session::notice::{add_undo_notice, redirect_with_notice, redirect_with_problem};
use crate::session::signed_in_user::SignedInUser;
use crate::session::undo_form::UndoForm;
use crate::widgets::facts::drop_empty_facts;
use crate::widgets::formats::format_moment;
use crate::widgets::frame::PageFrame;
use crate::widgets::page::{HandlerResult, show_page};
use app::attachments::{self, ByteStream, ContentPart, FileOwnerRecord};
use app::idempotency::{IdempotentWrite, WriteOutcome};
use app::{App, Error};
use askama::Template;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::IntoResponse;
use domain::{FileCode, FileOwner};
use wire::{attachment, refusal};

#[derive(Template)]
#[template(path = "console/arquivo.html")]
struct ViewFilePage {
    frame: PageFrame,
    code: i32,
    name: String,
    is_picture: bool,
    measures: Option<(i32, i32)>,
    facts: Vec<(&'static str, String)>,
    /// Label and link of the record that owns the file.
    record: String,
    link: String,
    is_changeable: bool,
    is_removed: bool,
}

/// `GET /console/arquivos/{codigo}`
pub async fn show_file_page(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
) -> HandlerResult {
    let code = FileCode::new(code);
    let view = attachments::read_file(&app, user.session(), code).await?;
    let (file, zone) = (&view.file, &view.registers.zone);
    let owner = FileOwnerRecord { of: file.owner, record: file.record };
    let (current, word) = match file.owner {
        FileOwner::Claim => ("eventos", "ao evento"),
        FileOwner::Inspection => ("vistorias", "à vistoria"),
        FileOwner::Ticket => ("help-desk", "ao chamado"),
        FileOwner::Member => ("associados", "ao associado"),
    };
    let measures = file.measures.map(|(width, height)| format!("{width} × {height} pixels"));
    let facts = drop_empty_facts(vec![
        ("Tipo", describe_file_kind(file.kind).to_owned()),
        ("Tamanho", format_binary_size(file.size)),
        ("Dimensões", measures.unwrap_or_default()),
        ("Anexado em", format_moment(file.created_at, zone)),
        ("Por", file.author.clone().unwrap_or_default()),
        ("Removido em", file.removed.map(|(at, _)| format_moment(at, zone)).unwrap_or_default()),
    ]);
    let frame = PageFrame::load(&app, &user, current).await?;
    show_page(&ViewFilePage {
        code: code.get(),
        name: file.name.clone(),
        is_picture: file.kind.is_picture(),
        measures: file.measures,
        facts,
        record: format!("{word} {}", file.record),
        link: format!("{}{}", frame.root, build_owner_path(owner)),
        is_changeable: view.is_changeable,
        is_removed: file.removed.is_some(),
        frame,
    })
}

/// `GET /console/arquivos/{codigo}/conteudo`
pub async fn serve_file_content(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
) -> HandlerResult {
    stream_file(&app, &user, FileCode::new(code), ContentPart::Data).await
}

/// `GET /console/arquivos/{codigo}/miniatura`
pub async fn serve_file_preview(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
) -> HandlerResult {
    stream_file(&app, &user, FileCode::new(code), ContentPart::Preview).await
}

async fn stream_file(app: &App, user: &SignedInUser, code: FileCode, part: ContentPart) -> HandlerResult {
    let (file, stream) = attachments::open_file_content(app, user.session(), code, part).await?;
    let ByteStream { size, bytes } = stream.ok_or(Refusal::NotThere)?;
    let (kind, name) = match part {
        ContentPart::Data => (file.kind.media_type(), file.name),
        ContentPart::Preview => ("image/jpeg", format!("miniatura-{code}.jpg")),
    };
    let mut response = Body::from_stream(bytes).into_response();
    let headers = response.headers_mut();
    for (name, value) in attachment::HEADERS {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(header::CONTENT_LENGTH, size.into());
    if let Ok(text) = HeaderValue::try_from(attachment::build_content_disposition(&name)) {
        headers.insert(header::CONTENT_DISPOSITION, text);
    }
    Ok(response)
}

/// `POST /console/arquivos/{codigo}/remover`
pub async fn remove_file(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
    _: SubmittedForm,
) -> HandlerResult {
    let code = FileCode::new(code);
    let removed =
        attachments::remove_file(&app, user.session(), code, None, IdempotentWrite::without_key()).await;
    match removed.and_then(WriteOutcome::into_fresh) {
        Ok(view) => {
            let mut response = redirect_to(&build_return_path(&app, &view));
            let undo = UndoForm::new(format!("/console/arquivos/{code}/restaurar"), &[]);
            add_undo_notice(&mut response, &format!("{} foi removido.", view.file.name), &undo);
            Ok(response)
        }
        Err(error) => respond_unchanged(&app, code, error),
    }
}

/// `POST /console/arquivos/{codigo}/restaurar`
pub async fn restore_file(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
    _: SubmittedForm,
) -> HandlerResult {
    let code = FileCode::new(code);
    let restored =
        attachments::restore_file(&app, user.session(), code, None, IdempotentWrite::without_key()).await;
    match restored.and_then(WriteOutcome::into_fresh) {
        Ok(view) => {
            let text = format!("{} voltou.", view.file.name);
            Ok(redirect_with_notice(&build_return_path(&app, &view), &text))
        }
        Err(error) => respond_unchanged(&app, code, error),
    }
}

fn build_return_path(app: &App, view: &attachments::AttachedFileView) -> String {
    let owner = FileOwnerRecord { of: view.file.owner, record: view.file.record };
    format!("{}{}#arquivos", derive_root_path(app), build_owner_path(owner))
}

/// Redirects to the file's page with a notice that says why nothing changed.
fn respond_unchanged(app: &App, code: FileCode, error: Error) -> HandlerResult {
    let Error::Refused(problems) = error else { return Err(error.into()) };
    let why: Vec<String> = problems.iter().map(refusal::render_sentence).collect();
    let page = format!("{}/console/arquivos/{code}", derive_root_path(app));
    Ok(redirect_with_problem(&page, &format!("Nada mudou: {}", why.join(" "))))
}

#[cfg(test)]
pub const CASES: crate::template_tests::TemplateCases = &[("console/arquivo.html", |with| {
    crate::template_tests::render_template(&ViewFilePage {
        frame: with.frame(),
        code: 7,
        name: with.text(),
        is_picture: with.is_filled(),
        measures: with.option_of(|| (4000, 3000)),
        facts: with.facts(),
        record: with.text(),
        link: with.text(),
        is_changeable: true,
        is_removed: with.is_filled(),
    })
})];
