//! Forms that create and change a benefit. A new benefit starts with the choice of the member and the kind.

use super::fields::{self, AdditionalFieldInput};
use crate::http::form::SubmittedForm;
use crate::http::parameters::{PathNumber, QueryParams};
use crate::http::redirect::derive_root_path;
use crate::http::refusal::Refusal;
use crate::pages::finance::benefit_titles::{choose_next_page, load_title_section};
use crate::pages::member_list::{COLUMNS, build_member_row};
use crate::session::notice::redirect_with_notice;
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::form_input::{FormValues, InputSpec};
use crate::widgets::form_page::{RecordForm, render_record_form};
use crate::widgets::form_problems::FormProblems;
use crate::widgets::frame::PageFrame;
use crate::widgets::labels;
use crate::widgets::list_tools::{TableRow, build_default_toolbar};
use crate::widgets::money_input::normalize_money_values;
use crate::widgets::page::{HandlerResult, show_page};
use crate::widgets::record_form::{build_inputs, build_record, read_form_values};
use app::benefits::{self, BenefitWriteInput, FullBenefit, describe_stored_benefit};
use app::idempotency::{IdempotentWrite, WriteOutcome};
use app::quick_search;
use app::register_snapshot::TenantRegisters;
use app::{App, Error, members};
use askama::Template;
use axum::extract::State;
use domain::{Benefit, BenefitCode, BenefitKind, PersonCode};
use serde_json::Value;
use wire::read;
use wire::refusal::RequestProblem;
use wire::set_names;

#[derive(Template)]
#[template(path = "console/beneficio_de_quem.html")]
struct ChooseMemberPage {
    frame: PageFrame,
    query: String,
    rows: Vec<TableRow>,
}

/// `GET /console/beneficios/novo`: chooses the member.
pub async fn show_member_choice(
    State(app): State<App>,
    user: SignedInUser,
    query: QueryParams,
) -> HandlerResult {
    let query = query.text("q");
    let frame = PageFrame::load(&app, &user, "beneficios").await?;
    let registers = app::register_snapshot::load_registers(&app, user.session().scope.tenant()).await?;
    let found = match quick_search::search_everything(&app, user.session(), query).await {
        Err(Error::Refused(_)) => quick_search::GlobalSearchResult::default(),
        other => other?,
    };
    let toolbar = build_default_toolbar(COLUMNS);
    let mut rows: Vec<TableRow> =
        found.rows.iter().map(|found| build_member_row(&registers, found, &frame.root, &toolbar)).collect();
    let mut listed_people = std::collections::BTreeSet::new();
    rows.retain(|row| listed_people.insert(row.person));
    show_page(&ChooseMemberPage { query: query.to_owned(), rows, frame })
}

