//! How many records a page of a list has.

/// Records on a page of a list, in the API and in the console.
pub const PAGE_SIZE: i64 = 100;
