//! Management view of a member: shows and changes all fields, including those outside the integration API.

use super::{
    SavedPerson, apply_address, apply_person_fields, field_changes, find_bad_references, store_person_change,
};
use crate::access::Session;
use crate::audit::access_log::record_access;
use crate::command::{WriteCommand, run_command};
use crate::field_differences::{CurrentVersion, PERSON, refuse_old_version};
use crate::idempotency::{IdempotentWrite, WriteOutcome};
use crate::record_timeline::{self, RecordHistory};
use crate::register_snapshot::{TenantRegisters, confirm_registers, read_with_registers};
use crate::{App, Error};
use domain::{
    AuditedOperation, Benefit, BenefitCode, ContactPhone, Document, InputField, PersonCode, PersonProfile,
    PostalAddress, Rejection, Scope,
};
use std::sync::Arc;
use storage::Tx;
use storage::benefits;
use storage::members;
use storage::members::dependents;
use storage::members::phones;
use wire::read::FieldPatch;
use wire::records::AssociadoInput;

const READ: AuditedOperation = AuditedOperation::ShowMember;
const CHANGE: AuditedOperation = AuditedOperation::ChangeMember;
const HISTORY: AuditedOperation = AuditedOperation::ShowMemberHistory;

/// A member with their benefits, as far as visible to the caller.
#[derive(Clone, Debug)]
pub struct MemberView {
    pub code: PersonCode,
    pub profile: PersonProfile,
    pub phones: Vec<ContactPhone>,
    /// Ordered by code.
    pub benefits: Vec<(BenefitCode, Benefit)>,
    /// Number of active dependents of these benefits.
    pub dependents: i64,
    pub registers: Arc<TenantRegisters>,
    changed: bool,
}

fn reject_unknown_person(code: PersonCode) -> Error {
    Error::NotFound { field: InputField::Person, code: code.get() }
}

/// Reads a member with phones, benefits and number of dependents.
#[boxed::future]
pub async fn read_member(app: &App, caller: &Session, code: PersonCode) -> Result<MemberView, Error> {
    let build_query = |_: &TenantRegisters| (caller.scope.clone(), code);
    let tenant = caller.scope.tenant();
    let (read, registers) = read_with_registers(app, tenant, build_query, |tx, (scope, code)| {
        Box::pin(async move {
            let profile = find_visible_member(tx, scope, *code).await?.ok_or(reject_unknown_person(*code))?;
            let phones = phones::list_phones(&mut *tx, scope.tenant(), *code).await?;
            let (benefits, dependents) = list_belongings(tx, scope, *code).await?;
            Ok::<_, Error>((profile, phones, benefits, dependents))
        })
    })
    .await?;
    record_access(app, caller, READ, std::iter::once(code))?;
    let (profile, phones, benefits, dependents) = read;
    Ok(MemberView { code, profile, phones, benefits, dependents, registers, changed: false })
}

/// The member, if visible to the caller.
async fn find_visible_member(
    tx: &mut Tx,
    scope: &Scope,
    code: PersonCode,
) -> Result<Option<PersonProfile>, Error> {
    if !members::is_person_visible(tx, scope, code).await? {
        return Ok(None);
    }
    let found = members::find_person(&mut *tx, scope.tenant(), code).await?;
    Ok(found.filter(|profile| profile.is_member))
}

type MemberBelongings = (Vec<(BenefitCode, Benefit)>, i64);

async fn list_belongings(tx: &mut Tx, scope: &Scope, code: PersonCode) -> Result<MemberBelongings, Error> {
    let benefits = benefits::list_benefits_of_person(&mut *tx, scope, code).await?;
    let codes = benefits.iter().map(|(code, _)| *code);
    let dependents = dependents::count_active_dependents(&mut *tx, scope.tenant(), codes).await?;
    Ok((benefits, dependents))
}

/// Field changes of a member and situation changes of their benefits.
#[boxed::future]
pub async fn read_member_history(
    app: &App,
    caller: &Session,
    code: PersonCode,
) -> Result<RecordHistory, Error> {
    let build_query = |_: &TenantRegisters| (caller.scope.clone(), code);
    let tenant = caller.scope.tenant();
    let (found, registers) = read_with_registers(app, tenant, build_query, |tx, (scope, code)| {
        Box::pin(async move {
            find_visible_member(tx, scope, *code).await?.ok_or(reject_unknown_person(*code))?;
            let benefits = benefits::list_benefits_of_person(&mut *tx, scope, *code).await?;
            let mut found =
                record_timeline::list_field_changes(tx, scope.tenant(), PERSON, code.get()).await?;
            for (benefit, _) in benefits {
                found.extend(record_timeline::list_situation_changes(tx, scope.tenant(), benefit).await?);
            }
            Ok::<_, Error>(found)
        })
    })
    .await?;
    record_access(app, caller, HISTORY, std::iter::once(code))?;
    Ok(record_timeline::build_record_history(found, registers))
}

type ChangeMember = WriteCommand<(PersonCode, AssociadoInput)>;

