//! What moves the credit of a person beside a title: money that no title takes, and credit that is paid back.

use crate::finance::{
    BalancedLines, EntryImbalance, EntryLine, LedgerAccountKey, LedgerAccountKind, TitleSituation,
};
use crate::fixed_sets::set;
use crate::{GroupCode, MoneyAccountCode, PersonCode};

set!(
    /// What a credit of a person came of or went to.
    CreditMovementKind {
        /// Received as credit.
        Receipt = 1,
        /// Paid back to the person.
        Refund = 2,
        /// What a payment of a title was more than was due.
        Excess = 3,
        /// It paid a title.
        TitlePayment = 4,
        /// Brought along from another system.
        OpeningBalance = 5,
    }
);

/// The entry of money that becomes the credit of a person, as the excess of a receipt does.
pub fn book_credit_receipt(
    group: GroupCode,
    account: MoneyAccountCode,
    person: PersonCode,
    amount: i64,
) -> Result<BalancedLines, EntryImbalance> {
    let (cash, credit) = find_accounts(group, account, person);
    book_amount(group, (cash, credit), amount)
}

/// The entry of a credit that is paid back out of a money account.
pub fn book_credit_refund(
    group: GroupCode,
    account: MoneyAccountCode,
    person: PersonCode,
    amount: i64,
) -> Result<BalancedLines, EntryImbalance> {
    let (cash, credit) = find_accounts(group, account, person);
    book_amount(group, (credit, cash), amount)
}

/// Whether a payment of a title becomes credit, because the title itself takes none.
pub fn takes_no_payment(situation: TitleSituation) -> bool {
    matches!(situation, TitleSituation::Settled | TitleSituation::Cancelled)
}

fn find_accounts(
    group: GroupCode,
    account: MoneyAccountCode,
    person: PersonCode,
) -> (LedgerAccountKey, LedgerAccountKey) {
    let key = |kind, reference| LedgerAccountKey { group, kind, reference };
    let cash = key(LedgerAccountKind::Cash, account.get().into());
    (cash, key(LedgerAccountKind::MemberCredit, person.get().into()))
}

fn book_amount(
    group: GroupCode,
    (debit, credit): (LedgerAccountKey, LedgerAccountKey),
    amount: i64,
) -> Result<BalancedLines, EntryImbalance> {
    let lines = vec![
        EntryLine { account: debit, debit: amount, credit: 0 },
        EntryLine { account: credit, debit: 0, credit: amount },
    ];
    BalancedLines::new(group, lines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const GROUP: GroupCode = GroupCode::new(2);
    const ACCOUNT: MoneyAccountCode = MoneyAccountCode::new(3);
    const PERSON: PersonCode = PersonCode::new(7);

    fn sum(booked: &[&BalancedLines], kind: LedgerAccountKind, reference: i64) -> i64 {
        let key = LedgerAccountKey { group: GROUP, kind, reference };
        let lines = booked.iter().flat_map(|one| one.lines());
        lines.filter(|line| line.account == key).map(|line| line.debit - line.credit).sum()
    }

    #[test]
    fn nothing_and_less_is_not_booked() {
        for amount in [0, -1, i64::MIN] {
            assert!(book_credit_receipt(GROUP, ACCOUNT, PERSON, amount).is_err(), "{amount}");
            assert!(book_credit_refund(GROUP, ACCOUNT, PERSON, amount).is_err(), "{amount}");
        }
    }

    #[test]
    fn only_a_title_that_is_closed_takes_no_payment() {
        let closed: Vec<TitleSituation> =
            TitleSituation::ALL.iter().copied().filter(|one| takes_no_payment(*one)).collect();
        assert_eq!(closed, [TitleSituation::Settled, TitleSituation::Cancelled]);
    }

    #[test]
    fn numbers_lead_back_to_the_member() {
        for kind in CreditMovementKind::ALL {
            assert_eq!(CreditMovementKind::from_number(kind.number()), Some(*kind));
        }
    }

    proptest! {
        #[test]
        fn what_comes_in_is_owed_and_what_goes_back_is_no_longer(
            received in 1_i64..1_000_000_000, refunded in 1_i64..1_000_000_000,
        ) {
            use LedgerAccountKind as K;
            let receipt = book_credit_receipt(GROUP, ACCOUNT, PERSON, received).unwrap();
            let refund = book_credit_refund(GROUP, ACCOUNT, PERSON, refunded).unwrap();
            prop_assert_eq!(sum(&[&receipt], K::Cash, 3), received);
            prop_assert_eq!(sum(&[&receipt], K::MemberCredit, 7), -received);
            prop_assert_eq!(sum(&[&refund], K::Cash, 3), -refunded);
            prop_assert_eq!(sum(&[&refund], K::MemberCredit, 7), refunded);
            let both = [&receipt, &refund];
            prop_assert_eq!(sum(&both, K::Cash, 3), received - refunded);
            prop_assert_eq!(sum(&both, K::MemberCredit, 7), refunded - received);
            let undone = receipt.reverse();
            prop_assert_eq!(sum(&[&receipt, &undone], K::Cash, 3), 0);
            prop_assert_eq!(sum(&[&receipt, &undone], K::MemberCredit, 7), 0);
            // The refund of a credit is booked as the reversal of its receipt.
            let same = book_credit_refund(GROUP, ACCOUNT, PERSON, received).unwrap();
            prop_assert_eq!(same, undone);
        }
    }
}
