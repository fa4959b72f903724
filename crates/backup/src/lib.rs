//! Backups: a consistent copy of the database, of the server's key and of the attachments, in a folder or a bucket.
//!
//! A destination holds many backups. Each has a folder of its own with the database and the key; its manifest is
//! written last, so that what was interrupted is no backup. Attachments never change, so all backups share one copy of
//! each. Reasons: docs/adr/0019-backups.md.

mod attachments;
#[cfg(test)]
mod counting_source;
mod create_backup;
mod daily_schedule;
mod destination_store;
mod encryption;
mod error;
mod installation;
mod kept_backups;
mod list_backups;
mod manifest;
mod object_streams;
mod postgres_tools;
mod prune_backups;
mod restore_backup;
mod run_lock;
mod verify_backup;

pub use create_backup::{CreatedBackup, DestinationPlan, create_backup};
pub use daily_schedule::DailyTimes;
pub use destination_store::{DestinationPlace, DestinationStore};
pub use encryption::OperatorSecret;
pub use error::{BackupActionError, DamageCause};
pub use installation::ServerInstallation;
pub use kept_backups::RetentionCounts;
pub use list_backups::{DestinationListing, ListedBackup, find_backup, list_backups};
pub use manifest::{AttachmentCounts, DatabaseEngine, SnapshotManifest, format_backup_name};
pub use object_streams::{ProgressReport, ProgressStep};
pub use prune_backups::PruneOutcome;
pub use restore_backup::{RestoreOptions, RestoreOutcome, restore_backup};
pub use verify_backup::{VerifyOutcome, verify_backup};
