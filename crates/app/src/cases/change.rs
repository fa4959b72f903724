//! Changes the fields of a case.

use super::field_texts::{ReferencedNames, render_case_fields};
use super::persist::{PendingCaseWrite, store_case};
use super::show;
use super::show::FullCase;
use super::validate::{SentCaseValidator, ValidatedCase};
use super::{AnyCaseInput, reject_unknown_case};
use crate::audit::access_log::record_access;
use crate::command::{WriteCommand, run_command};
use crate::idempotency::{IdempotentWrite, WriteOutcome};
use crate::register_snapshot::confirm_registers;
use crate::session::Session;
use crate::{App, Error};
use domain::{AuditedOperation, Case, CaseKind, CaseOperation};
use storage::{Tx, cases};
use wire::field_differences::{self};
use wire::read::FieldPatch;
use wire::record_version::{self, CurrentVersion};

#[boxed::future]
pub async fn change_case(
    app: &App,
    caller: &Session,
    (code, input): (i32, AnyCaseInput),
    once: IdempotentWrite<FullCase>,
) -> Result<WriteOutcome<FullCase>, Error> {
    let operation = AuditedOperation::Case(input.kind(), CaseOperation::Change);
    let outcome = run_command(app, caller, operation, (code, input), once, |tx, command| {
        Box::pin(write_changed_case(tx, command))
    })
    .await?;
    record_unchanged_access(app, caller, operation, &outcome)?;
    Ok(outcome)
}

async fn write_changed_case(
    tx: &mut Tx,
    command: &WriteCommand<(i32, AnyCaseInput)>,
) -> Result<FullCase, Error> {
    let (tenant, (code, input)) = (command.scope.tenant(), &command.input);
    let (code, kind, registers) = (*code, input.kind(), &command.registers);
    confirm_registers(tx, tenant, registers).await?;
    let before = cases::find_case(&mut *tx, &command.scope, kind, code).await?.map(|found| found.case);
    let related_before = match kind {
        CaseKind::Claim if before.is_some() => {
            show::list_related_claims(&mut *tx, &command.scope, code).await?
        }
        _ => Vec::new(),
    };
    let mut validator = SentCaseValidator::new(&mut *tx, command);
    let validated = validator.build_changed_case(input, (code, before.as_ref()), &related_before).await?;
    let problems = validator.problems;
    // Problems of the input are reported before an unknown code in the path.
    if !problems.is_empty() {
        return Err(Error::Refused(problems));
    }
    let (Some(before), Some(ValidatedCase { case: after, benefit, related })) = (before, validated) else {
        return Err(reject_unknown_case(kind, code));
    };
    let names = ReferencedNames::load_changed(&mut *tx, command, [&before, &after]).await?;
    let differences = field_differences::compare_fields(
        render_case_fields(registers, &names, &before, &related_before),
        render_case_fields(registers, &names, &after, &related),
    );
    refuse_old_case_version(command, &before, &input.common_fields().version, &differences)?;
    if after == before && related == related_before {
        return show::read_written_case(tx, command, kind, code, false)
            .await?
            .ok_or_else(|| reject_unknown_case(kind, code));
    }
    let own_code = domain::ClaimCode::new(code);
    let removed: Vec<_> = related_before.iter().filter(|other| !related.contains(other)).copied().collect();
    let added: Vec<_> = related.iter().filter(|other| !related_before.contains(other)).copied().collect();
    let pending = PendingCaseWrite {
        before: Some((code, &before)),
        after,
        benefit: benefit.as_ref(),
        reason: None,
        differences,
        also: Box::new(move |_| {
            let mut statements = cases::claims::delete_mutual_relations(tenant, own_code, &removed);
            statements.extend(cases::claims::insert_claim_relations(
                tenant,
                added.iter().flat_map(|to| [(own_code, *to), (*to, own_code)]),
            ));
            statements
        }),
    };
    store_case(tx, &command.actor_context(), pending).await?;
    show::read_written_case(tx, command, kind, code, true)
        .await?
        .ok_or_else(|| reject_unknown_case(kind, code))
}

/// Refuses a change based on another version than the present one.
pub(super) fn refuse_old_case_version<I>(
    command: &WriteCommand<I>,
    before: &Case,
    input_version: &FieldPatch<i32>,
    differences: &[field_differences::FieldDifference],
) -> Result<(), Error> {
    let head = before.head();
    let current = CurrentVersion { version: head.version.into(), since: head.updated_at };
    let FieldPatch::Set(input_version) = input_version else { return Ok(()) };
    match record_version::refuse_old_version(
        (*input_version).into(),
        current,
        &command.registers.zone,
        differences,
    ) {
        Some(rejection) => Err(rejection.into()),
        None => Ok(()),
    }
}

/// An answer without a change still shows personal data, so it is recorded as read access.
pub(super) fn record_unchanged_access(
    app: &App,
    caller: &Session,
    operation: AuditedOperation,
    outcome: &WriteOutcome<FullCase>,
) -> Result<(), Error> {
    match outcome {
        WriteOutcome::Fresh(full_case) if !full_case.changed => {
            record_access(app, caller, operation, full_case.people())
        }
        _ => Ok(()),
    }
}
