//! A trigger of each entity that speaks of nobody, to try a receiver with and to show what it will get.

use super::{AppointmentTrigger, BenefitTrigger, ClaimTrigger, InspectionTrigger, TicketTrigger};
use domain::{
    BenefitCode, BenefitKind, BranchCode, ClaimCode, ClaimTypeCode, Colour, Date, Entity, HistoryCode,
    Moment, PersonCode, Priority, TimeZone,
};
use std::time::Duration;

/// Codes count from 1 and never come so far: what a receiver does with a sample meets nobody.
const NOBODYS: i32 = 2_147_483_647;
const PERSON: PersonCode = PersonCode::new(NOBODYS);
const BENEFIT: BenefitCode = BenefitCode::new(NOBODYS);
const HISTORY: HistoryCode = HistoryCode::new(NOBODYS);
const GREEN: Colour = Colour::rgb(0x18_8038);
const AMBER: Colour = Colour::rgb(0xF9_AB00);

/// The body of a trigger as it would be at this moment.
pub fn sample(entity: Entity, now: Moment, zone: &TimeZone) -> Result<String, serde_json::Error> {
    let (history, changed) = (HISTORY, now);
    let earlier = now.minus(Duration::from_secs(3600));
    match entity {
        Entity::Benefit => BenefitTrigger {
            history,
            changed,
            benefit: BENEFIT,
            person: PERSON,
            branch: BranchCode::new(1),
            branch_name: "Matriz",
            situation: "ATIVO",
            colour: GREEN,
            description: "ABC1D23 - FIAT ARGO 1.0",
            registered: earlier,
            sequence: 12,
            kind: BenefitKind::Vehicle,
            joined: Date::new(2026, 11, 14),
        }
        .body(zone),
        Entity::Claim => ClaimTrigger {
            history,
            changed,
            claim: ClaimCode::new(NOBODYS),
            person: PERSON,
            situation: "EM ANÁLISE",
            colour: AMBER,
            opened: earlier,
            protocol: 4711,
            priority: Priority::Medium,
            kind: ClaimTypeCode::new(2),
            kind_name: "Colisão",
            benefit: Some(BENEFIT),
            description: Some("Colisão traseira, sem feridos."),
            closed: None,
        }
        .body(zone),
        Entity::Inspection => InspectionTrigger {
            history,
            changed,
            inspection: NOBODYS,
            person: PERSON,
            situation: "APROVADA",
            colour: GREEN,
            asked: earlier,
            kind: 2,
            kind_name: "Vistoria de entrada",
            benefit: Some(BENEFIT),
            benefit_description: Some("ABC1D23 - FIAT ARGO 1.0"),
            closed: Some(now),
            inspector: Some("Ana Prado"),
        }
        .body(zone),
        Entity::Ticket => TicketTrigger {
            history,
            changed,
            ticket: NOBODYS,
            person: PERSON,
            situation: "EM ATENDIMENTO",
            colour: AMBER,
            opened: earlier,
            protocol: 4711,
            priority: Priority::Medium,
            kind: 2,
            kind_name: "Dúvida de boleto",
            benefit: Some(BENEFIT),
            description: Some("Segunda via"),
            closed: None,
        }
        .body(zone),
        Entity::Appointment => AppointmentTrigger {
            history,
            changed,
            appointment: NOBODYS,
            person: PERSON,
            benefit: Some(BENEFIT),
            situation: "CONFIRMADA",
            colour: AMBER,
            opened: earlier,
            protocol: 4711,
            takes_place: Some(now.plus(Duration::from_secs(86_400))),
            specialty: Some((3, "Cardiologia")),
            clinic: Some((5, "Vida Plena")),
            doctor: Some((8, "Dra. Eva Lima")),
            address: Some("Avenida Paulista, 1578, Bela Vista, São Paulo, SP"),
        }
        .body(zone),
    }
}
