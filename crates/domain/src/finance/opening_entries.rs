//! What is booked of money that existed before the ledger began. Its other side is the account of opening balances,
//! never income or expense, which belong to months of another system.

use crate::finance::{
    BalancedLines, ChargeLine, EntryImbalance, EntryLine, LaunchKind, LedgerAccountKey, LedgerAccountKind,
};
use crate::{GroupCode, MoneyAccountCode, PersonCode};

/// The entry of a title of which something is still open in another system.
pub fn book_opening_title(
    group: GroupCode,
    launch_kind: LaunchKind,
    title_lines: &[ChargeLine],
) -> Result<BalancedLines, EntryImbalance> {
    book_against_opening(group, launch_kind, title_lines, LedgerSide::Increase)
}

/// The entry of what had been paid of such a title: `paid_lines` are its lines with the amounts paid of each.
pub fn book_opening_payment(
    group: GroupCode,
    launch_kind: LaunchKind,
    paid_lines: &[ChargeLine],
) -> Result<BalancedLines, EntryImbalance> {
    book_against_opening(group, launch_kind, paid_lines, LedgerSide::Decrease)
}

/// Whose opening balance it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpeningAccount {
    /// What a member paid beyond what was due.
    MemberCredit(PersonCode),
    /// What a bank account or cash box held; below 0 if it was overdrawn.
    Cash(MoneyAccountCode),
}

impl OpeningAccount {
    pub fn ledger_kind(self) -> LedgerAccountKind {
        match self {
            OpeningAccount::MemberCredit(_) => LedgerAccountKind::MemberCredit,
            OpeningAccount::Cash(_) => LedgerAccountKind::Cash,
        }
    }

    pub fn reference(self) -> i64 {
        match self {
            OpeningAccount::MemberCredit(person) => person.get().into(),
            OpeningAccount::Cash(account) => account.get().into(),
        }
    }
}

pub fn book_opening_balance(
    group: GroupCode,
    account: OpeningAccount,
    amount: i64,
) -> Result<BalancedLines, EntryImbalance> {
    let key = |kind, reference| LedgerAccountKey { group, kind, reference };
    let owned = key(account.ledger_kind(), account.reference());
    let opening = key(LedgerAccountKind::OpeningBalance, 0);
    let size = amount.checked_abs().ok_or(EntryImbalance::Overflow)?;
    // Credit is owed to the member, money is the association's own.
    let is_debit = matches!(account, OpeningAccount::Cash(_)) == (amount > 0);
    let (debit, credit) = if is_debit { (owned, opening) } else { (opening, owned) };
    BalancedLines::new(group, build_pair(debit, credit, size))
}

/// What an entry does to what is owed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LedgerSide {
    Increase,
    Decrease,
}

fn book_against_opening(
    group: GroupCode,
    launch_kind: LaunchKind,
    title_lines: &[ChargeLine],
    side: LedgerSide,
) -> Result<BalancedLines, EntryImbalance> {
    let opening = LedgerAccountKey { group, kind: LedgerAccountKind::OpeningBalance, reference: 0 };
    let mut lines = Vec::with_capacity(title_lines.len() * 2);
    for line in title_lines {
        let (kind, reference) = match launch_kind {
            LaunchKind::Credit => (LedgerAccountKind::Receivable, line.nature.number()),
            LaunchKind::Debit => (LedgerAccountKind::Payable, 0),
            LaunchKind::CostSharing => return Err(EntryImbalance::NothingToBook),
        };
        let owed = LedgerAccountKey { group, kind, reference };
        let is_debit = (launch_kind == LaunchKind::Credit) == (side == LedgerSide::Increase);
        let (debit, credit) = if is_debit { (owed, opening) } else { (opening, owed) };
        lines.extend(build_pair(debit, credit, line.amount));
    }
    BalancedLines::new(group, lines)
}

fn build_pair(debit: LedgerAccountKey, credit: LedgerAccountKey, amount: i64) -> Vec<EntryLine> {
    vec![
        EntryLine { account: debit, debit: amount, credit: 0 },
        EntryLine { account: credit, debit: 0, credit: amount },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ChargeItemCode;
    use crate::finance::LegalNature;
    use proptest::prelude::*;

    const GROUP: GroupCode = GroupCode::new(2);

    fn sum(lines: &BalancedLines, kind: LedgerAccountKind) -> i64 {
        lines
            .lines()
            .iter()
            .filter(|line| line.account.kind == kind)
            .map(|line| line.debit - line.credit)
            .sum()
    }

    fn title_line(amount: i64) -> ChargeLine {
        let (item, nature) = (ChargeItemCode::new(1), LegalNature::Administration);
        ChargeLine { item, nature, benefit: None, price: None, amount, description: None }
    }

    #[test]
    fn a_balance_of_nothing_and_a_shared_cost_are_not_booked() {
        let account = OpeningAccount::Cash(MoneyAccountCode::new(1));
        assert!(book_opening_balance(GROUP, account, 0).is_err());
        assert!(book_opening_balance(GROUP, account, i64::MIN).is_err());
        let shared = book_opening_title(GROUP, LaunchKind::CostSharing, &[title_line(5)]);
        assert_eq!(shared, Err(EntryImbalance::NothingToBook));
    }

    proptest! {
        #[test]
        fn what_was_before_stands_against_the_opening_balance_alone(
            amount in 1_i64..1_000_000_000, paid in 1_i64..1_000_000_000, overdrawn in any::<bool>(),
        ) {
            use LedgerAccountKind as K;
            let opened = |launch_kind| book_opening_title(GROUP, launch_kind, &[title_line(amount)]).unwrap();
            prop_assert_eq!(sum(&opened(LaunchKind::Credit), K::Receivable), amount);
            prop_assert_eq!(sum(&opened(LaunchKind::Debit), K::Payable), -amount);
            let settled = |launch_kind| book_opening_payment(GROUP, launch_kind, &[title_line(paid)]).unwrap();
            prop_assert_eq!(sum(&settled(LaunchKind::Credit), K::Receivable), -paid);
            prop_assert_eq!(sum(&settled(LaunchKind::Debit), K::Payable), paid);
            let credit = OpeningAccount::MemberCredit(PersonCode::new(7));
            prop_assert_eq!(sum(&book_opening_balance(GROUP, credit, amount).unwrap(), K::MemberCredit), -amount);
            let held = if overdrawn { -amount } else { amount };
            let cash = OpeningAccount::Cash(MoneyAccountCode::new(3));
            let booked = book_opening_balance(GROUP, cash, held).unwrap();
            prop_assert_eq!(sum(&booked, K::Cash), held);
            prop_assert_eq!(sum(&booked, K::OpeningBalance), -held);
            for kind in [K::Income, K::Expense, K::OwedToAdministrator] {
                prop_assert_eq!(sum(&opened(LaunchKind::Credit), kind), 0);
            }
        }
    }
}
