//! The records that a run must read next.

use app::{App, Error};
use domain::{BenefitCode, BenefitKind, DealCode, PersonCode, TenantId, TitleCode};
use finance::{OpenMirroredTitle, StoredTitle};
use storage::exchange::mirrors;
use storage::exchange::mirrors::StoredMirror;

/// The next benefits whose details must be read, with their kinds.
#[boxed::future]
pub async fn list_benefits_after(
    app: &App,
    mirror: &StoredMirror,
    after: i32,
    limit: i64,
) -> Result<Vec<(BenefitCode, BenefitKind)>, Error> {
    Ok(mirrors::list_changed_benefits_after(&app.db, mirror.tenant, after, mirror.since, limit).await?)
}

/// The next members whose cards must be read.
#[boxed::future]
pub async fn list_members_after(
    app: &App,
    mirror: &StoredMirror,
    after: i32,
    limit: i64,
) -> Result<Vec<PersonCode>, Error> {
    Ok(mirrors::list_changed_members_after(&app.db, mirror.tenant, after, mirror.since, limit).await?)
}

/// Records of a kind that the last run could not read.
#[boxed::future]
pub async fn list_unread_records(app: &App, tenant: TenantId, kind: &'static str) -> Result<Vec<i32>, Error> {
    Ok(mirrors::list_unread_records(&app.db, tenant, kind).await?)
}

#[boxed::future]
pub async fn list_open_deals(app: &App, tenant: TenantId) -> Result<Vec<DealCode>, Error> {
    Ok(mirrors::list_open_deals(&app.db, tenant).await?)
}

/// Records of a kind of which something could not be taken over.
#[boxed::future]
pub async fn list_noted_records(app: &App, tenant: TenantId, kind: &'static str) -> Result<Vec<i32>, Error> {
    Ok(mirrors::list_noted_records(&app.db, tenant, kind).await?)
}

/// Which of these titles of the source are here, and how.
#[boxed::future]
pub async fn list_known_titles(
    app: &App,
    tenant: TenantId,
    codes: &[TitleCode],
) -> Result<Vec<(TitleCode, StoredTitle)>, Error> {
    finance::list_mirrored_titles(app, tenant, codes).await
}

/// How many titles [`list_open_titles_after`] returns.
const OPEN_TITLES_AT_ONCE: i64 = 1_000;

/// The next mirrored titles that are open here.
#[boxed::future]
pub async fn list_open_titles_after(
    app: &App,
    tenant: TenantId,
    after: TitleCode,
) -> Result<Vec<OpenMirroredTitle>, Error> {
    finance::list_open_mirrored_titles_after(app, tenant, after, OPEN_TITLES_AT_ONCE).await
}
