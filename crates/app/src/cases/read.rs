//! A case with everything in it, and what became of it.

use super::shown::{RELATED, codes_listed, listed_codes};
use super::{operations, unknown};
use crate::access::Session;
use crate::audit::saw;
use crate::base::{Registers, registers};
use crate::benefits::Asked;
use crate::situations::cases::{described, subject};
use crate::{App, Error};
use domain::{BenefitCode, CaseKind, ClaimCode, Moment, PersonCode, Scope, TenantId};
use std::sync::Arc;
use std::time::Duration;
use storage::benefits::Benefit;
pub use storage::cases::Told;
use storage::cases::{self, Case, Head};
use storage::field_changes::{self, Written};
use storage::history::{self, Told as Moved};
use storage::notes::{self, Note};
use storage::situations::Situation;
use storage::{Tx, claims, dependents, people};

/// A case, and what its codes stand for.
#[derive(Clone, Debug)]
pub struct Whole {
    pub registers: Arc<Registers>,
    pub told: Told,
    /// What its benefit is called.
    pub benefit: Option<String>,
    /// Who drove, or who goes to the doctor.
    pub other: Option<String>,
    /// Newest opening first.
    pub related: Vec<Told>,
    pub notes: Vec<Note>,
    pub now: Moment,
    /// False where what was asked for was there already: then it was only seen.
    pub(super) changed: bool,
}

impl Whole {
    /// Whom it tells of.
    pub(super) fn people(&self) -> impl Iterator<Item = PersonCode> {
        let driver = match &self.told.case {
            Case::Claim(claim) => claim.driver,
            _ => None,
        };
        let related = self.related.iter().map(|told| told.case.head().person);
        let mut all: Vec<_> =
            [Some(self.told.case.head().person), driver].into_iter().flatten().chain(related).collect();
        all.sort_unstable();
        all.dedup();
        all.into_iter()
    }

    /// Where it may go from here.
    pub fn next(&self) -> impl Iterator<Item = &Situation> {
        let present = self.registers.situation(self.told.case.head().situation);
        present.into_iter().flat_map(|present| next_situations(&self.registers, present))
    }
}

/// The situations in use that one leads to.
pub(super) fn next_situations<'r>(
    registers: &'r Registers,
    from: &'r Situation,
) -> impl Iterator<Item = &'r Situation> {
    let of_entity = registers.situations_of(from.entity);
    of_entity.filter(|one| one.code != from.code && registers.may_move(from.code, one.code))
}

/// When the time of a case in its situation is over; what has ended has no such time.
pub fn due(registers: &Registers, head: &Head) -> Option<Moment> {
    let situation = registers.situation(head.situation).filter(|one| !one.kind.closes())?;
    situation.limit_hours.map(|hours| head.situation_since.plus(hours_long(hours)))
}

pub(super) fn hours_long(hours: i32) -> Duration {
    Duration::from_secs(u64::try_from(hours).unwrap_or(0) * 3600)
}

/// A case that the caller may see, with everything in it.
#[boxed::future]
pub async fn one(app: &App, caller: &Session, kind: CaseKind, code: i32) -> Result<Whole, Error> {
    let registers = registers(app, caller.scope.tenant()).await?;
    let asked = (caller.scope.clone(), registers, kind, code, app.now());
    let read = app.db.read(asked, |tx, (scope, registers, kind, code, now)| {
        Box::pin(read_whole(tx, scope, registers, (*kind, *code), *now))
    });
    let whole = read.await?.ok_or_else(|| unknown(kind, code))?;
    saw(app, caller, operations(kind).one, whole.people())?;
    Ok(whole)
}

/// The same inside a unit that has written it.
pub(super) async fn whole<I>(
    tx: &mut Tx,
    asked: &Asked<I>,
    kind: CaseKind,
    code: i32,
    changed: bool,
) -> Result<Option<Whole>, Error> {
    let read = read_whole(tx, &asked.scope, &asked.registers, (kind, code), asked.now).await?;
    Ok(read.map(|whole| Whole { changed, ..whole }))
}

async fn read_whole(
    tx: &mut Tx,
    scope: &Scope,
    registers: &Arc<Registers>,
    (kind, code): (CaseKind, i32),
    now: Moment,
) -> Result<Option<Whole>, Error> {
    let Some(told) = cases::find(&mut *tx, scope, kind, code).await? else { return Ok(None) };
    let tenant = scope.tenant();
    let benefit = match told.case.head().benefit {
        Some(code) => benefit(&mut *tx, tenant, code).await?.map(|one| described(registers, &one)),
        None => None,
    };
    let other = other(&mut *tx, tenant, &told.case).await?;
    let related = match kind {
        CaseKind::Claim => {
            let codes: Vec<i32> = related(&mut *tx, scope, code).await?.iter().map(|one| one.get()).collect();
            cases::some(&mut *tx, scope, kind, &codes).await?
        }
        _ => Vec::new(),
    };
    let notes = notes::of(&mut *tx, tenant, (kind.entity(), code)).await?;
    let registers = Arc::clone(registers);
    Ok(Some(Whole { registers, told, benefit, other, related, notes, now, changed: true }))
}

