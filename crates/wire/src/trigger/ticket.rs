//! A ticket's trigger.

use super::{bracketed, enveloped};
use crate::names;
use domain::{BenefitCode, Colour, Entity, HistoryCode, Moment, PersonCode, Priority, TimeZone};
use serde::Serialize;

/// A ticket whose situation changed.
#[derive(Clone, Debug)]
pub struct TicketTrigger<'a> {
    pub history: HistoryCode,
    pub changed: Moment,
    pub ticket: i32,
    pub person: PersonCode,
    pub situation: &'a str,
    pub colour: Colour,
    pub opened: Moment,
    pub protocol: i32,
    pub priority: Priority,
    pub kind: i32,
    pub kind_name: &'a str,
    pub benefit: Option<BenefitCode>,
    pub description: Option<&'a str>,
    pub closed: Option<Moment>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TicketObject<'a> {
    id: i32,
    cod_pessoa: i32,
    nome_situacao: String,
    cor_destaque: String,
    corinversa: String,
    data_abertura: String,
    protocolo: i32,
    prioridade: String,
    cod_tipo_help_desk: i32,
    nome_tipo_help_desk: &'a str,
    cod_beneficio: Option<i32>,
    descricao: Option<&'a str>,
    data_encerramento: Option<String>,
}

impl TicketTrigger<'_> {
    /// The body, its times as the clocks of the association show them.
    pub fn body(&self, zone: &TimeZone) -> Result<String, serde_json::Error> {
        let objeto = TicketObject {
            id: self.ticket,
            cod_pessoa: self.person.get(),
            nome_situacao: self.situation.to_uppercase(),
            cor_destaque: self.colour.to_string(),
            corinversa: self.colour.readable_on().to_string(),
            data_abertura: self.opened.to_offset_iso(zone),
            protocolo: self.protocol,
            prioridade: bracketed(names::priority(self.priority)),
            cod_tipo_help_desk: self.kind,
            nome_tipo_help_desk: self.kind_name,
            cod_beneficio: self.benefit.map(BenefitCode::get),
            descricao: self.description,
            data_encerramento: self.closed.map(|at| at.to_offset_iso(zone)),
        };
        enveloped(Entity::Ticket, self.history, self.changed, zone, objeto)
    }
}
