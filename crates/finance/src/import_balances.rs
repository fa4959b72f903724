//! Import of opening balances: credits of members, and the money in accounts, booked against the opening balance.

use crate::benefit_group::find_first_group;
use crate::booking::{BookDays, BookedBalance, is_too_old, prepare_balance_entry, report_imbalance};
use crate::imported_owner::find_imported_owner;
use crate::line_refusal::refuse_line;
use crate::usable_credit::{sum_branch_credit, sum_usable_credit};
use app::Error;
use app::import_row::{ImportRowOutcome, ImportUndoOutcome, ImportUnitContext};
use domain::finance::{
    FinanceProblem, LedgerAccountKind, LedgerEntryKind, OpeningAccount, OpeningImportProblem,
    book_opening_balance, is_credit_covered,
};
use domain::{
    AuditedAction, AuditedChange, AuditedRecordKind, Date, GroupCode, ImportUndoObstacle, InputField,
    LedgerEntryCode, MoneyAccountCode, PersonCode, Rejection, Scope, VisibleBranches,
};
use finance_storage::ledger::load_entry_lines;
use finance_storage::member_credit::list_credit_changes;
use finance_storage::opening::{
    StoredOpeningBalance, delete_opening_balance, find_opening_balance, find_opening_balance_of_entry,
    insert_opening_balance,
};
use storage::Tx;
use storage::exchange::imports::StoredLineResult;
use storage::history::audit;
use storage::members::{find_person, is_profile_visible};
use wire::records::SaldoInicialInput;

/// One row of an imported file.
#[derive(Clone, Debug)]
pub struct OpeningBalanceRow {
    pub input: SaldoInicialInput,
}

impl OpeningBalanceRow {
    /// Two rows about the same balance have the same key.
    pub fn duplicate_key(&self) -> Option<String> {
        let SaldoInicialInput { document, person, account, group, .. } = &self.input;
        let names_owner =
            document.as_set().is_some() || person.as_set().is_some() || account.as_set().is_some();
        names_owner.then(|| format!("{document:?} {person:?} {account:?} {group:?}"))
    }
}

/// A row whose references are resolved.
struct OpeningBalance {
    group: GroupCode,
    account: OpeningAccount,
    amount: i64,
    day: Date,
}

/// Books the balance of a row, unless it came with an earlier import.
#[boxed::future]
pub async fn import_opening_balance(
    tx: &mut Tx,
    context: &ImportUnitContext,
    row: &OpeningBalanceRow,
) -> Result<ImportRowOutcome, Error> {
    let (tenant, actor) = (context.scope.tenant(), context.change_context());
    let days = BookDays::load(tx, &actor).await?;
    let opening = prepare_balance(tx, context, row, days.today).await?;
    if let Some(known) = find_opening_balance(tx, tenant, (opening.group, opening.account)).await? {
        context.refuse_repeated_record(known.entry.get())?;
        let is_same_day = row.input.day.as_set().is_none_or(|day| *day == known.happened_on);
        if known.amount == opening.amount && is_same_day {
            return Ok(ImportRowOutcome::Same { record: known.entry.get() });
        }
        return Err(refuse_line(OpeningImportProblem::HasOtherBalance).into());
    }
    let booked = book_opening_balance(opening.group, opening.account, opening.amount);
    let fact = BookedBalance {
        kind: LedgerEntryKind::OpeningBalance,
        booked_on: days.find_booking_day(opening.day),
        happened_on: opening.day,
        reverses: None,
    };
    let booked = booked.map_err(report_imbalance)?;
    let (entry, mut statements) = prepare_balance_entry(tx, &actor, &fact, &booked).await?;
    let stored = StoredOpeningBalance {
        entry,
        group: opening.group,
        kind: opening.account.ledger_kind().number(),
        reference: opening.account.reference(),
        amount: opening.amount,
        happened_on: opening.day,
    };
    statements.push(insert_opening_balance(tenant, &stored));
    tx.execute_batch(statements).await?;
    audit_balance(tx, context, AuditedAction::Create, &stored).await?;
    Ok(ImportRowOutcome::Created { record: entry.get(), version: 1, joined: None })
}

