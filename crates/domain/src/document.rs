//! CPF and CNPJ: stored without mask and in upper case, displayed with it, always with valid check digits. Since July
//! 2026 a CNPJ may have letters in all positions but its check digits.

use crate::{InputField, Nature, Rejection};
use std::fmt;

/// The document of a natural person: eleven digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cpf(String);

/// The document of a legal person: twelve digits or letters and two digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cnpj(String);

/// A CPF or a CNPJ; which one decides the nature of the owner.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Document {
    Cpf(Cpf),
    Cnpj(Cnpj),
}

/// The check digit weights run from 2 up to this value and then start again.
const CPF_WEIGHTS: u32 = 11;
const CNPJ_WEIGHTS: u32 = 9;

impl Cpf {
    /// Accepts it with or without the mask.
    pub fn parse(text: &str) -> Result<Cpf, Rejection> {
        Cpf::from_bare(&strip_mask(text)?).ok_or_else(|| Rejection::BadCpf(text.trim().to_owned()))
    }

    /// The CPF of a number, in which leading zeros are lost: they are put back if the check digits then fit.
    pub fn from_number(digits: &str) -> Result<Cpf, Rejection> {
        let bare = pad_digits(digits, 11);
        bare.and_then(|bare| Cpf::from_bare(&bare)).ok_or_else(|| Rejection::BadCpf(digits.to_owned()))
    }

    /// Appends the check digits to nine digits; `None` if one is not a digit or all are the same.
    pub fn with_check_digits(body: [u8; 9]) -> Option<Cpf> {
        let digits: String = body.iter().map(|digit| char::from(b'0' + digit % 10)).collect();
        if body.iter().any(|digit| *digit > 9) {
            return None;
        }
        Cpf::from_bare(&append_check_digits(&digits, CPF_WEIGHTS))
    }

