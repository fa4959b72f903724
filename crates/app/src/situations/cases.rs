//! What people work on: opened, changed, moved to another situation. All of that is one write.

use super::Acting;
use crate::Error;
use crate::base::Registers;
use crate::differences::{self, Difference};
use domain::{CaseKind, HistoryCode, Moment};
use storage::benefits::Benefit;
use storage::cases::{self, Case};
use storage::counters::{self, Counter};
use storage::field_changes::{self, FieldChange};
use storage::history::{self, Change};
use storage::situations::Situation;
use storage::{Statement, Tx, audit};
use wire::trigger::{
    AppointmentTrigger, ClaimTrigger, InspectionTrigger, TicketTrigger, benefit_description,
};

/// A case as it is to be.
pub(crate) struct Store<'a> {
    /// None for a new one.
    pub before: Option<(i32, &'a Case)>,
    pub after: Case,
    /// The benefit that it is about.
    pub benefit: Option<&'a Benefit>,
    pub reason: Option<String>,
    /// The fields in which both differ, as people read them.
    pub differences: Vec<Difference>,
    /// What else is written with it, once its code is known.
    pub also: Box<dyn FnOnce(i32) -> Vec<Statement> + Send + 'a>,
}

/// Writes a case, new or changed, with everything that follows from it; gives back its code, and it as it was written.
pub(crate) async fn store(tx: &mut Tx, acting: &Acting<'_>, store: Store<'_>) -> Result<(i32, Case), Error> {
    let (tenant, mut after) = (acting.tenant, store.after);
    let kind = after.kind();
    let new = i32::from(store.before.is_none());
    let from = store.before.map(|(_, before)| before.head().situation);
    let changes = from != Some(after.head().situation);
    let (counts, protocols) = counters_of(kind);
    let fields = i32::try_from(store.differences.len()).unwrap_or(i32::MAX);
    let wanted = [
        (counts, new),
        (protocols, new),
        (Counter::FieldChange, fields),
        (Counter::History, i32::from(changes)),
        (Counter::Audit, 1),
    ];
    let [code, protocol, first_field, history_code, audit_code] =
        counters::take_all(tx, tenant, wanted).await?;
    let code = store.before.map_or(code, |(code, _)| code);
    match store.before {
        None => after.head_mut().protocol = protocol,
        Some((_, before)) => after.head_mut().version = before.head().version + 1,
    }
    mark(acting, &mut after, changes)?;
    let mut statements = match store.before {
        None => cases::insert(tenant, kind, [(code, &after)]),
        Some(_) => vec![cases::update(tenant, code, &after)],
    };
    statements.extend((store.also)(code));
    let of =
        field_changes::Of { tenant, subject: subject(kind), record: code, user: acting.user, at: acting.now };
    let told: Vec<FieldChange> = store.differences.iter().map(kept).collect();
    statements.extend(field_changes::insert(of, first_field, &told));
    let done = done(acting, &store.before, &after, changes, &store.differences)?;
    if changes {
        let change = Change {
            tenant,
            entity: kind.entity(),
            record: code,
            branch: after.head().branch,
            from,
            to: after.head().situation,
            user: acting.user,
            reason: store.reason,
            origin: acting.origin,
            at: acting.now,
        };
        let history_code = HistoryCode::new(history_code);
        let body = body(acting, (history_code, acting.now), code, &after, store.benefit)?;
        let receivers = acting.receivers_of(kind.entity());
        statements.extend(history::insert(&change, history_code, &receivers, body));
    }
    let entry = audit::Entry {
        tenant,
        at: acting.now,
        user: acting.user,
        operation: acting.operation,
        person: Some(after.head().person),
        detail: Some(format!("{} {code} {done}", name(kind))),
    };
    statements.push(audit::insert(&entry, audit_code));
    tx.batch(statements).await?;
    Ok((code, after))
}

/// What follows from the situation: since when it is in it, and whether it is over.
fn mark(acting: &Acting<'_>, case: &mut Case, changes: bool) -> Result<(), Error> {
    let closes = situation(acting, case)?.kind.closes();
    let head = case.head_mut();
    head.updated_at = acting.now;
    if changes {
        head.situation_since = acting.now;
    }
    // One that was over and still is keeps the day on which it ended.
    head.closed_at = if closes { head.closed_at.or(Some(acting.now)) } else { None };
    Ok(())
}

/// For the audit: what was done, by name and never by value.
fn done(
    acting: &Acting<'_>,
    before: &Option<(i32, &Case)>,
    after: &Case,
    changes: bool,
    differences: &[Difference],
) -> Result<String, Error> {
    Ok(match (before, changes) {
        (None, _) => "aberto".to_owned(),
        (Some(_), true) => format!("passou a {}", situation(acting, after)?.name),
        (Some(_), false) => format!("alterado: {}", differences::named(differences)),
    })
}

