//! Formats stored values for display. They were validated on input, so they are not parsed again: a search page shows
//! hundreds of them. A value of unexpected shape is shown unchanged.

/// `529.982.247-25` or `11.222.333/0001-81`
pub fn format_document(stored: &str) -> String {
    match stored.len() {
        11 => insert_signs(stored, &[(3, '.'), (6, '.'), (9, '-')]),
        14 => insert_signs(stored, &[(2, '.'), (5, '.'), (8, '/'), (12, '-')]),
        _ => stored.to_owned(),
    }
}

/// `(11)98765-4321`, or `98765-4321` if the area code is not known.
pub fn format_phone(stored: &str) -> String {
    match stored.len() {
        8 => insert_signs(stored, &[(4, '-')]),
        9 => insert_signs(stored, &[(5, '-')]),
        10 => insert_signs(stored, &[(0, '('), (2, ')'), (6, '-')]),
        11 => insert_signs(stored, &[(0, '('), (2, ')'), (7, '-')]),
        _ => stored.to_owned(),
    }
}

/// `123456` cents → `R$ 1.234,56`
pub fn format_cents(stored: &str) -> String {
    let Ok(cents) = stored.parse::<i64>() else { return stored.to_owned() };
    let digits = (cents.unsigned_abs() / 100).to_string();
    let mut reais = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            reais.push('.');
        }
        reais.push(digit);
    }
    let sign = if cents < 0 { "-" } else { "" };
    format!("R$ {sign}{reais},{:02}", cents.unsigned_abs() % 100)
}

/// `1234 56 7 890 123`
pub fn format_card(stored: &str) -> String {
    match stored.len() {
        13 => insert_signs(stored, &[(4, ' '), (6, ' '), (7, ' '), (10, ' ')]),
        _ => stored.to_owned(),
    }
}

/// `2026-11-14` → `14/11/2026`
pub fn format_day(stored: &str) -> String {
    match (stored.get(..4), stored.get(5..7), stored.get(8..10)) {
        (Some(year), Some(month), Some(day)) if stored.len() == 10 => [day, "/", month, "/", year].concat(),
        _ => stored.to_owned(),
    }
}

/// `2026-11` → `11/2026`
pub fn format_month(stored: &str) -> String {
    match (stored.get(..4), stored.get(5..7)) {
        (Some(year), Some(month)) if stored.len() == 7 => [month, "/", year].concat(),
        _ => stored.to_owned(),
    }
}

/// `2,50%`, from hundredths of a percent.
pub fn format_percent(hundredths: i64) -> String {
    format!("{},{:02}%", hundredths / 100, hundredths % 100)
}

/// `***.***.*89-**` or `**.***.*78/****-**`: the part of a document shown to callers without a credential. Two digits
/// are enough to tell relatives apart at a counter. The check digits follow from the others, so each further digit
/// shown would cut the candidates to a tenth.
pub fn mask_document(stored: &str) -> Option<String> {
    match stored.len() {
        11 if stored.is_ascii() => Some(format!("***.***.*{}-**", stored.get(7..9)?)),
        14 if stored.is_ascii() => Some(format!("**.***.*{}/****-**", stored.get(6..8)?)),
        // A value that is not a document is not shown at all.
        _ => None,
    }
}

/// The last three digits of a card.
pub fn mask_card(stored: &str) -> Option<String> {
    stored.get(10..).filter(|_| stored.len() == 13).map(str::to_owned)
}

/// Inserts a character at each of these positions.
fn insert_signs(stored: &str, signs: &[(usize, char)]) -> String {
    let mut out = String::with_capacity(stored.len() + signs.len());
    let mut start = 0;
    for (at, sign) in signs {
        out.push_str(stored.get(start..*at).unwrap_or_default());
        out.push(*sign);
        start = *at;
    }
    out.push_str(stored.get(start..).unwrap_or_default());
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CardNumber, Date, Document, Phone};

    #[test]
    fn what_is_kept_is_shown_as_its_type_shows_it() {
        for text in ["52998224725", "11222333000181", "12ABC34501DE35"] {
            assert_eq!(format_document(text), Document::parse(text).unwrap().to_string());
        }
        for text in ["11987654321", "1133334444", "987654321", "33334444"] {
            assert_eq!(format_phone(text), Phone::parse(text).unwrap().to_string());
        }
        assert_eq!(format_card("1234567890123"), CardNumber::parse("1234567890123").unwrap().to_string());
        assert_eq!(format_day("2026-11-04"), Date::new(2026, 11, 4).unwrap().to_br());
        assert_eq!(format_month("2026-11"), "11/2026");
        assert_eq!([0, 5, 250, 10_000].map(format_percent), ["0,00%", "0,05%", "2,50%", "100,00%"]);
        for odd in ["", "ação", "123"] {
            assert_eq!(
                [
                    format_document(odd),
                    format_phone(odd),
                    format_card(odd),
                    format_day(odd),
                    format_month(odd)
                ],
                [odd; 5]
            );
        }
    }

    #[test]
    fn whoever_has_no_credential_is_shown_two_signs_of_a_document_and_the_end_of_a_card() {
        assert_eq!(mask_document("12345678909").unwrap(), "***.***.*89-**");
        assert_eq!(mask_document("12345678000195").unwrap(), "**.***.*78/****-**");
        assert_eq!(mask_document("12ABC34501DE35").unwrap(), "**.***.*45/****-**");
        assert_eq!(mask_card("1234567890123").unwrap(), "123");
        for odd in ["", "ação", "1234", "ççççççç", "çççççaaaa"] {
            assert_eq!((mask_document(odd), mask_card(odd)), (None, None), "{odd}");
        }
    }
}
