//! An error with its causes as one text.

use std::error::Error;

/// The error followed by its causes, each said once: the outermost message often lacks the one of the operating system.
pub fn describe_error_chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let more = cause.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        source = cause.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt;

    #[derive(Debug)]
    struct Link(&'static str, Option<Box<Link>>);

    impl fmt::Display for Link {
        fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
            out.write_str(self.0)
        }
    }

    impl Error for Link {
        fn source(&self) -> Option<&(dyn Error + 'static)> {
            self.1.as_deref().map(|link| link as _)
        }
    }

    #[test]
    fn every_cause_is_said_once() {
        let root = Link("no space left", None);
        let middle = Link("cannot write: no space left", Some(Box::new(root)));
        let error = Link("upload failed", Some(Box::new(middle)));
        assert_eq!(describe_error_chain(&error), "upload failed: cannot write: no space left");
    }
}
