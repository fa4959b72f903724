//! A Brazilian telephone number. With its area code a landline has ten digits and a mobile eleven; without it, as some
//! programs send it, eight and nine.

use crate::{InputField, PhoneKind, Rejection};
use std::fmt;

/// All area codes.
const AREA_CODES: [u8; 67] = [
    11, 12, 13, 14, 15, 16, 17, 18, 19, 21, 22, 24, 27, 28, 31, 32, 33, 34, 35, 37, 38, 41, 42, 43, 44, 45,
    46, 47, 48, 49, 51, 53, 54, 55, 61, 62, 63, 64, 65, 66, 67, 68, 69, 71, 73, 74, 75, 77, 79, 81, 82, 83,
    84, 85, 86, 87, 88, 89, 91, 92, 93, 94, 95, 96, 97, 98, 99,
];

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
        // With an area code, a digit is missing.
        let least = if text.contains(['+', '(']) { 10 } else { 8 };
        if (least..=11).contains(&number.len()) { Ok(Phone(number.to_owned())) } else { Err(bad()) }
    }

    /// The digits, area code first.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it cannot be dialled from elsewhere.
    pub fn lacks_area_code(&self) -> bool {
        self.0.len() < 10
    }

    /// Whether it may be the other number, which has an area code where this one has none.
    pub fn is_ending_of(&self, other: &Phone) -> bool {
        self.lacks_area_code() && !other.lacks_area_code() && other.0.ends_with(&self.0)
    }

    /// A number without area code in each area; none for a complete one.
    pub fn list_in_each_area(&self) -> Vec<Phone> {
        if !self.lacks_area_code() {
            return Vec::new();
        }
        AREA_CODES.iter().map(|area| Phone(format!("{area}{}", self.0))).collect()
    }

    /// The endings of a complete number that are numbers without area code: as which it may be stored, too.
    pub fn list_endings(&self) -> Vec<Phone> {
        let lengths = [9_usize, 8].into_iter().filter(|length| length + 2 <= self.0.len());
        lengths.map(|length| Phone(self.0[self.0.len() - length..].to_owned())).collect()
    }

    pub fn kind(&self) -> PhoneKind {
        if matches!(self.0.len(), 9 | 11) { PhoneKind::Mobile } else { PhoneKind::Landline }
    }
}

impl fmt::Display for Phone {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (area, number) = self.0.split_at(if self.lacks_area_code() { 0 } else { 2 });
        let (first, last) = number.split_at(number.len() - 4);
        if !area.is_empty() {
            write!(out, "({area})")?;
        }
        write!(out, "{first}-{last}")
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
            ("98765-4321", "98765-4321", PhoneKind::Mobile),
            ("3333 4444", "3333-4444", PhoneKind::Landline),
        ] {
            let phone = Phone::parse(text).unwrap();
            assert_eq!(phone.lacks_area_code(), !formatted.starts_with('('));
            assert_eq!((phone.to_string().as_str(), phone.kind()), (formatted, kind), "{text}");
        }
    }

    #[test]
    fn what_is_no_number_is_refused() {
        assert_eq!(Phone::parse(" ( ) - "), Err(Rejection::Missing(InputField::Phone)));
        for bad in [
            "(11)3333-444",
            "(11) 8765-432",
            "+55 11 98765",
            "3333444",
            "441133334444",
            "5511987654321 ramal 2",
            "55119876543210",
            "1133334४44",
        ] {
            assert_eq!(Phone::parse(bad), Err(Rejection::BadPhone(bad.to_owned())), "{bad}");
        }
    }

    #[test]
    fn a_number_without_area_code_is_the_ending_of_complete_ones() {
        let phone = |text: &str| Phone::parse(text).unwrap();
        let mobile = phone("(11)98765-4321");
        assert_eq!(mobile.list_endings(), [phone("98765-4321"), phone("8765-4321")]);
        assert_eq!(phone("(11)3333-4444").list_endings(), [phone("3333-4444")]);
        assert_eq!(phone("98765-4321").list_endings(), []);
        for ending in mobile.list_endings() {
            assert!(ending.is_ending_of(&mobile), "{ending}");
        }
        assert!(!phone("98765-4322").is_ending_of(&mobile));
        assert!(!mobile.is_ending_of(&mobile) && !phone("8765-4321").is_ending_of(&phone("98765-4321")));
        let all = phone("98765-4321").list_in_each_area();
        assert!(
            all.contains(&mobile) && all.iter().all(|one| Phone::parse(one.as_str()).as_ref() == Ok(one))
        );
        assert_eq!(mobile.list_in_each_area(), []);
    }

    proptest! {
        #[test]
        fn what_is_shown_is_read_back(digits in "[1-9][0-9]{7,10}") {
            let phone = Phone::parse(&digits).unwrap();
            prop_assert_eq!(Phone::parse(&phone.to_string()).unwrap(), phone.clone());
            if !phone.lacks_area_code() {
                prop_assert_eq!(Phone::parse(&format!("+55 {phone}")).unwrap(), phone);
            }
        }
    }
}
