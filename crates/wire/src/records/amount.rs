//! An amount in an answer: a JSON number to the cent, never a float.

use domain::Money;
use serde::{Serialize, Serializer};
use serde_json::Number;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JsonAmount(pub Money);

impl From<Money> for JsonAmount {
    fn from(money: Money) -> JsonAmount {
        JsonAmount(money)
    }
}

impl Serialize for JsonAmount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // The text of an amount is a valid JSON number, and is written exactly as parsed.
        let number: Number = self.0.to_string().parse().map_err(serde::ser::Error::custom)?;
        number.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_is_a_number_with_at_most_two_decimals() {
        for (cents, written) in [
            (0, "0"),
            (15_000, "150"),
            (15_050, "150.5"),
            (15_055, "150.55"),
            (5, "0.05"),
            (999_999_999_999, "9999999999.99"),
        ] {
            let amount = JsonAmount(Money::from_cents(cents).unwrap());
            assert_eq!(serde_json::to_string(&amount).unwrap(), written);
        }
    }
}
