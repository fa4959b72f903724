//! Refusals of actions on imports.

use app::Error;
use domain::{ImportCode, ImportProblem, InputField, Rejection};

pub(super) fn refuse_unknown_import(code: ImportCode) -> Error {
    Error::NotFound { field: InputField::Import, code: code.get() }
}

pub(super) fn refuse_import(problem: ImportProblem) -> Error {
    Rejection::Import(problem).into()
}
