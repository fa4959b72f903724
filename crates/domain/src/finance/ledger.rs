//! Double entry: accounts of a group's book, and lines that balance by construction.

use crate::GroupCode;
use crate::finance::LegalNature;
use crate::fixed_sets::set;
use std::collections::BTreeMap;

set!(
    /// What an entry books.
    LedgerEntryKind {
        TitleIssue = 1,
        TitleCancellation = 2,
        Receipt = 3,
        ReceiptReversal = 4,
        /// The credit of a person pays.
        CreditUse = 5,
        /// Money received as credit of a person.
        CreditReceipt = 6,
        /// Credit that was paid back to the person.
        CreditRefund = 7,
        /// Of a receipt of credit or a refund.
        CreditReversal = 8,
        /// What a member or a money account had before the ledger began.
        OpeningBalance = 10,
        OpeningBalanceReversal = 11,
    }
);

set!(
    /// The kind of a ledger account. The reference of the account distinguishes accounts of one kind.
    LedgerAccountKind {
        /// What members owe. Reference: the number of the legal nature.
        Receivable = 1,
        /// Reference: the code of the money account.
        Cash = 2,
        /// Reference: the code of the charge item.
        Income = 3,
        /// Administration fees in a group's book, until they are transferred to the book of the administration.
        /// Reference: the code of the charge item.
        OwedToAdministrator = 4,
        /// Reference: [`LedgerAccountKey::FINE`] or [`LedgerAccountKey::INTEREST`].
        LateCharges = 5,
        /// Reference: the number of the legal nature.
        Discount = 6,
        /// What the association owes a member who paid too much, or ahead. Reference: the code of the person.
        MemberCredit = 7,
        /// What the group owes. Reference: 0.
        Payable = 8,
        /// Reference: the code of the charge item.
        Expense = 9,
        /// The other side of what existed before the ledger began. Reference: 0.
        OpeningBalance = 10,
    }
);

/// An account is known by what it is for, so that a booking needs no chart of accounts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LedgerAccountKey {
    pub group: GroupCode,
    pub kind: LedgerAccountKind,
    pub reference: i64,
}

impl LedgerAccountKey {
    /// The reference of the late charges that are fines.
    pub const FINE: i64 = 1;
    /// The reference of the late charges that are interest.
    pub const INTEREST: i64 = 2;
}

/// A debit or a credit: exactly one of both is above 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntryLine {
    pub account: LedgerAccountKey,
    pub debit: i64,
    pub credit: i64,
}

/// Why lines are not an entry of the ledger. All of these are defects of the caller, not of what a user typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryImbalance {
    TooFewLines,
    /// Neither a debit nor a credit, both, or a negative amount.
    NotOneSided(EntryLine),
    /// The account belongs to another group than the entry.
    ForeignGroup(LedgerAccountKey),
    /// Debits and credits differ.
    Unequal {
        debit: i64,
        credit: i64,
    },
    Overflow,
    /// The discounts of a nature exceed its charges.
    DiscountAboveCharge(LegalNature),
    /// The deductions of a debit title exceed its expenses.
    DeductionAboveExpense,
    /// More principal than is open, a negative one, or more or less paid before than the title can have been.
    ImpossibleReceipt,
    /// A cost-sharing title repeats the total of members' titles, which are booked themselves.
    NothingToBook,
}

/// The lines of one entry: in one group, and with debits equal to credits. Debits come first, each side in the order of
/// its accounts, so that equal facts give equal rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BalancedLines {
    group: GroupCode,
    lines: Vec<EntryLine>,
}

impl BalancedLines {
    /// Lines of the same account and side become one line.
    pub fn new(group: GroupCode, lines: Vec<EntryLine>) -> Result<BalancedLines, EntryImbalance> {
        if lines.len() < 2 {
            return Err(EntryImbalance::TooFewLines);
        }
        let mut debits = BTreeMap::new();
        let mut credits = BTreeMap::new();
        for line in lines {
            if line.account.group != group {
                return Err(EntryImbalance::ForeignGroup(line.account));
            }
            match (line.debit, line.credit) {
                (1.., 0) => add_amount(&mut debits, line.account, line.debit)?,
                (0, 1..) => add_amount(&mut credits, line.account, line.credit)?,
                _ => return Err(EntryImbalance::NotOneSided(line)),
            }
        }
        let (debit, credit) = (add_up(&debits)?, add_up(&credits)?);
        if debit != credit {
            return Err(EntryImbalance::Unequal { debit, credit });
        }
        let debits = debits.into_iter().map(|(account, debit)| EntryLine { account, debit, credit: 0 });
        let credits = credits.into_iter().map(|(account, credit)| EntryLine { account, debit: 0, credit });
        Ok(BalancedLines { group, lines: debits.chain(credits).collect() })
    }

    /// The lines that undo these ones.
    pub fn reverse(&self) -> BalancedLines {
        let swap = |line: &EntryLine| EntryLine { debit: line.credit, credit: line.debit, ..*line };
        let (debits, credits): (Vec<EntryLine>, Vec<EntryLine>) =
            self.lines.iter().map(swap).partition(|line| line.debit > 0);
        BalancedLines { group: self.group, lines: debits.into_iter().chain(credits).collect() }
    }