fn kept(one: &Difference) -> FieldChange {
    FieldChange { field: one.field.to_owned(), before: one.before.clone(), after: one.after.clone() }
}

fn counters_of(kind: CaseKind) -> (Counter, Counter) {
    match kind {
        CaseKind::Claim => (Counter::Claim, Counter::ClaimProtocol),
        CaseKind::Inspection => (Counter::Inspection, Counter::InspectionProtocol),
        CaseKind::Ticket => (Counter::Ticket, Counter::TicketProtocol),
        CaseKind::Appointment => (Counter::Appointment, Counter::AppointmentProtocol),
    }
}

/// As the changes of its fields are kept.
pub(crate) const fn subject(kind: CaseKind) -> &'static str {
    match kind {
        CaseKind::Claim => "claim",
        CaseKind::Inspection => "inspection",
        CaseKind::Ticket => "ticket",
        CaseKind::Appointment => "appointment",
    }
}

/// As the audit tells of it.
pub(crate) const fn name(kind: CaseKind) -> &'static str {
    match kind {
        CaseKind::Claim => "evento",
        CaseKind::Inspection => "vistoria",
        CaseKind::Ticket => "chamado",
        CaseKind::Appointment => "consulta",
    }
}

fn situation<'a>(acting: &Acting<'a>, case: &Case) -> Result<&'a Situation, Error> {
    let code = case.head().situation;
    let missing = || Error::Text(format!("the situation {code} is not registered"));
    acting.registers.situation(code).ok_or_else(missing)
}

/// What a benefit is called in a few words.
pub(crate) fn described(registers: &Registers, benefit: &Benefit) -> String {
    let plan = benefit.plans.first().and_then(|(plan, _)| registers.plan(*plan));
    let (vehicle, plan) = (&benefit.vehicle, plan.map_or("", |plan| &plan.name));
    benefit_description(vehicle.plate.as_ref(), vehicle.brand.as_deref(), vehicle.model.as_deref(), plan)
}

/// What a receiver is told, now and whenever it is sent again.
pub(crate) fn body(
    acting: &Acting<'_>,
    (history, changed): (HistoryCode, Moment),
    code: i32,
    case: &Case,
    benefit: Option<&Benefit>,
) -> Result<String, Error> {
    let registers = acting.registers;
    let (head, stands) = (case.head(), situation(acting, case)?);
    let (situation, colour, zone) = (stands.name.as_str(), stands.colour, &registers.zone);
    let text = match case {
        Case::Claim(own) => ClaimTrigger {
            history,
            changed,
            claim: domain::ClaimCode::new(code),
            person: head.person,
            situation,
            colour,
            opened: head.opened_at,
            protocol: head.protocol,
            priority: own.priority,
            kind: own.kind,
            kind_name: registers.claim_type(own.kind).map_or("", |one| &one.name),
            benefit: head.benefit,
            description: own.description.as_deref(),
            closed: head.closed_at,
        }
        .body(zone),
        Case::Inspection(own) => InspectionTrigger {
            history,
            changed,
            inspection: code,
            person: head.person,
            situation,
            colour,
            asked: head.opened_at,
            kind: own.kind.get(),
            kind_name: registers.inspection_type(own.kind).map_or("", |one| &one.name),
            benefit: head.benefit,
            benefit_description: benefit.map(|one| described(registers, one)).as_deref(),
            closed: head.closed_at,
            inspector: own.inspector.as_deref(),
        }
        .body(zone),
        Case::Ticket(own) => TicketTrigger {
            history,
            changed,
            ticket: code,
            person: head.person,
            situation,
            colour,
            opened: head.opened_at,
            protocol: head.protocol,
            priority: own.priority,
            kind: own.kind.get(),
            kind_name: registers.ticket_type(own.kind).map_or("", |one| &one.name),
            benefit: head.benefit,
            description: own.description.as_deref(),
            closed: head.closed_at,
        }
        .body(zone),
        Case::Appointment(own) => AppointmentTrigger {
            history,
            changed,
            appointment: code,
            person: head.person,
            benefit: head.benefit,
            situation,
            colour,
            opened: head.opened_at,
            protocol: head.protocol,
            takes_place: own.takes_place_at,
            specialty: own
                .specialty
                .map(|code| (code.get(), registers.specialty(code).map_or("", |one| &one.name))),
            clinic: own.clinic.map(|code| (code.get(), registers.clinic(code).map_or("", |one| &one.name))),
            doctor: own.doctor.map(|code| (code.get(), registers.doctor(code).map_or("", |one| &one.name))),
            address: own.address.as_deref(),
        }
        .body(zone),
    };
    text.map_err(|error| Error::Text(error.to_string()))
}
