//! The colour of a situation, and the readable text colour on it.

use crate::{InputField, Rejection};
use std::fmt;
use std::sync::LazyLock;

/// A colour as six hexadecimal digits without `#`: `188038`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Colour(u32);

impl Colour {
    pub const BLACK: Colour = Colour(0x00_0000);
    pub const WHITE: Colour = Colour(0xFF_FFFF);

    pub const fn from_rgb(value: u32) -> Colour {
        assert!(value <= 0xFF_FFFF, "a colour has 24 bits");
        Colour(value)
    }

    pub fn parse(text: &str) -> Result<Colour, Rejection> {
        let digits = text.strip_prefix('#').unwrap_or(text);
        if digits.len() != 6 || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(Rejection::BadColour(text.to_owned()));
        }
        u32::from_str_radix(digits, 16).map(Colour).map_err(|_| Rejection::Missing(InputField::Colour))
    }

    /// Black or white, whichever has the higher contrast on this colour. One of the two always reaches 4.5:1.
    pub fn readable_text_colour(self) -> Colour {
        if self.contrast(Colour::WHITE) >= self.contrast(Colour::BLACK) {
            Colour::WHITE
        } else {
            Colour::BLACK
        }
    }

    /// The WCAG contrast ratio, from 1 to 21.
    pub fn contrast(self, other: Colour) -> f64 {
        let (a, b) = (self.luminance(), other.luminance());
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    fn luminance(self) -> f64 {
        // Computed once: a list shows a colour in each row.
        static LINEAR: LazyLock<[f64; 256]> = LazyLock::new(|| {
            std::array::from_fn(|value| {
                let part = value as f64 / 255.0;
                if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
            })
        });
        let linear = |shift: u32| LINEAR[((self.0 >> shift) & 0xFF) as usize];
        0.2126 * linear(16) + 0.7152 * linear(8) + 0.0722 * linear(0)
    }
}

impl fmt::Display for Colour {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:06X}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_colour_is_six_digits_without_a_hash() {
        assert_eq!(Colour::parse("#18803a").unwrap().to_string(), "18803A");
        assert_eq!(Colour::parse("000000").unwrap(), Colour::BLACK);
        for bad in ["", "12345", "1234567", "GG0000", "+12345"] {
            assert!(Colour::parse(bad).is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn text_on_any_colour_can_be_read(value in 0u32..=0xFF_FFFF) {
            let colour = Colour::from_rgb(value);
            prop_assert!(colour.contrast(colour.readable_text_colour()) >= 4.5);
            prop_assert_eq!(Colour::parse(&colour.to_string()).unwrap(), colour);
        }
    }
}
