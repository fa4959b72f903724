//! Pix keys, as the directory of the Central Bank (DICT) stores them.

use domain::{Document, Email};
use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PixKeyKind {
    Cpf,
    Cnpj,
    Email,
    Phone,
    Random,
}

/// A key in the form of the directory: documents without mask, e-mail and random keys in lower case, telephones with `+55`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PixKey {
    kind: PixKeyKind,
    text: String,
}

impl PixKey {
    /// The longest key, in bytes.
    pub const LONGEST: usize = 77;

    /// A telephone needs its `+55`: eleven digits alone are a CPF.
    pub fn parse(text: &str) -> Option<PixKey> {
        let text = text.trim();
        let (kind, text) = if text.contains('@') {
            (PixKeyKind::Email, parse_email(text)?)
        } else if let Some(number) = text.strip_prefix('+') {
            (PixKeyKind::Phone, parse_phone(number)?)
        } else if let Some(random) = parse_random_key(text) {
            (PixKeyKind::Random, random)
        } else {
            let document = Document::parse(text).ok()?;
            let kind = match document {
                Document::Cpf(_) => PixKeyKind::Cpf,
                Document::Cnpj(_) => PixKeyKind::Cnpj,
            };
            (kind, document.as_str().to_owned())
        };
        Some(PixKey { kind, text })
    }

    pub fn kind(&self) -> PixKeyKind {
        self.kind
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for PixKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.text)
    }
}

/// The directory takes fewer characters than mail servers do.
fn parse_email(text: &str) -> Option<String> {
    let email = Email::parse(text).ok()?;
    let is_fine = |byte: u8| byte.is_ascii_alphanumeric() || b".!#$&'*+/=?^_`{|}~-@".contains(&byte);
    let address = email.as_str();
    (address.len() <= PixKey::LONGEST && address.bytes().all(is_fine)).then(|| address.to_owned())
}

/// What follows the `+`, with or without mask: country, area, and eight or nine digits.
fn parse_phone(text: &str) -> Option<String> {
    let is_mask = |letter: &char| *letter == ' ' || "()-.".contains(*letter);
    let digits: String = text.chars().filter(|letter| !is_mask(letter)).collect();
    let number = digits.strip_prefix("55")?;
    let is_number = matches!(number.len(), 10 | 11) && number.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && !number[..2].contains('0')).then(|| format!("+{digits}"))
}

/// A UUID with its hyphens.
fn parse_random_key(text: &str) -> Option<String> {
    let is_right = |(at, byte): (usize, u8)| match at {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    };
    (text.len() == 36 && text.bytes().enumerate().all(is_right)).then(|| text.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Option<(PixKeyKind, String)> {
        PixKey::parse(text).map(|key| (key.kind(), key.to_string()))
    }

    #[test]
    fn each_kind_of_key_is_read_with_and_without_its_mask() {
        for (text, kind, stored) in [
            ("123.456.789-09", PixKeyKind::Cpf, "12345678909"),
            (" 12345678909 ", PixKeyKind::Cpf, "12345678909"),
            ("11.222.333/0001-81", PixKeyKind::Cnpj, "11222333000181"),
            ("12.abc.345/01de-35", PixKeyKind::Cnpj, "12ABC34501DE35"),
            ("Pix@Associacao.Example", PixKeyKind::Email, "pix@associacao.example"),
            ("+55 (62) 98765-4321", PixKeyKind::Phone, "+5562987654321"),
            ("+556233334444", PixKeyKind::Phone, "+556233334444"),
            (
                "123E4567-E12B-12D1-A456-426655440000",
                PixKeyKind::Random,
                "123e4567-e12b-12d1-a456-426655440000",
            ),
        ] {
            assert_eq!(read(text), Some((kind, stored.to_owned())), "{text}");
        }
    }

    #[test]
    fn what_is_no_key_is_refused() {
        let long = format!("{}@demo.example", "a".repeat(65));
        for text in [
            "",
            "associação",
            "12345678900",
            "62987654321",
            "(62) 98765-4321",
            "+5562987",
            "+5502987654321",
            "+1 202 555 0100",
            "pix@",
            "josé@demo.example",
            long.as_str(),
            "123e4567e12b12d1a456426655440000",
            "123e4567-e12b-12d1-a456-42665544000g",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
        assert!(read(&long[1..]).is_some());
    }

    proptest! {
        #[test]
        fn a_stored_key_is_read_as_itself(text in "\\+55[1-9]{2}9?[0-9]{8}|[a-z0-9._+]{1,20}@[a-z]{1,20}\\.example") {
            if let Some(key) = PixKey::parse(&text) {
                prop_assert_eq!(PixKey::parse(key.as_str()), Some(key));
            }
        }

        #[test]
        fn no_text_makes_it_panic(text in "\\PC{0,40}") {
            let _ = PixKey::parse(&text);
        }
    }
}
