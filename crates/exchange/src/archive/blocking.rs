//! Runs file operations outside the async threads.

use super::error::ArchiveError;

/// Runs file operations outside the async threads.
pub(super) async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ArchiveError> + Send + 'static,
) -> Result<T, ArchiveError> {
    let interrupted = |error: tokio::task::JoinError| Err(ArchiveError::Interrupted(error.to_string()));
    tokio::task::spawn_blocking(work).await.unwrap_or_else(interrupted)
}
