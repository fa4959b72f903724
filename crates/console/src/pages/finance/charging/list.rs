//! The charging runs, newest first, and the form that begins one.

use super::{describe_run_scope, label_run_state, name_month};
use crate::http::form::SubmittedForm;
use crate::http::parameters::QueryParams;
use crate::http::redirect::{derive_root_path, redirect_to};
use crate::pages::finance::format_cents;
use crate::pages::finance::forms::{describe_others, explain_refusal, read_typed_record};
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::form_input::{FormInput, FormValues, InputKind, InputSpec};
use crate::widgets::form_problems::FormProblems;
use crate::widgets::form_token::{build_form_write, generate_form_token};
use crate::widgets::formats::{format_count, format_month};
use crate::widgets::frame::PageFrame;
use crate::widgets::page::{HandlerResult, render_page};
use crate::widgets::record_form::{build_inputs, read_form_values};
use app::idempotency::WriteOutcome;
use app::register_snapshot::{TenantRegisters, load_registers};
use app::{App, Error};
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use domain::finance::FinanceProblem;
use domain::{MoneyRight, PAGE_SIZE, Rejection, VisibleBranches};
use finance::charging::{self, ChargedMonth, FullChargingRun, NewChargingRun, StoredChargingRun};
use wire::read::BoundedInt;
use wire::records::CobrancaInput;

const SPECS: &[InputSpec] = &[
    InputSpec::choice("mes", "Mês que se cobra"),
    InputSpec::choice("codLoja", "Loja").with_hint("Em branco, todas."),
    InputSpec::choice("codGrupo", "Grupo de proteção").with_hint("Em branco, todos."),
    InputSpec::choice("diaVencimento", "Dia de vencimento").with_hint("Em branco, todos."),
    InputSpec { kind: InputKind::Number, ..InputSpec::text("parcelas", "Parcelas", 2) }
        .with_hint("Mais de 1 faz um carnê: este mês e os seguintes, de uma vez."),
];

/// Months before and after the present one that are offered.
const OFFERED_MONTHS: std::ops::RangeInclusive<i32> = -2..=6;

struct ChargingRunLine {
    code: i32,
    month: String,
    scope: String,
    state: (&'static str, &'static str),
    charged: String,
    amount: String,
    titles: String,
    prepared_on: String,
}

#[derive(Template)]
#[template(path = "console/cobrancas.html")]
struct ChargingRunsPage {
    frame: PageFrame,
    rows: Vec<ChargingRunLine>,
    /// The pages before and after this one.
    around: [Option<String>; 2],
    /// Empty for users who may not prepare a run.
    inputs: Vec<FormInput>,
    problems: Vec<String>,
    is_refused: bool,
    token: String,
}

/// `GET /console/financeiro/cobrancas`
pub async fn show_run_list(State(app): State<App>, user: SignedInUser, query: QueryParams) -> HandlerResult {
    render_run_list(&app, &user, &query, (FormValues::new(), FormProblems::default())).await
}

