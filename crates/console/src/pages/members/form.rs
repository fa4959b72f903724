//! Forms that create and change a member.

use super::fields::{SECTIONS, SPECS, fill_member_values, list_member_choices};
use crate::session::visitor::{PathNumber, SignedInUser, derive_root_path, redirect_to};
use crate::widgets::form::SubmittedForm;
use crate::widgets::form_page::{RecordForm, render_record_form, split_into_sections};
use crate::widgets::notice::add_notice;
use crate::widgets::page::{Refusal, render_page_or_refusal};
use crate::widgets::record_form::{
    FormProblems, FormValues, build_inputs, build_record_json, read_form_values,
};
use app::idempotency::{IdempotentWrite, WriteOutcome};
use app::members::search;
use app::members::{self, MemberView};
use app::{App, Error};
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use domain::PersonCode;
use wire::read;
use wire::records::{AssociadoInput, PessoaInput};

const OPERATION: &str = "GET /console/associados/novo";

/// Form contents, and the member they belong to.
struct EditMemberState {
    code: Option<i32>,
    name: String,
    version: Option<i64>,
    values: FormValues,
    problems: FormProblems,
}

async fn render_member_form(app: &App, guest: &SignedInUser, written: EditMemberState) -> Response {
    let registers = match app::registers::snapshot::load_registers(app, guest.session().scope.tenant()).await
    {
        Ok(registers) => registers,
        Err(error) => return Refusal::from(&error).into_response(),
    };
    let all = build_inputs(SPECS, &written.values, &written.problems, |name| {
        list_member_choices(&registers, guest, name)
    });
    let list = format!("{}/console/associados", derive_root_path(app));
    let (title, back) = match written.code {
        Some(code) => (format!("Alterar {}", written.name), format!("{list}/{code}")),
        None => ("Novo associado".to_owned(), list),
    };
    let made = RecordForm {
        current: "associados",
        title,
        note: String::new(),
        back,
        version: written.version,
        sections: split_into_sections(all, SECTIONS),
        problems: written.problems,
        button: "Salvar",
    };
    render_record_form(app, guest, made).await
}

/// `GET /console/associados/novo`
pub async fn show_new_member_form(State(app): State<App>, guest: SignedInUser) -> Response {
    let written = EditMemberState {
        code: None,
        name: String::new(),
        version: None,
        values: FormValues::new(),
        problems: FormProblems::default(),
    };
    render_member_form(&app, &guest, written).await
}

/// The typed numbers; empty ones are dropped.
fn take_phones_json(values: &mut FormValues, further: &[String]) -> serde_json::Value {
    let numbers =
        ["telefones.0.numero", "telefones.1.numero"].map(|name| values.remove(name).unwrap_or_default());
    let given = numbers.into_iter().filter(|number| !number.is_empty()).chain(further.iter().cloned());
    given.map(|number| serde_json::json!({"numero": number})).collect()
}

/// Builds the record's JSON: an empty field clears the value, and is omitted for a new member.
fn build_member_json(values: &FormValues, had: Option<(&MemberView, &str)>) -> Vec<u8> {
    let mut values = values.clone();
    let mut further = vec![(
        "telefones",
        take_phones_json(&mut values, &had.map(|(view, _)| list_further_phones(view)).unwrap_or_default()),
    )];
    match had {
        None => values.retain(|_, text| !text.is_empty()),
        Some((_, version)) => further.push(("versao", version.into())),
    }
    build_record_json(&values, &further)
}

/// Phones beyond the first of each kind, which the form does not show and must not lose.
fn list_further_phones(view: &MemberView) -> Vec<String> {
    let mut seen = std::collections::BTreeSet::new();
    let further = view.phones.iter().filter(|phone| !seen.insert(phone.kind));
    further.map(|phone| phone.number.to_string()).collect()
}

/// Creating a member must not change an existing one with the same document: the form shows the name instead.
async fn find_existing_member(
    app: &App,
    guest: &SignedInUser,
    document: &str,
) -> Result<Option<String>, Error> {
    let Ok(asked) = read::read_query(std::iter::once(("cpf".to_owned(), document.to_owned()))) else {
        return Ok(None);
    };
    let found = search::list_members(app, guest.session(), asked, OPERATION).await?;
    Ok(found.rows.first().map(|row| row.person.name.clone()))
}

