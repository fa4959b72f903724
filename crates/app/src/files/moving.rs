//! The bytes of an association's files, for whoever takes them elsewhere as they are (`whole`), and back again.

use super::Part;
use crate::{App, Error};
use bytes::Bytes;
use domain::TenantId;

/// What is kept under a key, each part under the name by which [`put_part`] knows it; nothing of what is missing.
pub async fn parts(app: &App, key: &str, has_preview: bool) -> Result<Vec<(String, Bytes)>, Error> {
    let mut found = Vec::new();
    for part in Part::ALL.into_iter().filter(|part| *part == Part::Data || has_preview) {
        if let Some(bytes) = app.files.there(key, part).await? {
            found.push((format!("{key}/{}", part.name()), bytes));
        }
    }
    Ok(found)
}

/// Puts back what [`parts`] gave. A name that is not of this association is refused.
pub async fn put_part(app: &App, tenant: TenantId, name: &str, bytes: Bytes) -> Result<(), Error> {
    let unknown = || Error::Files("a part of a file bears a strange name".to_owned());
    let (key, part) = name.rsplit_once('/').ok_or_else(unknown)?;
    let part = Part::ALL.into_iter().find(|one| one.name() == part).ok_or_else(unknown)?;
    let is_key = |text: &str| text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f' | b'/'));
    if !key.starts_with(&format!("{tenant}/")) || !is_key(key) {
        return Err(unknown());
    }
    app.files.put(key, part, bytes).await
}
