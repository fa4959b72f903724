//! Audit entries, field changes and situation changes.

pub mod audit;
pub mod field_changes;
pub mod situation_changes;
