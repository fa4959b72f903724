//! An amount in reais, counted in cents and never as a float.

use crate::{InputField, Rejection};
use std::fmt;
use std::iter::Sum;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Money(i64);

impl Money {
    /// One cent below ten thousand million reais: more than any association protects.
    pub const MOST: Money = Money(999_999_999_999);

    /// `None` below zero and above [`Money::MOST`].
    pub fn from_cents(cents: i64) -> Option<Money> {
        (0..=Money::MOST.0).contains(&cents).then_some(Money(cents))
    }

    /// A stored amount or a total, which may exceed [`Money::MOST`]; `None` below zero.
    pub fn from_stored_cents(cents: i64) -> Option<Money> {
        (cents >= 0).then_some(Money(cents))
    }

    pub const fn cents(self) -> i64 {
        self.0
    }

    /// Accepts the text of a JSON number with at most two decimals. An exponent or a third decimal would need rounding,
    /// so it is refused.
    pub fn parse(text: &str) -> Result<Money, Rejection> {
        let text = text.trim();
        if text.is_empty() {
            return Err(Rejection::Missing(InputField::Money));
        }
        parse_cents(text).and_then(Money::from_cents).ok_or_else(|| Rejection::BadMoney(text.to_owned()))
    }
}

impl Sum for Money {
    fn sum<I: Iterator<Item = Money>>(amounts: I) -> Money {
        Money(amounts.fold(0, |total, amount| total.saturating_add(amount.0)))
    }
}

fn parse_cents(text: &str) -> Option<i64> {
    let (reais, decimals) = text.split_once('.').unwrap_or((text, "0"));
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !is_digits(reais) || !is_digits(decimals) || decimals.len() > 2 {
        return None;
    }
    let tens = if decimals.len() == 1 { 10 } else { 1 };
    reais.parse::<i64>().ok()?.checked_mul(100)?.checked_add(decimals.parse::<i64>().ok()? * tens)
}

impl fmt::Display for Money {
    /// A JSON number with no more decimals than needed: `150`, `150.5`, `150.55`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (reais, cents) = (self.0 / 100, self.0 % 100);
        match (cents, cents % 10) {
            (0, _) => write!(out, "{reais}"),
            (_, 0) => write!(out, "{reais}.{}", cents / 10),
            _ => write!(out, "{reais}.{cents:02}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_amount_is_read_to_the_cent_and_written_short() {
        for (text, cents, written) in [
            ("0", 0, "0"),
            ("150", 15_000, "150"),
            ("150.0", 15_000, "150"),
            ("150.5", 15_050, "150.5"),
            ("150.50", 15_050, "150.5"),
            ("150.55", 15_055, "150.55"),
            ("0.05", 5, "0.05"),
            ("9999999999.99", 999_999_999_999, "9999999999.99"),
        ] {
            let money = Money::parse(text).unwrap();
            assert_eq!((money.cents(), money.to_string().as_str()), (cents, written), "{text}");
        }
    }

    #[test]
    fn what_is_no_amount_is_refused() {
        assert_eq!(Money::parse(""), Err(Rejection::Missing(InputField::Money)));
        for bad in [
            "-1",
            "-0",
            "+1",
            "1.",
            ".5",
            "1.555",
            "1.500",
            "1e2",
            "1E2",
            "1.5e1",
            "1,50",
            "R$ 1",
            "10000000000",
            "99999999999999999999",
            "1.5.5",
            "१",
        ] {
            assert_eq!(Money::parse(bad), Err(Rejection::BadMoney(bad.to_owned())), "{bad}");
        }
        assert_eq!(Money::from_cents(-1), None);
        assert_eq!(Money::from_cents(1_000_000_000_000), None);
    }

    proptest! {
        #[test]
        fn every_amount_is_read_back(cents in 0..=Money::MOST.cents()) {
            let money = Money::from_cents(cents).unwrap();
            prop_assert_eq!(Money::parse(&money.to_string()).unwrap(), money);
        }

        #[test]
        fn cents_are_an_amount_between_nothing_and_the_most(cents in prop_oneof![any::<i64>(), -9i64..=Money::MOST.cents() + 9]) {
            let fits = (0..=Money::MOST.cents()).contains(&cents);
            prop_assert_eq!(Money::from_cents(cents).map(Money::cents), fits.then_some(cents));
        }

        #[test]
        fn amounts_sort_and_add_up_as_their_cents(all in prop::collection::vec(0..=Money::MOST.cents(), 0..9)) {
            let amounts: Vec<Money> = all.iter().filter_map(|cents| Money::from_cents(*cents)).collect();
            let total = all.iter().sum();
            prop_assert_eq!(Some(amounts.iter().copied().sum()), Money::from_stored_cents(total));
            prop_assert_eq!(amounts.is_sorted(), all.is_sorted());
        }

        #[test]
        fn no_text_makes_parsing_panic(text in "\\PC{0,24}") {
            let _ = Money::parse(&text);
        }
    }
}
