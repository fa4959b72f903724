//! Texts that were validated when they were stored.

use crate::Error;
use domain::Rejection;

/// Stored values were validated on input; one that no longer parses is a bug and is reported as an error.
pub(super) fn parse_stored_text<T>(
    text: Option<String>,
    parse: impl Fn(&str) -> Result<T, Rejection>,
) -> Result<Option<T>, Error> {
    text.map(|text| {
        parse(&text)
            .map_err(|_| Error::Broken("a person is kept with a value that no longer fits".to_owned()))
    })
    .transpose()
}
