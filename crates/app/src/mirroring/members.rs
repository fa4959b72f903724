//! Members with their benefits, as the search tells them: in its order, so that both searches have the same.

use super::{Hold, Mirror, Note, Part, begin, own_cards, reach, write};
use crate::people::mirrored as people;
use crate::situations::mirrored::{self, Taken};
use crate::{App, Error};
use domain::{BenefitCode, Document, PersonCode};
use std::collections::{BTreeMap, BTreeSet};
use storage::benefits::{self, Benefit};
use storage::counters::{self, Counter};
use storage::listing;
use storage::people::Profile;
use storage::phones::{self, Telephone};
use storage::{Lane, Tx, mirrors};

/// A row of the search: a member, as far as it tells of him, with one benefit or none.
#[derive(Clone, Debug)]
pub struct MemberSeen {
    pub person: PersonCode,
    pub profile: Profile,
    pub benefit: Option<(BenefitCode, Benefit)>,
}

/// Keeps what the list of benefits said, and how far it was read.
#[boxed::future]
pub async fn stage(
    app: &App,
    mirror: &Mirror,
    hold: &Hold,
    bodies: Vec<(BenefitCode, String)>,
) -> Result<(), Error> {
    let input = (mirror.clone(), hold.clone(), bodies);
    let lane = Lane::background(mirror.tenant);
    app.db
        .write(lane, input, |tx, (mirror, hold, bodies)| {
            Box::pin(async move {
                begin::check(tx, hold).await?;
                let bodies = bodies.iter().map(|(code, body)| (*code, body.as_str()));
                let mut statements = mirrors::stage(mirror.tenant, bodies);
                statements.push(mirrors::keep(mirror));
                Ok::<_, Error>(tx.batch(statements).await?)
            })
        })
        .await
}

/// What the list said of these benefits.
#[boxed::future]
pub async fn staged(
    app: &App,
    mirror: &Mirror,
    codes: &[BenefitCode],
) -> Result<Vec<(BenefitCode, String)>, Error> {
    Ok(mirrors::staged(&app.db, mirror.tenant, codes.iter().copied()).await?)
}

/// Writes a page of the search.
#[boxed::future]
pub async fn write_members(app: &App, part: Part<Vec<MemberSeen>>) -> Result<u64, Error> {
    write(app, part, |tx, part, notes| Box::pin(unit(tx, part, notes))).await
}

/// Everybody who is in hand, as he was and as he becomes.
struct Person {
    before: Option<Profile>,
    after: Profile,
    had: Vec<Telephone>,
}

async fn unit(tx: &mut Tx, part: &Part<Vec<MemberSeen>>, notes: &mut Vec<Note>) -> Result<u64, Error> {
    let (tenant, rows) = (part.tenant(), &part.seen);
    let codes: BTreeSet<PersonCode> = rows.iter().map(|row| row.person).collect();
    let of_benefits: Vec<BenefitCode> = rows.iter().filter_map(|row| Some(row.benefit.as_ref()?.0)).collect();
    let forgotten = |kind, codes: Vec<i32>| mirrors::forget(tenant, kind, &codes);
    tx.batch(vec![
        forgotten("associado", codes.iter().map(|code| code.get()).collect()),
        forgotten("beneficio", of_benefits.iter().map(|code| code.get()).collect()),
        mirrors::unstage(tenant, of_benefits.iter().copied()),
    ])
    .await?;
    let mut people = merged(tx, part, &codes).await?;
    keep_documents_alone(tx, part, &mut people, notes).await?;
    let mut written = write_people(tx, part, &people).await?;
    let found = benefits::some(&mut *tx, tenant, of_benefits.iter().copied()).await?;
    let known: BTreeMap<BenefitCode, Benefit> = found.into_iter().collect();
    let mut taken = take(tx, part, &people, &known).await?;
    keep_sequences_alone(tx, part, &mut taken, notes).await?;
    written += mirrored::write(tx, &part.acting(), &taken).await?;
    let sequences = taken.iter().map(|one| one.after.sequence).collect();
    let cards = own_cards(tenant, taken.iter().filter_map(|one| one.after.card.as_ref()));
    for (counter, codes) in [
        (Counter::Person, codes.iter().map(|code| code.get()).collect()),
        (Counter::Benefit, of_benefits.iter().map(|code| code.get()).collect()),
        (Counter::Sequence, sequences),
        (Counter::Card, cards),
    ] {
        reach(tx, tenant, counter, codes).await?;
    }
    Ok(written)
}

async fn merged(
    tx: &mut Tx,
    part: &Part<Vec<MemberSeen>>,
    codes: &BTreeSet<PersonCode>,
) -> Result<BTreeMap<PersonCode, Person>, Error> {
    let tenant = part.tenant();
    let found = storage::people::some(&mut *tx, tenant, codes.iter().copied()).await?;
    let known: Vec<PersonCode> = found.iter().map(|(code, _)| *code).collect();
    let mut phones = phones::of_some(&mut *tx, tenant, known).await?;
    let mut people: BTreeMap<PersonCode, Person> = BTreeMap::new();
    for (code, profile) in found {
        let had = phones.extract_if(.., |(person, _)| *person == code).map(|(_, one)| one).collect();
        people.insert(code, Person { after: profile.clone(), before: Some(profile), had });
    }
    for row in &part.seen {
        let is_alone = row.benefit.is_none();
        match people.get_mut(&row.person) {
            Some(person) => people::take_over(&mut person.after, &row.profile, is_alone),
            None => {
                let person = Person { before: None, after: row.profile.clone(), had: Vec::new() };
                people.insert(row.person, person);
            }
        }
    }
    Ok(people)
}

