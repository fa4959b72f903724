//! One record: all users read it; administrators change, deactivate and reactivate it.

use super::fields::{self, FormReferenceNames};
use super::{
    RegisterParam, ShownFields, find_badge_class, format_new_title, format_plural_title, format_record_title,
};
use crate::http::form::SubmittedForm;
use crate::http::parameters::{PathNumber, QueryParams};
use crate::http::redirect::{derive_root_path, redirect_to};
use crate::http::refusal::Refusal;
use crate::pages::administration::require_administrator;
use crate::session::notice::{redirect_with_notice, redirect_with_problem};
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::form_input::{FormInput, FormValues, InputSpec};
use crate::widgets::form_problems::{FormProblems, capitalize_sentence, describe_problem};
use crate::widgets::formats::format_moment;
use crate::widgets::frame::PageFrame;
use crate::widgets::page::{HandlerResult, render_page, show_page};
use crate::widgets::record_form::{build_inputs, read_form_values};
use crate::widgets::version_conflict::VersionConflict;
use ::registers::{FieldContent, FieldDefault, FieldRequirement, FieldSpec, FieldType, Register};
use app::idempotency::{IdempotentWrite, WriteOutcome};
use app::registers::{self, StoredRecord};
use app::{App, Error};
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use domain::TimeZone;
use serde_json::json;
use wire::refusal::RequestProblem;

#[derive(Template)]
#[template(path = "console/cadastro_registro.html")]
struct RegisterRecordPage {
    frame: PageFrame,
    path: &'static str,
    list: String,
    title: String,
    badge: Option<String>,
    /// `None` for a new record.
    code: Option<i32>,
    version: i64,
    active: bool,
    inputs: Vec<FormInput>,
    /// Fields that are fixed or that this user cannot change: label, value, link.
    facts: Vec<(&'static str, String, Option<String>)>,
    moments: String,
    conflict: Option<VersionConflict>,
    others: Vec<String>,
    is_refused: bool,
    /// The last action, which can be undone.
    done: Option<&'static str>,
}

/// An existing record.
struct LoadedRecord {
    record: StoredRecord,
    zone: TimeZone,
}

/// Form contents and their problems.
#[derive(Default)]
struct EditRecordState {
    values: FormValues,
    problems: FormProblems,
    conflict: Option<VersionConflict>,
    done: Option<&'static str>,
}

fn list_editable_fields(
    register: &'static Register,
    shown: &ShownFields,
    is_new: bool,
) -> Vec<&'static FieldSpec> {
    let inputs = register.fields.iter().filter(|field| field.is_input() && shown.has_field(field));
    inputs.filter(|field| is_new || !field.fixed).collect()
}

/// The fields of the form. A register without a counter also takes the code.
fn list_input_specs(register: &'static Register, shown: &ShownFields, is_new: bool) -> Vec<InputSpec> {
    let code = (is_new && register.counter.is_none()).then(|| InputSpec {
        name: register.code,
        label: if register.code == "dia" { "Dia do mês" } else { "Código" },
        kind: crate::widgets::form_input::InputKind::Number,
        longest: 10,
        hint: "",
    });
    code.into_iter()
        .chain(list_editable_fields(register, shown, is_new).into_iter().map(fields::build_input_spec))
        .collect()
}

