//! Writes mirrored claims and the people in them, for whom a claim has more data than the search.

use super::NewMirrorNote;
use super::counters::advance_counter;
use super::sales::resolve_own_document;
use super::write_batch::{MirrorWriteBatch, write_batch};
use app::members::mirror_rows as people;
use app::situations::{RecordSituationChange, render_case_trigger_body};
use app::{App, Error};
use domain::{
    BranchCode, Case, CaseKind, Claim, ClaimCode, ContactPhone, Document, Entity, HistoryCode,
    MirrorRecordConflict, PersonCode, PersonProfile, PhoneKind, Scope, TenantId, is_situation_change,
};
use std::collections::{BTreeMap, BTreeSet};
use storage::cases::claims;
use storage::exchange::mirrors;
use storage::history::situation_changes;
use storage::members::phones;
use storage::server::counters::{self, Counter};
use storage::{Tx, benefits, cases};
use wire::mirror::describe_conflict;

/// A person as shown in a claim.
#[derive(Clone, Debug)]
pub struct MirroredPerson {
    pub code: PersonCode,
    /// `None` if the claim does not name it: a known person then keeps the current branch.
    pub branch: Option<BranchCode>,
    pub profile: PersonProfile,
    pub phones: Vec<ContactPhone>,
}

#[derive(Clone, Debug)]
pub struct MirroredClaim {
    pub code: ClaimCode,
    pub claim: Claim,
    /// The member and the driver.
    pub people: Vec<MirroredPerson>,
    /// Related claims; `None` if the source did not list them.
    pub related: Option<Vec<ClaimCode>>,
}

/// Which of these claims exist here, with the name of the assigned user.
#[boxed::future]
pub async fn list_known_claims(
    app: &App,
    tenant: TenantId,
    codes: &[ClaimCode],
) -> Result<Vec<(ClaimCode, Claim, Option<String>)>, Error> {
    let found =
        claims::list_claims_by_codes(&app.db, &Scope::for_tenant(tenant), codes.iter().copied()).await?;
    Ok(found.into_iter().map(|one| (one.code, one.claim, one.responsible)).collect())
}

#[boxed::future]
pub async fn write_claims(app: &App, part: MirrorWriteBatch<Vec<MirroredClaim>>) -> Result<u64, Error> {
    write_batch(app, part, |tx, part, notes| Box::pin(write_claim_batch(tx, part, notes))).await
}

async fn write_claim_batch(
    tx: &mut Tx,
    part: &MirrorWriteBatch<Vec<MirroredClaim>>,
    notes: &mut Vec<NewMirrorNote>,
) -> Result<u64, Error> {
    let tenant = part.tenant();
    let codes: BTreeSet<ClaimCode> = part.records.iter().map(|one| one.code).collect();
    let numbers: Vec<i32> = codes.iter().map(|code| code.get()).collect();
    tx.execute_batch(vec![mirrors::delete_mirror_notes(tenant, "evento", &numbers)]).await?;
    let mut written = 0;
    let mut seen_people = BTreeSet::new();
    for mirrored in &part.records {
        for person in &mirrored.people {
            if seen_people.insert(person.code) {
                written += u64::from(upsert_claim_person(tx, part, mirrored.code, person, notes).await?);
            }
        }
    }
    let found =
        claims::list_claims_by_codes(&mut *tx, &Scope::for_tenant(tenant), codes.iter().copied()).await?;
    let known: BTreeMap<ClaimCode, Claim> =
        found.into_iter().map(|stored| (stored.code, stored.claim)).collect();
    let requested_protocols: Vec<i32> = part.records.iter().map(|one| one.claim.head.protocol).collect();
    let mut protocols: BTreeMap<i32, ClaimCode> =
        mirrors::list_claims_by_protocol(tx, tenant, requested_protocols.clone())
            .await?
            .into_iter()
            .collect();
    // Before this tenant assigns a protocol number of its own.
    advance_counter(tx, tenant, Counter::ClaimProtocol, requested_protocols).await?;
    for mirrored in &part.records {
        let mut claim = mirrored.claim.clone();
        let protocol = claim.head.protocol;
        if protocol <= 0 || protocols.get(&protocol).is_some_and(|holder| *holder != mirrored.code) {
            let reason = describe_conflict(MirrorRecordConflict::ClaimProtocolTaken);
            notes.push(NewMirrorNote {
                kind: "evento",
                record: mirrored.code.get(),
                field: "protocolo".to_owned(),
                reason,
            });
            claim.head.protocol = match known.get(&mirrored.code) {
                Some(known) => known.head.protocol,
                None => counters::reserve_number(tx, tenant, Counter::ClaimProtocol).await?,
            };
        }
        protocols.insert(claim.head.protocol, mirrored.code);
        written += u64::from(write_claim(tx, part, mirrored, known.get(&mirrored.code), claim).await?);
    }
    write_claim_relations(tx, part, &codes).await?;
    advance_counter(tx, tenant, Counter::Claim, numbers).await?;
    Ok(written)
}

