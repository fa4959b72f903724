//! How large a file may be, how many a record may have, and how much an association may store.

use crate::Error;
use domain::{FileProblem, Rejection, TenantId};
use storage::{Tx, attachments};

/// The limits of the settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StorageLimits {
    /// The largest file, in MiB (`files.largest_mib`).
    pub largest_mib: u64,
    /// Files of one record (`files.most_per_record`).
    pub most_per_record: usize,
    /// The storage quota of an association, in GiB (`files.base_gib`); 0 for no limit.
    pub quota_gib: u64,
}

impl StorageLimits {
    pub const DEFAULT: StorageLimits = StorageLimits { largest_mib: 25, most_per_record: 100, quota_gib: 0 };

    pub fn largest_bytes(&self) -> u64 {
        self.largest_mib * 1024 * 1024
    }

    /// Refuses one more file for a record that has so many; a restored file counts as well.
    pub(super) fn refuse_more_files(&self, present: usize) -> Result<(), Error> {
        match present >= self.most_per_record {
            true => Err(Rejection::File(FileProblem::TooMany { most: self.most_per_record }).into()),
            false => Ok(()),
        }
    }

    /// Refuses a file that the association's quota has no room for.
    pub(super) async fn refuse_full_quota(
        &self,
        tx: &mut Tx,
        tenant: TenantId,
        size: i64,
    ) -> Result<(), Error> {
        let most = i64::try_from(self.quota_gib).unwrap_or(i64::MAX).saturating_mul(1024 * 1024 * 1024);
        if most > 0 && attachments::load_file_totals(tx, tenant).await?.1.saturating_add(size) > most {
            return Err(Rejection::File(FileProblem::BaseFull { most_gib: self.quota_gib }).into());
        }
        Ok(())
    }
}
