//! Wins a deal in one transaction: the person of the lead becomes a member and gets the benefit with its dependents,
//! and the deal refers to the benefit. A repeated request gives the same answer.

use super::move_stage::{
    CurrentDeal, load_visible_deal, record_unchanged_access, refuse_old_deal_version, store_deal,
    write_deal_change,
};
use super::{FoundDeal, deals};
use crate::benefits::{
    self, BenefitWriteHook, NewBenefitDraft, PresetNumbers, SentBenefitFields, SentBenefitValidator,
    build_first_item, reserve_free_card,
};
use crate::command::{WriteCommand, run_command};
use crate::idempotency::{IdempotentWrite, WriteOutcome};
use crate::session::Session;
use crate::{App, Error};
use domain::{
    AuditedAction, AuditedChange, AuditedOperation, Benefit, BenefitItem, Date, Deal, DealCode, DealState,
    Dependent, DependentCode, InputField, ItemCode, Lead, PersonCode, PersonProfile, PlanCode,
    ProposedDependent, Rejection, SellerKind,
};
use std::sync::Arc;
use storage::benefits::items;
use storage::members::dependents;
use storage::sales::leads;
use storage::server::counters::{self, Counter};
use storage::{Tx, members};
use wire::read::{BoundedInt, FieldPatch};
use wire::records::{BeneficioCampos, GanhoInput};

const WIN: AuditedOperation = AuditedOperation::WinDeal;

#[boxed::future]
pub async fn win_deal(
    app: &App,
    caller: &Session,
    code: DealCode,
    input: GanhoInput,
    once: IdempotentWrite<CurrentDeal>,
) -> Result<WriteOutcome<CurrentDeal>, Error> {
    let outcome = run_command(app, caller, WIN, (code, input), once, |tx, command| {
        Box::pin(write_won_deal(tx, command))
    })
    .await?;
    record_unchanged_access(app, caller, WIN, outcome)
}

type WinDeal = WriteCommand<(DealCode, GanhoInput)>;

async fn write_won_deal(tx: &mut Tx, command: &WinDeal) -> Result<CurrentDeal, Error> {
    let (code, input) = (command.input.0, &command.input.1);
    let found = load_visible_deal(tx, command, code).await?;
    let registers = Arc::clone(&command.registers);
    if found.deal.benefit.is_some() {
        let after = Deal { state: DealState::Won, lost_because: None, ..found.deal.clone() };
        return Box::pin(store_deal(tx, command, found, after, AuditedAction::WinDeal.into())).await;
    }
    let tenant = command.scope.tenant();
    let missing_lead = || storage::Error::Broken(format!("the lead of deal {code} is gone"));
    let lead = leads::find_lead(&mut *tx, tenant, found.deal.lead).await?.ok_or_else(missing_lead)?;
    let mut validator = SentBenefitValidator::new(&command.registers, &command.scope);
    let holder = Box::pin(resolve_holder(tx, command, &lead, &mut validator)).await?;
    let (fields, plans) = build_sold_fields(command, &found.deal, &lead, &mut validator);
    let is_vehicle = plans.first().and_then(|code| command.registers.plan(*code));
    let is_vehicle = is_vehicle.is_none_or(|plan| plan.kind.has_vehicle());
    let sent_fields = SentBenefitFields {
        fields: &fields,
        situation: Some((&input.situation, &input.active)),
        vehicle: is_vehicle.then_some((&input.vehicle, &input.fipe)),
        stated_vehicle: is_vehicle.then_some(&found.deal.vehicle),
    };
    let built = validator.build_new_benefit(sent_fields, holder.as_ref(), command.now);
    let (Some((benefit, item)), Some(holder), []) = (built, holder, &validator.problems[..]) else {
        return Err(Error::Refused(validator.problems));
    };
    refuse_lost_deal(command, code, &found.deal)?;
    let proposed = deals::dependents::list_deal_dependents(&mut *tx, tenant, code).await?;
    refuse_duplicate_dependents(&proposed)?;
    let (benefit, hook) = Box::pin(prepare_further_rows(tx, command, benefit, &plans, proposed)).await?;
    let holder = Box::pin(update_won_lead(tx, command, &found, &lead, holder)).await?;
    let person = holder.0;
    let audited = AuditedChange::from(AuditedAction::CreateFromDeal).with_argument(code);
    let new = NewBenefitDraft {
        benefit,
        item,
        holder,
        preset_numbers: PresetNumbers::default(),
        then: Some(hook),
        audited,
    };
    let context = command.actor_context();
    let stored = Box::pin(benefits::insert_benefit(tx, &context, &command.scope, new)).await?;
    let after =
        Deal { state: DealState::Won, lost_because: None, benefit: Some(stored.code), ..found.deal.clone() };
    let deal =
        write_deal_change(tx, &context, (code, person), &found.deal, after, AuditedAction::WinDeal.into())
            .await?;
    let reloaded = deals::list_found_deals(&mut *tx, &command.scope, &[code]).await?.pop();
    let found = FoundDeal { deal, ..reloaded.unwrap_or(found) };
    Ok(CurrentDeal { found_deal: found, registers, changed: true })
}

