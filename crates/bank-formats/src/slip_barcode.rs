//! The barcode of a slip (boleto) and the line of digits that people type instead of it. Both hold the same:
//! bank, due date, amount and 25 digits whose layout is the bank's own, the free field. The standard is that of
//! FEBRABAN.

use crate::check_digits::{compute_modulo_10, compute_modulo_11, is_digits};
use domain::{Date, Money};

/// Digits of a barcode: bank 3, currency 1, check digit 1, due date 4, amount 10, free field 25.
const LENGTH: usize = 44;
const CHECK_DIGIT: usize = 4;
const TYPED_LENGTH: usize = 47;
const REAL: &str = "9";
const LARGEST_CENTS: i64 = 9_999_999_999;

/// The due date is a number of days since 1997-10-07. Four digits ended on 2025-02-21 and go on with 1000,
/// again and again.
const FIRST_ROUND: i32 = 10_000;
const ROUND: i32 = 9_000;
const ROUND_START: i32 = 1_000;

/// Why a text is no barcode or typed line of a slip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlipProblem {
    NotDigits,
    WrongLength,
    /// Slips are in reais.
    OtherCurrency,
    /// The check digit over the whole barcode is wrong.
    WrongCheckDigit,
    /// The check digit of this field of the typed line, from 1 to 3, is wrong.
    WrongFieldDigit(u8),
}

/// The 25 digits that each bank fills in its own way.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FreeField(String);

impl FreeField {
    pub const LENGTH: usize = 25;

