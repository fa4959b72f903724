//! Writes members with all their records in large transactions. Besides `app::benefits` this is the only place that
//! sets the situation of a benefit: without triggers, because no receiver waits for demo data.

mod cases;
mod codes;
mod first_situation;
mod member_rows;
mod members;

pub(crate) use first_situation::ORIGIN;
pub use members::{SampleMemberBatch, write_members};
