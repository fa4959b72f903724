//! People: created or changed by their document, so that each exists once. A single place writes a person with phones,
//! listing row and audit entry. The management operations are in `manage.rs`.

pub mod credit_cards;
pub mod dependents;
pub mod saved_filters;
pub mod search;
pub mod validation;

mod field_changes;
pub mod import_rows;
mod manage;
pub mod mirror_rows;

pub use manage::{MemberView, change_member, read_member, read_member_history};

use crate::access::Session;
use crate::audit::access_log::record_access;
use crate::command::{ActorContext, WriteCommand, run_command};
use crate::field_differences::{FieldDifference, PERSON};
use crate::idempotency::{IdempotentWrite, WriteOutcome};
use crate::listing_rows::{ListedDays, build_listed_member, build_member_row};
use crate::register_snapshot::{TenantRegisters, confirm_registers};
use crate::{App, Error};
use domain::{
    AuditedAction, AuditedChange, AuditedOperation, AuditedRecordKind, BranchCode, ContactPhone, Document,
    InputField, PersonCode, PersonProfile, PhoneKind, PostalAddress, Rejection, Scope, SellerKind,
};
use storage::Tx;
use storage::history::audit;
use storage::members;
use storage::members::phones::{self, HOME};
use storage::search::rows::{self, ChangedMemberFields, SearchListingRow};
use storage::server::counters::{self, Counter};
use wire::read::FieldPatch;
use wire::records::{EnderecoInput, PessoaCampos, PessoaInput, TelefoneInput};

const OPERATION: AuditedOperation = AuditedOperation::SaveMember;

/// The person after the save.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedPerson {
    pub code: PersonCode,
    pub profile: PersonProfile,
    pub phones: Vec<ContactPhone>,
    /// False if nothing differed: the request then counts as read access.
    pub changed: bool,
}

impl SavedPerson {
    /// The first phone of a kind.
    pub fn phone(&self, kind: PhoneKind) -> Option<&ContactPhone> {
        self.phones.iter().find(|phone| phone.kind == kind)
    }
}

/// Creates or changes the person with this document: absent fields keep their value, cleared fields are emptied.
#[boxed::future]
pub async fn save_person(
    app: &App,
    caller: &Session,
    input: PessoaInput,
    once: IdempotentWrite<SavedPerson>,
) -> Result<WriteOutcome<SavedPerson>, Error> {
    let outcome =
        run_command(app, caller, OPERATION, input, once, |tx, command| Box::pin(write_person(tx, command)))
            .await?;
    if let WriteOutcome::Fresh(SavedPerson { code, changed: false, .. }) = &outcome {
        record_access(app, caller, OPERATION, std::iter::once(*code))?;
    }
    Ok(outcome)
}

async fn write_person(tx: &mut Tx, command: &WriteCommand<PessoaInput>) -> Result<SavedPerson, Error> {
    let tenant = command.scope.tenant();
    confirm_registers(tx, tenant, &command.registers).await?;
    let input = &command.input;
    let found = members::find_person_by_document(&mut *tx, tenant, &command.input.document).await?;
    let stored = found.as_ref().map(|(_, profile)| profile);
    let mut problems = find_bad_references(
        &command.scope,
        &command.registers,
        &input.fields,
        (Some(&input.document), stored),
    );
    let Some((code, before)) = found else {
        let branch = resolve_person_branch(&command.scope, &command.registers, &input.fields, &mut problems);
        let (Some(branch), []) = (branch, &problems[..]) else { return Err(Error::Refused(problems)) };
        return create_person(tx, command, branch).await;
    };
    if !problems.is_empty() {
        return Err(Error::Refused(problems));
    }
    if !command.scope.can_see(before.branch) {
        return Err(Rejection::PersonElsewhere.into());
    }
    Box::pin(update_person(tx, command, code, before)).await
}

