//! The stored content of an association's files, for archives (crate `exchange`): read and written back unchanged.

use super::store::{ContentPart, is_file_key};
use crate::{App, Error};
use bytes::Bytes;
use domain::TenantId;

/// The parts stored under a key.
#[derive(Debug, Default)]
pub struct StoredFileParts {
    /// Each part with the name [`put_part`] expects.
    pub parts: Vec<(String, Bytes)>,
    /// Whether the file itself exists, not only its preview.
    pub is_complete: bool,
}

/// Reads the parts stored under a key; skips missing ones.
#[boxed::future]
pub async fn read_file_parts(app: &App, key: &str, has_preview: bool) -> Result<StoredFileParts, Error> {
    let mut found = StoredFileParts::default();
    for part in ContentPart::ALL.into_iter().filter(|part| *part == ContentPart::Data || has_preview) {
        if let Some(bytes) = app.files.find_part(key, part).await? {
            found.parts.push((format!("{key}/{}", part.name()), bytes));
            found.is_complete |= part == ContentPart::Data;
        }
    }
    Ok(found)
}

/// The file key in the name of a part; `None` if the name is not a part of a file of this association.
pub fn parse_part_key(tenant: TenantId, name: &str) -> Option<&str> {
    let (key, part) = name.rsplit_once('/')?;
    (is_file_key(tenant, key) && ContentPart::ALL.into_iter().any(|one| one.name() == part)).then_some(key)
}

/// Writes back a part from [`read_file_parts`]. Rejects a name of another association.
#[boxed::future]
pub async fn put_part(app: &App, tenant: TenantId, name: &str, bytes: Bytes) -> Result<(), Error> {
    let unknown = || Error::Files("a part of a file bears a strange name".to_owned());
    let (key, part) = name.rsplit_once('/').ok_or_else(unknown)?;
    let part = ContentPart::ALL.into_iter().find(|one| one.name() == part).ok_or_else(unknown)?;
    if !is_file_key(tenant, key) {
        return Err(unknown());
    }
    app.files.put_part(key, part, bytes).await
}
