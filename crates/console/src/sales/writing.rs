//! A contact is captured and a deal begins; a deal is altered.

use super::fields::{CONTACT, DEAL, VEHICLE, choices, label, record, values};
use crate::form::Form;
use crate::frame::Frame;
use crate::notice::tell;
use crate::page::{Refusal, page, show};
use crate::records::{Conflict, Input, Problems, Spec, Values, inputs, typed};
use crate::visitor::{Guest, Number, Query, redirect, root};
use app::once::{Done, Once};
use app::{App, Error, deals, leads, users};
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use domain::{DealCode, LeadCode, Rejection, Role};
use std::collections::BTreeMap;
use wire::read;
use wire::records::{NegocioAlterado, NegocioNovo};

#[derive(Template)]
#[template(path = "console/negocio_form.html")]
struct Write {
    frame: Frame,
    title: String,
    /// What is said below the title.
    about: String,
    lead: String,
    back: String,
    /// None of a new one.
    version: Option<i64>,
    sections: Vec<(&'static str, Vec<Input>)>,
    conflict: Option<Conflict>,
    others: Vec<String>,
    is_refused: bool,
}

/// What the form shows: of a new deal, or of the one of this code, as it was read.
#[derive(Default)]
struct Shown {
    had: Option<(DealCode, i64)>,
    name: String,
    /// A lead that is known already.
    lead: String,
    values: Values,
    wrong: Wrong,
}

/// What was wrong, as lines and as far as a rule said so.
#[derive(Default)]
struct Wrong {
    lines: Vec<String>,
    rejections: Vec<Rejection>,
}

fn sections(is_known: bool) -> Vec<(&'static str, &'static [Spec])> {
    let contact: Option<(&'static str, &'static [Spec])> = (!is_known).then_some(("Quem é", CONTACT));
    contact.into_iter().chain([("O que interessa", DEAL), ("Veículo, se for o caso", VEHICLE)]).collect()
}

async fn form(app: &App, guest: &Guest, shown: Shown) -> Response {
    match made(app, guest, shown).await {
        Ok(template) => {
            let status = if template.is_refused { StatusCode::BAD_REQUEST } else { StatusCode::OK };
            page(status, &template)
        }
        Err(error) => show::<Write>(guest, Err(error)),
    }
}

async fn made(app: &App, guest: &Guest, shown: Shown) -> Result<Write, Error> {
    let frame = Frame::of(app, guest, "vendas").await?;
    let registers = app::base::registers(app, guest.session().scope.tenant()).await?;
    let users = responsible(app, guest).await?;
    let parts = sections(shown.had.is_some() || !shown.lead.is_empty());
    let all: Vec<Spec> = parts.iter().flat_map(|(_, specs)| specs.iter().copied()).collect();
    let values = &shown.values;
    let choices = |name: &str| choices(&registers, guest, &users, values, name);
    let conflict = Conflict::among(&shown.wrong.rejections, str::to_owned);
    // The stage says the funnel, which the page does not show.
    let conflict = conflict.map(|one| one.named(label, choices));
    let problems = Problems::new(renamed(shown.wrong.lines), &all);
    let fields = |specs: &[Spec]| inputs(specs, values, &problems, choices);
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
    Ok(Write {
        title,
        about,
        lead: shown.lead,
        back: match code {
            Some(code) => format!("{}/console/vendas/{code}", frame.root),
            None => format!("{}/console/vendas", frame.root),
        },
        // Whoever has seen both may save his own.
        version: conflict.as_ref().map(|one| one.version).or(shown.had.map(|(_, version)| version)),
        sections,
        is_refused: !problems.is_empty() || conflict.is_some(),
        conflict,
        others: problems.others,
        frame,
    })
}

/// Each thing has one name on the page, whatever names it has in the interface.
fn renamed(lines: Vec<String>) -> Vec<String> {
    let names = [("nome: ", "nomePessoa: "), ("documento: ", "cpfCnpj: "), ("codFunil: ", "codEtapa: ")];
    let one = |line: String| match names.iter().find(|(from, _)| line.starts_with(from)) {
        Some((from, to)) => line.replacen(from, to, 1),
        None => line,
    };
    lines.into_iter().map(one).collect()
}

/// Who may see to a deal.
async fn responsible(app: &App, guest: &Guest) -> Result<BTreeMap<i32, String>, Error> {
    let all = users::list(app, &guest.session().scope).await?;
    let people = all.into_iter().filter(|user| user.active && user.role != Role::Integration);
    Ok(people.map(|user| (user.code.get(), user.name)).collect())
}

async fn lead_name(app: &App, guest: &Guest, lead: &str) -> Result<String, Error> {
    match lead.parse() {
        Ok(code) => Ok(leads::one(app, guest.session(), LeadCode::new(code)).await?.found.lead.name),
        Err(_) => Ok(String::new()),
    }
}

/// `GET /console/vendas/novo`
pub async fn new(State(app): State<App>, guest: Guest, query: Query) -> Response {
    let lead = query.text("codLead").to_owned();
    let name = match lead_name(&app, &guest, &lead).await {
        Ok(name) => name,
        Err(error) => return show::<Write>(&guest, Err(error)),
    };
    let values = Values::from([("codUsuarioResponsavel", guest.session().user.to_string())]);
    form(&app, &guest, Shown { name, lead, values, ..Shown::default() }).await
}

/// `POST /console/vendas/novo`
pub async fn create(State(app): State<App>, guest: Guest, sent: Result<Form, Refusal>) -> Response {
    let sent = match sent {
        Ok(sent) => sent,
        Err(refusal) => return refusal.into_response(),
    };
    let lead = sent.text("codLead").trim().to_owned();
    let specs: Vec<Spec> =
        sections(!lead.is_empty()).iter().flat_map(|(_, specs)| specs.iter().copied()).collect();
    let values = typed(&specs, &sent);
    match written(&app, &guest, None, &values, &lead).await {
        Ok((code, name)) => done(&app, code, &format!("Negócio com {name} aberto.")),
        Err(Ok(wrong)) => match lead_name(&app, &guest, &lead).await {
            Ok(name) => form(&app, &guest, Shown { had: None, name, lead, values, wrong }).await,
            Err(error) => show::<Write>(&guest, Err(error)),
        },
        Err(Err(error)) => show::<Write>(&guest, Err(error)),
    }
}

fn done(app: &App, code: DealCode, told: &str) -> Response {
    let mut response = redirect(&format!("{}/console/vendas/{code}", root(app)));
    tell(&mut response, told);
    response
}

async fn written(
    app: &App,
    guest: &Guest,
    had: Option<(DealCode, i64)>,
    values: &Values,
    lead: &str,
) -> Result<(DealCode, String), Result<Wrong, Error>> {
    let caller = guest.session();
    let registers = app::base::registers(app, caller.scope.tenant()).await.map_err(Err)?;
    let lead = Some(lead).filter(|lead| !lead.is_empty());
    let body = record(&registers, values, lead, had.is_none());
    let input = match had {
        None => read::body::<NegocioNovo>(&body).map(|new| new.0).map_err(|unread| unread.problems),
        Some(_) => read::body::<NegocioAlterado>(&body).map(|old| old.0).map_err(|unread| unread.problems),
    };
    let input = input.map_err(|problems| Ok(Wrong { lines: problems.into_lines(), ..Wrong::default() }))?;
    let done = match had {
        None => deals::save(app, caller, None, input, Once::each_time()).await,
        Some(had) => deals::alter(app, caller, had, input, Once::each_time()).await,
    };
    match done.and_then(Done::now) {
        Ok(saved) => {
            let (view, _) = deals::whole(app, caller, saved.code).await.map_err(Err)?;
            Ok((saved.code, view.found.name))
        }
        Err(Error::Refused(rejections)) => {
            let others = rejections.iter().filter(|one| !matches!(one, Rejection::OldVersion { .. }));
            Err(Ok(Wrong { lines: others.map(wire::refusal::text).collect(), rejections }))
        }
        Err(error) => Err(Err(error)),
    }
}

/// `GET /console/vendas/{codigo}/alterar`
pub async fn edit(State(app): State<App>, guest: Guest, Number(code): Number) -> Response {
    let code = DealCode::new(code);
    match deals::whole(&app, guest.session(), code).await {
        Ok((view, _)) => {
            let (name, values) = (view.found.name.clone(), values(&view.found.deal));
            let had = Some((code, view.found.deal.version));
            form(&app, &guest, Shown { had, name, values, ..Shown::default() }).await
        }
        Err(error) => show::<Write>(&guest, Err(error)),
    }
}

/// `POST /console/vendas/{codigo}/alterar`
pub async fn change(
    State(app): State<App>,
    guest: Guest,
    Number(code): Number,
    sent: Result<Form, Refusal>,
) -> Response {
    let sent = match sent {
        Ok(sent) => sent,
        Err(refusal) => return refusal.into_response(),
    };
    let code = DealCode::new(code);
    let specs: Vec<Spec> = DEAL.iter().chain(VEHICLE).copied().collect();
    let values = typed(&specs, &sent);
    let had = Some((code, sent.text("versao").parse().unwrap_or_default()));
    match written(&app, &guest, had, &values, "").await {
        Ok(_) => done(&app, code, "As alterações foram salvas."),
        Err(Ok(wrong)) => {
            let name = match deals::whole(&app, guest.session(), code).await {
                Ok((view, _)) => view.found.name,
                Err(error) => return show::<Write>(&guest, Err(error)),
            };
            form(&app, &guest, Shown { had, name, lead: String::new(), values, wrong }).await
        }
        Err(Err(error)) => show::<Write>(&guest, Err(error)),
    }
}

#[cfg(test)]
pub const CASES: crate::rendered::Cases = &[("console/negocio_form.html", |with| {
    let page = |conflict| {
        crate::rendered::text(&Write {
            frame: with.frame(),
            title: with.text(),
            about: with.text(),
            lead: with.text(),
            back: with.text(),
            version: with.maybe(|| 3),
            sections: with.many(|| ("Contato", with.inputs())),
            conflict,
            others: with.many(|| with.text()),
            is_refused: with.is_full(),
        })
    };
    [page(None), page(with.maybe(|| with.conflict()))].concat()
})];
