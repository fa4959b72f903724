//! Why something was not done.

use domain::Rejection;

#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// A rule says no; every problem that was found, not the first alone.
    #[error("refused: {0:?}")]
    Refused(Vec<Rejection>),
    #[error(transparent)]
    Storage(#[from] storage::Error),
    #[error("password hashing failed: {0}")]
    Hashing(String),
}

impl From<Rejection> for Error {
    fn from(rejection: Rejection) -> Error {
        Error::Refused(vec![rejection])
    }
}

/// Takes the value, or keeps the refusal for the list of all of them.
pub(crate) fn collect<T>(problems: &mut Vec<Rejection>, result: Result<T, Rejection>) -> Option<T> {
    result.map_err(|problem| problems.push(problem)).ok()
}
