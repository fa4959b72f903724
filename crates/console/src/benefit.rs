//! `/console/beneficios`: benefits, one by one and all; the change of a situation; the card to print.

use crate::form::Form;
use crate::frame::Frame;
use crate::members::{Badge, badge};
use crate::page::{Refusal, page, show};
use crate::person::{Event, told};
use crate::show::{Pager, money};
use crate::visitor::{Guest, Number, Query, redirect, root, tell};
use app::base::Registers;
use app::benefits::{self, Benefit, View};
use app::once::{Done, Once};
use app::{App, Error, dependents, searches};
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use domain::{BenefitCode, BenefitKind, Entity, shown};
use wire::names;
use wire::read;
use wire::records::SituacaoBeneficioInput;
use wire::trigger::benefit_description;

const PAGE: i64 = 100;

pub fn kind_name(kind: BenefitKind) -> &'static str {
    match kind {
        BenefitKind::Vehicle => "Veicular",
        BenefitKind::Health => "Saúde",
        BenefitKind::Miscellaneous => "Diversos",
        BenefitKind::Consortium => "Consórcio",
        BenefitKind::Assistance => "Assistência 24H",
    }
}

struct ListRow {
    code: i32,
    sequence: i32,
    what: String,
    kind: &'static str,
    person: i32,
    name: String,
    branch: String,
    situation: Badge,
}

#[derive(Template)]
#[template(path = "console/beneficios.html")]
struct List {
    frame: Frame,
    rows: Vec<ListRow>,
    pager: Pager,
}

pub async fn list(State(app): State<App>, guest: Guest, query: Query) -> Response {
    show(&guest, list_page(&app, &guest, &query).await)
}

fn what(registers: &Registers, benefit: &Benefit) -> String {
    let plan = benefit.plans.first().and_then(|(plan, _)| registers.plan(*plan));
    let vehicle = &benefit.vehicle;
    benefit_description(
        vehicle.plate.as_ref(),
        vehicle.brand.as_deref(),
        vehicle.model.as_deref(),
        plan.map_or("", |plan| &plan.name),
    )
}

async fn list_page(app: &App, guest: &Guest, query: &Query) -> Result<List, Error> {
    let frame = Frame::of(app, guest, "beneficios").await?;
    let found = searches::list(app, guest.session(), query.page()).await?;
    let registers = &found.registers;
    let rows = found.rows.iter().map(|row| ListRow {
        code: row.code.get(),
        sequence: row.benefit.sequence,
        what: what(registers, &row.benefit),
        kind: kind_name(row.benefit.kind),
        person: row.benefit.person.get(),
        name: row.name.clone(),
        branch: registers.branch_name(row.benefit.branch).to_owned(),
        situation: badge(registers, row.benefit.situation),
    });
    let pager = Pager::new(query.page(), found.total, PAGE, |page| query.with_page(page));
    Ok(List { rows: rows.collect(), pager, frame })
}

struct PlanLine {
    name: String,
    price: String,
    since: String,
    active: bool,
}

struct DependentLine {
    name: String,
    kinship: &'static str,
    cpf: String,
    active: bool,
}