    pub fn parse(text: &str) -> Option<FreeField> {
        (text.len() == FreeField::LENGTH && is_digits(text)).then(|| FreeField(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The 44 digits of a barcode, with the right check digit.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SlipBarcode(String);

impl SlipBarcode {
    /// `None` for a bank of more than three digits, an amount above R$ 99,999,999.99 and a due date before
    /// 1997-10-08: factor 0 means that there is none.
    pub fn build(bank_number: u16, due_on: Date, amount: Money, free: &FreeField) -> Option<SlipBarcode> {
        let factor = compute_factor(due_on)?;
        let cents = amount.cents();
        if bank_number > 999 || !(0..=LARGEST_CENTS).contains(&cents) {
            return None;
        }
        let head = format!("{bank_number:03}{REAL}");
        let tail = format!("{factor:04}{cents:010}{}", free.as_str());
        let check = compute_check_digit(&head, &tail);
        Some(SlipBarcode(format!("{head}{check}{tail}")))
    }

    /// The digits that a reader of barcodes returns.
    pub fn parse(text: &str) -> Result<SlipBarcode, SlipProblem> {
        let text = text.trim();
        if !is_digits(text) {
            return Err(SlipProblem::NotDigits);
        }
        if text.len() != LENGTH {
            return Err(SlipProblem::WrongLength);
        }
        if &text[3..4] != REAL {
            return Err(SlipProblem::OtherCurrency);
        }
        let (head, rest) = text.split_at(CHECK_DIGIT);
        let (check, tail) = rest.split_at(1);
        if check.chars().eq([compute_check_digit(head, tail)]) {
            Ok(SlipBarcode(text.to_owned()))
        } else {
            Err(SlipProblem::WrongCheckDigit)
        }
    }

    /// With or without dots, blanks and hyphens.
    pub fn parse_typed_line(text: &str) -> Result<SlipBarcode, SlipProblem> {
        let is_mark = |letter: &char| letter.is_whitespace() || matches!(letter, '.' | '-');
        let line: String = text.chars().filter(|letter| !is_mark(letter)).collect();
        if !is_digits(&line) {
            return Err(SlipProblem::NotDigits);
        }
        if line.len() != TYPED_LENGTH {
            return Err(SlipProblem::WrongLength);
        }
        let (fields, tail) = line.split_at(32);
        let parts = [
            (&fields[..9], &fields[9..10]),
            (&fields[10..20], &fields[20..21]),
            (&fields[21..31], &fields[31..]),
        ];
        for (number, (content, check)) in (1..).zip(parts) {
            if !check.chars().eq([compute_modulo_10(content)]) {
                return Err(SlipProblem::WrongFieldDigit(number));
            }
        }
        let [(first, _), (second, _), (third, _)] = parts;
        SlipBarcode::parse(&format!("{}{tail}{}{second}{third}", &first[..4], &first[4..]))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn bank_number(&self) -> u16 {
        self.0[..3].bytes().fold(0, |number, digit| number * 10 + u16::from(digit - b'0'))
    }

    /// The same four digits come back after 9,000 days, almost 25 years: the day nearest to `near` is meant.
    /// `None` where the slip has no due date.
    pub fn due_on(&self, near: Date) -> Option<Date> {
        let factor: i32 = self.0[5..9].parse().ok().filter(|factor| *factor > 0)?;
        let base = read_base()?;
        // A remainder of half a round is as near to one as to the other, and the earlier one is taken.
        let distance = near.days_since(base) - factor;
        let is_repeated = factor >= ROUND_START && distance > 0;
        let rounds = if is_repeated { (distance + ROUND / 2 - 1) / ROUND } else { 0 };
        base.plus_days(i64::from(factor + rounds * ROUND))
    }

    pub fn amount(&self) -> Money {
        let cents = self.0[9..19].bytes().fold(0, |cents, digit| cents * 10 + i64::from(digit - b'0'));
        Money::from_stored_cents(cents).unwrap_or_default()
    }

    pub fn free_field(&self) -> FreeField {
        FreeField(self.0[19..].to_owned())
    }

    /// `00190.00009 01238.798076 77700.168188 1 16560000010120`
    pub fn typed_line(&self) -> String {
        let free = &self.0[19..];
        let write_field = |content: String| {
            let (left, right) = content.split_at(5);
            format!("{left}.{right}{}", compute_modulo_10(&content))
        };
        format!(
            "{} {} {} {} {}",
            write_field(format!("{}{}", &self.0[..4], &free[..5])),
            write_field(free[5..15].to_owned()),
            write_field(free[15..].to_owned()),
            &self.0[CHECK_DIGIT..=CHECK_DIGIT],
            &self.0[5..19],
        )
    }
}

fn read_base() -> Option<Date> {
    Date::new(1997, 10, 7)
}

fn compute_factor(due_on: Date) -> Option<i32> {
    let days = due_on.days_since(read_base()?);
    let factor = if days < FIRST_ROUND { days } else { ROUND_START + (days - FIRST_ROUND) % ROUND };
    (factor > 0).then_some(factor)
}

/// Over all digits but itself. What is not one digit is written 1.
fn compute_check_digit(head: &str, tail: &str) -> char {
    let digit = compute_modulo_11(&format!("{head}{tail}"), 9);
    char::from_digit(digit, 10).unwrap_or('1')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const VECTOR: &str = "00191165600000101200000001238798077770016818";
    const TYPED_VECTOR: &str = "00190.00009 01238.798076 77700.168188 1 16560000010120";

    fn day(text: &str) -> Date {
        Date::from_iso(text).unwrap()
    }

    fn build(due_on: Date, cents: i64) -> Option<SlipBarcode> {
        let free = FreeField::parse("0000001238798077770016818").unwrap();
        SlipBarcode::build(1, due_on, Money::from_stored_cents(cents).unwrap(), &free)
    }

    #[test]
    fn the_vector_is_written_and_read() {
        let barcode = build(day("2026-12-10"), 10_120).unwrap();
        assert_eq!(barcode.as_str(), VECTOR);
        assert_eq!(barcode.typed_line(), TYPED_VECTOR);
        let digits: String = TYPED_VECTOR.chars().filter(char::is_ascii_digit).collect();
        for text in
            [TYPED_VECTOR, digits.as_str(), " 00190.00009 01238.798076 77700.168188-1-16560000010120 "]
        {
            assert_eq!(SlipBarcode::parse_typed_line(text), Ok(barcode.clone()));
        }
        assert_eq!(SlipBarcode::parse(VECTOR), Ok(barcode.clone()));
        assert_eq!(barcode.bank_number(), 1);
        assert_eq!(barcode.amount().cents(), 10_120);
        assert_eq!(barcode.free_field().as_str(), "0000001238798077770016818");
        assert_eq!(barcode.due_on(day("2026-11-20")), Some(day("2026-12-10")));
    }

    #[test]
    fn the_factor_goes_on_with_1000() {
        for (date, factor) in [
            ("1997-10-08", "0001"),
            ("2000-07-03", "1000"),
            ("2025-02-21", "9999"),
            ("2025-02-22", "1000"),
            ("2049-10-13", "9999"),
            ("2049-10-14", "1000"),
        ] {
            let barcode = build(day(date), 1).unwrap();
            assert_eq!(&barcode.as_str()[5..9], factor, "{date}");
            assert_eq!(barcode.due_on(day(date)), Some(day(date)));
        }
        assert_eq!((build(day("1997-10-07"), 1), build(day("1990-01-01"), 1)), (None, None));
        let first = build(day("2000-07-03"), 1).unwrap();
        assert_eq!(first.due_on(day("2012-10-28")), Some(day("2000-07-03")));
        assert_eq!(first.due_on(day("2012-10-29")), Some(day("2025-02-22")));
        assert_eq!(first.due_on(day("1990-01-01")), Some(day("2000-07-03")));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let due_on = day("2026-12-10");
        assert!(build(due_on, LARGEST_CENTS).is_some() && build(due_on, 0).is_some());
        assert_eq!(build(due_on, LARGEST_CENTS + 1), None);
        let free = FreeField::parse("0000001238798077770016818").unwrap();
        assert_eq!(SlipBarcode::build(1_000, due_on, Money::default(), &free), None);
        for text in
            ["", "000000123879807777001681", "00000012387980777700168180", "000000123879807777001681x"]
        {
            assert_eq!(FreeField::parse(text), None);
        }
    }

    #[test]
    fn what_is_not_right_is_refused() {
        for (text, problem) in [
            ("", SlipProblem::WrongLength),
            ("0019116560000010120000000123879807777001681", SlipProblem::WrongLength),
            ("0019116560000010120000000123879807777001681x", SlipProblem::NotDigits),
            ("0018116560000010120000000123879807777001681８", SlipProblem::NotDigits),
            ("00181165600000101200000001238798077770016818", SlipProblem::OtherCurrency),
            ("00191165600000101210000001238798077770016818", SlipProblem::WrongCheckDigit),
        ] {
            assert_eq!(SlipBarcode::parse(text), Err(problem), "{text}");
        }
        for (text, problem) in [
            (VECTOR, SlipProblem::WrongLength),
            ("00190.00008 01238.798076 77700.168188 1 16560000010120", SlipProblem::WrongFieldDigit(1)),
            ("00190.00009 01238.798077 77700.168188 1 16560000010120", SlipProblem::WrongFieldDigit(2)),
            ("00190.00009 01238.798076 77700.168187 1 16560000010120", SlipProblem::WrongFieldDigit(3)),
            ("00190.00009 01238.798076 77700.168188 1 16560000010121", SlipProblem::WrongCheckDigit),
            ("00190.00009 01238.798076 77700.168188 1 1656000001012A", SlipProblem::NotDigits),
        ] {
            assert_eq!(SlipBarcode::parse_typed_line(text), Err(problem), "{text}");
        }
    }

    prop_compose! {
        /// Days of the two rounds that began in 1997 and in 2025, with the day they are built on.
        fn barcodes()(
            bank_number in 0..1_000_u16,
            days in 1..19_000_i64,
            cents in 0..=LARGEST_CENTS,
            free in "[0-9]{25}",
        ) -> (SlipBarcode, Date) {
            let due_on = read_base().unwrap().plus_days(days).unwrap();
            let amount = Money::from_stored_cents(cents).unwrap();
            let free = FreeField::parse(&free).unwrap();
            (SlipBarcode::build(bank_number, due_on, amount, &free).unwrap(), due_on)
        }
    }

    fn change_digit(text: &str, at: usize, shift: u8) -> String {
        let mut bytes = text.as_bytes().to_vec();
        bytes[at] = b'0' + (bytes[at] - b'0' + shift) % 10;
        String::from_utf8(bytes).unwrap()
    }

    proptest! {
        #[test]
        fn line_and_barcode_hold_the_same((barcode, due_on) in barcodes(), apart in -4_000..4_000_i64) {
            prop_assert_eq!(barcode.as_str().len(), LENGTH);
            prop_assert_eq!(SlipBarcode::parse(barcode.as_str()), Ok(barcode.clone()));
            prop_assert_eq!(SlipBarcode::parse_typed_line(&barcode.typed_line()), Ok(barcode.clone()));
            let near = due_on.plus_days(apart).unwrap();
            prop_assert_eq!(barcode.due_on(near), Some(due_on));
        }

        #[test]
        fn what_was_put_in_comes_out(
            number in 0..1_000_u16, cents in 0..=LARGEST_CENTS, free in "[0-9]{25}", days in 1..19_000_i64,
        ) {
            let due_on = read_base().unwrap().plus_days(days).unwrap();
            let (amount, free) = (Money::from_stored_cents(cents).unwrap(), FreeField::parse(&free).unwrap());
            let barcode = SlipBarcode::build(number, due_on, amount, &free).unwrap();
            let read = SlipBarcode::parse_typed_line(&barcode.typed_line()).unwrap();
            prop_assert_eq!((read.bank_number(), read.amount(), read.free_field()), (number, amount, free));
        }

        #[test]
        fn a_wrong_digit_in_a_field_of_the_line_is_noticed(
            (barcode, _) in barcodes(), at in 0..32_usize, shift in 1..10_u8,
        ) {
            let line: String = barcode.typed_line().chars().filter(char::is_ascii_digit).collect();
            let wrong = change_digit(&line, at, shift);
            prop_assert!(matches!(SlipBarcode::parse_typed_line(&wrong), Err(SlipProblem::WrongFieldDigit(_))));
        }

        /// The check digit of the whole is 1 for three remainders, so a change that stays within them is not
        /// noticed.
        #[test]
        fn a_wrong_digit_in_the_rest_is_noticed_unless_the_check_digit_is_1(
            (barcode, _) in barcodes(), at in 0..LENGTH, shift in 1..10_u8,
        ) {
            let wrong = change_digit(barcode.as_str(), at, shift);
            let is_noticed = SlipBarcode::parse(&wrong).is_err();
            prop_assert!(is_noticed || (at != CHECK_DIGIT && barcode.as_str().as_bytes()[CHECK_DIGIT] == b'1'));
        }

        #[test]
        fn no_text_makes_it_panic(text in "[0-9]{40,50}|[0-9. -]{0,60}|\\PC{0,50}") {
            let _ = SlipBarcode::parse(&text);
            let _ = SlipBarcode::parse_typed_line(&text);
        }
    }
}
