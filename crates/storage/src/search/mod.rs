//! The rows and indexes that searches read.

pub mod members;
pub(crate) mod names;
pub mod rows;
pub mod tally;
