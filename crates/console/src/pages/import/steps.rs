//! Actions on an import: start, pause, resume, undo. A refused action shows its reason on the import's page.

use super::show::{build_import_path, render_import_with_alerts};
use super::{build_actor, describe_rejections};
use crate::http::form::SubmittedForm;
use crate::http::parameters::PathNumber;
use crate::http::redirect::{derive_root_path, redirect_to};
use crate::session::notice::add_notice;
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::page::HandlerResult;
use app::idempotency::{IdempotentWrite, WriteOutcome};
use app::{App, Error};
use axum::extract::State;
use domain::ImportCode;
use exchange::import::{self, StoredImportRun};

/// `POST /console/importar/{codigo}/iniciar`
pub async fn start_import(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
    form: SubmittedForm,
) -> HandlerResult {
    let triggers = form.text("gatilhos") == "sim";
    let done = import::start_import(
        &app,
        &build_actor(&user),
        ImportCode::new(code),
        triggers,
        IdempotentWrite::without_key(),
    )
    .await;
    Box::pin(respond_to_step(&app, &user, code, done, "")).await
}

/// `POST /console/importar/{codigo}/pausar`
pub async fn pause_import(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
    _: SubmittedForm,
) -> HandlerResult {
    let done = import::pause_import(
        &app,
        &build_actor(&user),
        ImportCode::new(code),
        IdempotentWrite::without_key(),
    )
    .await;
    Box::pin(respond_to_step(
        &app,
        &user,
        code,
        done,
        "A importação está em pausa. O que já entrou continua no lugar.",
    ))
    .await
}

/// `POST /console/importar/{codigo}/retomar`
pub async fn resume_import(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
    _: SubmittedForm,
) -> HandlerResult {
    let done = import::resume_import(
        &app,
        &build_actor(&user),
        ImportCode::new(code),
        IdempotentWrite::without_key(),
    )
    .await;
    Box::pin(respond_to_step(&app, &user, code, done, "A importação continua de onde parou.")).await
}

/// `POST /console/importar/{codigo}/desfazer`
pub async fn undo_import(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
    _: SubmittedForm,
) -> HandlerResult {
    let done =
        import::undo_import(&app, &build_actor(&user), ImportCode::new(code), IdempotentWrite::without_key())
            .await;
    Box::pin(respond_to_step(&app, &user, code, done, "")).await
}

async fn respond_to_step(
    app: &App,
    user: &SignedInUser,
    code: i32,
    done: Result<WriteOutcome<StoredImportRun>, Error>,
    notice: &str,
) -> HandlerResult {
    match done.and_then(WriteOutcome::into_fresh) {
        Ok(_) => {
            let mut response = redirect_to(&build_import_path(&derive_root_path(app), code));
            if !notice.is_empty() {
                add_notice(&mut response, notice);
            }
            Ok(response)
        }
        Err(Error::Refused(problems)) => {
            render_import_with_alerts(app, user, code, describe_rejections(&problems)).await
        }
        Err(error) => Err(error.into()),
    }
}
