//! The audit: what was changed, and who saw whose personal data.

pub mod access_log;
pub mod access_log_pace;
pub mod entry_pages;

use storage::history::audit::AuditEntryContent;

/// An entry in words. Texts of older versions are as they were stored.
pub fn describe_content(content: AuditEntryContent) -> Option<String> {
    match content {
        AuditEntryContent::Change(change) => Some(wire::audit::describe_change(&change)),
        AuditEntryContent::Text(text) => text,
    }
}
