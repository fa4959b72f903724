//! Writes mirrored members with their benefits, in the order of the source's search, so that both searches return the
//! same order.

use super::counters::{advance_counter, extract_own_card_numbers};
use super::write_batch::{MirrorWriteBatch, write_batch};
use super::{MirrorLease, NewMirrorNote, StoredMirror, runs};
use app::benefits::mirror_rows::{self as benefit_rows, MirroredBenefitWrite};
use app::members::mirror_rows as people;
use app::{App, Error};
use domain::{Benefit, BenefitCode, ContactPhone, Document, MirrorRecordConflict, PersonCode, PersonProfile};
use std::collections::{BTreeMap, BTreeSet};
use storage::exchange::mirrors;
use storage::members::phones;
use storage::search::rows;
use storage::server::counters::{self, Counter};
use storage::{Tx, WriteLane, benefits};
use wire::mirror::describe_conflict;

/// A row of the search: a member with one benefit or none.
#[derive(Clone, Debug)]
pub struct MirroredMember {
    pub person: PersonCode,
    pub profile: PersonProfile,
    pub benefit: Option<(BenefitCode, Benefit)>,
}

/// Stages the benefit list, and stores the read position.
#[boxed::future]
pub async fn stage_benefits(
    app: &App,
    mirror: &StoredMirror,
    lease: &MirrorLease,
    bodies: Vec<(BenefitCode, String)>,
) -> Result<(), Error> {
    let input = (mirror.clone(), lease.clone(), bodies);
    let lane = WriteLane::background(mirror.tenant);
    app.db
        .write(lane, input, |tx, (mirror, lease, bodies)| {
            Box::pin(async move {
                runs::require_mirror_lease(tx, lease).await?;
                let bodies = bodies.iter().map(|(code, body)| (*code, body.as_str()));
                let mut statements = mirrors::stage_benefit_bodies(mirror.tenant, bodies);
                statements.push(mirrors::upsert_mirror(mirror));
                Ok::<_, Error>(tx.execute_batch(statements).await?)
            })
        })
        .await
}

/// The staged data of these benefits.
#[boxed::future]
pub async fn list_staged_benefits(
    app: &App,
    mirror: &StoredMirror,
    codes: &[BenefitCode],
) -> Result<Vec<(BenefitCode, String)>, Error> {
    Ok(mirrors::list_staged_bodies(&app.db, mirror.tenant, codes.iter().copied()).await?)
}

/// Writes a page of search results.
#[boxed::future]
pub async fn write_members(app: &App, part: MirrorWriteBatch<Vec<MirroredMember>>) -> Result<u64, Error> {
    write_batch(app, part, |tx, part, notes| Box::pin(write_member_batch(tx, part, notes))).await
}

/// A person of the batch, before and after the merge.
struct PersonMerge {
    before: Option<PersonProfile>,
    after: PersonProfile,
    stored_phones: Vec<ContactPhone>,
}

async fn write_member_batch(
    tx: &mut Tx,
    part: &MirrorWriteBatch<Vec<MirroredMember>>,
    notes: &mut Vec<NewMirrorNote>,
) -> Result<u64, Error> {
    let (tenant, rows) = (part.tenant(), &part.records);
    let codes: BTreeSet<PersonCode> = rows.iter().map(|row| row.person).collect();
    let benefit_codes: Vec<BenefitCode> =
        rows.iter().filter_map(|row| Some(row.benefit.as_ref()?.0)).collect();
    let forgotten = |kind, codes: Vec<i32>| mirrors::delete_mirror_notes(tenant, kind, &codes);
    tx.execute_batch(vec![
        forgotten("associado", codes.iter().map(|code| code.get()).collect()),
        forgotten("beneficio", benefit_codes.iter().map(|code| code.get()).collect()),
        mirrors::delete_staged_bodies(tenant, benefit_codes.iter().copied()),
    ])
    .await?;
    let mut people = merge_people(tx, part, &codes).await?;
    resolve_duplicate_documents(tx, part, &mut people, notes).await?;
    let mut written = write_people(tx, part, &people).await?;
    let found = benefits::list_benefits_by_codes(&mut *tx, tenant, benefit_codes.iter().copied()).await?;
    let known: BTreeMap<BenefitCode, Benefit> = found.into_iter().collect();
    let mut takeovers = merge_benefits(tx, part, &people, &known).await?;
    resolve_duplicate_sequences(tx, part, &mut takeovers, notes).await?;
    written += benefit_rows::write_takeovers(tx, &part.change_context(), &takeovers).await?;
    let sequences = takeovers.iter().map(|one| one.after.sequence).collect();
    let cards = extract_own_card_numbers(tenant, takeovers.iter().filter_map(|one| one.after.card.as_ref()));
    for (counter, codes) in [
        (Counter::Person, codes.iter().map(|code| code.get()).collect()),
        (Counter::Benefit, benefit_codes.iter().map(|code| code.get()).collect()),
        (Counter::Sequence, sequences),
        (Counter::Card, cards),
    ] {
        advance_counter(tx, tenant, counter, codes).await?;
    }
    Ok(written)
}

