//! Forms that capture a lead with a new deal, and that change a deal.

use super::fields::{
    CONTACT, DEAL, VEHICLE, build_deal_json, fill_deal_values, find_deal_label, list_deal_choices,
};
use crate::session::visitor::{PathNumber, QueryParams, SignedInUser, derive_root_path, redirect_to};
use crate::widgets::form::SubmittedForm;
use crate::widgets::frame::PageFrame;
use crate::widgets::notice::add_notice;
use crate::widgets::page::{Refusal, render_page, render_page_or_refusal};
use crate::widgets::record_form::{
    FormInput, FormProblems, FormValues, InputSpec, VersionConflict, build_inputs, read_form_values,
};
use app::access::users;
use app::idempotency::{IdempotentWrite, WriteOutcome};
use app::sales::{deals, leads};
use app::{App, Error};
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use domain::{DealCode, LeadCode, Rejection, Role};
use std::collections::BTreeMap;
use wire::read;
use wire::records::{NegocioAlteracaoInput, NegocioCriacaoInput};

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
    had: Option<(DealCode, i64)>,
    name: String,
    /// Code of an existing lead.
    lead: String,
    values: FormValues,
    wrong: SaveDealProblems,
}

/// Problems as text lines, and the rejections among them.
#[derive(Default)]
struct SaveDealProblems {
    lines: Vec<String>,
    rejections: Vec<Rejection>,
}

fn list_form_sections(is_known: bool) -> Vec<(&'static str, &'static [InputSpec])> {
    let contact: Option<(&'static str, &'static [InputSpec])> = (!is_known).then_some(("Quem é", CONTACT));
    contact.into_iter().chain([("O que interessa", DEAL), ("Veículo, se for o caso", VEHICLE)]).collect()
}

async fn render_deal_form(app: &App, guest: &SignedInUser, shown: EditDealState) -> Response {
    match build_deal_form(app, guest, shown).await {
        Ok(template) => {
            let status = if template.is_refused { StatusCode::BAD_REQUEST } else { StatusCode::OK };
            render_page(status, &template)
        }
        Err(error) => render_page_or_refusal::<EditDealPage>(guest, Err(error)),
    }
}

async fn build_deal_form(
    app: &App,
    guest: &SignedInUser,
    shown: EditDealState,
) -> Result<EditDealPage, Error> {
    let frame = PageFrame::load(app, guest, "vendas").await?;
    let registers = app::registers::snapshot::load_registers(app, guest.session().scope.tenant()).await?;
    let users = list_responsible_users(app, guest).await?;
    let parts = list_form_sections(shown.had.is_some() || !shown.lead.is_empty());
    let all: Vec<InputSpec> = parts.iter().flat_map(|(_, specs)| specs.iter().copied()).collect();
    let values = &shown.values;
    let choices = |name: &str| list_deal_choices(&registers, guest, &users, values, name);
    let conflict = VersionConflict::find_in_rejections(&shown.wrong.rejections, str::to_owned);
    // The stage determines the funnel, which the page does not show.
    let conflict = conflict.map(|one| one.with_labels(find_deal_label, choices));
    let problems = FormProblems::new(rename_problem_fields(shown.wrong.lines), &all);
    let fields = |specs: &[InputSpec]| build_inputs(specs, values, &problems, choices);
    let sections = parts.iter().map(|(title, specs)| (*title, fields(specs))).collect();
    let code = shown.had.map(|(code, _)| code);
    let (title, about) = match (code, shown.name.as_str()) {
        (Some(_), name) => (format!("Alterar o negócio de {name}"), String::new()),
        (None, "") => (
            "Novo contato".to_owned(),
            "Basta um nome e um jeito de falar com a pessoa. Se ela já está na base, é a mesma.".to_owned(),
        ),
        (None, name) => (format!("Novo negócio com {name}"), String::new()),
    };
    Ok(EditDealPage {
        title,
        about,
        lead: shown.lead,
        back: match code {
            Some(code) => format!("{}/console/vendas/{code}", frame.root),
            None => format!("{}/console/vendas", frame.root),
        },
        // The user now sees both versions, so the next save may overwrite.
        version: conflict.as_ref().map(|one| one.version).or(shown.had.map(|(_, version)| version)),
        sections,
        is_refused: !problems.is_empty() || conflict.is_some(),
        conflict,
        others: problems.others,
        frame,
    })
}

/// Maps the API's different names for the same thing to the one field on the page.
fn rename_problem_fields(lines: Vec<String>) -> Vec<String> {
    let names = [("nome: ", "nomePessoa: "), ("documento: ", "cpfCnpj: "), ("codFunil: ", "codEtapa: ")];
    let one = |line: String| match names.iter().find(|(from, _)| line.starts_with(from)) {
        Some((from, to)) => line.replacen(from, to, 1),
        None => line,
    };
    lines.into_iter().map(one).collect()
}

/// Users who may be responsible for a deal.
async fn list_responsible_users(app: &App, guest: &SignedInUser) -> Result<BTreeMap<i32, String>, Error> {
    let all = users::list_users(app, &guest.session().scope).await?;
    let people = all.into_iter().filter(|user| user.active && user.role != Role::Integration);
    Ok(people.map(|user| (user.code.get(), user.name)).collect())
}

async fn find_lead_name(app: &App, guest: &SignedInUser, lead: &str) -> Result<String, Error> {
    match lead.parse() {
        Ok(code) => Ok(leads::read_lead(app, guest.session(), LeadCode::new(code)).await?.found.lead.name),
        Err(_) => Ok(String::new()),
    }
}

