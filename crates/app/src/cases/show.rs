//! A case with its related records, and its history.

use super::field_texts::{RELATED, parse_claim_codes, render_claim_codes};
use super::reject_unknown_case;
use crate::audit::access_log::record_access;
use crate::command::WriteCommand;
use crate::describe_benefit::describe_stored_benefit;
use crate::register_snapshot::{TenantRegisters, load_registers};
use crate::session::Session;
use crate::{App, Error};
use domain::{
    AuditedOperation, Benefit, BenefitCode, Case, CaseKind, CaseOperation, ClaimCode, Moment, PersonCode,
    Scope, TenantId,
};
use std::sync::Arc;
use storage::cases;
pub use storage::cases::ResolvedCase;
use storage::cases::claims;
use storage::cases::notes::{self, RecordNote};
use storage::history::field_changes::{self, StoredFieldChange};
use storage::history::situation_changes;
use storage::history::situation_changes::RecordHistoryEntry;
use storage::members::dependents;
use storage::registers::situations::StoredSituation;
use storage::{Tx, members};
use wire::field_differences::name_case_subject;

/// A case with the names of the records it references.
#[derive(Clone, Debug)]
pub struct FullCase {
    pub registers: Arc<TenantRegisters>,
    pub resolved_case: ResolvedCase,
    /// Description of the benefit.
    pub benefit: Option<String>,
    /// Name of the driver or of the dependent who is the patient.
    pub other: Option<String>,
    /// Most recently opened first.
    pub related: Vec<ResolvedCase>,
    pub notes: Vec<RecordNote>,
    pub now: Moment,
    /// False if the case already was as requested: the request then counts as read access.
    pub(super) changed: bool,
}

impl FullCase {
    /// The people whose data the answer contains.
    pub(super) fn people(&self) -> impl Iterator<Item = PersonCode> {
        let driver = match &self.resolved_case.case {
            Case::Claim(claim) => claim.driver,
            _ => None,
        };
        let related = self.related.iter().map(|one| one.case.head().person);
        let mut all: Vec<_> = [Some(self.resolved_case.case.head().person), driver]
            .into_iter()
            .flatten()
            .chain(related)
            .collect();
        all.sort_unstable();
        all.dedup();
        all.into_iter()
    }

    /// The situations that may follow the present one.
    pub fn next_situations(&self) -> impl Iterator<Item = &StoredSituation> {
        let present = self.registers.situation(self.resolved_case.case.head().situation);
        present.into_iter().flat_map(|present| self.registers.next_situations(present))
    }
}

/// Reads a case visible to the caller, with its related records.
#[boxed::future]
pub async fn read_case(app: &App, caller: &Session, kind: CaseKind, code: i32) -> Result<FullCase, Error> {
    let registers = load_registers(app, caller.scope.tenant()).await?;
    let input = (caller.scope.clone(), registers, kind, code, app.now());
    let read = app.db.read(input, |tx, (scope, registers, kind, code, now)| {
        Box::pin(read_full_case(tx, scope, registers, (*kind, *code), *now))
    });
    let full_case = read.await?.ok_or_else(|| reject_unknown_case(kind, code))?;
    record_access(app, caller, AuditedOperation::Case(kind, CaseOperation::Show), full_case.people())?;
    Ok(full_case)
}

/// Reads the case inside the transaction that has written it.
pub(super) async fn read_written_case<I>(
    tx: &mut Tx,
    command: &WriteCommand<I>,
    kind: CaseKind,
    code: i32,
    changed: bool,
) -> Result<Option<FullCase>, Error> {
    let read = read_full_case(tx, &command.scope, &command.registers, (kind, code), command.now).await?;
    Ok(read.map(|full_case| FullCase { changed, ..full_case }))
}

async fn read_full_case(
    tx: &mut Tx,
    scope: &Scope,
    registers: &Arc<TenantRegisters>,
    (kind, code): (CaseKind, i32),
    now: Moment,
) -> Result<Option<FullCase>, Error> {
    let Some(found) = cases::find_case(&mut *tx, scope, kind, code).await? else { return Ok(None) };
    let tenant = scope.tenant();
    let benefit = match found.case.head().benefit {
        Some(code) => find_case_benefit(&mut *tx, tenant, code)
            .await?
            .map(|one| describe_stored_benefit(registers, &one)),
        None => None,
    };
    let other = find_other_person_name(&mut *tx, tenant, &found.case).await?;
    let related = match kind {
        CaseKind::Claim => {
            let codes: Vec<i32> =
                list_related_claims(&mut *tx, scope, code).await?.iter().map(|one| one.get()).collect();
            cases::list_cases_by_codes(&mut *tx, scope, kind, &codes).await?
        }
        _ => Vec::new(),
    };
    let notes = notes::list_notes(&mut *tx, tenant, (kind.entity(), code)).await?;
    let registers = Arc::clone(registers);
    Ok(Some(FullCase { registers, resolved_case: found, benefit, other, related, notes, now, changed: true }))
}

