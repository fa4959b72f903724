//! Decimal digits of every script: any Unicode decimal digit counts as the number it shows.

/// The code point of zero in each script, from Unicode's category Nd.
const ZEROS: &[u32] = &[
    0x30, 0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xDE6, 0xE50,
    0xED0, 0xF20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90, 0x1B50, 0x1BB0, 0x1C40,
    0x1C50, 0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0, 0xFF10, 0x104A0, 0x10D30, 0x10D40,
    0x11066, 0x110F0, 0x11136, 0x111D0, 0x112F0, 0x11450, 0x114D0, 0x11650, 0x116C0, 0x116D0, 0x116DA,
    0x11730, 0x118E0, 0x11950, 0x11BF0, 0x11C50, 0x11D50, 0x11DA0, 0x11F50, 0x16130, 0x16A60, 0x16AC0,
    0x16B50, 0x16D70, 0x1CCF0, 0x1D7CE, 0x1D7D8, 0x1D7E2, 0x1D7EC, 0x1D7F6, 0x1E140, 0x1E2F0, 0x1E4F0,
    0x1E5F1, 0x1E950, 0x1FBF0,
];

/// The value of a decimal digit, including superscript and subscript ones.
pub fn parse_decimal_digit(sign: char) -> Option<u8> {
    let number = u32::from(sign);
    let raised = match sign {
        '¹' => Some(1),
        '²' => Some(2),
        '³' => Some(3),
        '⁰' | '⁴'..='⁹' => Some(number - 0x2070),
        '₀'..='₉' => Some(number - 0x2080),
        _ => None,
    };
    let of_a_script = || {
        let before = ZEROS.partition_point(|zero| *zero <= number);
        let zero = before.checked_sub(1).and_then(|at| ZEROS.get(at))?;
        Some(number - zero).filter(|value| *value < 10)
    };
    raised.or_else(of_a_script).and_then(|value| u8::try_from(value).ok())
}

/// Replaces every decimal digit with its ASCII digit.
pub fn replace_with_ascii_digits(text: &str) -> String {
    let plain = |sign: char| parse_decimal_digit(sign).map_or(sign, |value| char::from(b'0' + value));
    text.chars().map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_of_every_script_are_read() {
        assert!(ZEROS.is_sorted());
        for text in ["4111", "４１１１", "٤١١١", "۴۱۱۱", "४१११", "𝟒𝟏𝟏𝟏", "𝟜𝟙𝟙𝟙", "⁴¹¹¹", "₄₁₁₁"]
        {
            assert_eq!(replace_with_ascii_digits(text), "4111", "{text}");
        }
        let unchanged = "Ação nº Ⅳ ½ ①②";
        assert_eq!(replace_with_ascii_digits(unchanged), unchanged);
        for zero in ZEROS {
            let sign = |value: u32| char::from_u32(zero + value).unwrap();
            assert_eq!(
                (parse_decimal_digit(sign(0)), parse_decimal_digit(sign(9))),
                (Some(0), Some(9)),
                "{zero:x}"
            );
        }
    }
}
