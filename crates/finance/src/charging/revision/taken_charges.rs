//! Which lines of a title are one-off charges.

use domain::finance::ChargeLine;
use domain::{BenefitCode, PendingChargeCode};
use finance_storage::pending_charges::StoredPendingCharge;

/// A line of a title, with the one-off charge that it is.
pub(super) struct TitleLine {
    pub line: ChargeLine,
    pub pending_charge: Option<PendingChargeCode>,
}

impl TitleLine {
    pub(super) fn is_of(&self, benefit: BenefitCode) -> bool {
        self.line.benefit == Some(benefit)
    }
}

/// Finds the line of each one-off charge: they have the same item, amount and description, and the same benefit if the
/// charge names one, and charge no price. Where two lines are alike, it does not matter which is taken.
pub(super) fn match_charges(lines: &[ChargeLine], taken: &[StoredPendingCharge]) -> Vec<TitleLine> {
    let mut matched: Vec<TitleLine> =
        lines.iter().map(|line| TitleLine { line: line.clone(), pending_charge: None }).collect();
    // Those that name a benefit fit fewer lines.
    let (named, free): (Vec<_>, Vec<_>) = taken.iter().partition(|charge| charge.benefit.is_some());
    for charge in named.into_iter().chain(free) {
        let is_its_line = |one: &&mut TitleLine| {
            one.pending_charge.is_none()
                && one.line.price.is_none()
                && (one.line.item, one.line.amount) == (charge.item, charge.amount)
                && one.line.description == charge.description
                && (charge.benefit.is_none() || charge.benefit == one.line.benefit)
        };
        if let Some(one) = matched.iter_mut().find(is_its_line) {
            one.pending_charge = Some(charge.code);
        }
    }
    matched
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::finance::{
        LegalNature, PendingChargeSituation, PendingChargeSource, PriceOrigin, PriceSource,
    };
    use domain::{BranchCode, ChargeItemCode, GroupCode, Moment, PersonCode};

    fn line(benefit: i32, item: i32, amount: i64) -> ChargeLine {
        ChargeLine {
            item: ChargeItemCode::new(item),
            nature: LegalNature::ALL[0],
            benefit: Some(BenefitCode::new(benefit)),
            price: None,
            amount,
            description: None,
        }
    }

    fn charge(code: i32, benefit: Option<i32>, item: i32, amount: i64) -> StoredPendingCharge {
        StoredPendingCharge {
            code: PendingChargeCode::new(code),
            person: PersonCode::new(1),
            benefit: benefit.map(BenefitCode::new),
            branch: BranchCode::new(1),
            group: GroupCode::new(1),
            item: ChargeItemCode::new(item),
            amount,
            description: None,
            source: PendingChargeSource::ByHand,
            settlement: None,
            situation: PendingChargeSituation::Charged,
            title: None,
            cancelled_on: None,
            cancelled_because: None,
            user: None,
            created_at: Moment::from_millis(0),
        }
    }

    #[test]
    fn each_charge_gets_one_line() {
        let lines = [line(7, 1, 500), line(7, 2, 700), line(8, 2, 700), line(8, 2, 700)];
        let taken = [charge(1, None, 2, 700), charge(2, Some(8), 2, 700), charge(3, Some(7), 2, 700)];
        let matched: Vec<Option<i32>> = match_charges(&lines, &taken)
            .iter()
            .map(|one| one.pending_charge.map(PendingChargeCode::get))
            .collect();
        assert_eq!(matched, [None, Some(3), Some(2), Some(1)]);
    }

    #[test]
    fn a_line_that_charges_a_price_is_no_one_off_charge() {
        let price = Some(PriceOrigin { source: PriceSource::Plan, row: None });
        let lines = [ChargeLine { price, ..line(7, 2, 700) }, line(7, 2, 700)];
        let matched = match_charges(&lines, &[charge(1, Some(7), 2, 700)]);
        assert_eq!(matched.iter().map(|one| one.pending_charge.is_some()).collect::<Vec<_>>(), [false, true]);
    }
}
