//! The feed of situation changes: what triggers push, to be pulled. Its cursor is the code of an entry, which has no gaps
//! and is in the order of commits, so nothing is ever inserted before what was shown.

use crate::access::Session;
use crate::base::{Registers, registers};
use crate::{App, Error};
use domain::{BranchCode, Entity, HistoryCode};
use std::sync::Arc;
use storage::history;
pub use storage::history::Entry;

/// Entries in a page.
pub const PAGE: usize = 100;

pub struct Page {
    pub entries: Vec<Entry>,
    pub has_more: bool,
    pub registers: Arc<Registers>,
}

/// The changes behind a cursor in the caller's branches, of one entity or of all.
pub async fn page(
    app: &App,
    caller: &Session,
    entity: Option<Entity>,
    after: HistoryCode,
) -> Result<Page, Error> {
    let tenant = caller.scope.tenant();
    let registers = registers(app, tenant).await?;
    // Also of branches that are closed: what happened there happened.
    let branches = registers.branches.iter().map(|branch| branch.code);
    let branches: Vec<BranchCode> = branches.filter(|branch| caller.scope.sees(*branch)).collect();
    let entities = entity.map_or(Entity::ALL.to_vec(), |one| vec![one]);
    let asked = (tenant, branches, entities, after);
    let mut entries = app
        .db
        .read(asked, |tx, (tenant, branches, entities, after)| {
            Box::pin(history::feed(tx, *tenant, (branches, entities), *after, PAGE as i64 + 1))
        })
        .await?;
    let has_more = entries.len() > PAGE;
    entries.truncate(PAGE);
    Ok(Page { entries, has_more, registers })
}
