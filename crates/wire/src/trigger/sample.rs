//! Sample triggers of each entity without real data, to test a receiver and to document the bodies.

use super::{
    AppointmentTrigger, BenefitTrigger, ClaimTrigger, InspectionTrigger, TicketTrigger, TitleChangeMessage,
};
use domain::finance::{LaunchKind, TitleSituation};
use domain::{
    BenefitCode, BenefitKind, BranchCode, ClaimCode, ClaimTypeCode, Colour, Date, Entity, HistoryCode,
    Moment, PersonCode, Priority, TimeZone, TitleCode,
};
use std::time::Duration;

/// The codes in a sample.
#[derive(Clone, Copy, Debug)]
pub struct ExampleCodes {
    history: HistoryCode,
    person: PersonCode,
    benefit: BenefitCode,
    /// For every entity except the benefit.
    case: i32,
}

impl ExampleCodes {
    /// Realistic codes, for the documentation.
    pub const LIKELY: ExampleCodes = ExampleCodes {
        history: HistoryCode::new(918),
        person: PersonCode::new(555),
        benefit: BenefitCode::new(777),
        case: 31,
    };
    /// Codes that no record ever reaches, so that a receiver's reaction affects no real record.
    pub const NOBODYS: ExampleCodes = ExampleCodes {
        history: HistoryCode::new(i32::MAX),
        person: PersonCode::new(i32::MAX),
        benefit: BenefitCode::new(i32::MAX),
        case: i32::MAX,
    };
}

const GREEN: Colour = Colour::from_rgb(0x18_8038);
const AMBER: Colour = Colour::from_rgb(0xF9_AB00);

/// The body of a sample trigger at this moment.
pub fn render_sample(
    entity: Entity,
    codes: ExampleCodes,
    now: Moment,
    zone: &TimeZone,
) -> Result<String, serde_json::Error> {
    let (history, changed) = (codes.history, now);
    let earlier = now.minus(Duration::from_hours(1));
    match entity {
        Entity::Benefit => BenefitTrigger {
            history,
            changed,
            benefit: codes.benefit,
            person: codes.person,
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
        .render_body(zone),
        Entity::Claim => ClaimTrigger {
            history,
            changed,
            claim: ClaimCode::new(codes.case),
            person: codes.person,
            situation: "EM ANÁLISE",
            colour: AMBER,
            opened: earlier,
            protocol: 4711,
            priority: Priority::Medium,
            kind: ClaimTypeCode::new(2),
            kind_name: "Colisão",
            benefit: Some(codes.benefit),
            description: Some("Colisão traseira, sem feridos."),
            closed: None,
        }
        .render_body(zone),
        Entity::Inspection => InspectionTrigger {
            history,
            changed,
            inspection: codes.case,
            person: codes.person,
            situation: "APROVADA",
            colour: GREEN,
            requested_at: earlier,
            kind: 2,
            kind_name: "Vistoria de entrada",
            benefit: Some(codes.benefit),
            benefit_description: Some("ABC1D23 - FIAT ARGO 1.0"),
            closed: Some(now),
            inspector: Some("Ana Prado"),
        }
        .render_body(zone),
        Entity::Ticket => TicketTrigger {
            history,
            changed,
            ticket: codes.case,
            person: codes.person,
            situation: "EM ATENDIMENTO",
            colour: AMBER,
            opened: earlier,
            protocol: 4711,
            priority: Priority::Medium,
            kind: 2,
            kind_name: "Dúvida de boleto",
            benefit: Some(codes.benefit),
            description: Some("Segunda via"),
            closed: None,
        }
        .render_body(zone),
        Entity::Appointment => AppointmentTrigger {
            history,
            changed,
            appointment: codes.case,
            person: codes.person,
            benefit: Some(codes.benefit),
            situation: "CONFIRMADA",
            colour: AMBER,
            opened: earlier,
            protocol: 4711,
            takes_place: Some(now.plus(Duration::from_hours(24))),
            specialty: Some((3, "Cardiologia")),
            clinic: Some((5, "Vida Plena")),
            doctor: Some((8, "Dra. Eva Lima")),
            address: Some("Avenida Paulista, 1578, Bela Vista, São Paulo, SP"),
        }
        .render_body(zone),
        Entity::Title => {
            let today = now.date_in(zone);
            TitleChangeMessage {
                history,
                changed,
                title: TitleCode::new(codes.case),
                person: codes.person,
                branch: BranchCode::new(1),
                branch_name: "Matriz",
                situation: TitleSituation::Settled,
                description: "Mensalidade",
                launch_kind: LaunchKind::Credit,
                issued_on: today,
                due_on: today,
                settled_on: Some(today),
                amount: 15_055,
                settled_total: 15_055,
                benefits: &[codes.benefit],
            }
            .render_body(zone)
        }
    }
}
