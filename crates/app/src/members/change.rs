//! Changes a member, as `/gestao` and the console do.

use super::field_changes;
use super::persist::SavedPerson;
use super::persist::store_person_change;
use super::person_fields::{apply_address, apply_person_fields, find_bad_references};
use super::show::{MemberView, find_visible_member, list_belongings, reject_unknown_person};
use crate::audit::access_log::record_access;
use crate::command::{WriteCommand, run_command};
use crate::idempotency::{IdempotentWrite, WriteOutcome};
use crate::register_snapshot::confirm_registers;
use crate::session::Session;
use crate::{App, Error};
use domain::{
    AuditedOperation, ContactPhone, Document, InputField, PersonCode, PersonProfile, PostalAddress, Rejection,
};
use std::sync::Arc;
use storage::Tx;
use storage::members;
use storage::members::phones;
use wire::read::FieldPatch;
use wire::record_version::{CurrentVersion, refuse_old_version};
use wire::records::AssociadoInput;

const CHANGE: AuditedOperation = AuditedOperation::ChangeMember;

type SubmittedMemberCommand = WriteCommand<(PersonCode, AssociadoInput)>;

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

async fn write_member_change(tx: &mut Tx, command: &SubmittedMemberCommand) -> Result<MemberView, Error> {
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
    command: &SubmittedMemberCommand,
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
