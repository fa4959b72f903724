//! Amounts of money as users type them.

use super::form_input::{FormValues, InputKind, InputSpec};
use domain::Money;

/// Converts a typed amount (`R$ 1.234,56`) to the record's notation (`1234.56`); a dot before three digits separates
/// thousands.
pub fn normalize_money(text: &str) -> String {
    let bare: String = text.trim_start_matches("R$").chars().filter(|sign| !sign.is_whitespace()).collect();
    let parts_thousands = bare.rsplit_once('.').is_some_and(|(_, behind)| behind.len() == 3);
    match bare.contains(',') || parts_thousands {
        true => bare.replace('.', "").replace(',', "."),
        false => bare,
    }
}

/// `1234,56`, for a form field.
pub fn format_money_input(money: Money) -> String {
    format!("{},{:02}", money.cents() / 100, money.cents() % 100)
}

/// Converts money to the record's notation. Invalid amounts stay as typed, to be rejected with the field.
pub fn normalize_money_values(specs: &[InputSpec], values: &FormValues) -> FormValues {
    let is_money = |name: &str| specs.iter().any(|spec| spec.name == name && spec.kind == InputKind::Money);
    let value = |(name, text): (&&'static str, &String)| {
        (*name, if is_money(name) { normalize_money(text) } else { text.clone() })
    };
    values.iter().map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_is_read_as_people_write_it() {
        for (typed, read) in [
            ("R$ 1.234,56", "1234.56"),
            ("1.234", "1234"),
            ("12,5", "12.5"),
            ("150.55", "150.55"),
            ("150", "150"),
            ("muito", "muito"),
        ] {
            assert_eq!(normalize_money(typed), read, "{typed}");
        }
    }

    #[test]
    fn an_amount_is_read_as_people_type_it() {
        let typed = ["89,90", "1.234,56", "1.234", "89.90", "R$ 10", "1234,5", "abc"];
        let plain = ["89.90", "1234.56", "1234", "89.90", "10", "1234.5", "abc"];
        assert_eq!(typed.map(normalize_money), plain);
        assert_eq!(format_money_input(Money::from_cents(123_456).unwrap()), "1234,56");
    }
}