#[derive(Template)]
#[template(path = "console/beneficio.html")]
struct Page {
    frame: Frame,
    code: i32,
    title: String,
    person: i32,
    holder: String,
    situation: Badge,
    facts: Vec<(&'static str, String)>,
    vehicle: Vec<(&'static str, String)>,
    plans: Vec<PlanLine>,
    total: String,
    dependents: Vec<DependentLine>,
    events: Vec<Event>,
    note: String,
}

pub async fn one(State(app): State<App>, guest: Guest, Number(code): Number) -> Response {
    show(&guest, made(&app, &guest, BenefitCode::new(code)).await)
}

async fn made(app: &App, guest: &Guest, code: BenefitCode) -> Result<Page, Error> {
    let caller = guest.session();
    let view = benefits::whole(app, caller, code).await?;
    let frame = Frame::of(app, guest, "beneficios").await?;
    let events = told(benefits::history(app, caller, code).await?);
    let dependents = dependents::list(app, caller, code).await?;
    let (benefit, registers) = (&view.benefit, &view.registers);
    let plans = view.items.iter().map(|item| PlanLine {
        name: registers.plan(item.plan).map_or_else(String::new, |plan| plan.name.clone()),
        price: money(item.price),
        since: shown::day(&item.included_on),
        active: item.active,
    });
    let dependents = dependents.rows.iter().map(|(_, one)| DependentLine {
        name: one.name.clone(),
        kinship: names::kinship(one.kinship),
        cpf: one.cpf.as_ref().map(ToString::to_string).unwrap_or_default(),
        active: one.active,
    });
    Ok(Page {
        code: code.get(),
        title: what(registers, benefit),
        person: benefit.person.get(),
        holder: view.holder.name.clone(),
        situation: badge(registers, benefit.situation),
        facts: facts(&view),
        vehicle: vehicle(&view),
        total: money(view.items.iter().filter(|item| item.active).map(|item| item.price).sum()),
        plans: plans.collect(),
        dependents: dependents.collect(),
        events,
        note: benefit.note.clone().unwrap_or_default(),
        frame,
    })
}

fn filled(facts: Vec<(&'static str, String)>) -> Vec<(&'static str, String)> {
    facts.into_iter().filter(|(_, value)| !value.is_empty()).collect()
}

fn facts(view: &View) -> Vec<(&'static str, String)> {
    let (benefit, registers) = (&view.benefit, &view.registers);
    let day = |day: &Option<String>| day.as_deref().map(shown::day).unwrap_or_default();
    let seller = |code: Option<domain::SellerCode>| {
        code.and_then(|code| registers.seller_name(code)).unwrap_or_default().to_owned()
    };
    filled(vec![
        ("Número", benefit.sequence.to_string()),
        ("Cartão", benefit.card.as_ref().map(ToString::to_string).unwrap_or_default()),
        ("Loja", registers.branch_name(benefit.branch).to_owned()),
        ("Vencimento", benefit.due_day.map(|day| format!("dia {day}")).unwrap_or_default()),
        ("Adesão", day(&benefit.joined_on)),
        ("Ativação", day(&benefit.activated_on)),
        ("Cancelamento", day(&benefit.cancelled_on)),
        ("Consultor", seller(benefit.consultant)),
        ("Representante", seller(benefit.representative)),
        ("Código em outro sistema", benefit.integration_code.clone().unwrap_or_default()),
    ])
}

fn vehicle(view: &View) -> Vec<(&'static str, String)> {
    let one = &view.benefit.vehicle;
    let own = |value: &Option<String>| value.clone().unwrap_or_default();
    let cents = |value: Option<i64>| value.map(money).unwrap_or_default();
    let years = [one.built, one.model_year].into_iter().flatten().map(|year| year.to_string());
    let kind = one.kind.and_then(|code| view.registers.vehicle_types.iter().find(|kind| kind.code == code));
    filled(vec![
        ("Placa", one.plate.as_ref().map(ToString::to_string).unwrap_or_default()),
        ("Marca e modelo", [own(&one.brand), own(&one.model)].join(" ").trim().to_owned()),
        ("Ano", years.collect::<Vec<_>>().join("/")),
        ("Cor", own(&one.colour)),
        ("Chassi", one.chassis.as_ref().map(|chassis| chassis.as_str().to_owned()).unwrap_or_default()),
        ("Renavam", own(&one.renavam)),
        ("Tipo", kind.map_or_else(String::new, |kind| kind.name.clone())),
        ("Valor do veículo", cents(one.worth)),
        ("Valor protegido", cents(one.protected)),
        ("Participação", cents(one.participation)),
        ("Fipe", own(&one.fipe)),
    ])
}

struct Target {
    code: i32,
    name: String,
    badge: Badge,
    is_chosen: bool,
}

#[derive(Template)]
#[template(path = "console/situacao.html")]
struct Moving {
    frame: Frame,
    code: i32,
    title: String,
    holder: String,
    situation: Badge,
    targets: Vec<Target>,
    reason: String,
    version: i64,
    receivers: usize,
    problems: Vec<String>,
}

/// `GET /console/beneficios/{codigo}/situacao`
pub async fn moving(State(app): State<App>, guest: Guest, Number(code): Number) -> Response {
    moving_page(&app, &guest, BenefitCode::new(code), ("", "", Vec::new())).await
}

async fn moving_page(
    app: &App,
    guest: &Guest,
    code: BenefitCode,
    (chosen, reason, problems): (&str, &str, Vec<String>),
) -> Response {
    let status = if problems.is_empty() { StatusCode::OK } else { StatusCode::BAD_REQUEST };
    let view = match benefits::whole(app, guest.session(), code).await {
        Ok(view) => view,
        Err(error) => return show::<Moving>(guest, Err(error)),
    };
    let frame = match Frame::of(app, guest, "beneficios").await {
        Ok(frame) => frame,
        Err(error) => return Refusal::from(&error).into_response(),
    };
    let registers = &view.registers;
    let now = view.benefit.situation;
    let open = registers
        .situations_of(Entity::Benefit)
        .filter(|one| one.code != now && registers.may_move(now, one.code));
    let targets = open.map(|one| Target {
        code: one.code.get(),
        name: one.name.clone(),
        badge: badge(registers, one.code),
        is_chosen: one.code.to_string() == chosen,
    });
    let template = Moving {
        frame,
        code: code.get(),
        title: what(registers, &view.benefit),
        holder: view.holder.name.clone(),
        situation: badge(registers, now),
        targets: targets.collect(),
        reason: reason.to_owned(),
        version: view.benefit.version,
        receivers: registers.receivers_of(Entity::Benefit).len(),
        problems,
    };
    page(status, &template)
}

/// `POST /console/beneficios/{codigo}/situacao`
pub async fn move_to(
    State(app): State<App>,
    guest: Guest,
    Number(code): Number,
    form: Result<Form, Refusal>,
) -> Response {
    let form = match form {
        Ok(form) => form,
        Err(refusal) => return refusal.into_response(),
    };
    let code = BenefitCode::new(code);
    let (to, reason) = (form.text("codSituacao"), form.text("motivo").trim());
    let sent = serde_json::json!({"codSituacao": to, "motivo": reason, "versao": form.text("versao")});
    let problems = match read::body::<SituacaoBeneficioInput>(sent.to_string().as_bytes()) {
        Err(unread) => unread.problems.into_lines(),
        Ok(_) if to.is_empty() => vec!["Escolha a nova situação.".to_owned()],
        Ok(input) => {
            let moved = benefits::move_to(&app, guest.session(), code, input, Once::each_time()).await;
            match moved.and_then(Done::now) {
                Ok(view) => {
                    let name = badge(&view.registers, view.benefit.situation).name;
                    let mut response = redirect(&format!("{}/console/beneficios/{code}", root(&app)));
                    tell(&mut response, &format!("A situação agora é {name}."));
                    return response;
                }
                Err(Error::Refused(problems)) => problems.iter().map(wire::refusal::text).collect(),
                Err(error) => return show::<Moving>(&guest, Err(error)),
            }
        }
    };
    moving_page(&app, &guest, code, (to, reason, problems)).await
}

#[derive(Template)]
#[template(path = "console/cartao.html")]
struct Card {
    frame: Frame,
    code: i32,
    base: String,
    holder: String,
    card: String,
    what: String,
    plans: String,
    since: String,
}

/// `GET /console/beneficios/{codigo}/cartao`
pub async fn card(State(app): State<App>, guest: Guest, Number(code): Number) -> Response {
    show(&guest, card_page(&app, &guest, BenefitCode::new(code)).await)
}

async fn card_page(app: &App, guest: &Guest, code: BenefitCode) -> Result<Card, Error> {
    let view = benefits::whole(app, guest.session(), code).await?;
    let frame = Frame::of(app, guest, "beneficios").await?;
    let (benefit, registers) = (&view.benefit, &view.registers);
    let plans = benefit.plans.iter().filter_map(|(plan, _)| Some(registers.plan(*plan)?.name.as_str()));
    Ok(Card {
        code: code.get(),
        base: frame.base.clone(),
        holder: view.holder.name.clone(),
        card: benefit.card.as_ref().map(ToString::to_string).unwrap_or_default(),
        what: what(registers, benefit),
        plans: plans.collect::<Vec<_>>().join(", "),
        since: benefit.joined_on.as_deref().map(shown::day).unwrap_or_default(),
        frame,
    })
}

#[cfg(test)]
pub const CASES: crate::rendered::Cases = &[
    ("console/beneficios.html", |with| {
        let row = || ListRow {
            code: 7,
            sequence: 1,
            what: with.text(),
            kind: "Veículo",
            person: 7,
            name: with.text(),
            branch: with.text(),
            situation: with.badge(),
        };
        let pager = Pager::new(2, 250, 100, |_| with.text());
        crate::rendered::text(&List { frame: with.frame(), rows: with.many(row), pager })
    }),
    ("console/beneficio.html", |with| {
        let facts = || with.many(|| ("Cartão", with.text()));
        let plan = || PlanLine { name: with.text(), price: with.text(), since: with.text(), active: true };
        let dependent =
            || DependentLine { name: with.text(), kinship: "Filho", cpf: with.text(), active: false };
        crate::rendered::text(&Page {
            frame: with.frame(),
            code: 7,
            title: with.text(),
            person: 7,
            holder: with.text(),
            situation: with.badge(),
            facts: facts(),
            vehicle: facts(),
            plans: with.many(plan),
            total: with.text(),
            dependents: with.many(dependent),
            events: with.many(|| with.event()),
            note: with.text(),
        })
    }),
    ("console/situacao.html", |with| {
        let target = || Target { code: 3, name: with.text(), badge: with.badge(), is_chosen: true };
        crate::rendered::text(&Moving {
            frame: with.frame(),
            code: 7,
            title: with.text(),
            holder: with.text(),
            situation: with.badge(),
            targets: with.many(target),
            reason: with.text(),
            version: 3,
            receivers: 2,
            problems: with.many(|| with.text()),
        })
    }),
    ("console/cartao.html", |with| {
        crate::rendered::text(&Card {
            frame: with.frame(),
            code: 7,
            base: with.text(),
            holder: with.text(),
            card: with.text(),
            what: with.text(),
            plans: with.text(),
            since: with.text(),
        })
    }),
];
