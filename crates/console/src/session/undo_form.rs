//! The button that undoes the last change.

/// A form that undoes the last action: its URL and its fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UndoForm {
    pub action: String,
    pub fields: Vec<(String, String)>,
}

impl UndoForm {
    pub fn new(action: String, fields: &[(&str, &str)]) -> UndoForm {
        let to_owned_pair = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        UndoForm { action, fields: fields.iter().map(to_owned_pair).collect() }
    }
}
