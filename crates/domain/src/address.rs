//! Postal addresses, the CEP (postal code) and the UF (state).

use crate::{InputField, Rejection};
use std::fmt;

/// A postal address as the caller gave it; only the CEP is normalized.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PostalAddress {
    /// The use of the address (`tipoEndereco`): home, work.
    pub kind: Option<String>,
    /// Rua, avenida, praça.
    pub street_kind: Option<String>,
    pub street: Option<String>,
    pub number: Option<String>,
    pub complement: Option<String>,
    pub district: Option<String>,
    pub city: Option<String>,
    /// Two letters (`uf`).
    pub state: Option<String>,
    pub cep: Option<Cep>,
}

impl PostalAddress {
    /// `Avenida Paulista, 1578, Bela Vista, São Paulo, SP`; `None` for an empty address.
    pub fn format_line(&self) -> Option<String> {
        let street = [self.street_kind.as_deref(), self.street.as_deref()];
        // A street type without a street name is left out.
        let street = self.street.as_ref().map(|_| street.into_iter().flatten().collect::<Vec<_>>().join(" "));
        let rest = [&self.number, &self.complement, &self.district, &self.city, &self.state];
        let parts: Vec<String> = std::iter::once(street).chain(rest.map(Clone::clone)).flatten().collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}

/// A postal code: eight digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cep(String);

impl Cep {
    /// Accepts it with or without the mask.
    pub fn parse(text: &str) -> Result<Cep, Rejection> {
        let is_mask = |c: char| c.is_whitespace() || c == '-' || c == '.';
        let digits: String = text.chars().filter(|c| !is_mask(*c)).collect();
        if digits.is_empty() {
            return Err(Rejection::Missing(InputField::Cep));
        }
        if digits.len() != 8 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(Rejection::BadCep(text.trim().to_owned()));
        }
        Ok(Cep(digits))
    }

    /// The eight digits, without the mask.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A Brazilian state, by its two-letter abbreviation (`uf`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Uf(&'static str);

impl Uf {
    pub const NAMES: [&str; 27] = [
        "AC", "AL", "AM", "AP", "BA", "CE", "DF", "ES", "GO", "MA", "MG", "MS", "MT", "PA", "PB", "PE", "PI",
        "PR", "RJ", "RN", "RO", "RR", "RS", "SC", "SE", "SP", "TO",
    ];

    /// Case does not matter.
    pub fn parse(text: &str) -> Result<Uf, Rejection> {
        let text = text.trim();
        if text.is_empty() {
            return Err(Rejection::Missing(InputField::Uf));
        }
        let found = Uf::NAMES.into_iter().find(|name| name.eq_ignore_ascii_case(text));
        found.map(Uf).ok_or_else(|| Rejection::BadUf(text.to_owned()))
    }

    pub const fn as_str(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for Cep {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}-{}", &self.0[..5], &self.0[5..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cep_comes_masked_or_bare_and_goes_out_masked() {
        for text in ["01310-100", "01310100", " 01.310-100 "] {
            assert_eq!(Cep::parse(text).unwrap().to_string(), "01310-100", "{text}");
        }
        assert_eq!(Cep::parse(" - "), Err(Rejection::Missing(InputField::Cep)));
        for bad in ["1310100", "013101000", "0131010A", "0131010०"] {
            assert_eq!(Cep::parse(bad), Err(Rejection::BadCep(bad.to_owned())), "{bad}");
        }
    }

    #[test]
    fn a_state_is_one_of_the_twenty_seven() {
        assert_eq!(Uf::parse(" sp ").unwrap().as_str(), "SP");
        assert!(Uf::NAMES.is_sorted() && Uf::NAMES.iter().all(|name| Uf::parse(name) == Ok(Uf(name))));
        assert_eq!(Uf::parse(""), Err(Rejection::Missing(InputField::Uf)));
        for bad in ["XX", "S", "São Paulo"] {
            assert_eq!(Uf::parse(bad), Err(Rejection::BadUf(bad.to_owned())), "{bad}");
        }
    }
}
