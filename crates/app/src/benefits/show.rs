//! Shows a benefit with its holder and items, and its history.

use super::load_holder;
use crate::audit::access_log::record_access;
use crate::command::WriteCommand;
use crate::record_timeline::{self, RecordHistory};
use crate::register_snapshot::{TenantRegisters, read_with_registers};
use crate::session::Session;
use crate::{App, Error};
use domain::{AuditedOperation, Benefit, BenefitCode, BenefitItem, InputField, PersonProfile, Scope};
use std::sync::Arc;
use storage::Tx;
use storage::benefits;
use storage::benefits::items;
use storage::members::dependents;
use wire::field_differences::BENEFIT;

const READ: AuditedOperation = AuditedOperation::ShowBenefit;

const HISTORY: AuditedOperation = AuditedOperation::ShowBenefitHistory;

/// A benefit with its holder, items and number of dependents.
#[derive(Clone, Debug)]
pub struct FullBenefit {
    pub code: BenefitCode,
    pub benefit: Benefit,
    pub holder: PersonProfile,
    /// The first item comes first; ended items are included.
    pub items: Vec<BenefitItem>,
    /// Number of active dependents.
    pub dependents: i64,
    pub registers: Arc<TenantRegisters>,
    pub(super) changed: bool,
}

pub(super) fn reject_unknown_benefit(code: BenefitCode) -> Error {
    Error::NotFound { field: InputField::Benefit, code: code.get() }
}

type BenefitRelatedRecords = (PersonProfile, Vec<BenefitItem>, i64);

pub(super) async fn load_related_records(
    tx: &mut Tx,
    scope: &Scope,
    code: BenefitCode,
    benefit: &Benefit,
) -> Result<BenefitRelatedRecords, Error> {
    let tenant = scope.tenant();
    let holder = load_holder(tx, tenant, code, benefit).await?;
    let mut items = items::list_items(&mut *tx, tenant, code).await?;
    items.sort_by_key(|item| (!item.is_first, item.code));
    Ok((holder, items, dependents::count_active_dependents(&mut *tx, tenant, [code]).await?))
}

/// Reads a benefit with its related records.
#[boxed::future]
pub async fn read_full_benefit(app: &App, caller: &Session, code: BenefitCode) -> Result<FullBenefit, Error> {
    let input = |_: &TenantRegisters| (caller.scope.clone(), code);
    let tenant = caller.scope.tenant();
    let ((benefit, related), registers) = read_with_registers(app, tenant, input, |tx, (scope, code)| {
        Box::pin(async move {
            let benefit =
                benefits::find_benefit(&mut *tx, scope, *code).await?.ok_or(reject_unknown_benefit(*code))?;
            let related = load_related_records(tx, scope, *code, &benefit).await?;
            Ok::<_, Error>((benefit, related))
        })
    })
    .await?;
    record_access(app, caller, READ, std::iter::once(benefit.person))?;
    let (holder, items, dependents) = related;
    Ok(FullBenefit { code, benefit, holder, items, dependents, registers, changed: false })
}

/// Reads field changes and situation changes of a benefit.
#[boxed::future]
pub async fn read_benefit_history(
    app: &App,
    caller: &Session,
    code: BenefitCode,
) -> Result<RecordHistory, Error> {
    let input = |_: &TenantRegisters| (caller.scope.clone(), code);
    let tenant = caller.scope.tenant();
    let ((person, found), registers) = read_with_registers(app, tenant, input, |tx, (scope, code)| {
        Box::pin(async move {
            let benefit =
                benefits::find_benefit(&mut *tx, scope, *code).await?.ok_or(reject_unknown_benefit(*code))?;
            let mut found =
                record_timeline::list_field_changes(tx, scope.tenant(), BENEFIT, code.get()).await?;
            found.extend(record_timeline::list_situation_changes(tx, scope.tenant(), *code).await?);
            Ok::<_, Error>((benefit.person, found))
        })
    })
    .await?;
    record_access(app, caller, HISTORY, std::iter::once(person))?;
    Ok(record_timeline::build_record_history(found, registers))
}

pub(super) async fn build_full_benefit<I>(
    tx: &mut Tx,
    command: &WriteCommand<I>,
    code: BenefitCode,
    benefit: Benefit,
    changed: bool,
) -> Result<FullBenefit, Error> {
    let (holder, items, dependents) = load_related_records(tx, &command.scope, code, &benefit).await?;
    let registers = Arc::clone(&command.registers);
    Ok(FullBenefit { code, benefit, holder, items, dependents, registers, changed })
}
