//! Bulk inserts of trackers that the tenant owns or rents; single trackers are an ordinary register (`registers`).

use crate::executor::statement::build_inserts;
use crate::{SqlScalar, Statement};
use domain::{Moment, SupplierCode, TenantId, TrackerCode};

/// An active tracker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewTrackerRow<'t> {
    pub code: TrackerCode,
    pub serial_number: &'t str,
    pub imei: Option<&'t str>,
    pub model: Option<&'t str>,
    pub maker: Option<&'t str>,
    pub supplier: Option<SupplierCode>,
    pub created_at: Moment,
}

const ROWS_PER_STATEMENT: usize = 100;

pub fn insert_trackers<'t>(
    tenant: TenantId,
    trackers: impl IntoIterator<Item = NewTrackerRow<'t>>,
) -> Vec<Statement> {
    let rows = trackers.into_iter().map(|one| -> [SqlScalar; 11] {
        [
            tenant.into(),
            one.code.into(),
            one.serial_number.into(),
            one.imei.into(),
            one.model.into(),
            one.maker.into(),
            one.supplier.into(),
            true.into(),
            1.into(),
            one.created_at.into(),
            one.created_at.into(),
        ]
    });
    let head = "INSERT INTO trackers (tenant, code, serial_number, imei, model, maker, supplier, active, version, created_at,
         updated_at) VALUES";
    build_inserts(head, ROWS_PER_STATEMENT, rows)
}
