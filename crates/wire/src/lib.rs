//! The interface's words: its records and formats in Portuguese, exactly as the specification writes them, the reader
//! of what callers send, and the text of every refusal and of every mail. No rule lives here.

pub mod attachment;
pub mod database_fault;
pub mod mail;
pub mod read;
pub mod records;
pub mod refusal;
pub mod register;
pub mod set_names;
pub mod sheet;
pub mod trigger;

pub use crate::set_names::{delivery_state, entity_path, import_state, parse_entity_path, parse_role, role};
