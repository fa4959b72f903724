//! Leads and deals, with who would share them and where they went.

use super::{Mirror, Note, Part, reach, tell, write};
use crate::leads::mirrored;
use crate::people::mirrored as people;
use crate::{App, Error};
use domain::{BranchCode, DealCode, DependentCode, LeadCode, Moment, PersonCode, Scope, TenantId};
use std::collections::{BTreeMap, BTreeSet};
use storage::counters::{self, Counter};
use storage::deals::dependents::{self as sharing, DealDependent};
use storage::deals::{self, Deal, Move};
use storage::leads::{self, Lead};
use storage::people::Profile;
use storage::{Lane, Statement, Tx, mirrors, phones};

/// A lead; its consultant is not told.
#[derive(Clone, Debug)]
pub struct LeadSeen {
    pub code: LeadCode,
    pub lead: Lead,
}

/// A deal with its lead.
#[derive(Clone, Debug)]
pub struct DealSeen {
    pub code: DealCode,
    pub deal: Deal,
    pub lead: LeadSeen,
    pub dependents: Vec<(DependentCode, DealDependent)>,
    /// In their order; their numbers are their places.
    pub moves: Vec<Move>,
}

/// Writes leads that are in use.
#[boxed::future]
pub async fn write_leads(app: &App, part: Part<Vec<LeadSeen>>) -> Result<u64, Error> {
    write(app, part, |tx, part, notes| Box::pin(write_all_leads(tx, part, notes))).await
}

async fn write_all_leads(
    tx: &mut Tx,
    part: &Part<Vec<LeadSeen>>,
    notes: &mut Vec<Note>,
) -> Result<u64, Error> {
    let numbers: Vec<i32> = part.seen.iter().map(|one| one.code.get()).collect();
    tx.batch(vec![mirrors::forget(part.tenant(), "lead", &numbers)]).await?;
    let mut written = 0;
    for seen in &part.seen {
        written += u64::from(Box::pin(write_lead(tx, part, seen, notes)).await?);
    }
    Ok(written)
}

/// Writes a lead and his person; `false` where both were there alike.
async fn write_lead<T: Sync>(
    tx: &mut Tx,
    part: &Part<T>,
    seen: &LeadSeen,
    notes: &mut Vec<Note>,
) -> Result<bool, Error> {
    let tenant = part.tenant();
    let before = leads::by_code(&mut *tx, tenant, seen.code).await?;
    let mut after = seen.lead.clone();
    if let Some(before) = &before {
        after.consultant = before.consultant;
        (after.version, after.created_at, after.updated_at) =
            (before.version, before.created_at, before.updated_at);
        if *before == after {
            return Ok(false);
        }
        after.updated_at = part.now;
    }
    Box::pin(write_stranger(tx, part, seen, &after, notes)).await?;
    let statements = match &before {
        Some(before) => leads::update(tenant, seen.code, before, &after),
        None => leads::insert(tenant, [(seen.code, &after)]),
    };
    tx.batch(statements).await?;
    reach(tx, tenant, Counter::Lead, vec![seen.code.get()]).await?;
    Ok(true)
}

/// The person of a lead, where he is no member: a member stays as he is.
async fn write_stranger<T: Sync>(
    tx: &mut Tx,
    part: &Part<T>,
    seen: &LeadSeen,
    lead: &Lead,
    notes: &mut Vec<Note>,
) -> Result<(), Error> {
    let (tenant, code) = (part.tenant(), lead.person);
    let known = storage::people::by_code(&mut *tx, tenant, code).await?;
    if known.as_ref().is_some_and(|one| one.is_member) {
        return Ok(());
    }
    let blank = || Profile::stranger(lead.branch, None, lead.name.clone(), lead.created_at);
    let mut after = mirrored(&known.clone().unwrap_or_else(blank), lead, part.now);
    after.document = own_document(tx, part, (code, &after), (seen.code.get(), "lead"), notes).await?;
    match known {
        None => {
            people::insert(tx, &part.acting(), std::iter::once((code, &after))).await?;
            reach(tx, tenant, Counter::Person, vec![code.get()]).await?;
        }
        Some(before) => {
            let had = phones::of(&mut *tx, tenant, code).await?;
            let phones = people::telephones(&had, &after);
            people::change(tx, &part.acting(), code, (&before, &had), (&after, &phones)).await?;
        }
    }
    Ok(())
}

