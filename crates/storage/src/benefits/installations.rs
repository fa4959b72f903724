//! Devices installed on the vehicles of benefits, current and removed.

use crate::executor::statement::build_inserts;
use crate::{Error, QueryWeight, ReadSource, Row, SqlScalar, Statement, sql};
use domain::{BenefitCode, Moment, TenantId, TrackerInstallation};

/// The installations of a benefit with the supplier's name, ordered by code.
#[boxed::future]
pub async fn list_installations(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    benefit: BenefitCode,
) -> Result<Vec<(TrackerInstallation, Option<String>)>, Error> {
    let statement =
        sql("SELECT i.code, i.tracker, i.serial_number, i.imei, i.model, i.maker, i.supplier, i.place, i.installed_on,
             i.removed_on, i.active, s.name AS supplier_name
         FROM installations i LEFT JOIN suppliers s ON s.tenant = i.tenant AND s.code = i.supplier
         WHERE i.tenant = $1 AND i.benefit = $2 ORDER BY i.code")
        .arg(tenant)
        .arg(benefit);
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter().map(|row| Ok((parse_installation_row(row)?, row.get("supplier_name")?))).collect()
}

/// The installations of several benefits, ordered by benefit and code.
#[boxed::future]
pub async fn list_installations_of_benefits(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    benefits: impl IntoIterator<Item = BenefitCode>,
) -> Result<Vec<(BenefitCode, TrackerInstallation)>, Error> {
    let statement = sql(
        "SELECT benefit, code, tracker, serial_number, imei, model, maker, supplier, place, installed_on,
             removed_on, active FROM installations WHERE tenant = $1",
    )
    .arg(tenant)
    .filter_in("benefit", benefits)
    .append_text("ORDER BY benefit, code");
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter().map(|row| Ok((row.get("benefit")?, parse_installation_row(row)?))).collect()
}

fn parse_installation_row(row: &Row) -> Result<TrackerInstallation, Error> {
    Ok(TrackerInstallation {
        code: row.get("code")?,
        tracker: row.get("tracker")?,
        serial_number: row.get("serial_number")?,
        imei: row.get("imei")?,
        model: row.get("model")?,
        maker: row.get("maker")?,
        supplier: row.get("supplier")?,
        place: row.get("place")?,
        installed_on: row.get("installed_on")?,
        removed_on: row.get("removed_on")?,
        active: row.get("active")?,
    })
}

pub fn update_installation(
    tenant: TenantId,
    benefit: BenefitCode,
    one: &TrackerInstallation,
    now: Moment,
) -> Statement {
    sql("UPDATE installations SET tracker = $4, serial_number = $5, imei = $6, model = $7, maker = $8, supplier = $9,
             place = $10, installed_on = $11, removed_on = $12, active = $13, version = version + 1, updated_at = $14
         WHERE tenant = $1 AND benefit = $2 AND code = $3")
    .arg(tenant)
    .arg(benefit)
    .arg(one.code)
    .arg(one.tracker)
    .arg(one.serial_number.as_deref())
    .arg(one.imei.as_deref())
    .arg(one.model.as_deref())
    .arg(one.maker.as_deref())
    .arg(one.supplier)
    .arg(one.place.as_deref())
    .arg(one.installed_on)
    .arg(one.removed_on)
    .arg(one.active)
    .arg(now)
}

const ROWS_PER_STATEMENT: usize = 100;

/// Inserts installations with their benefit and creation time.
pub fn insert_installations<'i>(
    tenant: TenantId,
    installations: impl IntoIterator<Item = (BenefitCode, Moment, &'i TrackerInstallation)>,
) -> Vec<Statement> {
    let rows = installations.into_iter().map(|(benefit, at, one)| -> [SqlScalar; 16] {
        [
            tenant.into(),
            benefit.into(),
            one.code.into(),
            one.tracker.into(),
            one.serial_number.as_deref().into(),
            one.imei.as_deref().into(),
            one.model.as_deref().into(),
            one.maker.as_deref().into(),
            one.supplier.into(),
            one.place.as_deref().into(),
            one.installed_on.into(),
            one.removed_on.into(),
            one.active.into(),
            1.into(),
            at.into(),
            at.into(),
        ]
    });
    let head = "INSERT INTO installations (tenant, benefit, code, tracker, serial_number, imei, model, maker, supplier,
         place, installed_on, removed_on, active, version, created_at, updated_at) VALUES";
    build_inserts(head, ROWS_PER_STATEMENT, rows)
}
