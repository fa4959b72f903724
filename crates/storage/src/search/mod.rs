//! The rows and indexes that searches read.

pub mod members;
pub mod rows;
pub mod tally;
