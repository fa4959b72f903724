//! Whose credit is used. The credit of a person in a group came of branches, and a title takes that of its own branch first.
//! What it lacks there comes of others, and is used there: what comes to its branch later is unused.

use crate::{BranchCode, Date, GroupCode, LedgerEntryCode};
use std::collections::BTreeMap;

/// What added to the credit of a person, or took of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CreditChange {
    pub branch: BranchCode,
    pub group: GroupCode,
    pub day: Date,
    /// In cents; below 0, it was taken of the credit.
    pub amount: i64,
    /// Entries are numbered in the order in which they were made.
    pub entry: LedgerEntryCode,
    pub reversed_by: Option<LedgerEntryCode>,
}

/// What the credit of a person in a branch and group gained on a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CreditDay {
    pub branch: BranchCode,
    pub group: GroupCode,
    pub day: Date,
    /// In cents; below 0, it became less.
    pub amount: i64,
}

/// What is unused in each branch of a group.
type UnusedCredit = BTreeMap<BranchCode, i64>;

/// What a person's credit in some branches gained day by day, the oldest first, without what was reversed. Its sum is what is
/// unused there. What a title lacks in its own branch comes first of the branches on its side: of those that are asked about
/// if it is of one of them, else of the others.
///
/// A use that was reversed took nothing: those after it find the credit that it had taken. Given back where it was taken, the
/// credit could come to a branch whose own credit had paid for another meanwhile, and nobody could use or refund it.
pub fn allocate_credit(
    changes: &[CreditChange],
    is_asked_about: impl Fn(BranchCode) -> bool,
) -> Vec<CreditDay> {
    let mut groups: BTreeMap<GroupCode, UnusedCredit> = BTreeMap::new();
    let mut days: BTreeMap<(Date, GroupCode, BranchCode), i64> = BTreeMap::new();
    for (change, amount) in list_events(changes) {
        let unused = groups.entry(change.group).or_default();
        let gained = if amount > 0 {
            vec![(change.branch, amount)]
        } else {
            take_credit(unused, change.branch, -amount, &is_asked_about)
        };
        for (branch, amount) in gained {
            *unused.entry(branch).or_default() += amount;
            *days.entry((change.day, change.group, branch)).or_default() += amount;
        }
    }
    days.into_iter()
        .filter(|((_, _, branch), amount)| is_asked_about(*branch) && *amount != 0)
        .map(|((day, group, branch), amount)| CreditDay { branch, group, day, amount })
        .collect()
}

/// Whether each use found its credit in its group, whichever branch it came of.
pub fn is_credit_covered(changes: &[CreditChange]) -> bool {
    let mut groups: BTreeMap<GroupCode, i64> = BTreeMap::new();
    list_events(changes).into_iter().all(|(change, amount)| {
        let held = groups.entry(change.group).or_default();
        *held += amount;
        *held >= 0
    })
}

/// What came and went, in the order of the entries. What was reversed after it came goes by its reversal; a use that was
/// reversed is left out.
fn list_events(changes: &[CreditChange]) -> Vec<(&CreditChange, i64)> {
    let mut events: Vec<(LedgerEntryCode, &CreditChange, i64)> = Vec::with_capacity(changes.len());
    for change in changes {
        if change.amount > 0 || change.reversed_by.is_none() {
            events.push((change.entry, change, change.amount));
        }
        if let Some(reversal) = change.reversed_by.filter(|_| change.amount > 0) {
            events.push((reversal, change, -change.amount));
        }
    }
    events.sort_by_key(|(entry, ..)| *entry);
    events.into_iter().map(|(_, change, amount)| (change, amount)).collect()
}

