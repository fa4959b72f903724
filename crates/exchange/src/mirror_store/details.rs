//! Writes the details of mirrored benefits (items, dependents, vehicle equipment) and the credit cards of members.

use super::NewMirrorNote;
use super::counters::{advance_counter, extract_own_card_numbers};
use super::write_batch::{MirrorWriteBatch, write_batch};
use app::{App, Error};
use domain::{
    BenefitCode, BenefitItem, CreditCard, Dependent, DependentCode, PersonCode, TrackerInstallation,
};
use std::collections::{BTreeMap, BTreeSet};
use storage::benefits::{installations, items};
use storage::exchange::mirrors;
use storage::members::credit_cards::{self, NewCreditCardRow};
use storage::members::dependents;
use storage::server::counters::Counter;
use storage::{Statement, Tx, benefits};

/// Child records as read from the source.
#[derive(Clone, Debug)]
pub struct ChildRecords<T> {
    pub records: Vec<T>,
    /// All of them could be parsed, so records that are missing from the list can be removed here.
    pub is_complete: bool,
}

/// The details of a benefit; `None` if they could not be read, in which case the stored ones are kept.
#[derive(Clone, Debug)]
pub struct MirroredBenefitDetails {
    pub benefit: BenefitCode,
    pub items: Option<ChildRecords<BenefitItem>>,
    pub dependents: Option<ChildRecords<(DependentCode, Dependent)>>,
    pub equipment: Option<ChildRecords<TrackerInstallation>>,
}

#[derive(Clone, Debug)]
pub struct MirroredCreditCards {
    pub person: PersonCode,
    pub cards: ChildRecords<CreditCard>,
}

#[boxed::future]
pub async fn write_benefit_details(
    app: &App,
    part: MirrorWriteBatch<Vec<MirroredBenefitDetails>>,
) -> Result<u64, Error> {
    write_batch(app, part, |tx, part, notes| Box::pin(write_details_batch(tx, part, notes))).await
}

async fn write_details_batch(
    tx: &mut Tx,
    part: &MirrorWriteBatch<Vec<MirroredBenefitDetails>>,
    _: &mut Vec<NewMirrorNote>,
) -> Result<u64, Error> {
    let tenant = part.tenant();
    let codes: Vec<BenefitCode> = part.records.iter().map(|one| one.benefit).collect();
    let numbers: Vec<i32> = codes.iter().map(|code| code.get()).collect();
    let kinds = ["itens", "dependentes", "equipamentos"];
    let mut forgotten: Vec<_> =
        kinds.map(|kind| mirrors::delete_mirror_notes(tenant, kind, &numbers)).into_iter().collect();
    // The benefit kinds of these plans are known now, so the notes about them are obsolete.
    let all = part.records.iter().filter_map(|one| one.items.as_ref()).flat_map(|one| &one.records);
    let plans: BTreeSet<i32> = all.map(|item| item.plan.get()).collect();
    forgotten.push(mirrors::delete_mirror_notes(tenant, "plano", &plans.into_iter().collect::<Vec<_>>()));
    tx.execute_batch(forgotten).await?;
    let slots: BTreeMap<BenefitCode, i32> =
        benefits::list_benefits_by_codes(&mut *tx, tenant, codes.iter().copied())
            .await?
            .into_iter()
            .map(|(code, benefit)| (code, benefit.slot))
            .collect();
    let mut statements = Vec::new();
    let stored_items = items::list_items_of_benefits(&mut *tx, tenant, codes.iter().copied()).await?;
    let mut written = write_items(part, &slots, &stored_items, &mut statements);
    written += write_dependents(tx, part, &codes, &mut statements).await?;
    let stored_installations =
        installations::list_installations_of_benefits(&mut *tx, tenant, codes.iter().copied()).await?;
    written += write_equipment(part, &stored_installations, &mut statements);
    tx.execute_batch(statements).await?;
    for (counter, codes) in collect_used_codes(part) {
        advance_counter(tx, tenant, counter, codes).await?;
    }
    Ok(written)
}

