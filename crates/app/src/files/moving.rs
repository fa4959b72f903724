//! The bytes of an association's files, for whoever takes them elsewhere as they are (`whole`), and back again.

use super::place::{Part, is_key};
use crate::{App, Error};
use bytes::Bytes;
use domain::TenantId;

/// What is kept under a key.
#[derive(Debug, Default)]
pub struct Found {
    /// Each part under the name by which [`put_part`] knows it.
    pub parts: Vec<(String, Bytes)>,
    /// The file itself is there, not only the small picture of it.
    pub is_whole: bool,
}

/// What is kept under a key; nothing of what is missing.
#[boxed::future]
pub async fn parts(app: &App, key: &str, has_preview: bool) -> Result<Found, Error> {
    let mut found = Found::default();
    for part in Part::ALL.into_iter().filter(|part| *part == Part::Data || has_preview) {
        if let Some(bytes) = app.files.there(key, part).await? {
            found.parts.push((format!("{key}/{}", part.name()), bytes));
            found.is_whole |= part == Part::Data;
        }
    }
    Ok(found)
}

/// The key of a file in the name of a part of it; none where it is no part of a file of this association.
pub(crate) fn key_of_part(tenant: TenantId, name: &str) -> Option<&str> {
    let (key, part) = name.rsplit_once('/')?;
    (is_key(tenant, key) && Part::ALL.into_iter().any(|one| one.name() == part)).then_some(key)
}

/// Puts back what [`parts`] gave. A name that is not of this association is refused.
#[boxed::future]
pub async fn put_part(app: &App, tenant: TenantId, name: &str, bytes: Bytes) -> Result<(), Error> {
    let unknown = || Error::Files("a part of a file bears a strange name".to_owned());
    let (key, part) = name.rsplit_once('/').ok_or_else(unknown)?;
    let part = Part::ALL.into_iter().find(|one| one.name() == part).ok_or_else(unknown)?;
    if !is_key(tenant, key) {
        return Err(unknown());
    }
    app.files.put(key, part, bytes).await
}
