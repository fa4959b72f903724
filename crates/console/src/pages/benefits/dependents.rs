//! The dependents of a benefit: created, changed, deactivated and reactivated. Each deactivation can be undone.

use crate::http::form::SubmittedForm;
use crate::http::parameters::{PathNumber, PathPartCodes};
use crate::http::redirect::{derive_root_path, redirect_to, sanitize_return_path};
use crate::http::refusal::Refusal;
use crate::session::notice::{add_undo_notice, redirect_with_notice, redirect_with_problem};
use crate::session::signed_in_user::SignedInUser;
use crate::session::undo_form::UndoForm;
use crate::widgets::form_input::{FormValues, InputSpec};
use crate::widgets::form_page::{RecordForm, render_record_form};
use crate::widgets::form_problems::FormProblems;
use crate::widgets::labels;
use crate::widgets::page::HandlerResult;
use crate::widgets::record_form::{build_inputs, build_record, read_form_values};
use app::benefits::{self, describe_stored_benefit};
use app::idempotency::{IdempotentWrite, WriteOutcome};
use app::members::dependents;
use app::{App, Error};
use axum::extract::State;
use domain::{BenefitCode, Date, Dependent, DependentCode, Kinship, Sex};
use serde_json::Value;
use wire::read;
use wire::records::DependenteInput;
use wire::set_names;

const SPECS: &[InputSpec] = &[
    InputSpec::text("nome", "Nome", 200),
    InputSpec::choice("parentesco", "O que é do titular"),
    InputSpec::masked_text("cpf", "CPF", "documento"),
    InputSpec::masked_text("dataNascimento", "Data de nascimento", "data"),
    InputSpec::choice("sexo", "Sexo"),
    InputSpec::text("identidade", "Identidade (RG)", 30),
    InputSpec::masked_text("telefone", "Telefone", "telefone"),
    InputSpec::text("email", "E-mail", 254),
    InputSpec::masked_text("numeroCartaoDesconto", "Número do cartão", "cartao")
        .with_hint("Em branco num dependente novo, o sistema cria um."),
];

fn list_dependent_choices(name: &str) -> Vec<(String, String)> {
    match name {
        "parentesco" => labels::list_named_choices(Kinship::ALL, set_names::kinship, labels::label_kinship),
        "sexo" => labels::list_named_choices(Sex::ALL, set_names::sex, set_names::sex),
        _ => Vec::new(),
    }
}

fn fill_dependent_values(dependent: &Dependent) -> FormValues {
    let text = |value: Option<String>| value.unwrap_or_default();
    FormValues::from([
        ("nome", dependent.name.clone()),
        ("parentesco", set_names::kinship(dependent.kinship).to_owned()),
        ("cpf", text(dependent.cpf.as_ref().map(ToString::to_string))),
        ("dataNascimento", text(dependent.born_on.map(Date::to_br))),
        ("sexo", dependent.sex.map(set_names::sex).unwrap_or_default().to_owned()),
        ("identidade", text(dependent.identity_number.clone())),
        ("telefone", text(dependent.phone.as_ref().map(ToString::to_string))),
        ("email", text(dependent.email.as_ref().map(ToString::to_string))),
        ("numeroCartaoDesconto", text(dependent.card.as_ref().map(ToString::to_string))),
    ])
}

/// A dependent of another benefit is not found.
async fn load_dependent(app: &App, user: &SignedInUser, benefit: i32, code: i32) -> Result<Dependent, Error> {
    let code = DependentCode::new(code);
    let all = dependents::list_benefit_dependents(app, user.session(), BenefitCode::new(benefit)).await?;
    let found = all.rows.into_iter().find(|(known, _)| *known == code);
    found.map(|(_, one)| one).ok_or(Error::NotFound { field: domain::InputField::Benefit, code: code.get() })
}

/// Form contents, and the benefit version they are based on.
struct EditDependentState {
    code: Option<i32>,
    values: FormValues,
    problems: FormProblems,
    version: Option<i64>,
}

async fn render_dependent_form(
    app: &App,
    user: &SignedInUser,
    benefit: i32,
    state: EditDependentState,
) -> HandlerResult {
    let view = benefits::read_full_benefit(app, user.session(), BenefitCode::new(benefit)).await?;
    let EditDependentState { code, values, problems, version } = state;
    let form = RecordForm {
        current: "beneficios",
        title: match code {
            Some(_) => format!("Alterar {}", values.get("nome").map_or("", String::as_str)),
            None => "Novo dependente".to_owned(),
        },
        note: format!("{}, de {}", describe_stored_benefit(&view.registers, &view.benefit), view.holder.name),
        back: format!("{}/console/beneficios/{benefit}", derive_root_path(app)),
        version: version.or(Some(view.benefit.version)),
        sections: vec![(
            "Dependente".to_owned(),
            build_inputs(SPECS, &values, &problems, list_dependent_choices),
        )],
        titles: None,
        problems,
        button: "Salvar",
    };
    render_record_form(app, user, form).await
}

