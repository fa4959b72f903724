//! Dependents of benefits: search, list, create and overwrite. Every write also changes the benefit.

pub mod import_rows;
mod save;
mod search;

use crate::benefits::load_holder;
pub use save::{SavedDependent, save_dependent, save_dependent_if_unchanged};
pub use search::{SortedDependents, list_benefit_dependents, load_found_dependents, search_dependents};
pub use storage::members::dependents::FoundDependent;
