//! The feed of situation changes: what triggers push, to be pulled. Its cursor is the code of an entry, which has no gaps
//! and is in the order of commits, so nothing is ever inserted before what was shown.

use crate::access::Session;
use crate::audit::saw;
use crate::base::{Registers, read_by_registers};
use crate::{App, Error};
use domain::{BranchCode, Entity, HistoryCode, PersonCode, TenantId};
use std::sync::Arc;
use storage::Tx;
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
    let asked = |registers: &Registers| {
        // Also of branches that are closed: what happened there happened.
        let branches = registers.branches.iter().map(|branch| branch.code);
        let branches: Vec<BranchCode> = branches.filter(|branch| caller.scope.sees(*branch)).collect();
        (tenant, branches, entity.map_or(Entity::ALL.to_vec(), |one| vec![one]), after)
    };
    let (mut entries, registers) =
        read_by_registers(app, tenant, asked, |tx, asked| Box::pin(read(tx, asked))).await?;
    let has_more = entries.len() > PAGE;
    entries.truncate(PAGE);
    saw(app, caller, "GET /gestao/historico", entries.iter().filter_map(|entry| person(&entry.body)))?;
    Ok(Page { entries, has_more, registers })
}

type Asked = (TenantId, Vec<BranchCode>, Vec<Entity>, HistoryCode);

async fn read(tx: &mut Tx, (tenant, branches, entities, after): &Asked) -> Result<Vec<Entry>, Error> {
    Ok(history::feed(tx, *tenant, (branches, entities), *after, PAGE as i64 + 1).await?)
}

/// Whom a trigger tells of.
pub(crate) fn person(body: &str) -> Option<PersonCode> {
    let body: serde_json::Value = serde_json::from_str(body).ok()?;
    let code = body["objeto"]["codPessoa"].as_i64()?;
    i32::try_from(code).ok().map(PersonCode::new)
}
