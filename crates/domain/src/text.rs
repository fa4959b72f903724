//! Free text with a length limit.

use crate::{InputField, Rejection};
use std::fmt;

/// One line of at most `LONGEST` characters: trimmed, not empty, no control characters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BoundedText<const LONGEST: usize>(String);

/// A note of several lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoteText(String);

impl<const LONGEST: usize> BoundedText<LONGEST> {
    pub fn parse(text: &str) -> Result<BoundedText<LONGEST>, Rejection> {
        parse_limited(text, LONGEST, char::is_control).map(BoundedText)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn into_string(self) -> String {
        self.0
    }
}

impl NoteText {
    pub const LONGEST: usize = 4000;

    pub fn parse(text: &str) -> Result<NoteText, Rejection> {
        parse_limited(text, NoteText::LONGEST, |c| c.is_control() && !"\n\r\t".contains(c)).map(NoteText)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn into_string(self) -> String {
        self.0
    }
}

/// Like [`BoundedText`], for limits known only at run time.
pub fn parse_line(text: &str, longest: usize) -> Result<String, Rejection> {
    parse_limited(text, longest, char::is_control)
}

fn parse_limited(text: &str, longest: usize, is_odd: impl Fn(char) -> bool) -> Result<String, Rejection> {
    let text = text.trim();
    if text.is_empty() {
        return Err(Rejection::Missing(InputField::Text));
    }
    if text.chars().count() > longest {
        return Err(Rejection::TooLong { field: InputField::Text, longest });
    }
    if text.contains(is_odd) {
        return Err(Rejection::ControlCharacter(InputField::Text));
    }
    Ok(text.to_owned())
}

impl<const LONGEST: usize> fmt::Display for BoundedText<LONGEST> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_one_line_of_limited_length() {
        assert_eq!(BoundedText::<5>::parse(" Prata ").unwrap().as_str(), "Prata");
        assert!(BoundedText::<5>::parse("ações").is_ok());
        assert_eq!(BoundedText::<5>::parse(" "), Err(Rejection::Missing(InputField::Text)));
        assert_eq!(
            BoundedText::<5>::parse("Branco"),
            Err(Rejection::TooLong { field: InputField::Text, longest: 5 })
        );
        assert_eq!(BoundedText::<5>::parse("a\nb"), Err(Rejection::ControlCharacter(InputField::Text)));
    }

    #[test]
    fn a_note_has_lines_but_no_bells() {
        assert_eq!(NoteText::parse(" um\r\n\tdois ").unwrap().as_str(), "um\r\n\tdois");
        assert!(NoteText::parse("a\u{7}b").is_err() && NoteText::parse("\n").is_err());
        assert!(NoteText::parse(&"ã".repeat(4001)).is_err() && NoteText::parse(&"ã".repeat(4000)).is_ok());
    }
}
