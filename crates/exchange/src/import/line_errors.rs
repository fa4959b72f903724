//! Which errors belong to one line.

use app::Error;

/// Whether an error is caused by the data, not by the current state of the database.
pub(super) fn is_line_error(error: &Error) -> bool {
    matches!(error, Error::Refused(_) | Error::Defect(_))
        || matches!(error, Error::Storage(storage::Error::Conflict(_) | storage::Error::Broken(_)))
}