/// Every given code must be usable by the caller, and the nature must match the document. References that a person
/// visible to the caller already has may be inactive.
fn find_bad_references(
    scope: &Scope,
    registers: &TenantRegisters,
    input: &PessoaCampos,
    (document, before): (Option<&Document>, Option<&PersonProfile>),
) -> Vec<Rejection> {
    let mut problems = Vec::new();
    let before = before.filter(|before| scope.can_see(before.branch));
    if let (FieldPatch::Set(nature), Some(document)) = (&input.nature, document)
        && *nature != document.nature()
    {
        problems.push(Rejection::NatureMismatch);
    }
    if let FieldPatch::Set(Document::Cpf(_)) = input.employer_document {
        problems.push(Rejection::NotACnpj);
    }
    if let FieldPatch::Set(branch) = input.branch
        && before.is_none_or(|before| before.branch != branch)
        && !registers.is_usable_branch(scope, branch)
    {
        problems.push(Rejection::UnknownCode { field: InputField::Branch, code: branch.get() });
    }
    let (consultant, representative) =
        before.map_or((None, None), |before| (before.consultant, before.representative));
    for (requested, current, kind, field) in [
        (&input.consultant, consultant, SellerKind::Consultant, InputField::Consultant),
        (&input.representative, representative, SellerKind::Representative, InputField::Representative),
    ] {
        if let FieldPatch::Set(seller) = requested
            && current != Some(*seller)
            && !registers.is_active_seller(scope, *seller, kind)
        {
            problems.push(Rejection::UnknownCode { field, code: seller.get() });
        }
    }
    problems
}

/// The branch of a new person: the given one, else the caller's only one.
fn resolve_person_branch(
    scope: &Scope,
    registers: &TenantRegisters,
    fields: &PessoaCampos,
    problems: &mut Vec<Rejection>,
) -> Option<BranchCode> {
    if let FieldPatch::Set(branch) = fields.branch {
        return Some(branch);
    }
    let mut usable = registers.usable_branches(scope);
    let only = usable.next().filter(|_| usable.next().is_none());
    if only.is_none() {
        problems.push(Rejection::Missing(InputField::Branch));
    }
    only.map(|one| one.code)
}

async fn create_person(
    tx: &mut Tx,
    command: &WriteCommand<PessoaInput>,
    branch: BranchCode,
) -> Result<SavedPerson, Error> {
    let (tenant, input) = (command.scope.tenant(), &command.input);
    let mut profile = PersonProfile::new_member(
        branch,
        input.document.clone(),
        input.name.as_str().to_owned(),
        command.now,
    );
    let mut phones = Vec::new();
    apply_person_fields(&input.fields, &mut profile, &mut phones);
    let code = PersonCode::new(counters::reserve_number(tx, tenant, Counter::Person).await?);
    members::insert_people_from(tx, tenant, code, [&profile]).await?;
    phones::replace_phones(tx, tenant, code, &phones).await?;
    let saved = SavedPerson { code, profile, phones, changed: true };
    update_search_rows(tx, &command.actor_context(), &saved, None).await?;
    record_person_change(tx, &command.actor_context(), code, AuditedAction::Create, Vec::new()).await?;
    Ok(saved)
}

async fn update_person(
    tx: &mut Tx,
    command: &WriteCommand<PessoaInput>,
    code: PersonCode,
    before: PersonProfile,
) -> Result<SavedPerson, Error> {
    let old_phones = phones::list_phones(&mut *tx, command.scope.tenant(), code).await?;
    let (mut profile, mut phones) = (before.clone(), old_phones.clone());
    profile.name = command.input.name.as_str().to_owned();
    profile.nature = command.input.document.nature();
    apply_person_fields(&command.input.fields, &mut profile, &mut phones);
    profile.is_member = true;
    if let FieldPatch::Set(branch) = command.input.fields.branch {
        profile.branch = branch;
    }
    if profile == before && phones == old_phones {
        return Ok(SavedPerson { code, profile, phones, changed: false });
    }
    Box::pin(store_person_change(
        tx,
        &command.actor_context(),
        (code, &before, &old_phones),
        (profile, phones),
    ))
    .await
}