/// Refuses a lost deal or a stale version.
fn refuse_lost_deal(command: &WinDeal, code: DealCode, before: &Deal) -> Result<(), Error> {
    let version = command.input.1.version.clone().into_set().map(BoundedInt::get);
    let mut problems: Vec<Rejection> =
        refuse_old_deal_version(command, version, before, &[]).into_iter().collect();
    if before.state == DealState::Lost {
        problems.push(Rejection::ClosedDeal { deal: code, won: false });
    }
    if problems.is_empty() { Ok(()) } else { Err(Error::Refused(problems)) }
}

/// The holder is the person with the document, else the person of the lead, who gets the document.
async fn resolve_holder(
    tx: &mut Tx,
    command: &WinDeal,
    lead: &Lead,
    validator: &mut SentBenefitValidator<'_>,
) -> Result<Option<(PersonCode, PersonProfile)>, Error> {
    let tenant = command.scope.tenant();
    let lead_person = members::find_person(&mut *tx, tenant, lead.person).await?;
    let missing_person = || storage::Error::Broken("the person of a lead is gone".to_owned());
    let lead_person = lead_person.ok_or_else(missing_person)?;
    let known = lead.document.clone().or_else(|| lead_person.document.clone());
    let document = match (command.input.1.document.clone(), known) {
        (FieldPatch::Set(requested), Some(known)) if requested != known => {
            validator.problems.push(Rejection::OtherDocument(known.to_string()));
            return Ok(None);
        }
        (FieldPatch::Set(requested), _) => requested,
        (_, Some(known)) => known,
        (_, None) => {
            validator.problems.push(Rejection::Missing(InputField::Document));
            return Ok(None);
        }
    };
    let (person, mut profile) = match members::find_person_by_document(&mut *tx, tenant, &document).await? {
        Some((person, profile)) => {
            if !members::is_profile_visible(&mut *tx, &command.scope, (person, &profile)).await? {
                return Err(Rejection::PersonElsewhere.into());
            }
            (person, profile)
        }
        None => (lead.person, lead_person),
    };
    if !profile.is_member {
        profile.nature = document.nature();
        profile.document = Some(document);
        profile.updated_at = command.now;
    }
    Ok(Some((person, profile)))
}

/// The sent fields, completed from the deal and its lead, and all plans sold.
fn build_sold_fields(
    command: &WinDeal,
    deal: &Deal,
    lead: &Lead,
    validator: &mut SentBenefitValidator<'_>,
) -> (BeneficioCampos, Vec<PlanCode>) {
    let input = &command.input.1;
    let mut fields = input.fields.clone();
    let further_plans = match &input.plans {
        FieldPatch::Set(plans) => plans.clone(),
        FieldPatch::Keep | FieldPatch::Clear => Vec::new(),
    };
    let mut plans: Vec<PlanCode> = fields.plan.clone().into_set().into_iter().chain(further_plans).collect();
    if plans.is_empty() {
        plans.clone_from(&deal.plans);
    }
    let mut distinct = Vec::new();
    plans.retain(|plan| {
        !distinct.contains(plan) && {
            distinct.push(*plan);
            true
        }
    });
    let is_sold = |code: &&PlanCode| command.registers.plan(**code).is_some_and(|plan| plan.active);
    let unknown = plans.iter().skip(1).filter(|code| !is_sold(code));
    let unknown: Vec<Rejection> =
        unknown.map(|code| Rejection::UnknownCode { field: InputField::Plans, code: code.get() }).collect();
    validator.problems.extend(unknown);
    fields.plan = plans.first().map_or(FieldPatch::Keep, |plan| FieldPatch::Set(*plan));
    if fields.branch == FieldPatch::Keep {
        fields.branch = FieldPatch::Set(deal.branch);
    }
    let today: Date = command.now.date_in(&command.registers.zone);
    if !matches!(fields.joined, FieldPatch::Set(_)) {
        fields.joined = FieldPatch::Set(today);
    }
    let sells = |code| command.registers.is_active_seller(&command.scope, code, SellerKind::Consultant);
    if let (FieldPatch::Keep, Some(seller)) =
        (&fields.consultant, lead.consultant.filter(|code| sells(*code)))
    {
        fields.consultant = FieldPatch::Set(seller);
    }
    (fields, plans)
}

