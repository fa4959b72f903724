//! `/console/beneficios/{codigo}`: the page of a benefit.

use super::discounts::{GrantedDiscountSection, load_discount_section};
use crate::http::parameters::PathNumber;
use crate::pages::finance::balance_badge::{BalanceBadge, load_benefit_badge};
use crate::pages::members::timeline::{EventTimeline, build_timeline};
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::facts::drop_empty_facts;
use crate::widgets::formats::{format_money, format_reais};
use crate::widgets::frame::PageFrame;
use crate::widgets::labels;
use crate::widgets::page::{HandlerResult, show_page};
use crate::widgets::situation_badge::{SituationBadge, build_situation_badge};
use app::App;
use app::benefits::{self, FullBenefit, describe_stored_benefit};
use askama::Template;
use axum::extract::State;
use domain::finance::{PriceKey, PriceSource, choose_price};
use domain::{BenefitCode, BenefitItem, Date, Money, SituationKind};
use std::collections::BTreeMap;

struct PlanLine {
    code: i32,
    name: String,
    price: String,
    /// `combinado`, `da tabela`…
    source: &'static str,
    is_agreed: bool,
    /// For the input, and what is stored.
    typed_price: String,
    stored_price: String,
    since: String,
    active: bool,
}

struct CoveredDependentLine {
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
struct ViewBenefitPage {
    frame: PageFrame,
    code: i32,
    title: String,
    person: i32,
    holder: String,
    situation: SituationBadge,
    is_cancelled: bool,
    version: i64,
    facts: Vec<(&'static str, String)>,
    vehicle: Vec<(&'static str, String)>,
    added: Vec<(String, String)>,
    plans: Vec<PlanLine>,
    /// Number of active plans: the last one cannot be removed.
    plans_in_force: usize,
    total: String,
    dependents: Vec<CoveredDependentLine>,
    timeline: EventTimeline,
    note: String,
    /// `None` for users who do not see money.
    balance: Option<BalanceBadge>,
    discounts: Option<GrantedDiscountSection>,
}

pub async fn show_benefit_page(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
) -> HandlerResult {
    let code = BenefitCode::new(code);
    let caller = user.session();
    let view = benefits::read_full_benefit(&app, caller, code).await?;
    let frame = PageFrame::load(&app, &user, "beneficios").await?;
    let history = benefits::read_benefit_history(&app, caller, code).await?;
    let dependents = app::members::dependents::list_benefit_dependents(&app, caller, code).await?;
    let (benefit, registers) = (&view.benefit, &view.registers);
    let today = app.now().date_in(&registers.zone);
    let price = |item: &BenefitItem| find_item_price(&view, item, today);
    let plans = view.items.iter().map(|item| PlanLine {
        code: item.code.get(),
        name: registers.plan(item.plan).map_or_else(String::new, |plan| plan.name.clone()),
        price: format_money(price(item).0),
        source: price(item).1,
        is_agreed: item.is_price_agreed,
        typed_price: format_reais(price(item).0),
        stored_price: format_reais(item.price),
        since: item.included_on.to_br(),
        active: item.active,
    });
    let dependents = dependents.rows.iter().map(|(code, one)| CoveredDependentLine {
        code: code.get(),
        name: one.name.clone(),
        kinship: labels::label_kinship(one.kinship),
        born: one.born_on.map(Date::to_br).unwrap_or_default(),
        cpf: one.cpf.as_ref().map(ToString::to_string).unwrap_or_default(),
        card: one.card.as_ref().map(ToString::to_string).unwrap_or_default(),
        active: one.active,
    });
    show_page(&ViewBenefitPage {
        code: code.get(),
        title: describe_stored_benefit(registers, benefit),
        person: benefit.person.get(),
        holder: view.holder.name.clone(),
        situation: build_situation_badge(registers, benefit.situation),
        is_cancelled: registers.situation_kind(benefit.situation) == Some(SituationKind::Cancelled),
        version: benefit.version,
        facts: list_benefit_facts(&view),
        vehicle: list_vehicle_facts(&view),
        added: list_additional_facts(&view),
        total: format_money(view.items.iter().filter(|item| item.active).map(|item| price(item).0).sum()),
        plans_in_force: view.items.iter().filter(|item| item.active).count(),
        plans: plans.collect(),
        dependents: dependents.collect(),
        timeline: build_timeline(history, &BTreeMap::new()),
        note: benefit.note.clone().unwrap_or_default(),
        balance: load_benefit_badge(&app, &user, &frame.root, (benefit.person, code)).await?,
        discounts: load_discount_section(&app, &user, code).await?,
        frame,
    })
}

/// What an item costs today, and where the price comes from. One that is over keeps what it cost.
fn find_item_price(view: &FullBenefit, item: &BenefitItem, today: Date) -> (Money, &'static str) {
    if !item.active {
        return (item.price, "");
    }
    let (benefit, registers) = (&view.benefit, &view.registers);
    let key = PriceKey {
        plan: item.plan,
        day: today,
        branch: benefit.branch,
        vehicle_type: benefit.vehicle.kind,
        value: benefit.vehicle.protected.or(benefit.vehicle.worth),
    };
    let rows = registers.money.price_table.prices_of(item.plan);
    let plan_price = registers.plan(item.plan).map(|plan| plan.price);
    let agreed = item.is_price_agreed.then_some(item.price);
    match choose_price(agreed, rows, plan_price, &key) {
        Some(price) => (
            price.amount,
            match price.origin.source {
                PriceSource::Agreed => "combinado",
                PriceSource::PriceTable => "da tabela",
                PriceSource::Plan => "do plano",
            },
        ),
        None => (Money::default(), "sem preço"),
    }
}

/// Values of the tenant's custom fields.
fn list_additional_facts(view: &FullBenefit) -> Vec<(String, String)> {
    let name = |code| view.registers.fields.iter().find(|field| field.code == code);
    let format_value = |value: &String| match value.as_str() {
        "true" => "Sim".to_owned(),
        "false" => "Não".to_owned(),
        other => other.to_owned(),
    };
    let values = view.benefit.fields.iter();
    values.filter_map(|(code, value)| Some((name(*code)?.name.clone(), format_value(value)))).collect()
}

fn list_benefit_facts(view: &FullBenefit) -> Vec<(&'static str, String)> {
    let (benefit, registers) = (&view.benefit, &view.registers);
    let day = |day: Option<Date>| day.map(Date::to_br).unwrap_or_default();
    let seller = |code: Option<domain::SellerCode>| {
        code.and_then(|code| registers.seller_name(code)).unwrap_or_default().to_owned()
    };
    drop_empty_facts(vec![
        ("Tipo", labels::label_benefit_kind(benefit.kind).to_owned()),
        ("Número", benefit.sequence.to_string()),
        ("Cartão", benefit.card.as_ref().map(ToString::to_string).unwrap_or_default()),
        ("Loja", registers.branch_name(benefit.branch).to_owned()),
        ("Vencimento", benefit.due_day.map(|day| format!("dia {day}")).unwrap_or_default()),
        ("Cadastro", benefit.created_at.date_in(&registers.zone).to_br()),
        ("Adesão", day(benefit.joined_on)),
        ("Ativação", day(benefit.activated_on)),
        ("Cancelamento", day(benefit.cancelled_on)),
        ("Consultor", seller(benefit.consultant)),
        ("Representante", seller(benefit.representative)),
        ("Código em outro sistema", benefit.integration_code.clone().unwrap_or_default()),
    ])
}

fn list_vehicle_facts(view: &FullBenefit) -> Vec<(&'static str, String)> {
    let vehicle = &view.benefit.vehicle;
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    let money = |value: Option<Money>| value.map(format_money).unwrap_or_default();
    let years = [vehicle.built, vehicle.model_year].into_iter().flatten().map(|year| year.to_string());
    let kind =
        vehicle.kind.and_then(|code| view.registers.vehicle_types.iter().find(|kind| kind.code == code));
    drop_empty_facts(vec![
        ("Placa", vehicle.plate.as_ref().map(ToString::to_string).unwrap_or_default()),
        ("Marca e modelo", [text(&vehicle.brand), text(&vehicle.model)].join(" ").trim().to_owned()),
        ("Ano", years.collect::<Vec<_>>().join("/")),
        ("Cor", text(&vehicle.colour)),
        ("Combustível", vehicle.fuel.map(labels::label_fuel).unwrap_or_default().to_owned()),
        ("Categoria", vehicle.category.map(labels::label_vehicle_category).unwrap_or_default().to_owned()),
        ("Tipo", kind.map_or_else(String::new, |kind| kind.name.clone())),
        ("Portas", vehicle.doors.map(|doors| doors.to_string()).unwrap_or_default()),
        ("Chassi", vehicle.chassis.as_ref().map(|chassis| chassis.as_str().to_owned()).unwrap_or_default()),
        ("Renavam", text(&vehicle.renavam)),
        ("Valor do veículo", money(vehicle.worth)),
        ("Valor protegido", money(vehicle.protected)),
        ("Participação", money(vehicle.participation)),
        ("Fipe", text(&vehicle.fipe)),
    ])
}

#[cfg(test)]
pub const CASES: crate::template_tests::TemplateCases = &[("console/beneficio.html", |with| {
    let plan = || PlanLine {
        code: 7,
        name: with.text(),
        price: with.text(),
        source: "combinado",
        is_agreed: true,
        typed_price: with.text(),
        stored_price: with.text(),
        since: with.text(),
        active: true,
    };
    let dependent = || CoveredDependentLine {
        code: 7,
        name: with.text(),
        kinship: "Filho",
        born: with.text(),
        cpf: with.text(),
        card: with.text(),
        active: false,
    };
    crate::template_tests::render_template(&ViewBenefitPage {
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
        added: with.list_of(|| (with.text(), with.text())),
        plans: with.list_of(plan),
        plans_in_force: 3,
        total: with.text(),
        dependents: with.list_of(dependent),
        timeline: with.timeline(),
        note: with.text(),
        balance: with.option_of(|| BalanceBadge::sample(*with)),
        discounts: with.option_of(|| GrantedDiscountSection::sample(*with)),
    })
})];