/// Updates a stored person with phones, listing rows, audit entry and field changes.
async fn store_person_change(
    tx: &mut Tx,
    context: &ActorContext<'_>,
    (code, before, old_phones): (PersonCode, &PersonProfile, &[ContactPhone]),
    (mut profile, phones): (PersonProfile, Vec<ContactPhone>),
) -> Result<SavedPerson, Error> {
    let tenant = context.tenant;
    let changes = field_changes::compare_people((before, old_phones), (&profile, &phones));
    profile.updated_at = context.now;
    members::update_person(tx, tenant, code, &profile).await?;
    profile.version = before.version + 1;
    if phones != old_phones {
        phones::replace_phones(tx, tenant, code, &phones).await?;
    }
    let saved = SavedPerson { code, profile, phones, changed: true };
    update_search_rows(tx, context, &saved, before.is_member.then_some(before)).await?;
    record_person_change(tx, context, code, AuditedAction::Change, changes).await?;
    Ok(saved)
}

/// Inserts the first listing row, or updates the existing ones.
async fn update_search_rows(
    tx: &mut Tx,
    context: &ActorContext<'_>,
    saved: &SavedPerson,
    before: Option<&PersonProfile>,
) -> Result<(), Error> {
    let tenant = context.tenant;
    let days = ListedDays::of_member(&saved.profile, &context.registers.zone);
    let (member, row_fields) =
        (build_listed_member(saved.code, &saved.profile), build_member_row(&saved.profile, days));
    match before {
        Some(before) => {
            let moved = ChangedMemberFields {
                name: before.name != saved.profile.name,
                branch: before.branch != saved.profile.branch,
            };
            rows::update_member_rows(tx, tenant, &member, &row_fields, moved).await?;
        }
        None => {
            let [slot, _] =
                counters::reserve_number_blocks(tx, tenant, [(Counter::Slot, 1), (Counter::Listing, 1)])
                    .await?;
            tx.execute_batch(rows::insert_listing_rows(
                tenant,
                &[SearchListingRow { slot, member, own: row_fields }],
            ))
            .await?;
        }
    }
    Ok(())
}

/// Writes the audit entry and the field changes.
async fn record_person_change(
    tx: &mut Tx,
    context: &ActorContext<'_>,
    person: PersonCode,
    action: AuditedAction,
    changes: Vec<FieldDifference>,
) -> Result<(), Error> {
    let change = AuditedChange::new(action, AuditedRecordKind::Member, person.get());
    let entry = context.audit_entry(Some(person), change);
    if changes.is_empty() {
        return Ok(audit::append_audit_entry(tx, &entry).await?);
    }
    let count = i32::try_from(changes.len()).unwrap_or(i32::MAX);
    let blocks = [(Counter::Audit, 1), (Counter::FieldChange, count)];
    let [audit_code, first] = counters::reserve_number_blocks(tx, context.tenant, blocks).await?;
    let mut statements = vec![audit::insert_audit_entry(&entry, audit_code)];
    statements.extend(context.field_change_statements(PERSON, person.get(), first, changes));
    Ok(tx.execute_batch(statements).await?)
}

