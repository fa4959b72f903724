//! The bytes of an association's files, for whoever takes them elsewhere as they are (`whole`), and back again.

use super::store::{ContentPart, is_file_key};
use crate::{App, Error};
use bytes::Bytes;
use domain::TenantId;

/// What is kept under a key.
#[derive(Debug, Default)]
pub struct StoredFileParts {
    /// Each part under the name by which [`put_part`] knows it.
    pub parts: Vec<(String, Bytes)>,
    /// The file itself is there, not only the small picture of it.
    pub is_whole: bool,
}

/// What is kept under a key; nothing of what is missing.
#[boxed::future]
pub async fn read_file_parts(app: &App, key: &str, has_preview: bool) -> Result<StoredFileParts, Error> {
    let mut found = StoredFileParts::default();
    for part in ContentPart::ALL.into_iter().filter(|part| *part == ContentPart::Data || has_preview) {
        if let Some(bytes) = app.files.find_part(key, part).await? {
            found.parts.push((format!("{key}/{}", part.name()), bytes));
            found.is_whole |= part == ContentPart::Data;
        }
    }
    Ok(found)
}

/// The key of a file in the name of a part of it; none where it is no part of a file of this association.
pub fn parse_part_key(tenant: TenantId, name: &str) -> Option<&str> {
    let (key, part) = name.rsplit_once('/')?;
    (is_file_key(tenant, key) && ContentPart::ALL.into_iter().any(|one| one.name() == part)).then_some(key)
}

/// Puts back what [`read_file_parts`] gave. A name that is not of this association is refused.
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
