//! Upload of several attachments in one form: each file is streamed, and a rejected file does not affect the others.

use super::{UploadProblem, UploadReport, build_owner_path, find_owner_segment};
use crate::http::parameters::PathNumber;
use crate::http::redirect::derive_root_path;
use crate::http::refusal::Refusal;
use crate::http::upload::{MultipartField, MultipartUpload};
use crate::pages::cases::show::render_case_with_report;
use crate::pages::members::show::render_member_with_report;
use crate::session::notice::redirect_with_notice;
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::form_problems::describe_rejection;
use crate::widgets::page::HandlerResult;
use app::attachments::{self, FileOwnerRecord, UploadBuffer};
use app::idempotency::{IdempotentWrite, WriteOutcome};
use app::{App, Error};
use axum::extract::{FromRequest, Request, State};
use domain::{FileOwner, PersonCode, Rejection};
use std::time::Duration;

/// Most files per form.
const FILES_PER_UPLOAD: usize = 50;
/// A rejected file is still read up to this size, so that the browser shows the error.
const MOST_FOR_NOTHING: u64 = 1024 * 1024 * 1024;
/// Time allowed per MiB of the largest allowed file.
const MIB_TAKES: Duration = Duration::from_secs(30);

/// An upload that is not read yet, and the kind of record it belongs to.
pub struct AttachmentUpload {
    upload: MultipartUpload,
    of: FileOwner,
}

impl FromRequest<App> for AttachmentUpload {
    type Rejection = Refusal;

    async fn from_request(request: Request, app: &App) -> Result<AttachmentUpload, Refusal> {
        let area = request.uri().path().split('/').nth(2).unwrap_or_default();
        let owner_kind = FileOwner::ALL
            .into_iter()
            .find(|owner_kind| find_owner_segment(*owner_kind) == area)
            .ok_or(Refusal::NotThere)?;
        Ok(AttachmentUpload { upload: MultipartUpload::from_request(request, app).await?, of: owner_kind })
    }
}

/// Counts and problems of one upload.
#[derive(Default)]
struct AttachmentOutcome {
    attached: usize,
    /// Files that were already attached.
    known: usize,
    problems: Vec<UploadProblem>,
}

impl AttachmentOutcome {
    fn is_empty(&self) -> bool {
        self.attached == 0 && self.known == 0 && self.problems.is_empty()
    }
}

/// `POST /console/eventos/{codigo}/arquivos`
pub async fn attach_files(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(record): PathNumber,
    AttachmentUpload { upload, of }: AttachmentUpload,
) -> HandlerResult {
    let owner = FileOwnerRecord { of, record };
    // Checks the permission before reading the body.
    match attachments::authorize_attachment(&app, user.session(), owner).await {
        Ok(()) => {}
        Err(Error::Refused(problems)) => {
            let problems = vec![build_general_problem(join_rejections(&problems))];
            let outcome = AttachmentOutcome { problems, ..AttachmentOutcome::default() };
            return render_record_with_report(&app, &user, owner, outcome).await;
        }
        Err(error) => return Err(error.into()),
    }
    let upload_timeout =
        MIB_TAKES.saturating_mul(u32::try_from(app.files.limits.largest_mib).unwrap_or(u32::MAX));
    let mut outcome = AttachmentOutcome::default();
    let result =
        tokio::time::timeout(upload_timeout * 4, receive_files(&app, &user, owner, upload, &mut outcome))
            .await;
    match result.unwrap_or(Err(Refusal::Unreadable)) {
        Err(refusal) if outcome.is_empty() => Err(refusal),
        // An aborted upload also reports what was saved and what was not.
        Err(refusal) => {
            let text = format!("Os outros arquivos ficaram de fora. {}", refusal.sentence());
            outcome.problems.push(build_general_problem(text));
            render_record_with_report(&app, &user, owner, outcome).await
        }
        Ok(()) if outcome.problems.is_empty() => Ok(redirect_with_notice(
            &format!("{}{}#arquivos", derive_root_path(&app), build_owner_path(owner)),
            &describe_outcome(&outcome),
        )),
        Ok(()) => render_record_with_report(&app, &user, owner, outcome).await,
    }
}