/// Adds an unknown person or updates a known one; for a member, only with the data that the search lacks.
async fn upsert_claim_person(
    tx: &mut Tx,
    part: &MirrorWriteBatch<Vec<MirroredClaim>>,
    claim: ClaimCode,
    mirrored: &MirroredPerson,
    notes: &mut Vec<NewMirrorNote>,
) -> Result<bool, Error> {
    let (tenant, code, profile) = (part.tenant(), mirrored.code, &mirrored.profile);
    let known = storage::members::find_person(&mut *tx, tenant, code).await?;
    let stored_phones = phones::list_phones(&mut *tx, tenant, code).await?;
    if let Some(before) = known.as_ref().filter(|known| known.is_member) {
        let (after, phones) = merge_into_member(before, &stored_phones, mirrored);
        return people::update_mirrored_person(
            tx,
            &part.change_context(),
            code,
            (before, &stored_phones),
            (&after, &phones),
        )
        .await;
    }
    let mut after = known.clone().unwrap_or_else(|| profile.clone());
    after.branch = mirrored.branch.unwrap_or(after.branch);
    after.name.clone_from(&profile.name);
    after.document.clone_from(&profile.document);
    after.nature = profile.document.as_ref().map_or(after.nature, Document::nature);
    after.email.clone_from(&profile.email);
    after.sex = profile.sex;
    after.born_on = profile.born_on;
    after.address.clone_from(&profile.address);
    after.identity_number.clone_from(&profile.identity_number);
    after.identity_issuer.clone_from(&profile.identity_issuer);
    after.identity_issued_on = profile.identity_issued_on;
    after.cnh_number.clone_from(&profile.cnh_number);
    after.cnh_category.clone_from(&profile.cnh_category);
    after.cnh_valid_until = profile.cnh_valid_until;
    after.trade_name.clone_from(&profile.trade_name);
    after.state_registration.clone_from(&profile.state_registration);
    after.municipal_registration.clone_from(&profile.municipal_registration);
    after.legal_representative.clone_from(&profile.legal_representative);
    let first = |kind| mirrored.phones.iter().find(|one| one.kind == kind).map(|one| one.number.clone());
    (after.mobile, after.landline) = (first(PhoneKind::Mobile), first(PhoneKind::Landline));
    if known.as_ref().is_none_or(|known| known.document != after.document) {
        after.document =
            resolve_own_document(tx, part, (code, &after), (claim.get(), "evento"), notes).await?;
    }
    match known {
        Some(before) => {
            people::update_mirrored_person(
                tx,
                &part.change_context(),
                code,
                (&before, &stored_phones),
                (&after, &mirrored.phones),
            )
            .await
        }
        None => {
            tx.execute_batch(storage::members::insert_people(tenant, [(code, &after)])).await?;
            phones::replace_phones(tx, tenant, code, &mirrored.phones).await?;
            advance_counter(tx, tenant, Counter::Person, vec![code.get()]).await?;
            Ok(true)
        }
    }
}

/// Merges into a member the data that the search lacks. The phones are taken if they start with those from the search.
fn merge_into_member(
    known: &PersonProfile,
    stored_phones: &[ContactPhone],
    mirrored: &MirroredPerson,
) -> (PersonProfile, Vec<ContactPhone>) {
    let (mut after, profile) = (known.clone(), mirrored.profile.clone());
    after.branch = mirrored.branch.unwrap_or(after.branch);
    after.identity_issuer = profile.identity_issuer.or(after.identity_issuer);
    after.identity_issued_on = profile.identity_issued_on.or(after.identity_issued_on);
    after.cnh_valid_until = profile.cnh_valid_until.or(after.cnh_valid_until);
    after.trade_name = profile.trade_name.or(after.trade_name);
    after.state_registration = profile.state_registration.or(after.state_registration);
    after.municipal_registration = profile.municipal_registration.or(after.municipal_registration);
    after.legal_representative = profile.legal_representative.or(after.legal_representative);
    let first = |kind| mirrored.phones.iter().find(|one| one.kind == kind).map(|one| &one.number);
    let is_alike = first(PhoneKind::Mobile) == known.mobile.as_ref()
        && first(PhoneKind::Landline) == known.landline.as_ref();
    (after, if is_alike { mirrored.phones.clone() } else { stored_phones.to_vec() })
}

