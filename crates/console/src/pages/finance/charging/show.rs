//! The page of a charging run: how far it is, its totals, who is not charged and why, and what can be done with it.

use super::benefits::{RunBenefitSection, load_benefit_section};
use super::{describe_run_scope, label_reason, label_run_state, name_month};
use crate::http::parameters::{PathNumber, QueryParams};
use crate::pages::finance::forms::describe_others;
use crate::pages::finance::{count_titles, format_cents};
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::form_input::{FormInput, FormValues, InputSpec};
use crate::widgets::form_problems::FormProblems;
use crate::widgets::form_token::generate_form_token;
use crate::widgets::formats::format_count;
use crate::widgets::frame::PageFrame;
use crate::widgets::page::{HandlerResult, render_page};
use crate::widgets::record_form::build_inputs;
use app::register_snapshot::{TenantRegisters, load_registers};
use app::{App, Error};
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use domain::display::format_month;
use domain::{ChargingRunCode, MoneyRight};
use finance::charging::{
    self, ChargingRunState, ChargingTotalCounts, FullChargingRun, ItemTotal, LeftCharge, StageProgress,
    StoredChargingRun,
};
use wire::set_names::legal_nature_label;

pub const UNDO: &[InputSpec] = &[InputSpec { longest: 500, ..InputSpec::area("motivo", "Motivo") }];

/// A form of the page that was refused.
#[derive(Default)]
pub struct SentRunForm {
    pub values: FormValues,
    pub problems: FormProblems,
}

/// What is charged of an item.
struct ItemTotalLine {
    item: String,
    nature: &'static str,
    lines: String,
    charged: String,
    discounted: String,
    total: String,
}

/// How many benefits are not charged for a reason.
struct ReasonLine {
    text: &'static str,
    count: String,
    link: String,
}

/// One-off charges that the run does not take, and the first of them.
struct LeftChargeSection {
    text: String,
    lines: Vec<LeftChargeLine>,
}

struct LeftChargeLine {
    name: String,
    what: String,
    amount: String,
    person: i32,
}

/// A figure of this run, of the run of the month before, and their difference.
struct ComparedLine {
    name: &'static str,
    now: String,
    before: String,
    difference: String,
}

struct ProgressLine {
    done: i64,
    of: i64,
    text: String,
}