async fn render_register_record(
    app: &App,
    user: &SignedInUser,
    register: &'static Register,
    existing: Option<LoadedRecord>,
    mut state: EditRecordState,
) -> HandlerResult {
    let frame = PageFrame::load(app, user, "cadastros").await?;
    let shown = ShownFields::load(app, user.session()).await?;
    let names = FormReferenceNames::load(app, user.session(), register.fields.iter()).await?;
    let record = existing.as_ref().map(|existing| &existing.record);
    let code = record.map(|record| record.code);
    let may_write = user.is_admin();
    let specs = if may_write { list_input_specs(register, &shown, code.is_none()) } else { Vec::new() };
    if let Some(record) = record {
        // Fixed fields determine the choices of others.
        for (field, value) in register.fields.iter().zip(&record.values).filter(|(field, _)| field.fixed) {
            state.values.insert(field.name, fields::format_input_value(field, value));
        }
    }
    let choices = |name: &str| fields::list_field_choices(register, code, (&names, &state.values), name);
    let mut inputs = build_inputs(&specs, &state.values, &state.problems, choices);
    for input in &mut inputs {
        if input.spec.kind == crate::widgets::form_input::InputKind::Many && input.choices.is_empty() {
            input.spec.hint = "Salve primeiro; depois escolha aqui.";
        }
    }
    let is_refused = !state.problems.is_empty();
    let version = state.conflict.as_ref().map(|one| one.version).or(record.map(|record| record.version));
    let page = RegisterRecordPage {
        path: register.path,
        list: format_plural_title(register),
        title: record.map_or_else(
            || format_new_title(register),
            |one| format_record_title(register, one.code, &one.values),
        ),
        badge: code.and_then(|code| find_badge_class(register, code)),
        code,
        version: version.unwrap_or(0),
        active: record.is_none_or(|record| record.active),
        inputs,
        facts: record
            .map(|one| list_record_facts(&frame.root, (register, &shown), &names, one, may_write))
            .unwrap_or_default(),
        moments: existing.as_ref().map(describe_record_dates).unwrap_or_default(),
        conflict: state.conflict,
        others: state.problems.others.iter().map(describe_problem).collect(),
        is_refused,
        done: state.done,
        frame,
    };
    match page.is_refused || page.conflict.is_some() {
        true => render_page(StatusCode::BAD_REQUEST, &page),
        false => show_page(&page),
    }
}

fn describe_record_dates(existing: &LoadedRecord) -> String {
    let at = |at| format_moment(at, &existing.zone);
    let (created, updated) = (at(existing.record.created_at), at(existing.record.updated_at));
    match created == updated {
        true => format!("cadastrado em {created}"),
        false => format!("cadastrado em {created}, alterado em {updated}"),
    }
}

