//! `/console/associados/novo`: creates a member.

use super::fields::SPECS;
use super::form::{EditMemberState, render_member_form};
use super::record::build_member_record;
use crate::http::form::SubmittedForm;
use crate::http::redirect::derive_root_path;
use crate::session::notice::redirect_with_notice;
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::form_input::FormValues;
use crate::widgets::form_problems::FormProblems;
use crate::widgets::page::HandlerResult;
use crate::widgets::record_form::read_form_values;
use app::idempotency::{IdempotentWrite, WriteOutcome};
use app::members;
use app::members::search;
use app::{App, Error};
use axum::extract::State;
use domain::{AuditedOperation, PersonCode};
use wire::read;
use wire::records::PessoaInput;

const OPERATION: AuditedOperation = AuditedOperation::OpenMemberForm;

/// `GET /console/associados/novo`
pub async fn show_new_member_form(State(app): State<App>, user: SignedInUser) -> HandlerResult {
    let state = EditMemberState {
        code: None,
        name: String::new(),
        version: None,
        values: FormValues::new(),
        problems: FormProblems::default(),
    };
    render_member_form(&app, &user, state).await
}

/// `POST /console/associados/novo`
pub async fn create_member(State(app): State<App>, user: SignedInUser, form: SubmittedForm) -> HandlerResult {
    let values = read_form_values(SPECS, &form);
    match try_create_member(&app, &user, &values).await? {
        Ok(code) => Ok(redirect_with_notice(
            &format!("{}/console/associados/{code}", derive_root_path(&app)),
            "Associado salvo. O próximo passo é o primeiro benefício dele.",
        )),
        Err(problems) => {
            let name = String::new();
            let state = EditMemberState { code: None, name, version: None, values, problems };
            render_member_form(&app, &user, state).await
        }
    }
}

async fn try_create_member(
    app: &App,
    user: &SignedInUser,
    values: &FormValues,
) -> Result<Result<PersonCode, FormProblems>, Error> {
    let input = match read::read_record::<PessoaInput>(&build_member_record(values, None)) {
        Ok(input) => input,
        Err(unread) => return Ok(Err(FormProblems::new(unread.problems.into_problems(), SPECS))),
    };
    if let Some(name) = find_existing_member(app, user, &input.document.to_string()).await? {
        let mut problems = FormProblems::default();
        problems.replace_problem("cpfCnpj", format!("Já é o documento de {name}; procure por ele na busca."));
        return Ok(Err(problems));
    }
    match members::save_person(app, user.session(), input, IdempotentWrite::without_key())
        .await
        .and_then(WriteOutcome::into_fresh)
    {
        Ok(saved) => Ok(Ok(saved.code)),
        Err(Error::Refused(problems)) => Ok(Err(FormProblems::from_rejections(&problems, SPECS))),
        Err(error) => Err(error),
    }
}

/// Creating a member must not change an existing one with the same document: the form shows the name instead.
async fn find_existing_member(
    app: &App,
    user: &SignedInUser,
    document: &str,
) -> Result<Option<String>, Error> {
    let Ok(query) = read::read_query(std::iter::once(("cpf".to_owned(), document.to_owned()))) else {
        return Ok(None);
    };
    let found = search::list_members(app, user.session(), query, OPERATION).await?;
    Ok(found.rows.first().map(|row| row.person.name.clone()))
}