/// `GET /console/vendas/novo`
pub async fn show_new_deal_form(State(app): State<App>, guest: SignedInUser, query: QueryParams) -> Response {
    let lead = query.text("codLead").to_owned();
    let name = match find_lead_name(&app, &guest, &lead).await {
        Ok(name) => name,
        Err(error) => return render_page_or_refusal::<EditDealPage>(&guest, Err(error)),
    };
    let values = FormValues::from([("codUsuarioResponsavel", guest.session().user.to_string())]);
    render_deal_form(&app, &guest, EditDealState { name, lead, values, ..EditDealState::default() }).await
}

/// `POST /console/vendas/novo`
pub async fn create_deal(
    State(app): State<App>,
    guest: SignedInUser,
    sent: Result<SubmittedForm, Refusal>,
) -> Response {
    let sent = match sent {
        Ok(sent) => sent,
        Err(refusal) => return refusal.into_response(),
    };
    let lead = sent.text("codLead").trim().to_owned();
    let specs: Vec<InputSpec> =
        list_form_sections(!lead.is_empty()).iter().flat_map(|(_, specs)| specs.iter().copied()).collect();
    let values = read_form_values(&specs, &sent);
    match save_deal(&app, &guest, None, &values, &lead).await {
        Ok((code, name)) => redirect_with_notice(&app, code, &format!("Negócio com {name} aberto.")),
        Err(Ok(wrong)) => match find_lead_name(&app, &guest, &lead).await {
            Ok(name) => {
                render_deal_form(&app, &guest, EditDealState { had: None, name, lead, values, wrong }).await
            }
            Err(error) => render_page_or_refusal::<EditDealPage>(&guest, Err(error)),
        },
        Err(Err(error)) => render_page_or_refusal::<EditDealPage>(&guest, Err(error)),
    }
}

fn redirect_with_notice(app: &App, code: DealCode, told: &str) -> Response {
    let mut response = redirect_to(&format!("{}/console/vendas/{code}", derive_root_path(app)));
    add_notice(&mut response, told);
    response
}

async fn save_deal(
    app: &App,
    guest: &SignedInUser,
    had: Option<(DealCode, i64)>,
    values: &FormValues,
    lead: &str,
) -> Result<(DealCode, String), Result<SaveDealProblems, Error>> {
    let caller = guest.session();
    let registers =
        app::registers::snapshot::load_registers(app, caller.scope.tenant()).await.map_err(Err)?;
    let lead = Some(lead).filter(|lead| !lead.is_empty());
    let body = build_deal_json(&registers, values, lead, had.is_none());
    let input = match had {
        None => {
            read::read_body::<NegocioCriacaoInput>(&body).map(|new| new.0).map_err(|unread| unread.problems)
        }
        Some(_) => {
            read::read_body::<NegocioAlteracaoInput>(&body).map(|old| old.0).map_err(|unread| unread.problems)
        }
    };
    let input = input.map_err(|problems| {
        Ok(SaveDealProblems { lines: problems.into_lines(), ..SaveDealProblems::default() })
    })?;
    let done = match had {
        None => deals::save_deal(app, caller, None, input, IdempotentWrite::without_key()).await,
        Some(had) => deals::change_deal(app, caller, had, input, IdempotentWrite::without_key()).await,
    };
    match done.and_then(WriteOutcome::into_fresh) {
        Ok(saved) => {
            let (view, _) = deals::show_deal(app, caller, saved.code).await.map_err(Err)?;
            Ok((saved.code, view.found.name))
        }
        Err(Error::Refused(rejections)) => {
            let others = rejections.iter().filter(|one| !matches!(one, Rejection::OldVersion { .. }));
            Err(Ok(SaveDealProblems {
                lines: others.map(wire::refusal::render_rejection).collect(),
                rejections,
            }))
        }
        Err(error) => Err(Err(error)),
    }
}

/// `GET /console/vendas/{codigo}/alterar`
pub async fn show_edit_deal_form(
    State(app): State<App>,
    guest: SignedInUser,
    PathNumber(code): PathNumber,
) -> Response {
    let code = DealCode::new(code);
    match deals::show_deal(&app, guest.session(), code).await {
        Ok((view, _)) => {
            let (name, values) = (view.found.name.clone(), fill_deal_values(&view.found.deal));
            let had = Some((code, view.found.deal.version));
            render_deal_form(&app, &guest, EditDealState { had, name, values, ..EditDealState::default() })
                .await
        }
        Err(error) => render_page_or_refusal::<EditDealPage>(&guest, Err(error)),
    }
}

/// `POST /console/vendas/{codigo}/alterar`
pub async fn change_deal(
    State(app): State<App>,
    guest: SignedInUser,
    PathNumber(code): PathNumber,
    sent: Result<SubmittedForm, Refusal>,
) -> Response {
    let sent = match sent {
        Ok(sent) => sent,
        Err(refusal) => return refusal.into_response(),
    };
    let code = DealCode::new(code);
    let specs: Vec<InputSpec> = DEAL.iter().chain(VEHICLE).copied().collect();
    let values = read_form_values(&specs, &sent);
    let had = Some((code, sent.text("versao").parse().unwrap_or_default()));
    match save_deal(&app, &guest, had, &values, "").await {
        Ok(_) => redirect_with_notice(&app, code, "As alterações foram salvas."),
        Err(Ok(wrong)) => {
            let name = match deals::show_deal(&app, guest.session(), code).await {
                Ok((view, _)) => view.found.name,
                Err(error) => return render_page_or_refusal::<EditDealPage>(&guest, Err(error)),
            };
            render_deal_form(&app, &guest, EditDealState { had, name, lead: String::new(), values, wrong })
                .await
        }
        Err(Err(error)) => render_page_or_refusal::<EditDealPage>(&guest, Err(error)),
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
