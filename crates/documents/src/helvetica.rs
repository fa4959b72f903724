//! How wide the letters of Helvetica and Helvetica-Bold are, and what fits a line.

use crate::win_ansi::{ELLIPSIS, WinAnsiText};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FontWeight {
    Regular,
    Bold,
}

const FIRST: u8 = b' ';

/// The widths of the characters of the code page from the space on, in thousandths of the size: Adobe's published metrics
/// of the standard fonts (AFM), which readers of PDF keep even when they show another font.
#[rustfmt::skip]
const REGULAR_WIDTHS: [u16; 224] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556,
    556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278,
    500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469,
    556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500,
    278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584, 350, 556, 350, 222, 556, 333, 1000, 556, 556, 333,
    1000, 667, 333, 1000, 350, 611, 350, 350, 222, 222, 333, 333, 350, 556, 1000, 333, 1000, 500, 333, 944,
    350, 500, 667, 278, 333, 556, 556, 556, 556, 260, 556, 333, 737, 370, 556, 584, 333, 737, 333, 400, 584,
    333, 333, 333, 556, 537, 278, 333, 333, 365, 556, 834, 834, 834, 611, 667, 667, 667, 667, 667, 667, 1000,
    722, 667, 667, 667, 667, 278, 278, 278, 278, 722, 722, 778, 778, 778, 778, 778, 584, 778, 722, 722, 722,
    722, 667, 667, 611, 556, 556, 556, 556, 556, 556, 889, 500, 556, 556, 556, 556, 278, 278, 278, 278, 556,
    556, 556, 556, 556, 556, 556, 584, 611, 556, 556, 556, 556, 500, 556, 500,
];
#[rustfmt::skip]
const BOLD_WIDTHS: [u16; 224] = [
    278, 333, 474, 556, 556, 889, 722, 238, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556,
    556, 556, 556, 556, 556, 333, 333, 584, 584, 584, 611, 975, 722, 722, 722, 722, 667, 611, 778, 722, 278,
    556, 722, 611, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 333, 278, 333, 584,
    556, 333, 556, 611, 556, 611, 556, 333, 611, 611, 278, 278, 556, 278, 889, 611, 611, 611, 611, 389, 556,
    333, 611, 556, 778, 556, 556, 500, 389, 280, 389, 584, 350, 556, 350, 278, 556, 500, 1000, 556, 556, 333,
    1000, 667, 333, 1000, 350, 611, 350, 350, 278, 278, 500, 500, 350, 556, 1000, 333, 1000, 556, 333, 944,
    350, 500, 667, 278, 333, 556, 556, 556, 556, 280, 556, 333, 737, 370, 556, 584, 333, 737, 333, 400, 584,
    333, 333, 333, 611, 556, 278, 333, 333, 365, 556, 834, 834, 834, 611, 722, 722, 722, 722, 722, 722, 1000,
    722, 667, 667, 667, 667, 278, 278, 278, 278, 722, 722, 778, 778, 778, 778, 778, 584, 778, 722, 722, 722,
    722, 667, 667, 611, 556, 556, 556, 556, 556, 556, 889, 556, 556, 556, 556, 556, 278, 278, 278, 278, 611,
    611, 611, 611, 611, 611, 611, 584, 611, 611, 611, 611, 611, 556, 611, 556,
];

impl FontWeight {
    pub(crate) const ALL: [FontWeight; 2] = [FontWeight::Regular, FontWeight::Bold];

