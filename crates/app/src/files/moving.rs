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

/// What is kept under a key, each part under the name by which [`put_part`] knows it; nothing of what is missing.
pub async fn parts(app: &App, key: &str, has_preview: bool) -> Result<Vec<(String, Bytes)>, Error> {
    let mut found = Vec::new();
    for part in Part::ALL.into_iter().filter(|part| *part == Part::Data || has_preview) {
        if let Some(bytes) = app.files.there(key, part).await? {
            found.push((format!("{key}/{}", part.name()), bytes));
        }
    }
    Ok(found)
}

/// Puts back what [`parts`] gave. A name that is not of this association is refused.
pub async fn put_part(app: &App, tenant: TenantId, name: &str, bytes: Bytes) -> Result<(), Error> {
    let unknown = || Error::Files("a part of a file bears a strange name".to_owned());
    let (key, part) = name.rsplit_once('/').ok_or_else(unknown)?;
    let part = Part::ALL.into_iter().find(|one| one.name() == part).ok_or_else(unknown)?;
    let is_key = |text: &str| text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f' | b'/'));
    if !key.starts_with(&format!("{tenant}/")) || !is_key(key) {
        return Err(unknown());
    }
    app.files.put(key, part, bytes).await
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
