//! What a plan of a benefit costs on a day: the agreed value, else the price table, else the plan's own price.

use crate::fixed_sets::set;
use crate::{BranchCode, Date, Money, PlanCode, PlanPriceCode, VehicleTypeCode};
use std::collections::BTreeMap;

set!(
    /// Where a price comes from.
    PriceSource {
        Agreed = 1,
        PriceTable = 2,
        Plan = 3,
    }
);

/// Which price an amount is; the line of a title keeps it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PriceOrigin {
    pub source: PriceSource,
    /// The row of the price table that decided.
    pub row: Option<PlanPriceCode>,
}

/// The protected values that a price is for. Both ends belong to the band: tables are written "from 20,000.01 to 30,000".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ValueBand {
    pub from: Option<Money>,
    pub until: Option<Money>,
}

impl ValueBand {
    pub fn is_limited(&self) -> bool {
        self.from.is_some() || self.until.is_some()
    }

    /// A band without ends holds every value, and also none at all.
    pub fn contains(&self, value: Option<Money>) -> bool {
        match value {
            Some(value) => {
                self.from.is_none_or(|from| from <= value) && self.until.is_none_or(|until| value <= until)
            }
            None => !self.is_limited(),
        }
    }

    fn overlaps(&self, other: &ValueBand) -> bool {
        let starts_in_time = |one: &ValueBand, other: &ValueBand| match (one.from, other.until) {
            (Some(from), Some(until)) => from <= until,
            _ => true,
        };
        starts_in_time(self, other) && starts_in_time(other, self)
    }
}

/// A row of the price table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TablePrice {
    /// `None` before it is saved.
    pub code: Option<PlanPriceCode>,
    pub plan: PlanCode,
    pub valid_from: Date,
    /// Without it, of every branch.
    pub branch: Option<BranchCode>,
    /// Without it, of every vehicle type.
    pub vehicle_type: Option<VehicleTypeCode>,
    pub band: ValueBand,
    pub price: Money,
}

impl TablePrice {
    pub fn is_for(&self, key: &PriceKey) -> bool {
        self.plan == key.plan
            && self.valid_from <= key.day
            && self.branch.is_none_or(|branch| branch == key.branch)
            && self.vehicle_type.is_none_or(|kind| Some(kind) == key.vehicle_type)
            && self.band.contains(key.value)
    }

    /// Whether both could decide the same price: a table with two such rows is refused.
    pub fn overlaps(&self, other: &TablePrice) -> bool {
        let key = |row: &TablePrice| {
            (row.plan, row.valid_from, row.branch, row.vehicle_type, row.band.is_limited())
        };
        key(self) == key(other) && self.band.overlaps(&other.band)
    }

    /// The most specific row decides, of equally specific ones the newest. So a branch's own prices survive a new table
    /// for everybody, until they are changed themselves.
    fn precedence(&self) -> (bool, bool, bool, Date) {
        (self.branch.is_some(), self.vehicle_type.is_some(), self.band.is_limited(), self.valid_from)
    }
}

/// The rows of the price table by plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PriceTable(BTreeMap<PlanCode, Vec<TablePrice>>);

impl FromIterator<TablePrice> for PriceTable {
    fn from_iter<I: IntoIterator<Item = TablePrice>>(rows: I) -> PriceTable {
        let mut table = PriceTable::default();
        for row in rows {
            table.0.entry(row.plan).or_default().push(row);
        }
        table
    }
}

impl PriceTable {
    pub fn prices_of(&self, plan: PlanCode) -> &[TablePrice] {
        self.0.get(&plan).map_or(&[], Vec::as_slice)
    }
}

/// What decides a price.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PriceKey {
    pub plan: PlanCode,
    pub day: Date,
    pub branch: BranchCode,
    pub vehicle_type: Option<VehicleTypeCode>,
    /// The protected value, else the vehicle's worth.
    pub value: Option<Money>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChosenPrice {
    pub amount: Money,
    pub origin: PriceOrigin,
}

