//! Text in the encoding of the standard fonts: Windows code page 1252, which has every letter of Portuguese.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Bytes of the code page: printable characters and single spaces, none at the ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct WinAnsiText(Vec<u8>);

/// No place on a page shows more, so that a huge text costs no time.
const LONGEST: usize = 1_000;

pub(crate) const ELLIPSIS: u8 = 0x85;

/// The characters at 0x80 to 0x9F; the five unused places hold a character that no text has after normalization.
const UPPER_CONTROLS: [char; 32] = [
    '€', '\0', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\0', 'Ž', '\0', '\0', '‘', '’', '“',
    '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\0', 'ž', 'Ÿ',
];

impl WinAnsiText {
    /// Letters that the code page lacks lose their accents; what is left becomes a question mark. Control characters and
    /// spaces of all kinds become one space, marks that have no width of their own vanish.
    pub(crate) fn encode(text: &str) -> WinAnsiText {
        let mut bytes = Vec::with_capacity(text.len().min(LONGEST));
        for letter in text.chars().take(LONGEST).nfc() {
            if letter.is_whitespace() || letter.is_control() {
                push_space(&mut bytes);
            } else if let Some(byte) = find_byte(letter) {
                bytes.push(byte);
            } else if !has_no_width(letter) {
                push_folded(letter, &mut bytes);
            }
        }
        if bytes.last() == Some(&b' ') {
            bytes.pop();
        }
        WinAnsiText(bytes)
    }

    pub(crate) fn from_bytes(bytes: Vec<u8>) -> WinAnsiText {
        WinAnsiText(bytes)
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

fn push_space(bytes: &mut Vec<u8>) {
    if bytes.last().is_some_and(|last| *last != b' ') {
        bytes.push(b' ');
    }
}

fn find_byte(letter: char) -> Option<u8> {
    match letter {
        ' '..='~' => Some(letter as u8),
        // A soft hyphen shows only where a word is broken, and none is.
        '\u{AD}' => None,
        '¡'..='ÿ' => u8::try_from(letter).ok(),
        _ => UPPER_CONTROLS.iter().position(|known| *known == letter).map(|place| 0x80 + place as u8),
    }
}

/// Marks that stand alone, joiners, direction marks and selectors of variants.
fn has_no_width(letter: char) -> bool {
    is_combining_mark(letter)
        || matches!(letter, '\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}')
        || matches!(letter, '\u{2060}'..='\u{206F}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}')
}

fn push_folded(letter: char, bytes: &mut Vec<u8>) {
    let before = bytes.len();
    for part in std::iter::once(letter).nfkd() {
        match find_byte(part).or_else(|| find_similar(part)) {
            Some(byte) => bytes.push(byte),
            None if part.is_whitespace() => push_space(bytes),
            None => {}
        }
    }
    if bytes.len() == before {
        bytes.push(b'?');
    }
}

/// Letters and signs that do not decompose.
fn find_similar(letter: char) -> Option<u8> {
    Some(match letter {
        '\u{2010}'..='\u{2012}' | '\u{2212}' => b'-',
        '\u{2015}' => 0x97,
        '\u{2032}' => b'\'',
        '\u{2033}' => b'"',
        '\u{2044}' | '\u{2215}' => b'/',
        'ł' => b'l',
        'Ł' => b'L',
        'đ' => b'd',
        'Đ' => b'D',
        'ı' => b'i',
        'ħ' => b'h',
        'Ħ' => b'H',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn portuguese_stays_and_the_rest_is_folded() {
        for (text, bytes) in [
            ("São João", b"S\xE3o Jo\xE3o".as_slice()),
            ("Sa\u{303}o", b"S\xE3o"),
            ("nº 1ª “x” – …€", b"n\xBA 1\xAA \x93x\x94 \x96 \x85\x80"),
            (" a\t\r\n b\0\u{7F}c\u{A0}d ", b"a b c d"),
            ("Łódź Čech", b"L\xF3dz Cech"),
            ("1−2‑3 ﬁm x²", b"1-2-3 fim x\xB2"),
            ("👍🏽 ok \u{200B}\u{FE0F}日", b"?? ok ?"),
            ("\u{202E}abc\u{AD}d\u{301}", b"abcd"),
            ("(\\)", b"(\\)"),
            ("", b""),
        ] {
            assert_eq!(WinAnsiText::encode(text).as_bytes(), bytes, "{text}");
        }
        assert_eq!(WinAnsiText::encode(&"x".repeat(9_999)).as_bytes().len(), LONGEST);
    }

    proptest! {
        #[test]
        fn any_text_becomes_printable_characters(text in any::<String>()) {
            let encoded = WinAnsiText::encode(&text);
            let is_unused = |byte: u8| byte < b' ' || [0x7F, 0x81, 0x8D, 0x8F, 0x90, 0x9D, 0xA0, 0xAD].contains(&byte);
            prop_assert!(!encoded.as_bytes().iter().any(|byte| is_unused(*byte)), "{:?}", encoded);
            prop_assert!(!encoded.as_bytes().windows(2).any(|pair| pair == b"  "));
        }
    }
}