async fn render_run_list(
    app: &App,
    user: &SignedInUser,
    query: &QueryParams,
    (mut values, problems): (FormValues, FormProblems),
) -> HandlerResult {
    let caller = user.session();
    caller.require_money_right(MoneyRight::SeeMoney)?;
    let registers = load_registers(app, caller.scope.tenant()).await?;
    let today = app.now().date_in(&registers.zone);
    let number = query.page_number();
    let page = charging::list_runs(app, caller, None, i64::from(number - 1) * PAGE_SIZE).await?;
    let next = ChargedMonth::of_day(today).plus_months(1);
    values.entry("mes").or_insert_with(|| next.to_iso());
    values.entry("parcelas").or_insert_with(|| "1".to_owned());
    let choices = |name: &str| list_choices(&registers, user, ChargedMonth::of_day(today), name);
    let mut inputs = match user.may_with_money(MoneyRight::SettleTitles) {
        true => build_inputs(SPECS, &values, &problems, choices),
        false => Vec::new(),
    };
    // A small association never sees the word group.
    inputs.retain(|input| input.spec.name != "codGrupo" || input.choices.len() > 1);
    inputs.retain(|input| input.spec.name != "codLoja" || input.choices.len() > 1);
    let is_refused = !problems.is_empty();
    let status = if is_refused { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    render_page(
        status,
        &ChargingRunsPage {
            rows: page.runs.iter().map(|run| build_run_line(&registers, run)).collect(),
            around: [
                (number > 1).then(|| query.with_page(number - 1)),
                page.has_more.then(|| query.with_page(number + 1)),
            ],
            inputs,
            problems: describe_others(&problems),
            is_refused,
            token: generate_form_token(app),
            frame: PageFrame::load(app, user, "financeiro").await?,
        },
    )
}

fn list_choices(
    registers: &TenantRegisters,
    user: &SignedInUser,
    present: ChargedMonth,
    name: &str,
) -> Vec<(String, String)> {
    match name {
        "mes" => {
            let months = OFFERED_MONTHS.map(|months| present.plus_months(months).to_iso());
            months.map(|month| (month.clone(), format_month(&month))).collect()
        }
        "codLoja" => {
            let branches = registers.usable_branches(&user.session().scope);
            branches.map(|one| (one.code.to_string(), one.name.clone())).collect()
        }
        "codGrupo" => {
            let groups = registers.money.groups.iter();
            groups.map(|one| (one.code.to_string(), one.name.clone())).collect()
        }
        _ => registers.due_days.iter().map(|day| (day.to_string(), format!("Dia {day}"))).collect(),
    }
}

fn build_run_line(registers: &TenantRegisters, run: &StoredChargingRun) -> ChargingRunLine {
    ChargingRunLine {
        code: run.code.get(),
        month: name_month(run),
        scope: describe_run_scope(registers, run),
        state: label_run_state(run.state),
        charged: format_count(run.counts.charged),
        amount: format_cents(run.counts.charged_amount),
        titles: format_count(run.counts.titles),
        prepared_on: run.prepared_on.to_br(),
    }
}

/// `POST /console/financeiro/cobrancas`
pub async fn prepare_new_run(
    State(app): State<App>,
    user: SignedInUser,
    form: SubmittedForm,
) -> HandlerResult {
    user.session().require_money_right(MoneyRight::SettleTitles)?;
    let mut values = read_form_values(SPECS, &form);
    // A user of one branch charges that one.
    if let VisibleBranches::Only(branches) = user.session().scope.branches()
        && let [only] = &branches.iter().collect::<Vec<_>>()[..]
    {
        values.insert("codLoja", only.to_string());
    }
    let first_page = QueryParams::parse("");
    let input = match read_typed_record::<CobrancaInput>(SPECS, &values, &[]) {
        Ok(input) => input,
        Err(problems) => return render_run_list(&app, &user, &first_page, (values, problems)).await,
    };
    let Some(month) = ChargedMonth::from_iso(input.month.as_iso()) else {
        let out_of_reach = Error::Refused(vec![Rejection::Finance(FinanceProblem::MonthOutOfReach)]);
        let problems = explain_refusal(out_of_reach, SPECS, &values)?;
        return render_run_list(&app, &user, &first_page, (values, problems)).await;
    };
    let new_run = NewChargingRun {
        month,
        group: input.group.into_set(),
        branch: input.branch.into_set(),
        due_day: input.due_day.into_set().map(BoundedInt::get),
        instalments: input.instalments.into_set().map_or(1, BoundedInt::get),
    };
    let area = format!("{}/console/financeiro/cobrancas", derive_root_path(&app));
    let once =
        build_form_write(&user, &form, |full: &FullChargingRun| full.run.code.to_string().into_bytes());
    match charging::prepare_run(&app, user.session(), new_run, once).await {
        Ok(WriteOutcome::Fresh(full)) => Ok(redirect_to(&format!("{area}/{}", full.run.code))),
        Ok(WriteOutcome::Replayed(stored)) => {
            Ok(redirect_to(&format!("{area}/{}", String::from_utf8_lossy(&stored.answer))))
        }
        Ok(WriteOutcome::Checked) => Ok(redirect_to(&area)),
        Err(error) => {
            let problems = explain_refusal(error, SPECS, &values)?;
            render_run_list(&app, &user, &first_page, (values, problems)).await
        }
    }
}

#[cfg(test)]
pub const CASES: crate::template_tests::TemplateCases = &[("console/cobrancas.html", |with| {
    let line = || ChargingRunLine {
        code: 7,
        month: with.text(),
        scope: with.text(),
        state: ("Emitida", "fine"),
        charged: with.text(),
        amount: with.text(),
        titles: with.text(),
        prepared_on: with.text(),
    };
    crate::template_tests::render_template(&ChargingRunsPage {
        frame: with.frame(),
        rows: with.list_of(line),
        around: [with.option_of(|| with.text()), with.option_of(|| with.text())],
        inputs: with.inputs(),
        problems: with.list_of(|| with.text()),
        is_refused: with.is_filled(),
        token: with.text(),
    })
})];