/// Changes a member: absent fields keep their value, cleared fields are emptied.
#[boxed::future]
pub async fn change_member(
    app: &App,
    caller: &Session,
    code: PersonCode,
    input: AssociadoInput,
    once: IdempotentWrite<MemberView>,
) -> Result<WriteOutcome<MemberView>, Error> {
    let outcome = run_command(app, caller, CHANGE, (code, input), once, |tx, command| {
        Box::pin(write_member_change(tx, command))
    })
    .await?;
    if let WriteOutcome::Fresh(MemberView { changed: false, .. }) = &outcome {
        record_access(app, caller, CHANGE, std::iter::once(code))?;
    }
    Ok(outcome)
}

async fn write_member_change(tx: &mut Tx, command: &ChangeMember) -> Result<MemberView, Error> {
    let (tenant, code, input) = (command.scope.tenant(), command.input.0, &command.input.1);
    confirm_registers(tx, tenant, &command.registers).await?;
    let before = find_visible_member(tx, &command.scope, code).await?;
    let document = match &input.document {
        FieldPatch::Set(document) => Some(document),
        FieldPatch::Keep | FieldPatch::Clear => before.as_ref().and_then(|before| before.document.as_ref()),
    };
    let mut problems =
        find_bad_references(&command.scope, &command.registers, &input.fields, (document, before.as_ref()));
    let cleared = [
        (input.name == FieldPatch::Clear, InputField::PersonName),
        (input.document == FieldPatch::Clear, InputField::Document),
    ];
    let missing = cleared.into_iter().filter(|(is_cleared, _)| *is_cleared);
    problems.extend(missing.map(|(_, field)| Rejection::Missing(field)));
    if !problems.is_empty() {
        return Err(Error::Refused(problems));
    }
    let before = before.ok_or(reject_unknown_person(code))?;
    let old_phones = phones::list_phones(&mut *tx, tenant, code).await?;
    let (after, phones) = apply_member_input(input, &before, &old_phones);
    refuse_member_conflicts(tx, command, (&before, &old_phones), (&after, &phones)).await?;
    let saved = match after == before && phones == old_phones {
        true => SavedPerson { code, profile: before, phones: old_phones, changed: false },
        false => {
            let context = command.actor_context();
            Box::pin(store_person_change(tx, &context, (code, &before, &old_phones), (after, phones))).await?
        }
    };
    let (benefits, dependents) = list_belongings(tx, &command.scope, code).await?;
    let SavedPerson { code, profile, phones, changed } = saved;
    let registers = Arc::clone(&command.registers);
    Ok(MemberView { code, profile, phones, benefits, dependents, registers, changed })
}

fn apply_member_input(
    input: &AssociadoInput,
    before: &PersonProfile,
    old_phones: &[ContactPhone],
) -> (PersonProfile, Vec<ContactPhone>) {
    let (mut after, mut phones) = (before.clone(), old_phones.to_vec());
    if let FieldPatch::Set(name) = &input.name {
        after.name = name.as_str().to_owned();
    }
    if let FieldPatch::Set(document) = &input.document {
        after.document = Some(document.clone());
        after.nature = document.nature();
    }
    if let FieldPatch::Set(branch) = input.fields.branch {
        after.branch = branch;
    }
    apply_person_fields(&input.fields, &mut after, &mut phones);
    input.spouse.apply_to(&mut after.spouse, ToString::to_string);
    input.payer_document.apply_to(&mut after.payer_document, Document::clone);
    match &input.payer_address {
        FieldPatch::Set(address) => apply_address(address, &mut after.payer_address),
        FieldPatch::Clear => after.payer_address = PostalAddress::default(),
        FieldPatch::Keep => {}
    }
    (after, phones)
}

/// Collects version conflicts and duplicate documents.
async fn refuse_member_conflicts(
    tx: &mut Tx,
    command: &ChangeMember,
    (before, old_phones): (&PersonProfile, &[ContactPhone]),
    (after, phones): (&PersonProfile, &[ContactPhone]),
) -> Result<(), Error> {
    // A caller who sees the member only through a benefit may not change them.
    if !command.scope.can_see(before.branch) {
        return Err(Rejection::PersonElsewhere.into());
    }
    let changes = field_changes::compare_people((before, old_phones), (after, phones));
    let present = CurrentVersion { version: before.version, since: before.updated_at };
    let mut problems = Vec::new();
    let given_version = command.input.1.version.get().into();
    problems.extend(refuse_old_version(given_version, present, &command.registers.zone, &changes));
    if let Some(document) = after.document.as_ref().filter(|one| before.document.as_ref() != Some(*one)) {
        let other = members::find_person_by_document(&mut *tx, command.scope.tenant(), document).await?;
        if let Some((other, _)) = other {
            let is_visible = members::is_person_visible(tx, &command.scope, other).await?;
            problems.push(Rejection::DocumentTaken(is_visible.then_some(other)));
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(Error::Refused(problems)) }
}
