//! Writes a lead and the person behind it.

use super::change::compare_leads;
use super::save::{PreparedLead, SavedLead};
use crate::Error;
use crate::actor_context::ActorContext;
use domain::{
    AuditedAction, AuditedChange, AuditedRecordKind, Document, Lead, LeadCode, Moment, PersonCode,
    PersonProfile, Rejection, Scope,
};
use storage::Tx;
use storage::history::audit;
use storage::members;
use storage::members::phones::{self};
use storage::sales::leads;
use storage::server::counters::{self, Counter};
use wire::field_differences::LEAD;

/// Writes a lead with its person, unless nothing changed.
pub(crate) async fn store_lead(
    tx: &mut Tx,
    context: &ActorContext<'_>,
    scope: &Scope,
    prepared: PreparedLead,
) -> Result<SavedLead, Error> {
    // The phones of a member are not changed through a lead.
    let has_own = prepared.person.as_ref().is_some_and(|(_, one)| !one.is_member);
    if let Some((code, old_lead)) = &prepared.before
        && *old_lead == prepared.after
        && !(has_own && prepared.has_other_phones)
    {
        return Ok(SavedLead { code: *code, lead: prepared.after, changed: false });
    }
    let tenant = context.tenant;
    let person = Box::pin(write_lead_person(tx, context, scope, &prepared)).await?;
    let PreparedLead { before, after, preset_code, .. } = prepared;
    let after = Lead { person, updated_at: context.now, ..after };
    let new = i32::from(before.is_none() && preset_code.is_none());
    if let Some(preset_code) = preset_code {
        counters::advance_counter(tx, tenant, Counter::Lead, preset_code.get()).await?;
    }
    let changes = before.as_ref().map_or_else(Vec::new, |(_, before)| compare_leads(before, &after));
    let count = i32::try_from(changes.len()).unwrap_or(i32::MAX);
    let blocks = [(Counter::Lead, new), (Counter::Audit, 1), (Counter::FieldChange, count)];
    let [code, audit_code, first] = counters::reserve_number_blocks(tx, tenant, blocks).await?;
    let code = before.as_ref().map_or(preset_code.unwrap_or(LeadCode::new(code)), |(code, _)| *code);
    let (mut statements, action) = match &before {
        Some((_, before)) => (leads::update_lead(tenant, code, before, &after), AuditedAction::Change),
        None => (leads::insert_leads(tenant, [(code, &after)]), AuditedAction::Create),
    };
    let entry = audit::AuditEntry {
        tenant,
        at: context.now,
        user: context.user,
        operation: context.operation,
        person: Some(after.person),
        change: AuditedChange::new(action, AuditedRecordKind::Lead, code.get()),
    };
    statements.extend(context.field_change_statements(LEAD, code.get(), first, changes));
    statements.push(audit::insert_audit_entry(&entry, audit_code));
    tx.execute_batch(statements).await?;
    let version = before.map_or(1, |(_, before)| before.version + 1);
    Ok(SavedLead { code, lead: Lead { version, ..after }, changed: true })
}

/// The person of a lead: the one with its document, else its present one, else a new one. Members are not changed.
async fn write_lead_person(
    tx: &mut Tx,
    context: &ActorContext<'_>,
    scope: &Scope,
    prepared: &PreparedLead,
) -> Result<PersonCode, Error> {
    let (tenant, lead, phones) = (context.tenant, &prepared.after, &prepared.phones);
    let known = prepared.before.as_ref().and_then(|(_, before)| before.document.as_ref());
    let new_document = lead.document.as_ref().filter(|one| known != Some(*one));
    let named_person = match new_document {
        Some(document) => members::find_person_by_document(&mut *tx, tenant, document).await?,
        None => None,
    };
    if let Some((code, profile)) = &named_person
        && !members::is_profile_visible(&mut *tx, scope, (*code, profile)).await?
    {
        return Err(Rejection::PersonElsewhere.into());
    }
    // A member with another document is another person.
    let current_person =
        prepared.person.as_ref().filter(|(_, one)| !(one.is_member && new_document.is_some()));
    let is_current = |code| current_person.is_some_and(|(current, _)| *current == code);
    match named_person.or_else(|| current_person.cloned()) {
        Some((code, profile)) if profile.is_member => Ok(code),
        Some((code, profile)) => {
            let updated = apply_lead_to_person(&profile, lead, context.now);
            if updated != profile {
                members::update_person(tx, tenant, code, &updated).await?;
            }
            if prepared.has_other_phones || !(is_current(code) || phones.is_empty()) {
                phones::replace_phones(tx, tenant, code, phones).await?;
            }
            Ok(code)
        }
        None => {
            let new_person = PersonProfile::new_non_member(
                lead.branch,
                lead.document.clone(),
                lead.name.clone(),
                context.now,
            );
            let code = PersonCode::new(counters::reserve_number(tx, tenant, Counter::Person).await?);
            members::insert_people_from(
                tx,
                tenant,
                code,
                [&apply_lead_to_person(&new_person, lead, context.now)],
            )
            .await?;
            phones::replace_phones(tx, tenant, code, phones).await?;
            Ok(code)
        }
    }
}

/// Applies the data of a lead to a person who is not a member.
pub fn apply_lead_to_person(person: &PersonProfile, lead: &Lead, now: Moment) -> PersonProfile {
    let mut profile = person.clone();
    profile.branch = lead.branch;
    profile.name.clone_from(&lead.name);
    profile.document.clone_from(&lead.document);
    profile.nature = lead.document.as_ref().map_or(profile.nature, Document::nature);
    profile.email.clone_from(&lead.email);
    profile.mobile.clone_from(&lead.mobile);
    profile.landline.clone_from(&lead.landline);
    profile.company.clone_from(&lead.company);
    profile.address.city.clone_from(&lead.city);
    profile.address.state.clone_from(&lead.state);
    profile.consultant = lead.consultant;
    if profile != *person {
        profile.updated_at = now;
    }
    profile
}