/// Applies the given fields; the first phone of each kind is copied to the person.
fn apply_person_fields(input: &PessoaCampos, person: &mut PersonProfile, phones: &mut Vec<ContactPhone>) {
    input.integration_code.apply_to(&mut person.integration_code, |code| code.as_str().to_owned());
    input.email.apply_to(&mut person.email, Clone::clone);
    input.sex.apply_to(&mut person.sex, |sex| *sex);
    input.birth.apply_to(&mut person.born_on, |day| *day);
    input.takes_email.apply_to(&mut person.receives_email, |flag| *flag);
    input.takes_whatsapp.apply_to(&mut person.receives_whatsapp, |flag| *flag);
    input.identity.apply_to(&mut person.identity_number, ToString::to_string);
    input.identity_issuer.apply_to(&mut person.identity_issuer, ToString::to_string);
    input.identity_issued.apply_to(&mut person.identity_issued_on, |day| *day);
    input.mother.apply_to(&mut person.mother, ToString::to_string);
    input.civil_state.apply_to(&mut person.civil_state, |state| *state);
    input.cnh.apply_to(&mut person.cnh_number, ToString::to_string);
    input.cnh_category.apply_to(&mut person.cnh_category, ToString::to_string);
    input.cnh_valid_until.apply_to(&mut person.cnh_valid_until, |day| *day);
    input.trade_name.apply_to(&mut person.trade_name, ToString::to_string);
    input.state_registration.apply_to(&mut person.state_registration, ToString::to_string);
    input.city_registration.apply_to(&mut person.municipal_registration, ToString::to_string);
    input.legal_representative.apply_to(&mut person.legal_representative, ToString::to_string);
    input.employer.apply_to(&mut person.company, ToString::to_string);
    match &input.employer_document {
        FieldPatch::Set(Document::Cnpj(cnpj)) => person.company_document = Some(cnpj.clone()),
        FieldPatch::Clear => person.company_document = None,
        FieldPatch::Set(Document::Cpf(_)) | FieldPatch::Keep => {}
    }
    input.consultant.apply_to(&mut person.consultant, |code| *code);
    input.representative.apply_to(&mut person.representative, |code| *code);
    match &input.address {
        FieldPatch::Set(address) => apply_address(address, &mut person.address),
        FieldPatch::Clear => person.address = PostalAddress::default(),
        FieldPatch::Keep => {}
    }
    match &input.phones {
        FieldPatch::Set(inputs) => *phones = inputs.iter().filter_map(parse_telephone).collect(),
        FieldPatch::Clear => phones.clear(),
        FieldPatch::Keep => {}
    }
    let first = |kind| phones.iter().find(|phone| phone.kind == kind).map(|phone| phone.number.clone());
    (person.mobile, person.landline) = (first(PhoneKind::Mobile), first(PhoneKind::Landline));
}

pub(crate) fn apply_address(input: &EnderecoInput, address: &mut PostalAddress) {
    input.kind.apply_to(&mut address.kind, ToString::to_string);
    input.street_kind.apply_to(&mut address.street_kind, ToString::to_string);
    // The full street counts only if the street itself is absent.
    match &input.street {
        FieldPatch::Keep => input.full_street.apply_to(&mut address.street, ToString::to_string),
        street => street.apply_to(&mut address.street, ToString::to_string),
    }
    input.number.apply_to(&mut address.number, |number| number.as_str().to_owned());
    input.complement.apply_to(&mut address.complement, ToString::to_string);
    input.district.apply_to(&mut address.district, ToString::to_string);
    input.city.apply_to(&mut address.city, ToString::to_string);
    input.state.apply_to(&mut address.state, |state| state.as_str().to_owned());
    input.cep.apply_to(&mut address.cep, Clone::clone);
}

/// A phone without a number is ignored.
pub(crate) fn parse_telephone(input: &TelefoneInput) -> Option<ContactPhone> {
    let FieldPatch::Set(number) = &input.number else { return None };
    let kind = match input.kind {
        FieldPatch::Set(kind) => kind,
        FieldPatch::Keep | FieldPatch::Clear => number.kind(),
    };
    let country = match &input.country {
        FieldPatch::Set(country) => country.as_str().trim_start_matches('+').to_owned(),
        FieldPatch::Keep | FieldPatch::Clear => HOME.to_owned(),
    };
    Some(ContactPhone { kind, country, number: number.clone() })
}
