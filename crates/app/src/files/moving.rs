//! All files of an association, for whoever takes them elsewhere, and back again under their codes.

use super::place::new_key;
use super::{Owner, Part, described, prepared, put, sweep};
use crate::{App, Error};
use bytes::Bytes;
use domain::{Field, FileCode, Rejection, TenantId};
use storage::counters::{self, Counter};
use storage::files::{self, File};
use storage::{Lane, Tx};

/// Files in one page.
const PAGE: i64 = 200;

/// The files behind a code, by code: begin with 0, and go on behind the last until none comes. What was removed is left out.
pub async fn walk(app: &App, tenant: TenantId, behind: FileCode) -> Result<Vec<File>, Error> {
    Ok(files::behind(&app.db, tenant, behind, PAGE).await?)
}

/// The bytes of a file, whole: no more than the limit of a file.
pub async fn bytes(app: &App, file: &File) -> Result<Bytes, Error> {
    app.files.whole(&file.storage_key, Part::Data).await
}

/// Puts a file back under the code, the name, the author and the moment that it bears. Its bytes are looked at like any
/// others; the limits of a record do not count, for it was there before.
pub async fn put_back(app: &App, tenant: TenantId, file: &File, given: Bytes) -> Result<(), Error> {
    let _held = app.files.hold().await?;
    let ready = prepared(app, given).await?;
    let key = new_key(tenant, &*app.chance);
    let owner = Owner { of: file.owner, record: file.record };
    let made = File {
        code: file.code,
        created_at: file.created_at,
        created_by: file.created_by,
        ..described(&ready, owner, (&file.name, key.clone()))
    };
    let input = (tenant, key.clone(), app.now());
    let begun = app.db.write(Lane::of(tenant), input, |tx, (tenant, key, now)| {
        Box::pin(
            async move { Ok::<_, Error>(tx.execute(files::loosen(*tenant, key, *now)).await.map(drop)?) },
        )
    });
    begun.await?;
    put(app, &key, ready).await?;
    let written = app
        .db
        .write(Lane::of(tenant), (tenant, made), |tx, (tenant, file)| Box::pin(write(tx, *tenant, file)));
    let written = written.await;
    if written.is_err() {
        sweep::forget(app, tenant, &key).await;
    }
    written
}

async fn write(tx: &mut Tx, tenant: TenantId, file: &File) -> Result<(), Error> {
    if files::find(&mut *tx, tenant, file.code).await?.is_some() {
        return Err(Rejection::CodeTaken { field: Field::File, code: file.code.get() }.into());
    }
    counters::reach(tx, tenant, Counter::File, file.code.get()).await?;
    let statements = vec![
        files::fasten(tenant, &file.storage_key),
        files::insert(tenant, file),
        files::grow(tenant, 1, file.size),
    ];
    Ok(tx.batch(statements).await?)
}