/// Codes in use in the source.
fn collect_used_codes(part: &MirrorWriteBatch<Vec<MirroredBenefitDetails>>) -> [(Counter, Vec<i32>); 4] {
    let items = part.records.iter().filter_map(|one| one.items.as_ref()).flat_map(|one| &one.records);
    let dependents =
        || part.records.iter().filter_map(|one| one.dependents.as_ref()).flat_map(|one| &one.records);
    let equipment = part.records.iter().filter_map(|one| one.equipment.as_ref()).flat_map(|one| &one.records);
    [
        (Counter::Item, items.map(|one| one.code.get()).collect()),
        (Counter::Dependent, dependents().map(|(code, _)| code.get()).collect()),
        (Counter::Installation, equipment.map(|one| one.code.get()).collect()),
        (
            Counter::Card,
            extract_own_card_numbers(part.tenant(), dependents().filter_map(|(_, one)| one.card.as_ref())),
        ),
    ]
}

fn write_items(
    part: &MirrorWriteBatch<Vec<MirroredBenefitDetails>>,
    slots: &BTreeMap<BenefitCode, i32>,
    stored_items: &[(BenefitCode, BenefitItem)],
    statements: &mut Vec<Statement>,
) -> u64 {
    let (tenant, now) = (part.tenant(), part.now);
    let mut written = 0;
    let mut new = Vec::new();
    for one in &part.records {
        let (Some(ChildRecords { records: mirrored_items, is_complete }), Some(slot)) =
            (&one.items, slots.get(&one.benefit))
        else {
            continue;
        };
        let known: BTreeMap<_, _> = stored_items
            .iter()
            .filter(|(benefit, _)| *benefit == one.benefit)
            .map(|(_, item)| (item.code, item))
            .collect();
        // The source does not tell which item came first. Unless it is known here, the oldest active one is used.
        let has_first = known.values().any(|item| item.is_first);
        let oldest = |item: &&BenefitItem| item.active;
        let first = mirrored_items.iter().filter(oldest).chain(mirrored_items).map(|item| item.code).next();
        for item in mirrored_items {
            // Nor does it tell whether a price was agreed.
            let (is_first, is_price_agreed) = match known.get(&item.code) {
                Some(known) => (known.is_first, known.is_price_agreed),
                None => (!has_first && Some(item.code) == first, item.is_price_agreed),
            };
            let item = BenefitItem { is_first, is_price_agreed, ..item.clone() };
            match known.get(&item.code) {
                Some(known) if **known == item => continue,
                Some(_) => statements.push(items::update_item(tenant, one.benefit, &item, now)),
                None => new.push((one.benefit, *slot, item)),
            }
            written += 1;
        }
        let is_gone = |item: &&&BenefitItem| {
            *is_complete && item.active && !mirrored_items.iter().any(|one| one.code == item.code)
        };
        for item in known.values().filter(is_gone) {
            statements.push(items::deactivate_item(tenant, one.benefit, item.code, now));
            written += 1;
        }
    }
    statements.extend(items::insert_items(
        tenant,
        now,
        new.iter().map(|(benefit, slot, item)| (*benefit, *slot, item)),
    ));
    written
}

async fn write_dependents(
    tx: &mut Tx,
    part: &MirrorWriteBatch<Vec<MirroredBenefitDetails>>,
    codes: &[BenefitCode],
    statements: &mut Vec<Statement>,
) -> Result<u64, Error> {
    let (tenant, now) = (part.tenant(), part.now);
    let all: Vec<DependentCode> = part
        .records
        .iter()
        .filter_map(|one| one.dependents.as_ref())
        .flat_map(|one| &one.records)
        .map(|(code, _)| *code)
        .collect();
    let stored: BTreeMap<DependentCode, Dependent> =
        dependents::list_dependents_by_benefits_or_codes(tx, tenant, codes, &all)
            .await?
            .into_iter()
            .collect();
    let mut new: BTreeMap<DependentCode, Dependent> = BTreeMap::new();
    let mut written = 0;
    for one in &part.records {
        let Some(ChildRecords { records: mirrored, is_complete }) = &one.dependents else { continue };
        for (code, dependent) in mirrored {
            match stored.get(code) {
                Some(before) => {
                    let after = Dependent { updated_at: before.updated_at, ..dependent.clone() };
                    if *before != after {
                        let after = Dependent { updated_at: now, ..after };
                        statements.extend(dependents::update_dependent(tenant, *code, before, &after));
                        written += 1;
                    }
                }
                None => {
                    new.insert(*code, dependent.clone());
                }
            }
        }
        let mirrored: BTreeSet<DependentCode> = mirrored.iter().map(|(code, _)| *code).collect();
        let is_removed = |(code, before): &(&DependentCode, &Dependent)| {
            *is_complete && before.benefit == one.benefit && before.active && !mirrored.contains(*code)
        };
        for (code, before) in stored.iter().filter(is_removed) {
            let after = Dependent { active: false, updated_at: now, ..before.clone() };
            statements.extend(dependents::update_dependent(tenant, *code, before, &after));
            written += 1;
        }
    }
    statements.extend(dependents::insert_dependents(tenant, new.iter().map(|(code, one)| (*code, one))));
    Ok(written + new.len() as u64)
}

