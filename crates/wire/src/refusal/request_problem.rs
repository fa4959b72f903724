//! A problem as the caller reads it: the path of the field and a sentence.

use std::fmt;

/// A problem of a request, as the API and the console show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestProblem {
    /// The path of the field, as in `telefones[1].numero`; `None` if it is about no single field.
    pub field: Option<String>,
    pub sentence: String,
}

impl RequestProblem {
    pub fn of(field: impl Into<String>, sentence: impl Into<String>) -> RequestProblem {
        RequestProblem { field: Some(field.into()), sentence: sentence.into() }
    }

    pub fn general(sentence: impl Into<String>) -> RequestProblem {
        RequestProblem { field: None, sentence: sentence.into() }
    }
}

impl fmt::Display for RequestProblem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(field) = &self.field {
            write!(out, "{field}: ")?;
        }
        out.write_str(&self.sentence)
    }
}