    pub fn group(&self) -> GroupCode {
        self.group
    }

    pub fn lines(&self) -> &[EntryLine] {
        &self.lines
    }
}

fn add_amount(
    side: &mut BTreeMap<LedgerAccountKey, i64>,
    account: LedgerAccountKey,
    amount: i64,
) -> Result<(), EntryImbalance> {
    let total = side.entry(account).or_insert(0);
    *total = total.checked_add(amount).ok_or(EntryImbalance::Overflow)?;
    Ok(())
}

fn add_up(side: &BTreeMap<LedgerAccountKey, i64>) -> Result<i64, EntryImbalance> {
    side.values().try_fold(0, |total: i64, amount| total.checked_add(*amount)).ok_or(EntryImbalance::Overflow)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const GROUP: GroupCode = GroupCode::new(3);

    fn account(kind: LedgerAccountKind, reference: i64) -> LedgerAccountKey {
        LedgerAccountKey { group: GROUP, kind, reference }
    }

    fn cash() -> LedgerAccountKey {
        account(LedgerAccountKind::Cash, 1)
    }

    fn income() -> LedgerAccountKey {
        account(LedgerAccountKind::Income, 7)
    }

    fn line(account: LedgerAccountKey, debit: i64, credit: i64) -> EntryLine {
        EntryLine { account, debit, credit }
    }

    #[test]
    fn numbers_lead_back_to_the_kind() {
        for kind in LedgerAccountKind::ALL {
            assert_eq!(LedgerAccountKind::from_number(kind.number()), Some(*kind));
        }
        assert_eq!(LedgerAccountKind::OpeningBalance.number(), 10);
        assert_eq!(LedgerAccountKind::from_number(0), None);
    }

    #[test]
    fn lines_of_one_account_and_side_are_one() {
        let lines =
            vec![line(income(), 0, 30), line(cash(), 10, 0), line(cash(), 40, 0), line(income(), 0, 20)];
        let balanced = BalancedLines::new(GROUP, lines).unwrap();
        assert_eq!(balanced.lines(), [line(cash(), 50, 0), line(income(), 0, 50)]);
        assert_eq!(balanced.group(), GROUP);
        assert_eq!(balanced.reverse().lines(), [line(income(), 50, 0), line(cash(), 0, 50)]);
    }

    #[test]
    fn lines_that_do_not_balance_are_refused() {
        let build = |lines: &[EntryLine]| BalancedLines::new(GROUP, lines.to_vec()).unwrap_err();
        assert_eq!(build(&[]), EntryImbalance::TooFewLines);
        assert_eq!(build(&[line(cash(), 5, 0)]), EntryImbalance::TooFewLines);
        assert_eq!(
            build(&[line(cash(), 5, 0), line(income(), 0, 4)]),
            EntryImbalance::Unequal { debit: 5, credit: 4 }
        );
        for odd in [line(cash(), 0, 0), line(cash(), 5, 5), line(cash(), -5, 0), line(cash(), 5, -1)] {
            assert_eq!(build(&[odd, line(income(), 0, 5)]), EntryImbalance::NotOneSided(odd));
        }
        let foreign = LedgerAccountKey { group: GroupCode::ADMINISTRATION, ..income() };
        assert_eq!(build(&[line(cash(), 5, 0), line(foreign, 0, 5)]), EntryImbalance::ForeignGroup(foreign));
        assert_eq!(build(&[line(cash(), i64::MAX, 0), line(cash(), 1, 0)]), EntryImbalance::Overflow);
        assert_eq!(build(&[line(cash(), i64::MAX, 0), line(income(), 1, 0)]), EntryImbalance::Overflow);
    }

    proptest! {
        #[test]
        fn what_is_built_balances_and_reverses_to_nothing(
            lines in prop::collection::vec((0i64..4, any::<bool>(), -2i64..1_000), 0..8), close in any::<bool>(),
        ) {
            let mut lines: Vec<EntryLine> = lines
                .into_iter()
                .map(|(reference, is_debit, amount)| {
                    let account = account(LedgerAccountKind::Cash, reference);
                    if is_debit { line(account, amount, 0) } else { line(account, 0, amount) }
                })
                .collect();
            let rest: i64 = lines.iter().map(|line| line.debit - line.credit).sum();
            if close && rest != 0 {
                lines.push(line(income(), (-rest).max(0), rest.max(0)));
            }
            let is_valid = lines.len() >= 2
                && lines.iter().all(|line| line.debit + line.credit > 0)
                && lines.iter().map(|line| line.debit - line.credit).sum::<i64>() == 0;
            let built = BalancedLines::new(GROUP, lines);
            prop_assert_eq!(built.is_ok(), is_valid);
            if let Ok(built) = built {
                let reversed = built.reverse();
                prop_assert_eq!(&reversed.reverse(), &built);
                let mut balances: BTreeMap<LedgerAccountKey, i64> = BTreeMap::new();
                for line in built.lines().iter().chain(reversed.lines()) {
                    *balances.entry(line.account).or_default() += line.debit - line.credit;
                }
                prop_assert!(balances.values().all(|balance| *balance == 0));
                let rebuilt = BalancedLines::new(GROUP, reversed.lines().to_vec());
                prop_assert_eq!(rebuilt, Ok(reversed));
            }
        }
    }
}
