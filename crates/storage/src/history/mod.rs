//! Audit entries, accesses to personal data, field changes and situation changes.

pub mod access_log;
pub mod access_log_buffer;
pub mod audit;
pub mod audit_page;
pub mod field_changes;
pub mod situation_changes;
