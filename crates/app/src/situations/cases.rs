//! The single write of a case: opening, field change or situation change.

use super::ActorContext;
use crate::Error;
use crate::field_differences::{FieldDifference, list_field_names};
use crate::registers::snapshot::TenantRegisters;
use domain::{AuditedAction, AuditedChange, CaseKind, HistoryCode, Moment};
use storage::benefits::StoredBenefit;
use storage::cases::{self, StoredCase};
use storage::history::audit;
use storage::history::field_changes::{self, FieldChange};
use storage::history::situation_changes::{self, NewHistoryRow};
use storage::registers::situations::StoredSituation;
use storage::server::counters::{self, Counter};
use storage::{Statement, Tx};
use wire::trigger::{AppointmentTrigger, ClaimTrigger, InspectionTrigger, TicketTrigger, describe_benefit};

/// A validated case that is not yet written.
pub(crate) struct PendingCaseWrite<'a> {
    /// `None` for a new case.
    pub before: Option<(i32, &'a StoredCase)>,
    pub after: StoredCase,
    /// The benefit of the case.
    pub benefit: Option<&'a StoredBenefit>,
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
) -> Result<(i32, StoredCase), Error> {
    let (tenant, mut after) = (context.tenant, pending.after);
    let kind = after.kind();
    let new = i32::from(pending.before.is_none());
    let from = pending.before.map(|(_, before)| before.head().situation);
    let is_situation_change = from != Some(after.head().situation);
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
    let change_context = field_changes::FieldChangeContext {
        tenant,
        subject: name_history_subject(kind),
        record: code,
        user: context.user,
        at: context.now,
    };
    let stored_changes: Vec<FieldChange> = pending.differences.iter().map(convert_difference).collect();
    statements.extend(field_changes::insert_field_changes(change_context, first_field, &stored_changes));
    let change =
        build_audited_change(context, &pending.before, &after, is_situation_change, &pending.differences)?;
    if is_situation_change {
        let change = NewHistoryRow {
            tenant,
            entity: kind.entity(),
            record: code,
            branch: after.head().branch,
            from,
            to: after.head().situation,
            user: context.user,
            reason: pending.reason,
            origin: context.origin,
            at: context.now,
        };
        let history_code = HistoryCode::new(history_code);
        let body =
            render_case_trigger_body(context, (history_code, context.now), code, &after, pending.benefit)?;
        let receivers = context.receivers_for(kind.entity());
        statements.extend(situation_changes::insert_history_entry(&change, history_code, &receivers, body));
    }
    let entry = audit::AuditEntry {
        tenant,
        at: context.now,
        user: context.user,
        operation: context.operation,
        person: Some(after.head().person),
        change: change.with_subject(kind.into(), code),
    };
    statements.push(audit::insert_audit_entry(&entry, audit_code));
    tx.execute_batch(statements).await?;
    Ok((code, after))
}

/// Sets the start of the situation and the closing time.
fn mark_case_times(
    context: &ActorContext<'_>,
    case: &mut StoredCase,
    is_situation_change: bool,
) -> Result<(), Error> {
    let closes = require_situation(context, case)?.kind.is_final();
    let head = case.head_mut();
    head.updated_at = context.now;
    if is_situation_change {
        head.situation_since = context.now;
    }
    // A case that stays closed keeps its closing time.
    head.closed_at = if closes { head.closed_at.or(Some(context.now)) } else { None };
    Ok(())
}

fn build_audited_change(
    context: &ActorContext<'_>,
    before: &Option<(i32, &StoredCase)>,
    after: &StoredCase,
    is_situation_change: bool,
    differences: &[FieldDifference],
) -> Result<AuditedChange, Error> {
    Ok(match (before, is_situation_change) {
        (None, _) => AuditedAction::Open.into(),
        (Some(_), true) => AuditedChange::from(AuditedAction::ChangeSituation)
            .with_argument(&require_situation(context, after)?.name),
        (Some(_), false) => {
            AuditedChange::from(AuditedAction::Change).with_fields(list_field_names(differences))
        }
    })
}

fn convert_difference(one: &FieldDifference) -> FieldChange {
    FieldChange { field: one.field.to_owned(), before: one.before.clone(), after: one.after.clone() }
}

