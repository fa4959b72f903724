//! How large a file may be, how many a record may have, and how much an association may store.

/// The limits of the settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StorageLimits {
    /// The largest file, in MiB.
    pub largest_mib: u64,
    pub most_per_record: usize,
    /// The storage quota of an association, in GiB; 0 for no limit.
    pub base_gib: u64,
}

impl StorageLimits {
    pub const DEFAULT: StorageLimits = StorageLimits { largest_mib: 25, most_per_record: 100, base_gib: 0 };

    pub fn largest_bytes(&self) -> u64 {
        self.largest_mib * 1024 * 1024
    }
}
