//! Resource and time limits of the database: `[storage]` in `config.default.toml`, which explains each.

use crate::StatementWatch;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Clone, Debug)]
pub struct DatabaseOptions {
    /// Search threads (embedded database), or connections for searches (server).
    pub readers: usize,
    /// Page cache of each connection, in MiB (embedded database).
    pub cache_mib: usize,
    /// How much of the file is memory-mapped, in MiB (embedded database). Every commit makes each connection map it again
    /// (docs/figures.md), so none by default.
    pub mmap_mib: usize,
    /// Connections for transactions (a server).
    pub writers: usize,
    /// Connections shared by point queries (a server).
    pub points: usize,
    pub connect_timeout: Duration,
    pub point_timeout: Duration,
    pub search_timeout: Duration,
    pub unit_timeout: Duration,
    /// How long to wait for another process that is migrating (server).
    pub migration_lock_timeout: Duration,
    /// An additional certificate authority besides those of the machine (server).
    pub ca_file: Option<PathBuf>,
    /// Called for every statement.
    pub watch: Option<StatementWatch>,
}

/// Lanes for concurrent reads that suit this machine: one for each core. At least a few, for reads wait for the disk, too;
/// and no more than several servers of one database can have as connections.
pub fn count_lanes_for_machine() -> usize {
    const FEWEST: usize = 4;
    const MOST: usize = 16;
    std::thread::available_parallelism().map_or(FEWEST, |cores| cores.get().clamp(FEWEST, MOST))
}

impl Default for DatabaseOptions {
    fn default() -> DatabaseOptions {
        DatabaseOptions {
            readers: count_lanes_for_machine(),
            cache_mib: 8,
            mmap_mib: 0,
            writers: 4,
            points: count_lanes_for_machine(),
            connect_timeout: Duration::from_secs(5),
            point_timeout: Duration::from_secs(5),
            search_timeout: Duration::from_secs(30),
            unit_timeout: Duration::from_secs(5),
            migration_lock_timeout: Duration::from_mins(1),
            ca_file: None,
            watch: None,
        }
    }
}