fn write_equipment(
    part: &MirrorWriteBatch<Vec<MirroredBenefitDetails>>,
    stored: &[(BenefitCode, TrackerInstallation)],
    statements: &mut Vec<Statement>,
) -> u64 {
    let (tenant, now) = (part.tenant(), part.now);
    let mut new = Vec::new();
    let mut written = 0;
    for one in &part.records {
        for mirrored in one.equipment.iter().flat_map(|one| &one.records) {
            let known =
                stored.iter().find(|(benefit, known)| *benefit == one.benefit && known.code == mirrored.code);
            match known {
                None => new.push((one.benefit, now, mirrored)),
                Some((_, known)) => {
                    let after = TrackerInstallation { tracker: known.tracker, ..mirrored.clone() };
                    if *known == after {
                        continue;
                    }
                    statements.push(installations::update_installation(tenant, one.benefit, &after, now));
                }
            }
            written += 1;
        }
    }
    statements.extend(installations::insert_installations(tenant, new));
    written
}

/// The source never exposes gateway tokens, so these cards cannot be charged from here.
#[boxed::future]
pub async fn write_credit_cards(
    app: &App,
    part: MirrorWriteBatch<Vec<MirroredCreditCards>>,
) -> Result<u64, Error> {
    write_batch(app, part, |tx, part, _| Box::pin(write_card_batch(tx, part))).await
}

async fn write_card_batch(
    tx: &mut Tx,
    part: &MirrorWriteBatch<Vec<MirroredCreditCards>>,
) -> Result<u64, Error> {
    let (tenant, now) = (part.tenant(), part.now);
    let people: Vec<PersonCode> = part.records.iter().map(|one| one.person).collect();
    let numbers: Vec<i32> = people.iter().map(|code| code.get()).collect();
    let stored = credit_cards::list_credit_cards_of_people(&mut *tx, tenant, people).await?;
    let mut statements = vec![mirrors::delete_mirror_notes(tenant, "cartaoCredito", &numbers)];
    let mut new = Vec::new();
    let mut written = 0;
    for one in &part.records {
        let known = || stored.iter().filter(|(holder, _)| *holder == one.person).map(|(_, card)| card);
        for mirrored in &one.cards.records {
            match known().find(|card| card.code == mirrored.code) {
                Some(card) if card == mirrored => continue,
                Some(_) => {
                    statements.push(credit_cards::update_credit_card(tenant, one.person, mirrored, now));
                }
                None => {
                    let card = mirrored.clone();
                    new.push((one.person, NewCreditCardRow { card, created_at: now }));
                }
            }
            written += 1;
        }
        let is_removed = |card: &&CreditCard| {
            let is_mirrored = one.cards.records.iter().any(|mirrored| mirrored.code == card.code);
            one.cards.is_complete && card.active && !is_mirrored
        };
        for removed in known().filter(is_removed) {
            let removed = CreditCard { active: false, is_main: false, ..removed.clone() };
            statements.push(credit_cards::update_credit_card(tenant, one.person, &removed, now));
            written += 1;
        }
    }
    statements
        .extend(credit_cards::insert_credit_cards(tenant, new.iter().map(|(person, card)| (*person, card))));
    tx.execute_batch(statements).await?;
    let all = part.records.iter().flat_map(|one| &one.cards.records).map(|card| card.code.get()).collect();
    advance_counter(tx, tenant, Counter::CreditCard, all).await?;
    Ok(written)
}
