use super::*;
use crate::ChargeItemCode;
use crate::finance::{LateCharges, split_receipt};
use proptest::prelude::*;

const GROUP: GroupCode = GroupCode::new(3);
const BANK: MoneyAccountCode = MoneyAccountCode::new(8);
const PERSON: PersonCode = PersonCode::new(42);

use LedgerAccountKind::{
    Cash, Discount, Expense, Income, LateCharges as Late, MemberCredit, OwedToAdministrator, Payable,
    Receivable,
};

fn charge(item: i32, nature: LegalNature, amount: i64) -> ChargeLine {
    ChargeLine {
        item: ChargeItemCode::new(item),
        nature,
        benefit: None,
        price: None,
        amount,
        description: None,
    }
}

/// Kind, reference, debit and credit of each line.
fn show(entry: &BalancedLines) -> Vec<(LedgerAccountKind, i64, i64, i64)> {
    let lines = entry.lines().iter();
    lines.map(|line| (line.account.kind, line.account.reference, line.debit, line.credit)).collect()
}

fn monthly_title() -> Vec<ChargeLine> {
    vec![
        charge(1, LegalNature::Administration, 3_000),
        charge(2, LegalNature::Indemnity, 6_000),
        charge(2, LegalNature::Indemnity, 1_620),
        charge(1, LegalNature::Administration, -500),
    ]
}

type PaidPrincipal = BTreeMap<LegalNature, i64>;

fn book(
    title: &[ChargeLine],
    paid: &PaidPrincipal,
    split: ReceiptSplit,
) -> Result<BalancedLines, EntryImbalance> {
    book_receipt(GROUP, title, BANK, PERSON, paid, &split)
}

fn pay(title: &[ChargeLine], paid: &PaidPrincipal, principal: i64) -> Result<BalancedLines, EntryImbalance> {
    book(title, paid, ReceiptSplit { principal, ..ReceiptSplit::default() })
}

#[test]
fn a_charge_is_owed_by_nature_and_earned_by_item() {
    let entry = book_issue(GROUP, LaunchKind::Credit, &monthly_title()).unwrap();
    assert_eq!(entry.group(), GROUP);
    assert_eq!(
        show(&entry),
        [
            (Receivable, 1, 7_620, 0),
            (Receivable, 3, 2_500, 0),
            (Discount, 3, 500, 0),
            (Income, 2, 0, 7_620),
            (OwedToAdministrator, 1, 0, 3_000),
        ]
    );
}

#[test]
fn in_the_book_of_the_administration_its_fee_is_income() {
    let fee = [charge(1, LegalNature::Administration, 3_000)];
    let entry = book_issue(GroupCode::ADMINISTRATION, LaunchKind::Credit, &fee).unwrap();
    assert_eq!(show(&entry), [(Receivable, 3, 3_000, 0), (Income, 1, 0, 3_000)]);
}

#[test]
fn what_the_association_owes_is_an_expense() {
    let bill = [charge(5, LegalNature::Operation, 900), charge(5, LegalNature::Operation, -100)];
    let entry = book_issue(GROUP, LaunchKind::Debit, &bill).unwrap();
    assert_eq!(show(&entry), [(Expense, 5, 900, 0), (Payable, 0, 0, 800), (Expense, 5, 0, 100)]);
    let entry = book_payment(GROUP, &bill, BANK, 0, 800).unwrap();
    assert_eq!(show(&entry), [(Payable, 0, 800, 0), (Cash, 8, 0, 800)]);
}

#[test]
fn a_late_receipt_pays_charges_and_leaves_a_credit() {
    let split = split_receipt(12_000, 10_120, LateCharges { fine: 202, interest: 57 });
    assert_eq!(
        show(&book(&monthly_title(), &PaidPrincipal::new(), split).unwrap()),
        [
            (Cash, 8, 12_000, 0),
            (Receivable, 1, 0, 7_620),
            (Receivable, 3, 0, 2_500),
            (Late, 1, 0, 202),
            (Late, 2, 0, 57),
            (MemberCredit, 42, 0, 1_621),
        ]
    );
}

