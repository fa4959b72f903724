//! What the events of a title book in the ledger.

use crate::finance::{
    BalancedLines, ChargeLine, EntryImbalance, EntryLine, LaunchKind, LedgerAccountKey, LedgerAccountKind,
    LegalNature, ReceiptSplit, allocate_by_largest_remainder,
};
use crate::{GroupCode, MoneyAccountCode, PersonCode};
use std::collections::BTreeMap;

/// The lines of an entry as they are collected. Nothing is booked for an amount of 0.
struct EntryDraft {
    group: GroupCode,
    lines: Vec<EntryLine>,
}

impl EntryDraft {
    fn new(group: GroupCode) -> EntryDraft {
        EntryDraft { group, lines: Vec::new() }
    }

    fn debit(&mut self, kind: LedgerAccountKind, reference: i64, amount: i64) {
        self.push(kind, reference, amount, 0);
    }

    fn credit(&mut self, kind: LedgerAccountKind, reference: i64, amount: i64) {
        self.push(kind, reference, 0, amount);
    }

    fn push(&mut self, kind: LedgerAccountKind, reference: i64, debit: i64, credit: i64) {
        if (debit, credit) != (0, 0) {
            let account = LedgerAccountKey { group: self.group, kind, reference };
            self.lines.push(EntryLine { account, debit, credit });
        }
    }

    fn balance(self) -> Result<BalancedLines, EntryImbalance> {
        BalancedLines::new(self.group, self.lines)
    }
}

/// The entry of a title that is posted. A negative line of a credit title is a discount, one of a debit title a
/// deduction from its expense.
pub fn book_issue(
    group: GroupCode,
    launch_kind: LaunchKind,
    title_lines: &[ChargeLine],
) -> Result<BalancedLines, EntryImbalance> {
    match launch_kind {
        LaunchKind::Credit => book_credit_issue(group, title_lines),
        LaunchKind::Debit => book_debit_issue(group, title_lines),
        LaunchKind::CostSharing => Err(EntryImbalance::NothingToBook),
    }
}

fn book_credit_issue(group: GroupCode, title_lines: &[ChargeLine]) -> Result<BalancedLines, EntryImbalance> {
    let mut draft = EntryDraft::new(group);
    for (nature, amount) in sum_by_nature(title_lines)? {
        draft.debit(LedgerAccountKind::Receivable, nature.number(), amount);
    }
    for line in title_lines {
        let item = line.item.get().into();
        if line.amount < 0 {
            let discount = line.amount.checked_neg().ok_or(EntryImbalance::Overflow)?;
            draft.debit(LedgerAccountKind::Discount, line.nature.number(), discount);
        } else if line.nature == LegalNature::Administration && group != GroupCode::ADMINISTRATION {
            draft.credit(LedgerAccountKind::OwedToAdministrator, item, line.amount);
        } else {
            draft.credit(LedgerAccountKind::Income, item, line.amount);
        }
    }
    draft.balance()
}

fn book_debit_issue(group: GroupCode, title_lines: &[ChargeLine]) -> Result<BalancedLines, EntryImbalance> {
    let mut draft = EntryDraft::new(group);
    for line in title_lines {
        let item = line.item.get().into();
        if line.amount < 0 {
            let deduction = line.amount.checked_neg().ok_or(EntryImbalance::Overflow)?;
            draft.credit(LedgerAccountKind::Expense, item, deduction);
        } else {
            draft.debit(LedgerAccountKind::Expense, item, line.amount);
        }
    }
    draft.credit(LedgerAccountKind::Payable, 0, sum_payable(title_lines)?);
    draft.balance()
}

/// The entry of a receipt for a credit title. `paid_principal` is what each nature has been paid by the receipts in force,
/// as the ledger tells; a nature that it does not name has been paid nothing.
///
/// The principal goes in proportion to what each nature still has open, by largest remainder. So no nature gets more than
/// it has open, all of them end at 0 when the last cent is paid, and this is right after any reversal.
pub fn book_receipt(
    group: GroupCode,
    title_lines: &[ChargeLine],
    account: MoneyAccountCode,
    person: PersonCode,
    paid_principal: &BTreeMap<LegalNature, i64>,
    split: &ReceiptSplit,
) -> Result<BalancedLines, EntryImbalance> {
    let source = (LedgerAccountKind::Cash, account.get().into());
    book_settlement(group, title_lines, (source, person), paid_principal, split)
}

/// As [`book_receipt`], for what the credit of the person pays.
pub fn book_credit_use(
    group: GroupCode,
    title_lines: &[ChargeLine],
    person: PersonCode,
    paid_principal: &BTreeMap<LegalNature, i64>,
    split: &ReceiptSplit,
) -> Result<BalancedLines, EntryImbalance> {
    let source = (LedgerAccountKind::MemberCredit, person.get().into());
    book_settlement(group, title_lines, (source, person), paid_principal, split)
}

