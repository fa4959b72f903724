//! An event's trigger.

use super::{bracketed, enveloped};
use crate::names;
use domain::{
    BenefitCode, ClaimCode, ClaimTypeCode, Colour, Entity, HistoryCode, Moment, PersonCode, Priority,
    TimeZone,
};
use serde::Serialize;

/// A claim whose situation changed.
#[derive(Clone, Debug)]
pub struct ClaimTrigger<'a> {
    pub history: HistoryCode,
    pub changed: Moment,
    pub claim: ClaimCode,
    pub person: PersonCode,
    pub situation: &'a str,
    pub colour: Colour,
    pub opened: Moment,
    pub protocol: i32,
    pub priority: Priority,
    pub kind: ClaimTypeCode,
    pub kind_name: &'a str,
    pub benefit: Option<BenefitCode>,
    pub description: Option<&'a str>,
    pub closed: Option<Moment>,
}

/// In all but the benefit the second colour is written without a capital.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ClaimObject<'a> {
    id: i32,
    cod_pessoa: i32,
    nome_situacao: String,
    cor_destaque: String,
    corinversa: String,
    data_abertura: String,
    protocolo: i32,
    prioridade: String,
    cod_tipo_evento: i32,
    nome_tipo_evento: &'a str,
    cod_beneficio: Option<i32>,
    descricao: Option<&'a str>,
    data_encerramento: Option<String>,
}

impl ClaimTrigger<'_> {
    /// The body, its times as the clocks of the association show them.
    pub fn body(&self, zone: &TimeZone) -> Result<String, serde_json::Error> {
        let objeto = ClaimObject {
            id: self.claim.get(),
            cod_pessoa: self.person.get(),
            nome_situacao: self.situation.to_uppercase(),
            cor_destaque: self.colour.to_string(),
            corinversa: self.colour.readable_on().to_string(),
            data_abertura: self.opened.to_offset_iso(zone),
            protocolo: self.protocol,
            prioridade: bracketed(names::priority(self.priority)),
            cod_tipo_evento: self.kind.get(),
            nome_tipo_evento: self.kind_name,
            cod_beneficio: self.benefit.map(BenefitCode::get),
            descricao: self.description,
            data_encerramento: self.closed.map(|at| at.to_offset_iso(zone)),
        };
        enveloped(Entity::Claim, self.history, self.changed, zone, objeto)
    }
}
