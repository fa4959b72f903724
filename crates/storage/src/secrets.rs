//! Secrets that must be read again, encrypted with the server's key.

use crate::{Error, Source, sql};

/// Whether anything was encrypted with the server's key, so that losing it would lose something.
pub async fn any(from: impl Into<Source<'_>>) -> Result<bool, Error> {
    Ok(from.into().one(sql("SELECT code FROM secrets LIMIT 1")).await?.is_some())
}
