//! Writes mirrored leads and deals, with their proposed dependents and stage moves.

use super::NewMirrorNote;
use super::counters::advance_counter;
use super::write_batch::{MirrorWriteBatch, write_batch};
use app::members::mirror_rows as people;
use app::sales::leads::apply_lead_to_person;
use app::{App, Error};
use domain::{
    Deal, DealCode, DependentCode, Lead, LeadCode, MirrorRecordConflict, PersonCode, PersonProfile,
    ProposedDependent, Scope,
};
use std::collections::BTreeMap;
use storage::exchange::mirrors;
use storage::members::phones;
use storage::sales::deals::{self, DealStageMove, dependents as sharing};
use storage::sales::leads;
use storage::server::counters::{self, Counter};
use storage::{Statement, Tx};
use wire::mirror::describe_conflict;

/// A lead; the source does not tell its consultant.
#[derive(Clone, Debug)]
pub struct MirroredLead {
    pub code: LeadCode,
    pub lead: Lead,
}

#[derive(Clone, Debug)]
pub struct MirroredDeal {
    pub code: DealCode,
    pub deal: Deal,
    pub lead: MirroredLead,
    pub dependents: Vec<(DependentCode, ProposedDependent)>,
    /// In order; their numbers are their positions.
    pub moves: Vec<DealStageMove>,
}

/// Writes active leads.
#[boxed::future]
pub async fn write_leads(app: &App, part: MirrorWriteBatch<Vec<MirroredLead>>) -> Result<u64, Error> {
    write_batch(app, part, |tx, part, notes| Box::pin(write_lead_batch(tx, part, notes))).await
}

async fn write_lead_batch(
    tx: &mut Tx,
    part: &MirrorWriteBatch<Vec<MirroredLead>>,
    notes: &mut Vec<NewMirrorNote>,
) -> Result<u64, Error> {
    let numbers: Vec<i32> = part.records.iter().map(|one| one.code.get()).collect();
    tx.execute_batch(vec![mirrors::delete_mirror_notes(part.tenant(), "lead", &numbers)]).await?;
    let mut written = 0;
    for mirrored in &part.records {
        written += u64::from(Box::pin(write_lead(tx, part, mirrored, notes)).await?);
    }
    Ok(written)
}

/// Writes a lead and its person; `false` if both were unchanged.
async fn write_lead<T: Sync>(
    tx: &mut Tx,
    part: &MirrorWriteBatch<T>,
    mirrored: &MirroredLead,
    notes: &mut Vec<NewMirrorNote>,
) -> Result<bool, Error> {
    let tenant = part.tenant();
    let before = leads::find_lead(&mut *tx, tenant, mirrored.code).await?;
    let mut after = mirrored.lead.clone();
    if let Some(before) = &before {
        after.consultant = before.consultant;
        (after.version, after.created_at, after.updated_at) =
            (before.version, before.created_at, before.updated_at);
        if *before == after {
            return Ok(false);
        }
        after.updated_at = part.now;
    }
    Box::pin(write_lead_person(tx, part, mirrored, &after, notes)).await?;
    let statements = match &before {
        Some(before) => leads::update_lead(tenant, mirrored.code, before, &after),
        None => leads::insert_leads(tenant, [(mirrored.code, &after)]),
    };
    tx.execute_batch(statements).await?;
    advance_counter(tx, tenant, Counter::Lead, vec![mirrored.code.get()]).await?;
    Ok(true)
}

/// Writes the person of a lead, unless they are a member: members are kept as they are.
async fn write_lead_person<T: Sync>(
    tx: &mut Tx,
    part: &MirrorWriteBatch<T>,
    mirrored: &MirroredLead,
    lead: &Lead,
    notes: &mut Vec<NewMirrorNote>,
) -> Result<(), Error> {
    let (tenant, code) = (part.tenant(), lead.person);
    let known = storage::members::find_person(&mut *tx, tenant, code).await?;
    if known.as_ref().is_some_and(|one| one.is_member) {
        return Ok(());
    }
    let blank = || PersonProfile::new_non_member(lead.branch, None, lead.name.clone(), lead.created_at);
    let mut after = apply_lead_to_person(&known.clone().unwrap_or_else(blank), lead, part.now);
    after.document =
        resolve_own_document(tx, part, (code, &after), (mirrored.code.get(), "lead"), notes).await?;
    match known {
        None => {
            people::insert_mirrored_people(tx, &part.change_context(), std::iter::once((code, &after)))
                .await?;
            advance_counter(tx, tenant, Counter::Person, vec![code.get()]).await?;
        }
        Some(before) => {
            let stored_phones = phones::list_phones(&mut *tx, tenant, code).await?;
            let phones = people::mirror_telephones(&stored_phones, &after);
            people::update_mirrored_person(
                tx,
                &part.change_context(),
                code,
                (&before, &stored_phones),
                (&after, &phones),
            )
            .await?;
        }
    }
    Ok(())
}

