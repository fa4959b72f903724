//! Removing half of an association that was never brought whole. It is done in short units, each of which may be the last:
//! the same command goes on where it was cut off.

use super::WholeError;
use super::bring::Progress;
use crate::App;
use domain::TenantId;
use storage::settings::{self, Setting};
use storage::whole::{Table, discard_left_behind, discard_some, tables};
use storage::{Lane, Tx, files, versions};

/// What stands in the place of the archive from now on: no archive goes on with it.
const NO_ARCHIVE: &str = "-";
/// Files whose bytes are removed together.
const SOME: i64 = 50;

/// What was removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Discarded {
    pub tenant: TenantId,
    pub rows: u64,
}

/// Removes the association of which half was brought, with the files that were put for it; refuses where there is none.
/// `tell` is told how many rows are gone.
pub async fn discard(app: &App, tell: impl Fn(u64) + Send + Sync) -> Result<Discarded, WholeError> {
    let lane = Lane::of(TenantId::SERVER);
    let tenant = app.db.write(lane, (), |tx, ()| Box::pin(begin(tx))).await?;
    let mut rows = 0;
    for table in tables().iter().rev() {
        if table.name == "files" {
            rows += forget_files(app, tenant).await?;
            tell(rows);
        }
        loop {
            let gone = discard_page(app, tenant, table).await?;
            rows += gone;
            tell(rows);
            if gone == 0 {
                break;
            }
        }
    }
    app.db.write(lane, tenant, |tx, tenant| Box::pin(end(tx, *tenant))).await?;
    Ok(Discarded { tenant, rows })
}

/// Whoever still brings it finds that somebody else went on, and stops.
async fn begin(tx: &mut Tx) -> Result<TenantId, WholeError> {
    let half = Progress::read(tx).await?.ok_or(WholeError::NothingHalfBrought)?;
    let tenant = half.tenant;
    let discarding =
        Progress { archive: NO_ARCHIVE.to_owned(), step: NO_ARCHIVE.to_owned(), done: 0, ..half };
    settings::set(tx, Setting::Bringing, &discarding.to_text()).await?;
    discard_left_behind(tx, tenant).await?;
    Ok(tenant)
}

async fn discard_page(app: &App, tenant: TenantId, table: &'static Table) -> Result<u64, WholeError> {
    let lane = Lane::background(tenant);
    app.db
        .write(lane, (tenant, table), |tx, (tenant, table)| {
            Box::pin(async move { Ok::<_, WholeError>(discard_some(tx, *tenant, table).await?) })
        })
        .await
}

/// The bytes go before the rows that lead to them.
async fn forget_files(app: &App, tenant: TenantId) -> Result<u64, WholeError> {
    let mut gone = 0;
    loop {
        let some = files::keys_of(&app.db, tenant, SOME).await?;
        for (_, key) in &some {
            app.files.forget(tenant, key).await?;
        }
        if some.is_empty() {
            return Ok(gone);
        }
        gone += some.len() as u64;
        app.db
            .write(Lane::background(tenant), (tenant, some), |tx, (tenant, some)| {
                let statements = some.iter().map(|(code, _)| files::delete(*tenant, *code)).collect();
                Box::pin(async move { Ok::<_, WholeError>(tx.batch(statements).await?) })
            })
            .await?;
    }
}

async fn end(tx: &mut Tx, tenant: TenantId) -> Result<(), WholeError> {
    // Another may have begun to bring one meanwhile; that one is not ours.
    if Progress::read(tx).await?.is_some_and(|half| half.tenant == tenant && half.archive == NO_ARCHIVE) {
        settings::forget(tx, Setting::Bringing).await?;
    }
    versions::raise_registers(tx, TenantId::SERVER).await?;
    Ok(())
}