/// `GET /console/beneficios/{codigo}/dependentes`
pub async fn show_new_dependent_form(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(benefit): PathNumber,
) -> HandlerResult {
    let state = EditDependentState {
        code: None,
        values: FormValues::new(),
        problems: FormProblems::default(),
        version: None,
    };
    render_dependent_form(&app, &user, benefit, state).await
}

/// `GET /console/beneficios/{codigo}/dependentes/{parte}`
pub async fn show_edit_dependent_form(
    State(app): State<App>,
    user: SignedInUser,
    PathPartCodes(benefit, code): PathPartCodes,
) -> HandlerResult {
    let values = fill_dependent_values(&load_dependent(&app, &user, benefit, code).await?);
    let problems = FormProblems::default();
    let state = EditDependentState { code: Some(code), values, problems, version: None };
    render_dependent_form(&app, &user, benefit, state).await
}

/// `POST /console/beneficios/{codigo}/dependentes`
pub async fn create_dependent(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(benefit): PathNumber,
    form: SubmittedForm,
) -> HandlerResult {
    save_dependent(&app, &user, (benefit, None), &form).await
}

/// `POST /console/beneficios/{codigo}/dependentes/{parte}`
pub async fn change_dependent(
    State(app): State<App>,
    user: SignedInUser,
    PathPartCodes(benefit, code): PathPartCodes,
    form: SubmittedForm,
) -> HandlerResult {
    save_dependent(&app, &user, (benefit, Some(code)), &form).await
}

/// Dependents are always saved as a full record.
fn build_dependent_record(
    values: &FormValues,
    benefit: i32,
    code: Option<i32>,
    active: Option<bool>,
) -> Value {
    let mut further: Vec<(&str, Value)> = vec![("codBeneficio", benefit.into())];
    further.extend(code.map(|code| ("codDependente", code.into())));
    further.extend(active.map(|active| ("ativo", active.into())));
    let mut values = values.clone();
    if code.is_none() {
        values.retain(|_, text| !text.is_empty());
    }
    build_record(&values, &further)
}

async fn save_dependent(
    app: &App,
    user: &SignedInUser,
    (benefit, code): (i32, Option<i32>),
    form: &SubmittedForm,
) -> HandlerResult {
    let values = read_form_values(SPECS, form);
    let version = form.text("versao").parse().ok();
    let problems =
        match read::read_record::<DependenteInput>(&build_dependent_record(&values, benefit, code, None)) {
            Err(unread) => FormProblems::new(unread.problems.into_problems(), SPECS),
            Ok(input) => {
                // A new dependent overwrites nothing, so the benefit's version does not matter.
                let expected_version = version.filter(|_| code.is_some());
                match dependents::save_dependent_if_unchanged(
                    app,
                    user.session(),
                    (input, expected_version),
                    IdempotentWrite::without_key(),
                )
                .await
                {
                    Ok(_) => {
                        return Ok(redirect_with_notice(
                            &format!("{}/console/beneficios/{benefit}", derive_root_path(app)),
                            "Dependente salvo.",
                        ));
                    }
                    Err(Error::Refused(problems)) => FormProblems::from_rejections(&problems, SPECS),
                    Err(error) => return Err(error.into()),
                }
            }
        };
    render_dependent_form(app, user, benefit, EditDependentState { code, values, problems, version }).await
}

/// `POST /console/beneficios/{codigo}/dependentes/{parte}/estado`: activates or deactivates a dependent.
pub async fn set_dependent_active(
    State(app): State<App>,
    user: SignedInUser,
    PathPartCodes(benefit, code): PathPartCodes,
    form: SubmittedForm,
) -> HandlerResult {
    let dependent = load_dependent(&app, &user, benefit, code).await?;
    let active = form.text("ativo").parse().map_err(|_| Refusal::Unreadable)?;
    let back = match form.text("para") {
        "" => format!("/console/beneficios/{benefit}"),
        path => sanitize_return_path(path).to_owned(),
    };
    let back = format!("{}{back}", derive_root_path(&app));
    let Ok(input) = read::read_record::<DependenteInput>(&build_dependent_record(
        &fill_dependent_values(&dependent),
        benefit,
        Some(code),
        Some(active),
    )) else {
        let text = "Nada mudou: abra o dependente e confira os dados dele.";
        return Ok(redirect_with_problem(&back, text));
    };
    match dependents::save_dependent(&app, user.session(), input, IdempotentWrite::without_key())
        .await
        .and_then(WriteOutcome::into_fresh)
    {
        Ok(saved) => {
            let now = if active { "ativo de novo" } else { "inativo" };
            let action = format!("/console/beneficios/{benefit}/dependentes/{code}/estado");
            let before = if active { "false" } else { "true" };
            let undo = UndoForm::new(action, &[("ativo", before), ("para", form.text("para"))]);
            let mut response = redirect_to(&back);
            add_undo_notice(&mut response, &format!("{} está {now}.", saved.dependent.name), &undo);
            Ok(response)
        }
        Err(Error::Refused(problems)) => {
            let problems: Vec<String> = problems.iter().map(wire::refusal::render_sentence).collect();
            Ok(redirect_with_problem(&back, &format!("Nada mudou: {}", problems.join(" "))))
        }
        Err(error) => Err(error.into()),
    }
}