/// The person's document, unless another person has it.
pub(super) async fn resolve_own_document<T>(
    tx: &mut Tx,
    part: &MirrorWriteBatch<T>,
    (code, person): (PersonCode, &PersonProfile),
    (record, kind): (i32, &'static str),
    notes: &mut Vec<NewMirrorNote>,
) -> Result<Option<domain::Document>, Error> {
    let Some(document) = &person.document else { return Ok(None) };
    let holders =
        storage::members::list_person_codes_by_document(&mut *tx, part.tenant(), [document]).await?;
    if holders.iter().any(|(_, holder)| *holder != code) {
        let reason = describe_conflict(MirrorRecordConflict::DocumentTaken);
        notes.push(NewMirrorNote { kind, record, field: "cpfCnpj".to_owned(), reason });
        return Ok(None);
    }
    Ok(Some(document.clone()))
}

#[boxed::future]
pub async fn write_deals(app: &App, part: MirrorWriteBatch<Vec<MirroredDeal>>) -> Result<u64, Error> {
    write_batch(app, part, |tx, part, notes| Box::pin(write_deal_batch(tx, part, notes))).await
}

async fn write_deal_batch(
    tx: &mut Tx,
    part: &MirrorWriteBatch<Vec<MirroredDeal>>,
    notes: &mut Vec<NewMirrorNote>,
) -> Result<u64, Error> {
    let numbers: Vec<i32> = part.records.iter().map(|one| one.code.get()).collect();
    tx.execute_batch(vec![mirrors::delete_mirror_notes(part.tenant(), "negocio", &numbers)]).await?;
    let sequences: Vec<i32> = part.records.iter().map(|one| one.deal.sequence).collect();
    let mut holders: BTreeMap<i32, DealCode> =
        mirrors::list_deals_by_sequence(tx, part.tenant(), sequences.clone()).await?.into_iter().collect();
    // Before this tenant assigns a sequence number of its own.
    advance_counter(tx, part.tenant(), Counter::DealSequence, sequences).await?;
    let mut written = 0;
    for mirrored in &part.records {
        let lead = leads::find_lead(&mut *tx, part.tenant(), mirrored.lead.code).await?;
        // An active lead was already written from the lead list.
        let lead_seen = MirroredLead {
            lead: Lead { active: lead.is_some_and(|one| one.active), ..mirrored.lead.lead.clone() },
            ..mirrored.lead.clone()
        };
        written += u64::from(Box::pin(write_lead(tx, part, &lead_seen, notes)).await?);
        written += u64::from(Box::pin(write_deal(tx, part, mirrored, &mut holders, notes)).await?);
    }
    Ok(written)
}

async fn write_deal(
    tx: &mut Tx,
    part: &MirrorWriteBatch<Vec<MirroredDeal>>,
    mirrored: &MirroredDeal,
    holders: &mut BTreeMap<i32, DealCode>,
    notes: &mut Vec<NewMirrorNote>,
) -> Result<bool, Error> {
    let (tenant, code) = (part.tenant(), mirrored.code);
    let before = deals::find_deal(&mut *tx, &Scope::for_tenant(tenant), code).await?;
    let mut after = mirrored.deal.clone();
    if let Some(before) = &before {
        (after.benefit, after.version) = (before.benefit, before.version);
        after.vehicle.fipe.clone_from(&before.vehicle.fipe);
        (after.created_at, after.updated_at) = (before.created_at, before.updated_at);
    }
    if after.sequence <= 0 || holders.get(&after.sequence).is_some_and(|holder| *holder != code) {
        let reason = describe_conflict(MirrorRecordConflict::DealNumberTaken);
        notes.push(NewMirrorNote {
            kind: "negocio",
            record: code.get(),
            field: "sequencial".to_owned(),
            reason,
        });
        after.sequence = match &before {
            Some(before) => before.sequence,
            None => counters::reserve_number(tx, tenant, Counter::DealSequence).await?,
        };
    }
    holders.insert(after.sequence, code);
    let mut statements = Vec::new();
    match &before {
        Some(before) if *before == after => {}
        Some(_) => {
            let after = Deal { updated_at: part.now, ..after };
            statements.push(deals::update_deal(tenant, code, &after));
        }
        None => statements.extend(deals::insert_deals(tenant, [(code, &after)])),
    }
    write_deal_dependents(tx, part, mirrored, &mut statements).await?;
    let stored_moves = deals::list_deal_moves(&mut *tx, tenant, code).await?;
    let is_same_move = |(one, mirrored_move): (&DealStageMove, &DealStageMove)| {
        (one.at, one.stage, one.state) == (mirrored_move.at, mirrored_move.stage, mirrored_move.state)
    };
    if stored_moves.len() != mirrored.moves.len()
        || !stored_moves.iter().zip(&mirrored.moves).all(is_same_move)
    {
        statements.push(deals::delete_deal_moves(tenant, code));
        statements.extend(deals::insert_deal_moves(tenant, mirrored.moves.iter().map(|one| (code, one))));
    }
    let is_changed = !statements.is_empty();
    tx.execute_batch(statements).await?;
    advance_counter(tx, tenant, Counter::Deal, vec![code.get()]).await?;
    let codes = mirrored.dependents.iter().map(|(code, _)| code.get()).collect();
    advance_counter(tx, tenant, Counter::DealDependent, codes).await?;
    Ok(is_changed)
}

async fn write_deal_dependents(
    tx: &mut Tx,
    part: &MirrorWriteBatch<Vec<MirroredDeal>>,
    mirrored: &MirroredDeal,
    statements: &mut Vec<Statement>,
) -> Result<(), Error> {
    let (tenant, code) = (part.tenant(), mirrored.code);
    let stored = sharing::list_deal_dependents(&mut *tx, tenant, code).await?;
    for (dependent, proposed) in &mirrored.dependents {
        match stored.iter().find(|(one, _)| one == dependent) {
            None => {
                statements.extend(sharing::insert_deal_dependents(tenant, [(code, *dependent, proposed)]));
            }
            Some((_, before)) => {
                let (created_at, updated_at) = (before.created_at, before.updated_at);
                let after = ProposedDependent { created_at, updated_at, ..proposed.clone() };
                if *before != after {
                    let after = ProposedDependent { updated_at: part.now, ..after };
                    statements.push(sharing::update_deal_dependent(tenant, code, *dependent, &after));
                }
            }
        }
    }
    Ok(())
}