#[derive(Template)]
#[template(path = "console/cobranca.html")]
struct ChargingRunPage {
    frame: PageFrame,
    code: i32,
    month: String,
    scope: String,
    state: (&'static str, &'static str),
    /// Where the run is on its way, counted from 1.
    step: u8,
    is_working: bool,
    progress: Option<ProgressLine>,
    /// Number and name.
    figures: Vec<(String, &'static str)>,
    items: Vec<ItemTotalLine>,
    total: String,
    reasons: Vec<ReasonLine>,
    left: Option<LeftChargeSection>,
    /// The month before and what is compared, if it was charged.
    compared: Option<(String, Vec<ComparedLine>)>,
    /// The sentence on the button, for users who may approve.
    approve: Option<String>,
    is_prepared: bool,
    may_discard: bool,
    undo: Option<Vec<FormInput>>,
    undone_because: String,
    /// Titles with a payment, which stayed when the run was undone.
    kept: Vec<i32>,
    /// Of these, as many as there are; only the first are listed.
    kept_titles: i64,
    benefits: RunBenefitSection,
    problems: Vec<String>,
    is_refused: bool,
    token: String,
}

/// `GET /console/financeiro/cobrancas/{codigo}`
pub async fn show_run_page(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
    query: QueryParams,
) -> HandlerResult {
    render_page_of_run(&app, &user, (ChargingRunCode::new(code), &query), SentRunForm::default()).await
}

/// The page with a form that was refused.
pub async fn render_run_page(
    app: &App,
    user: &SignedInUser,
    run: ChargingRunCode,
    sent: SentRunForm,
) -> HandlerResult {
    render_page_of_run(app, user, (run, &QueryParams::parse("")), sent).await
}

async fn render_page_of_run(
    app: &App,
    user: &SignedInUser,
    (code, query): (ChargingRunCode, &QueryParams),
    sent: SentRunForm,
) -> HandlerResult {
    let caller = user.session();
    caller.require_money_right(MoneyRight::SeeMoney)?;
    let full = charging::read_run(app, caller, code).await?;
    let registers = load_registers(app, caller.scope.tenant()).await?;
    let run = &full.run;
    let is_refused = !sent.problems.is_empty();
    let status = if is_refused { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    let may_approve = user.may_with_money(MoneyRight::ApproveRuns);
    let is_prepared = run.state == ChargingRunState::Prepared;
    let kept = match run.state {
        ChargingRunState::Undone => charging::list_kept_titles(app, caller, code, 0).await?.titles,
        _ => Vec::new(),
    };
    let build_undo = || build_inputs(UNDO, &sent.values, &sent.problems, |_| Vec::new());
    render_page(
        status,
        &ChargingRunPage {
            code: code.get(),
            month: name_month(run),
            scope: describe_run_scope(&registers, run),
            state: label_run_state(run.state),
            step: find_step(run.state),
            is_working: run.state.is_working(),
            progress: full.progress.map(|progress| describe_progress(run.state, progress)),
            figures: list_figures(run),
            items: full.items.iter().map(|one| build_item_line(&registers, one)).collect(),
            total: format_cents(full.items.iter().map(|one| one.charged - one.discounted).sum()),
            reasons: list_reasons(&full),
            left: load_left_charges(app, user, (&full, &registers)).await?,
            compared: full.previous.map(|before| {
                (format_month(&before.month.to_iso()), compare_counts(&run.counts, &before.counts))
            }),
            approve: (may_approve && is_prepared && run.counts.charged > 0)
                .then(|| format!("Aprovar e emitir {}", format_cents(run.counts.charged_amount))),
            is_prepared,
            may_discard: user.may_with_money(MoneyRight::SettleTitles)
                && matches!(run.state, ChargingRunState::Preparing | ChargingRunState::Prepared),
            undo: (may_approve && run.state == ChargingRunState::Issued).then(build_undo),
            undone_because: run.undone_because.clone().unwrap_or_default(),
            kept: kept.iter().map(|title| title.get()).collect(),
            kept_titles: run.counts.kept,
            benefits: load_benefit_section(app, user, &full, query).await?,
            problems: describe_others(&sent.problems),
            is_refused,
            token: generate_form_token(app),
            frame: PageFrame::load(app, user, "financeiro").await?,
        },
    )
}

const fn find_step(state: ChargingRunState) -> u8 {
    match state {
        ChargingRunState::Preparing | ChargingRunState::Prepared | ChargingRunState::Discarded => 2,
        ChargingRunState::Issuing => 3,
        ChargingRunState::Issued | ChargingRunState::Undoing | ChargingRunState::Undone => 4,
    }
}

fn describe_progress(state: ChargingRunState, progress: StageProgress) -> ProgressLine {
    let what = if state == ChargingRunState::Undoing { "títulos" } else { "benefícios" };
    let text = format!("{} de {} {what}", format_count(progress.done), format_count(progress.of));
    ProgressLine { done: progress.done, of: progress.of.max(1), text }
}

fn list_figures(run: &StoredChargingRun) -> Vec<(String, &'static str)> {
    let counts = &run.counts;
    let mut figures = vec![
        (format_count(counts.charged), "benefícios cobrados"),
        (format_count(counts.benefits - counts.charged), "benefícios não cobrados"),
        (format_cents(counts.charged_amount), "valor da cobrança"),
    ];
    if counts.titles > 0 {
        figures.push((format_count(counts.titles), "títulos emitidos"));
        figures.push((format_cents(counts.titles_amount), "valor dos títulos"));
    }
    if matches!(run.state, ChargingRunState::Undoing | ChargingRunState::Undone) {
        figures.push((format_count(counts.cancelled), "títulos cancelados"));
        figures.push((format_count(counts.kept), "títulos mantidos, já pagos"));
    }
    figures
}

fn build_item_line(registers: &TenantRegisters, total: &ItemTotal) -> ItemTotalLine {
    let item = registers.money.charge_items.iter().find(|one| one.code == total.item);
    ItemTotalLine {
        item: item.map(|one| one.name.clone()).unwrap_or_default(),
        nature: legal_nature_label(total.nature),
        lines: format_count(total.charges),
        charged: format_cents(total.charged),
        discounted: if total.discounted == 0 { String::new() } else { format_cents(-total.discounted) },
        total: format_cents(total.charged - total.discounted),
    }
}

fn list_reasons(full: &FullChargingRun) -> Vec<ReasonLine> {
    let line = |(reason, count): &(charging::NotChargedReason, i64)| ReasonLine {
        text: label_reason(*reason),
        count: format_count(*count),
        link: format!("?mostrar={}#beneficios", reason.number()),
    };
    full.reasons.iter().map(line).collect()
}

/// `None` if there are none.
async fn load_left_charges(
    app: &App,
    user: &SignedInUser,
    (full, registers): (&FullChargingRun, &TenantRegisters),
) -> Result<Option<LeftChargeSection>, Error> {
    let total = full.left_charges;
    if total.charges == 0 {
        return Ok(None);
    }
    let listed = charging::list_left_charges(app, user.session(), full.run.code, LEFT_CHARGES).await?;
    let name_item =
        |code| registers.money.charge_item(code).map(|item| item.name.clone()).unwrap_or_default();
    let line = |one: &LeftCharge| LeftChargeLine {
        name: one.person_name.clone(),
        what: name_item(one.item),
        amount: format_cents(one.amount),
        person: one.person.get(),
    };
    let text = match total.charges {
        1 => format!("1 lançamento, {}", format_cents(total.amount)),
        more => format!("{} lançamentos, {}", format_count(more), format_cents(total.amount)),
    };
    Ok(Some(LeftChargeSection { text, lines: listed.iter().map(line).collect() }))
}

/// Of the one-off charges that a run does not take, so many are shown.
const LEFT_CHARGES: i64 = 20;

fn compare_counts(now: &ChargingTotalCounts, before: &ChargingTotalCounts) -> Vec<ComparedLine> {
    let line = |name, format: fn(i64) -> String, [now, before]: [i64; 2]| {
        let difference = now - before;
        let sign = if difference > 0 { "+" } else { "" };
        let shown =
            if difference == 0 { "igual".to_owned() } else { format!("{sign}{}", format(difference)) };
        ComparedLine { name, now: format(now), before: format(before), difference: shown }
    };
    vec![
        line("Benefícios cobrados", format_count, [now.charged, before.charged]),
        line(
            "Benefícios não cobrados",
            format_count,
            [now.benefits - now.charged, before.benefits - before.charged],
        ),
        line("Valor", format_cents, [now.charged_amount, before.charged_amount]),
    ]
}

impl ChargingRunPage {
    fn kept_text(&self) -> String {
        count_titles(self.kept_titles)
    }
}

#[cfg(test)]
pub const CASES: crate::template_tests::TemplateCases = &[("console/cobranca.html", |with| {
    let item = || ItemTotalLine {
        item: with.text(),
        nature: "Taxa de administração",
        lines: with.text(),
        charged: with.text(),
        discounted: with.text(),
        total: with.text(),
    };
    let reason = || ReasonLine { text: "Sem preço", count: with.text(), link: with.text() };
    let left = || LeftChargeLine { name: with.text(), what: with.text(), amount: with.text(), person: 7 };
    let compared =
        || ComparedLine { name: "Valor", now: with.text(), before: with.text(), difference: with.text() };
    crate::template_tests::render_template(&ChargingRunPage {
        frame: with.frame(),
        code: 7,
        month: with.text(),
        scope: with.text(),
        state: ("Emitida", "fine"),
        step: 2,
        is_working: with.is_filled(),
        progress: with.option_of(|| ProgressLine { done: 1, of: 3, text: with.text() }),
        figures: with.list_of(|| (with.text(), "benefícios cobrados")),
        items: with.list_of(item),
        total: with.text(),
        reasons: with.list_of(reason),
        left: with.option_of(|| LeftChargeSection { text: with.text(), lines: with.list_of(left) }),
        compared: with.option_of(|| (with.text(), with.list_of(compared))),
        approve: with.option_of(|| with.text()),
        is_prepared: true,
        may_discard: with.is_filled(),
        undo: with.option_of(|| with.inputs()),
        undone_because: with.text(),
        kept: with.list_of(|| 7),
        kept_titles: 7,
        benefits: RunBenefitSection::sample(*with),
        problems: with.list_of(|| with.text()),
        is_refused: with.is_filled(),
        token: with.text(),
    })
})];