/// His document, unless somebody else has it.
pub(super) async fn own_document<T>(
    tx: &mut Tx,
    part: &Part<T>,
    (code, person): (PersonCode, &Profile),
    (record, kind): (i32, &'static str),
    notes: &mut Vec<Note>,
) -> Result<Option<domain::Document>, Error> {
    let Some(document) = &person.document else { return Ok(None) };
    let holders = storage::people::with_documents(&mut *tx, part.tenant(), [document]).await?;
    if holders.iter().any(|(_, holder)| *holder != code) {
        let reason = "outra pessoa tem o mesmo documento; ficou com ela".to_owned();
        notes.push(Note { kind, record, field: "cpfCnpj".to_owned(), reason });
        return Ok(None);
    }
    Ok(Some(document.clone()))
}

/// Writes deals, with their leads.
#[boxed::future]
pub async fn write_deals(app: &App, part: Part<Vec<DealSeen>>) -> Result<u64, Error> {
    write(app, part, |tx, part, notes| Box::pin(write_all_deals(tx, part, notes))).await
}

async fn write_all_deals(
    tx: &mut Tx,
    part: &Part<Vec<DealSeen>>,
    notes: &mut Vec<Note>,
) -> Result<u64, Error> {
    let numbers: Vec<i32> = part.seen.iter().map(|one| one.code.get()).collect();
    tx.batch(vec![mirrors::forget(part.tenant(), "negocio", &numbers)]).await?;
    let asked: Vec<i32> = part.seen.iter().map(|one| one.deal.sequence).collect();
    let mut holders: BTreeMap<i32, DealCode> =
        mirrors::deals_with_sequences(tx, part.tenant(), asked.clone()).await?.into_iter().collect();
    // Before one of this base is given.
    reach(tx, part.tenant(), Counter::DealSequence, asked).await?;
    let mut written = 0;
    for seen in &part.seen {
        let lead = leads::by_code(&mut *tx, part.tenant(), seen.lead.code).await?;
        // Of a lead that is in use, the list of leads told already.
        let lead_seen = LeadSeen {
            lead: Lead { active: lead.is_some_and(|one| one.active), ..seen.lead.lead.clone() },
            ..seen.lead.clone()
        };
        written += u64::from(Box::pin(write_lead(tx, part, &lead_seen, notes)).await?);
        written += u64::from(Box::pin(write_deal(tx, part, seen, &mut holders, notes)).await?);
    }
    Ok(written)
}

async fn write_deal(
    tx: &mut Tx,
    part: &Part<Vec<DealSeen>>,
    seen: &DealSeen,
    holders: &mut BTreeMap<i32, DealCode>,
    notes: &mut Vec<Note>,
) -> Result<bool, Error> {
    let (tenant, code) = (part.tenant(), seen.code);
    let before = deals::find(&mut *tx, &Scope::whole(tenant), code).await?;
    let mut after = seen.deal.clone();
    if let Some(before) = &before {
        (after.benefit, after.version) = (before.benefit, before.version);
        after.vehicle.fipe.clone_from(&before.vehicle.fipe);
        (after.created_at, after.updated_at) = (before.created_at, before.updated_at);
    }
    if after.sequence <= 0 || holders.get(&after.sequence).is_some_and(|holder| *holder != code) {
        let reason = "falta ou é de outro negócio; recebeu um número desta base".to_owned();
        notes.push(Note { kind: "negocio", record: code.get(), field: "sequencial".to_owned(), reason });
        after.sequence = match &before {
            Some(before) => before.sequence,
            None => counters::next(tx, tenant, Counter::DealSequence).await?,
        };
    }
    holders.insert(after.sequence, code);
    let mut statements = Vec::new();
    match &before {
        Some(before) if *before == after => {}
        Some(_) => {
            let after = Deal { updated_at: part.now, ..after };
            statements.push(deals::update(tenant, code, &after));
        }
        None => statements.extend(deals::insert(tenant, [(code, &after)])),
    }
    write_sharing(tx, part, seen, &mut statements).await?;
    let had = deals::moves(&mut *tx, tenant, code).await?;
    let alike =
        |(one, told): (&Move, &Move)| (one.at, one.stage, one.state) == (told.at, told.stage, told.state);
    if had.len() != seen.moves.len() || !had.iter().zip(&seen.moves).all(alike) {
        statements.push(deals::remove_moves(tenant, code));
        statements.extend(deals::insert_moves(tenant, seen.moves.iter().map(|one| (code, one))));
    }
    let is_changed = !statements.is_empty();
    tx.batch(statements).await?;
    reach(tx, tenant, Counter::Deal, vec![code.get()]).await?;
    let codes = seen.dependents.iter().map(|(code, _)| code.get()).collect();
    reach(tx, tenant, Counter::DealDependent, codes).await?;
    Ok(is_changed)
}

async fn write_sharing(
    tx: &mut Tx,
    part: &Part<Vec<DealSeen>>,
    seen: &DealSeen,
    statements: &mut Vec<Statement>,
) -> Result<(), Error> {
    let (tenant, code) = (part.tenant(), seen.code);
    let had = sharing::of(&mut *tx, tenant, code).await?;
    for (dependent, told) in &seen.dependents {
        match had.iter().find(|(one, _)| one == dependent) {
            None => statements.extend(sharing::insert(tenant, [(code, *dependent, told)])),
            Some((_, before)) => {
                let (created_at, updated_at) = (before.created_at, before.updated_at);
                let after = DealDependent { created_at, updated_at, ..told.clone() };
                if *before != after {
                    let after = DealDependent { updated_at: part.now, ..after };
                    statements.push(sharing::update(tenant, code, *dependent, &after));
                }
            }
        }
    }
    Ok(())
}

/// Leads that are in use here and no longer there, in the branches whose leads were listed.
#[boxed::future]
pub async fn retire_leads(
    app: &App,
    mirror: &Mirror,
    listed: &BTreeSet<LeadCode>,
    branches: &BTreeSet<BranchCode>,
) -> Result<u64, Error> {
    let tenant = mirror.tenant;
    let mut retired = 0;
    for branch in branches {
        let mut after = LeadCode::new(0);
        loop {
            let some = leads::of_branch(&app.db, tenant, *branch, after).await?;
            let Some(last) = some.last() else { break };
            after = last.code;
            let gone: Vec<LeadCode> =
                some.iter().map(|key| key.code).filter(|code| !listed.contains(code)).collect();
            if gone.is_empty() {
                continue;
            }
            let input = (tenant, gone, app.now());
            retired += app
                .db
                .write(Lane::background(tenant), input, |tx, (tenant, gone, now)| {
                    Box::pin(retire(tx, *tenant, gone, *now))
                })
                .await?;
        }
    }
    Ok(retired)
}

async fn retire(tx: &mut Tx, tenant: TenantId, codes: &[LeadCode], now: Moment) -> Result<u64, Error> {
    let mut retired = 0;
    for code in codes {
        let before = leads::by_code(&mut *tx, tenant, *code).await?;
        let Some(before) = before.filter(|one| one.active) else { continue };
        let gone = Lead { active: false, updated_at: now, ..before.clone() };
        tx.batch(leads::update(tenant, *code, &before, &gone)).await?;
        retired += 1;
    }
    if retired > 0 {
        tell(tx, tenant, format!("{retired} leads fora de uso na origem"), now).await?;
    }
    Ok(retired)
}
