//! Discounts on the lines of a charge.

use super::allocate_by_largest_remainder;
use super::title::LegalNature;
use crate::{BenefitCode, DiscountCode, Money, PlanCode};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiscountAmountRule {
    /// In hundredths of a percent, of what the lines amount to before any discount.
    Percent(i64),
    Amount(Money),
}

/// A discount that a benefit has in the month that is charged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrantedDiscount {
    pub discount: DiscountCode,
    pub benefit: BenefitCode,
    pub rate: DiscountAmountRule,
    /// The only nature of charges that it lowers.
    pub nature: LegalNature,
    /// Without it, every plan of the benefit.
    pub plan: Option<PlanCode>,
}

/// What a discount may lower.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiscountableLine {
    pub benefit: BenefitCode,
    pub plan: Option<PlanCode>,
    pub nature: LegalNature,
    pub amount: i64,
}

/// What a discount takes from a line: a line of its own, of the same charge item and below 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineDiscount {
    /// The index of the line.
    pub line: usize,
    pub discount: DiscountCode,
    /// Above 0.
    pub amount: i64,
}

impl GrantedDiscount {
    fn is_for(&self, line: &DiscountableLine) -> bool {
        self.benefit == line.benefit
            && self.nature == line.nature
            && self.plan.is_none_or(|plan| Some(plan) == line.plan)
    }

    fn compute_amount(&self, base: i64) -> i64 {
        match self.rate {
            DiscountAmountRule::Percent(hundredths) => {
                let exact = i128::from(base) * i128::from(hundredths.clamp(0, 10_000));
                i64::try_from((exact + 5_000) / 10_000).unwrap_or(base)
            }
            DiscountAmountRule::Amount(amount) => amount.cents(),
        }
    }
}

