//! Pays a credit back to its person out of a money account.

use crate::benefit_group::find_first_group;
use crate::booking::{BookDays, refuse, report_imbalance};
use crate::credit_money::{
    CreditMoney, CreditPlace, FullCreditMovement, PreparedCreditReceipt, ResolvedCreditMoney, check_branch,
    check_group, find_person_branch, resolve_credit_money, store_credit_receipt,
};
use crate::usable_credit::{sum_branch_credit, sum_usable_credit};
use app::command::{WriteCommand, run_command};
use app::idempotency::{IdempotentWrite, WriteOutcome};
use app::register_snapshot::confirm_registers;
use app::session::Session;
use app::{App, Error};
use domain::finance::{
    CreditChange, CreditDay, FinanceProblem, LedgerEntryKind, allocate_credit, book_credit_refund,
};
use domain::{AuditedAction, AuditedOperation, BranchCode, Date, MoneyRight, Rejection, Scope};
use finance_storage::member_credit::list_credit_changes;
use std::collections::{BTreeMap, BTreeSet};
use storage::Tx;

/// Pays back as much as is named, which the person must have as credit of the branch in the group.
#[boxed::future]
pub async fn refund_credit(
    app: &App,
    caller: &Session,
    money: CreditMoney,
    once: IdempotentWrite<FullCreditMovement>,
) -> Result<WriteOutcome<FullCreditMovement>, Error> {
    caller.require_money_right(MoneyRight::SettleTitles)?;
    run_command(app, caller, AuditedOperation::RefundCredit, money, once, |tx, command| {
        Box::pin(write_refund(tx, command))
    })
    .await
}

async fn write_refund(tx: &mut Tx, command: &WriteCommand<CreditMoney>) -> Result<FullCreditMovement, Error> {
    let (context, money) = (command.actor_context(), &command.input);
    confirm_registers(tx, context.tenant, &command.registers).await?;
    let days = BookDays::load(tx, &context).await?;
    let mut problems = Vec::new();
    let home = find_person_branch(tx, command, money.person, &mut problems).await?;
    let changes = list_credit_changes(tx, context.tenant, money.person).await?;
    let credit = list_branch_days(&command.scope, &changes);
    let place = match home {
        Some(_) => find_refund_place(command, &credit, &mut problems)?,
        None => (None, None),
    };
    let resolved = resolve_credit_money(&command.registers, money, place, days.today, &mut problems);
    let (Some(resolved), []) = (resolved, &problems[..]) else { return Err(Error::Refused(problems)) };
    refuse_missing_credit(tx, command, &resolved, &credit).await?;
    let amount = money.amount.cents();
    let booked = book_credit_refund(resolved.group, resolved.account, money.person, amount);
    let prepared = PreparedCreditReceipt {
        kind: LedgerEntryKind::CreditRefund,
        action: AuditedAction::RefundCredit,
        amount: -amount,
        title: None,
        booked: booked.map_err(report_imbalance)?,
    };
    store_credit_receipt(tx, command, &days, (money, &resolved), prepared).await
}

/// What each branch of the scope gained day by day, without what any branch used of it.
fn list_branch_days(scope: &Scope, changes: &[CreditChange]) -> Vec<CreditDay> {
    let branches: BTreeSet<BranchCode> =
        changes.iter().map(|one| one.branch).filter(|branch| scope.can_see(*branch)).collect();
    branches.into_iter().flat_map(|branch| allocate_credit(changes, |other| other == branch)).collect()
}

