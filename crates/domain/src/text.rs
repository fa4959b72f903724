//! Free text with a limit, so that no column grows without end.

use crate::{Field, Rejection};
use std::fmt;

/// One line of at most `LONGEST` characters: trimmed, not empty, no control characters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Text<const LONGEST: usize>(String);

/// A remark of several lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note(String);

impl<const LONGEST: usize> Text<LONGEST> {
    pub fn parse(text: &str) -> Result<Text<LONGEST>, Rejection> {
        limited(text, LONGEST, char::is_control).map(Text)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn into_string(self) -> String {
        self.0
    }
}

impl Note {
    pub const LONGEST: usize = 4000;

    pub fn parse(text: &str) -> Result<Note, Rejection> {
        limited(text, Note::LONGEST, |c| c.is_control() && !"\n\r\t".contains(c)).map(Note)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn into_string(self) -> String {
        self.0
    }
}

/// One line of at most so many characters, where only a description knows how many.
pub fn line(text: &str, longest: usize) -> Result<String, Rejection> {
    limited(text, longest, char::is_control)
}

fn limited(text: &str, longest: usize, is_odd: impl Fn(char) -> bool) -> Result<String, Rejection> {
    let text = text.trim();
    if text.is_empty() {
        return Err(Rejection::Missing(Field::Text));
    }
    if text.chars().count() > longest {
        return Err(Rejection::TooLong { field: Field::Text, longest });
    }
    if text.contains(is_odd) {
        return Err(Rejection::ControlCharacter(Field::Text));
    }
    Ok(text.to_owned())
}

impl<const LONGEST: usize> fmt::Display for Text<LONGEST> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_one_line_of_limited_length() {
        assert_eq!(Text::<5>::parse(" Prata ").unwrap().as_str(), "Prata");
        assert!(Text::<5>::parse("ações").is_ok());
        assert_eq!(Text::<5>::parse(" "), Err(Rejection::Missing(Field::Text)));
        assert_eq!(Text::<5>::parse("Branco"), Err(Rejection::TooLong { field: Field::Text, longest: 5 }));
        assert_eq!(Text::<5>::parse("a\nb"), Err(Rejection::ControlCharacter(Field::Text)));
    }

    #[test]
    fn a_note_has_lines_but_no_bells() {
        assert_eq!(Note::parse(" um\r\n\tdois ").unwrap().as_str(), "um\r\n\tdois");
        assert!(Note::parse("a\u{7}b").is_err() && Note::parse("\n").is_err());
        assert!(Note::parse(&"ã".repeat(4001)).is_err() && Note::parse(&"ã".repeat(4000)).is_ok());
    }
}
