//! Records as pairs of published field name and readable value, for the history of changes and for version conflicts.

mod benefit;
mod deal;
mod dependent;
mod lead;
mod person;

pub use benefit::{render_benefit_fields, render_vehicle_fields};
pub use deal::render_deal_fields;
pub use dependent::render_dependent_fields;
pub use lead::render_lead_fields;
pub use person::render_person_fields;

/// Published field name and readable value.
pub type FieldTexts = Vec<(&'static str, Option<String>)>;
