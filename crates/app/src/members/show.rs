//! Shows a member with their benefits, and their history.

use crate::audit::access_log::record_access;
use crate::record_timeline::{self, RecordHistory};
use crate::register_snapshot::{TenantRegisters, read_with_registers};
use crate::session::Session;
use crate::{App, Error};
use domain::{
    AuditedOperation, Benefit, BenefitCode, ContactPhone, InputField, PersonCode, PersonProfile, Scope,
};
use std::sync::Arc;
use storage::Tx;
use storage::benefits;
use storage::members;
use storage::members::dependents;
use storage::members::phones;
use wire::field_differences::PERSON;

const READ: AuditedOperation = AuditedOperation::ShowMember;

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
    pub(super) changed: bool,
}

pub(super) fn reject_unknown_person(code: PersonCode) -> Error {
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
pub(super) async fn find_visible_member(
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

pub(super) async fn list_belongings(
    tx: &mut Tx,
    scope: &Scope,
    code: PersonCode,
) -> Result<MemberBelongings, Error> {
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