#[derive(Template)]
#[template(path = "console/beneficio_tipo.html")]
struct ChooseKindPage {
    frame: PageFrame,
    person: i32,
    name: String,
    /// Name in the URL, label, number of active plans.
    kinds: Vec<(String, &'static str, usize)>,
}

fn slugify_kind(kind: BenefitKind) -> String {
    set_names::benefit_kind(kind).to_lowercase()
}

fn parse_benefit_kind(query: &QueryParams) -> Option<BenefitKind> {
    BenefitKind::ALL.iter().copied().find(|kind| slugify_kind(*kind) == query.text("tipo"))
}

/// `GET /console/associados/{codigo}/beneficios/novo`: chooses the kind, then shows the form.
pub async fn show_new_benefit_form(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
    query: QueryParams,
) -> HandlerResult {
    let holder = members::read_member(&app, user.session(), PersonCode::new(code)).await?;
    match parse_benefit_kind(&query) {
        Some(kind) => {
            let state = EditBenefitState {
                values: FormValues::new(),
                problems: FormProblems::default(),
                version: None,
            };
            render_new_benefit_form(&app, &user, &holder, kind, state).await
        }
        None => show_page(&build_kind_choice(&app, &user, &holder).await?),
    }
}

async fn build_kind_choice(
    app: &App,
    user: &SignedInUser,
    holder: &members::MemberView,
) -> Result<ChooseKindPage, Error> {
    let sold = |kind: BenefitKind| {
        holder.registers.plans.iter().filter(|plan| plan.active && plan.kind == kind).count()
    };
    let kinds = BenefitKind::ALL
        .iter()
        .map(|kind| (slugify_kind(*kind), labels::label_benefit_kind(*kind), sold(*kind)));
    Ok(ChooseKindPage {
        frame: PageFrame::load(app, user, "associados").await?,
        person: holder.code.get(),
        name: holder.profile.name.clone(),
        kinds: kinds.collect(),
    })
}

struct EditBenefitState {
    values: FormValues,
    problems: FormProblems,
    version: Option<i64>,
}

/// All form fields; the tenant's custom fields come last.
fn build_form_sections(
    registers: &TenantRegisters,
    user: &SignedInUser,
    (kind, existing): (BenefitKind, Option<&Benefit>),
    state: &EditBenefitState,
) -> Vec<(String, Vec<crate::widgets::form_input::FormInput>)> {
    let is_new = existing.is_none();
    let choices = |name: &str| fields::list_benefit_choices(registers, user, kind, existing, name);
    let mut main_inputs =
        build_inputs(fields::list_benefit_specs(kind, is_new), &state.values, &state.problems, choices);
    let vehicle = main_inputs.split_off(fields::count_benefit_specs(is_new).min(main_inputs.len()));
    let added = fields::list_additional_fields(registers, kind);
    let added = fields::build_additional_inputs(&added, &state.values, &state.problems);
    let all = [("Benefício", main_inputs), ("Veículo", vehicle), ("Dados adicionais", added)];
    let sections = all.into_iter().filter(|(_, inputs)| !inputs.is_empty());
    sections.map(|(title, inputs)| (title.to_owned(), inputs)).collect()
}

/// Reads built-in and custom fields.
fn read_all_values(specs: &[InputSpec], added: &[AdditionalFieldInput], form: &SubmittedForm) -> FormValues {
    let added: Vec<InputSpec> = added.iter().map(|one| one.spec).collect();
    read_form_values(specs, form).into_iter().chain(read_form_values(&added, form)).collect()
}

async fn render_new_benefit_form(
    app: &App,
    user: &SignedInUser,
    holder: &members::MemberView,
    kind: BenefitKind,
    state: EditBenefitState,
) -> HandlerResult {
    let form = RecordForm {
        current: "associados",
        title: format!("Novo benefício: {}", labels::label_benefit_kind(kind)),
        note: format!("De {}", holder.profile.name),
        back: format!("{}/console/associados/{}", derive_root_path(app), holder.code),
        version: None,
        sections: build_form_sections(&holder.registers, user, (kind, None), &state),
        titles: None,
        problems: state.problems,
        button: "Criar benefício",
    };
    render_record_form(app, user, form).await
}

/// Keeps the built-in fields, which the record's JSON takes directly.
fn select_record_values(specs: &[InputSpec], values: &FormValues) -> FormValues {
    let has_spec = |name: &str| specs.iter().any(|spec| spec.name == name);
    normalize_money_values(specs, values).into_iter().filter(|(name, _)| has_spec(name)).collect()
}

fn parse_benefit_input(kind: BenefitKind, record: &Value) -> Result<BenefitWriteInput, Vec<RequestProblem>> {
    fn into_problems<T>(unread: read::PartialInput<T>) -> Vec<RequestProblem> {
        unread.problems.into_problems()
    }
    match kind {
        BenefitKind::Vehicle => read::read_record(record)
            .map(|input| BenefitWriteInput::Vehicle(Box::new(input)))
            .map_err(into_problems),
        _ => read::read_record(record)
            .map(|input| BenefitWriteInput::Basic(Box::new(input)))
            .map_err(into_problems),
    }
}

/// `POST /console/associados/{codigo}/beneficios/novo`
pub async fn create_benefit(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
    query: QueryParams,
    form: SubmittedForm,
) -> HandlerResult {
    let kind = parse_benefit_kind(&query).ok_or(Refusal::NotThere)?;
    let holder = members::read_member(&app, user.session(), PersonCode::new(code)).await?;
    let (specs, added) =
        (fields::list_benefit_specs(kind, true), fields::list_additional_fields(&holder.registers, kind));
    let values = read_all_values(specs, &added, &form);
    let mut record_values = select_record_values(specs, &values);
    record_values.retain(|_, text| !text.is_empty());
    let document = holder.profile.document.as_ref().map(ToString::to_string);
    let further =
        [("cpfCnpj", document.into()), ("dadosAdicionais", fields::build_additional_values(&added, &values))];
    let problems = match parse_benefit_input(kind, &build_record(&record_values, &further)) {
        Err(found) => place_problems(found, specs, &added),
        Ok(input) => {
            match benefits::save_benefit(&app, user.session(), input, IdempotentWrite::without_key())
                .await
                .and_then(WriteOutcome::into_fresh)
            {
                Ok(saved) => {
                    return Ok(redirect_with_notice(
                        &format!("{}/console/beneficios/{}", derive_root_path(&app), saved.code),
                        &format!("Benefício criado. A situação é {}.", saved.situation),
                    ));
                }
                Err(Error::Refused(problems)) => place_rejections(&problems, specs, &added),
                Err(error) => return Err(error.into()),
            }
        }
    };
    render_new_benefit_form(&app, &user, &holder, kind, EditBenefitState { values, problems, version: None })
        .await
}

fn join_input_specs(specs: &[InputSpec], added: &[AdditionalFieldInput]) -> Vec<InputSpec> {
    specs.iter().copied().chain(added.iter().map(|one| one.spec)).collect()
}

fn place_problems(
    found: Vec<RequestProblem>,
    specs: &[InputSpec],
    added: &[AdditionalFieldInput],
) -> FormProblems {
    FormProblems::new(found, &join_input_specs(specs, added))
}

fn place_rejections(
    problems: &[domain::Rejection],
    specs: &[InputSpec],
    added: &[AdditionalFieldInput],
) -> FormProblems {
    FormProblems::from_rejections(problems, &join_input_specs(specs, added))
}

/// `GET /console/beneficios/{codigo}/alterar`
pub async fn show_edit_benefit_form(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
) -> HandlerResult {
    let view = benefits::read_full_benefit(&app, user.session(), BenefitCode::new(code)).await?;
    let added = fields::list_additional_fields(&view.registers, view.benefit.kind);
    let values = fields::fill_benefit_values(&view)
        .into_iter()
        .chain(fields::fill_additional_values(&added, &view.benefit));
    let version = Some(view.benefit.version);
    let state = EditBenefitState { values: values.collect(), problems: FormProblems::default(), version };
    render_edit_benefit_form(&app, &user, &view, state).await
}

async fn render_edit_benefit_form(
    app: &App,
    user: &SignedInUser,
    view: &FullBenefit,
    state: EditBenefitState,
) -> HandlerResult {
    let (titles, _) = load_title_section(app, user, view, vec![view.benefit.situation]).await?;
    let form = RecordForm {
        current: "beneficios",
        title: format!("Alterar {}", describe_stored_benefit(&view.registers, &view.benefit)),
        note: format!(
            "De {}. Planos, dependentes e situação mudam na página do benefício.",
            view.holder.name
        ),
        back: format!("{}/console/beneficios/{}", derive_root_path(app), view.code),
        version: state.version,
        sections: build_form_sections(
            &view.registers,
            user,
            (view.benefit.kind, Some(&view.benefit)),
            &state,
        ),
        titles,
        problems: state.problems,
        button: "Salvar",
    };
    render_record_form(app, user, form).await
}

/// `POST /console/beneficios/{codigo}/alterar`
pub async fn change_benefit(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
    form: SubmittedForm,
) -> HandlerResult {
    let code = BenefitCode::new(code);
    let view = benefits::read_full_benefit(&app, user.session(), code).await?;
    let kind = view.benefit.kind;
    let (specs, added) =
        (fields::list_benefit_specs(kind, false), fields::list_additional_fields(&view.registers, kind));
    let values = read_all_values(specs, &added, &form);
    let version = form.text("versao");
    let further =
        [("versao", version.into()), ("dadosAdicionais", fields::build_additional_values(&added, &values))];
    let problems = match read::read_record(&build_record(&select_record_values(specs, &values), &further)) {
        Err(unread) => place_problems(unread.problems.into_problems(), specs, &added),
        Ok(input) => {
            match benefits::change_benefit(&app, user.session(), code, input, IdempotentWrite::without_key())
                .await
                .and_then(WriteOutcome::into_fresh)
            {
                Ok(changed) => return leave_benefit_form(&app, &user, (&view, &changed)).await,
                Err(Error::Refused(problems)) => place_rejections(&problems, specs, &added),
                Err(error) => return Err(error.into()),
            }
        }
    };
    render_edit_benefit_form(
        &app,
        &user,
        &view,
        EditBenefitState { values, problems, version: version.parse().ok() },
    )
    .await
}

/// Leads back to the benefit, or to its titles if it is charged otherwise now.
async fn leave_benefit_form(
    app: &App,
    user: &SignedInUser,
    (before, after): (&FullBenefit, &FullBenefit),
) -> HandlerResult {
    let code = after.code;
    let (page, addition) = match before.benefit.is_charged_like(&after.benefit) {
        true => (format!("{}/console/beneficios/{code}", derive_root_path(app)), ""),
        false => choose_next_page(app, user, code).await?,
    };
    Ok(redirect_with_notice(&page, &format!("As alterações foram salvas.{addition}")))
}

#[cfg(test)]
pub const CASES: crate::template_tests::TemplateCases = &[
    ("console/beneficio_de_quem.html", |with| {
        crate::template_tests::render_template(&ChooseMemberPage {
            frame: with.frame(),
            query: with.text(),
            rows: with.list_of(|| with.row()),
        })
    }),
    ("console/beneficio_tipo.html", |with| {
        let kinds = with.list_of(|| (with.text(), "Veículo", 2));
        crate::template_tests::render_template(&ChooseKindPage {
            frame: with.frame(),
            person: 7,
            name: with.text(),
            kinds,
        })
    }),
];
