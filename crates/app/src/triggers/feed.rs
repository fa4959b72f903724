//! The feed of situation changes: the pull counterpart of triggers. Its cursor holds the code of an entry, which is
//! gapless and in commit order, so that no entry ever appears before one already read; and a digest, which detects
//! that the database was restored to an earlier state.

use crate::audit::access_log::record_access;
use crate::register_snapshot::{TenantRegisters, read_with_registers};
use crate::session::Session;
use crate::{App, Error};
use domain::{
    AuditedOperation, BranchCode, ChangeDigest, Entity, HistoryCursor, MoneyRight, PAGE_SIZE, PersonCode,
    Rejection, TenantId,
};
use sha2::{Digest, Sha256};
use std::sync::Arc;
use storage::Tx;
pub use storage::history::situation_changes::HistoryFeedEntry;
use storage::history::situation_changes::{self, HistoryEntryMark};
use storage::server::counters::{self, Counter};

pub const CHANGES_PER_PAGE: usize = PAGE_SIZE as usize;

pub struct ChangeFeedPage {
    pub entries: Vec<HistoryFeedEntry>,
    pub has_more: bool,
    /// The cursor of the next page.
    pub next: HistoryCursor,
    pub registers: Arc<TenantRegisters>,
}

/// The changes after a cursor in the caller's branches, of one entity or of all that the caller may see.
#[boxed::future]
pub async fn read_feed_page(
    app: &App,
    caller: &Session,
    entity: Option<Entity>,
    after: HistoryCursor,
) -> Result<ChangeFeedPage, Error> {
    let tenant = caller.scope.tenant();
    let money = caller.require_money_right(MoneyRight::SeeMoney);
    let entities = match entity {
        Some(Entity::Title) => money.map(|()| vec![Entity::Title])?,
        Some(one) => vec![one],
        None if money.is_ok() => Entity::ALL.to_vec(),
        None => Entity::SITUATED.to_vec(),
    };
    let build_query = |registers: &TenantRegisters| {
        // Includes inactive branches, whose changes remain part of the feed.
        let branches = registers.branches.iter().map(|branch| branch.code);
        let branches: Vec<BranchCode> = branches.filter(|branch| caller.scope.can_see(*branch)).collect();
        (tenant, branches, entities.clone(), after)
    };
    let ((mut entries, place), registers) =
        read_with_registers(app, tenant, build_query, |tx, query| Box::pin(read_feed_entries(tx, query)))
            .await?;
    let has_more = entries.len() > CHANGES_PER_PAGE;
    entries.truncate(CHANGES_PER_PAGE);
    let last = entries.last().map(|one| build_cursor(tenant, &build_entry_mark(one)));
    record_access(
        app,
        caller,
        AuditedOperation::ReadHistoryFeed,
        entries.iter().filter_map(|entry| extract_body_person(&entry.body)),
    )?;
    Ok(ChangeFeedPage { entries, has_more, next: last.unwrap_or(place), registers })
}

type ChangeFeedQuery = (TenantId, Vec<BranchCode>, Vec<Entity>, HistoryCursor);

async fn read_feed_entries(
    tx: &mut Tx,
    (tenant, branches, entities, after): &ChangeFeedQuery,
) -> Result<(Vec<HistoryFeedEntry>, HistoryCursor), Error> {
    let place = resolve_cursor(tx, *tenant, *after).await?;
    let entries = situation_changes::list_history_feed(
        tx,
        *tenant,
        (branches, entities),
        place.code,
        CHANGES_PER_PAGE as i64 + 1,
    )
    .await?;
    Ok((entries, place))
}

/// Resolves a cursor; rejects one from a history that no longer exists. A deleted entry cannot be verified: its code
/// is accepted if it was ever assigned.
async fn resolve_cursor(tx: &mut Tx, tenant: TenantId, after: HistoryCursor) -> Result<HistoryCursor, Error> {
    if after.code == HistoryCursor::START.code {
        return Ok(HistoryCursor::START);
    }
    let Some(mark) = situation_changes::find_history_mark(tx, tenant, after.code).await? else {
        let newest = counters::load_last_number(&mut *tx, tenant, Counter::History).await?;
        let was_given = i64::from(after.code.get()) <= newest;
        return if was_given { Ok(after) } else { Err(Rejection::CursorOfReplacedHistory.into()) };
    };
    let here = build_cursor(tenant, &mark);
    match after.digest.is_none_or(|digest| Some(digest) == here.digest) {
        true => Ok(here),
        false => Err(Rejection::CursorOfReplacedHistory.into()),
    }
}

fn build_cursor(tenant: TenantId, change: &HistoryEntryMark) -> HistoryCursor {
    HistoryCursor { code: change.code, digest: Some(digest_change(tenant, change)) }
}

fn build_entry_mark(entry: &HistoryFeedEntry) -> HistoryEntryMark {
    HistoryEntryMark { code: entry.code, entity: entry.entity, record: entry.record, at: entry.at }
}

/// Covers only the immutable parts of a change. The body is left out: it has personal data and may be rewritten for
/// erasure.
pub(crate) fn digest_change(tenant: TenantId, change: &HistoryEntryMark) -> ChangeDigest {
    let text = format!(
        "{tenant} {} {} {} {}",
        change.code,
        change.at.millis(),
        change.entity.number(),
        change.record
    );
    let [a, b, c, d, e, f, ..] = <[u8; 32]>::from(Sha256::digest(text));
    ChangeDigest::new([a, b, c, d, e, f])
}

/// The person in the body of a trigger.
pub(crate) fn extract_body_person(body: &str) -> Option<PersonCode> {
    let body: serde_json::Value = serde_json::from_str(body).ok()?;
    let code = body["objeto"]["codPessoa"].as_i64()?;
    i32::try_from(code).ok().map(PersonCode::new)
}
