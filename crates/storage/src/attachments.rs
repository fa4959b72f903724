//! Metadata of attached files. The bytes are stored elsewhere, under `storage_key`.

use crate::{Error, QueryWeight, ReadSource, Row, Statement, Tx, sql};
use domain::{FileCode, FileKind, FileOwner, Moment, TenantId, UserCode};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttachedFile {
    pub code: FileCode,
    pub owner: FileOwner,
    /// The code of the record.
    pub record: i32,
    pub name: String,
    pub kind: FileKind,
    pub size: i64,
    /// Hash of the bytes as stored.
    pub sha256: Vec<u8>,
    /// Width and height of an image as displayed.
    pub measures: Option<(i32, i32)>,
    pub has_preview: bool,
    pub storage_key: String,
    pub created_at: Moment,
    pub created_by: Option<UserCode>,
    /// Name of the user who attached it; read-only.
    pub author: Option<String>,
    pub removed: Option<(Moment, Option<UserCode>)>,
}

const SELECT: &str =
    "SELECT f.code, f.owner, f.record, f.name, f.kind, f.size, f.sha256, f.width, f.height, f.has_preview,
     f.storage_key, f.created_at, f.created_by, f.removed_at, f.removed_by, u.name AS author
     FROM files f LEFT JOIN users u ON u.tenant = f.tenant AND u.code = f.created_by WHERE f.tenant = $1";