async fn prepare_balance(
    tx: &mut Tx,
    context: &ImportUnitContext,
    row: &OpeningBalanceRow,
    today: Date,
) -> Result<OpeningBalance, Error> {
    let (input, money) = (&row.input, &context.registers.money);
    let mut problems = Vec::new();
    let cents = input.amount.cents();
    let amount = if input.is_negative.as_set() == Some(&true) { -cents } else { cents };
    if amount == 0 {
        problems.push(Rejection::Finance(FinanceProblem::NoAmount));
    }
    let account = find_account(tx, context, row, amount, &mut problems).await?;
    let group = match input.group.as_set().map(|group| GroupCode::new(group.get())) {
        None => None,
        Some(code) if money.groups.iter().any(|one| one.code == code && one.active) => Some(code),
        Some(code) => {
            problems.push(Rejection::UnknownCode { field: InputField::ProtectionGroup, code: code.get() });
            None
        }
    };
    let own_group = match account {
        Some(OpeningAccount::Cash(code)) => money.money_account(code).and_then(|one| one.group),
        _ => None,
    };
    if own_group.is_some_and(|own| group.is_some_and(|group| group != own)) {
        problems.push(Rejection::Finance(FinanceProblem::AccountOfAnotherGroup));
    }
    let day = input.day.as_set().copied().unwrap_or(today);
    if day > today {
        problems.push(refuse_line(OpeningImportProblem::BalanceInFuture));
    } else if is_too_old(day) {
        problems.push(refuse_line(OpeningImportProblem::BalanceTooOld));
    }
    let (Some(account), []) = (account, &problems[..]) else { return Err(Error::Refused(problems)) };
    let group = match group.or(own_group) {
        Some(group) => group,
        None => find_first_group(&context.registers)?,
    };
    Ok(OpeningBalance { group, account, amount, day })
}

/// Whose balance it is: a person's or a money account's.
async fn find_account(
    tx: &mut Tx,
    context: &ImportUnitContext,
    row: &OpeningBalanceRow,
    amount: i64,
    problems: &mut Vec<Rejection>,
) -> Result<Option<OpeningAccount>, Error> {
    let SaldoInicialInput { document, person, account, .. } = &row.input;
    let names_person = document.as_set().is_some() || person.as_set().is_some();
    match (names_person, account.as_set().copied()) {
        (false, None) => {
            problems.push(refuse_line(OpeningImportProblem::NoOwnerOfBalance));
            Ok(None)
        }
        (true, Some(_)) => {
            problems.push(refuse_line(OpeningImportProblem::TwoOwnersOfBalance));
            Ok(None)
        }
        (false, Some(code)) => Ok(check_money_account(context, code, problems)),
        (true, None) => {
            if amount < 0 {
                problems.push(refuse_line(OpeningImportProblem::NegativeCredit));
            }
            let named = (document.as_set(), person.as_set().copied());
            let owner = find_imported_owner(tx, &context.scope, named, problems).await?;
            let owner = owner.filter(|owner| {
                let is_visible = context.scope.can_see(owner.branch);
                if !is_visible {
                    let code = owner.code.get();
                    problems.push(Rejection::UnknownCode { field: InputField::Person, code });
                }
                is_visible
            });
            Ok(owner.map(|owner| OpeningAccount::MemberCredit(owner.code)))
        }
    }
}

/// A money account holds the money of all branches.
fn check_money_account(
    context: &ImportUnitContext,
    code: MoneyAccountCode,
    problems: &mut Vec<Rejection>,
) -> Option<OpeningAccount> {
    if context.registers.money.money_account(code).is_none_or(|one| !one.active) {
        problems.push(Rejection::UnknownCode { field: InputField::MoneyAccount, code: code.get() });
        return None;
    }
    if *context.scope.branches() != VisibleBranches::All {
        problems.push(refuse_line(OpeningImportProblem::AccountsForAllBranchesOnly(code)));
        return None;
    }
    Some(OpeningAccount::Cash(code))
}

