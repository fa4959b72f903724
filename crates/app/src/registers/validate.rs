//! Validates a change of a record: first all problems of the input, then existence and version of the record, then
//! conflicts with existing data.

use super::draft::RecordDraft;
use super::{SaveRecord, list, rules};
use crate::Error;
use crate::field_differences::{CurrentVersion, refuse_old_version};
use domain::{BenefitCode, PersonCode, RegisterProblem, Rejection};
use registers::{FieldContent, FieldSpec, FieldType};
use storage::{Tx, benefits, members, registers as kept};
use wire::read::FieldPatch;
use wire::register;

/// The validated draft, or every problem found.
pub(super) async fn validate_record<'d>(
    tx: &mut Tx,
    doing: &'d SaveRecord,
) -> Result<RecordDraft<'d>, Error> {
    let had = match doing.code {
        Some(code) => {
            list::find_visible_record(tx, doing.register, &doing.scope, code).await?.map(|(had, _)| had)
        }
        None => None,
    };
    let mut wish = RecordDraft::new(doing, had);
    check_code_and_version(tx, &mut wish).await?;
    check_fixed_fields(&mut wish);
    for (at, field) in doing.register.fields.iter().enumerate() {
        check_reference(tx, &mut wish, at, field).await?;
    }
    let is_absent = doing.code.is_some() && wish.had.is_none();
    if !is_absent {
        check_unique_fields(tx, &mut wish).await?;
        rules::validate_register_rules(tx, &mut wish).await?;
    }
    match choose_refusal(&mut wish) {
        Some(error) => Err(error),
        None => Ok(wish),
    }
}

/// Precedence: problems of the input, missing record, version conflict, other conflicts.
fn choose_refusal(wish: &mut RecordDraft<'_>) -> Option<Error> {
    let doing = wish.doing;
    let problems = std::mem::take(&mut wish.problems);
    let of_input = || problems.iter().filter(|one| !one.is_conflict()).cloned().collect::<Vec<_>>();
    let before_all = match (doing.code, &wish.had, &doing.sent.version) {
        (Some(code), None, _) => Some(list::reject_unknown_record(doing.register, code)),
        (Some(_), Some(had), FieldPatch::Set(version)) => {
            let present = CurrentVersion { version: had.version, since: had.updated_at };
            refuse_old_version((*version).into(), present, &doing.zone, &wish.list_differences())
                .map(Error::from)
        }
        _ => None,
    };
    match before_all {
        Some(error) => Some(if of_input().is_empty() { error } else { Error::Refused(of_input()) }),
        None => (!problems.is_empty()).then_some(Error::Refused(problems)),
    }
}

async fn check_code_and_version(tx: &mut Tx, wish: &mut RecordDraft<'_>) -> Result<(), Error> {
    let (doing, register) = (wish.doing, wish.register);
    match (doing.code, doing.sent.code.clone().into_set()) {
        (Some(code), Some(sent)) if code != sent => {
            wish.refuse(register.code, RegisterProblem::Fixed { now: code.to_string() });
        }
        (None, Some(code)) if kept::has_record(tx, register, doing.scope.tenant(), code).await? => {
            let what = register.words.the_one;
            wish.refuse(register.code, RegisterProblem::CodeTaken { what, code });
        }
        (None, None) if register.counter.is_none() => wish.refuse(register.code, RegisterProblem::Missing),
        _ => {}
    }
    if doing.code.is_some() && !matches!(doing.sent.version, FieldPatch::Set(_)) {
        wish.problems.push(Rejection::NoVersion);
    }
    Ok(())
}

/// Fields that must not change after creation.
fn check_fixed_fields(wish: &mut RecordDraft<'_>) {
    let Some(had) = wish.had.as_ref().map(|had| had.values.clone()) else { return };
    for (at, field) in wish.register.fields.iter().enumerate().filter(|(_, field)| field.fixed) {
        if wish.values[at] != had[at] {
            let now = register::render_value(field, &had[at]).to_string();
            wish.refuse(field.name, RegisterProblem::Fixed { now });
            wish.values[at] = had[at].clone();
        }
    }
}

/// A referenced record must exist, be visible to the caller and be active; an unchanged reference may stay.
async fn check_reference(
    tx: &mut Tx,
    wish: &mut RecordDraft<'_>,
    at: usize,
    field: &'static FieldSpec,
) -> Result<(), Error> {
    let scope = &wish.doing.scope;
    let FieldContent::Number(number) = wish.values[at] else { return Ok(()) };
    let Ok(code) = i32::try_from(number) else { return Ok(()) };
    let what = match field.kind {
        FieldType::Benefit => {
            let benefit = benefits::find_benefit(&mut *tx, scope, BenefitCode::new(code)).await?;
            wish.person = benefit.map(|benefit| benefit.person);
            if wish.person.is_some() {
                return Ok(());
            }
            "o benefício"
        }
        FieldType::Person => {
            let person = PersonCode::new(code);
            wish.person = members::is_person_visible(tx, scope, person).await?.then_some(person);
            if wish.person.is_some() {
                return Ok(());
            }
            "a pessoa"
        }
        FieldType::Reference(to) => {
            let Some(register) = registers::find_register(to) else { return Ok(()) };
            if !wish.is_field_changed(field.name) {
                return Ok(());
            }
            let found = kept::find_record(tx, register, scope, code).await?;
            if found.is_some_and(|record| record.active) {
                return Ok(());
            }
            register.words.the_one
        }
        _ => return Ok(()),
    };
    wish.refuse(field.name, RegisterProblem::Unknown { what, code });
    Ok(())
}

/// Unique fields; an unchanged value may stay.
async fn check_unique_fields(tx: &mut Tx, wish: &mut RecordDraft<'_>) -> Result<(), Error> {
    let (register, tenant) = (wish.register, wish.doing.scope.tenant());
    for unique in register.unique.iter() {
        let Some(told) =
            unique.fields.first().filter(|_| unique.fields.iter().any(|name| wish.is_field_changed(name)))
        else {
            continue;
        };
        let taken =
            kept::find_duplicate_record(tx, register, tenant, unique, &wish.values, wish.doing.code).await?;
        if let Some(code) = taken {
            wish.refuse(told, RegisterProblem::Taken { what: register.words.the_one, code });
        }
    }
    Ok(())
}
