//! Forms that create and change a member.

use super::fields::{SECTIONS, SPECS, fill_member_values, list_member_choices};
use crate::session::parameters::PathNumber;
use crate::session::redirect::derive_root_path;
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::form::SubmittedForm;
use crate::widgets::form_page::{RecordForm, render_record_form, split_into_sections};
use crate::widgets::notice::redirect_with_notice;
use crate::widgets::page::HandlerResult;
use crate::widgets::record_form::{FormProblems, FormValues, build_inputs, build_record, read_form_values};
use app::idempotency::{IdempotentWrite, WriteOutcome};
use app::members::search;
use app::members::{self, MemberView};
use app::{App, Error};
use axum::extract::State;
use domain::{AuditedOperation, PersonCode};
use serde_json::{Value, json};
use wire::read;
use wire::records::{AssociadoInput, PessoaInput};

const OPERATION: AuditedOperation = AuditedOperation::OpenMemberForm;

/// Form contents, and the member they belong to.
struct EditMemberState {
    code: Option<i32>,
    name: String,
    version: Option<i64>,
    values: FormValues,
    problems: FormProblems,
}

async fn render_member_form(app: &App, user: &SignedInUser, state: EditMemberState) -> HandlerResult {
    let registers = app::register_snapshot::load_registers(app, user.session().scope.tenant()).await?;
    let all = build_inputs(SPECS, &state.values, &state.problems, |name| {
        list_member_choices(&registers, user, name)
    });
    let list = format!("{}/console/associados", derive_root_path(app));
    let (title, back) = match state.code {
        Some(code) => (format!("Alterar {}", state.name), format!("{list}/{code}")),
        None => ("Novo associado".to_owned(), list),
    };
    let form = RecordForm {
        current: "associados",
        title,
        note: String::new(),
        back,
        version: state.version,
        sections: split_into_sections(all, SECTIONS),
        problems: state.problems,
        button: "Salvar",
    };
    render_record_form(app, user, form).await
}

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

/// The typed numbers; empty ones are dropped.
fn take_phone_list(values: &mut FormValues, further: &[String]) -> Value {
    let numbers =
        ["telefones.0.numero", "telefones.1.numero"].map(|name| values.remove(name).unwrap_or_default());
    let all_numbers = numbers.into_iter().filter(|number| !number.is_empty()).chain(further.iter().cloned());
    all_numbers.map(|number| json!({"numero": number})).collect()
}

/// Builds the record: an empty field clears the value, and is omitted for a new member.
fn build_member_record(values: &FormValues, existing: Option<(&MemberView, &str)>) -> Value {
    let mut values = values.clone();
    let mut further = vec![(
        "telefones",
        take_phone_list(
            &mut values,
            &existing.map(|(view, _)| list_further_phones(view)).unwrap_or_default(),
        ),
    )];
    match existing {
        None => values.retain(|_, text| !text.is_empty()),
        Some((_, version)) => further.push(("versao", version.into())),
    }
    build_record(&values, &further)
}

/// Phones beyond the first of each kind, which the form does not show and must not lose.
fn list_further_phones(view: &MemberView) -> Vec<String> {
    let mut seen_kinds = std::collections::BTreeSet::new();
    let further = view.phones.iter().filter(|phone| !seen_kinds.insert(phone.kind));
    further.map(|phone| phone.number.to_string()).collect()
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
    let person = PersonCode::new(code);
    let view = members::read_member(&app, user.session(), person).await?;
    let problems =
        match read::read_record::<AssociadoInput>(&build_member_record(&values, Some((&view, version)))) {
            Err(unread) => FormProblems::new(unread.problems.into_problems(), SPECS),
            Ok(input) => {
                match members::change_member(
                    &app,
                    user.session(),
                    person,
                    input,
                    IdempotentWrite::without_key(),
                )
                .await
                {
                    Ok(_) => {
                        return Ok(redirect_with_notice(
                            &format!("{}/console/associados/{code}", derive_root_path(&app)),
                            "As alterações foram salvas.",
                        ));
                    }
                    Err(Error::Refused(problems)) => FormProblems::from_rejections(&problems, SPECS),
                    Err(error) => return Err(error.into()),
                }
            }
        };
    let name = form.text("nomePessoa").to_owned();
    let state = EditMemberState { code: Some(code), name, version: version.parse().ok(), values, problems };
    render_member_form(&app, &user, state).await
}
