//! The identifiers of a vehicle: its plate, in the old or the Mercosul format, and its chassis number.

use crate::{InputField, Rejection};
use std::fmt;

/// `ABC1234` or `ABC1D23`, stored in the format given, in upper case and without a hyphen.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Plate(String);

/// A chassis number: up to twenty letters and digits, in upper case.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Chassis(String);

impl Plate {
    /// Accepts both formats, in any case, with or without hyphen and spaces.
    pub fn parse(text: &str) -> Result<Plate, Rejection> {
        let plate = strip_separators(text);
        if plate.is_empty() {
            return Err(Rejection::Missing(InputField::Plate));
        }
        let is_right = plate.len() == 7
            && plate.bytes().enumerate().all(|(at, byte)| match at {
                0..=2 => byte.is_ascii_uppercase(),
                4 => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
                _ => byte.is_ascii_digit(),
            });
        if is_right { Ok(Plate(plate)) } else { Err(Rejection::BadPlate(text.trim().to_owned())) }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The same key for both formats of one plate: the Mercosul format, in which the fifth character is a letter A to J
    /// instead of a digit 0 to 9.
    pub fn comparison_key(&self) -> String {
        let letter = |at: usize, c: char| match c.to_digit(10) {
            Some(digit) if at == 4 => ('A'..='J').nth(digit as usize).unwrap_or(c),
            _ => c,
        };
        self.0.chars().enumerate().map(|(at, c)| letter(at, c)).collect()
    }
}

/// The comparison key of a search text; `None` if it is not a plate.
pub fn parse_plate_key(text: &str) -> Option<String> {
    Plate::parse(text).ok().map(|plate| plate.comparison_key())
}

impl Chassis {
    pub const LONGEST: usize = 20;

    /// Accepts any case and ignores spaces and hyphens. Old vehicles have numbers of any length, so nothing else is
    /// checked.
    pub fn parse(text: &str) -> Result<Chassis, Rejection> {
        let chassis = strip_separators(text);
        if chassis.is_empty() {
            return Err(Rejection::Missing(InputField::Chassis));
        }
        let is_right =
            chassis.len() <= Chassis::LONGEST && chassis.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if is_right { Ok(Chassis(chassis)) } else { Err(Rejection::BadChassis(text.trim().to_owned())) }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn strip_separators(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace() && *c != '-').map(|c| c.to_ascii_uppercase()).collect()
}

impl fmt::Display for Plate {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

impl fmt::Display for Chassis {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_plate_comes_in_either_form_and_any_dress() {
        for (text, stored, key) in [
            ("ABC1234", "ABC1234", "ABC1C34"),
            ("abc-1234", "ABC1234", "ABC1C34"),
            (" abc 1c34 ", "ABC1C34", "ABC1C34"),
            ("ABC1D23", "ABC1D23", "ABC1D23"),
            ("ABC1Z23", "ABC1Z23", "ABC1Z23"),
            ("abc1023", "ABC1023", "ABC1A23"),
            ("abc1923", "ABC1923", "ABC1J23"),
        ] {
            let plate = Plate::parse(text).unwrap();
            assert_eq!((plate.as_str(), plate.comparison_key().as_str()), (stored, key), "{text}");
            assert_eq!(parse_plate_key(text).as_deref(), Some(key));
        }
    }

    #[test]
    fn what_is_no_plate_is_refused_and_finds_nothing() {
        assert_eq!(Plate::parse(" - "), Err(Rejection::Missing(InputField::Plate)));
        for bad in ["AB1234", "ABCD123", "ABC12345", "1BC1234", "ABC123D", "ABC.1234", "ÁBC1234", "ABC12३4"]
        {
            assert_eq!(Plate::parse(bad), Err(Rejection::BadPlate(bad.to_owned())), "{bad}");
            assert_eq!(parse_plate_key(bad), None);
        }
    }

    #[test]
    fn a_chassis_is_up_to_twenty_letters_and_digits() {
        assert_eq!(Chassis::parse(" 9bw-zzz377 VT004251").unwrap().as_str(), "9BWZZZ377VT004251");
        assert!(Chassis::parse("A").is_ok() && Chassis::parse(&"A".repeat(20)).is_ok());
        assert_eq!(Chassis::parse(" -"), Err(Rejection::Missing(InputField::Chassis)));
        for bad in [&"A".repeat(21), "9BW.ZZZ", "9BWÇ", "9BW/1"] {
            assert_eq!(Chassis::parse(bad), Err(Rejection::BadChassis(bad.to_owned())), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn both_forms_of_one_plate_have_one_key(front in "[A-Z]{3}[0-9]", fifth in 0u8..10, end in "[0-9]{2}") {
            let old = format!("{front}{fifth}{end}");
            let new = format!("{front}{}{end}", char::from(b'A' + fifth));
            prop_assert_eq!(parse_plate_key(&old), parse_plate_key(&new.to_lowercase()));
            prop_assert_eq!(parse_plate_key(&new), Some(new));
        }

        #[test]
        fn no_text_makes_parsing_panic(text in "\\PC{0,24}") {
            let _ = (Plate::parse(&text), Chassis::parse(&text));
        }
    }
}
