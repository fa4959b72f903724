//! The sums that check digits of slips are made of. What a bank makes of 10 and 11 is in the bank's own module.

/// The digit that makes the sum a multiple of ten: weights 2 and 1 from the right, a product of two digits
/// counts as their sum.
pub(crate) fn compute_modulo_10(digits: &str) -> char {
    let weighted = read_digits_from_right(digits).zip([2, 1].into_iter().cycle());
    let sum: u32 =
        weighted.map(|(digit, weight)| digit * weight).map(|product| product / 10 + product % 10).sum();
    char::from_digit((10 - sum % 10) % 10, 10).unwrap_or('0')
}

/// Eleven less the remainder, from 1 to 11: weights from 2 to the largest from the right, and again from 2.
pub(crate) fn compute_modulo_11(digits: &str, largest_weight: u32) -> u32 {
    let weighted = read_digits_from_right(digits).zip((2..=largest_weight).cycle());
    11 - weighted.map(|(digit, weight)| digit * weight).sum::<u32>() % 11
}

/// The usual form of a modulo 11: weights to 9, and 0 for both 10 and 11.
pub(crate) fn compute_modulo_11_or_zero(digits: &str) -> char {
    char::from_digit(compute_modulo_11(digits, 9), 10).unwrap_or('0')
}

/// A modulo 11 with a letter for 10 and 0 for 11.
pub(crate) fn compute_modulo_11_or_letter(digits: &str, largest_weight: u32, letter: char) -> char {
    match compute_modulo_11(digits, largest_weight) {
        10 => letter,
        digit => char::from_digit(digit, 10).unwrap_or('0'),
    }
}

fn read_digits_from_right(digits: &str) -> impl Iterator<Item = u32> {
    digits.chars().rev().map(|digit| digit.to_digit(10).unwrap_or_default())
}

pub(crate) fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digits_are_those_of_known_numbers() {
        // The three fields of the vector of Banco do Brasil in slip_barcode.rs.
        assert_eq!(compute_modulo_10("001900000"), '9');
        assert_eq!(compute_modulo_10("0123879807"), '6');
        assert_eq!(compute_modulo_10("7770016818"), '8');
        assert_eq!(compute_modulo_10("0"), '0');
        // 5 × 3 + 4 × 2 = 23.
        assert_eq!(compute_modulo_11("54", 9), 10);
        assert_eq!(compute_modulo_11("0", 9), 11);
        assert_eq!((compute_modulo_11_or_zero("54"), compute_modulo_11_or_zero("0")), ('0', '0'));
        assert_eq!(compute_modulo_11_or_letter("54", 7, 'P'), 'P');
        assert_eq!(compute_modulo_11_or_letter("0", 7, 'P'), '0');
        // With weights to 7 the seventh digit from the right has 2 again, otherwise 8.
        assert_eq!((compute_modulo_11("1000000", 7), compute_modulo_11("1000000", 9)), (9, 3));
    }
}