/// Reverses the balance of an import row, unless the credit was used since.
#[boxed::future]
pub async fn undo_opening_balance_import(
    tx: &mut Tx,
    context: &ImportUnitContext,
    line: &StoredLineResult,
) -> Result<ImportUndoOutcome, Error> {
    let (tenant, actor) = (context.scope.tenant(), context.change_context());
    let entry = LedgerEntryCode::new(line.record.unwrap_or_default());
    let kept = |obstacle| Ok(ImportUndoOutcome::Kept(obstacle));
    let Some(balance) = find_opening_balance_of_entry(tx, tenant, entry).await? else {
        return kept(ImportUndoObstacle::RecordGone);
    };
    if !is_owner_visible(tx, context, &balance).await? {
        return kept(ImportUndoObstacle::OtherBranch);
    }
    if is_credit_used(tx, context, &balance).await? {
        return kept(ImportUndoObstacle::CreditUsed);
    }
    let days = BookDays::load(tx, &actor).await?;
    let fact = BookedBalance {
        kind: LedgerEntryKind::OpeningBalanceReversal,
        booked_on: days.find_booking_day(days.today),
        happened_on: days.today,
        reverses: Some(entry),
    };
    let lines = load_entry_lines(tx, tenant, entry).await?.reverse();
    let (_, mut statements) = prepare_balance_entry(tx, &actor, &fact, &lines).await?;
    statements.push(delete_opening_balance(tenant, entry));
    tx.execute_batch(statements).await?;
    audit_balance(tx, context, AuditedAction::UndoImport, &balance).await?;
    Ok(ImportUndoOutcome::Removed)
}

fn is_member_credit(balance: &StoredOpeningBalance) -> bool {
    balance.kind == LedgerAccountKind::MemberCredit.number()
}

async fn is_owner_visible(
    tx: &mut Tx,
    context: &ImportUnitContext,
    balance: &StoredOpeningBalance,
) -> Result<bool, Error> {
    let Some(person) = find_owner(balance) else {
        return Ok(*context.scope.branches() == VisibleBranches::All);
    };
    match find_person(&mut *tx, context.scope.tenant(), person).await? {
        Some(profile) => Ok(is_profile_visible(tx, &context.scope, (person, &profile)).await?),
        None => Ok(true),
    }
}

/// The person of a credit.
fn find_owner(balance: &StoredOpeningBalance) -> Option<PersonCode> {
    let code = i32::try_from(balance.reference).ok().filter(|_| is_member_credit(balance));
    code.map(PersonCode::new)
}

/// Whether less than the credit of a balance is unused, whichever branch used it, or a use since would be without credit.
async fn is_credit_used(
    tx: &mut Tx,
    context: &ImportUnitContext,
    balance: &StoredOpeningBalance,
) -> Result<bool, Error> {
    let Some(person) = find_owner(balance) else { return Ok(false) };
    let everywhere = Scope::for_tenant(context.scope.tenant());
    let unused = match find_person(&mut *tx, everywhere.tenant(), person).await? {
        Some(owner) => sum_branch_credit(tx, &everywhere, (person, balance.group), owner.branch).await?,
        None => sum_usable_credit(tx, &everywhere, person, balance.group).await?,
    };
    if unused < balance.amount {
        return Ok(true);
    }
    // What came later may make up for what was used, but came of its own branch and may go back.
    let mut others = list_credit_changes(tx, everywhere.tenant(), person).await?;
    others.retain(|one| one.group == balance.group && one.entry != balance.entry);
    Ok(!is_credit_covered(&others))
}

async fn audit_balance(
    tx: &mut Tx,
    context: &ImportUnitContext,
    action: AuditedAction,
    balance: &StoredOpeningBalance,
) -> Result<(), Error> {
    let change = AuditedChange::new(action, AuditedRecordKind::OpeningBalance, balance.entry.get())
        .with_argument(balance.amount);
    let entry = context.audit_entry(find_owner(balance), change);
    audit::append_audit_entry(tx, &entry).await?;
    Ok(())
}
