//! Cancels a search whose caller went away.

use super::session::ServerSession;

/// A running search. If its caller goes away before it ends, it is cancelled on the server.
pub(super) struct SearchCancelGuard<'s> {
    pub(super) session: &'s ServerSession,
    pub(super) ended: bool,
}

impl Drop for SearchCancelGuard<'_> {
    fn drop(&mut self) {
        if !self.ended {
            self.session.cancel();
        }
    }
}