/// Who drove, or who goes to the doctor.
async fn other(tx: &mut Tx, tenant: TenantId, case: &Case) -> Result<Option<String>, Error> {
    Ok(match case {
        Case::Claim(claim) => match claim.driver {
            Some(driver) => people::by_code(tx, tenant, driver).await?.map(|person| person.name),
            None => None,
        },
        Case::Appointment(own) => match (own.head.benefit, own.dependent) {
            (Some(benefit), Some(code)) => {
                dependents::find(tx, tenant, benefit, code).await?.map(|dependent| dependent.name)
            }
            _ => None,
        },
        Case::Inspection(_) | Case::Ticket(_) => None,
    })
}

/// The benefit of a case, whoever may see it: whoever sees the case is told what it is about.
pub(super) async fn benefit(
    tx: &mut Tx,
    tenant: TenantId,
    code: BenefitCode,
) -> Result<Option<Benefit>, Error> {
    Ok(storage::benefits::find(tx, &Scope::whole(tenant), code).await?)
}

/// The claims that belong to one, as far as the scope sees them; by code.
pub(super) async fn related(tx: &mut Tx, scope: &Scope, code: i32) -> Result<Vec<ClaimCode>, Error> {
    let pairs = claims::related(&mut *tx, scope.tenant(), [ClaimCode::new(code)]).await?;
    if pairs.is_empty() {
        return Ok(Vec::new());
    }
    let seen = claims::find(&mut *tx, scope, pairs.into_iter().map(|(_, to)| to)).await?;
    Ok(seen.into_iter().map(|told| told.code).collect())
}

/// What became of a case: its situations and its fields, each in its order.
pub struct History {
    pub moves: Vec<Moved>,
    pub fields: Vec<Written>,
    pub registers: Arc<Registers>,
}

/// What became of a case that the caller may see.
#[boxed::future]
pub async fn history(app: &App, caller: &Session, kind: CaseKind, code: i32) -> Result<History, Error> {
    let registers = registers(app, caller.scope.tenant()).await?;
    let asked = (caller.scope.clone(), kind, code);
    let read = app.db.read(asked, |tx, (scope, kind, code)| Box::pin(read_history(tx, scope, *kind, *code)));
    let (person, moves, fields) = read.await?.ok_or_else(|| unknown(kind, code))?;
    saw(app, caller, operations(kind).history, std::iter::once(person))?;
    Ok(History { moves, fields, registers })
}

type Read = (PersonCode, Vec<Moved>, Vec<Written>);

async fn read_history(tx: &mut Tx, scope: &Scope, kind: CaseKind, code: i32) -> Result<Option<Read>, Error> {
    let Some(told) = cases::find(&mut *tx, scope, kind, code).await? else { return Ok(None) };
    let moves = history::of(&mut *tx, scope.tenant(), (kind.entity(), code)).await?;
    let mut fields = field_changes::of(&mut *tx, scope.tenant(), (subject(kind), code)).await?;
    hide_unseen_claims(tx, scope, &mut fields).await?;
    Ok(Some((told.case.head().person, moves, fields)))
}

/// Leaves out of the changes of related claims the codes of those that the scope does not see, and changes of nothing else.
async fn hide_unseen_claims(tx: &mut Tx, scope: &Scope, fields: &mut Vec<Written>) -> Result<(), Error> {
    let is_related = |one: &Written| one.change.field == RELATED;
    let texts = fields.iter().filter(|one| is_related(one));
    let texts = texts.flat_map(|one| [&one.change.before, &one.change.after]).flatten();
    let mut codes: Vec<ClaimCode> = texts.flat_map(|text| listed_codes(text)).collect();
    codes.sort_unstable();
    codes.dedup();
    if codes.is_empty() {
        return Ok(());
    }
    let seen: Vec<ClaimCode> = claims::find(tx, scope, codes).await?.iter().map(|told| told.code).collect();
    let visible = |text: &mut Option<String>| {
        let codes: Vec<ClaimCode> =
            text.iter().flat_map(|text| listed_codes(text)).filter(|code| seen.contains(code)).collect();
        *text = codes_listed(&codes);
    };
    fields.retain_mut(|one| {
        if !is_related(one) {
            return true;
        }
        visible(&mut one.change.before);
        visible(&mut one.change.after);
        one.change.before != one.change.after
    });
    Ok(())
}
