//! Cells that only sheets of registers have: percentages, members of fixed sets, and bands of values.

use super::cells::{UnreadableCell, normalize_money};
use domain::fold_text;
use registers::find_choice_label;
use serde_json::Value;

/// `2`, `2,5`, `2,5%`. No percentage has thousands: `0.025` is a fraction.
pub(super) fn convert_percent(text: &str) -> Result<Value, UnreadableCell> {
    let bare = text.strip_suffix('%');
    let number = bare.unwrap_or(text).trim().replacen(',', ".", 1);
    // A workbook stores 2 % as 0.02, which must not become 0.02 %.
    let is_fraction = number.starts_with("0.") && number.bytes().any(|digit| (b'1'..=b'9').contains(&digit));
    if bare.is_none() && is_fraction {
        let problem = "tanto pode ser uma fração como menos de 1%; escreva com o sinal, como 2% ou 0,5%.";
        return Err(UnreadableCell(format!("\"{text}\" {problem}")));
    }
    Ok(number.into())
}

/// A member of a fixed set by its external name, or by its label or the numeral before it: `III – Taxa de administração`.
/// Any other text is kept.
pub(super) fn match_choice(text: &str, names: &[(i64, &'static str)]) -> Value {
    let key = fold_choice(text);
    let is_meant = |label: &str| fold_choice(label) == key;
    let found = names.iter().copied().find(|&(_, name)| {
        let label = find_choice_label(name);
        let (numeral, rest) = label.split_once(" – ").unwrap_or((label, label));
        is_meant(name) || is_meant(label) || is_meant(numeral) || is_meant(rest)
    });
    found.map_or_else(|| text.into(), |(_, name)| name.into())
}

fn fold_choice(text: &str) -> String {
    fold_text(text).replace('_', " ")
}

/// Both ends of a band in one cell: `20.000,01 a 30.000,00`, `de 20.000,01 até 30.000,00`, `até 20.000,00`.
pub fn split_value_band(text: &str) -> Option<(Option<String>, String)> {
    let folded = fold_text(text).replace("r$", " ");
    let words: Vec<&str> = folded.split_whitespace().collect();
    match words[..] {
        ["ate", until] => Some((None, parse_amount(until)?)),
        [from, "a" | "ate" | "-" | "–", until] | ["de", from, "a" | "ate", until] => {
            Some((Some(parse_amount(from)?), parse_amount(until)?))
        }
        _ => None,
    }
}

fn parse_amount(text: &str) -> Option<String> {
    let amount = normalize_money(text);
    let is_number = amount.starts_with(|first: char| first.is_ascii_digit())
        && amount.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    is_number.then_some(amount)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentage_has_its_sign_where_a_workbook_might_have_meant_a_fraction() {
        for (cell, number) in [
            ("2", "2"),
            ("2%", "2"),
            ("2,5 %", "2.5"),
            ("0,5%", "0.5"),
            ("0", "0"),
            ("10.00", "10.00"),
            ("2.500", "2.500"),
            ("0.025%", "0.025"),
        ] {
            assert_eq!(convert_percent(cell).unwrap(), number, "{cell}");
        }
        for cell in ["0,02", "0.5", "0.025", "0.015", "0,025"] {
            assert!(convert_percent(cell).unwrap_err().0.contains("com o sinal"), "{cell}");
        }
    }

    #[test]
    fn a_choice_is_known_by_its_name_its_label_and_its_numeral() {
        let natures = [(2, "REEMBOLSO"), (3, "ADMINISTRACAO")];
        for cell in ["ADMINISTRACAO", "administração", "iii", "Taxa de administração"] {
            assert_eq!(match_choice(cell, &natures), "ADMINISTRACAO", "{cell}");
        }
        assert_eq!(
            match_choice("Próxima cobrança", &natures),
            "Próxima cobrança",
            "for the reader to refuse"
        );
        assert_eq!(match_choice("multa e juros", &[(10, "MULTA_JUROS")]), "MULTA_JUROS");
        assert_eq!(match_choice("Multa juros", &[(10, "MULTA_JUROS")]), "MULTA_JUROS");
    }

    #[test]
    fn a_band_comes_in_one_cell_or_in_two() {
        let both = |from: &str, until: &str| Some((Some(from.to_owned()), until.to_owned()));
        for cell in ["20.000,01 a 30.000,00", "R$ 20.000,01 - R$ 30.000,00", "De 20.000,01 até 30.000,00"] {
            assert_eq!(split_value_band(cell), both("20000.01", "30000.00"), "{cell}");
        }
        assert_eq!(split_value_band("até 20.000"), Some((None, "20000".to_owned())));
        for other in ["20.000,01", "acima de 20.000", "A a B", "20.000,01 a", ""] {
            assert_eq!(split_value_band(other), None, "{other}");
        }
    }
}