#[test]
fn a_receipt_of_charges_alone_touches_no_receivable() {
    let split = split_receipt(40, 10_120, LateCharges { fine: 202, interest: 57 });
    assert_eq!(
        show(&book(&monthly_title(), &PaidPrincipal::new(), split).unwrap()),
        [(Cash, 8, 40, 0), (Late, 2, 0, 40)]
    );
}

#[test]
fn the_principal_goes_to_what_is_open() {
    let title = monthly_title();
    let paid = PaidPrincipal::from([(LegalNature::Indemnity, 6_620), (LegalNature::Administration, 500)]);
    let entry = pay(&title, &paid, 1_000).unwrap();
    assert_eq!(show(&entry), [(Cash, 8, 1_000, 0), (Receivable, 1, 0, 333), (Receivable, 3, 0, 667)]);
    let paid = PaidPrincipal::from([(LegalNature::Indemnity, 7_620)]);
    let entry = pay(&title, &paid, 1_000).unwrap();
    assert_eq!(show(&entry), [(Cash, 8, 1_000, 0), (Receivable, 3, 0, 1_000)]);
}

#[test]
fn what_cannot_be_booked_is_refused() {
    let title = monthly_title();
    assert_eq!(book_issue(GROUP, LaunchKind::Credit, &[]), Err(EntryImbalance::TooFewLines));
    assert_eq!(book_issue(GROUP, LaunchKind::CostSharing, &title), Err(EntryImbalance::NothingToBook));
    let generous =
        [charge(1, LegalNature::Administration, 100), charge(1, LegalNature::Administration, -101)];
    assert_eq!(
        book_issue(GROUP, LaunchKind::Credit, &generous),
        Err(EntryImbalance::DiscountAboveCharge(LegalNature::Administration))
    );
    assert_eq!(book_issue(GROUP, LaunchKind::Debit, &generous), Err(EntryImbalance::DeductionAboveExpense));
    let huge = [charge(1, LegalNature::Refund, i64::MAX), charge(1, LegalNature::Refund, 1)];
    assert_eq!(book_issue(GROUP, LaunchKind::Credit, &huge), Err(EntryImbalance::Overflow));

    let nothing = PaidPrincipal::new();
    assert_eq!(pay(&title, &nothing, 0), Err(EntryImbalance::TooFewLines));
    assert_eq!(pay(&title, &nothing, 10_121), Err(EntryImbalance::ImpossibleReceipt));
    assert_eq!(pay(&title, &nothing, -1), Err(EntryImbalance::ImpossibleReceipt));
    let too_large = ReceiptSplit { principal: 1, excess: i64::MAX, ..ReceiptSplit::default() };
    assert_eq!(book(&title, &nothing, too_large), Err(EntryImbalance::Overflow));
    for (nature, paid, principal) in [
        (LegalNature::Indemnity, 1, 10_120),
        (LegalNature::Indemnity, 7_621, 1),
        (LegalNature::Indemnity, -1, 10),
        (LegalNature::Indemnity, i64::MAX, 1),
        (LegalNature::Indemnity, i64::MIN, 1),
        (LegalNature::Operation, 1, 1),
    ] {
        let paid = PaidPrincipal::from([(nature, paid)]);
        assert_eq!(pay(&title, &paid, principal), Err(EntryImbalance::ImpossibleReceipt));
    }

    for (already_paid, amount) in [(0, 10_121), (1, 10_120), (-1, 10)] {
        let payment = book_payment(GROUP, &title, BANK, already_paid, amount);
        assert_eq!(payment, Err(EntryImbalance::ImpossibleReceipt));
    }
    assert_eq!(book_payment(GROUP, &title, BANK, i64::MAX, 1), Err(EntryImbalance::Overflow));
    assert_eq!(book_payment(GROUP, &title, BANK, 0, 0), Err(EntryImbalance::TooFewLines));
    let negative = book_payment(GROUP, &title, BANK, 10, -1);
    assert!(matches!(negative, Err(EntryImbalance::NotOneSided(_))));
    assert_eq!(book_payment(GROUP, &generous, BANK, 0, 1), Err(EntryImbalance::DeductionAboveExpense));
}

