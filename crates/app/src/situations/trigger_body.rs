//! The bodies sent to receivers; retries send the same body.

use crate::Error;
use crate::actor_context::ActorContext;
use crate::describe_benefit::describe_stored_benefit;
use domain::{Benefit, BenefitCode, Case, HistoryCode};
use wire::trigger::{AppointmentTrigger, BenefitTrigger, ClaimTrigger, InspectionTrigger, TicketTrigger};

pub fn render_benefit_trigger_body(
    context: &ActorContext<'_>,
    history: HistoryCode,
    code: BenefitCode,
    benefit: &Benefit,
) -> Result<String, Error> {
    let registers = context.registers;
    let situation = registers.require_situation(benefit.situation)?;
    let trigger = BenefitTrigger {
        history,
        changed: context.now,
        benefit: code,
        person: benefit.person,
        branch: benefit.branch,
        branch_name: registers.branch_name(benefit.branch),
        situation: &situation.name,
        colour: situation.colour,
        description: &describe_stored_benefit(registers, benefit),
        registered: benefit.created_at,
        sequence: benefit.sequence,
        kind: benefit.kind,
        joined: benefit.joined_on,
    };
    trigger.render_body(&registers.zone).map_err(|error| Error::Defect(error.to_string()))
}

pub fn render_case_trigger_body(
    context: &ActorContext<'_>,
    history: HistoryCode,
    code: i32,
    case: &Case,
    benefit: Option<&Benefit>,
) -> Result<String, Error> {
    let (registers, changed, head) = (context.registers, context.now, case.head());
    let stored_situation = registers.require_situation(head.situation)?;
    let (situation, colour, zone) =
        (stored_situation.name.as_str(), stored_situation.colour, &registers.zone);
    let text = match case {
        Case::Claim(claim) => ClaimTrigger {
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
        Case::Inspection(inspection) => InspectionTrigger {
            history,
            changed,
            inspection: code,
            person: head.person,
            situation,
            colour,
            requested_at: head.opened_at,
            kind: inspection.kind.get(),
            kind_name: registers.inspection_type(inspection.kind).map_or("", |one| &one.name),
            benefit: head.benefit,
            benefit_description: benefit.map(|one| describe_stored_benefit(registers, one)).as_deref(),
            closed: head.closed_at,
            inspector: inspection.inspector.as_deref(),
        }
        .render_body(zone),
        Case::Ticket(ticket) => TicketTrigger {
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
        Case::Appointment(appointment) => AppointmentTrigger {
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
