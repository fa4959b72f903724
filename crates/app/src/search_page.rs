//! A page of a list, as every search returns it.

use crate::register_snapshot::TenantRegisters;
use std::sync::Arc;

/// A page of results with the total.
pub struct SearchPage<T> {
    pub rows: Vec<T>,
    /// Starts at 1.
    pub number: i32,
    pub total: i64,
    pub registers: Arc<TenantRegisters>,
}
