//! Why an export could not start.

use app::Error;
use wire::read::InputProblems;

#[derive(Debug)]
pub enum ListExportError {
    /// The query is invalid.
    InvalidQuery(InputProblems),
    App(Error),
}

impl From<InputProblems> for ListExportError {
    fn from(problems: InputProblems) -> ListExportError {
        ListExportError::InvalidQuery(problems)
    }
}

impl From<Error> for ListExportError {
    fn from(error: Error) -> ListExportError {
        ListExportError::App(error)
    }
}