async fn merge_people(
    tx: &mut Tx,
    part: &MirrorWriteBatch<Vec<MirroredMember>>,
    codes: &BTreeSet<PersonCode>,
) -> Result<BTreeMap<PersonCode, PersonMerge>, Error> {
    let tenant = part.tenant();
    let found = storage::members::list_people_by_code(&mut *tx, tenant, codes.iter().copied()).await?;
    let known: Vec<PersonCode> = found.iter().map(|(code, _)| *code).collect();
    let mut phones = phones::list_phones_of_people(&mut *tx, tenant, known).await?;
    let mut people: BTreeMap<PersonCode, PersonMerge> = BTreeMap::new();
    for (code, profile) in found {
        let stored_phones =
            phones.extract_if(.., |(person, _)| *person == code).map(|(_, one)| one).collect();
        people.insert(code, PersonMerge { after: profile.clone(), before: Some(profile), stored_phones });
    }
    for row in &part.records {
        let is_alone = row.benefit.is_none();
        match people.get_mut(&row.person) {
            Some(person) => people::apply_mirrored_profile(&mut person.after, &row.profile, is_alone),
            None => {
                let person =
                    PersonMerge { before: None, after: row.profile.clone(), stored_phones: Vec::new() };
                people.insert(row.person, person);
            }
        }
    }
    Ok(people)
}

/// A document is unique here: of two people with the same one in the source, the second is written without it.
async fn resolve_duplicate_documents(
    tx: &mut Tx,
    part: &MirrorWriteBatch<Vec<MirroredMember>>,
    people: &mut BTreeMap<PersonCode, PersonMerge>,
    notes: &mut Vec<NewMirrorNote>,
) -> Result<(), Error> {
    let documents: Vec<Document> = people.values().filter_map(|one| one.after.document.clone()).collect();
    let mut holders: BTreeMap<String, PersonCode> =
        storage::members::list_person_codes_by_document(&mut *tx, part.tenant(), &documents)
            .await?
            .into_iter()
            .collect();
    // A person in this batch whose document changes frees it.
    holders.retain(|document, holder| {
        let after = people.get(holder).map(|one| one.after.document.as_ref().map(Document::as_str));
        after.is_none_or(|after| after == Some(document))
    });
    for (code, person) in people.iter_mut() {
        let Some(document) = person.after.document.as_ref().map(|one| one.as_str().to_owned()) else {
            continue;
        };
        match holders.get(&document) {
            Some(holder) if holder != code => {
                let reason = describe_conflict(MirrorRecordConflict::MemberDocumentTaken);
                notes.push(NewMirrorNote {
                    kind: "associado",
                    record: code.get(),
                    field: "cpfCnpj".to_owned(),
                    reason,
                });
                person.after.document = None;
            }
            Some(_) => {}
            None => {
                holders.insert(document, *code);
            }
        }
    }
    Ok(())
}

async fn write_people(
    tx: &mut Tx,
    part: &MirrorWriteBatch<Vec<MirroredMember>>,
    people: &BTreeMap<PersonCode, PersonMerge>,
) -> Result<u64, Error> {
    let context = part.change_context();
    let new = people.iter().filter(|(_, one)| one.before.is_none()).map(|(code, one)| (*code, &one.after));
    // Two people may have swapped documents, and documents given up are free for new people.
    let gives_up = |person: &PersonMerge| {
        person
            .before
            .as_ref()
            .is_some_and(|one| one.document.is_some() && one.document != person.after.document)
    };
    let freed = people.iter().filter(|(_, person)| gives_up(person)).map(|(code, _)| *code);
    let freed: Vec<PersonCode> = freed.collect();
    if !freed.is_empty() {
        tx.execute_batch(vec![storage::members::clear_documents(part.tenant(), freed)]).await?;
    }
    let mut written = 0;
    for (code, person) in people {
        let Some(before) = &person.before else { continue };
        let phones = people::mirror_telephones(&person.stored_phones, &person.after);
        let stored = (before, &person.stored_phones[..]);
        written += u64::from(
            people::update_mirrored_person(tx, &context, *code, stored, (&person.after, &phones)).await?,
        );
    }
    Ok(written + people::insert_mirrored_people(tx, &context, new).await?)
}