fn select_counters(kind: CaseKind) -> (Counter, Counter) {
    match kind {
        CaseKind::Claim => (Counter::Claim, Counter::ClaimProtocol),
        CaseKind::Inspection => (Counter::Inspection, Counter::InspectionProtocol),
        CaseKind::Ticket => (Counter::Ticket, Counter::TicketProtocol),
        CaseKind::Appointment => (Counter::Appointment, Counter::AppointmentProtocol),
    }
}

/// Subject name in the stored field changes.
pub(crate) const fn name_history_subject(kind: CaseKind) -> &'static str {
    match kind {
        CaseKind::Claim => "claim",
        CaseKind::Inspection => "inspection",
        CaseKind::Ticket => "ticket",
        CaseKind::Appointment => "appointment",
    }
}

fn require_situation<'a>(
    context: &ActorContext<'a>,
    case: &StoredCase,
) -> Result<&'a StoredSituation, Error> {
    let code = case.head().situation;
    let missing = || Error::Defect(format!("the situation {code} is not registered"));
    context.registers.situation(code).ok_or_else(missing)
}

/// Short description of a benefit.
pub fn describe_stored_benefit(registers: &TenantRegisters, benefit: &StoredBenefit) -> String {
    let plan = benefit.plans.first().and_then(|(plan, _)| registers.plan(*plan));
    let (vehicle, plan) = (&benefit.vehicle, plan.map_or("", |plan| &plan.name));
    describe_benefit(vehicle.plate.as_ref(), vehicle.brand.as_deref(), vehicle.model.as_deref(), plan)
}

/// The body sent to receivers; retries send the same body.
pub fn render_case_trigger_body(
    context: &ActorContext<'_>,
    (history, changed): (HistoryCode, Moment),
    code: i32,
    case: &StoredCase,
    benefit: Option<&StoredBenefit>,
) -> Result<String, Error> {
    let registers = context.registers;
    let (head, stored_situation) = (case.head(), require_situation(context, case)?);
    let (situation, colour, zone) =
        (stored_situation.name.as_str(), stored_situation.colour, &registers.zone);
    let text = match case {
        StoredCase::Claim(claim) => ClaimTrigger {
            history,
            changed,
            claim: domain::ClaimCode::new(code),
            person: head.person,
            situation,
            colour,
            opened: head.opened_at,
            protocol: head.protocol,
            priority: claim.priority,
            kind: claim.kind,
            kind_name: registers.claim_type(claim.kind).map_or("", |one| &one.name),
            benefit: head.benefit,
            description: claim.description.as_deref(),
            closed: head.closed_at,
        }
        .render_body(zone),
        StoredCase::Inspection(inspection) => InspectionTrigger {
            history,
            changed,
            inspection: code,
            person: head.person,
            situation,
            colour,
            asked: head.opened_at,
            kind: inspection.kind.get(),
            kind_name: registers.inspection_type(inspection.kind).map_or("", |one| &one.name),
            benefit: head.benefit,
            benefit_description: benefit.map(|one| describe_stored_benefit(registers, one)).as_deref(),
            closed: head.closed_at,
            inspector: inspection.inspector.as_deref(),
        }
        .render_body(zone),
        StoredCase::Ticket(ticket) => TicketTrigger {
            history,
            changed,
            ticket: code,
            person: head.person,
            situation,
            colour,
            opened: head.opened_at,
            protocol: head.protocol,
            priority: ticket.priority,
            kind: ticket.kind.get(),
            kind_name: registers.ticket_type(ticket.kind).map_or("", |one| &one.name),
            benefit: head.benefit,
            description: ticket.description.as_deref(),
            closed: head.closed_at,
        }
        .render_body(zone),
        StoredCase::Appointment(appointment) => AppointmentTrigger {
            history,
            changed,
            appointment: code,
            person: head.person,
            benefit: head.benefit,
            situation,
            colour,
            opened: head.opened_at,
            protocol: head.protocol,
            takes_place: appointment.takes_place_at,
            specialty: appointment
                .specialty
                .map(|code| (code.get(), registers.specialty(code).map_or("", |one| &one.name))),
            clinic: appointment
                .clinic
                .map(|code| (code.get(), registers.clinic(code).map_or("", |one| &one.name))),
            doctor: appointment
                .doctor
                .map(|code| (code.get(), registers.doctor(code).map_or("", |one| &one.name))),
            address: appointment.address.as_deref(),
        }
        .render_body(zone),
    };
    text.map_err(|error| Error::Defect(error.to_string()))
}
