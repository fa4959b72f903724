//! Files that people attach: what is known of them. Their bytes are elsewhere, under `storage_key`.

use crate::{Error, Row, Source, Statement, Tx, Weight, sql};
use domain::{FileCode, FileKind, FileOwner, Moment, TenantId, UserCode};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    pub code: FileCode,
    pub owner: FileOwner,
    /// Of which of them.
    pub record: i32,
    pub name: String,
    pub kind: FileKind,
    pub size: i64,
    /// Of the bytes as they are kept.
    pub sha256: Vec<u8>,
    /// Of pictures, as they are looked at.
    pub measures: Option<(i32, i32)>,
    pub has_preview: bool,
    pub storage_key: String,
    pub created_at: Moment,
    pub created_by: Option<UserCode>,
    /// Of whoever attached it; read, never written.
    pub author: Option<String>,
    pub removed: Option<(Moment, Option<UserCode>)>,
}

const SELECT: &str =
    "SELECT f.code, f.owner, f.record, f.name, f.kind, f.size, f.sha256, f.width, f.height, f.has_preview,
     f.storage_key, f.created_at, f.created_by, f.removed_at, f.removed_by, u.name AS author
     FROM files f LEFT JOIN users u ON u.tenant = f.tenant AND u.code = f.created_by WHERE f.tenant = $1";

fn file(row: &Row) -> Result<File, Error> {
    let (width, height): (Option<i32>, Option<i32>) = (row.get("width")?, row.get("height")?);
    let removed_at: Option<Moment> = row.get("removed_at")?;
    let removed_by = row.get("removed_by")?;
    Ok(File {
        code: row.get("code")?,
        owner: row.get("owner")?,
        record: row.get("record")?,
        name: row.get("name")?,
        kind: row.get("kind")?,
        size: row.get("size")?,
        sha256: row.get("sha256")?,
        measures: width.zip(height),
        has_preview: row.get("has_preview")?,
        storage_key: row.get("storage_key")?,
        created_at: row.get("created_at")?,
        created_by: row.get("created_by")?,
        author: row.get("author")?,
        removed: removed_at.map(|at| (at, removed_by)),
    })
}

/// The files of a record that were not removed, in the order in which they came.
#[boxed::future]
pub async fn of(
    from: impl Into<Source<'_>>,
    tenant: TenantId,
    (owner, record): (FileOwner, i32),
) -> Result<Vec<File>, Error> {
    let statement = sql(SELECT)
        .arg(tenant)
        .then("AND f.owner = ?", [owner])
        .then("AND f.record = ?", [record])
        .ending("AND f.removed_at IS NULL ORDER BY f.code");
    from.all(Weight::Point, statement).await?.iter().map(file).collect()
}

/// The file of this code, removed or not.
#[boxed::future]
pub async fn find(
    from: impl Into<Source<'_>>,
    tenant: TenantId,
    code: FileCode,
) -> Result<Option<File>, Error> {
    let statement = sql(SELECT).arg(tenant).then("AND f.code = ?", [code]);
    from.one(statement).await?.map(|row| file(&row)).transpose()
}

pub fn insert(tenant: TenantId, file: &File) -> Statement {
    sql("INSERT INTO files (tenant, code, owner, record, name, kind, size, sha256, width, height, has_preview, storage_key,
         created_at, created_by) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)")
    .arg(tenant)
    .arg(file.code)
    .arg(file.owner)
    .arg(file.record)
    .arg(file.name.as_str())
    .arg(file.kind)
    .arg(file.size)
    .arg(file.sha256.as_slice())
    .arg(file.measures.map(|(width, _)| width))
    .arg(file.measures.map(|(_, height)| height))
    .arg(file.has_preview)
    .arg(file.storage_key.as_str())
    .arg(file.created_at)
    .arg(file.created_by)
}

/// Removes a file, or takes that back; its bytes stay.
pub fn remove(tenant: TenantId, code: FileCode, removed: Option<(Moment, UserCode)>) -> Statement {
    sql("UPDATE files SET removed_at = $3, removed_by = $4 WHERE tenant = $1 AND code = $2")
        .arg(tenant)
        .arg(code)
        .arg(removed.map(|(at, _)| at))
        .arg(removed.map(|(_, by)| by))
}

/// Some of those that were removed before a moment, the longest gone first: code, key and size.
#[boxed::future]
pub async fn removed_before(
    tx: &mut Tx,
    tenant: TenantId,
    before: Moment,
    limit: i64,
) -> Result<Vec<(FileCode, String, i64)>, Error> {
    let statement =
        sql("SELECT code, storage_key, size FROM files WHERE tenant = $1 AND removed_at IS NOT NULL
         AND removed_at < $2 ORDER BY removed_at, code LIMIT $3")
        .arg(tenant)
        .arg(before)
        .arg(limit);
    let rows = tx.all(statement).await?;
    rows.iter().map(|row| Ok((row.get("code")?, row.get("storage_key")?, row.get("size")?))).collect()
}

/// Where the bytes of a file are, and how many there must be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredFile {
    pub code: FileCode,
    pub storage_key: String,
    pub size: i64,
}

