//! How busy a database is, as seen by this process, for metrics.

/// Work of both kinds that waits for a thread or a connection, and the connections to a database server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DatabaseWorkload {
    pub waiting_writes: usize,
    pub waiting_searches: usize,
    /// None of these for a database file.
    pub writes: ConnectionUse,
    pub searches: ConnectionUse,
}

/// The connections of one pool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConnectionUse {
    pub used: usize,
    pub limit: usize,
}
