//! A deal that is won: in one unit its lead's person becomes a member, gets the benefit that was sold to him with its
//! dependents, and the deal says so. Asked for again, it answers the same.

use super::managed::{Managed, meant, note, old, store, write};
use super::{Deal, FoundDeal, deals};
use crate::access::Session;
use crate::benefits::{self, Asked, New, Sent, Wish, ask, first_item, free_card};
use crate::once::{Done, Once};
use crate::situations::{Numbers, Then};
use crate::{App, Error};
use domain::{
    BenefitKind, Date, DealCode, DealState, DependentCode, Field, ItemCode, PersonCode, PlanCode, Rejection,
    SellerKind,
};
use std::sync::Arc;
use storage::benefits::Benefit;
use storage::counters::{self, Counter};
use storage::deals::dependents::DealDependent;
use storage::dependents::Dependent;
use storage::items::Item;
use storage::leads::Lead;
use storage::people::Profile;
use storage::{Tx, dependents, items, leads, people};
use wire::read::{Between, Given};
use wire::records::{BeneficioCampos, GanhoInput};

const WIN: &str = "PUT /gestao/negocio/{codNegocio}/ganhar";

/// Wins a deal.
#[boxed::future]
pub async fn win(
    app: &App,
    caller: &Session,
    code: DealCode,
    input: GanhoInput,
    once: Once<Managed>,
) -> Result<Done<Managed>, Error> {
    let done = ask(app, caller, WIN, (code, input), once, |tx, asked| Box::pin(write_won(tx, asked))).await?;
    note(app, caller, WIN, done)
}

type Winning = Asked<(DealCode, GanhoInput)>;

async fn write_won(tx: &mut Tx, asked: &Winning) -> Result<Managed, Error> {
    let (code, input) = (asked.input.0, &asked.input.1);
    let found = meant(tx, asked, code).await?;
    let registers = Arc::clone(&asked.registers);
    if found.deal.benefit.is_some() {
        let after = Deal { state: DealState::Won, lost_because: None, ..found.deal.clone() };
        return Box::pin(store(tx, asked, found, after, "ganho".to_owned())).await;
    }
    let tenant = asked.scope.tenant();
    let gone = || storage::Error::Broken(format!("the lead of deal {code} is gone"));
    let lead = leads::by_code(&mut *tx, tenant, found.deal.lead).await?.ok_or_else(gone)?;
    let mut wish = Wish::new(&asked.registers, &asked.scope);
    let holder = Box::pin(holder(tx, asked, &lead, &mut wish)).await?;
    let (fields, plans) = as_sold(asked, &found.deal, &lead, &mut wish);
    let is_vehicle = plans.first().and_then(|code| asked.registers.plan(*code));
    let is_vehicle = is_vehicle.is_none_or(|plan| plan.kind == BenefitKind::Vehicle);
    let sent = Sent {
        fields: &fields,
        situation: Some((&input.situation, &input.active)),
        vehicle: is_vehicle.then_some((&input.vehicle, &input.fipe)),
        known: is_vehicle.then_some(&found.deal.vehicle),
    };
    let made = wish.new_benefit(sent, holder.as_ref(), asked.now);
    let (Some((benefit, item)), Some(holder), []) = (made, holder, &wish.problems[..]) else {
        return Err(Error::Refused(wish.problems));
    };
    refuse(asked, code, &found.deal)?;
    let shared = deals::dependents::of(&mut *tx, tenant, code).await?;
    refuse_twins(&shared)?;
    let (benefit, then) = Box::pin(with_rest(tx, asked, benefit, &plans, shared)).await?;
    let holder = Box::pin(settle(tx, asked, &found, &lead, holder)).await?;
    let person = holder.0;
    let done = format!("criado do negócio {code}").into();
    let new = New { benefit, item, holder, kept: Numbers::default(), then: Some(then), done };
    let acting = asked.acting();
    let stored = Box::pin(benefits::insert(tx, &acting, &asked.scope, new)).await?;
    let after =
        Deal { state: DealState::Won, lost_because: None, benefit: Some(stored.code), ..found.deal.clone() };
    let deal = write(tx, &acting, (code, person), &found.deal, after, "ganho").await?;
    let shown = deals::at(&mut *tx, &asked.scope, &[code], false).await?.pop();
    let found = FoundDeal { deal, ..shown.unwrap_or(found) };
    Ok(Managed { found, registers, changed: true })
}