/// A problem that concerns no single file.
fn build_general_problem(text: String) -> UploadProblem {
    UploadProblem { name: String::new(), text }
}

fn describe_outcome(outcome: &AttachmentOutcome) -> String {
    let known = match outcome.known {
        0 => String::new(),
        1 => " Um já estava aqui.".to_owned(),
        many => format!(" {many} já estavam aqui."),
    };
    match outcome.attached {
        0 => known.trim_start().to_owned(),
        1 => format!("O arquivo foi anexado.{known}"),
        many => format!("{many} arquivos foram anexados.{known}"),
    }
}

/// Renders the record's page again, with the problems next to the field.
async fn render_record_with_report(
    app: &App,
    user: &SignedInUser,
    owner: FileOwnerRecord,
    outcome: AttachmentOutcome,
) -> HandlerResult {
    let report = UploadReport { summary: describe_outcome(&outcome), problems: outcome.problems };
    match owner.of.case_kind() {
        Some(kind) => render_case_with_report(app, user, (kind, owner.record), report).await,
        None => render_member_with_report(app, user, PersonCode::new(owner.record), report).await,
    }
}

async fn receive_files(
    app: &App,
    user: &SignedInUser,
    owner: FileOwnerRecord,
    mut upload: MultipartUpload,
    outcome: &mut AttachmentOutcome,
) -> Result<(), Refusal> {
    let mut file_count = 0;
    while let Some(part) = upload.next().await? {
        let (Some("arquivo"), Some(name)) = (part.name(), part.file_name()) else { continue };
        file_count += 1;
        if file_count > FILES_PER_UPLOAD {
            discard_field(part).await?;
            continue;
        }
        let attached = match receive_file(app, part).await? {
            Ok(incoming) => {
                let done = attachments::attach_file(
                    app,
                    user.session(),
                    owner,
                    (&name, incoming),
                    IdempotentWrite::without_key(),
                )
                .await;
                done.and_then(WriteOutcome::into_fresh)
            }
            Err(error) => Err(error),
        };
        match attached {
            Ok(attachment) if attachment.is_new => outcome.attached += 1,
            Ok(_) => outcome.known += 1,
            Err(Error::Refused(problems)) => {
                outcome.problems.push(UploadProblem { name, text: join_rejections(&problems) });
            }
            Err(error) => return Err(error.into()),
        }
    }
    if file_count == 0 {
        outcome.problems.push(build_general_problem("Escolha ao menos um arquivo.".to_owned()));
    }
    match file_count.saturating_sub(FILES_PER_UPLOAD) {
        0 => {}
        1 => outcome.problems.push(build_general_problem(format!(
            "Só {FILES_PER_UPLOAD} de cada vez: o último ficou de fora."
        ))),
        many => outcome.problems.push(build_general_problem(format!(
            "Só {FILES_PER_UPLOAD} de cada vez: os últimos {many} ficaram de fora."
        ))),
    }
    Ok(())
}

/// Reads a rejected file to its end, because browsers show no answer before they have sent everything.
async fn discard_field(mut part: MultipartField) -> Result<(), Refusal> {
    let mut thrown_away = 0;
    while let Some(bytes) = part.chunk().await? {
        thrown_away += bytes.len() as u64;
        if thrown_away > MOST_FOR_NOTHING {
            return Err(Refusal::TooLarge);
        }
    }
    Ok(())
}

/// Reads one file to its end. A file over the limit is read on and discarded, so that the next files still arrive.
async fn receive_file(app: &App, mut part: MultipartField) -> Result<Result<UploadBuffer, Error>, Refusal> {
    let mut incoming = Ok(UploadBuffer::new(&app.files));
    let mut thrown_away = 0;
    while let Some(bytes) = part.chunk().await? {
        match &mut incoming {
            Ok(buffer) => {
                if let Err(error) = buffer.push(&bytes).await {
                    incoming = Err(error);
                }
            }
            Err(_) => thrown_away += bytes.len() as u64,
        }
        if thrown_away > MOST_FOR_NOTHING {
            return Err(Refusal::TooLarge);
        }
    }
    Ok(incoming)
}

fn join_rejections(problems: &[Rejection]) -> String {
    problems.iter().map(describe_rejection).collect::<Vec<_>>().join(" ")
}
