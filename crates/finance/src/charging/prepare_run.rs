//! Begins a charging run: its preview is made in the background.

use super::branch_of_run::check_charging_scope;
use super::full_run::{FullChargingRun, load_full_run};
use app::command::{WriteCommand, run_command};
use app::idempotency::{IdempotentWrite, WriteOutcome};
use app::register_snapshot::confirm_registers;
use app::session::Session;
use app::{ActorContext, App, Error};
use domain::finance::{ChargedMonth, ChargingRunState, FinanceProblem};
use domain::{
    AuditedAction, AuditedChange, AuditedOperation, AuditedRecordKind, BranchCode, ChargingRuleCode,
    ChargingRunCode, Date, GroupCode, MoneyRight, Rejection,
};
use finance_storage::charging::runs::{self, ChargedBenefitFilter, ChargingTotalCounts, StoredChargingRun};
use storage::Tx;
use storage::history::audit;
use storage::server::counters::{self, Counter};

/// A run to prepare, for all benefits or those of a group, branch or due day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewChargingRun {
    pub month: ChargedMonth,
    pub group: Option<GroupCode>,
    pub branch: Option<BranchCode>,
    pub due_day: Option<i32>,
    /// More than one: a booklet of the month and those after it.
    pub instalments: i32,
}

/// Instalments of a booklet.
const MOST_INSTALMENTS: i32 = 12;
/// Months before and after the present one that can be charged.
const FARTHEST_MONTH: i32 = 12;

/// Begins a run. Its preview is ready when its state is [`ChargingRunState::Prepared`].
#[boxed::future]
pub async fn prepare_run(
    app: &App,
    caller: &Session,
    input: NewChargingRun,
    once: IdempotentWrite<FullChargingRun>,
) -> Result<WriteOutcome<FullChargingRun>, Error> {
    caller.require_money_right(MoneyRight::SettleTitles)?;
    let begun = run_command(app, caller, AuditedOperation::PrepareChargingRun, input, once, |tx, command| {
        Box::pin(write_preparation(tx, command))
    })
    .await?;
    app.charging_wakeup.notify_one();
    Ok(begun)
}

async fn write_preparation(
    tx: &mut Tx,
    command: &WriteCommand<NewChargingRun>,
) -> Result<FullChargingRun, Error> {
    let input = &command.input;
    confirm_registers(tx, command.scope.tenant(), &command.registers).await?;
    let context = command.actor_context();
    let today = context.now.date_in(&context.registers.zone);
    let mut problems = Vec::new();
    if input.month.months_since(ChargedMonth::of_day(today)).abs() > FARTHEST_MONTH {
        problems.push(Rejection::Finance(FinanceProblem::MonthOutOfReach));
    }
    if !(1..=MOST_INSTALMENTS).contains(&input.instalments) {
        problems.push(Rejection::Finance(FinanceProblem::InstalmentsOutOfRange));
    }
    let scope = ChargedBenefitFilter { group: input.group, branch: input.branch, due_day: input.due_day };
    match check_charging_scope(&command.registers, &command.scope, &scope) {
        Err(Error::Refused(more)) => problems.extend(more),
        other => other?,
    }
    if !problems.is_empty() {
        return Err(Error::Refused(problems));
    }
    let code = insert_new_run(tx, &context, (input.month, scope, input.instalments), today, None).await?;
    load_full_run(tx, &command.scope, code).await
}

/// Stores a run that is about to be prepared.
pub(super) async fn insert_new_run(
    tx: &mut Tx,
    context: &ActorContext<'_>,
    (month, scope, instalments): (ChargedMonth, ChargedBenefitFilter, i32),
    today: Date,
    rule: Option<ChargingRuleCode>,
) -> Result<ChargingRunCode, Error> {
    let (tenant, now) = (context.tenant, context.now);
    let [code, audit_code] =
        counters::reserve_number_blocks(tx, tenant, [(Counter::ChargingRun, 1), (Counter::Audit, 1)]).await?;
    let run = StoredChargingRun {
        code: ChargingRunCode::new(code),
        month,
        scope,
        instalments,
        state: ChargingRunState::Preparing,
        prepared_on: today,
        issued_on: None,
        charging_rule: rule,
        position: 0,
        counts: ChargingTotalCounts::default(),
        user: context.user,
        approved_by: None,
        approved_at: None,
        undone_by: None,
        undone_because: None,
        created_at: now,
        updated_at: now,
    };
    let change = AuditedChange::new(AuditedAction::PrepareChargingRun, AuditedRecordKind::ChargingRun, code)
        .with_argument(domain::display::format_month(&month.to_iso()));
    let entry = audit::insert_audit_entry(&context.audit_entry(None, change), audit_code);
    tx.execute_batch(vec![runs::insert_run(tenant, &run), entry]).await?;
    Ok(run.code)
}
