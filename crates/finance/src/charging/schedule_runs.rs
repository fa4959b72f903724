//! Prepares the run of the coming month by itself, on the day that a charging rule names.

use super::prepare_run::insert_new_run;
use app::register_snapshot::{TenantRegisters, load_registers};
use app::{ActorContext, App, Error};
use domain::finance::ChargedMonth;
use domain::{AuditedOperation, ChangeOrigin, ChargingRuleCode, Date, GroupCode, Moment, TenantId};
use finance_storage::charging::runs::{ChargedBenefitFilter, find_last_month_of_rule, has_run_of_rule};
use std::sync::Arc;
use storage::registers::finance::StoredChargingRule;
use storage::{Tx, WriteLane};

/// Begins the runs that are due by the rules; returns whether there was one.
pub(super) async fn schedule_runs(app: &App, tenant: TenantId) -> Result<bool, Error> {
    let registers = load_registers(app, tenant).await?;
    let now = app.now();
    let today = now.date_in(&registers.zone);
    let mut any = false;
    for (rule, group) in list_scheduled_rules(&registers) {
        let prepared = find_last_month_of_rule(&app.db, tenant, (rule.code, group)).await?;
        let Some(month) = find_month_to_prepare(rule, today, prepared) else { continue };
        let rule = rule.code;
        let run = ScheduledRun { tenant, registers: Arc::clone(&registers), rule, group, month, today, now };
        let lane = WriteLane::background(tenant);
        any |= app.db.write(lane, run, |tx, run| Box::pin(write_scheduled_run(tx, run))).await?;
    }
    Ok(any)
}

/// Months after which a schedule that stood still goes on with the coming month only.
const LONGEST_OUTAGE: i32 = 3;

/// The month that a rule prepares now, if it has not yet: from its day on the coming month. Months that fell out while the
/// server did not run come first, one after another.
fn find_month_to_prepare(
    rule: &StoredChargingRule,
    today: Date,
    prepared: Option<ChargedMonth>,
) -> Option<ChargedMonth> {
    let (day, month) = (rule.preparation_day?, ChargedMonth::of_day(today));
    let coming = month.plus_months(1);
    let missed = prepared.filter(|last| *last < month && month.months_since(*last) <= LONGEST_OUTAGE);
    if let Some(last) = missed {
        return Some(last.plus_months(1));
    }
    let is_due = today >= month.find_day(i16::try_from(day).unwrap_or(31));
    (is_due && prepared.is_none_or(|last| last < coming)).then_some(coming)
}

/// The rules with a day of preparation, and the group that each is for. The general rule is for the whole association, unless
/// a group has a rule of its own: then each of the others has its own run.
fn list_scheduled_rules(registers: &TenantRegisters) -> Vec<(&StoredChargingRule, Option<GroupCode>)> {
    let money = &registers.money;
    let rules = || money.charging_rules.iter().filter(|rule| rule.active);
    // Benefits of a group that is no longer in use are charged or listed all the same.
    let has_plan = |group: GroupCode| registers.plans.iter().any(|plan| plan.group == group);
    let has_own_rule = |group: GroupCode| rules().any(|rule| rule.group == Some(group));
    let groups_of = |rule: &StoredChargingRule| -> Vec<Option<GroupCode>> {
        match rule.group {
            None if rules().any(|other| other.group.is_some()) => {
                let groups = money.groups.iter().filter(|group| group.active || has_plan(group.code));
                groups.map(|group| group.code).filter(|group| !has_own_rule(*group)).map(Some).collect()
            }
            group => vec![group],
        }
    };
    let scheduled = rules().filter(|rule| rule.preparation_day.is_some());
    scheduled.flat_map(|rule| groups_of(rule).into_iter().map(move |group| (rule, group))).collect()
}

struct ScheduledRun {
    tenant: TenantId,
    registers: Arc<TenantRegisters>,
    rule: ChargingRuleCode,
    group: Option<GroupCode>,
    month: ChargedMonth,
    today: Date,
    now: Moment,
}

/// `false` if another process was faster.
async fn write_scheduled_run(tx: &mut Tx, run: &ScheduledRun) -> Result<bool, Error> {
    if has_run_of_rule(&mut *tx, run.tenant, (run.rule, run.group), run.month).await? {
        return Ok(false);
    }
    let context = ActorContext {
        tenant: run.tenant,
        registers: &run.registers,
        user: None,
        operation: AuditedOperation::ScheduleCharging,
        origin: wire::set_names::change_origin(ChangeOrigin::Request),
        suppresses_triggers: false,
        now: run.now,
    };
    let scope = ChargedBenefitFilter { group: run.group, ..ChargedBenefitFilter::default() };
    insert_new_run(tx, &context, (run.month, scope, 1), run.today, Some(run.rule)).await?;
    Ok(true)
}
