//! An inspection's trigger.

use super::enveloped;
use domain::{BenefitCode, Colour, Entity, HistoryCode, Moment, PersonCode, TimeZone};
use serde::Serialize;

/// An inspection whose situation changed.
#[derive(Clone, Debug)]
pub struct InspectionTrigger<'a> {
    pub history: HistoryCode,
    pub changed: Moment,
    pub inspection: i32,
    pub person: PersonCode,
    pub situation: &'a str,
    pub colour: Colour,
    pub asked: Moment,
    pub kind: i32,
    pub kind_name: &'a str,
    pub benefit: Option<BenefitCode>,
    pub benefit_description: Option<&'a str>,
    pub closed: Option<Moment>,
    pub inspector: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct InspectionObject<'a> {
    id: i32,
    cod_pessoa: i32,
    nome_situacao: String,
    cor_destaque: String,
    corinversa: String,
    data_solicitacao: String,
    cod_tipo_vistoria: i32,
    nome_tipo_vistoria: &'a str,
    cod_beneficio: Option<i32>,
    descricao_beneficio: Option<&'a str>,
    data_conclusao: Option<String>,
    vistoriador: Option<&'a str>,
}

impl InspectionTrigger<'_> {
    /// The body, its times as the clocks of the association show them.
    pub fn body(&self, zone: &TimeZone) -> Result<String, serde_json::Error> {
        let objeto = InspectionObject {
            id: self.inspection,
            cod_pessoa: self.person.get(),
            nome_situacao: self.situation.to_uppercase(),
            cor_destaque: self.colour.to_string(),
            corinversa: self.colour.readable_on().to_string(),
            data_solicitacao: self.asked.to_offset_iso(zone),
            cod_tipo_vistoria: self.kind,
            nome_tipo_vistoria: self.kind_name,
            cod_beneficio: self.benefit.map(BenefitCode::get),
            descricao_beneficio: self.benefit_description,
            data_conclusao: self.closed.map(|at| at.to_offset_iso(zone)),
            vistoriador: self.inspector,
        };
        enveloped(Entity::Inspection, self.history, self.changed, zone, objeto)
    }
}
