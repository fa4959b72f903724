//! Storage of a mirror: a tenant that is a copy of another server's, read through its API. Records arrive as `domain`
//! values with the codes of the source. They are written in transactions that also store the read position, so that an
//! interrupted run can continue. History is written, but no triggers are sent.
//!
//! Reading (requests, pacing, odd data) is in the crate `mirror`.

mod claims;
mod details;
mod members;
mod registers;
mod runs;
mod sales;
mod users;

pub use claims::{MirroredClaim, MirroredPerson, list_known_claims, write_claims};
pub use details::{
    ChildRecords, MirroredBenefitDetails, MirroredCreditCards, write_benefit_details, write_credit_cards,
};
pub use members::{MirroredMember, list_staged_benefits, stage_benefits, write_members};
pub use registers::{MirroredRegisterRecord, RegisterCodeList, write_notes, write_registers};
pub use runs::{
    HELD_FOR, MirrorLease, MirrorSource, MirrorStartOutcome, complete_mirror_run, extend_mirror_lease,
    find_or_create_mirror, lease_mirror, release_mirror_lease, start_mirror_run,
};
pub use sales::{MirroredDeal, MirroredLead, retire_leads, write_deals, write_leads};
pub use storage::exchange::mirrors::{MirrorNoteGroup, NewMirrorNote, StoredMirror, UNREAD_FIELD};
pub use storage::members::phones::HOME;
pub use storage::sales::deals::DealStageMove;
pub use users::{MirroredUserCodes, write_users};

use app::register_snapshot::{SNAPSHOT_ATTEMPTS, TenantRegisters, confirm_registers, reload_registers};
use app::{ActorContext, App, Error};
use domain::{
    AuditedAction, AuditedChange, AuditedOperation, BenefitCode, BenefitKind, CardNumber, ChangeOrigin,
    DealCode, Moment, PersonCode, TenantId,
};
use futures_util::future::BoxFuture;
use std::sync::Arc;
use storage::exchange::mirrors;
use storage::history::audit;
use storage::server::counters::{self, Counter};
use storage::{Tx, WriteLane};

/// The origin of mirrored changes in the history, and the operation name in the audit.
pub const ORIGIN: &str = wire::set_names::change_origin(ChangeOrigin::Mirror);

/// The input of one transaction, with the read position after it.
pub struct MirrorWriteBatch<T> {
    pub mirror: StoredMirror,
    pub lease: MirrorLease,
    pub registers: Arc<TenantRegisters>,
    pub records: T,
    /// What could not be taken over.
    pub notes: Vec<NewMirrorNote>,
    pub now: Moment,
}

impl<T> MirrorWriteBatch<T> {
    fn tenant(&self) -> TenantId {
        self.mirror.tenant
    }

    fn change_context(&self) -> ActorContext<'_> {
        ActorContext {
            tenant: self.mirror.tenant,
            registers: &self.registers,
            user: None,
            operation: AuditedOperation::MirrorSource,
            origin: ORIGIN,
            quiet: true,
            now: self.now,
        }
    }
}

/// Writes a batch in the tenant's background lane, checks that the registers it was read with are current, and stores
/// the read position. Returns the number of records that changed.
async fn write_batch<T, F>(app: &App, part: MirrorWriteBatch<T>, unit: F) -> Result<u64, Error>
where
    F: for<'t> Fn(
            &'t mut Tx,
            &'t MirrorWriteBatch<T>,
            &'t mut Vec<NewMirrorNote>,
        ) -> BoxFuture<'t, Result<u64, Error>>
        + Copy
        + Send
        + Sync
        + 'static,
    T: Send + Sync + 'static,
{
    let lane = WriteLane::background(part.tenant());
    app.db
        .write(lane, part, move |tx, part| {
            Box::pin(async move {
                runs::require_mirror_lease(tx, &part.lease).await?;
                confirm_registers(tx, part.tenant(), &part.registers).await?;
                let mut notes = part.notes.clone();
                let written = unit(tx, part, &mut notes).await?;
                tx.execute_batch(mirrors::upsert_mirror_notes(part.tenant(), &notes, part.now)).await?;
                if written > 0 {
                    let change = AuditedChange::from(AuditedAction::MirrorRecords).with_argument(written);
                    append_audit_entry(tx, part.tenant(), change, part.now).await?;
                }
                let count = i64::try_from(written).unwrap_or(i64::MAX);
                let mirror = StoredMirror { written: part.mirror.written + count, ..part.mirror.clone() };
                tx.execute_batch(vec![mirrors::upsert_mirror(&mirror)]).await?;
                Ok(written)
            })
        })
        .await
}

/// One audit entry per transaction; the histories show which records changed.
async fn append_audit_entry(
    tx: &mut Tx,
    tenant: TenantId,
    change: AuditedChange,
    at: Moment,
) -> Result<(), Error> {
    let entry = audit::AuditEntry {
        tenant,
        at,
        user: None,
        operation: AuditedOperation::MirrorSource,
        person: None,
        change,
    };
    Ok(audit::append_audit_entry(tx, &entry).await?)
}

#[boxed::future]
pub async fn load_current_registers(app: &App, tenant: TenantId) -> Result<Arc<TenantRegisters>, Error> {
    reload_registers(app, tenant).await
}

/// How often a batch is rebuilt because a register changed meanwhile.
pub const TRIES: usize = SNAPSHOT_ATTEMPTS;

/// Advances a counter beyond the greatest of these codes. Takes a `Vec`, because a lazy iterator must not be held
/// across an await.
async fn advance_counter(
    tx: &mut Tx,
    tenant: TenantId,
    counter: Counter,
    codes: Vec<i32>,
) -> Result<(), Error> {
    match codes.into_iter().filter(|code| *code < counters::FIRST_UNCOUNTED_CODE).max() {
        Some(code) if code > 0 => Ok(counters::advance_counter(tx, tenant, counter, code).await?),
        _ => Ok(()),
    }
}

/// The sequence numbers of cards that match this tenant's own numbering, so that they are not generated again.
fn extract_own_card_numbers<'c>(tenant: TenantId, cards: impl Iterator<Item = &'c CardNumber>) -> Vec<i32> {
    let own_number = |card: &CardNumber| {
        let number: i32 = card.as_str().get(2..12)?.parse().ok()?;
        (CardNumber::generate(tenant, number) == *card).then_some(number)
    };
    cards.filter_map(own_number).collect()
}

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

/// The mirror state of a tenant; `None` if it is not a mirror.
#[boxed::future]
pub async fn find_mirror(app: &App, tenant: TenantId) -> Result<Option<StoredMirror>, Error> {
    Ok(mirrors::find_mirror(&app.db, tenant).await?)
}