/// Debits less credits of each account.
type AccountBalances = BTreeMap<LedgerAccountKey, i64>;

fn add_up(entries: &[BalancedLines]) -> AccountBalances {
    let mut balances = AccountBalances::new();
    for line in entries.iter().flat_map(BalancedLines::lines) {
        *balances.entry(line.account).or_default() += line.debit - line.credit;
    }
    balances
}

/// What the receipts and their reversals have paid of each nature: the credits of the receivables.
fn sum_paid(receipts: &[BalancedLines]) -> PaidPrincipal {
    let mut paid = PaidPrincipal::new();
    for (account, balance) in add_up(receipts).into_iter().filter(|(account, _)| account.kind == Receivable) {
        paid.insert(LegalNature::from_number(account.reference).unwrap(), -balance);
    }
    paid
}

fn some_title() -> impl Strategy<Value = Vec<ChargeLine>> {
    let line = (1i32..6, 0usize..4, prop_oneof![1i64..60, 1i64..500_000], 0i64..=100);
    prop::collection::vec(line, 1..7).prop_map(|lines| {
        let mut title = Vec::new();
        for (item, nature, amount, discount) in lines {
            let nature = LegalNature::ALL[nature];
            title.push(charge(item, nature, amount));
            // Half of the lines have a discount, some of them a whole one.
            if discount > 50 {
                title.push(charge(item, nature, -(amount * (discount - 50) / 50)));
            }
        }
        title
    })
}

/// Receipts for the title until it is settled, in parts of the open principal, with late charges at each.
fn receive_all(title: &[ChargeLine], parts: &[(i64, i64, i64)]) -> Vec<BalancedLines> {
    let total: i64 = title.iter().map(|line| line.amount).sum();
    let mut paid = 0;
    let mut receipts: Vec<BalancedLines> = Vec::new();
    for (permille, fine, interest) in parts.iter().copied().chain([(2_000, 0, 0)]) {
        let received = (total - paid) * permille / 1_000 + fine;
        let split = split_receipt(received, total - paid, LateCharges { fine, interest });
        if received > 0 {
            receipts.push(book(title, &sum_paid(&receipts), split).unwrap());
            paid += split.principal;
        }
    }
    assert_eq!(paid, total);
    receipts
}

fn some_parts() -> impl Strategy<Value = Vec<(i64, i64, i64)>> {
    prop::collection::vec((0i64..=1_100, 0i64..300, 0i64..300), 0..7)
}

#[derive(Clone, Debug)]
enum Step {
    /// So many thousandths of the open principal.
    Receive(i64),
    /// One of the receipts in force.
    Reverse(prop::sample::Index),
}

fn some_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (0i64..=1_000).prop_map(Step::Receive),
        2 => any::<prop::sample::Index>().prop_map(Step::Reverse),
    ]
}

