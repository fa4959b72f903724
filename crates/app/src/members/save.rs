//! Creates or changes a person, as `/ext` sends it.

use super::persist::{SavedPerson, record_person_change, store_person_change, update_search_rows};
use super::person_fields::{apply_person_fields, find_bad_references, resolve_person_branch};
use crate::audit::access_log::record_access;
use crate::command::{WriteCommand, run_command};
use crate::idempotency::{IdempotentWrite, WriteOutcome};
use crate::register_snapshot::confirm_registers;
use crate::session::Session;
use crate::{App, Error};
use domain::{AuditedAction, AuditedOperation, BranchCode, PersonCode, PersonProfile, Rejection};
use storage::Tx;
use storage::members;
use storage::members::phones::{self};
use storage::server::counters::{self, Counter};
use wire::read::FieldPatch;
use wire::records::PessoaInput;

const OPERATION: AuditedOperation = AuditedOperation::SaveMember;

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