/// The branch and group whose credit is paid back: those that were named, else the only ones that have a credit.
fn find_refund_place(
    command: &WriteCommand<CreditMoney>,
    credit: &[CreditDay],
    problems: &mut Vec<Rejection>,
) -> Result<CreditPlace, Error> {
    let (registers, money) = (&command.registers, &command.input);
    let group = match money.group {
        Some(group) => check_group(registers, group, problems),
        None if !registers.money.has_several_groups() => Some(find_first_group(registers)?),
        None => {
            let is_of_branch = |one: &&CreditDay| money.branch.is_none_or(|branch| branch == one.branch);
            let found = list_with_credit(credit.iter().filter(is_of_branch), |one| one.group);
            choose_only(&found, FinanceProblem::RefundGroupRequired, problems)
        }
    };
    let branch = match (money.branch, group) {
        (Some(branch), _) => check_branch(command, branch, problems),
        (None, None) => None,
        (None, Some(group)) => {
            let of_group = credit.iter().filter(|one| one.group == group);
            let found = list_with_credit(of_group, |one| one.branch);
            choose_only(&found, FinanceProblem::RefundBranchRequired, problems)
        }
    };
    Ok((branch, group))
}

/// The keys under which more came in than was used.
fn list_with_credit<'d, K: Ord>(
    credit: impl Iterator<Item = &'d CreditDay>,
    key: impl Fn(&CreditDay) -> K,
) -> Vec<K> {
    let mut sums = BTreeMap::new();
    for one in credit {
        *sums.entry(key(one)).or_insert(0_i64) += one.amount;
    }
    sums.into_iter().filter(|(_, amount)| *amount > 0).map(|(key, _)| key).collect()
}

/// The only one that was found, or adds why there is none: no credit at all, or `several`.
fn choose_only<K: Copy>(found: &[K], several: FinanceProblem, problems: &mut Vec<Rejection>) -> Option<K> {
    let problem = match found {
        [only] => return Some(*only),
        [] => FinanceProblem::RefundAboveCredit { available: 0 },
        [..] => several,
    };
    problems.push(Rejection::Finance(problem));
    None
}

/// The person must have the amount as credit, in the branch that pays it back, and since the day of the refund.
async fn refuse_missing_credit(
    tx: &mut Tx,
    command: &WriteCommand<CreditMoney>,
    resolved: &ResolvedCreditMoney,
    credit: &[CreditDay],
) -> Result<(), Error> {
    let (scope, amount) = (&command.scope, command.input.amount.cents());
    let (person, group, branch) = (command.input.person, resolved.group, resolved.branch);
    let available = sum_usable_credit(tx, scope, person, group).await?;
    if amount > available {
        return Err(refuse(FinanceProblem::RefundAboveCredit { available }));
    }
    let available = sum_branch_credit(tx, scope, (person, group), branch).await?;
    if amount > available {
        return Err(refuse(FinanceProblem::RefundAboveBranchCredit { available }));
    }
    let is_of_place = |one: &&CreditDay| one.group == group && one.branch == branch;
    let of_place: Vec<CreditDay> = credit.iter().filter(is_of_place).copied().collect();
    match find_first_refund_day(&of_place, amount) {
        Some(first) if resolved.paid_on < first => {
            Err(refuse(FinanceProblem::RefundBeforeCredit { first_day: first.to_br() }))
        }
        _ => Ok(()),
    }
}

/// The first day from which on a credit never was less than the amount; `None` if it is less now.
fn find_first_refund_day(days: &[CreditDay], amount: i64) -> Option<Date> {
    let mut credit: i64 = days.iter().map(|one| one.amount).sum();
    let mut first = None;
    for one in days.iter().rev() {
        if credit < amount {
            break;
        }
        first = Some(one.day);
        credit -= one.amount;
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::GroupCode;

    fn day(number: i8) -> Date {
        Date::new(2026, 11, number).unwrap()
    }

    #[test]
    fn a_refund_waits_for_the_last_day_on_which_the_credit_was_less() {
        let gain = |number: i8, amount: i64| CreditDay {
            branch: BranchCode::new(1),
            group: GroupCode::new(1),
            day: day(number),
            amount,
        };
        let days = [gain(3, 50), gain(5, -40), gain(9, 30), gain(12, 10)];
        for (amount, first) in [(1, 3), (10, 3), (11, 9), (40, 9), (41, 12), (50, 12)] {
            assert_eq!(find_first_refund_day(&days, amount), Some(day(first)), "{amount}");
        }
        assert_eq!(find_first_refund_day(&days, 51), None);
        assert_eq!(find_first_refund_day(&[], 1), None);
    }
}
