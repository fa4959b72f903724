//! A Brazilian telephone number with its area code: ten digits for a landline, eleven for a mobile.

use crate::{InputField, PhoneKind, Rejection};
use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Phone(String);

impl Phone {
    /// Accepts any mask. A leading 55 is the country code only in numbers of twelve or thirteen digits; otherwise it is
    /// an area code in the south.
    pub fn parse(text: &str) -> Result<Phone, Rejection> {
        let bad = || Rejection::BadPhone(text.trim().to_owned());
        if text.chars().any(|c| c.is_alphanumeric() && !c.is_ascii_digit()) {
            return Err(bad());
        }
        let digits: String = text.chars().filter(char::is_ascii_digit).collect();
        let number = match digits.len() {
            0 => return Err(Rejection::Missing(InputField::Phone)),
            12 | 13 => digits.strip_prefix("55").ok_or_else(bad)?,
            _ => &digits,
        };
        if number.len() == 10 || number.len() == 11 { Ok(Phone(number.to_owned())) } else { Err(bad()) }
    }

    /// The digits, area code first.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn kind(&self) -> PhoneKind {
        if self.0.len() == 11 { PhoneKind::Mobile } else { PhoneKind::Landline }
    }
}

impl fmt::Display for Phone {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (area, number) = self.0.split_at(2);
        let (first, last) = number.split_at(number.len() - 4);
        write!(out, "({area}){first}-{last}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_number_comes_in_any_mask_and_goes_out_in_one() {
        for (text, formatted, kind) in [
            ("(11) 98765-4321", "(11)98765-4321", PhoneKind::Mobile),
            ("+55 11 98765.4321", "(11)98765-4321", PhoneKind::Mobile),
            ("551133334444", "(11)3333-4444", PhoneKind::Landline),
            ("1133334444", "(11)3333-4444", PhoneKind::Landline),
            ("55987654321", "(55)98765-4321", PhoneKind::Mobile),
            ("5533334444", "(55)3333-4444", PhoneKind::Landline),
        ] {
            let phone = Phone::parse(text).unwrap();
            assert_eq!((phone.to_string().as_str(), phone.kind()), (formatted, kind), "{text}");
        }
    }

    #[test]
    fn what_is_no_number_is_refused() {
        assert_eq!(Phone::parse(" ( ) - "), Err(Rejection::Missing(InputField::Phone)));
        for bad in ["33334444", "441133334444", "5511987654321 ramal 2", "55119876543210", "1133334४44"] {
            assert_eq!(Phone::parse(bad), Err(Rejection::BadPhone(bad.to_owned())), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn what_is_shown_is_read_back(digits in "[1-9][0-9]{9,10}") {
            let phone = Phone::parse(&digits).unwrap();
            prop_assert_eq!(Phone::parse(&phone.to_string()).unwrap(), phone.clone());
            prop_assert_eq!(Phone::parse(&format!("+55 {phone}")).unwrap(), phone);
        }
    }
}
