//! Issues a title of its own for a line that waits for the next charge, for example of a benefit that is charged no more.

use crate::booking::{BookDays, build_calendar, is_too_far, refuse};
use crate::full_title::{FullTitle, read_written_title};
use crate::issue_title::{DEFAULT_BANK_DAYS, TitleHolder, TitlePlan, write_title};
use crate::pending_charge_list::reject_unknown_charge;
use app::command::{WriteCommand, run_command};
use app::idempotency::{IdempotentWrite, WriteOutcome};
use app::register_snapshot::{TenantRegisters, confirm_registers};
use app::session::Session;
use app::{App, Error};
use domain::finance::{ChargeLine, FinanceProblem, LaunchKind, LegalNature, PendingChargeSituation};
use domain::{AuditedOperation, ChargeItemCode, Date, GroupCode, MoneyRight, PendingChargeCode};
use finance_storage::pending_charges::{StoredPendingCharge, find_pending_charge, take_pending_charges};
use storage::Tx;
use storage::registers::finance::StoredTitleType;

/// Issues the title, due on a day or else a few bank days from now.
#[boxed::future]
pub async fn issue_pending_charge(
    app: &App,
    caller: &Session,
    input: (PendingChargeCode, Option<Date>),
    once: IdempotentWrite<FullTitle>,
) -> Result<WriteOutcome<FullTitle>, Error> {
    caller.require_money_right(MoneyRight::SettleTitles)?;
    run_command(app, caller, AuditedOperation::IssuePendingCharge, input, once, |tx, command| {
        Box::pin(write_charge_title(tx, command))
    })
    .await
}

async fn write_charge_title(
    tx: &mut Tx,
    command: &WriteCommand<(PendingChargeCode, Option<Date>)>,
) -> Result<FullTitle, Error> {
    let (tenant, registers, (code, due_on)) = (command.scope.tenant(), &command.registers, command.input);
    confirm_registers(tx, tenant, registers).await?;
    let charge =
        find_pending_charge(tx, &command.scope, code).await?.ok_or_else(|| reject_unknown_charge(code))?;
    if charge.situation != PendingChargeSituation::Waiting {
        return Err(refuse(FinanceProblem::NotWaiting(charge.situation)));
    }
    let days = BookDays::load(tx, &command.actor_context()).await?;
    let calendar = build_calendar(registers);
    let due_on = due_on.unwrap_or_else(|| calendar.plus_bank_days(days.today, DEFAULT_BANK_DAYS));
    if due_on < days.today {
        return Err(refuse(FinanceProblem::DueBeforeIssue));
    }
    if is_too_far(due_on, days.today) {
        return Err(refuse(FinanceProblem::DueTooFar));
    }
    days.refuse_closed_month(days.today)?;
    let missing = || Error::Defect(format!("charge item {} cannot be charged", charge.item));
    let item = registers.money.charge_item(charge.item).ok_or_else(missing)?;
    let title_type = find_title_type(registers, charge.item, charge.group).ok_or_else(missing)?;
    let holder = TitleHolder {
        branch: charge.branch,
        group: charge.group,
        due_day: None,
        benefits: charge.benefit.into_iter().collect(),
    };
    let plan = TitlePlan {
        title_type,
        holder: &holder,
        person: charge.person,
        description: charge.description.clone().unwrap_or_else(|| item.name.clone()),
        note: None,
        line: build_line(&charge, item.nature),
        waits: false,
        issued_on: days.today,
        due_on,
        effective_due_on: calendar.next_bank_day_from(due_on),
        calendar: &calendar,
        instalment: (1, 1),
    };
    let title = write_title(tx, &command.actor_context(), plan).await?;
    tx.execute(take_pending_charges(tenant, title, [code], command.now)).await?;
    read_written_title(tx, command, title).await
}

fn build_line(charge: &StoredPendingCharge, nature: LegalNature) -> ChargeLine {
    ChargeLine {
        item: charge.item,
        nature,
        benefit: charge.benefit,
        price: None,
        amount: charge.amount,
        description: charge.description.clone(),
    }
}

/// The type of titles for this item, else that of the monthly titles of the group, else any.
fn find_title_type(
    registers: &TenantRegisters,
    item: ChargeItemCode,
    group: GroupCode,
) -> Option<&StoredTitleType> {
    let money = &registers.money;
    let usable =
        || money.title_types.iter().filter(|one| one.active && one.launch_kind == LaunchKind::Credit);
    let monthly = money.charging_rule(group).map(|rule| rule.title_type);
    usable()
        .find(|one| one.charge_item == item)
        .or_else(|| usable().find(|one| Some(one.code) == monthly))
        .or_else(|| usable().next())
}
