//! Benefits: create, change and cancel. A request is validated completely before anything is written.

mod additional_field_values;
mod additional_fields;
mod cancel;
mod change;
mod change_item;
mod change_situation;
mod conflicts;
pub mod equipment;
pub(crate) mod field_changes;
mod holder;
pub mod import_rows;
mod items;
pub mod mirror_rows;
mod persist;
mod save;
mod saved_benefit;
mod show;
mod validate;
pub(crate) mod vehicle;

pub use additional_fields::{SaveFieldsOutcome, save_additional_fields};
pub use cancel::cancel_benefit;
pub use change::change_benefit;
pub use change_item::change_item;
pub use change_situation::change_benefit_situation;
pub(crate) use holder::load_holder;
pub use items::{AddItemOutcome, PlanItems, StoredPlan, add_item, list_items};
pub(crate) use persist::reserve_free_card;
pub(crate) use persist::{
    BenefitWriteHook, PendingBenefitWrite, PresetNumbers, WrittenBenefit, store_benefit,
};
pub use save::{BenefitWriteInput, save_benefit};
pub(crate) use save::{NewBenefitDraft, insert_benefit};
pub use saved_benefit::SavedBenefit;
pub use show::{FullBenefit, read_benefit_history, read_full_benefit};
pub(crate) use validate::{SentBenefitFields, SentBenefitValidator, build_first_item};

pub use crate::describe_benefit::describe_stored_benefit;