proptest! {
    #[test]
    fn a_paid_title_leaves_no_receivable_of_any_nature(title in some_title(), parts in some_parts()) {
        let issue = book_issue(GROUP, LaunchKind::Credit, &title).unwrap();
        let mut entries = vec![issue];
        entries.extend(receive_all(&title, &parts));
        for entry in &entries {
            let (debit, credit) = entry.lines().iter().fold((0, 0), |(debit, credit), line| {
                (debit + line.debit, credit + line.credit)
            });
            prop_assert_eq!(debit, credit);
            prop_assert!(entry.lines().iter().all(|line| line.account.group == GROUP));
        }
        for (account, balance) in add_up(&entries) {
            prop_assert!(account.kind != Receivable || balance == 0, "{account:?} {balance}");
        }
        let reversed: Vec<BalancedLines> = entries.iter().map(BalancedLines::reverse).collect();
        entries.extend(reversed);
        prop_assert!(add_up(&entries).values().all(|balance| *balance == 0));
    }

    #[test]
    fn what_a_nature_has_paid_never_falls_or_exceeds_it(title in some_title(), parts in some_parts()) {
        let amounts = sum_by_nature(&title).unwrap();
        let receipts = receive_all(&title, &parts);
        let mut before = PaidPrincipal::new();
        for count in 1..=receipts.len() {
            let paid = sum_paid(&receipts[..count]);
            prop_assert!(before.iter().all(|(nature, amount)| paid.get(nature) >= Some(amount)));
            prop_assert!(paid.iter().all(|(nature, amount)| *amount <= amounts[nature]));
            before = paid;
        }
        for (nature, amount) in amounts {
            prop_assert_eq!(before.get(&nature).copied().unwrap_or(0), amount);
        }
    }

    #[test]
    fn every_cent_that_arrives_alone_finds_its_nature(
        amounts in prop::collection::vec((0usize..4, 1i64..40), 1..5),
    ) {
        let title: Vec<ChargeLine> =
            amounts.iter().map(|(nature, amount)| charge(1, LegalNature::ALL[*nature], *amount)).collect();
        let total: i64 = amounts.iter().map(|(_, amount)| *amount).sum();
        let mut receipts: Vec<BalancedLines> = Vec::new();
        for _ in 0..total {
            receipts.push(pay(&title, &sum_paid(&receipts), 1).unwrap());
        }
        prop_assert_eq!(sum_paid(&receipts), sum_by_nature(&title).unwrap());
    }

    #[test]
    fn in_any_order_of_receipts_and_reversals_no_nature_is_overpaid(
        title in some_title(), steps in prop::collection::vec(some_step(), 0..20),
    ) {
        let amounts = sum_by_nature(&title).unwrap();
        let mut entries = Vec::new();
        let mut in_force: Vec<BalancedLines> = Vec::new();
        for step in steps.into_iter().chain([Step::Receive(1_000)]) {
            let paid = sum_paid(&entries);
            let open = amounts.values().sum::<i64>() - paid.values().sum::<i64>();
            match step {
                Step::Receive(permille) if open * permille >= 1_000 => {
                    let receipt = pay(&title, &paid, open * permille / 1_000).unwrap();
                    entries.push(receipt.clone());
                    in_force.push(receipt);
                }
                Step::Reverse(chosen) if !in_force.is_empty() => {
                    entries.push(in_force.remove(chosen.index(in_force.len())).reverse());
                }
                Step::Receive(_) | Step::Reverse(_) => {}
            }
            for (nature, paid) in sum_paid(&entries) {
                prop_assert!((0..=amounts[&nature]).contains(&paid), "{nature:?} {paid}");
            }
        }
        let paid = sum_paid(&entries);
        prop_assert!(amounts.iter().all(|(nature, amount)| paid.get(nature).copied().unwrap_or(0) == *amount));
        entries.extend(in_force.iter().map(BalancedLines::reverse));
        prop_assert!(add_up(&entries).values().all(|balance| *balance == 0));
    }

    #[test]
    fn a_paid_debt_leaves_nothing_payable(amounts in prop::collection::vec(1i64..90_000, 1..5), permille in 0i64..=1_000) {
        let bill: Vec<ChargeLine> =
            amounts.iter().map(|amount| charge(5, LegalNature::Operation, *amount)).collect();
        let total: i64 = amounts.iter().sum();
        let first = total * permille / 1_000;
        let mut entries = vec![book_issue(GROUP, LaunchKind::Debit, &bill).unwrap()];
        for (already_paid, amount) in [(0, first), (first, total - first)] {
            if amount > 0 {
                entries.push(book_payment(GROUP, &bill, BANK, already_paid, amount).unwrap());
            }
        }
        for (account, balance) in add_up(&entries) {
            prop_assert!(account.kind != Payable || balance == 0);
        }
    }
}
