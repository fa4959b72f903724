//! The bodies of situation-change triggers, byte for byte as in the specification.

mod appointment;
mod benefit;
mod claim;
mod inspection;
mod sample;
mod schema;
#[cfg(test)]
mod tests;
mod ticket;
mod title;

pub use appointment::AppointmentTrigger;
pub use benefit::{BenefitTrigger, describe_benefit};
pub use claim::ClaimTrigger;
pub use inspection::InspectionTrigger;
pub use sample::{ExampleCodes, render_sample};
pub use schema::{BodySchemas, describe_trigger_body};
pub use ticket::TicketTrigger;
pub use title::TitleChangeMessage;

use crate::set_names;
use domain::{Entity, HistoryCode, Moment, TimeZone};
use serde::Serialize;

/// The failure of a test message in a process that sends no triggers.
pub const SENDING_DISABLED: &str = "este processo não envia gatilhos";

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Envelope<O> {
    cod_historico: i32,
    data_historico: String,
    entidade: String,
    objeto: O,
}

fn render_envelope(
    entity: Entity,
    history: HistoryCode,
    changed: Moment,
    zone: &TimeZone,
    objeto: impl Serialize,
) -> Result<String, serde_json::Error> {
    serde_json::to_string(&Envelope {
        cod_historico: history.get(),
        data_historico: changed.to_offset_iso(zone),
        entidade: quote_in_brackets(set_names::entity(entity)),
        objeto,
    })
}

/// Names of fixed sets are sent in brackets and quotes: `["Benefício"]`.
fn quote_in_brackets(name: &str) -> String {
    format!("[\"{name}\"]")
}
