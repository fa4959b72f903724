//! The price bands of a file's lines so far. Two lines that decide one price contradict each other, and a dry run, which
//! writes nothing, would not find the other one in the price table.

use domain::finance::TablePrice;
use domain::{BranchCode, Date, PlanCode, VehicleTypeCode};
use std::collections::{BTreeMap, HashMap};

/// What two prices have in common whose bands must not overlap; the last part is whether they have bands.
type PriceCase = (PlanCode, Date, Option<BranchCode>, Option<VehicleTypeCode>, bool);

/// Bands by their start, in cents; they never overlap.
#[derive(Default)]
pub(super) struct PriceBandIndex {
    cases: HashMap<PriceCase, BTreeMap<i64, PriceBandLine>>,
}

struct PriceBandLine {
    until: i64,
    line: i32,
}

impl PriceBandIndex {
    /// Adds the price of a line, or returns the earlier line whose band it overlaps. A line may be added again.
    pub(super) fn insert_price(&mut self, line: i32, price: &TablePrice) -> Option<i32> {
        let from = price.band.from.map_or(i64::MIN, domain::Money::cents);
        let until = price.band.until.map_or(i64::MAX, domain::Money::cents);
        if until < from {
            // Refused for itself.
            return None;
        }
        let case = (price.plan, price.valid_from, price.branch, price.vehicle_type, price.band.is_limited());
        let bands = self.cases.entry(case).or_default();
        // Of disjoint bands, the last one that starts in time ends last.
        if let Some((_, known)) = bands.range(..=until).next_back()
            && known.until >= from
        {
            return Some(known.line).filter(|known| *known != line);
        }
        bands.insert(from, PriceBandLine { until, line });
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::Money;
    use domain::finance::ValueBand;

    fn price(plan: i32, from: Option<i64>, until: Option<i64>) -> TablePrice {
        let money = |cents: i64| Money::from_stored_cents(cents).unwrap();
        TablePrice {
            code: None,
            plan: PlanCode::new(plan),
            valid_from: Date::new(2026, 12, 1).unwrap(),
            branch: None,
            vehicle_type: None,
            band: ValueBand { from: from.map(money), until: until.map(money) },
            price: Money::default(),
        }
    }

    #[test]
    fn a_band_overlaps_one_of_an_earlier_line_or_none() {
        let mut index = PriceBandIndex::default();
        for (line, plan, from, until, overlapped) in [
            (2, 1, Some(1_000), Some(2_000), None),
            (3, 1, Some(2_001), Some(3_000), None),
            (4, 1, Some(3_000), Some(4_000), Some(3)),
            (5, 1, Some(500), Some(1_000), Some(2)),
            (6, 1, None, None, None),
            (7, 1, None, None, Some(6)),
            (8, 1, None, Some(999), None),
            (9, 1, Some(4_000), None, None),
            (10, 1, Some(9_000), Some(9_001), Some(9)),
            (11, 1, Some(2_500), Some(2_600), Some(3)),
            (12, 1, Some(1), Some(10_000), Some(9)),
            (13, 1, Some(20), Some(10), None),
            (14, 2, Some(1_000), Some(2_000), None),
        ] {
            let price = price(plan, from, until);
            assert_eq!(index.insert_price(line, &price), overlapped, "{line}");
            if overlapped.is_none() {
                assert_eq!(index.insert_price(line, &price), None, "{line} again");
            }
        }
    }
}
