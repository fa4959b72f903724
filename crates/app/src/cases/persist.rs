//! The one writer of cases: opening, field change or situation change.

use super::closing_time::mark_case_times;
use crate::Error;
use crate::actor_context::ActorContext;
use crate::situations::{RecordSituationChange, insert_situation_change, render_case_trigger_body};
use domain::{AuditedAction, AuditedChange, Benefit, Case, CaseKind, HistoryCode, is_situation_change};
use storage::cases;
use storage::history::audit;
use storage::server::counters::{self, Counter};
use storage::{Statement, Tx};
use wire::field_differences::{FieldDifference, list_field_names, name_case_subject};

/// A validated case that is not yet written.
pub(crate) struct PendingCaseWrite<'a> {
    /// `None` for a new case.
    pub before: Option<(i32, &'a Case)>,
    pub after: Case,
    /// The benefit of the case.
    pub benefit: Option<&'a Benefit>,
    pub reason: Option<String>,
    /// Field differences as readable texts.
    pub differences: Vec<FieldDifference>,
    /// Further statements that need the code.
    pub also: Box<dyn FnOnce(i32) -> Vec<Statement> + Send + 'a>,
}

/// Writes a new or changed case with history, deliveries, field changes and audit entry; returns the code and the case
/// as written.
pub(crate) async fn store_case(
    tx: &mut Tx,
    context: &ActorContext<'_>,
    pending: PendingCaseWrite<'_>,
) -> Result<(i32, Case), Error> {
    let (tenant, mut after) = (context.tenant, pending.after);
    let kind = after.kind();
    let new = i32::from(pending.before.is_none());
    let from = pending.before.map(|(_, before)| before.head().situation);
    let is_situation_change = is_situation_change(from, after.head().situation);
    let (counts, protocols) = select_counters(kind);
    let fields = i32::try_from(pending.differences.len()).unwrap_or(i32::MAX);
    let requested = [
        (counts, new),
        (protocols, new),
        (Counter::FieldChange, fields),
        (Counter::History, i32::from(is_situation_change)),
        (Counter::Audit, 1),
    ];
    let [code, protocol, first_field, history_code, audit_code] =
        counters::reserve_number_blocks(tx, tenant, requested).await?;
    let code = pending.before.map_or(code, |(code, _)| code);
    match pending.before {
        None => after.head_mut().protocol = protocol,
        Some((_, before)) => after.head_mut().version = before.head().version + 1,
    }
    mark_case_times(context, &mut after, is_situation_change)?;
    let mut statements = match pending.before {
        None => cases::insert_cases(tenant, kind, [(code, &after)]),
        Some(_) => vec![cases::update_case(tenant, code, &after)],
    };
    statements.extend((pending.also)(code));
    let change =
        build_audited_change(context, pending.before, &after, is_situation_change, &pending.differences)?;
    let subject = name_case_subject(kind);
    statements.extend(context.field_change_statements(subject, code, first_field, pending.differences));
    if is_situation_change {
        let change = RecordSituationChange {
            entity: kind.entity(),
            record: code,
            branch: after.head().branch,
            from,
            to: after.head().situation,
            reason: pending.reason,
        };
        let history = HistoryCode::new(history_code);
        let body = render_case_trigger_body(context, history, code, &after, pending.benefit)?;
        statements.extend(insert_situation_change(context, history, change, body));
    }
    let entry = context.audit_entry(Some(after.head().person), change.with_subject(kind.into(), code));
    statements.push(audit::insert_audit_entry(&entry, audit_code));
    tx.execute_batch(statements).await?;
    Ok((code, after))
}

fn build_audited_change(
    context: &ActorContext<'_>,
    before: Option<(i32, &Case)>,
    after: &Case,
    is_situation_change: bool,
    differences: &[FieldDifference],
) -> Result<AuditedChange, Error> {
    Ok(match (before, is_situation_change) {
        (None, _) => AuditedAction::Open.into(),
        (Some(_), true) => AuditedChange::from(AuditedAction::ChangeSituation)
            .with_argument(&context.registers.require_situation(after.head().situation)?.name),
        (Some(_), false) => {
            AuditedChange::from(AuditedAction::Change).with_fields(list_field_names(differences))
        }
    })
}

fn select_counters(kind: CaseKind) -> (Counter, Counter) {
    match kind {
        CaseKind::Claim => (Counter::Claim, Counter::ClaimProtocol),
        CaseKind::Inspection => (Counter::Inspection, Counter::InspectionProtocol),
        CaseKind::Ticket => (Counter::Ticket, Counter::TicketProtocol),
        CaseKind::Appointment => (Counter::Appointment, Counter::AppointmentProtocol),
    }
}
