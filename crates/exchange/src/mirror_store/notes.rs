//! Notes on what could not be taken over.

use app::{App, Error};
use domain::TenantId;
use storage::exchange::mirrors;
use storage::exchange::mirrors::MirrorNoteGroup;

/// All notes of a mirror, grouped.
#[boxed::future]
pub async fn summarize_notes(app: &App, tenant: TenantId) -> Result<Vec<MirrorNoteGroup>, Error> {
    Ok(mirrors::list_mirror_note_groups(&app.db, tenant).await?)
}

/// Notes after a given one, ordered by kind, record and field.
#[boxed::future]
pub async fn list_notes_after(
    app: &App,
    tenant: TenantId,
    after: (&str, i32, &str),
) -> Result<Vec<(String, i32, String, String)>, Error> {
    Ok(mirrors::list_mirror_notes_after(&app.db, tenant, after, 1_000).await?)
}