fn parse_file_row(row: &Row) -> Result<AttachedFile, Error> {
    let (width, height): (Option<i32>, Option<i32>) = (row.get("width")?, row.get("height")?);
    let removed_at: Option<Moment> = row.get("removed_at")?;
    let removed_by = row.get("removed_by")?;
    Ok(AttachedFile {
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

/// The files of a record that are not removed, in the order they were attached.
#[boxed::future]
pub async fn list_files(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    (owner, record): (FileOwner, i32),
) -> Result<Vec<AttachedFile>, Error> {
    let statement = sql(SELECT)
        .arg(tenant)
        .append("AND f.owner = ?", [owner])
        .append("AND f.record = ?", [record])
        .append_text("AND f.removed_at IS NULL ORDER BY f.code");
    source.fetch_all(QueryWeight::Point, statement).await?.iter().map(parse_file_row).collect()
}

/// The file of this code, removed or not.
#[boxed::future]
pub async fn find_file(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    code: FileCode,
) -> Result<Option<AttachedFile>, Error> {
    let statement = sql(SELECT).arg(tenant).append("AND f.code = ?", [code]);
    source.fetch_optional(statement).await?.map(|row| parse_file_row(&row)).transpose()
}

pub fn insert_file(tenant: TenantId, file: &AttachedFile) -> Statement {
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

/// Marks a file as removed, or restores it; its bytes stay.
pub fn update_file_removal(
    tenant: TenantId,
    code: FileCode,
    removed: Option<(Moment, UserCode)>,
) -> Statement {
    sql("UPDATE files SET removed_at = $3, removed_by = $4 WHERE tenant = $1 AND code = $2")
        .arg(tenant)
        .arg(code)
        .arg(removed.map(|(at, _)| at))
        .arg(removed.map(|(_, user)| user))
}

/// Some files removed before a moment, oldest removal first: code, key and size.
#[boxed::future]
pub async fn list_files_removed_before(
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
    let rows = tx.fetch_all(statement).await?;
    rows.iter().map(|row| Ok((row.get("code")?, row.get("storage_key")?, row.get("size")?))).collect()
}

/// Where the bytes of a file are stored, and their expected size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlobLocation {
    pub code: FileCode,
    pub storage_key: String,
    pub size: i64,
}

fn parse_blob_location(row: &Row) -> Result<BlobLocation, Error> {
    Ok(BlobLocation { code: row.get("code")?, storage_key: row.get("storage_key")?, size: row.get("size")? })
}

/// The newest files of a tenant that are not removed.
#[boxed::future]
pub async fn list_newest_blobs(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    limit: i64,
) -> Result<Vec<BlobLocation>, Error> {
    let statement = sql("SELECT code, storage_key, size FROM files WHERE tenant = $1 AND removed_at IS NULL
         ORDER BY code DESC LIMIT $2")
    .arg(tenant)
    .arg(limit);
    source.fetch_all(QueryWeight::Search, statement).await?.iter().map(parse_blob_location).collect()
}

/// The first file from this code on that is not removed.
#[boxed::future]
pub async fn find_blob_from_code(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    code: FileCode,
) -> Result<Option<BlobLocation>, Error> {
    let statement = sql("SELECT code, storage_key, size FROM files WHERE tenant = $1 AND code >= $2
         AND removed_at IS NULL ORDER BY code LIMIT 1")
    .arg(tenant)
    .arg(code);
    source.fetch_optional(statement).await?.map(|row| parse_blob_location(&row)).transpose()
}

/// Deletes the metadata of a file; its bytes are deleted separately.
pub fn delete_file(tenant: TenantId, code: FileCode) -> Statement {
    sql("DELETE FROM files WHERE tenant = $1 AND code = $2").arg(tenant).arg(code)
}

/// Some files of a tenant, with their storage keys.
#[boxed::future]
pub async fn list_file_keys(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    limit: i64,
) -> Result<Vec<(FileCode, String)>, Error> {
    let statement = sql("SELECT code, storage_key FROM files WHERE tenant = $1 ORDER BY code LIMIT $2");
    let rows = source.fetch_all(QueryWeight::Search, statement.arg(tenant).arg(limit)).await?;
    rows.iter().map(|row| Ok((row.get("code")?, row.get("storage_key")?))).collect()
}

/// The stored content of a file, with its hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredContent {
    pub code: FileCode,
    pub storage_key: String,
    pub size: i64,
    pub sha256: Vec<u8>,
    pub has_preview: bool,
}

/// The contents of a tenant's files after a code, removed ones included.
#[boxed::future]
pub async fn list_contents_after(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    after: FileCode,
    limit: i64,
) -> Result<Vec<StoredContent>, Error> {
    let statement = sql("SELECT code, storage_key, size, sha256, has_preview FROM files
         WHERE tenant = $1 AND code > $2 ORDER BY code LIMIT $3")
    .arg(tenant)
    .arg(after)
    .arg(limit);
    let parse = |row: &Row| {
        Ok(StoredContent {
            code: row.get("code")?,
            storage_key: row.get("storage_key")?,
            size: row.get("size")?,
            sha256: row.get("sha256")?,
            has_preview: row.get("has_preview")?,
        })
    };
    source.fetch_all(QueryWeight::Search, statement).await?.iter().map(parse).collect()
}

/// Marks a key as an orphan: no row references its bytes.
pub fn insert_orphan_mark(tenant: TenantId, key: &str, since: Moment) -> Statement {
    sql("INSERT INTO loose_files (tenant, storage_key, since) VALUES ($1, $2, $3)")
        .arg(tenant)
        .arg(key)
        .arg(since)
}

/// Removes the orphan mark: a row references the key, or the bytes are gone. It may already be removed.
pub fn delete_orphan_mark(tenant: TenantId, key: &str) -> Statement {
    sql("DELETE FROM loose_files WHERE tenant = $1 AND storage_key = $2").arg(tenant).arg(key)
}

/// Postpones an orphan that could not be deleted.
pub fn update_orphan_mark(tenant: TenantId, key: &str, since: Moment) -> Statement {
    sql("UPDATE loose_files SET since = $3 WHERE tenant = $1 AND storage_key = $2")
        .arg(tenant)
        .arg(key)
        .arg(since)
}

/// Some keys that have been orphans since before a moment, oldest first.
#[boxed::future]
pub async fn list_orphan_keys_before(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    before: Moment,
    limit: i64,
) -> Result<Vec<String>, Error> {
    let statement = sql("SELECT storage_key FROM loose_files WHERE tenant = $1 AND since < $2
         ORDER BY since, storage_key LIMIT $3")
    .arg(tenant)
    .arg(before)
    .arg(limit);
    source.fetch_all(QueryWeight::Search, statement).await?.iter().map(|row| row.get("storage_key")).collect()
}

/// Adds to the file count and size of a tenant; negative values subtract.
pub fn add_to_file_totals(tenant: TenantId, files: i64, bytes: i64) -> Statement {
    sql("INSERT INTO file_totals (tenant, files, bytes) VALUES ($1, $2, $3)
         ON CONFLICT (tenant) DO UPDATE SET files = file_totals.files + excluded.files,
             bytes = file_totals.bytes + excluded.bytes")
    .arg(tenant)
    .arg(files)
    .arg(bytes)
}

/// The file count and size in bytes of a tenant.
#[boxed::future]
pub async fn load_file_totals(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
) -> Result<(i64, i64), Error> {
    let statement = sql("SELECT files, bytes FROM file_totals WHERE tenant = $1").arg(tenant);
    let row = source.fetch_optional(statement).await?;
    row.map_or(Ok((0, 0)), |row| Ok((row.get("files")?, row.get("bytes")?)))
}
