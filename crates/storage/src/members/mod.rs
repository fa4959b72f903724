//! The people known to a tenant, members or not.

pub mod credit_cards;
pub mod dependents;
pub mod panel;
pub mod phones;
pub mod saved_filters;

mod addresses;
mod find_person;
mod import_undo;
mod person_row;
mod person_visibility;
mod write_person;

pub use addresses::parse_payer_address;
pub(crate) use addresses::{parse_address_columns, parse_address_with_kind};
pub use find_person::select_person_by_document;
pub use find_person::{
    find_person, find_person_by_document, list_people_by_code, list_people_by_document,
    list_person_codes_by_document,
};
pub use import_undo::{delete_person, encode_person_snapshot, find_person_reference, parse_person_snapshot};
pub use person_visibility::{is_person_visible, is_profile_visible};
pub use write_person::{clear_documents, insert_people, insert_people_from, update_person};