/// The discounts in their order, each shared over its lines by what is left of them. A discount that exceeds its lines
/// ends with them: the rest is neither owed nor taken from another line.
pub fn apply_discounts(lines: &[DiscountableLine], discounts: &[GrantedDiscount]) -> Vec<LineDiscount> {
    let mut left: Vec<i64> = lines.iter().map(|line| line.amount.max(0)).collect();
    let mut applied = Vec::new();
    for granted in discounts {
        let touched: Vec<usize> = (0..lines.len()).filter(|at| granted.is_for(&lines[*at])).collect();
        let base = touched.iter().fold(0i64, |sum, at| sum.saturating_add(lines[*at].amount.max(0)));
        let weights: Vec<i64> = touched.iter().map(|at| left[*at]).collect();
        let most = weights.iter().fold(0i64, |sum, weight| sum.saturating_add(*weight));
        let total = granted.compute_amount(base).min(most);
        let shares = allocate_by_largest_remainder(total, &weights).unwrap_or_default();
        for (line, amount) in touched.into_iter().zip(shares).filter(|(_, amount)| *amount > 0) {
            left[line] -= amount;
            applied.push(LineDiscount { line, discount: granted.discount, amount });
        }
    }
    applied
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn line(benefit: i32, plan: Option<i32>, nature: LegalNature, amount: i64) -> DiscountableLine {
        DiscountableLine { benefit: BenefitCode::new(benefit), plan: plan.map(PlanCode::new), nature, amount }
    }

    fn granted(benefit: i32, rate: DiscountAmountRule) -> GrantedDiscount {
        GrantedDiscount {
            discount: DiscountCode::new(1),
            benefit: BenefitCode::new(benefit),
            rate,
            nature: LegalNature::Administration,
            plan: None,
        }
    }

    fn list_amounts(lines: &[DiscountableLine], discounts: &[GrantedDiscount]) -> Vec<(usize, i64)> {
        apply_discounts(lines, discounts).into_iter().map(|one| (one.line, one.amount)).collect()
    }

    #[test]
    fn a_discount_lowers_only_lines_of_its_nature_and_benefit() {
        let lines = [
            line(1, Some(1), LegalNature::Administration, 10_000),
            line(1, Some(2), LegalNature::Indemnity, 10_000),
            line(2, Some(1), LegalNature::Administration, 10_000),
        ];
        let tenth = DiscountAmountRule::Percent(1_000);
        assert_eq!(list_amounts(&lines, &[granted(1, tenth)]), [(0, 1_000)]);
        let other_plan = GrantedDiscount { plan: Some(PlanCode::new(2)), ..granted(1, tenth) };
        assert_eq!(list_amounts(&lines, &[other_plan]), []);
        assert_eq!(list_amounts(&lines, &[granted(3, tenth)]), []);
    }

    #[test]
    fn a_discount_ends_with_its_lines() {
        let lines = [line(1, None, LegalNature::Administration, 5_000)];
        let amount = |cents| granted(1, DiscountAmountRule::Amount(Money::from_cents(cents).unwrap()));
        assert_eq!(list_amounts(&lines, &[amount(8_000)]), [(0, 5_000)]);
        assert_eq!(
            list_amounts(&lines, &[amount(3_000), amount(3_000), amount(1)]),
            [(0, 3_000), (0, 2_000)]
        );
    }

    #[test]
    fn a_percentage_is_of_the_full_charge_and_rounded_half_up_once() {
        let lines = [
            line(1, None, LegalNature::Administration, 3_333),
            line(1, None, LegalNature::Administration, 3_337),
        ];
        let half = granted(1, DiscountAmountRule::Percent(50));
        // 0.5 % of 66.70 is 33.35 cents, and 0.75 % is 50.025.
        assert_eq!(
            list_amounts(&lines, std::slice::from_ref(&half)).iter().map(|one| one.1).sum::<i64>(),
            33
        );
        let whole = granted(1, DiscountAmountRule::Percent(10_000));
        assert_eq!(list_amounts(&lines, &[half, whole]).iter().map(|one| one.1).sum::<i64>(), 6_670);
        assert_eq!(
            list_amounts(
                &[line(1, None, LegalNature::Administration, 25)],
                &[granted(1, DiscountAmountRule::Percent(200))]
            ),
            [(0, 1)]
        );
    }

    fn some_line() -> impl Strategy<Value = DiscountableLine> {
        let nature = prop::sample::select(LegalNature::ALL.to_vec());
        (1i32..3, prop::option::of(1i32..3), nature, -50i64..20_000)
            .prop_map(|(benefit, plan, nature, amount)| line(benefit, plan, nature, amount))
    }

    fn some_discount() -> impl Strategy<Value = GrantedDiscount> {
        let rate = prop_oneof![
            (0i64..=10_000).prop_map(DiscountAmountRule::Percent),
            (0i64..30_000).prop_map(|cents| DiscountAmountRule::Amount(Money::from_cents(cents).unwrap())),
        ];
        let nature = prop::sample::select(LegalNature::ALL.to_vec());
        (1i32..3, rate, nature, prop::option::of(1i32..3)).prop_map(|(benefit, rate, nature, plan)| {
            GrantedDiscount { nature, plan: plan.map(PlanCode::new), ..granted(benefit, rate) }
        })
    }

    proptest! {
        #[test]
        fn no_line_falls_below_nothing_and_no_other_line_is_touched(
            lines in prop::collection::vec(some_line(), 0..8), discounts in prop::collection::vec(some_discount(), 0..5),
        ) {
            let applied = apply_discounts(&lines, &discounts);
            for (at, line) in lines.iter().enumerate() {
                let taken: i64 = applied.iter().filter(|one| one.line == at).map(|one| one.amount).sum();
                prop_assert!(taken <= line.amount.max(0));
                prop_assert!(taken == 0 || discounts.iter().any(|one| one.is_for(line)));
            }
            prop_assert!(applied.iter().all(|one| one.amount > 0));
        }

        #[test]
        fn a_single_discount_takes_exactly_its_amount_or_all(
            lines in prop::collection::vec(some_line(), 0..8), discount in some_discount(),
        ) {
            let touched = lines.iter().filter(|line| discount.is_for(line));
            let base: i64 = touched.map(|line| line.amount.max(0)).sum();
            let total: i64 = apply_discounts(&lines, std::slice::from_ref(&discount)).iter().map(|one| one.amount).sum();
            prop_assert_eq!(total, discount.compute_amount(base).min(base));
        }
    }
}
