//! Deals in every state, found by whatever is known of them.

use super::{Stage, stage, state};
use crate::exporting::Links;
use crate::frame::Frame;
use crate::members::Choice;
use crate::page::show;
use crate::show::{Pager, money};
use crate::visitor::{Guest, Query};
use app::deals::{self, FoundDeal, Wanted};
use app::{App, Error, base::Registers};
use askama::Template;
use axum::extract::State;
use axum::response::Response;
use domain::{BranchCode, Moment, StageCode, shown};
use wire::names::Named;

const PAGE: i64 = 100;

struct Row {
    code: i32,
    sequence: i32,
    name: String,
    what: String,
    stage: Stage,
    age: String,
    state: &'static str,
    class: &'static str,
    price: String,
    opened: String,
}

#[derive(Template)]
#[template(path = "console/negocios.html")]
struct List {
    frame: Frame,
    rows: Vec<Row>,
    pager: Pager,
    filter: String,
    states: Vec<Choice>,
    stages: Vec<Choice>,
    branches: Vec<Choice>,
    stalled: String,
    is_mine: bool,
    problems: Vec<String>,
    is_filtered: bool,
}

pub async fn page(State(app): State<App>, guest: Guest, query: Query) -> Response {
    show(&guest, made(&app, &guest, &query).await)
}

const FILTERS: [&str; 6] = ["filtro", "situacao", "codEtapa", "codLoja", "paradoHaDias", "meus"];

fn wanted(guest: &Guest, query: &Query) -> Wanted {
    let number = |name: &str| query.text(name).parse::<i32>().ok();
    Wanted {
        filter: Some(query.text("filtro").to_owned()).filter(|text| !text.is_empty()),
        branch: number("codLoja").map(BranchCode::new),
        funnel: None,
        stage: number("codEtapa").map(StageCode::new),
        state: domain::DealState::from_name(query.text("situacao")),
        responsible: (query.text("meus") == "sim").then_some(guest.session().user),
        stalled: number("paradoHaDias").filter(|days| (0..=36_500).contains(days)),
        page: query.page(),
    }
}

async fn made(app: &App, guest: &Guest, query: &Query) -> Result<List, Error> {
    let frame = Frame::of(app, guest, "vendas").await?;
    let caller = guest.session();
    let (rows, total, problems, registers) = match deals::page(app, caller, wanted(guest, query)).await {
        Ok(page) => (page.rows, page.total, Vec::new(), page.registers),
        Err(Error::Refused(problems)) => {
            let problems = problems.iter().map(crate::records::told).collect();
            (Vec::new(), 0, problems, app::base::registers(app, caller.scope.tenant()).await?)
        }
        Err(error) => return Err(error),
    };
    let choice = |name: &str, value: String, label: String| Choice {
        is_chosen: query.text(name) == value,
        value,
        name: label,
    };
    let states = domain::DealState::NAMES
        .iter()
        .map(|(name, one)| choice("situacao", (*name).to_owned(), format!("{}s", state(*one).0)));
    let stages = registers.funnels.iter().flat_map(|funnel| {
        let own = funnel.stages.iter();
        own.map(|one| choice("codEtapa", one.code.to_string(), format!("{} · {}", funnel.name, one.name)))
            .collect::<Vec<_>>()
    });
    let branches = registers.branches_of(&caller.scope);
    let branches = branches.map(|one| choice("codLoja", one.code.to_string(), one.name.clone()));
    let now = app.now();
    let mine = if query.text("meus") == "sim" { caller.user.to_string() } else { String::new() };
    Ok(List {
        rows: rows.iter().map(|one| row(&registers, one, now)).collect(),
        pager: Pager::new(query.page(), total, PAGE, |page| query.with_page(page)).exporting(Links::new(
            &frame.root,
            "negocio",
            query
                .each()
                .filter(|(name, _)| *name != "meus")
                .chain([("codUsuarioResponsavel", mine.as_str())]),
        )),
        filter: query.text("filtro").to_owned(),
        states: states.collect(),
        stages: stages.collect(),
        branches: branches.collect(),
        stalled: query.text("paradoHaDias").to_owned(),
        is_mine: query.text("meus") == "sim",
        problems,
        is_filtered: FILTERS.iter().any(|name| !query.text(name).is_empty()),
        frame,
    })
}

fn row(registers: &Registers, one: &FoundDeal, now: Moment) -> Row {
    let deal = &one.deal;
    let (state, class) = state(deal.state);
    let plan = deal.plans.first().and_then(|code| registers.plan(*code)).map(|plan| plan.name.clone());
    Row {
        code: one.code.get(),
        sequence: deal.sequence,
        name: one.name.clone(),
        what: deal.title.clone().or(plan).unwrap_or_default(),
        stage: stage(registers, deal.stage),
        age: crate::board::age(now.since(deal.stage_since)),
        state,
        class,
        price: deal.price.map(money).unwrap_or_default(),
        opened: shown::day(&deal.opened_on),
    }
}

#[cfg(test)]
pub const CASES: crate::rendered::Cases = &[("console/negocios.html", |with| {
    let row = || Row {
        code: 7,
        sequence: 1,
        name: with.text(),
        what: with.text(),
        stage: Stage::sample(*with),
        age: with.text(),
        state: "Ganho",
        class: "fine",
        price: with.text(),
        opened: with.text(),
    };
    crate::rendered::text(&List {
        frame: with.frame(),
        rows: with.many(row),
        pager: with.pager(),
        filter: with.text(),
        states: with.choices(),
        stages: with.choices(),
        branches: with.choices(),
        stalled: with.text(),
        is_mine: with.is_full(),
        problems: with.many(|| with.text()),
        is_filtered: with.is_full(),
    })
})];
