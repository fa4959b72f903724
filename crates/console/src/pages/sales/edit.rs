//! Forms that capture a lead with a new deal, and that change a deal.

use super::build_deal_path;
use super::fields::{
    CONTACT, DEAL, VEHICLE, build_deal_record, fill_deal_values, find_deal_label, list_deal_choices,
};
use crate::http::form::SubmittedForm;
use crate::http::parameters::{PathNumber, QueryParams};
use crate::session::notice::redirect_with_notice;
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::form_input::{FormInput, FormValues, InputSpec};
use crate::widgets::form_problems::FormProblems;
use crate::widgets::frame::PageFrame;
use crate::widgets::page::{HandlerResult, render_page};
use crate::widgets::record_form::{build_inputs, read_form_values};
use crate::widgets::version_conflict::VersionConflict;
use app::access::users;
use app::idempotency::{IdempotentWrite, WriteOutcome};
use app::sales::{deals, leads};
use app::{App, Error};
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use domain::{DealCode, LeadCode, Rejection, Role};
use std::collections::BTreeMap;
use wire::read;
use wire::records::{NegocioAlteracaoInput, NegocioCriacaoInput};
use wire::refusal::RequestProblem;

#[derive(Template)]
#[template(path = "console/negocio_form.html")]
struct EditDealPage {
    frame: PageFrame,
    title: String,
    /// Text below the title.
    about: String,
    lead: String,
    back: String,
    /// `None` for a new deal.
    version: Option<i64>,
    sections: Vec<(&'static str, Vec<FormInput>)>,
    conflict: Option<VersionConflict>,
    others: Vec<String>,
    is_refused: bool,
}

/// Form contents, of a new deal or of the deal with this code and version.
#[derive(Default)]
struct EditDealState {
    stored_deal: Option<(DealCode, i64)>,
    name: String,
    /// Code of an existing lead.
    lead: String,
    values: FormValues,
    refusal: SaveDealProblems,
}

/// All problems, and the rejections among them.
#[derive(Default)]
struct SaveDealProblems {
    problems: Vec<RequestProblem>,
    rejections: Vec<Rejection>,
}

fn list_form_sections(is_known: bool) -> Vec<(&'static str, &'static [InputSpec])> {
    let contact: Option<(&'static str, &'static [InputSpec])> = (!is_known).then_some(("Quem é", CONTACT));
    contact.into_iter().chain([("O que interessa", DEAL), ("Veículo, se for o caso", VEHICLE)]).collect()
}

async fn render_deal_form(app: &App, user: &SignedInUser, state: EditDealState) -> HandlerResult {
    let frame = PageFrame::load(app, user, "vendas").await?;
    let registers = app::register_snapshot::load_registers(app, user.session().scope.tenant()).await?;
    let users = list_responsible_users(app, user).await?;
    let parts = list_form_sections(state.stored_deal.is_some() || !state.lead.is_empty());
    let all: Vec<InputSpec> = parts.iter().flat_map(|(_, specs)| specs.iter().copied()).collect();
    let values = &state.values;
    let choices = |name: &str| list_deal_choices(&registers, user, &users, values, name);
    let conflict = VersionConflict::find_in_rejections(&state.refusal.rejections, str::to_owned);
    // The stage determines the funnel, which the page does not show.
    let conflict = conflict.map(|one| one.with_labels(find_deal_label, choices));
    let problems = FormProblems::new(rename_problem_fields(state.refusal.problems), &all);
    let fields = |specs: &[InputSpec]| build_inputs(specs, values, &problems, choices);
    let sections = parts.iter().map(|(title, specs)| (*title, fields(specs))).collect();
    let code = state.stored_deal.map(|(code, _)| code);
    let (title, about) = match (code, state.name.as_str()) {
        (Some(_), name) => (format!("Alterar o negócio de {name}"), String::new()),
        (None, "") => (
            "Novo contato".to_owned(),
            "Basta um nome e um jeito de falar com a pessoa. Se ela já está na base, é a mesma.".to_owned(),
        ),
        (None, name) => (format!("Novo negócio com {name}"), String::new()),
    };
    let is_refused = !problems.is_empty() || conflict.is_some();
    let status = if is_refused { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    let page = EditDealPage {
        title,
        about,
        lead: state.lead,
        back: match code {
            Some(code) => format!("{}/console/vendas/{code}", frame.root),
            None => format!("{}/console/vendas", frame.root),
        },
        // The user now sees both versions, so the next save may overwrite.
        version: conflict.as_ref().map(|one| one.version).or(state.stored_deal.map(|(_, version)| version)),
        sections,
        is_refused,
        conflict,
        others: problems.list_others(),
        frame,
    };
    render_page(status, &page)
}

/// Maps the API's different names for the same thing to the one field on the page.
fn rename_problem_fields(problems: Vec<RequestProblem>) -> Vec<RequestProblem> {
    let names = [("nome", "nomePessoa"), ("documento", "cpfCnpj"), ("codFunil", "codEtapa")];
    let one = |problem: RequestProblem| match names
        .iter()
        .find(|(api_name, _)| problem.field.as_deref() == Some(*api_name))
    {
        Some((_, page_name)) => RequestProblem::of(*page_name, problem.sentence),
        None => problem,
    };
    problems.into_iter().map(one).collect()
}

/// Users who may be responsible for a deal.
async fn list_responsible_users(app: &App, signed_in: &SignedInUser) -> Result<BTreeMap<i32, String>, Error> {
    let all = users::list_users(app, &signed_in.session().scope).await?;
    let people = all.into_iter().filter(|user| user.active && user.role != Role::Integration);
    Ok(people.map(|user| (user.code.get(), user.name)).collect())
}

async fn find_lead_name(app: &App, user: &SignedInUser, lead: &str) -> Result<String, Error> {
    match lead.parse() {
        Ok(code) => {
            Ok(leads::read_lead(app, user.session(), LeadCode::new(code)).await?.found_lead.lead.name)
        }
        Err(_) => Ok(String::new()),
    }
}

/// `GET /console/vendas/novo`
pub async fn show_new_deal_form(
    State(app): State<App>,
    user: SignedInUser,
    query: QueryParams,
) -> HandlerResult {
    let lead = query.text("codLead").to_owned();
    let name = find_lead_name(&app, &user, &lead).await?;
    let values = FormValues::from([("codUsuarioResponsavel", user.session().user.to_string())]);
    render_deal_form(&app, &user, EditDealState { name, lead, values, ..EditDealState::default() }).await
}

/// `POST /console/vendas/novo`
pub async fn create_deal(State(app): State<App>, user: SignedInUser, form: SubmittedForm) -> HandlerResult {
    let lead = form.text("codLead").trim().to_owned();
    let specs: Vec<InputSpec> =
        list_form_sections(!lead.is_empty()).iter().flat_map(|(_, specs)| specs.iter().copied()).collect();
    let values = read_form_values(&specs, &form);
    match save_deal(&app, &user, None, &values, &lead).await? {
        Ok((code, name)) => {
            Ok(redirect_with_notice(&build_deal_path(&app, code), &format!("Negócio com {name} aberto.")))
        }
        Err(refusal) => {
            let name = find_lead_name(&app, &user, &lead).await?;
            render_deal_form(&app, &user, EditDealState { stored_deal: None, name, lead, values, refusal })
                .await
        }
    }
}

/// The deal's code and the lead's name, or the problems.
async fn save_deal(
    app: &App,
    user: &SignedInUser,
    existing: Option<(DealCode, i64)>,
    values: &FormValues,
    lead: &str,
) -> Result<Result<(DealCode, String), SaveDealProblems>, Error> {
    let caller = user.session();
    let registers = app::register_snapshot::load_registers(app, caller.scope.tenant()).await?;
    let lead = Some(lead).filter(|lead| !lead.is_empty());
    let body = build_deal_record(&registers, values, lead, existing.is_none());
    let input = match existing {
        None => {
            read::read_record::<NegocioCriacaoInput>(&body).map(|new| new.0).map_err(|unread| unread.problems)
        }
        Some(_) => read::read_record::<NegocioAlteracaoInput>(&body)
            .map(|old| old.0)
            .map_err(|unread| unread.problems),
    };
    let input = match input {
        Ok(input) => input,
        Err(problems) => {
            let problems = problems.into_problems();
            return Ok(Err(SaveDealProblems { problems, ..SaveDealProblems::default() }));
        }
    };
    let done = match existing {
        None => deals::save_deal(app, caller, None, input, IdempotentWrite::without_key()).await,
        Some(existing) => {
            deals::change_deal(app, caller, existing, input, IdempotentWrite::without_key()).await
        }
    };
    match done.and_then(WriteOutcome::into_fresh) {
        Ok(saved) => {
            let (view, _) = deals::show_deal(app, caller, saved.code).await?;
            Ok(Ok((saved.code, view.found_deal.name)))
        }
        Err(Error::Refused(rejections)) => {
            let others = rejections.iter().filter(|one| !matches!(one, Rejection::OldVersion { .. }));
            Ok(Err(SaveDealProblems { problems: wire::refusal::describe_rejections(others), rejections }))
        }
        Err(error) => Err(error),
    }
}

/// `GET /console/vendas/{codigo}/alterar`
pub async fn show_edit_deal_form(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
) -> HandlerResult {
    let code = DealCode::new(code);
    let (view, _) = deals::show_deal(&app, user.session(), code).await?;
    let (stored_deal, values) =
        (Some((code, view.found_deal.deal.version)), fill_deal_values(&view.found_deal.deal));
    let name = view.found_deal.name;
    render_deal_form(&app, &user, EditDealState { stored_deal, name, values, ..EditDealState::default() })
        .await
}

/// `POST /console/vendas/{codigo}/alterar`
pub async fn change_deal(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
    form: SubmittedForm,
) -> HandlerResult {
    let code = DealCode::new(code);
    let specs: Vec<InputSpec> = DEAL.iter().chain(VEHICLE).copied().collect();
    let values = read_form_values(&specs, &form);
    let stored_deal = Some((code, form.text("versao").parse().unwrap_or_default()));
    match save_deal(&app, &user, stored_deal, &values, "").await? {
        Ok(_) => Ok(redirect_with_notice(&build_deal_path(&app, code), "As alterações foram salvas.")),
        Err(refusal) => {
            let name = deals::show_deal(&app, user.session(), code).await?.0.found_deal.name;
            render_deal_form(
                &app,
                &user,
                EditDealState { stored_deal, name, lead: String::new(), values, refusal },
            )
            .await
        }
    }
}

#[cfg(test)]
pub const CASES: crate::template_tests::TemplateCases = &[("console/negocio_form.html", |with| {
    let page = |conflict| {
        crate::template_tests::render_template(&EditDealPage {
            frame: with.frame(),
            title: with.text(),
            about: with.text(),
            lead: with.text(),
            back: with.text(),
            version: with.option_of(|| 3),
            sections: with.list_of(|| ("Contato", with.inputs())),
            conflict,
            others: with.list_of(|| with.text()),
            is_refused: with.is_filled(),
        })
    };
    [page(None), page(with.option_of(|| with.conflict()))].concat()
})];
