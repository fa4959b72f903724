//! The number of a member's card: thirteen digits in groups of 4, 2, 1, 3 and 3.

use crate::{InputField, Rejection, TenantId};
use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CardNumber(String);

/// The number of digits in each group.
const GROUPS: [usize; 5] = [4, 2, 1, 3, 3];

impl CardNumber {
    /// Accepts the thirteen digits, with or without one space after each group. The check digit is not verified,
    /// because cards that this server did not generate are valid too.
    pub fn parse(text: &str) -> Result<CardNumber, Rejection> {
        let text = text.trim();
        if text.is_empty() {
            return Err(Rejection::Missing(InputField::Card));
        }
        parse_digits(text).map(CardNumber).ok_or_else(|| Rejection::BadCard(text.to_owned()))
    }

    /// Builds a card number from the tenant's card counter: two digits for the tenant, ten for the counter and the
    /// check digit. It never starts with a zero, because spreadsheets drop leading zeros.
    pub fn generate(tenant: TenantId, number: i32) -> CardNumber {
        let tenant = 10 + tenant.get().unsigned_abs() % 90;
        let body = format!("{tenant}{:010}", number.unsigned_abs());
        let check = compute_check_digit(&body);
        CardNumber(format!("{body}{check}"))
    }

    /// The thirteen digits, without spaces.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn parse_digits(text: &str) -> Option<String> {
    let mut rest = text;
    let mut number = String::with_capacity(13);
    for (at, length) in GROUPS.into_iter().enumerate() {
        if at > 0 {
            rest = rest.strip_prefix(' ').unwrap_or(rest);
        }
        let (group, behind) = rest.split_at_checked(length)?;
        if !group.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        number.push_str(group);
        rest = behind;
    }
    rest.is_empty().then_some(number)
}

/// Luhn check digit: detects every single wrong digit and nearly every swap of two neighbours.
fn compute_check_digit(body: &str) -> u32 {
    let weigh = |(at, byte): (usize, u8)| {
        let digit = u32::from(byte - b'0');
        if at % 2 == 0 { digit * 2 / 10 + digit * 2 % 10 } else { digit }
    };
    let sum: u32 = body.bytes().rev().enumerate().map(weigh).sum();
    (10 - sum % 10) % 10
}

impl fmt::Display for CardNumber {
    /// `1234 56 7 890 123`
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0.as_str();
        for (at, length) in GROUPS.into_iter().enumerate() {
            let (group, behind) = rest.split_at(length);
            write!(out, "{}{group}", if at > 0 { " " } else { "" })?;
            rest = behind;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_card_comes_with_or_without_blanks_and_goes_out_in_groups() {
        for text in ["1234567890123", "1234 56 7 890 123", "1234 567890 123", " 1234567890123 "] {
            let card = CardNumber::parse(text).unwrap();
            assert_eq!(
                (card.as_str(), card.to_string().as_str()),
                ("1234567890123", "1234 56 7 890 123"),
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_no_card_is_refused() {
        assert_eq!(CardNumber::parse(" "), Err(Rejection::Missing(InputField::Card)));
        for bad in [
            "123456789012",
            "12345678901234",
            "123 4567890123",
            "1234  567890123",
            "1234-56-7-890-123",
            "1234\t567890123",
            "123456789012A",
            "12345678901२3",
        ] {
            assert_eq!(CardNumber::parse(bad), Err(Rejection::BadCard(bad.to_owned())), "{bad}");
        }
    }

    #[test]
    fn the_same_number_makes_the_same_card_for_ever() {
        let card = |tenant, number| CardNumber::generate(TenantId::new(tenant), number).to_string();
        assert_eq!(card(1, 1), "1100 00 0 000 015");
        assert_eq!(card(1, i32::MAX), "1121 47 4 836 478");
        assert_eq!(card(91, 12), "1100 00 0 000 122");
    }

    proptest! {
        #[test]
        fn generated_cards_are_read_back_and_differ(tenant in 1i32.., number in 1i32..i32::MAX) {
            let tenant = TenantId::new(tenant);
            let card = CardNumber::generate(tenant, number);
            prop_assert_eq!(CardNumber::parse(&card.to_string()).unwrap(), card.clone());
            prop_assert_ne!(&CardNumber::generate(tenant, number + 1), &card);
            prop_assert!(!card.as_str().starts_with('0'));
        }

        #[test]
        fn one_wrong_digit_of_a_generated_card_is_noticed(number in 1i32.., at in 0usize..12, shift in 1u8..10) {
            let card = CardNumber::generate(TenantId::new(1), number);
            let mut wrong = card.as_str().as_bytes()[..12].to_vec();
            wrong[at] = b'0' + (wrong[at] - b'0' + shift) % 10;
            let check = compute_check_digit(&String::from_utf8(wrong).unwrap()).to_string();
            prop_assert!(!card.as_str().ends_with(&check));
        }

        #[test]
        fn no_text_makes_parsing_panic(text in "\\PC{0,20}") {
            let _ = CardNumber::parse(&text);
        }
    }
}
