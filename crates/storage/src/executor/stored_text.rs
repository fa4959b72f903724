//! Texts that were validated when they were stored.

use crate::Error;
use domain::Rejection;

/// Stored values were validated on input; one that no longer parses is a bug and is reported as an error, with the kind
/// of its record.
pub(crate) fn parse_stored_text<T>(
    record: &str,
    text: Option<&str>,
    parse: impl Fn(&str) -> Result<T, Rejection>,
) -> Result<Option<T>, Error> {
    let broken = |_| Error::Broken(format!("a {record} is kept with a value that no longer fits"));
    text.map(|text| parse(text).map_err(broken)).transpose()
}