/// A document is one person's here: of two who have the same over there, the second goes without.
async fn keep_documents_alone(
    tx: &mut Tx,
    part: &Part<Vec<MemberSeen>>,
    people: &mut BTreeMap<PersonCode, Person>,
    notes: &mut Vec<Note>,
) -> Result<(), Error> {
    let asked: Vec<Document> = people.values().filter_map(|one| one.after.document.clone()).collect();
    let mut holders: BTreeMap<String, PersonCode> =
        storage::people::with_documents(&mut *tx, part.tenant(), &asked).await?.into_iter().collect();
    // Whoever is in hand here and gives his up, frees it.
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
                let reason = "outra pessoa da origem tem o mesmo documento; ficou com ela".to_owned();
                notes.push(Note {
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
    part: &Part<Vec<MemberSeen>>,
    people: &BTreeMap<PersonCode, Person>,
) -> Result<u64, Error> {
    let acting = part.acting();
    let new = people.iter().filter(|(_, one)| one.before.is_none()).map(|(code, one)| (*code, &one.after));
    // Two may have each other's documents now; and what those who change give up is free for those who are new.
    let gives_up = |person: &Person| {
        person
            .before
            .as_ref()
            .is_some_and(|one| one.document.is_some() && one.document != person.after.document)
    };
    let freed = people.iter().filter(|(_, person)| gives_up(person)).map(|(code, _)| *code);
    let freed: Vec<PersonCode> = freed.collect();
    if !freed.is_empty() {
        tx.batch(vec![storage::people::free_documents(part.tenant(), freed)]).await?;
    }
    let mut written = 0;
    for (code, person) in people {
        let Some(before) = &person.before else { continue };
        let phones = people::telephones(&person.had, &person.after);
        let had = (before, &person.had[..]);
        written += u64::from(people::change(tx, &acting, *code, had, (&person.after, &phones)).await?);
    }
    Ok(written + people::insert(tx, &acting, new).await?)
}

/// The benefits as they become, with their places in the search; and the rows of members who have none.
async fn take<'p>(
    tx: &mut Tx,
    part: &'p Part<Vec<MemberSeen>>,
    people: &'p BTreeMap<PersonCode, Person>,
    known: &'p BTreeMap<BenefitCode, Benefit>,
) -> Result<Vec<Taken<'p>>, Error> {
    let tenant = part.tenant();
    let mut free: BTreeMap<PersonCode, (i32, domain::BranchCode)> =
        listing::free(tx, tenant, people.keys().copied()).await?.into_iter().collect();
    let is_listed = |code: &PersonCode| {
        people.get(code).is_some_and(|one| one.before.as_ref().is_some_and(|before| before.is_member))
    };
    let mut taken: Vec<Taken<'p>> = Vec::new();
    let mut seen = BTreeSet::new();
    let mut alone = BTreeSet::new();
    // Rows that are there keep their places; no more are taken than may be new.
    let is_new = |row: &&MemberSeen| match &row.benefit {
        Some((code, _)) => !known.contains_key(code),
        None => !is_listed(&row.person),
    };
    let new = i32::try_from(part.seen.iter().filter(is_new).count()).unwrap_or(0);
    let first = counters::take(tx, tenant, Counter::Slot, new).await?;
    let mut slot = first..;
    let mut next = || slot.next().unwrap_or(first);
    for row in &part.seen {
        let Some(person) = people.get(&row.person) else { continue };
        let Some((code, told)) = &row.benefit else {
            if !is_listed(&row.person) && alone.insert(row.person) {
                let slot = next();
                mirrored::list_alone(tx, &part.acting(), (row.person, &person.after), slot).await?;
                free.insert(row.person, (slot, person.after.branch));
            }
            continue;
        };
        if !seen.insert(*code) {
            continue;
        }
        let before = known.get(code);
        let free_row = if before.is_none() { free.remove(&row.person) } else { None };
        let after = match before {
            Some(before) => mirrored::take_over(before, told),
            None => Benefit { slot: free_row.map_or_else(&mut next, |(slot, _)| slot), ..told.clone() },
        };
        taken.push(Taken { code: *code, before, after, holder: (row.person, &person.after), free_row });
    }
    Ok(taken)
}

/// A sequence number is one benefit's here.
async fn keep_sequences_alone(
    tx: &mut Tx,
    part: &Part<Vec<MemberSeen>>,
    taken: &mut [Taken<'_>],
    notes: &mut Vec<Note>,
) -> Result<(), Error> {
    let tenant = part.tenant();
    let asked: Vec<i32> = taken.iter().map(|one| one.after.sequence).collect();
    let mut holders: BTreeMap<i32, BenefitCode> =
        benefits::with_sequences(&mut *tx, tenant, asked.iter().copied()).await?.into_iter().collect();
    for one in taken {
        let is_free = one.after.sequence > 0
            && holders.get(&one.after.sequence).is_none_or(|holder| *holder == one.code);
        if !is_free {
            let reason = "falta ou é de outro benefício; recebeu um número desta base".to_owned();
            let field = "sequencial".to_owned();
            notes.push(Note { kind: "beneficio", record: one.code.get(), field, reason });
            one.after.sequence = match one.before {
                Some(before) => before.sequence,
                None => {
                    reach(tx, tenant, Counter::Sequence, asked.clone()).await?;
                    counters::next(tx, tenant, Counter::Sequence).await?
                }
            };
        }
        holders.insert(one.after.sequence, one.code);
    }
    Ok(())
}
