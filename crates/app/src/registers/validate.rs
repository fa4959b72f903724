//! Validates a change of a record: first all problems of the input, then existence and version of the record, then
//! conflicts with existing data.

use super::draft::RecordDraft;
use super::save::RecordSubmission;
use super::{list, rules};
use crate::Error;
use crate::command::WriteCommand;
use domain::{BenefitCode, PersonCode, RegisterProblem, Rejection};
use registers::{FieldContent, FieldSpec, FieldType};
use storage::{Tx, benefits, members, registers as stored_registers};
use wire::read::FieldPatch;
use wire::record_version::{CurrentVersion, refuse_old_version};
use wire::register;

/// The validated draft, or every problem found.
pub(super) async fn validate_record<'d>(
    tx: &mut Tx,
    command: &'d WriteCommand<RecordSubmission>,
) -> Result<RecordDraft<'d>, Error> {
    let stored = match command.input.code {
        Some(code) => list::find_visible_record(tx, command.input.register, &command.scope, code)
            .await?
            .map(|(stored, _)| stored),
        None => None,
    };
    let mut draft = RecordDraft::new(command, stored);
    check_code_and_version(tx, &mut draft).await?;
    check_fixed_fields(&mut draft);
    for (at, field) in command.input.register.fields.iter().enumerate() {
        check_reference(tx, &mut draft, at, field).await?;
    }
    let is_absent = command.input.code.is_some() && draft.stored.is_none();
    if !is_absent {
        check_unique_fields(tx, &mut draft).await?;
        rules::validate_register_rules(tx, &mut draft).await?;
    }
    match choose_refusal(&mut draft) {
        Some(error) => Err(error),
        None => Ok(draft),
    }
}

/// Precedence: problems of the input, missing record, version conflict, other conflicts.
fn choose_refusal(draft: &mut RecordDraft<'_>) -> Option<Error> {
    let RecordSubmission { register, code, sent, .. } = &draft.command.input;
    let problems = std::mem::take(&mut draft.problems);
    let input_problems = || problems.iter().filter(|one| !one.is_conflict()).cloned().collect::<Vec<_>>();
    let before_all = match (*code, &draft.stored, &sent.version) {
        (Some(code), None, _) => Some(list::reject_unknown_record(register, code)),
        (Some(_), Some(stored), FieldPatch::Set(version)) => {
            let present = CurrentVersion { version: stored.version, since: stored.updated_at };
            refuse_old_version(
                (*version).into(),
                present,
                &draft.command.registers.zone,
                &draft.list_differences(),
            )
            .map(Error::from)
        }
        _ => None,
    };
    match before_all {
        Some(error) => {
            Some(if input_problems().is_empty() { error } else { Error::Refused(input_problems()) })
        }
        None => (!problems.is_empty()).then_some(Error::Refused(problems)),
    }
}

async fn check_code_and_version(tx: &mut Tx, draft: &mut RecordDraft<'_>) -> Result<(), Error> {
    let RecordSubmission { register, code, sent, .. } = &draft.command.input;
    match (*code, sent.code.clone().into_set()) {
        (Some(code), Some(requested)) if code != requested => {
            draft.refuse(register.code, RegisterProblem::Fixed { now: code.to_string() });
        }
        (None, Some(code))
            if stored_registers::has_record(tx, register, draft.command.scope.tenant(), code).await? =>
        {
            let what = register.words.the_one;
            draft.refuse(register.code, RegisterProblem::CodeTaken { what, code });
        }
        (None, None) if register.counter.is_none() => draft.refuse(register.code, RegisterProblem::Missing),
        _ => {}
    }
    if code.is_some() && !matches!(sent.version, FieldPatch::Set(_)) {
        draft.problems.push(Rejection::NoVersion);
    }
    Ok(())
}

/// Fields that must not change after creation.
fn check_fixed_fields(draft: &mut RecordDraft<'_>) {
    let Some(stored) = draft.stored.as_ref().map(|stored| stored.values.clone()) else { return };
    for (at, field) in draft.register.fields.iter().enumerate().filter(|(_, field)| field.fixed) {
        if draft.values[at] != stored[at] {
            let now = register::render_value(field, &stored[at]).to_string();
            draft.refuse(field.name, RegisterProblem::Fixed { now });
            draft.values[at] = stored[at].clone();
        }
    }
}

/// A referenced record must exist, be visible to the caller and be active; an unchanged reference may stay.
async fn check_reference(
    tx: &mut Tx,
    draft: &mut RecordDraft<'_>,
    at: usize,
    field: &'static FieldSpec,
) -> Result<(), Error> {
    let scope = &draft.command.scope;
    let FieldContent::Number(number) = draft.values[at] else { return Ok(()) };
    let Ok(code) = i32::try_from(number) else { return Ok(()) };
    let problem = match field.kind {
        FieldType::Benefit => {
            let benefit = benefits::find_benefit(&mut *tx, scope, BenefitCode::new(code)).await?;
            draft.person = benefit.map(|benefit| benefit.person);
            if draft.person.is_some() {
                return Ok(());
            }
            RegisterProblem::UnknownBenefit(code)
        }
        FieldType::Person => {
            let person = PersonCode::new(code);
            draft.person = members::is_person_visible(tx, scope, person).await?.then_some(person);
            if draft.person.is_some() {
                return Ok(());
            }
            RegisterProblem::UnknownPerson(code)
        }
        FieldType::Reference(to) => {
            let Some(register) = registers::find_register(to) else { return Ok(()) };
            if !draft.is_field_changed(field.name) {
                return Ok(());
            }
            let found = stored_registers::find_record(tx, register, scope, code).await?;
            if found.is_some_and(|record| record.active) {
                return Ok(());
            }
            RegisterProblem::Unknown { what: register.words.the_one, code }
        }
        _ => return Ok(()),
    };
    draft.refuse(field.name, problem);
    Ok(())
}

/// Unique fields; an unchanged value may stay.
async fn check_unique_fields(tx: &mut Tx, draft: &mut RecordDraft<'_>) -> Result<(), Error> {
    let (register, tenant) = (draft.register, draft.command.scope.tenant());
    for unique in register.unique {
        let Some(field_name) =
            unique.fields.first().filter(|_| unique.fields.iter().any(|name| draft.is_field_changed(name)))
        else {
            continue;
        };
        let duplicate = stored_registers::find_duplicate_record(
            tx,
            register,
            tenant,
            unique,
            &draft.values,
            draft.command.input.code,
        )
        .await?;
        if let Some(code) = duplicate {
            draft.refuse(field_name, RegisterProblem::Taken { what: register.words.the_one, code });
        }
    }
    Ok(())
}
