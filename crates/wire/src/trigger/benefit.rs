//! A benefit's trigger.

use super::{bracketed, enveloped};
use crate::names;
use domain::{
    BenefitCode, BenefitKind, BranchCode, Colour, Date, Entity, HistoryCode, Moment, PersonCode, Plate,
    TimeZone,
};
use serde::Serialize;

/// A benefit whose situation changed, and the entry of the history that says so.
#[derive(Clone, Debug)]
pub struct BenefitTrigger<'a> {
    pub history: HistoryCode,
    /// When the situation changed.
    pub changed: Moment,
    pub benefit: BenefitCode,
    pub person: PersonCode,
    pub branch: BranchCode,
    pub branch_name: &'a str,
    pub situation: &'a str,
    pub colour: Colour,
    /// As [`benefit_description`] makes it.
    pub description: &'a str,
    pub registered: Moment,
    pub sequence: i32,
    pub kind: BenefitKind,
    pub joined: Option<Date>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct BenefitObject<'a> {
    id: i32,
    cod_pessoa: i32,
    cod_loja: i32,
    nome_loja: &'a str,
    nome_situacao: String,
    cor_destaque: String,
    cor_inversa: String,
    descricao: &'a str,
    data_cadastro: String,
    sequencial: i32,
    tipo_beneficio: String,
    data_adesao: Option<String>,
}

impl BenefitTrigger<'_> {
    /// The body, its times as the clocks of the association show them.
    pub fn body(&self, zone: &TimeZone) -> Result<String, serde_json::Error> {
        let objeto = BenefitObject {
            id: self.benefit.get(),
            cod_pessoa: self.person.get(),
            cod_loja: self.branch.get(),
            nome_loja: self.branch_name,
            nome_situacao: self.situation.to_uppercase(),
            cor_destaque: self.colour.to_string(),
            cor_inversa: self.colour.readable_on().to_string(),
            descricao: self.description,
            data_cadastro: self.registered.to_offset_iso(zone),
            sequencial: self.sequence,
            tipo_beneficio: bracketed(names::benefit_kind_in_trigger(self.kind)),
            data_adesao: self.joined.map(|day| day.start_in(zone).to_offset_iso(zone)),
        };
        enveloped(Entity::Benefit, self.history, self.changed, zone, objeto)
    }
}

/// `ABC1D23 - FIAT ARGO 1.0` of a vehicle with a plate, and the name of the plan of everything else.
pub fn benefit_description(
    plate: Option<&Plate>,
    brand: Option<&str>,
    model: Option<&str>,
    plan: &str,
) -> String {
    let Some(plate) = plate else {
        return plan.to_owned();
    };
    let vehicle = [brand, model].into_iter().flatten().collect::<Vec<_>>().join(" ");
    if vehicle.is_empty() { plate.to_string() } else { format!("{plate} - {vehicle}") }
}
