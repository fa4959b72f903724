//! Refuses text with U+0000.

use crate::executor::db::StatementFailure;
use crate::{Error, Statement};

/// One engine refuses text with U+0000 and tools of the other truncate it, so both refuse it.
pub(super) fn refuse_nul_text(statement: &Statement) -> Result<(), StatementFailure> {
    let has_nul =
        |value: &crate::SqlScalar| matches!(value, crate::SqlScalar::Text(text) if text.contains('\0'));
    if statement.values().iter().any(has_nul) {
        return Err(Error::Broken("a text with U+0000 reached the database".to_owned()).into());
    }
    Ok(())
}
