//! `/console/associados/{codigo}/alterar`: changes a member.

use super::fields::{SPECS, fill_member_values};
use super::form::{EditMemberState, render_member_form};
use super::record::build_member_record;
use crate::http::form::SubmittedForm;
use crate::http::parameters::PathNumber;
use crate::http::redirect::derive_root_path;
use crate::session::notice::redirect_with_notice;
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::form_input::FormValues;
use crate::widgets::form_problems::FormProblems;
use crate::widgets::page::HandlerResult;
use crate::widgets::record_form::read_form_values;
use app::idempotency::IdempotentWrite;
use app::members;
use app::{App, Error};
use axum::extract::State;
use domain::PersonCode;
use wire::read;
use wire::records::AssociadoInput;

/// `GET /console/associados/{codigo}/alterar`
pub async fn show_edit_member_form(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
) -> HandlerResult {
    let view = members::read_member(&app, user.session(), PersonCode::new(code)).await?;
    let state = EditMemberState {
        code: Some(code),
        name: view.profile.name.clone(),
        version: Some(view.profile.version),
        values: fill_member_values(&view),
        problems: FormProblems::default(),
    };
    render_member_form(&app, &user, state).await
}

/// `POST /console/associados/{codigo}/alterar`
pub async fn change_member(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
    form: SubmittedForm,
) -> HandlerResult {
    let values = read_form_values(SPECS, &form);
    let version = form.text("versao");
    match try_change_member(&app, &user, PersonCode::new(code), (&values, version)).await? {
        Ok(()) => Ok(redirect_with_notice(
            &format!("{}/console/associados/{code}", derive_root_path(&app)),
            "As alterações foram salvas.",
        )),
        Err(problems) => {
            let name = form.text("nomePessoa").to_owned();
            let version = version.parse().ok();
            let state = EditMemberState { code: Some(code), name, version, values, problems };
            render_member_form(&app, &user, state).await
        }
    }
}

async fn try_change_member(
    app: &App,
    user: &SignedInUser,
    code: PersonCode,
    (values, version): (&FormValues, &str),
) -> Result<Result<(), FormProblems>, Error> {
    let view = members::read_member(app, user.session(), code).await?;
    let input =
        match read::read_record::<AssociadoInput>(&build_member_record(values, Some((&view, version)))) {
            Ok(input) => input,
            Err(unread) => return Ok(Err(FormProblems::new(unread.problems.into_problems(), SPECS))),
        };
    match members::change_member(app, user.session(), code, input, IdempotentWrite::without_key()).await {
        Ok(_) => Ok(Ok(())),
        Err(Error::Refused(problems)) => Ok(Err(FormProblems::from_rejections(&problems, SPECS))),
        Err(error) => Err(error),
    }
}
