//! Creates or changes a lead and its person, as `/ext` sends it.

use super::persist::store_lead;
use super::validate::LeadBranchSource;
use super::validate::LeadContactInput;
use crate::actor_context::ActorContext;
use crate::audit::access_log::record_access;
use crate::command::{WriteCommand, run_command};
use crate::idempotency::{IdempotentWrite, WriteOutcome};
use crate::register_snapshot::confirm_registers;
use crate::session::Session;
use crate::{App, Error};
use domain::{
    AuditedOperation, ContactPhone, Lead, LeadCode, LeadKey, PersonCode, PersonProfile, Phone, PhoneKind,
    Rejection, Scope, fold_text,
};
use std::collections::BTreeMap;
use std::slice::from_ref;
use storage::Tx;
use storage::members;
use storage::members::phones::{self, HOME_COUNTRY_CODE};
use storage::sales::leads;
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
    pub(super) before: Option<(LeadCode, Lead)>,
    /// The present person of the lead.
    pub(super) person: Option<(PersonCode, PersonProfile)>,
    pub after: Lead,
    pub(super) phones: Vec<ContactPhone>,
    /// Whether the phones differ from the stored ones.
    pub(super) has_other_phones: bool,
    pub(super) preset_code: Option<LeadCode>,
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
pub(super) async fn validate_contact(
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

pub(super) fn list_first_phones(lead: &Lead) -> Vec<ContactPhone> {
    let telephone = |kind, number: &Option<Phone>| {
        number.clone().map(|number| ContactPhone { kind, country: HOME_COUNTRY_CODE.to_owned(), number })
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
    let (incomplete, complete): (Vec<&Phone>, Vec<&Phone>) =
        contact_input.phone_numbers().partition(|phone| phone.lacks_area_code());
    let complete = complete.into_iter().flat_map(|phone| LeadKey::list_for_phones(from_ref(phone)));
    for contact in text.into_iter().chain(email).chain(complete) {
        if let Some(found) = leads::find_active_lead_by_contact(tx, scope, &contact, document).await? {
            return Ok(Some(found));
        }
    }
    for phone in incomplete {
        if let Some(found) = find_lead_without_area(tx, scope, contact_input, phone).await? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// The lead with the same name that has a number without area code: as a complete one, if no other lead has it in any area,
/// else as it is. Otherwise it may be another person's in another city.
async fn find_lead_without_area(
    tx: &mut Tx,
    scope: &Scope,
    contact_input: &LeadContactInput<'_>,
    phone: &Phone,
) -> Result<Option<(LeadCode, Lead)>, Error> {
    let Some(given) = contact_input.name().map(|name| fold_text(name.as_str())) else { return Ok(None) };
    for (numbers, most) in [(phone.list_in_each_area(), 1), (vec![phone.clone()], usize::MAX)] {
        let mut found = BTreeMap::new();
        for contact in LeadKey::list_for_phones(&numbers) {
            found.extend(
                leads::list_active_leads_by_contact(tx, scope, &contact, contact_input.document()).await?,
            );
        }
        if found.len() <= most
            && let Some((code, _)) = found.into_iter().find(|(_, name)| fold_text(name) == given)
        {
            return Ok(leads::find_lead(&mut *tx, scope.tenant(), code).await?.map(|lead| (code, lead)));
        }
    }
    Ok(None)
}