    /// By which the content of a page names the font.
    pub(crate) fn resource_name(self) -> &'static [u8] {
        match self {
            FontWeight::Regular => b"R",
            FontWeight::Bold => b"B",
        }
    }

    pub(crate) fn font_name(self) -> &'static [u8] {
        match self {
            FontWeight::Regular => b"Helvetica",
            FontWeight::Bold => b"Helvetica-Bold",
        }
    }

    fn measure_byte(self, byte: u8) -> u32 {
        let widths = match self {
            FontWeight::Regular => &REGULAR_WIDTHS,
            FontWeight::Bold => &BOLD_WIDTHS,
        };
        byte.checked_sub(FIRST).map_or(0, |place| u32::from(widths[usize::from(place)]))
    }

    /// In thousandths of the size.
    fn measure_bytes(self, bytes: &[u8]) -> u32 {
        bytes.iter().map(|byte| self.measure_byte(*byte)).sum()
    }

    /// The width in points at this size.
    pub(crate) fn measure_text(self, text: &WinAnsiText, size: f32) -> f32 {
        self.measure_bytes(text.as_bytes()) as f32 * size / 1_000.0
    }

    /// The text, or as much of it as fits with an ellipsis.
    pub(crate) fn shorten_text(self, text: WinAnsiText, size: f32, width: f32) -> WinAnsiText {
        if self.measure_text(&text, size) <= width {
            return text;
        }
        let room = (width / size * 1_000.0) as u32;
        let room = room.saturating_sub(self.measure_byte(ELLIPSIS));
        let count = self.count_fitting(text.as_bytes(), room);
        let mut bytes = text.as_bytes()[..count].trim_ascii_end().to_vec();
        bytes.push(ELLIPSIS);
        WinAnsiText::from_bytes(bytes)
    }

    fn count_fitting(self, bytes: &[u8], room: u32) -> usize {
        let mut used = 0;
        let fits = |byte: &&u8| {
            used += self.measure_byte(**byte);
            used <= room
        };
        bytes.iter().take_while(fits).count()
    }

    /// At most so many lines; what is left is shortened into the last. A word that is longer than a line is broken.
    pub(crate) fn wrap_text(self, text: &str, size: f32, width: f32, most_lines: usize) -> Vec<WinAnsiText> {
        let room = (width / size * 1_000.0) as u32;
        let mut lines = Vec::new();
        for paragraph in text.lines() {
            let paragraph = WinAnsiText::encode(paragraph);
            let mut rest = paragraph.as_bytes();
            while !rest.is_empty() {
                if lines.len() == most_lines {
                    return self.shorten_last(lines, size, width);
                }
                let (line, after) = self.split_line(rest, room);
                lines.push(WinAnsiText::from_bytes(line.to_vec()));
                rest = after;
            }
        }
        lines
    }

    /// Lines as full as possible, for a text that has no words.
    pub(crate) fn break_anywhere(self, text: &WinAnsiText, size: f32, width: f32) -> Vec<WinAnsiText> {
        let room = (width / size * 1_000.0) as u32;
        let (mut lines, mut rest) = (Vec::new(), text.as_bytes());
        while !rest.is_empty() {
            let (line, after) = rest.split_at(self.count_fitting(rest, room).max(1));
            lines.push(WinAnsiText::from_bytes(line.to_vec()));
            rest = after;
        }
        lines
    }

    /// A line and what follows it, both without the space between.
    fn split_line(self, bytes: &[u8], room: u32) -> (&[u8], &[u8]) {
        let count = self.count_fitting(bytes, room).max(1);
        if count == bytes.len() {
            return (bytes, &[]);
        }
        let end = bytes[..=count].iter().rposition(|byte| *byte == b' ').filter(|end| *end > 0);
        let (line, rest) = bytes.split_at(end.unwrap_or(count));
        (line, rest.trim_ascii_start())
    }

    fn shorten_last(self, mut lines: Vec<WinAnsiText>, size: f32, width: f32) -> Vec<WinAnsiText> {
        if let Some(last) = lines.pop() {
            let bytes = [last.as_bytes(), &[ELLIPSIS]].concat();
            lines.push(self.shorten_text(WinAnsiText::from_bytes(bytes), size, width));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use FontWeight::{Bold, Regular};
    use proptest::prelude::*;

    #[test]
    fn widths_are_those_of_the_fonts() {
        for (letter, regular, bold) in [
            ("A", 667, 722),
            ("0", 556, 556),
            ("ç", 500, 556),
            ("…", 1_000, 1_000),
            ("ã", 556, 556),
            ("@", 1_015, 975),
        ] {
            let text = WinAnsiText::encode(letter);
            assert_eq!(
                [Regular, Bold].map(|one| one.measure_bytes(text.as_bytes())),
                [regular, bold],
                "{letter}"
            );
        }
    }

    #[test]
    fn lines_break_between_words() {
        let wrap = |text: &str, most| {
            let lines = Regular.wrap_text(text, 10.0, 50.0, most);
            lines.iter().map(|line| String::from_utf8_lossy(line.as_bytes()).into_owned()).collect::<Vec<_>>()
        };
        assert_eq!(wrap("aaaa bbb cccc", 5), ["aaaa bbb", "cccc"]);
        assert_eq!(wrap("aaaa\n\nbbbb", 5), ["aaaa", "bbbb"]);
        assert_eq!(wrap("aaaaaaaaaaaa", 5), ["aaaaaaaa", "aaaa"]);
        assert_eq!(wrap("aaaa bbb cccc", 1), ["aaaa bb\u{FFFD}"]);
        assert_eq!(wrap("", 5), [""; 0]);
    }

    proptest! {
        #[test]
        fn what_is_shortened_fits(text in any::<String>(), size in 6.0..24.0_f32, width in 30.0..500.0_f32) {
            for weight in [Regular, Bold] {
                let short = weight.shorten_text(WinAnsiText::encode(&text), size, width);
                prop_assert!(weight.measure_text(&short, size) <= width);
                for line in weight.wrap_text(&text, size, width, 3) {
                    prop_assert!(weight.measure_text(&line, size) <= width);
                }
            }
        }
    }
}