async fn write_claim(
    tx: &mut Tx,
    part: &MirrorWriteBatch<Vec<MirroredClaim>>,
    mirrored: &MirroredClaim,
    before: Option<&Claim>,
    mut claim: Claim,
) -> Result<bool, Error> {
    let (tenant, code) = (part.tenant(), mirrored.code.get());
    let benefit = match claim.head.benefit {
        Some(benefit) => {
            benefits::list_benefits_by_codes(&mut *tx, tenant, [benefit]).await?.pop().map(|(_, one)| one)
        }
        None => None,
    };
    if benefit.is_none() {
        claim.head.benefit = None;
    }
    let kind = part.registers.situation_kind(claim.head.situation);
    let moved = is_situation_change(before.map(|before| before.head.situation), claim.head.situation);
    // The source does not give the closing time. The time it was noticed is used; for claims first seen closed, the
    // opening time.
    let ended = before.map_or(claim.head.opened_at, |_| part.now);
    let closed_at = before.and_then(|one| one.head.closed_at);
    claim.head.closed_at = kind.and_then(|kind| kind.choose_closing_time(closed_at, ended));
    if let Some(before) = before {
        claim.description.clone_from(&before.description);
        claim.vehicle.fipe.clone_from(&before.vehicle.fipe);
        claim.head.version = before.head.version;
        claim.head.updated_at = before.head.updated_at;
        if !moved {
            claim.head.situation_since = before.head.situation_since;
        }
        if *before == claim {
            return Ok(false);
        }
        claim.head.version += 1;
        claim.head.updated_at = part.now;
        if moved {
            claim.head.situation_since = part.now;
        }
    }
    let case = Case::Claim(Box::new(claim));
    let mut statements = match before {
        Some(_) => vec![cases::update_case(tenant, code, &case)],
        None => cases::insert_cases(tenant, CaseKind::Claim, [(code, &case)]),
    };
    if moved {
        let history = HistoryCode::new(counters::reserve_number(tx, tenant, Counter::History).await?);
        let context = part.change_context();
        let change = RecordSituationChange {
            entity: Entity::Claim,
            record: code,
            branch: case.head().branch,
            from: before.map(|before| before.head.situation),
            to: case.head().situation,
            reason: None,
        };
        let text = render_case_trigger_body(&context, history, code, &case, benefit.as_ref())?;
        let entries = [(change.into_history_row(&context), text)];
        statements.extend(situation_changes::insert_silent_entries(history, entries));
    }
    tx.execute_batch(statements).await?;
    Ok(true)
}

/// Related claims are read together, so that both exist here.
async fn write_claim_relations(
    tx: &mut Tx,
    part: &MirrorWriteBatch<Vec<MirroredClaim>>,
    codes: &BTreeSet<ClaimCode>,
) -> Result<(), Error> {
    let tenant = part.tenant();
    let related_claims = || part.records.iter().filter_map(|one| Some((one.code, one.related.as_ref()?)));
    let known_codes: BTreeSet<ClaimCode> = related_claims().map(|(code, _)| code).collect();
    let stored_pairs: BTreeSet<(ClaimCode, ClaimCode)> =
        claims::list_related_claims(&mut *tx, tenant, known_codes.iter().copied())
            .await?
            .into_iter()
            .collect();
    let pairs: BTreeSet<(ClaimCode, ClaimCode)> = related_claims()
        .flat_map(|(code, others)| others.iter().map(move |other| (code, *other)))
        .filter(|(_, other)| codes.contains(other))
        .collect();
    let mut statements = claims::insert_claim_relations(tenant, pairs.difference(&stored_pairs).copied());
    statements.extend(
        stored_pairs
            .difference(&pairs)
            .map(|(one, other)| claims::delete_claim_relation(tenant, *one, *other)),
    );
    Ok(tx.execute_batch(statements).await?)
}