/// The merged benefits with their search slots, and the members without benefits.
async fn merge_benefits<'p>(
    tx: &mut Tx,
    part: &'p MirrorWriteBatch<Vec<MirroredMember>>,
    people: &'p BTreeMap<PersonCode, PersonMerge>,
    known: &'p BTreeMap<BenefitCode, Benefit>,
) -> Result<Vec<MirroredBenefitWrite<'p>>, Error> {
    let tenant = part.tenant();
    let mut free: BTreeMap<PersonCode, (i32, domain::BranchCode)> =
        rows::list_free_rows(tx, tenant, people.keys().copied()).await?.into_iter().collect();
    let is_listed = |code: &PersonCode| {
        people.get(code).is_some_and(|one| one.before.as_ref().is_some_and(|before| before.is_member))
    };
    let mut takeovers: Vec<MirroredBenefitWrite<'p>> = Vec::new();
    let mut seen_codes = BTreeSet::new();
    let mut alone = BTreeSet::new();
    // Existing rows keep their slots; only as many new slots are taken as there may be new rows.
    let is_new = |row: &&MirroredMember| match &row.benefit {
        Some((code, _)) => !known.contains_key(code),
        None => !is_listed(&row.person),
    };
    let new = i32::try_from(part.records.iter().filter(is_new).count()).unwrap_or(0);
    let first = counters::reserve_numbers(tx, tenant, Counter::Slot, new).await?;
    let mut slot = first..;
    let mut next = || slot.next().unwrap_or(first);
    for row in &part.records {
        let Some(person) = people.get(&row.person) else { continue };
        let Some((code, mirrored)) = &row.benefit else {
            if !is_listed(&row.person) && alone.insert(row.person) {
                let slot = next();
                people::insert_member_row(tx, &part.change_context(), (row.person, &person.after), slot)
                    .await?;
                free.insert(row.person, (slot, person.after.branch));
            }
            continue;
        };
        if !seen_codes.insert(*code) {
            continue;
        }
        let before = known.get(code);
        let free_row = if before.is_none() { free.remove(&row.person) } else { None };
        let after = match before {
            Some(before) => benefit_rows::take_over_benefit(before, mirrored),
            None => Benefit { slot: free_row.map_or_else(&mut next, |(slot, _)| slot), ..mirrored.clone() },
        };
        takeovers.push(MirroredBenefitWrite {
            code: *code,
            before,
            after,
            holder: (row.person, &person.after),
            free_row,
        });
    }
    Ok(takeovers)
}

/// A sequence number is unique among the benefits here.
async fn resolve_duplicate_sequences(
    tx: &mut Tx,
    part: &MirrorWriteBatch<Vec<MirroredMember>>,
    takeovers: &mut [MirroredBenefitWrite<'_>],
    notes: &mut Vec<NewMirrorNote>,
) -> Result<(), Error> {
    let tenant = part.tenant();
    let sequences: Vec<i32> = takeovers.iter().map(|one| one.after.sequence).collect();
    let mut holders: BTreeMap<i32, BenefitCode> =
        benefits::list_benefits_by_sequences(&mut *tx, tenant, sequences.iter().copied())
            .await?
            .into_iter()
            .collect();
    for one in takeovers {
        let is_free = one.after.sequence > 0
            && holders.get(&one.after.sequence).is_none_or(|holder| *holder == one.code);
        if !is_free {
            let reason = describe_conflict(MirrorRecordConflict::BenefitNumberTaken);
            let field = "sequencial".to_owned();
            notes.push(NewMirrorNote { kind: "beneficio", record: one.code.get(), field, reason });
            one.after.sequence = match one.before {
                Some(before) => before.sequence,
                None => {
                    advance_counter(tx, tenant, Counter::Sequence, sequences.clone()).await?;
                    counters::reserve_number(tx, tenant, Counter::Sequence).await?
                }
            };
        }
        holders.insert(one.after.sequence, one.code);
    }
    Ok(())
}
