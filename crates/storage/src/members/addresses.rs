//! Addresses as columns, and the address of a payer as text.

use crate::executor::stored_text::parse_stored_text;
use crate::{Error, Row};
use domain::{Cep, PostalAddress};

/// The payer's address, which is rarely set.
pub fn parse_payer_address(text: Option<String>) -> Result<PostalAddress, Error> {
    let Some(text) = text else { return Ok(PostalAddress::default()) };
    let broken = || Error::Broken("a payer's address is kept that cannot be read".to_owned());
    let mut parts: std::collections::BTreeMap<String, String> =
        serde_json::from_str(&text).map_err(|_| broken())?;
    Ok(PostalAddress {
        kind: parts.remove("kind"),
        street_kind: parts.remove("street_kind"),
        street: parts.remove("street"),
        number: parts.remove("number"),
        complement: parts.remove("complement"),
        district: parts.remove("district"),
        city: parts.remove("city"),
        state: parts.remove("state"),
        cep: parse_stored_text("person", parts.remove("cep").as_deref(), Cep::parse)?,
    })
}

/// `None` if the address is empty.
pub(super) fn render_payer_address(address: &PostalAddress) -> Option<String> {
    let parts = [
        ("kind", address.kind.as_deref()),
        ("street_kind", address.street_kind.as_deref()),
        ("street", address.street.as_deref()),
        ("number", address.number.as_deref()),
        ("complement", address.complement.as_deref()),
        ("district", address.district.as_deref()),
        ("city", address.city.as_deref()),
        ("state", address.state.as_deref()),
        ("cep", address.cep.as_ref().map(Cep::as_str)),
    ];
    let known = parts.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?.into())));
    let object: serde_json::Map<String, serde_json::Value> = known.collect();
    (!object.is_empty()).then(|| serde_json::Value::Object(object).to_string())
}

pub(crate) fn parse_address_with_kind(row: &Row) -> Result<PostalAddress, Error> {
    Ok(PostalAddress { kind: row.get("address_kind")?, ..parse_address_columns(row)? })
}

/// An address without a kind.
pub(crate) fn parse_address_columns(row: &Row) -> Result<PostalAddress, Error> {
    Ok(PostalAddress {
        kind: None,
        street_kind: row.get("street_kind")?,
        street: row.get("street")?,
        number: row.get("street_number")?,
        complement: row.get("complement")?,
        district: row.get("district")?,
        city: row.get("city")?,
        state: row.get("state")?,
        cep: parse_stored_text("person", row.get_text("cep")?, Cep::parse)?,
    })
}
