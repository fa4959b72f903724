//! Files attached to claims, inspections, tickets and members. A user who may see the record sees its files; a user
//! who may change it attaches and removes them.
//!
//! The content is stored first, under a key recorded in `loose_files`; then one transaction writes the file row,
//! deletes that key and writes the audit. So every file row has its content, and content without a file row is found
//! and deleted (`sweep.rs`). A removed file can be restored for a while.

mod attach;
mod file_history;
mod limits;
mod owner;
mod remove;
mod show;
mod store;
mod sweep;
pub mod transfer;
mod upload_buffer;

pub use attach::{attach_file, authorize_attachment};
pub use limits::StorageLimits;
pub use owner::FileOwnerRecord;
pub use remove::{remove_file, restore_file};
pub use show::{AttachedFileView, OwnerFileList, list_owner_files, open_file_content, read_file};
pub use storage::attachments::AttachedFile;
pub use store::is_file_key;
pub use store::{ByteStream, ContentPart, FileStore};
pub(crate) use sweep::{RetentionPeriods, sweep_files};
pub use upload_buffer::UploadBuffer;

use domain::{AuditedOperation, FileOwner};

/// The operations that list and attach files, by owner of the files.
const fn name_file_operations(owner: FileOwner) -> (AuditedOperation, AuditedOperation) {
    match owner {
        FileOwner::Claim => (AuditedOperation::ListClaimFiles, AuditedOperation::AttachClaimFile),
        FileOwner::Inspection => {
            (AuditedOperation::ListInspectionFiles, AuditedOperation::AttachInspectionFile)
        }
        FileOwner::Ticket => (AuditedOperation::ListTicketFiles, AuditedOperation::AttachTicketFile),
        FileOwner::Member => (AuditedOperation::ListMemberFiles, AuditedOperation::AttachMemberFile),
    }
}
