//! The number under which a bank knows a slip.

use crate::FreeField;

/// A number of an agreement, which is the only one that makes it: its free field is always of the bank's
/// layout.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OurNumber {
    pub(crate) digits: String,
    pub(crate) printed: String,
    pub(crate) free_field: FreeField,
}

impl OurNumber {
    /// As the bank's files and our database hold it. The check digit is included where the bank's files include
    /// it; it may be `X` or `P`.
    pub fn digits(&self) -> &str {
        &self.digits
    }

    /// As the slip shows it: `24/200001-3`.
    pub fn printed(&self) -> &str {
        &self.printed
    }
}
