//! Locks a mutex even if another holder panicked.

use std::sync::{Mutex, MutexGuard, PoisonError};

pub(super) fn lock_mutex<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
