//! Leads: saved by contact data, and searched. The person of a lead is not a member until they are saved as one or get
//! a benefit; the data of an existing member is never changed through a lead.

pub mod import_rows;
mod manage;
mod search;
mod validate;

pub use manage::{CurrentLead, LeadManagementQuery, change_lead, list_leads, read_lead};
pub(crate) use search::list_keys_by_contacts;
pub use search::{ContactFilter, FoundCodes, load_found_leads, parse_contact_filter, search_leads};
pub use storage::sales::leads::FoundLead;

use crate::access::Session;
use crate::audit::access_log::record_access;
use crate::command::{ActorContext, WriteCommand, run_command};
use crate::field_differences::LEAD;
use crate::idempotency::{IdempotentWrite, WriteOutcome};
use crate::register_snapshot::confirm_registers;
use crate::{App, Error};
use domain::{
    AuditedAction, AuditedChange, AuditedOperation, AuditedRecordKind, ContactPhone, Document, Lead,
    LeadCode, LeadKey, Moment, PersonCode, PersonProfile, Phone, PhoneKind, Rejection, Scope,
};
use storage::Tx;
use storage::history::audit;
use storage::members;
use storage::members::phones::{self, HOME};
use storage::sales::leads;
use storage::server::counters::{self, Counter};
pub(crate) use validate::LeadBranchSource;
use validate::LeadContactInput;
use wire::records::{ContatoInput, LeadInput};

const OPERATION: AuditedOperation = AuditedOperation::SaveLead;

/// The lead after the save.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedLead {
    pub code: LeadCode,
    pub lead: Lead,
    /// False if nothing differed: the request then counts as read access.
    pub changed: bool,
}

/// Creates a lead, or changes the active one with the same document, e-mail or phone.
#[boxed::future]
pub async fn save_lead(
    app: &App,
    caller: &Session,
    input: LeadInput,
    once: IdempotentWrite<SavedLead>,
) -> Result<WriteOutcome<SavedLead>, Error> {
    let outcome = run_command(app, caller, OPERATION, input, once, |tx, command| {
        Box::pin(write_submitted_lead(tx, command))
    })
    .await?;
    if let WriteOutcome::Fresh(SavedLead { lead, changed: false, .. }) = &outcome {
        record_access(app, caller, OPERATION, std::iter::once(lead.person))?;
    }
    Ok(outcome)
}

async fn write_submitted_lead(tx: &mut Tx, command: &WriteCommand<LeadInput>) -> Result<SavedLead, Error> {
    confirm_registers(tx, command.scope.tenant(), &command.registers).await?;
    let context = command.actor_context();
    let mut problems = Vec::new();
    let input = &command.input;
    let contact_and_branch = (&input.contact, LeadBranchSource::AnyLead(&input.branch));
    let prepared = prepare_lead(tx, &context, &command.scope, contact_and_branch, &mut problems).await?;
    if !problems.is_empty() {
        return Err(Error::Refused(problems));
    }
    Box::pin(store_lead(tx, &context, &command.scope, prepared)).await
}

/// A validated lead that is not yet written.
pub(crate) struct PreparedLead {
    before: Option<(LeadCode, Lead)>,
    /// The present person of the lead.
    person: Option<(PersonCode, PersonProfile)>,
    pub after: Lead,
    phones: Vec<ContactPhone>,
    /// Whether the phones differ from the stored ones.
    has_other_phones: bool,
    preset_code: Option<LeadCode>,
}

impl PreparedLead {
    pub fn is_new(&self) -> bool {
        self.before.is_none()
    }
}

/// Finds the lead by its contact data and validates the input.
pub(crate) async fn prepare_lead(
    tx: &mut Tx,
    context: &ActorContext<'_>,
    scope: &Scope,
    (contact, branch_source): (&ContatoInput, LeadBranchSource<'_>),
    problems: &mut Vec<Rejection>,
) -> Result<PreparedLead, Error> {
    let contact_input = LeadContactInput::from_contact(contact, problems);
    let before = find_known_lead(tx, scope, &contact_input).await?;
    validate_contact(tx, context, scope, (&contact_input, branch_source), before, problems).await
}

/// Validates the input for an existing or a new lead.
async fn validate_contact(
    tx: &mut Tx,
    context: &ActorContext<'_>,
    scope: &Scope,
    (contact_input, branch_source): (&LeadContactInput<'_>, LeadBranchSource<'_>),
    before: Option<(LeadCode, Lead)>,
    problems: &mut Vec<Rejection>,
) -> Result<PreparedLead, Error> {
    let lead = before.as_ref().map(|(_, lead)| lead);
    let person = match lead {
        Some(lead) => {
            members::find_person(&mut *tx, scope.tenant(), lead.person).await?.map(|one| (lead.person, one))
        }
        None => None,
    };
    let old_phones = match (lead, &person) {
        (Some(_), Some((code, one))) if !one.is_member => {
            phones::list_phones(&mut *tx, scope.tenant(), *code).await?
        }
        // Phones of a member are not touched: such a lead has only the first phone of each kind.
        (Some(lead), _) => list_first_phones(lead),
        (None, _) => Vec::new(),
    };
    let phones = contact_input.resolve_telephones(&old_phones);
    let after = contact_input.build_lead(context, scope, branch_source, (lead, &phones), problems);
    let has_other_phones = phones != old_phones;
    Ok(PreparedLead { before, person, after, phones, has_other_phones, preset_code: None })
}

fn list_first_phones(lead: &Lead) -> Vec<ContactPhone> {
    let telephone = |kind, number: &Option<Phone>| {
        number.clone().map(|number| ContactPhone { kind, country: HOME.to_owned(), number })
    };
    let (mobile, landline) =
        (telephone(PhoneKind::Mobile, &lead.mobile), telephone(PhoneKind::Landline, &lead.landline));
    mobile.into_iter().chain(landline).collect()
}

/// The visible active lead with the same document, else e-mail, else phone. A lead with another document never matches.
async fn find_known_lead(
    tx: &mut Tx,
    scope: &Scope,
    contact_input: &LeadContactInput<'_>,
) -> Result<Option<(LeadCode, Lead)>, Error> {
    let document = contact_input.document();
    let text = document.map(|document| LeadKey::Document(document.as_str().to_owned()));
    let email = contact_input.email().map(|email| LeadKey::Email(email.as_str().to_owned()));
    let phones = contact_input.phone_numbers().flat_map(|phone| {
        let number = phone.as_str().to_owned();
        [LeadKey::Mobile(number.clone()), LeadKey::Landline(number.clone()), LeadKey::Further(number)]
    });
    for contact in text.into_iter().chain(email).chain(phones) {
        if let Some(found) = leads::find_active_lead_by_contact(tx, scope, &contact, document).await? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

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
    let changes = before.as_ref().map_or_else(Vec::new, |(_, before)| manage::compare_leads(before, &after));
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
        && !scope.can_see(profile.branch)
        && !storage::benefits::has_visible_benefit(&mut *tx, scope, *code).await?
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
