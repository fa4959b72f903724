//! Pools of connections.

use super::super::{ConnectionUse, DatabaseOptions};
use super::connector::ServerConnector;
use super::session::ServerSession;
use crate::{Error, OpenError};
use deadpool::managed::{Manager, Metrics, Object, Pool, RecycleError, RecycleResult, Timeouts};
use std::sync::Arc;

/// Creates and checks the connections of a pool.
pub(super) struct SessionFactory(Arc<ServerConnector>);

impl Manager for SessionFactory {
    type Type = Arc<ServerSession>;
    type Error = Error;

    async fn create(&self) -> Result<Arc<ServerSession>, Error> {
        self.0.connect().await.map(Arc::new)
    }

    async fn recycle(&self, session: &mut Arc<ServerSession>, _: &Metrics) -> RecycleResult<Error> {
        if session.is_usable() { Ok(()) } else { Err(RecycleError::message("ended")) }
    }
}

pub(super) fn build_pool(
    connector: Arc<ServerConnector>,
    size: usize,
    options: &DatabaseOptions,
) -> Result<Pool<SessionFactory>, OpenError> {
    // A caller waits for a connection as long as for its statement.
    let wait = Some(options.search_timeout);
    let connect = Some(connector.connect_timeout());
    Pool::builder(SessionFactory(connector))
        .max_size(size.max(1))
        .timeouts(Timeouts { wait, create: connect, recycle: connect })
        .runtime(deadpool::Runtime::Tokio1)
        .build()
        .map_err(|error| OpenError::Unreachable { place: "pool".to_owned(), cause: error.to_string() })
}

pub(super) async fn take_session(pool: &Pool<SessionFactory>) -> Result<Object<SessionFactory>, Error> {
    pool.get().await.map_err(|error| match error {
        deadpool::managed::PoolError::Backend(error) => error,
        other => Error::Unavailable(other.to_string()),
    })
}

/// How many callers wait for a connection of the pool, and how many connections are in use.
pub(super) fn measure_pool(pool: &Pool<SessionFactory>) -> (usize, ConnectionUse) {
    let status = pool.status();
    let used = status.size.saturating_sub(status.available);
    (status.waiting, ConnectionUse { used, limit: status.max_size })
}
