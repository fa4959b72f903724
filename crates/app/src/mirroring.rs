//! A mirror: a base that is another server's, read through the interface. What was read comes here as values of `domain`,
//! with the codes that it has over there, and is written in units that also keep how far the reading is, so that a run
//! that was cut off goes on. It writes history, and tells nobody: no delivery follows.
//!
//! The reading itself (requests, pace, odd data) is in the crate `mirror`.

mod begin;
mod claims;
mod details;
mod lists;
mod members;
mod sales;
mod users;

pub use begin::{Begun, HELD_FOR, Hold, Source, begin, choose, complete, give_back, hold, keep_hold};
pub use claims::{ClaimSeen, PersonSeen, claim_heads, write_claims};
pub use details::{CardsSeen, DetailsSeen, Several, write_cards, write_details};
pub use lists::{Listed, Wanted, note, write_lists};
pub use members::{MemberSeen, stage, staged, write_members};
pub use sales::{DealSeen, LeadSeen, retire_leads, write_deals, write_leads};
pub use storage::benefits::{Benefit, FieldValues, Vehicle};
pub use storage::cases::Head;
pub use storage::claims::Claim;
pub use storage::credit_cards::CreditCard;
pub use storage::deals::dependents::DealDependent;
pub use storage::deals::{Deal, Move};
pub use storage::dependents::Dependent;
pub use storage::installations::Installation;
pub use storage::items::Item;
pub use storage::leads::Lead;
pub use storage::mirrors::{Mirror, Note, Noted, UNREAD};
pub use storage::people::Profile;
pub use storage::phones::{HOME, Telephone};
pub use users::{Users, write_users};

use crate::base::{DECISIONS, Registers, confirm, fresh};
use crate::situations::Acting;
use crate::{App, Error};
use domain::{BenefitCode, BenefitKind, CardNumber, DealCode, Moment, PersonCode, TenantId};
use futures_util::future::BoxFuture;
use std::sync::Arc;
use storage::counters::{self, Counter};
use storage::{Lane, Tx, audit, mirrors};

/// Where the history says that a mirrored situation comes from, and what the audit calls the mirror.
pub const ORIGIN: &str = "espelho";

/// What is written in one unit, with how far the reading is then.
pub struct Part<T> {
    pub mirror: Mirror,
    pub hold: Hold,
    pub registers: Arc<Registers>,
    pub seen: T,
    /// What of it could not be taken over.
    pub notes: Vec<Note>,
    pub now: Moment,
}

impl<T> Part<T> {
    fn tenant(&self) -> TenantId {
        self.mirror.tenant
    }

    fn acting(&self) -> Acting<'_> {
        Acting {
            tenant: self.mirror.tenant,
            registers: &self.registers,
            user: None,
            operation: ORIGIN,
            origin: ORIGIN,
            quiet: true,
            now: self.now,
        }
    }
}

/// Writes a part by the registers that it was read by, in the base's own lane behind everybody who waits, and keeps how
/// far the reading is. Gives the number of records that were not there alike.
async fn write<T, F>(app: &App, part: Part<T>, unit: F) -> Result<u64, Error>
where
    F: for<'t> Fn(&'t mut Tx, &'t Part<T>, &'t mut Vec<Note>) -> BoxFuture<'t, Result<u64, Error>>
        + Copy
        + Send
        + Sync
        + 'static,
    T: Send + Sync + 'static,
{
    let lane = Lane::background(part.tenant());
    app.db
        .write(lane, part, move |tx, part| {
            Box::pin(async move {
                begin::check(tx, &part.hold).await?;
                confirm(tx, part.tenant(), &part.registers).await?;
                let mut notes = part.notes.clone();
                let written = unit(tx, part, &mut notes).await?;
                tx.batch(mirrors::note(part.tenant(), &notes, part.now)).await?;
                if written > 0 {
                    tell(tx, part.tenant(), format!("{written} registros espelhados"), part.now).await?;
                }
                let count = i64::try_from(written).unwrap_or(i64::MAX);
                let mirror = Mirror { written: part.mirror.written + count, ..part.mirror.clone() };
                tx.batch(vec![mirrors::keep(&mirror)]).await?;
                Ok(written)
            })
        })
        .await
}

