//! The interface's words: its records and formats in Portuguese, exactly as the specification writes them, and the
//! text of every refusal and of every mail. No rule lives here.

pub mod mail;
mod names;
pub mod refusal;

pub use names::{role, role_from};
