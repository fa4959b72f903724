//! `/console/beneficios/{codigo}`: a benefit with everything in it. Its forms are in `form.rs`, its situation in `moving.rs`, its
//! plans and dependents in `items.rs` and `dependents.rs`, the list of all in `list.rs`.

mod card;
mod dependents;
mod fields;
mod form;
mod items;
mod list;
mod moving;

pub use fields::{SPECS, named};
pub use list::COLUMNS;

use crate::frame::Frame;
use crate::members::{Badge, badge};
use crate::page::show;
use crate::person::{Timeline, told};
use crate::show::{money, reais};
use crate::visitor::{Guest, Number};
use crate::words;
use app::base::Registers;
use app::benefits::{self, Benefit, View};
use app::{App, Error};
use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::response::Response;
use dispatch::{get, post};
use domain::{BenefitCode, SituationKind, shown};
use std::collections::BTreeMap;
use wire::trigger::benefit_description;

pub fn routes() -> Router<App> {
    Router::new()
        .route("/console/beneficios", get(list::list))
        .route("/console/beneficios/novo", get(form::whose))
        .route("/console/associados/{codigo}/beneficios/novo", get(form::new).merge(post(form::create)))
        .route("/console/beneficios/{codigo}", get(one))
        .route("/console/beneficios/{codigo}/alterar", get(form::edit).merge(post(form::change)))
        .route("/console/beneficios/{codigo}/cartao", get(card::card))
        .route("/console/beneficios/{codigo}/situacao", get(moving::moving).merge(post(moving::move_to)))
        .route("/console/beneficios/{codigo}/situacao/desfazer", post(moving::undo))
        .route("/console/beneficios/{codigo}/itens", get(items::new).merge(post(items::add)))
        .route("/console/beneficios/{codigo}/itens/{parte}", post(items::change))
        .route(
            "/console/beneficios/{codigo}/dependentes",
            get(dependents::new).merge(post(dependents::create)),
        )
        .route(
            "/console/beneficios/{codigo}/dependentes/{parte}",
            get(dependents::edit).merge(post(dependents::change)),
        )
        .route("/console/beneficios/{codigo}/dependentes/{parte}/estado", post(dependents::turn))
}

/// `ABC1D23 FIAT ARGO`, or the name of its plan.
pub fn what(registers: &Registers, benefit: &Benefit) -> String {
    let plan = benefit.plans.first().and_then(|(plan, _)| registers.plan(*plan));
    let vehicle = &benefit.vehicle;
    benefit_description(
        vehicle.plate.as_ref(),
        vehicle.brand.as_deref(),
        vehicle.model.as_deref(),
        plan.map_or("", |plan| &plan.name),
    )
}

struct PlanLine {
    code: i32,
    name: String,
    price: String,
    typed_price: String,
    since: String,
    active: bool,
}