/// One entry in the audit for each unit: who was changed stands in the histories.
async fn tell(tx: &mut Tx, tenant: TenantId, detail: String, at: Moment) -> Result<(), Error> {
    let entry =
        audit::Entry { tenant, at, user: None, operation: ORIGIN, person: None, detail: Some(detail) };
    Ok(audit::append(tx, &entry).await?)
}

/// The registers of a mirrored base as they are now.
#[boxed::future]
pub async fn registers(app: &App, tenant: TenantId) -> Result<Arc<Registers>, Error> {
    fresh(app, tenant).await
}

/// How often a part is made anew because a register changed meanwhile.
pub const TRIES: usize = DECISIONS;

/// Counts on behind the greatest of these. They are given as they are: what is still to be made must not be held while the
/// database is asked.
async fn reach(tx: &mut Tx, tenant: TenantId, counter: Counter, codes: Vec<i32>) -> Result<(), Error> {
    match codes.into_iter().filter(|code| *code < counters::UNCOUNTED).max() {
        Some(code) if code > 0 => Ok(counters::reach(tx, tenant, counter, code).await?),
        _ => Ok(()),
    }
}

/// The places of cards in this base's own count: one that it would generate itself is never generated again.
fn own_cards<'c>(tenant: TenantId, cards: impl Iterator<Item = &'c CardNumber>) -> Vec<i32> {
    let own = |card: &CardNumber| {
        let number: i32 = card.as_str().get(2..12)?.parse().ok()?;
        (CardNumber::generate(tenant, number) == *card).then_some(number)
    };
    cards.filter_map(own).collect()
}

/// Everything that is noted of a mirror, what is alike together.
#[boxed::future]
pub async fn noted(app: &App, tenant: TenantId) -> Result<Vec<Noted>, Error> {
    Ok(mirrors::noted(&app.db, tenant).await?)
}

/// Each note, in their order, behind one of them: kind, record, field and reason.
#[boxed::future]
pub async fn notes_behind(
    app: &App,
    tenant: TenantId,
    behind: (&str, i32, &str),
) -> Result<Vec<(String, i32, String, String)>, Error> {
    Ok(mirrors::notes_behind(&app.db, tenant, behind, 1_000).await?)
}

/// The next benefits whose details are to be read, with their kinds.
#[boxed::future]
pub async fn benefits_behind(
    app: &App,
    mirror: &Mirror,
    after: i32,
    limit: i64,
) -> Result<Vec<(BenefitCode, BenefitKind)>, Error> {
    Ok(mirrors::benefits_behind(&app.db, mirror.tenant, after, mirror.since.as_deref(), limit).await?)
}

/// The next members whose cards are to be read.
#[boxed::future]
pub async fn members_behind(
    app: &App,
    mirror: &Mirror,
    after: i32,
    limit: i64,
) -> Result<Vec<PersonCode>, Error> {
    Ok(mirrors::members_behind(&app.db, mirror.tenant, after, mirror.since.as_deref(), limit).await?)
}

/// The records of a kind that could not be read the last time.
#[boxed::future]
pub async fn unread(app: &App, tenant: TenantId, kind: &'static str) -> Result<Vec<i32>, Error> {
    Ok(mirrors::unread(&app.db, tenant, kind).await?)
}

/// The deals that are still open here.
#[boxed::future]
pub async fn open_deals(app: &App, tenant: TenantId) -> Result<Vec<DealCode>, Error> {
    Ok(mirrors::open_deals(&app.db, tenant).await?)
}

/// How far a base's mirror is, where it is one.
#[boxed::future]
pub async fn mirror_of(app: &App, tenant: TenantId) -> Result<Option<Mirror>, Error> {
    Ok(mirrors::find(&app.db, tenant).await?)
}