/// Read-only facts: the fixed fields for an administrator, all fields for other users.
fn list_record_facts(
    root: &str,
    (register, shown): (&'static Register, &ShownFields),
    names: &FormReferenceNames,
    record: &StoredRecord,
    may_write: bool,
) -> Vec<(&'static str, String, Option<String>)> {
    let all = register.fields.iter().zip(&record.values).filter(|(field, _)| shown.has_field(field));
    let readable =
        all.filter(|(field, _)| field.is_visible() && field.is_input() && (field.fixed || !may_write));
    let facts = readable.map(|(field, value)| {
        let text = match field.kind {
            FieldType::Lines { .. } | FieldType::Items { .. } => {
                fields::format_input_value(field, value).replace('\n', ", ")
            }
            _ => fields::format_field_value(field, value, names),
        };
        let link = match field.kind {
            FieldType::Benefit => Some(format!("{root}/console/beneficios/{text}")),
            FieldType::Person => Some(format!("{root}/console/associados/{text}")),
            _ => None,
        };
        (field.label, text, link)
    });
    facts.filter(|(_, text, _)| !text.is_empty()).collect()
}

/// What a field of a new record begins with: the value from the query, else the default.
fn choose_first_value(field: &FieldSpec, requested: &str) -> String {
    match field.need {
        FieldRequirement::Default(FieldDefault::Number(number)) if requested.is_empty() => {
            fields::format_input_value(field, &FieldContent::Number(number))
        }
        FieldRequirement::Default(FieldDefault::Flag(flag)) if requested.is_empty() => {
            fields::format_input_value(field, &FieldContent::Flag(flag))
        }
        _ => requested.to_owned(),
    }
}

/// `GET /console/cadastros/{registro}/novo`: query parameters prefill the form.
pub async fn show_new_record_form(
    State(app): State<App>,
    user: SignedInUser,
    RegisterParam(register): RegisterParam,
    query: QueryParams,
) -> HandlerResult {
    require_administrator(user.session())?;
    let shown = ShownFields::load(&app, user.session()).await?;
    let begins = |field: &&'static FieldSpec| (field.name, choose_first_value(field, query.text(field.name)));
    let mut values: FormValues = list_editable_fields(register, &shown, true).iter().map(begins).collect();
    for field in register.fields.iter().filter(|field| field.kind == FieldType::Colour) {
        values.insert(field.name, "#1a73e8".to_owned());
    }
    render_register_record(
        &app,
        &user,
        register,
        None,
        EditRecordState { values, ..EditRecordState::default() },
    )
    .await
}

/// `GET /console/cadastros/{registro}/{codigo}`
pub async fn show_record_page(
    State(app): State<App>,
    user: SignedInUser,
    RegisterParam(register): RegisterParam,
    PathNumber(code): PathNumber,
    query: QueryParams,
) -> HandlerResult {
    let record = load_record(&app, &user, register, code).await?;
    let values = register.fields.iter().zip(&record.record.values);
    let mut values =
        values.map(|(field, value)| (field.name, fields::format_input_value(field, value))).collect();
    fields::replace_codes_with_names(&app, user.session(), register, &mut values).await?;
    let done = match (query.text("feito"), record.record.active) {
        ("inativado", false) => {
            Some("Fora de uso: não aparece mais nas escolhas. O que já o usa continua como está.")
        }
        ("ativado", true) => Some("Em uso de novo."),
        _ => None,
    };
    render_register_record(
        &app,
        &user,
        register,
        Some(record),
        EditRecordState { values, done, ..EditRecordState::default() },
    )
    .await
}

async fn load_record(
    app: &App,
    user: &SignedInUser,
    register: &'static Register,
    code: i32,
) -> Result<LoadedRecord, Error> {
    let (record, zone) = registers::read_record(app, user.session(), register, code).await?;
    Ok(LoadedRecord { record, zone })
}

/// `POST /console/cadastros/{registro}/novo`
pub async fn create_record(
    State(app): State<App>,
    user: SignedInUser,
    RegisterParam(register): RegisterParam,
    form: SubmittedForm,
) -> HandlerResult {
    save_record(&app, &user, register, None, &form).await
}

/// `POST /console/cadastros/{registro}/{codigo}`
pub async fn change_record(
    State(app): State<App>,
    user: SignedInUser,
    RegisterParam(register): RegisterParam,
    PathNumber(code): PathNumber,
    form: SubmittedForm,
) -> HandlerResult {
    save_record(&app, &user, register, Some(code), &form).await
}

async fn save_record(
    app: &App,
    user: &SignedInUser,
    register: &'static Register,
    code: Option<i32>,
    form: &SubmittedForm,
) -> HandlerResult {
    require_administrator(user.session())?;
    let shown = ShownFields::load(app, user.session()).await?;
    let specs = list_input_specs(register, &shown, code.is_none());
    let values = read_form_values(&specs, form);
    let existing = code.map(|code| (code, form.text("versao")));
    let (found, rejections) = match write_record(app, user, register, existing, values.clone()).await? {
        Ok(record) => {
            let done = if code.is_some() { "As alterações foram salvas" } else { "Cadastro salvo" };
            return Ok(redirect_with_notice(
                &format!("{}/console/cadastros/{}", derive_root_path(app), register.path),
                &format!("{done}: {}.", format_record_title(register, record.code, &record.values)),
            ));
        }
        Err(problems) => problems,
    };
    let existing = match code {
        Some(code) => Some(load_record(app, user, register, code).await?),
        None => None,
    };
    let label = |name: &str| {
        register
            .find_field(name)
            .map_or_else(|| capitalize_sentence(name), |(_, field)| field.label.to_owned())
    };
    let conflict = VersionConflict::find_in_rejections(&rejections, label);
    let found = if conflict.is_some() { Vec::new() } else { found };
    let problems = FormProblems::new(found, &specs);
    render_register_record(
        app,
        user,
        register,
        existing,
        EditRecordState { values, problems, conflict, done: None },
    )
    .await
}

/// All problems, and the rejections among them.
type SaveRecordProblems = (Vec<RequestProblem>, Vec<domain::Rejection>);

async fn write_record(
    app: &App,
    user: &SignedInUser,
    register: &'static Register,
    existing: Option<(i32, &str)>,
    mut values: FormValues,
) -> Result<Result<StoredRecord, SaveRecordProblems>, Error> {
    let caller = user.session();
    let unknown = fields::resolve_references(app, caller, register, &mut values).await?;
    if !unknown.is_empty() {
        return Ok(Err((unknown, Vec::new())));
    }
    let fields = fields::build_register_record(register, &values, existing);
    let input = match wire::register::read_record_input(register, &fields) {
        Ok(input) => input,
        Err(unread) => return Ok(Err((unread.problems.into_problems(), Vec::new()))),
    };
    let done = match existing {
        Some((code, _)) => {
            registers::change_record(app, caller, register, (code, input), IdempotentWrite::without_key())
                .await
        }
        None => registers::create_record(app, caller, register, input, IdempotentWrite::without_key()).await,
    };
    match done.and_then(WriteOutcome::into_fresh) {
        Ok(saved) => Ok(Ok(saved.record)),
        Err(Error::Refused(problems)) => Ok(Err((wire::refusal::describe_rejections(&problems), problems))),
        Err(error) => Err(error),
    }
}

/// `POST /console/cadastros/{registro}/{codigo}/ativo`
pub async fn set_record_active(
    State(app): State<App>,
    user: SignedInUser,
    RegisterParam(register): RegisterParam,
    PathNumber(code): PathNumber,
    form: SubmittedForm,
) -> HandlerResult {
    require_administrator(user.session())?;
    let active = form.read_yes_or_no("ativo")?;
    let fields = [("ativo", json!(active)), ("versao", json!(form.text("versao")))];
    let fields = fields.map(|(name, value)| (name.to_owned(), value)).into_iter().collect();
    let input = wire::register::read_record_input(register, &fields);
    let change = (code, input.map_err(|_| Refusal::Unreadable)?);
    let done =
        registers::change_record(&app, user.session(), register, change, IdempotentWrite::without_key())
            .await;
    let here = format!("{}/console/cadastros/{}/{code}", derive_root_path(&app), register.path);
    match done {
        Ok(_) => Ok(redirect_to(&format!("{here}?feito={}", if active { "ativado" } else { "inativado" }))),
        Err(Error::Refused(problems)) => {
            let sentences = problems.iter().map(wire::refusal::render_sentence);
            let lines: Vec<String> = sentences.map(|text| capitalize_sentence(&text)).collect();
            Ok(redirect_with_problem(&here, &lines.join(" ")))
        }
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
pub const CASES: crate::template_tests::TemplateCases = &[("console/cadastro_registro.html", |with| {
    let page = |conflict| {
        crate::template_tests::render_template(&RegisterRecordPage {
            frame: with.frame(),
            path: "plano",
            list: with.text(),
            title: with.text(),
            badge: with.option_of(|| "s3".to_owned()),
            code: with.option_of(|| 7),
            version: 3,
            active: with.is_filled(),
            inputs: with.inputs(),
            facts: with.list_of(|| ("Loja", with.text(), with.option_of(|| with.text()))),
            moments: with.text(),
            conflict,
            others: with.list_of(|| with.text()),
            is_refused: with.is_filled(),
            done: with.option_of(|| "retirado"),
        })
    };
    [page(None), page(with.option_of(|| with.conflict()))].concat()
})];