/// What speaks against winning it now.
fn refuse(asked: &Winning, code: DealCode, before: &Deal) -> Result<(), Error> {
    let version = asked.input.1.version.clone().set().map(Between::get);
    let mut problems: Vec<Rejection> = old(asked, version, before, &[]).into_iter().collect();
    if before.state == DealState::Lost {
        problems.push(Rejection::ClosedDeal { deal: code, won: false });
    }
    if problems.is_empty() { Ok(()) } else { Err(Error::Refused(problems)) }
}

/// Who becomes the holder: whoever has the document, else the person of the lead, who gets it.
async fn holder(
    tx: &mut Tx,
    asked: &Winning,
    lead: &Lead,
    wish: &mut Wish<'_>,
) -> Result<Option<(PersonCode, Profile)>, Error> {
    let tenant = asked.scope.tenant();
    let own = people::by_code(&mut *tx, tenant, lead.person).await?;
    let gone = || storage::Error::Broken("the person of a lead is gone".to_owned());
    let own = own.ok_or_else(gone)?;
    let known = lead.document.clone().or_else(|| own.document.clone());
    let document = match (asked.input.1.document.clone(), known) {
        (Given::Set(given), Some(known)) if given != known => {
            wish.problems.push(Rejection::OtherDocument(known.to_string()));
            return Ok(None);
        }
        (Given::Set(given), _) => given,
        (_, Some(known)) => known,
        (_, None) => {
            wish.problems.push(Rejection::Missing(Field::Document));
            return Ok(None);
        }
    };
    let (person, mut profile) = match people::by_document(&mut *tx, tenant, &document).await? {
        Some((person, profile)) => {
            let is_seen = asked.scope.sees(profile.branch)
                || storage::benefits::has_visible(&mut *tx, &asked.scope, person).await?;
            if !is_seen {
                return Err(Rejection::PersonElsewhere.into());
            }
            (person, profile)
        }
        None => (lead.person, own),
    };
    if !profile.is_member {
        profile.nature = document.nature();
        profile.document = Some(document);
        profile.updated_at = asked.now;
    }
    Ok(Some((person, profile)))
}

/// What was sent, and where nothing was, what the deal and its lead say; with every plan that was sold.
fn as_sold(
    asked: &Winning,
    deal: &Deal,
    lead: &Lead,
    wish: &mut Wish<'_>,
) -> (BeneficioCampos, Vec<PlanCode>) {
    let input = &asked.input.1;
    let mut fields = input.fields.clone();
    let more = match &input.plans {
        Given::Set(plans) => plans.clone(),
        Given::Keep | Given::Clear => Vec::new(),
    };
    let mut plans: Vec<PlanCode> = fields.plan.clone().set().into_iter().chain(more).collect();
    if plans.is_empty() {
        plans.clone_from(&deal.plans);
    }
    let mut each = Vec::new();
    plans.retain(|plan| {
        !each.contains(plan) && {
            each.push(*plan);
            true
        }
    });
    let is_sold = |code: &&PlanCode| asked.registers.plan(**code).is_some_and(|plan| plan.active);
    let unknown = plans.iter().skip(1).filter(|code| !is_sold(code));
    let unknown: Vec<Rejection> =
        unknown.map(|code| Rejection::UnknownCode { field: Field::Plans, code: code.get() }).collect();
    wish.problems.extend(unknown);
    fields.plan = plans.first().map_or(Given::Keep, |plan| Given::Set(*plan));
    if fields.branch == Given::Keep {
        fields.branch = Given::Set(deal.branch);
    }
    let today: Date = asked.now.date_in(&asked.registers.zone);
    if fields.joined == Given::Keep {
        fields.joined = Given::Set(today);
    }
    let sells = |code| asked.registers.sells(&asked.scope, code, SellerKind::Consultant);
    if let (Given::Keep, Some(seller)) = (&fields.consultant, lead.consultant.filter(|code| sells(*code))) {
        fields.consultant = Given::Set(seller);
    }
    (fields, plans)
}