fn stored_file(row: &Row) -> Result<StoredFile, Error> {
    Ok(StoredFile { code: row.get("code")?, storage_key: row.get("storage_key")?, size: row.get("size")? })
}

/// The newest files of a tenant that were not removed.
#[boxed::future]
pub async fn newest(
    from: impl Into<Source<'_>>,
    tenant: TenantId,
    limit: i64,
) -> Result<Vec<StoredFile>, Error> {
    let statement = sql("SELECT code, storage_key, size FROM files WHERE tenant = $1 AND removed_at IS NULL
         ORDER BY code DESC LIMIT $2")
    .arg(tenant)
    .arg(limit);
    from.all(Weight::Search, statement).await?.iter().map(stored_file).collect()
}

/// The first file from this code on that was not removed.
#[boxed::future]
pub async fn next_from(
    from: impl Into<Source<'_>>,
    tenant: TenantId,
    code: FileCode,
) -> Result<Option<StoredFile>, Error> {
    let statement = sql("SELECT code, storage_key, size FROM files WHERE tenant = $1 AND code >= $2
         AND removed_at IS NULL ORDER BY code LIMIT 1")
    .arg(tenant)
    .arg(code);
    from.one(statement).await?.map(|row| stored_file(&row)).transpose()
}

/// What is known of a file goes; its bytes are somebody else's.
pub fn delete(tenant: TenantId, code: FileCode) -> Statement {
    sql("DELETE FROM files WHERE tenant = $1 AND code = $2").arg(tenant).arg(code)
}

/// Some files of a tenant, with the keys under which their bytes are.
#[boxed::future]
pub async fn keys_of(
    from: impl Into<Source<'_>>,
    tenant: TenantId,
    limit: i64,
) -> Result<Vec<(FileCode, String)>, Error> {
    let statement = sql("SELECT code, storage_key FROM files WHERE tenant = $1 ORDER BY code LIMIT $2");
    let rows = from.all(Weight::Search, statement.arg(tenant).arg(limit)).await?;
    rows.iter().map(|row| Ok((row.get("code")?, row.get("storage_key")?))).collect()
}

/// No row vouches for what is under this key.
pub fn loosen(tenant: TenantId, key: &str, since: Moment) -> Statement {
    sql("INSERT INTO loose_files (tenant, storage_key, since) VALUES ($1, $2, $3)")
        .arg(tenant)
        .arg(key)
        .arg(since)
}

/// A row vouches for it, or it is gone. Nothing is changed where somebody else was faster.
pub fn fasten(tenant: TenantId, key: &str) -> Statement {
    sql("DELETE FROM loose_files WHERE tenant = $1 AND storage_key = $2").arg(tenant).arg(key)
}

/// What could not be removed is looked at again when it is old once more.
pub fn wait_again(tenant: TenantId, key: &str, since: Moment) -> Statement {
    sql("UPDATE loose_files SET since = $3 WHERE tenant = $1 AND storage_key = $2")
        .arg(tenant)
        .arg(key)
        .arg(since)
}

/// Some keys that no row vouches for since before a moment, the oldest first.
#[boxed::future]
pub async fn loose_before(
    from: impl Into<Source<'_>>,
    tenant: TenantId,
    before: Moment,
    limit: i64,
) -> Result<Vec<String>, Error> {
    let statement = sql("SELECT storage_key FROM loose_files WHERE tenant = $1 AND since < $2
         ORDER BY since, storage_key LIMIT $3")
    .arg(tenant)
    .arg(before)
    .arg(limit);
    from.all(Weight::Search, statement).await?.iter().map(|row| row.get("storage_key")).collect()
}

/// An association keeps so much more, or less.
pub fn grow(tenant: TenantId, files: i64, bytes: i64) -> Statement {
    sql("INSERT INTO file_totals (tenant, files, bytes) VALUES ($1, $2, $3)
         ON CONFLICT (tenant) DO UPDATE SET files = file_totals.files + excluded.files,
             bytes = file_totals.bytes + excluded.bytes")
    .arg(tenant)
    .arg(files)
    .arg(bytes)
}

/// How many files an association keeps, and how many bytes.
#[boxed::future]
pub async fn total(from: impl Into<Source<'_>>, tenant: TenantId) -> Result<(i64, i64), Error> {
    let statement = sql("SELECT files, bytes FROM file_totals WHERE tenant = $1").arg(tenant);
    let row = from.one(statement).await?;
    row.map_or(Ok((0, 0)), |row| Ok((row.get("files")?, row.get("bytes")?)))
}