fn book_settlement(
    group: GroupCode,
    title_lines: &[ChargeLine],
    ((source, reference), person): ((LedgerAccountKind, i64), PersonCode),
    paid_principal: &BTreeMap<LegalNature, i64>,
    split: &ReceiptSplit,
) -> Result<BalancedLines, EntryImbalance> {
    let open = sum_open_by_nature(title_lines, paid_principal)?;
    let weights: Vec<i64> = open.values().copied().collect();
    if !is_part_of(split.principal, &weights) {
        return Err(EntryImbalance::ImpossibleReceipt);
    }
    let shares = allocate_by_largest_remainder(split.principal, &weights);
    let shares = shares.ok_or(EntryImbalance::ImpossibleReceipt)?;
    let received = split.received().ok_or(EntryImbalance::Overflow)?;

    let mut draft = EntryDraft::new(group);
    draft.debit(source, reference, received);
    if let Some(discount) = split.discount {
        // Only what the nature itself has open, or another one would pay for it.
        if open.get(&discount.nature).is_none_or(|amount| *amount < discount.amount) {
            return Err(EntryImbalance::DiscountAboveCharge(discount.nature));
        }
        draft.debit(LedgerAccountKind::Discount, discount.nature.number(), discount.amount);
    }
    draft.credit(LedgerAccountKind::LateCharges, LedgerAccountKey::FINE, split.fine);
    draft.credit(LedgerAccountKind::LateCharges, LedgerAccountKey::INTEREST, split.interest);
    draft.credit(LedgerAccountKind::MemberCredit, person.get().into(), split.excess);
    for (nature, share) in open.into_keys().zip(shares) {
        draft.credit(LedgerAccountKind::Receivable, nature.number(), share);
    }
    draft.balance()
}

/// The entry of a payment of a debit title. `already_paid` is what the payments in force have paid so far.
pub fn book_payment(
    group: GroupCode,
    title_lines: &[ChargeLine],
    account: MoneyAccountCode,
    already_paid: i64,
    amount: i64,
) -> Result<BalancedLines, EntryImbalance> {
    let paid = already_paid.checked_add(amount).ok_or(EntryImbalance::Overflow)?;
    if already_paid < 0 || paid > sum_payable(title_lines)? {
        return Err(EntryImbalance::ImpossibleReceipt);
    }
    let mut draft = EntryDraft::new(group);
    draft.debit(LedgerAccountKind::Payable, 0, amount);
    draft.credit(LedgerAccountKind::Cash, account.get().into(), amount);
    draft.balance()
}

/// What each nature of a credit title still owes. None of them can have been paid less than nothing, or more than it
/// owes.
fn sum_open_by_nature(
    title_lines: &[ChargeLine],
    paid_principal: &BTreeMap<LegalNature, i64>,
) -> Result<BTreeMap<LegalNature, i64>, EntryImbalance> {
    let mut amounts = sum_by_nature(title_lines)?;
    for (nature, paid) in paid_principal {
        let amount = amounts.entry(*nature).or_default();
        if !(0..=*amount).contains(paid) {
            return Err(EntryImbalance::ImpossibleReceipt);
        }
        *amount -= paid;
    }
    Ok(amounts)
}

/// Whether the natures together owe at least `principal`.
fn is_part_of(principal: i64, amounts: &[i64]) -> bool {
    i128::from(principal) <= amounts.iter().copied().map(i128::from).sum()
}

/// What each nature of a credit title owes after its discounts. A discount above the charge would make one nature pay
/// for another, which the law forbids.
fn sum_by_nature(title_lines: &[ChargeLine]) -> Result<BTreeMap<LegalNature, i64>, EntryImbalance> {
    let mut amounts: BTreeMap<LegalNature, i64> = BTreeMap::new();
    for line in title_lines {
        let amount = amounts.entry(line.nature).or_default();
        *amount = amount.checked_add(line.amount).ok_or(EntryImbalance::Overflow)?;
    }
    match amounts.iter().find(|(_, amount)| **amount < 0) {
        Some((nature, _)) => Err(EntryImbalance::DiscountAboveCharge(*nature)),
        None => Ok(amounts),
    }
}

fn sum_payable(title_lines: &[ChargeLine]) -> Result<i64, EntryImbalance> {
    let total = title_lines.iter().try_fold(0, |total: i64, line| total.checked_add(line.amount));
    match total.ok_or(EntryImbalance::Overflow)? {
        ..0 => Err(EntryImbalance::DeductionAboveExpense),
        total => Ok(total),
    }
}

#[cfg(test)]
mod tests;