/// Nobody is the same benefit's dependent twice.
fn refuse_twins(shared: &[(DependentCode, DealDependent)]) -> Result<(), Error> {
    let twin = |(at, (_, one)): (usize, &(DependentCode, DealDependent))| {
        let earlier = shared[..at].iter().find(|(_, other)| one.cpf.is_some() && other.cpf == one.cpf);
        earlier.map(|(code, _)| Rejection::DependentTaken(*code))
    };
    let problems: Vec<Rejection> = shared.iter().enumerate().filter_map(twin).collect();
    if problems.is_empty() { Ok(()) } else { Err(Error::Refused(problems)) }
}

/// The benefit with every plan, and what is written with it: the further items and the dependents.
async fn with_rest(
    tx: &mut Tx,
    asked: &Winning,
    mut benefit: Benefit,
    plans: &[PlanCode],
    shared: Vec<(DependentCode, DealDependent)>,
) -> Result<(Benefit, Then<'static>), Error> {
    let (tenant, now) = (asked.scope.tenant(), asked.now);
    let today = now.date_in(&asked.registers.zone).to_iso();
    let further: Vec<&storage::plans::Plan> =
        plans.iter().skip(1).filter_map(|code| asked.registers.plan(*code)).collect();
    benefit.plans.extend(further.iter().map(|plan| (plan.code, plan.price)));
    let count = |len: usize| i32::try_from(len).unwrap_or(i32::MAX);
    let wanted = [(Counter::Item, count(further.len())), (Counter::Dependent, count(shared.len()))];
    let [item, dependent] = counters::take_all(tx, tenant, wanted).await?;
    let further: Vec<Item> = (item..)
        .zip(further)
        .map(|(code, plan)| Item {
            code: ItemCode::new(code),
            is_first: false,
            ..first_item(plan, today.clone())
        })
        .collect();
    let mut sharing = Vec::with_capacity(shared.len());
    for (code, (_, one)) in (dependent..).zip(shared) {
        let card = free_card(tx, tenant).await?;
        sharing.push((DependentCode::new(code), one, card));
    }
    let then: Then<'static> = Box::new(move |code, benefit| {
        let dependents: Vec<(DependentCode, Dependent)> = sharing
            .into_iter()
            .map(|(own, one, card)| {
                let dependent = Dependent {
                    benefit: code,
                    name: one.name,
                    cpf: one.cpf,
                    born_on: one.born_on,
                    kinship: one.kinship,
                    sex: one.sex,
                    identity_number: None,
                    phone: one.phone,
                    email: one.email,
                    card: Some(card),
                    plans: one.plans,
                    active: true,
                    created_at: now,
                    updated_at: now,
                };
                (own, dependent)
            })
            .collect();
        let mut statements =
            items::insert(tenant, now, further.iter().map(|item| (code, benefit.slot, item)));
        statements.extend(dependents::insert(tenant, dependents.iter().map(|(own, one)| (*own, one))));
        statements
    });
    Ok((benefit, then))
}

/// The lead knows by now who he is.
async fn settle(
    tx: &mut Tx,
    asked: &Winning,
    found: &FoundDeal,
    lead: &Lead,
    holder: (PersonCode, Profile),
) -> Result<(PersonCode, Profile), Error> {
    let (person, profile) = &holder;
    let mut after = lead.clone();
    after.person = *person;
    if after.document.is_none() {
        after.document.clone_from(&profile.document);
    }
    if after != *lead {
        after.updated_at = asked.now;
        tx.batch(leads::update(asked.scope.tenant(), found.deal.lead, lead, &after)).await?;
    }
    Ok(holder)
}
