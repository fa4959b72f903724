//! Judges what is to become of a record: everything that is wrong with what was sent, then whether the record is there and is
//! the one that was read, then what stands in its way.

use super::wish::Wish;
use super::{Doing, lists, rules};
use crate::Error;
use crate::differences::{Present, refuse_old};
use domain::{BenefitCode, PersonCode, RegisterProblem, Rejection};
use registers::{FieldSpec, Kind, Value};
use storage::{Tx, benefits, people, registers as kept};
use wire::read::Given;
use wire::register;

/// The record as it is to be, or every reason why not.
pub(super) async fn judge<'d>(tx: &mut Tx, doing: &'d Doing) -> Result<Wish<'d>, Error> {
    let had = match doing.code {
        Some(code) => lists::visible(tx, doing.register, &doing.scope, code).await?.map(|(had, _)| had),
        None => None,
    };
    let mut wish = Wish::new(doing, had);
    code_and_version(tx, &mut wish).await?;
    fixed(&mut wish);
    for (at, field) in doing.register.fields.iter().enumerate() {
        named(tx, &mut wish, at, field).await?;
    }
    let is_absent = doing.code.is_some() && wish.had.is_none();
    if !is_absent {
        unique(tx, &mut wish).await?;
        rules::judge(tx, &mut wish).await?;
    }
    match refusal(&mut wish) {
        Some(error) => Err(error),
        None => Ok(wish),
    }
}

/// What was sent is judged first, then whether the record is there, then its version, then the rest of what stands there.
fn refusal(wish: &mut Wish<'_>) -> Option<Error> {
    let doing = wish.doing;
    let problems = std::mem::take(&mut wish.problems);
    let of_input = || problems.iter().filter(|one| !one.is_conflict()).cloned().collect::<Vec<_>>();
    let before_all = match (doing.code, &wish.had, &doing.sent.version) {
        (Some(code), None, _) => Some(lists::absent(doing.register, code)),
        (Some(_), Some(had), Given::Set(version)) => {
            let present = Present { version: had.version, since: had.updated_at };
            refuse_old((*version).into(), present, &doing.zone, &wish.differing()).map(Error::from)
        }
        _ => None,
    };
    match before_all {
        Some(error) => Some(if of_input().is_empty() { error } else { Error::Refused(of_input()) }),
        None => (!problems.is_empty()).then_some(Error::Refused(problems)),
    }
}

async fn code_and_version(tx: &mut Tx, wish: &mut Wish<'_>) -> Result<(), Error> {
    let (doing, register) = (wish.doing, wish.register);
    match (doing.code, doing.sent.code.clone().set()) {
        (Some(code), Some(sent)) if code != sent => {
            wish.refuse(register.code, RegisterProblem::Fixed { now: code.to_string() });
        }
        (None, Some(code)) if kept::is_there(tx, register, doing.scope.tenant(), code).await? => {
            let what = register.words.the_one;
            wish.refuse(register.code, RegisterProblem::CodeTaken { what, code });
        }
        (None, None) if register.counter.is_none() => wish.refuse(register.code, RegisterProblem::Missing),
        _ => {}
    }
    if doing.code.is_some() && !matches!(doing.sent.version, Given::Set(_)) {
        wish.problems.push(Rejection::NoVersion);
    }
    Ok(())
}

/// What stays as it was.
fn fixed(wish: &mut Wish<'_>) {
    let Some(had) = wish.had.as_ref().map(|had| had.values.clone()) else { return };
    for (at, field) in wish.register.fields.iter().enumerate().filter(|(_, field)| field.fixed) {
        if wish.values[at] != had[at] {
            let now = register::value(field, &had[at]).to_string();
            wish.refuse(field.name, RegisterProblem::Fixed { now });
            wish.values[at] = had[at].clone();
        }
    }
}

/// Whatever a field names must be there, within the caller's reach and in use; what it named before may stay.
async fn named(tx: &mut Tx, wish: &mut Wish<'_>, at: usize, field: &'static FieldSpec) -> Result<(), Error> {
    let scope = &wish.doing.scope;
    let Value::Number(number) = wish.values[at] else { return Ok(()) };
    let Ok(code) = i32::try_from(number) else { return Ok(()) };
    let what = match field.kind {
        Kind::Benefit => {
            let benefit = benefits::find(&mut *tx, scope, BenefitCode::new(code)).await?;
            wish.person = benefit.map(|benefit| benefit.person);
            if wish.person.is_some() {
                return Ok(());
            }
            "o benefício"
        }
        Kind::Person => {
            let person = PersonCode::new(code);
            wish.person = people::is_visible(tx, scope, person).await?.then_some(person);
            if wish.person.is_some() {
                return Ok(());
            }
            "a pessoa"
        }
        Kind::Reference(to) => {
            let Some(register) = registers::find(to) else { return Ok(()) };
            if !wish.changes(field.name) {
                return Ok(());
            }
            let found = kept::find(tx, register, scope, code).await?;
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

/// What no two may have alike; what is there already may stay.
async fn unique(tx: &mut Tx, wish: &mut Wish<'_>) -> Result<(), Error> {
    let (register, tenant) = (wish.register, wish.doing.scope.tenant());
    for unique in register.unique.iter() {
        let Some(told) =
            unique.fields.first().filter(|_| unique.fields.iter().any(|name| wish.changes(name)))
        else {
            continue;
        };
        let taken = kept::alike(tx, register, tenant, unique, &wish.values, wish.doing.code).await?;
        if let Some(code) = taken {
            wish.refuse(told, RegisterProblem::Taken { what: register.words.the_one, code });
        }
    }
    Ok(())
}
