//! The list of deals in every state, and its filters.

use super::{StageBadge, build_stage_badge, label_deal_state};
use crate::http::parameters::QueryParams;
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::export_links::ExportLinks;
use crate::widgets::form_problems::describe_rejection;
use crate::widgets::formats::{ListPager, format_money};
use crate::widgets::frame::PageFrame;
use crate::widgets::page::{HandlerResult, show_page};
use crate::widgets::select_option::SelectOption;
use app::register_snapshot::TenantRegisters;
use app::sales::deals::{self, DealPipelineQuery, FoundDeal};
use app::{App, Error};
use askama::Template;
use axum::extract::State;
use domain::{BranchCode, Moment, PAGE_SIZE, StageCode};
use wire::set_names::NamedSet;

struct DealSummaryLine {
    code: i32,
    sequence: i32,
    name: String,
    what: String,
    stage: StageBadge,
    age: String,
    state: &'static str,
    class: &'static str,
    price: String,
    opened: String,
}

#[derive(Template)]
#[template(path = "console/negocios.html")]
struct BrowseDealsPage {
    frame: PageFrame,
    rows: Vec<DealSummaryLine>,
    pager: ListPager,
    filter: String,
    states: Vec<SelectOption>,
    stages: Vec<SelectOption>,
    branches: Vec<SelectOption>,
    stalled: String,
    is_mine: bool,
    problems: Vec<String>,
    is_filtered: bool,
}

pub async fn show_deal_list(State(app): State<App>, user: SignedInUser, query: QueryParams) -> HandlerResult {
    let frame = PageFrame::load(&app, &user, "vendas").await?;
    let caller = user.session();
    let (rows, total, problems, registers) =
        match deals::list_deals(&app, caller, parse_deal_criteria(&user, &query)).await {
            Ok(page) => (page.rows, page.total, Vec::new(), page.registers),
            Err(Error::Refused(problems)) => {
                let problems = problems.iter().map(describe_rejection).collect();
                (
                    Vec::new(),
                    0,
                    problems,
                    app::register_snapshot::load_registers(&app, caller.scope.tenant()).await?,
                )
            }
            Err(error) => return Err(error.into()),
        };
    let choice = |name: &str, value: String, label: String| SelectOption {
        is_chosen: query.text(name) == value,
        value,
        name: label,
    };
    let states = domain::DealState::NAMES
        .iter()
        .map(|(name, one)| choice("situacao", (*name).to_owned(), format!("{}s", label_deal_state(*one).0)));
    let stages = registers.funnels.iter().flat_map(|funnel| {
        let funnel_stages = funnel.stages.iter();
        funnel_stages
            .map(|one| choice("codEtapa", one.code.to_string(), format!("{} · {}", funnel.name, one.name)))
            .collect::<Vec<_>>()
    });
    let branches = registers.usable_branches(&caller.scope);
    let branches = branches.map(|one| choice("codLoja", one.code.to_string(), one.name.clone()));
    let now = app.now();
    let mine = if query.text("meus") == "sim" { caller.user.to_string() } else { String::new() };
    show_page(&BrowseDealsPage {
        rows: rows.iter().map(|one| build_deal_line(&registers, one, now)).collect(),
        pager: ListPager::new(query.page_number(), total, PAGE_SIZE, |page| query.with_page(page))
            .with_export(ExportLinks::new(
                &frame.root,
                "negocio",
                query
                    .trimmed_pairs()
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

const FILTERS: [&str; 6] = ["filtro", "situacao", "codEtapa", "codLoja", "paradoHaDias", "meus"];

fn parse_deal_criteria(user: &SignedInUser, query: &QueryParams) -> DealPipelineQuery {
    let number = |name: &str| query.text(name).parse::<i32>().ok();
    DealPipelineQuery {
        filter: Some(query.text("filtro").to_owned()).filter(|text| !text.is_empty()),
        branch: number("codLoja").map(BranchCode::new),
        funnel: None,
        stage: number("codEtapa").map(StageCode::new),
        state: domain::DealState::from_name(query.text("situacao")),
        responsible: (query.text("meus") == "sim").then_some(user.session().user),
        stalled: number("paradoHaDias").filter(|days| (0..=36_500).contains(days)),
        page: query.page_number(),
    }
}

fn build_deal_line(registers: &TenantRegisters, one: &FoundDeal, now: Moment) -> DealSummaryLine {
    let deal = &one.deal;
    let (state, class) = label_deal_state(deal.state);
    let plan = deal.plans.first().and_then(|code| registers.plan(*code)).map(|plan| plan.name.clone());
    DealSummaryLine {
        code: one.code.get(),
        sequence: deal.sequence,
        name: one.name.clone(),
        what: deal.title.clone().or(plan).unwrap_or_default(),
        stage: build_stage_badge(registers, deal.stage),
        age: crate::widgets::board::format_age(now.duration_since(deal.stage_since)),
        state,
        class,
        price: deal.price.map(format_money).unwrap_or_default(),
        opened: deal.opened_on.to_br(),
    }
}

#[cfg(test)]
pub const CASES: crate::template_tests::TemplateCases = &[("console/negocios.html", |with| {
    let row = || DealSummaryLine {
        code: 7,
        sequence: 1,
        name: with.text(),
        what: with.text(),
        stage: StageBadge::sample(*with),
        age: with.text(),
        state: "Ganho",
        class: "fine",
        price: with.text(),
        opened: with.text(),
    };
    crate::template_tests::render_template(&BrowseDealsPage {
        frame: with.frame(),
        rows: with.list_of(row),
        pager: with.pager(),
        filter: with.text(),
        states: with.choices(),
        stages: with.choices(),
        branches: with.choices(),
        stalled: with.text(),
        is_mine: with.is_filled(),
        problems: with.list_of(|| with.text()),
        is_filtered: with.is_filled(),
    })
})];