/// A CPF may occur only once among the dependents of a benefit.
fn refuse_duplicate_dependents(proposed: &[(DependentCode, ProposedDependent)]) -> Result<(), Error> {
    let twin = |(at, (_, one)): (usize, &(DependentCode, ProposedDependent))| {
        let earlier = proposed[..at].iter().find(|(_, other)| one.cpf.is_some() && other.cpf == one.cpf);
        earlier.map(|(code, _)| Rejection::DependentTaken(*code))
    };
    let problems: Vec<Rejection> = proposed.iter().enumerate().filter_map(twin).collect();
    if problems.is_empty() { Ok(()) } else { Err(Error::Refused(problems)) }
}

/// Adds all plans to the benefit and prepares the rows written with it: further items and dependents.
async fn prepare_further_rows(
    tx: &mut Tx,
    command: &WinDeal,
    mut benefit: Benefit,
    plans: &[PlanCode],
    proposed: Vec<(DependentCode, ProposedDependent)>,
) -> Result<(Benefit, BenefitWriteHook<'static>), Error> {
    let (tenant, now) = (command.scope.tenant(), command.now);
    let today = now.date_in(&command.registers.zone);
    let further: Vec<&storage::registers::plans::StoredPlan> =
        plans.iter().skip(1).filter_map(|code| command.registers.plan(*code)).collect();
    benefit.plans.extend(further.iter().map(|plan| (plan.code, plan.price)));
    let count = |len: usize| i32::try_from(len).unwrap_or(i32::MAX);
    let blocks = [(Counter::Item, count(further.len())), (Counter::Dependent, count(proposed.len()))];
    let [item, dependent] = counters::reserve_number_blocks(tx, tenant, blocks).await?;
    let further: Vec<BenefitItem> = (item..)
        .zip(further)
        .map(|(code, plan)| BenefitItem {
            code: ItemCode::new(code),
            is_first: false,
            ..build_first_item(plan, today)
        })
        .collect();
    let mut new_dependents = Vec::with_capacity(proposed.len());
    for (code, (_, one)) in (dependent..).zip(proposed) {
        let card = reserve_free_card(tx, tenant).await?;
        new_dependents.push((DependentCode::new(code), one, card));
    }
    let hook: BenefitWriteHook<'static> = Box::new(move |code, benefit| {
        let dependents: Vec<(DependentCode, Dependent)> = new_dependents
            .into_iter()
            .map(|(dependent_code, one, card)| {
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
                (dependent_code, dependent)
            })
            .collect();
        let mut statements =
            items::insert_items(tenant, now, further.iter().map(|item| (code, benefit.slot, item)));
        statements.extend(dependents::insert_dependents(
            tenant,
            dependents.iter().map(|(dependent_code, one)| (*dependent_code, one)),
        ));
        statements
    });
    Ok((benefit, hook))
}

/// Stores the holder and their document in the lead.
async fn update_won_lead(
    tx: &mut Tx,
    command: &WinDeal,
    found: &FoundDeal,
    lead: &Lead,
    holder: (PersonCode, PersonProfile),
) -> Result<(PersonCode, PersonProfile), Error> {
    let (person, profile) = &holder;
    let mut after = lead.clone();
    after.person = *person;
    if after.document.is_none() {
        after.document.clone_from(&profile.document);
    }
    if after != *lead {
        after.updated_at = command.now;
        tx.execute_batch(leads::update_lead(command.scope.tenant(), found.deal.lead, lead, &after)).await?;
    }
    Ok(holder)
}
