//! What receiving a credit and paying it back have in common: whose money it is and where it moves, the checks, and the
//! row, entry and audit that are written.

use crate::booking::{BookDays, BookedBalance, is_too_old, prepare_balance_entry};
use crate::receiving_account::find_receiving_account;
use app::Error;
use app::command::WriteCommand;
use app::register_snapshot::TenantRegisters;
use domain::finance::{BalancedLines, CreditMovementKind, FinanceProblem, LedgerEntryKind};
use domain::{
    AuditedAction, AuditedChange, AuditedRecordKind, BranchCode, CreditReceiptCode, Date, GroupCode,
    InputField, Money, MoneyAccountCode, PersonCode, Rejection, SettlementTypeCode, TitleCode,
};
use finance_storage::credit_receipts::{StoredCreditReceipt, insert_credit_receipt};
use finance_storage::member_credit::CreditMovement;
use std::sync::Arc;
use storage::Tx;
use storage::history::audit;
use storage::members::{find_person, is_person_visible};
use storage::server::counters::{self, Counter};

/// Money that becomes the credit of a person, or goes back to them.
#[derive(Clone, Debug)]
pub struct CreditMoney {
    pub person: PersonCode,
    /// If absent, that of the title, or the only one that the person's charged benefits or credit have.
    pub group: Option<GroupCode>,
    /// If absent, that of the title or the person; of a refund, the only one that has the credit.
    pub branch: Option<BranchCode>,
    pub amount: Money,
    pub settlement_type: SettlementTypeCode,
    /// Where the money is; without it, the account of the settlement type.
    pub account: Option<MoneyAccountCode>,
    /// Today, if absent.
    pub paid_on: Option<Date>,
    pub note: Option<String>,
}

/// A movement of a credit, with the person who has it.
#[derive(Clone, Debug)]
pub struct FullCreditMovement {
    pub person: PersonCode,
    pub movement: CreditMovement,
    pub registers: Arc<TenantRegisters>,
}

/// Money whose references are resolved.
pub(crate) struct ResolvedCreditMoney {
    pub branch: BranchCode,
    pub group: GroupCode,
    pub account: MoneyAccountCode,
    pub paid_on: Date,
}

/// The branch and group of a credit, where they are known.
pub(crate) type CreditPlace = (Option<BranchCode>, Option<GroupCode>);

/// Resolves where the money is and when it moved, or adds what is wrong with it.
pub(crate) fn resolve_credit_money(
    registers: &TenantRegisters,
    money: &CreditMoney,
    (branch, group): CreditPlace,
    today: Date,
    problems: &mut Vec<Rejection>,
) -> Option<ResolvedCreditMoney> {
    let named = (money.settlement_type, money.account);
    let account = find_receiving_account(registers, named, group, problems);
    if money.amount.cents() < 1 {
        problems.push(Rejection::Finance(FinanceProblem::NoAmount));
    }
    let paid_on = money.paid_on.unwrap_or(today);
    if paid_on > today {
        problems.push(Rejection::Finance(FinanceProblem::PaidInFuture));
    } else if is_too_old(paid_on) {
        problems.push(Rejection::Finance(FinanceProblem::PaidTooLongAgo));
    }
    let resolved = branch.zip(group).zip(account);
    resolved.map(|((branch, group), account)| ResolvedCreditMoney { branch, group, account, paid_on })
}

/// The branch of the person, whom the caller must see.
pub(crate) async fn find_person_branch<I>(
    tx: &mut Tx,
    command: &WriteCommand<I>,
    code: PersonCode,
    problems: &mut Vec<Rejection>,
) -> Result<Option<BranchCode>, Error> {
    let person = match is_person_visible(tx, &command.scope, code).await? {
        true => find_person(&mut *tx, command.scope.tenant(), code).await?,
        false => None,
    };
    if person.is_none() {
        problems.push(Rejection::UnknownCode { field: InputField::Person, code: code.get() });
    }
    Ok(person.map(|person| person.branch))
}