/// Name of the driver or of the dependent who is the patient.
async fn find_other_person_name(tx: &mut Tx, tenant: TenantId, case: &Case) -> Result<Option<String>, Error> {
    Ok(match case {
        Case::Claim(claim) => match claim.driver {
            Some(driver) => members::find_person(tx, tenant, driver).await?.map(|person| person.name),
            None => None,
        },
        Case::Appointment(appointment) => match (appointment.head.benefit, appointment.dependent) {
            (Some(benefit), Some(code)) => dependents::find_dependent_of_benefit(tx, tenant, benefit, code)
                .await?
                .map(|dependent| dependent.name),
            _ => None,
        },
        Case::Inspection(_) | Case::Ticket(_) => None,
    })
}

/// Ignores the branch scope: a caller who may see a case may know its benefit.
pub(super) async fn find_case_benefit(
    tx: &mut Tx,
    tenant: TenantId,
    code: BenefitCode,
) -> Result<Option<Benefit>, Error> {
    Ok(storage::benefits::find_benefit(tx, &Scope::for_tenant(tenant), code).await?)
}

/// The related claims within the scope, by code.
pub(super) async fn list_related_claims(
    tx: &mut Tx,
    scope: &Scope,
    code: i32,
) -> Result<Vec<ClaimCode>, Error> {
    let pairs = claims::list_related_claims(&mut *tx, scope.tenant(), [ClaimCode::new(code)]).await?;
    if pairs.is_empty() {
        return Ok(Vec::new());
    }
    let visible = claims::list_claims_by_codes(&mut *tx, scope, pairs.into_iter().map(|(_, to)| to)).await?;
    Ok(visible.into_iter().map(|claim| claim.code).collect())
}

/// Situation changes and field changes of a case, each in order.
pub struct CaseChangeHistory {
    pub moves: Vec<RecordHistoryEntry>,
    pub fields: Vec<StoredFieldChange>,
    pub registers: Arc<TenantRegisters>,
}

/// Reads the history of a case visible to the caller.
#[boxed::future]
pub async fn read_case_history(
    app: &App,
    caller: &Session,
    kind: CaseKind,
    code: i32,
) -> Result<CaseChangeHistory, Error> {
    let registers = load_registers(app, caller.scope.tenant()).await?;
    let input = (caller.scope.clone(), kind, code);
    let read =
        app.db.read(input, |tx, (scope, kind, code)| Box::pin(read_history_parts(tx, scope, *kind, *code)));
    let (person, moves, fields) = read.await?.ok_or_else(|| reject_unknown_case(kind, code))?;
    record_access(
        app,
        caller,
        AuditedOperation::Case(kind, CaseOperation::ShowHistory),
        std::iter::once(person),
    )?;
    Ok(CaseChangeHistory { moves, fields, registers })
}

type CaseHistoryParts = (PersonCode, Vec<RecordHistoryEntry>, Vec<StoredFieldChange>);

async fn read_history_parts(
    tx: &mut Tx,
    scope: &Scope,
    kind: CaseKind,
    code: i32,
) -> Result<Option<CaseHistoryParts>, Error> {
    let Some(found) = cases::find_case(&mut *tx, scope, kind, code).await? else { return Ok(None) };
    let moves =
        situation_changes::list_record_history(&mut *tx, scope.tenant(), (kind.entity(), code)).await?;
    let mut fields =
        field_changes::list_field_changes(&mut *tx, scope.tenant(), (name_case_subject(kind), code)).await?;
    hide_unseen_claims(tx, scope, &mut fields).await?;
    Ok(Some((found.case.head().person, moves, fields)))
}

/// Removes related claims outside the scope from the field changes, and drops changes that then show no difference.
async fn hide_unseen_claims(
    tx: &mut Tx,
    scope: &Scope,
    fields: &mut Vec<StoredFieldChange>,
) -> Result<(), Error> {
    let is_related = |one: &StoredFieldChange| one.change.field == RELATED;
    let texts = fields.iter().filter(|one| is_related(one));
    let texts = texts.flat_map(|one| [&one.change.before, &one.change.after]).flatten();
    let mut codes: Vec<ClaimCode> = texts.flat_map(|text| parse_claim_codes(text)).collect();
    codes.sort_unstable();
    codes.dedup();
    if codes.is_empty() {
        return Ok(());
    }
    let visible_codes: Vec<ClaimCode> =
        claims::list_claims_by_codes(tx, scope, codes).await?.iter().map(|claim| claim.code).collect();
    let keep_visible = |text: &mut Option<String>| {
        let codes: Vec<ClaimCode> = text
            .iter()
            .flat_map(|text| parse_claim_codes(text))
            .filter(|code| visible_codes.contains(code))
            .collect();
        *text = render_claim_codes(&codes);
    };
    fields.retain_mut(|one| {
        if !is_related(one) {
            return true;
        }
        keep_visible(&mut one.change.before);
        keep_visible(&mut one.change.after);
        one.change.before != one.change.after
    });
    Ok(())
}
