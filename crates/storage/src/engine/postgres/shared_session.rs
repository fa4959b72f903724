//! A connection that several callers share.

use super::connector::ServerConnector;
use super::session::ServerSession;
use crate::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Mutex;

/// A connection shared by several callers.
pub(super) struct SharedSessionSlot {
    pub(super) connector: Arc<ServerConnector>,
    pub(super) state: Mutex<SlotState>,
}

pub(super) enum SlotState {
    Empty,
    Open(Arc<ServerSession>),
    /// A connect failure is shared for a moment, so that waiting callers do not each wait for their own.
    Failed(Instant, Error),
}

const FAILURE_SHARED_FOR: Duration = Duration::from_secs(1);

impl SharedSessionSlot {
    pub(super) async fn get_or_connect(&self) -> Result<Arc<ServerSession>, Error> {
        let mut state = self.state.lock().await;
        match &*state {
            SlotState::Open(session) if session.is_usable() => return Ok(Arc::clone(session)),
            SlotState::Failed(at, error) if at.elapsed() < FAILURE_SHARED_FOR => return Err(error.clone()),
            _ => {}
        }
        match self.connector.connect().await {
            Ok(session) => {
                let session = Arc::new(session);
                *state = SlotState::Open(Arc::clone(&session));
                Ok(session)
            }
            Err(error) => {
                *state = SlotState::Failed(Instant::now(), error.clone());
                Err(error)
            }
        }
    }
}
