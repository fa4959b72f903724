//! Benefits. `app::benefits`, the mirror and the demonstration write them.

pub mod installations;
pub mod items;
pub mod monthly_counts;
pub mod title_revisions;

mod cards;
mod find;
mod import_undo;
mod key_conflicts;
pub(crate) mod row;
mod write;

pub use cards::reserve_numbers_with_card;
pub(crate) use cards::select_card_holder;
pub use find::{
    BenefitWithPlate, find_benefit, has_visible_benefit, list_benefits_by_codes, list_benefits_by_plate,
    list_benefits_by_sequences, list_benefits_of_person, list_visible_benefits_by_plate,
};
pub use import_undo::{
    MatchingBenefit, delete_benefit, find_benefit_reference, find_benefits_by_numbers,
    list_matching_benefits, parse_benefit_snapshot, render_benefit_snapshot,
};
pub(crate) use key_conflicts::select_nothing;
pub use key_conflicts::{
    BenefitKeyConflicts, BenefitUniqueKeys, ConflictingBenefit, load_benefit_conflicts,
    prefetch_benefit_creation,
};
pub(crate) use row::{
    benefit_columns, build_vehicle_values, parse_benefit_row, parse_field_values, parse_priced_plans,
    parse_vehicle_row, vehicle_columns,
};
pub use write::{insert_benefits, update_benefit};