/// `None` without a price, and for a price of 0: nothing is charged as zero, the caller gives the reason instead.
pub fn choose_price<'r>(
    agreed: Option<Money>,
    rows: impl IntoIterator<Item = &'r TablePrice>,
    plan_price: Option<Money>,
    key: &PriceKey,
) -> Option<ChosenPrice> {
    let from_table = || {
        let rows = rows.into_iter().filter(|row| row.is_for(key));
        rows.max_by_key(|row| row.precedence())
    };
    let build = |amount, source, row| ChosenPrice { amount, origin: PriceOrigin { source, row } };
    let chosen = match agreed {
        Some(amount) => Some(build(amount, PriceSource::Agreed, None)),
        None => match from_table() {
            Some(row) => Some(build(row.price, PriceSource::PriceTable, row.code)),
            None => plan_price.map(|amount| build(amount, PriceSource::Plan, None)),
        },
    };
    chosen.filter(|price| price.amount > Money::default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn money(cents: i64) -> Money {
        Money::from_cents(cents).unwrap()
    }

    fn day(number: i8) -> Date {
        Date::new(2026, 11, number).unwrap()
    }

    fn row(valid_from: i8, price: i64) -> TablePrice {
        TablePrice {
            code: None,
            plan: PlanCode::new(1),
            valid_from: day(valid_from),
            branch: None,
            vehicle_type: None,
            band: ValueBand::default(),
            price: money(price),
        }
    }

    fn band(from: Option<i64>, until: Option<i64>) -> ValueBand {
        ValueBand { from: from.map(money), until: until.map(money) }
    }

    fn key(value: Option<i64>) -> PriceKey {
        PriceKey {
            plan: PlanCode::new(1),
            day: day(10),
            branch: BranchCode::new(1),
            vehicle_type: Some(VehicleTypeCode::new(1)),
            value: value.map(money),
        }
    }

    fn choose(rows: &[TablePrice], key: &PriceKey) -> Option<(i64, PriceSource)> {
        let chosen = choose_price(None, rows, Some(money(5_000)), key);
        chosen.map(|price| (price.amount.cents(), price.origin.source))
    }

    #[test]
    fn an_agreed_value_comes_before_the_table_and_the_table_before_the_plan() {
        let rows = [row(1, 9_000)];
        let agreed = choose_price(Some(money(7_000)), &rows, Some(money(5_000)), &key(None));
        let origin = PriceOrigin { source: PriceSource::Agreed, row: None };
        assert_eq!(agreed, Some(ChosenPrice { amount: money(7_000), origin }));
        assert_eq!(choose(&rows, &key(None)), Some((9_000, PriceSource::PriceTable)));
        assert_eq!(choose(&[], &key(None)), Some((5_000, PriceSource::Plan)));
        assert_eq!(choose_price(None, &[], None, &key(None)), None);
    }

    #[test]
    fn a_price_of_nothing_is_no_price() {
        assert_eq!(choose_price(Some(money(0)), &[row(1, 9_000)], Some(money(1)), &key(None)), None);
        assert_eq!(choose(&[row(1, 0)], &key(None)), None);
        assert_eq!(choose_price(None, &[], Some(money(0)), &key(None)), None);
    }

    #[test]
    fn the_newest_row_of_the_day_decides_and_a_later_one_not_yet() {
        let rows = [row(1, 1_000), row(10, 2_000), row(11, 3_000)];
        assert_eq!(choose(&rows, &key(None)), Some((2_000, PriceSource::PriceTable)));
        assert_eq!(choose(&rows[2..], &key(None)), Some((5_000, PriceSource::Plan)));
    }

    #[test]
    fn a_branch_comes_before_a_vehicle_type_and_both_before_what_is_newer() {
        let branch = TablePrice { branch: Some(BranchCode::new(1)), ..row(1, 1_000) };
        let kind = TablePrice { vehicle_type: Some(VehicleTypeCode::new(1)), ..row(2, 2_000) };
        let limited = TablePrice { band: band(Some(1), None), ..row(3, 3_000) };
        let all = [row(4, 4_000), limited, kind, branch];
        for rows in 1..=all.len() {
            let expected = (5 - rows as i64) * 1_000;
            assert_eq!(choose(&all[..rows], &key(Some(9))), Some((expected, PriceSource::PriceTable)));
        }
        let elsewhere = PriceKey { branch: BranchCode::new(2), vehicle_type: None, ..key(None) };
        assert_eq!(choose(&all, &elsewhere), Some((4_000, PriceSource::PriceTable)));
    }

    #[test]
    fn both_ends_belong_to_a_band() {
        let rows = [
            TablePrice { band: band(None, Some(2_000_000)), ..row(1, 1_000) },
            TablePrice { band: band(Some(2_000_001), Some(3_000_000)), ..row(1, 2_000) },
        ];
        let price = |value| choose(&rows, &key(value)).map(|(price, _)| price);
        for (value, expected) in [(0, 1_000), (2_000_000, 1_000), (2_000_001, 2_000), (3_000_000, 2_000)] {
            assert_eq!(price(Some(value)), Some(expected), "{value}");
        }
        assert_eq!((price(Some(3_000_001)), price(None)), (Some(5_000), Some(5_000)));
        assert!(!rows[0].overlaps(&rows[1]));
    }

    fn some_row() -> impl Strategy<Value = TablePrice> {
        let end = prop::option::of(0i64..12);
        (1i32..3, 1i8..5, prop::option::of(1i32..3), prop::option::of(1i32..3), (end.clone(), end), 0i64..4)
            .prop_map(|(plan, valid_from, branch, kind, (from, until), price)| TablePrice {
                plan: PlanCode::new(plan),
                branch: branch.map(BranchCode::new),
                vehicle_type: kind.map(VehicleTypeCode::new),
                band: band(from, until),
                ..row(valid_from, price)
            })
    }

    fn some_key() -> impl Strategy<Value = PriceKey> {
        (1i32..3, 1i8..6, 1i32..3, prop::option::of(1i32..3), prop::option::of(0i64..12)).prop_map(
            |(plan, on, branch, kind, value)| PriceKey {
                plan: PlanCode::new(plan),
                day: day(on),
                branch: BranchCode::new(branch),
                vehicle_type: kind.map(VehicleTypeCode::new),
                value: value.map(money),
            },
        )
    }

    /// What a register allows: no two rows overlap. Each has a code.
    fn some_table() -> impl Strategy<Value = Vec<TablePrice>> {
        prop::collection::vec(some_row(), 0..30).prop_map(|rows| {
            rows.into_iter().fold(Vec::new(), |mut kept: Vec<TablePrice>, row| {
                if kept.iter().all(|one| !one.overlaps(&row)) {
                    let code = i32::try_from(kept.len()).ok().map(PlanPriceCode::new);
                    kept.push(TablePrice { code, ..row });
                }
                kept
            })
        })
    }

    proptest! {
        #[test]
        fn rows_that_do_not_overlap_leave_one_price_whatever_their_order(rows in some_table(), key in some_key()) {
            let chosen = choose_price(None, &rows, None, &key);
            prop_assert_eq!(chosen, choose_price(None, rows.iter().rev(), None, &key));
            let table: PriceTable = rows.iter().cloned().collect();
            prop_assert_eq!(chosen, choose_price(None, table.prices_of(key.plan), None, &key));
            let matching: Vec<_> = rows.iter().filter(|row| row.is_for(&key)).collect();
            let best = matching.iter().map(|row| row.precedence()).max();
            let decisive: Vec<_> = matching.iter().filter(|row| Some(row.precedence()) == best).collect();
            prop_assert!(decisive.len() <= 1);
            let expected = decisive.first().map(|row| row.price).filter(|price| price.cents() > 0);
            prop_assert_eq!(chosen.map(|price| price.amount), expected);
            let row = decisive.first().filter(|_| chosen.is_some()).and_then(|row| row.code);
            prop_assert_eq!(chosen.and_then(|price| price.origin.row), row);
        }

        #[test]
        fn overlapping_is_mutual_and_means_that_some_key_fits_both(one in some_row(), other in some_row()) {
            prop_assert_eq!(one.overlaps(&other), other.overlaps(&one));
            let values = (0..12).map(|value| Some(money(value))).chain([None]);
            let fits = |row: &TablePrice, value| row.is_for(&PriceKey {
                plan: row.plan,
                day: row.valid_from,
                branch: row.branch.unwrap_or(BranchCode::new(1)),
                vehicle_type: row.vehicle_type,
                value,
            });
            if one.overlaps(&other) && one.band.from <= one.band.until.or(one.band.from) {
                let both = values.clone().any(|value| fits(&one, value) && fits(&other, value));
                let is_empty = |row: &TablePrice| !values.clone().any(|value| fits(row, value));
                prop_assert!(both || is_empty(&one) || is_empty(&other));
            }
        }

        #[test]
        fn no_price_is_zero(
            agreed in prop::option::of(0i64..3), plan in prop::option::of(0i64..3), rows in some_table(), key in some_key(),
        ) {
            let chosen = choose_price(agreed.map(money), &rows, plan.map(money), &key);
            prop_assert!(chosen.is_none_or(|price| price.amount.cents() > 0));
            if let Some(agreed) = agreed {
                let amount = chosen.map_or(0, |price| price.amount.cents());
                prop_assert_eq!(amount, agreed);
            }
        }
    }
}
