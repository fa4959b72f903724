//! The interface's words: its records and formats in Portuguese, exactly as the specification writes them, and the
//! text of every refusal. No rule lives here.

mod names;
pub mod refusal;

pub use names::{role, role_from};