/// The branch that was named, which the caller must see.
pub(crate) fn check_branch<I>(
    command: &WriteCommand<I>,
    branch: BranchCode,
    problems: &mut Vec<Rejection>,
) -> Option<BranchCode> {
    if command.registers.is_usable_branch(&command.scope, branch) {
        return Some(branch);
    }
    problems.push(Rejection::UnknownCode { field: InputField::Branch, code: branch.get() });
    None
}

/// The group that was named.
pub(crate) fn check_group(
    registers: &TenantRegisters,
    group: GroupCode,
    problems: &mut Vec<Rejection>,
) -> Option<GroupCode> {
    if registers.money.groups.iter().any(|one| one.code == group) {
        return Some(group);
    }
    problems.push(Rejection::UnknownCode { field: InputField::ProtectionGroup, code: group.get() });
    None
}

/// What is written of a receipt of credit or a refund.
pub(crate) struct PreparedCreditReceipt {
    pub kind: LedgerEntryKind,
    pub action: AuditedAction,
    /// In cents; below 0, it is paid back.
    pub amount: i64,
    pub title: Option<TitleCode>,
    pub booked: BalancedLines,
}

/// Writes the row with its entry and audit.
pub(crate) async fn store_credit_receipt<I>(
    tx: &mut Tx,
    command: &WriteCommand<I>,
    days: &BookDays,
    (money, resolved): (&CreditMoney, &ResolvedCreditMoney),
    prepared: PreparedCreditReceipt,
) -> Result<FullCreditMovement, Error> {
    let (tenant, context) = (command.scope.tenant(), command.actor_context());
    let [code, audit_code] =
        counters::reserve_number_blocks(tx, tenant, [(Counter::CreditReceipt, 1), (Counter::Audit, 1)])
            .await?;
    let fact = BookedBalance {
        kind: prepared.kind,
        booked_on: days.find_booking_day(resolved.paid_on),
        happened_on: resolved.paid_on,
        reverses: None,
    };
    let (entry, mut statements) = prepare_balance_entry(tx, &context, &fact, &prepared.booked).await?;
    let receipt = StoredCreditReceipt {
        code: CreditReceiptCode::new(code),
        person: money.person,
        branch: resolved.branch,
        group: resolved.group,
        amount: prepared.amount,
        settlement_type: money.settlement_type,
        account: resolved.account,
        paid_on: resolved.paid_on,
        booked_on: fact.booked_on,
        title: prepared.title,
        note: money.note.clone(),
        entry,
        user: command.user,
        created_at: command.now,
        reversal: None,
    };
    statements.push(insert_credit_receipt(tenant, &receipt));
    let change = AuditedChange::new(prepared.action, AuditedRecordKind::CreditReceipt, code)
        .with_argument(money.amount.cents());
    let audited = context.audit_entry(Some(receipt.person), change);
    statements.push(audit::insert_audit_entry(&audited, audit_code));
    tx.execute_batch(statements).await?;
    Ok(build_full_movement(&command.registers, receipt))
}

/// The movement that a receipt of credit or a refund is.
pub(crate) fn build_full_movement(
    registers: &Arc<TenantRegisters>,
    receipt: StoredCreditReceipt,
) -> FullCreditMovement {
    let is_refund = receipt.is_refund();
    FullCreditMovement {
        person: receipt.person,
        movement: CreditMovement {
            kind: if is_refund { CreditMovementKind::Refund } else { CreditMovementKind::Receipt },
            code: Some(receipt.code),
            settlement: None,
            title: receipt.title,
            branch: receipt.branch,
            group: receipt.group,
            amount: receipt.amount,
            money: Some((receipt.settlement_type, receipt.account)),
            happened_on: receipt.paid_on,
            note: receipt.note,
            user: receipt.user,
            created_at: receipt.created_at,
            reversal: receipt.reversal,
        },
        registers: Arc::clone(registers),
    }
}