/// Where an amount is taken that leaves the credit by way of a branch, as amounts below 0.
fn take_credit(
    unused: &UnusedCredit,
    branch: BranchCode,
    amount: i64,
    is_asked_about: impl Fn(BranchCode) -> bool,
) -> Vec<(BranchCode, i64)> {
    let side = is_asked_about(branch);
    let mut sources: Vec<(BranchCode, i64)> =
        unused.iter().filter(|(_, held)| **held > 0).map(|(source, held)| (*source, *held)).collect();
    sources.sort_by_key(|(source, _)| (*source != branch, is_asked_about(*source) != side, *source));
    let (mut parts, mut left) = (Vec::new(), amount);
    for (source, held) in sources {
        let part = held.min(left);
        left -= part;
        parts.extend((part > 0).then_some((source, -part)));
    }
    // Without `is_credit_covered`, what no branch has is owed to its own.
    parts.extend((left > 0).then_some((branch, -left)));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A change of a branch by its own entry, of the day with that number.
    fn change(entry: i32, branch: i32, amount: i64) -> CreditChange {
        CreditChange {
            branch: BranchCode::new(branch),
            group: GroupCode::new(1),
            day: Date::new(2026, 11, i8::try_from(entry % 28 + 1).unwrap()).unwrap(),
            amount,
            entry: LedgerEntryCode::new(entry),
            reversed_by: None,
        }
    }

    fn reversed(change: CreditChange, by: i32) -> CreditChange {
        CreditChange { reversed_by: Some(LedgerEntryCode::new(by)), ..change }
    }

    /// What is unused, as seen of some branches.
    fn unused(changes: &[CreditChange], branches: &[i32]) -> i64 {
        let days = allocate_credit(changes, |branch| branches.contains(&branch.get()));
        assert!(days.is_sorted_by_key(|one| one.day));
        days.iter().map(|one| one.amount).sum()
    }

    #[test]
    fn what_comes_after_a_use_across_branches_is_unused() {
        let used = [change(1, 1, 50), change(2, 2, -50)];
        assert_eq!([unused(&used, &[1]), unused(&used, &[2])], [0, 0]);
        let later = [used[0], used[1], change(3, 2, 60)];
        assert_eq!([unused(&later, &[1]), unused(&later, &[2]), unused(&later, &[1, 2])], [0, 60, 60]);
        let returned = [used[0], reversed(used[1], 4), later[2]];
        assert_eq!([unused(&returned, &[1]), unused(&returned, &[2])], [50, 60]);
        let taken_back = [used[0], used[1], reversed(later[2], 4)];
        assert_eq!([unused(&taken_back, &[1]), unused(&taken_back, &[2])], [0, 0]);
    }

    #[test]
    fn a_title_takes_the_credit_of_its_own_branch_first() {
        let changes = [change(1, 1, 50), change(2, 2, 30), change(3, 2, -40)];
        assert_eq!([unused(&changes, &[1]), unused(&changes, &[2])], [40, 0]);
    }

    #[test]
    fn nobody_is_left_credit_for_what_branches_that_they_do_not_see_might_have_paid() {
        let changes = [change(1, 1, 50), change(2, 3, 50), change(3, 2, -50)];
        // Who sees 2 and 3 used what is of 3, and may not use it again.
        assert_eq!([unused(&changes, &[2, 3]), unused(&changes, &[1, 2, 3])], [0, 50]);
        // Either of both may be the one that is left.
        assert_eq!([unused(&changes, &[1]), unused(&changes, &[3])], [50, 50]);
    }

    #[test]
    fn a_use_counts_in_the_branch_whose_credit_it_took() {
        let changes = [change(1, 1, 50), change(2, 2, -20)];
        let days = allocate_credit(&changes, |branch| branch == BranchCode::new(1));
        assert_eq!(
            days.iter().map(|one| (one.day, one.amount)).collect::<Vec<_>>(),
            [(changes[0].day, 50), (changes[1].day, -20)]
        );
    }

    #[test]
    fn what_a_reversed_use_took_of_a_branch_that_was_paid_out_is_left_in_another() {
        let changes = [change(1, 1, 50), change(2, 3, 50), reversed(change(3, 2, -50), 5), change(4, 1, -50)];
        assert_eq!([1, 2, 3].map(|branch| unused(&changes, &[branch])), [0, 0, 50]);
        let two_uses = [changes[0], changes[1], changes[2], change(4, 2, -50)];
        assert_eq!([1, 2, 3].map(|branch| unused(&two_uses, &[branch])), [50, 0, 50]);
        assert_eq!(unused(&two_uses, &[1, 2, 3]), 50);
    }

    #[test]
    fn a_use_is_not_covered_by_what_came_after_it() {
        let changes = [change(1, 1, 50), change(2, 2, -30), change(3, 1, 60)];
        assert!(is_credit_covered(&changes));
        assert!(!is_credit_covered(&changes[1..]));
        assert!(is_credit_covered(&[reversed(changes[1], 4), changes[2]]), "nothing is used any more");
        let of_another_group = CreditChange { group: GroupCode::new(2), ..changes[0] };
        assert!(!is_credit_covered(&[of_another_group, changes[1]]));
    }

    /// How the credit changes.
    #[derive(Clone, Copy, Debug)]
    enum Step {
        Receive,
        Use,
        Refund,
        Reverse,
    }

    /// Makes a change if the credit allows it.
    fn make_step(changes: &mut Vec<CreditChange>, entry: i32, (step, branch, amount): (Step, i32, i64)) {
        let total = unused(changes, &[1, 2, 3]);
        let taken = match step {
            Step::Receive => -amount,
            Step::Use => amount.min(total),
            Step::Refund => amount.min(unused(changes, &[branch])),
            Step::Reverse => return reverse_some(changes, entry, amount),
        };
        if taken != 0 {
            changes.push(change(entry, branch, -taken));
        }
    }

    /// Reverses the change that a number hits. What came must be unused in its branch.
    fn reverse_some(changes: &mut [CreditChange], entry: i32, number: i64) {
        let at = usize::try_from(number).unwrap() % changes.len().max(1);
        let Some(hit) = changes.get(at).copied().filter(|one| one.reversed_by.is_none()) else { return };
        if hit.amount < 0 || unused(changes, &[hit.branch.get()]) >= hit.amount {
            changes[at] = reversed(hit, entry);
        }
    }

    fn any_step() -> impl Strategy<Value = (Step, i32, i64)> {
        let step = prop::sample::select(vec![Step::Receive, Step::Use, Step::Refund, Step::Reverse]);
        (step, 1_i32..4, prop::sample::select(vec![1_i64, 10, 23, 30, 50, 50, 57]))
    }

    proptest! {
        #[test]
        fn what_is_unused_can_leave_by_some_branch(steps in prop::collection::vec(any_step(), 1..24)) {
            let mut changes = Vec::new();
            for (entry, step) in (1..).zip(steps) {
                make_step(&mut changes, entry, step);
                let in_force = changes.iter().filter(|one| one.reversed_by.is_none());
                let total: i64 = in_force.map(|one| one.amount).sum();
                prop_assert!(is_credit_covered(&changes));
                prop_assert_eq!(unused(&changes, &[1, 2, 3]), total);
                let single = [1, 2, 3].map(|branch| unused(&changes, &[branch]));
                prop_assert!(single.iter().all(|one| (0..=total).contains(one)), "{single:?} of {total}");
                prop_assert!(single.iter().sum::<i64>() >= total, "{single:?} of {total}");
            }
        }
    }

    proptest! {
        #[test]
        fn what_is_unused_is_the_sum_of_all_and_never_below_nothing(
            steps in prop::collection::vec((1_i32..4, -60_i64..60), 1..24),
        ) {
            let (mut changes, mut total) = (Vec::new(), 0_i64);
            for (entry, (branch, amount)) in (1..).zip(steps) {
                let amount = amount.max(-total);
                if amount != 0 {
                    total += amount;
                    changes.push(change(entry, branch, amount));
                }
            }
            prop_assert_eq!(unused(&changes, &[1, 2, 3]), total);
            for branch in 1..4 {
                prop_assert!((0..=total).contains(&unused(&changes, &[branch])));
                let others: Vec<i32> = (1..4).filter(|other| *other != branch).collect();
                prop_assert_eq!(unused(&changes, &[branch]) + unused(&changes, &others), total);
            }
        }
    }
}
