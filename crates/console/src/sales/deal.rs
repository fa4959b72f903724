//! One deal: with whom, what about, how far it is, and what happened to it.

use super::fields::label;
use super::{Stage, stage, state};
use crate::form::Form;
use crate::frame::Frame;
use crate::notice::tell;
use crate::page::{Refusal, page as answer, show};
use crate::records::{Values, json, labelled};
use crate::show::{moment, money};
use crate::visitor::{Guest, Number, redirect, root};
use app::base::Registers;
use app::deals::{self, DealDependent, View};
use app::happened::What;
use app::once::Once;
use app::{App, Error};
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use domain::{DealCode, DealState, Kinship, Moment, shown};
use wire::names;
use wire::read;

struct Event {
    when: String,
    who: String,
    stage: Option<Stage>,
    text: String,
}

struct Dependent {
    name: String,
    kinship: &'static str,
    cpf: String,
    born: String,
}

#[derive(Template)]
#[template(path = "console/negocio.html")]
struct Page {
    frame: Frame,
    code: i32,
    sequence: i32,
    name: String,
    title: String,
    stage: Stage,
    age: String,
    state: &'static str,
    state_class: &'static str,
    is_open: bool,
    is_lost: bool,
    lost_because: String,
    benefit: Option<i32>,
    person: i32,
    version: i64,
    facts: Vec<(&'static str, String)>,
    contact: Vec<(&'static str, String)>,
    vehicle: Vec<(&'static str, String)>,
    plans: Vec<(String, String)>,
    dependents: Vec<Dependent>,
    takes_dependents: bool,
    kinships: Vec<&'static str>,
    note: String,
    message: String,
    stages: Vec<(i32, String, bool)>,
    events: Vec<Event>,
    typed: Typed,
}

/// What was typed on the page and not taken, and why not.
#[derive(Default)]
pub struct Typed {
    /// Why it was to be lost.
    pub reason: Option<String>,
    pub dependent: Values,
    pub problems: Vec<String>,
}

impl Typed {
    fn of(&self, name: &str) -> &str {
        self.dependent.get(name).map_or("", String::as_str)
    }
}

/// The page with what was typed.
pub async fn again(app: &App, guest: &Guest, code: DealCode, typed: Typed) -> Response {
    match made(app, guest, code).await {
        Ok(page) => answer(StatusCode::BAD_REQUEST, &Page { typed, ..page }),
        Err(error) => show::<Page>(guest, Err(error)),
    }
}

/// `GET /console/vendas/{codigo}`
pub async fn page(State(app): State<App>, guest: Guest, Number(code): Number) -> Response {
    show(&guest, made(&app, &guest, DealCode::new(code)).await)
}

async fn made(app: &App, guest: &Guest, code: DealCode) -> Result<Page, Error> {
    let caller = guest.session();
    let (view, registers) = deals::whole(app, caller, code).await?;
    let frame = Frame::of(app, guest, "vendas").await?;
    let events = events(app, guest, code, &view, &registers).await?;
    let deal = &view.found.deal;
    let (state, state_class) = state(deal.state);
    let own = |value: &Option<String>| value.clone().unwrap_or_default();
    let day = |day: &Option<String>| day.as_deref().map(shown::day).unwrap_or_default();
    let funnel = registers.funnel(deal.funnel);
    let stages = funnel.map_or(&[][..], |funnel| &funnel.stages).iter().filter(|one| one.active);
    let plan =
        |code: &domain::PlanCode| registers.plan(*code).map(|plan| (plan.name.clone(), money(plan.price)));
    Ok(Page {
        code: code.get(),
        sequence: deal.sequence,
        name: view.found.name.clone(),
        title: own(&deal.title),
        stage: stage(&registers, deal.stage),
        age: crate::board::age(app.now().since(deal.stage_since)),
        state,
        state_class,
        is_open: deal.state == DealState::Open,
        is_lost: deal.state == DealState::Lost,
        lost_because: own(&deal.lost_because),
        benefit: deal.benefit.map(domain::BenefitCode::get),
        person: view.found.person.get(),
        version: deal.version,
        facts: crate::benefit::filled(vec![
            ("Funil", funnel.map_or_else(String::new, |one| one.name.clone())),
            ("Loja", registers.branch_name(deal.branch).to_owned()),
            ("Quem cuida", own(&view.found.responsible_name)),
            (
                "Tipo de benefício",
                deal.kind.map(|kind| crate::words::kind(kind).to_owned()).unwrap_or_default(),
            ),
            ("Valor por mês", deal.price.map(money).unwrap_or_default()),
            ("Aberto em", shown::day(&deal.opened_on)),
            ("Deve fechar em", day(&deal.expected_on)),
        ]),
        contact: contact(&view, &registers),
        vehicle: vehicle(deal),
        plans: deal.plans.iter().filter_map(plan).collect(),
        dependents: view.dependents.iter().map(|(_, one)| dependent(one)).collect(),
        takes_dependents: deal.kind == Some(domain::BenefitKind::Health) && deal.state == DealState::Open,
        kinships: Kinship::ALL.iter().map(|one| names::kinship(*one)).collect(),
        note: own(&deal.note),
        message: own(&view.lead.lead.message),
        stages: stages.map(|one| (one.code.get(), one.name.clone(), one.code == deal.stage)).collect(),
        events,
        typed: Typed::default(),
        frame,
    })
}

fn contact(view: &View, registers: &Registers) -> Vec<(&'static str, String)> {
    let lead = &view.lead.lead;
    let own = |value: &Option<String>| value.clone().unwrap_or_default();
    let text = |value: Option<String>| value.unwrap_or_default();
    let place: Vec<&str> = [lead.city.as_deref(), lead.state.as_deref()].into_iter().flatten().collect();
    crate::benefit::filled(vec![
        ("Celular", text(lead.mobile.as_ref().map(ToString::to_string))),
        ("Telefone", text(lead.landline.as_ref().map(ToString::to_string))),
        ("E-mail", text(lead.email.as_ref().map(ToString::to_string))),
        ("CPF ou CNPJ", text(lead.document.as_ref().map(ToString::to_string))),
        ("Empresa", own(&lead.company)),
        ("Cidade", place.join("/")),
        ("De onde veio", own(&lead.origin)),
        ("Consultor", text(lead.consultant.and_then(|code| registers.seller_name(code)).map(str::to_owned))),
    ])
}

pub fn vehicle(deal: &deals::Deal) -> Vec<(&'static str, String)> {
    let values = super::fields::vehicle(deal);
    let mut shown: Vec<(&'static str, String)> = Vec::new();
    for spec in super::fields::VEHICLE.iter().filter(|spec| spec.name != "veiculo.valorVeiculo") {
        shown.push((spec.label, values.get(spec.name).cloned().unwrap_or_default()));
    }
    shown.push(("Valor do veículo", deal.vehicle.worth.map(money).unwrap_or_default()));
    crate::benefit::filled(shown)
}

fn dependent(one: &DealDependent) -> Dependent {
    Dependent {
        name: one.name.clone(),
        kinship: names::kinship(one.kinship),
        cpf: one.cpf.as_ref().map(ToString::to_string).unwrap_or_default(),
        born: one.born_on.as_deref().map(shown::day).unwrap_or_default(),
    }
}

/// The moves on the board and the changes of fields, the newest first.
async fn events(
    app: &App,
    guest: &Guest,
    code: DealCode,
    view: &View,
    registers: &Registers,
) -> Result<Vec<Event>, Error> {
    let zone = &registers.zone;
    let who = |name: &Option<String>| name.clone().unwrap_or_else(|| "Sistema".to_owned());
    let moves = view.moves.iter().map(|one| {
        let text = match one.state {
            DealState::Open => String::new(),
            closed => state(closed).0.to_owned(),
        };
        let event = Event {
            when: moment(one.at, zone),
            who: who(&one.user_name),
            stage: Some(stage(registers, one.stage)),
            text,
        };
        (one.at, event)
    });
    let mut all: Vec<(Moment, Event)> = moves.collect();
    let history = deals::history(app, guest.session(), code).await?;
    for one in history.happened {
        // Stages and states are told by the moves.
        let What::Field { name, before, after } = one.what else { continue };
        let Some(label) = label(&name).filter(|_| name != "codEtapa") else { continue };
        let text = |value: Option<String>| value.unwrap_or_else(|| "vazio".to_owned());
        let text = format!("{label}: de {} para {}", text(before), text(after));
        let event = Event { when: moment(one.at, zone), who: who(&one.user_name), stage: None, text };
        all.push((one.at, event));
    }
    all.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
    Ok(all.into_iter().map(|(_, event)| event).collect())
}

/// What the page calls what is asked of a dependent.
const DEPENDENT: [(&str, &str); 4] =
    [("nome", "Nome"), ("parentesco", "Parentesco"), ("cpf", "CPF"), ("dataNascimento", "Nascimento")];

/// `POST /console/vendas/{codigo}/dependentes`
pub async fn add_dependent(
    State(app): State<App>,
    guest: Guest,
    Number(code): Number,
    form: Result<Form, Refusal>,
) -> Response {
    let form = match form {
        Ok(form) => form,
        Err(refusal) => return refusal.into_response(),
    };
    let dependent: Values = DEPENDENT.map(|(name, _)| (name, form.text(name).trim().to_owned())).into();
    let mut given = dependent.clone();
    given.retain(|_, text| !text.is_empty());
    let deal = DealCode::new(code);
    let lines = match read::body(&json(&given, &[])) {
        Err(unread) => unread.problems.into_lines(),
        Ok(input) => {
            match deals::dependents::save(&app, guest.session(), (deal, None), input, Once::each_time()).await
            {
                Ok(_) => {
                    let mut response = redirect(&format!("{}/console/vendas/{code}", root(&app)));
                    tell(&mut response, &format!("{} entrou como dependente.", form.text("nome").trim()));
                    return response;
                }
                Err(Error::Refused(problems)) => problems.iter().map(wire::refusal::text).collect(),
                Err(error) => return show::<Page>(&guest, Err(error)),
            }
        }
    };
    let problems = labelled(lines, &DEPENDENT);
    again(&app, &guest, deal, Typed { dependent, problems, ..Typed::default() }).await
}

#[cfg(test)]
pub const CASES: crate::rendered::Cases = &[("console/negocio.html", |with| {
    let event = || Event {
        when: with.text(),
        who: with.text(),
        stage: with.maybe(|| Stage::sample(*with)),
        text: with.text(),
    };
    let dependent = || Dependent { name: with.text(), kinship: "Filho", cpf: with.text(), born: with.text() };
    let typed = || Typed {
        reason: with.maybe(|| with.text()),
        dependent: Values::from([("nome", with.text())]),
        problems: with.many(|| with.text()),
    };
    let page = |is_open: bool| {
        crate::rendered::text(&Page {
            frame: with.frame(),
            code: 7,
            sequence: 1,
            name: with.text(),
            title: with.text(),
            stage: Stage::sample(*with),
            age: with.text(),
            state: "Perdido",
            state_class: "wrong",
            is_open,
            is_lost: !is_open,
            lost_because: with.text(),
            benefit: with.maybe(|| 7),
            person: 7,
            version: 3,
            facts: with.facts(),
            contact: with.facts(),
            vehicle: with.facts(),
            plans: with.many(|| (with.text(), with.text())),
            dependents: with.many(dependent),
            takes_dependents: is_open,
            kinships: vec!["FILHO"],
            note: with.text(),
            message: with.text(),
            stages: with.many(|| (3, with.text(), true)),
            events: with.many(event),
            typed: typed(),
        })
    };
    [page(true), page(false)].concat()
})];
