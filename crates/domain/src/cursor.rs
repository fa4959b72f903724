//! Positions in the situation history and in the audit, as their readers store them.

use crate::{HistoryCode, Rejection};
use std::fmt;

/// Distinguishes a change from any other that ever had its code: a database restored to an earlier state assigns the
/// same codes again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChangeDigest([u8; 6]);

impl ChangeDigest {
    pub const fn new(bytes: [u8; 6]) -> ChangeDigest {
        ChangeDigest(bytes)
    }

    fn parse(text: &str) -> Option<ChangeDigest> {
        if text.len() != 12 || !text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
            return None;
        }
        let number = u64::from_str_radix(text, 16).ok()?;
        let [_, _, bytes @ ..] = number.to_be_bytes();
        Some(ChangeDigest(bytes))
    }
}

impl fmt::Display for ChangeDigest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
    }
}

/// The position of a feed reader: after the change with this code. Without a digest it is a bare number, from a reader
/// that counts by itself or used an earlier version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistoryCursor {
    pub code: HistoryCode,
    pub digest: Option<ChangeDigest>,
}

impl HistoryCursor {
    /// Before the first change.
    pub const START: HistoryCursor = HistoryCursor::from_code(HistoryCode::new(0));

    pub const fn from_code(code: HistoryCode) -> HistoryCursor {
        HistoryCursor { code, digest: None }
    }

    /// Accepts `918-3f2a9c01b7de` and `918`.
    pub fn parse(text: &str) -> Result<HistoryCursor, Rejection> {
        let bad = || Rejection::BadHistoryCursor(text.to_owned());
        let (code, digest) = match text.split_once('-') {
            Some((code, digest)) => (code, Some(ChangeDigest::parse(digest).ok_or_else(bad)?)),
            None => (text, None),
        };
        if code.is_empty() || !code.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(bad());
        }
        let code = code.parse().map(HistoryCode::new).map_err(|_| bad())?;
        Ok(HistoryCursor { code, digest })
    }
}

impl fmt::Display for HistoryCursor {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.digest {
            Some(digest) => write!(out, "{}-{digest}", self.code),
            None => self.code.fmt(out),
        }
    }
}

/// The position of a reader of the audit: after these codes. Changes and accesses count each for themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AuditCursor {
    pub changes: i32,
    pub accesses: i32,
}

impl AuditCursor {
    /// Before the first entry.
    pub const START: AuditCursor = AuditCursor { changes: 0, accesses: 0 };

    /// Accepts `4711-903`, and the `4711` of earlier versions, which counted both together.
    pub fn parse(text: &str) -> Result<AuditCursor, Rejection> {
        let number = |text: &str| {
            let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            is_number.then(|| text.parse().ok()).flatten()
        };
        let (changes, accesses) = text.split_once('-').unwrap_or((text, text));
        match (number(changes), number(accesses)) {
            (Some(changes), Some(accesses)) => Ok(AuditCursor { changes, accesses }),
            _ => Err(Rejection::BadAuditCursor(text.to_owned())),
        }
    }
}

impl fmt::Display for AuditCursor {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}-{}", self.changes, self.accesses)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_of_the_audit_is_read_back_and_one_number_is_both() {
        let cursor = AuditCursor { changes: 4711, accesses: 903 };
        assert_eq!(cursor.to_string(), "4711-903");
        assert_eq!(AuditCursor::parse("4711-903"), Ok(cursor));
        assert_eq!(AuditCursor::parse("12"), Ok(AuditCursor { changes: 12, accesses: 12 }));
        for bad in ["", "-", "1-", "-1", "+1", "1-2-3", "x", "1-x", "2147483648", "1-2147483648"] {
            assert!(AuditCursor::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_cursor_is_read_back_as_it_was_written() {
        let code = HistoryCode::new(918);
        let digest = Some(ChangeDigest::new([0, 0x2a, 0x9c, 0x01, 0xb7, 0xde]));
        let complete = HistoryCursor { code, digest };
        assert_eq!(complete.to_string(), "918-002a9c01b7de");
        for cursor in [complete, HistoryCursor::from_code(code), HistoryCursor::START] {
            assert_eq!(HistoryCursor::parse(&cursor.to_string()), Ok(cursor));
        }
    }

    #[test]
    fn nothing_else_is_a_cursor() {
        for bad in [
            "",
            "x",
            "-1",
            "+1",
            "1.5",
            "918-",
            "918-xyz",
            "918-002A9C01B7DE",
            "918-002a9c01b7de0",
            "2147483648",
        ] {
            assert!(HistoryCursor::parse(bad).is_err(), "{bad}");
        }
    }
}