struct DependentLine {
    code: i32,
    name: String,
    kinship: &'static str,
    born: String,
    cpf: String,
    card: String,
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
    is_cancelled: bool,
    version: i64,
    facts: Vec<(&'static str, String)>,
    vehicle: Vec<(&'static str, String)>,
    added: Vec<(String, String)>,
    plans: Vec<PlanLine>,
    /// How many of them are in force: the last stays.
    plans_in_force: usize,
    total: String,
    dependents: Vec<DependentLine>,
    timeline: Timeline,
    note: String,
}

pub async fn one(State(app): State<App>, guest: Guest, Number(code): Number) -> Response {
    show(&guest, made(&app, &guest, BenefitCode::new(code)).await)
}

async fn made(app: &App, guest: &Guest, code: BenefitCode) -> Result<Page, Error> {
    let caller = guest.session();
    let view = benefits::whole(app, caller, code).await?;
    let frame = Frame::of(app, guest, "beneficios").await?;
    let history = benefits::history(app, caller, code).await?;
    let dependents = app::dependents::list(app, caller, code).await?;
    let (benefit, registers) = (&view.benefit, &view.registers);
    let plans = view.items.iter().map(|item| PlanLine {
        code: item.code.get(),
        name: registers.plan(item.plan).map_or_else(String::new, |plan| plan.name.clone()),
        price: money(item.price),
        typed_price: reais(item.price),
        since: shown::day(&item.included_on),
        active: item.active,
    });
    let dependents = dependents.rows.iter().map(|(code, one)| DependentLine {
        code: code.get(),
        name: one.name.clone(),
        kinship: words::kinship(one.kinship),
        born: one.born_on.as_deref().map(shown::day).unwrap_or_default(),
        cpf: one.cpf.as_ref().map(ToString::to_string).unwrap_or_default(),
        card: one.card.as_ref().map(ToString::to_string).unwrap_or_default(),
        active: one.active,
    });
    Ok(Page {
        code: code.get(),
        title: what(registers, benefit),
        person: benefit.person.get(),
        holder: view.holder.name.clone(),
        situation: badge(registers, benefit.situation),
        is_cancelled: registers.kind_of(benefit.situation) == Some(SituationKind::Cancelled),
        version: benefit.version,
        facts: facts(&view),
        vehicle: vehicle(&view),
        added: added(&view),
        total: money(view.items.iter().filter(|item| item.active).map(|item| item.price).sum()),
        plans_in_force: view.items.iter().filter(|item| item.active).count(),
        plans: plans.collect(),
        dependents: dependents.collect(),
        timeline: told(history, &BTreeMap::new()),
        note: benefit.note.clone().unwrap_or_default(),
        frame,
    })
}

pub fn filled(facts: Vec<(&'static str, String)>) -> Vec<(&'static str, String)> {
    facts.into_iter().filter(|(_, value)| !value.is_empty()).collect()
}

/// The values of the fields that the association added.
fn added(view: &View) -> Vec<(String, String)> {
    let name = |code| view.registers.fields.iter().find(|field| field.code == code);
    let shown = |value: &String| match value.as_str() {
        "true" => "Sim".to_owned(),
        "false" => "Não".to_owned(),
        other => other.to_owned(),
    };
    let values = view.benefit.fields.iter();
    values.filter_map(|(code, value)| Some((name(*code)?.name.clone(), shown(value)))).collect()
}

fn facts(view: &View) -> Vec<(&'static str, String)> {
    let (benefit, registers) = (&view.benefit, &view.registers);
    let day = |day: &Option<String>| day.as_deref().map(shown::day).unwrap_or_default();
    let seller = |code: Option<domain::SellerCode>| {
        code.and_then(|code| registers.seller_name(code)).unwrap_or_default().to_owned()
    };
    filled(vec![
        ("Tipo", words::kind(benefit.kind).to_owned()),
        ("Número", benefit.sequence.to_string()),
        ("Cartão", benefit.card.as_ref().map(ToString::to_string).unwrap_or_default()),
        ("Loja", registers.branch_name(benefit.branch).to_owned()),
        ("Vencimento", benefit.due_day.map(|day| format!("dia {day}")).unwrap_or_default()),
        ("Cadastro", benefit.created_at.date_in(&registers.zone).to_br()),
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
        ("Combustível", one.fuel.map(words::fuel).unwrap_or_default().to_owned()),
        ("Categoria", one.category.map(words::category).unwrap_or_default().to_owned()),
        ("Tipo", kind.map_or_else(String::new, |kind| kind.name.clone())),
        ("Portas", one.doors.map(|doors| doors.to_string()).unwrap_or_default()),
        ("Chassi", one.chassis.as_ref().map(|chassis| chassis.as_str().to_owned()).unwrap_or_default()),
        ("Renavam", own(&one.renavam)),
        ("Valor do veículo", cents(one.worth)),
        ("Valor protegido", cents(one.protected)),
        ("Participação", cents(one.participation)),
        ("Fipe", own(&one.fipe)),
    ])
}

#[cfg(test)]
pub const CASES: crate::rendered::Cases = &[("console/beneficio.html", |with| {
    let plan = || PlanLine {
        code: 7,
        name: with.text(),
        price: with.text(),
        typed_price: with.text(),
        since: with.text(),
        active: true,
    };
    let dependent = || DependentLine {
        code: 7,
        name: with.text(),
        kinship: "Filho",
        born: with.text(),
        cpf: with.text(),
        card: with.text(),
        active: false,
    };
    crate::rendered::text(&Page {
        frame: with.frame(),
        code: 7,
        title: with.text(),
        person: 7,
        holder: with.text(),
        situation: with.badge(),
        is_cancelled: false,
        version: 3,
        facts: with.facts(),
        vehicle: with.facts(),
        added: with.many(|| (with.text(), with.text())),
        plans: with.many(plan),
        plans_in_force: 3,
        total: with.text(),
        dependents: with.many(dependent),
        timeline: with.timeline(),
        note: with.text(),
    })
})];

#[cfg(test)]
pub const ALL_CASES: &[crate::rendered::Cases] = &[CASES, card::CASES, form::CASES, list::CASES];
