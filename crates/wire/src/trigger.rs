//! The bodies of triggers: what a receiver is told when a situation changes, byte for byte as the interface writes it.

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
struct Envelope<O> {
    cod_historico: i32,
    data_historico: String,
    entidade: String,
    objeto: O,
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
        serde_json::to_string(&Envelope {
            cod_historico: self.history.get(),
            data_historico: self.changed.to_offset_iso(zone),
            entidade: bracketed(names::entity(Entity::Benefit)),
            objeto,
        })
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

/// The bracketed, quoted text in which triggers deliver the names of fixed sets: `["Benefício"]`.
fn bracketed(name: &str) -> String {
    format!("[\"{name}\"]")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zone() -> TimeZone {
        TimeZone::parse(TimeZone::DEFAULT).unwrap()
    }

    fn trigger() -> BenefitTrigger<'static> {
        BenefitTrigger {
            history: HistoryCode::new(918),
            changed: Moment::from_millis(1_794_663_125_123),
            benefit: BenefitCode::new(777),
            person: PersonCode::new(555),
            branch: BranchCode::new(1),
            branch_name: "Matriz",
            situation: "Ativo",
            colour: Colour::rgb(0x18_8038),
            description: "ABC1D23 - FIAT ARGO 1.0",
            registered: Moment::from_millis(1_794_663_100_000),
            sequence: 12,
            kind: BenefitKind::Vehicle,
            joined: Date::new(2026, 11, 14),
        }
    }

    #[test]
    fn the_body_is_that_of_the_specification() {
        assert_eq!(
            trigger().body(&zone()).unwrap(),
            r#"{"codHistorico":918,"dataHistorico":"2026-11-14T10:32:05-03:00","entidade":"[\"Benefício\"]","objeto":{"id":777,"codPessoa":555,"codLoja":1,"nomeLoja":"Matriz","nomeSituacao":"ATIVO","corDestaque":"188038","corInversa":"FFFFFF","descricao":"ABC1D23 - FIAT ARGO 1.0","dataCadastro":"2026-11-14T10:31:40-03:00","sequencial":12,"tipoBeneficio":"[\"Veicular\"]","dataAdesao":"2026-11-14T00:00:00-03:00"}}"#
        );
    }

    #[test]
    fn what_is_empty_is_null_and_never_absent() {
        let empty = BenefitTrigger {
            joined: None,
            kind: BenefitKind::Assistance,
            description: "Guincho \"24h\"",
            situation: "em análise",
            ..trigger()
        };
        let body = empty.body(&TimeZone::parse("America/Manaus").unwrap()).unwrap();
        assert_eq!(
            body,
            r#"{"codHistorico":918,"dataHistorico":"2026-11-14T09:32:05-04:00","entidade":"[\"Benefício\"]","objeto":{"id":777,"codPessoa":555,"codLoja":1,"nomeLoja":"Matriz","nomeSituacao":"EM ANÁLISE","corDestaque":"188038","corInversa":"FFFFFF","descricao":"Guincho \"24h\"","dataCadastro":"2026-11-14T09:31:40-04:00","sequencial":12,"tipoBeneficio":"[\"Assistência 24H\"]","dataAdesao":null}}"#
        );
    }

    #[test]
    fn a_vehicle_is_described_by_its_plate_and_all_else_by_its_plan() {
        let plate = Plate::parse("abc-1d23").unwrap();
        let described = |plate, brand, model| benefit_description(plate, brand, model, "Ouro");
        assert_eq!(described(Some(&plate), Some("FIAT"), Some("ARGO 1.0")), "ABC1D23 - FIAT ARGO 1.0");
        assert_eq!(described(Some(&plate), None, Some("ARGO")), "ABC1D23 - ARGO");
        assert_eq!(described(Some(&plate), None, None), "ABC1D23");
        assert_eq!(described(None, Some("FIAT"), Some("ARGO")), "Ouro");
    }
}