    fn from_bare(text: &str) -> Option<Cpf> {
        let sound = text.len() == 11
            && text.bytes().all(|byte| byte.is_ascii_digit())
            && !is_one_repeated(text)
            && append_check_digits(&text[..9], CPF_WEIGHTS) == text;
        sound.then(|| Cpf(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Cnpj {
    /// Accepts it with or without the mask, in any case.
    pub fn parse(text: &str) -> Result<Cnpj, Rejection> {
        Cnpj::from_bare(&strip_mask(text)?).ok_or_else(|| reject_document(text))
    }

    /// Appends the check digits to twelve characters, `0` to `9` and `A` to `Z`; `None` for others.
    pub fn with_check_digits(body: [u8; 12]) -> Option<Cnpj> {
        if !body.iter().all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase()) {
            return None;
        }
        let characters: String = body.into_iter().map(char::from).collect();
        Cnpj::from_bare(&append_check_digits(&characters, CNPJ_WEIGHTS))
    }

    fn from_bare(text: &str) -> Option<Cnpj> {
        let sound = text.len() == 14
            && text.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase())
            && !is_one_repeated(text)
            && append_check_digits(&text[..12], CNPJ_WEIGHTS) == text;
        sound.then(|| Cnpj(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Document {
    /// Accepts a CPF or a CNPJ, with or without the mask, in any case.
    pub fn parse(text: &str) -> Result<Document, Rejection> {
        let bare = strip_mask(text)?;
        let cpf = Cpf::from_bare(&bare).map(Document::Cpf);
        cpf.or_else(|| Cnpj::from_bare(&bare).map(Document::Cnpj)).ok_or_else(|| reject_document(text))
    }

    /// The document of a number, in which leading zeros are lost: they are put back, to eleven digits, or to fourteen where a
    /// CPF would have fewer, if the check digits then fit.
    pub fn from_number(digits: &str) -> Result<Document, Rejection> {
        let cpf = Cpf::from_number(digits).ok().map(Document::Cpf);
        // Eleven digits are a CPF, and where they are not right no CNPJ is guessed.
        let long = Some(digits).filter(|digits| digits.len() != 11);
        let cnpj = || {
            let padded = long.and_then(|digits| pad_digits(digits, 14))?;
            Cnpj::from_bare(&padded).map(Document::Cnpj)
        };
        cpf.or_else(cnpj).ok_or_else(|| reject_document(digits))
    }

    /// A document to search for: as [`Document::parse`], and digits without their leading zeros.
    pub fn parse_searched(text: &str) -> Result<Document, Rejection> {
        Document::parse(text).or_else(|_| Document::from_number(text.trim()))
    }

    /// A document that no person can have, because `parse` refuses it.
    pub fn placeholder() -> Document {
        Document::Cpf(Cpf("0".repeat(11)))
    }

    /// Without mask and in upper case, as stored and compared.
    pub fn as_str(&self) -> &str {
        match self {
            Document::Cpf(cpf) => cpf.as_str(),
            Document::Cnpj(cnpj) => cnpj.as_str(),
        }
    }

    pub fn nature(&self) -> Nature {
        match self {
            Document::Cpf(_) => Nature::Natural,
            Document::Cnpj(_) => Nature::Legal,
        }
    }
}

impl From<Cpf> for Document {
    fn from(cpf: Cpf) -> Document {
        Document::Cpf(cpf)
    }
}

impl From<Cnpj> for Document {
    fn from(cnpj: Cnpj) -> Document {
        Document::Cnpj(cnpj)
    }
}

/// Removes the mask characters.
fn strip_mask(text: &str) -> Result<String, Rejection> {
    let is_mask = |c: char| c.is_whitespace() || ".-/".contains(c);
    let bare: String = text.chars().filter(|c| !is_mask(*c)).map(|c| c.to_ascii_uppercase()).collect();
    if bare.is_empty() { Err(Rejection::Missing(InputField::Document)) } else { Ok(bare) }
}

/// Digits with leading zeros up to a length; `None` for anything but digits.
fn pad_digits(text: &str, length: usize) -> Option<String> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && text.len() <= length).then(|| format!("{text:0>length$}"))
}

fn reject_document(text: &str) -> Rejection {
    Rejection::BadDocument(text.trim().to_owned())
}

/// 111.111.111-11 has valid check digits, but is never issued.
fn is_one_repeated(text: &str) -> bool {
    text.bytes().all(|byte| byte == text.as_bytes()[0])
}

/// Appends the two check digits, each the sum of the digits before it, weighted from the right, modulo 11.
fn append_check_digits(body: &str, largest_weight: u32) -> String {
    let mut text = body.to_owned();
    for _ in 0..2 {
        let weighted = text.bytes().rev().zip((2..=largest_weight).cycle());
        let sum: u32 = weighted.map(|(byte, weight)| u32::from(byte - b'0') * weight).sum();
        let digit = match sum % 11 {
            0 | 1 => 0,
            remainder => 11 - remainder,
        };
        text.extend(char::from_digit(digit, 10));
    }
    text
}

impl fmt::Display for Cpf {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = &self.0;
        write!(out, "{}.{}.{}-{}", &text[..3], &text[3..6], &text[6..9], &text[9..])
    }
}

impl fmt::Display for Cnpj {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = &self.0;
        write!(out, "{}.{}.{}/{}-{}", &text[..2], &text[2..5], &text[5..8], &text[8..12], &text[12..])
    }
}

impl fmt::Display for Document {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Document::Cpf(cpf) => cpf.fmt(out),
            Document::Cnpj(cnpj) => cnpj.fmt(out),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn documents_are_read_masked_or_bare_and_shown_masked() {
        for (text, bare, masked, nature) in [
            ("529.982.247-25", "52998224725", "529.982.247-25", Nature::Natural),
            (" 52998224725 ", "52998224725", "529.982.247-25", Nature::Natural),
            ("11.222.333/0001-81", "11222333000181", "11.222.333/0001-81", Nature::Legal),
            ("12.abc.345/01de-35", "12ABC34501DE35", "12.ABC.345/01DE-35", Nature::Legal),
            ("12ABC34501DE35", "12ABC34501DE35", "12.ABC.345/01DE-35", Nature::Legal),
        ] {
            let document = Document::parse(text).unwrap();
            assert_eq!((document.as_str(), document.nature()), (bare, nature));
            assert_eq!(document.to_string(), masked);
        }
    }

    #[test]
    fn wrong_documents_are_refused() {
        assert_eq!(Document::parse(" .-/"), Err(Rejection::Missing(InputField::Document)));
        assert_eq!(Document::parse(" 1 "), Err(Rejection::BadDocument("1".to_owned())));
        for bad in [
            "529.982.247-24",
            "5299822472",
            "052998224725",
            "11.222.333/0001-82",
            "12ABC34501DE3A",
            "12ÁBC34501DE35",
            "529982247२5",
            "529+982+247-25",
            "A2998224725",
        ] {
            assert!(Document::parse(bad).is_err(), "{bad}");
        }
        for digit in '0'..='9' {
            for length in [11, 14] {
                let repeated: String = std::iter::repeat_n(digit, length).collect();
                assert!(Document::parse(&repeated).is_err(), "{repeated}");
            }
        }
        assert!(Cpf::parse("11222333000181").is_err() && Cnpj::parse("52998224725").is_err());
    }

    #[test]
    fn a_number_gets_its_leading_zeros_back_where_the_check_digits_fit() {
        for (digits, document) in [
            ("52998224725", "52998224725"),
            ("191", "00000000191"),
            ("1000000702", "01000000702"),
            ("11222333000181", "11222333000181"),
            ("6990590000123", "06990590000123"),
        ] {
            assert_eq!(Document::from_number(digits).unwrap().as_str(), document);
            assert_eq!(Document::parse_searched(digits).unwrap().as_str(), document);
        }
        assert_eq!(Cpf::from_number("191").unwrap().as_str(), "00000000191");
        // A CPF with a wrong digit, which fits as the CNPJ 00016147874145.
        assert!(Document::from_number("16147874145").is_err());
        for bad in ["", "0", "192", "-191", "5299822472.5", "5299822472", "+191", "529982247250000", "1e10"] {
            assert!(Document::from_number(bad).is_err() && Cpf::from_number(bad).is_err(), "{bad}");
        }
        assert_eq!(Cpf::from_number("6990590000123"), Err(Rejection::BadCpf("6990590000123".to_owned())));
        assert_eq!(Document::parse_searched(" 529.982.247-25 ").unwrap().as_str(), "52998224725");
        assert!(Document::parse("191").is_err(), "a text is taken as it is written");
    }

    #[test]
    fn a_body_that_makes_no_document_makes_none() {
        assert_eq!(Cpf::with_check_digits([1; 9]), None);
        assert_eq!(Cpf::with_check_digits([10; 9]), None);
        assert_eq!(Cnpj::with_check_digits(*b"12abc34501de"), None);
        assert_eq!(Cnpj::with_check_digits([b'0'; 12]), None);
        let sample = Cnpj::with_check_digits(*b"12ABC34501DE").unwrap();
        assert_eq!(sample.as_str(), "12ABC34501DE35");
    }

    proptest! {
        #[test]
        fn every_cpf_is_read_back_and_one_wrong_digit_is_noticed(
            body in prop::array::uniform9(0u8..10), at in 0usize..11, shift in 1u8..10,
        ) {
            if let Some(cpf) = Cpf::with_check_digits(body) {
                prop_assert_eq!(Cpf::parse(&cpf.to_string()).unwrap(), cpf.clone());
                let mut wrong = cpf.as_str().as_bytes().to_vec();
                wrong[at] = b'0' + (wrong[at] - b'0' + shift) % 10;
                let wrong = String::from_utf8(wrong).unwrap();
                // A check digit of 10 and one of 11 are both written 0.
                prop_assert!(Cpf::parse(&wrong).is_err() || at < 9 && cpf.as_str()[9..].contains('0'));
            }
        }

        #[test]
        fn every_cnpj_is_read_back_in_either_case(body in "[0-9A-Z]{12}") {
            let characters: [u8; 12] = body.as_bytes().try_into().unwrap();
            if let Some(cnpj) = Cnpj::with_check_digits(characters) {
                prop_assert_eq!(Cnpj::parse(&cnpj.to_string().to_lowercase()).unwrap(), cnpj);
            }
        }

        #[test]
        fn no_text_makes_parsing_panic(text in "\\PC{0,20}") {
            let _ = Document::parse(&text);
        }
    }
}