async fn try_create_member(
    app: &App,
    guest: &SignedInUser,
    values: &FormValues,
) -> Result<Result<PersonCode, FormProblems>, Error> {
    let input = match read::read_body::<PessoaInput>(&build_member_json(values, None)) {
        Ok(input) => input,
        Err(unread) => return Ok(Err(FormProblems::new(unread.problems.into_lines(), SPECS))),
    };
    if let Some(name) = find_existing_member(app, guest, &input.document.to_string()).await? {
        let mut problems = FormProblems::default();
        problems.replace_problem("cpfCnpj", format!("Já é o documento de {name}; procure por ele na busca."));
        return Ok(Err(problems));
    }
    match members::save_person(app, guest.session(), input, IdempotentWrite::without_key())
        .await
        .and_then(WriteOutcome::into_fresh)
    {
        Ok(saved) => Ok(Ok(saved.code)),
        Err(Error::Refused(problems)) => Ok(Err(FormProblems::from_rejections(&problems, SPECS))),
        Err(error) => Err(error),
    }
}

/// `POST /console/associados/novo`
pub async fn create_member(
    State(app): State<App>,
    guest: SignedInUser,
    sent: Result<SubmittedForm, Refusal>,
) -> Response {
    let sent = match sent {
        Ok(sent) => sent,
        Err(refusal) => return refusal.into_response(),
    };
    let values = read_form_values(SPECS, &sent);
    match try_create_member(&app, &guest, &values).await {
        Ok(Ok(code)) => {
            let mut response = redirect_to(&format!("{}/console/associados/{code}", derive_root_path(&app)));
            add_notice(&mut response, "Associado salvo. O próximo passo é o primeiro benefício dele.");
            response
        }
        Ok(Err(problems)) => {
            render_member_form(
                &app,
                &guest,
                EditMemberState { code: None, name: String::new(), version: None, values, problems },
            )
            .await
        }
        Err(error) => Refusal::from(&error).into_response(),
    }
}

/// `GET /console/associados/{codigo}/alterar`
pub async fn show_edit_member_form(
    State(app): State<App>,
    guest: SignedInUser,
    PathNumber(code): PathNumber,
) -> Response {
    let view = match members::read_member(&app, guest.session(), PersonCode::new(code)).await {
        Ok(view) => view,
        Err(error) => return render_page_or_refusal::<super::MemberProfilePage>(&guest, Err(error)),
    };
    let written = EditMemberState {
        code: Some(code),
        name: view.profile.name.clone(),
        version: Some(view.profile.version),
        values: fill_member_values(&view),
        problems: FormProblems::default(),
    };
    render_member_form(&app, &guest, written).await
}

/// `POST /console/associados/{codigo}/alterar`
pub async fn change_member(
    State(app): State<App>,
    guest: SignedInUser,
    PathNumber(code): PathNumber,
    sent: Result<SubmittedForm, Refusal>,
) -> Response {
    let sent = match sent {
        Ok(sent) => sent,
        Err(refusal) => return refusal.into_response(),
    };
    let values = read_form_values(SPECS, &sent);
    let version = sent.text("versao");
    let person = PersonCode::new(code);
    let view = match members::read_member(&app, guest.session(), person).await {
        Ok(view) => view,
        Err(error) => return render_page_or_refusal::<super::MemberProfilePage>(&guest, Err(error)),
    };
    let problems =
        match read::read_body::<AssociadoInput>(&build_member_json(&values, Some((&view, version)))) {
            Err(unread) => FormProblems::new(unread.problems.into_lines(), SPECS),
            Ok(input) => {
                match members::change_member(
                    &app,
                    guest.session(),
                    person,
                    input,
                    IdempotentWrite::without_key(),
                )
                .await
                {
                    Ok(_) => {
                        let mut response =
                            redirect_to(&format!("{}/console/associados/{code}", derive_root_path(&app)));
                        add_notice(&mut response, "As alterações foram salvas.");
                        return response;
                    }
                    Err(Error::Refused(problems)) => FormProblems::from_rejections(&problems, SPECS),
                    Err(error) => {
                        return render_page_or_refusal::<super::MemberProfilePage>(&guest, Err(error));
                    }
                }
            }
        };
    let name = sent.text("nomePessoa").to_owned();
    let written = EditMemberState { code: Some(code), name, version: version.parse().ok(), values, problems };
    render_member_form(&app, &guest, written).await
}
