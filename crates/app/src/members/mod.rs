//! People: created or changed by their document, so that each exists once. A single place writes a person with phones,
//! listing row and audit entry.

mod change;
pub mod credit_cards;
pub mod dependents;
mod field_changes;
pub mod import_rows;
pub mod mirror_rows;
mod persist;
mod person_fields;
mod save;
pub mod saved_filters;
pub mod search;
mod show;
pub mod validation;

pub use change::change_member;
pub use persist::SavedPerson;
pub(crate) use person_fields::{apply_address, parse_telephone};
pub use save::save_person;
pub use show::{MemberView, read_member, read_member_history};
