//! The bars of a slip: Interleaved 2 of 5. Two digits share five bars and the five spaces between them: the bars spell the
//! first, the spaces the second, and of the five two are wide.

/// A bar; what lies between two bars is a space. In modules, the width of a narrow bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ItfBar {
    pub start: u16,
    pub width: u16,
}

/// The 44 digits below the bars of a slip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BarcodeDigits([u8; DIGITS]);

const DIGITS: usize = 44;
const NARROW: u16 = 1;
/// The standard allows 2.25 to 3 times a narrow bar. Three are the easiest to tell apart, and make modules whole numbers.
const WIDE: u16 = 3;
/// Two bars and two spaces, all narrow.
const START: u16 = 4 * NARROW;
/// A wide bar, a narrow space and a narrow bar.
const STOP: u16 = WIDE + 2 * NARROW;
/// The width of all bars of a slip.
pub const ITF_MODULES: u16 = START + DIGITS as u16 * (2 * WIDE + 3 * NARROW) + STOP;

/// Which of the five are wide, for the digits 0 to 9.
const WIDE_PLACES: [[usize; 2]; 10] =
    [[2, 3], [0, 4], [1, 4], [0, 1], [2, 4], [0, 2], [1, 2], [3, 4], [0, 3], [1, 3]];

impl BarcodeDigits {
    /// Nothing but 44 digits, for a slip with other bars cannot be paid.
    pub fn parse(text: &str) -> Option<BarcodeDigits> {
        let digits: [u8; DIGITS] = text.as_bytes().try_into().ok()?;
        digits.iter().all(u8::is_ascii_digit).then_some(BarcodeDigits(digits))
    }
}

/// From left to right.
pub fn build_itf_bars(digits: &BarcodeDigits) -> Vec<ItfBar> {
    let mut bars = vec![ItfBar { start: 0, width: NARROW }, ItfBar { start: 2 * NARROW, width: NARROW }];
    let mut start = START;
    for pair in digits.0.chunks_exact(2) {
        let places = [pair[0], pair[1]].map(|digit| WIDE_PLACES[usize::from(digit - b'0')]);
        for place in 0..5 {
            let [bar, space] = places.map(|wide| if wide.contains(&place) { WIDE } else { NARROW });
            bars.push(ItfBar { start, width: bar });
            start += bar + space;
        }
    }
    bars.push(ItfBar { start, width: WIDE });
    bars.push(ItfBar { start: start + WIDE + NARROW, width: NARROW });
    bars
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Bars and spaces in turn, in the letters of the standard's table.
    fn spell(bars: &[ItfBar]) -> String {
        let mut widths = Vec::new();
        for pair in bars.windows(2) {
            widths.extend([pair[0].width, pair[1].start - pair[0].start - pair[0].width]);
        }
        widths.extend(bars.last().map(|bar| bar.width));
        widths.iter().map(|width| if *width == WIDE { 'w' } else { 'n' }).collect()
    }

    /// An own reader, by the table as it is printed in the standard.
    fn read_digits(spelled: &str) -> String {
        const TABLE: [&str; 10] =
            ["nnwwn", "wnnnw", "nwnnw", "wwnnn", "nnwnw", "wnwnn", "nwwnn", "nnnww", "wnnwn", "nwnwn"];
        let inner = &spelled[4..spelled.len() - 3];
        let letters: Vec<char> = inner.chars().collect();
        let mut digits = String::new();
        for pair in letters.chunks(10) {
            for first in [0, 1] {
                let word: String = pair.iter().skip(first).step_by(2).collect();
                let digit = TABLE.iter().position(|known| *known == word).unwrap();
                digits.push_str(&digit.to_string());
            }
        }
        digits
    }

    #[test]
    fn nothing_but_44_digits_has_bars() {
        for text in ["", "1", &"1".repeat(43), &"1".repeat(45), &"١".repeat(22), &format!("{:>44}", 1)] {
            assert_eq!(BarcodeDigits::parse(text), None, "{text}");
        }
    }

    #[test]
    fn the_bars_of_a_slip() {
        let text = "00191165600000101200000001238798077770016818";
        let spelled = spell(&build_itf_bars(&BarcodeDigits::parse(text).unwrap()));
        assert!(spelled.starts_with("nnnnnnnnwwwwnnwnnwnnnwwn"), "{spelled}");
        assert_eq!(read_digits(&spelled), text);
    }

    proptest! {
        #[test]
        fn bars_are_read_as_they_were_built(text in "[0-9]{44}") {
            let bars = build_itf_bars(&BarcodeDigits::parse(&text).unwrap());
            prop_assert_eq!(bars.len(), 2 + 5 * 22 + 2);
            let last = bars.last().unwrap();
            prop_assert_eq!(last.start + last.width, ITF_MODULES);
            prop_assert!(bars.iter().all(|bar| bar.width == NARROW || bar.width == WIDE));
            let spelled = spell(&bars);
            prop_assert!(spelled.starts_with("nnnn") && spelled.ends_with("wnn"));
            let inner: Vec<char> = spelled[4..spelled.len() - 3].chars().collect();
            for pair in inner.chunks(10) {
                for first in [0, 1] {
                    prop_assert_eq!(pair.iter().skip(first).step_by(2).filter(|one| **one == 'w').count(), 2);
                }
            }
            prop_assert_eq!(read_digits(&spelled), text);
        }
    }
}
