//! The bodies of triggers: what a receiver is told when a situation changes, byte for byte as the interface writes it.

use crate::names;
use domain::{
    BenefitCode, BenefitKind, BranchCode, ClaimCode, ClaimTypeCode, Colour, Date, Entity, HistoryCode,
    Moment, PersonCode, Plate, Priority, TimeZone,
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
        enveloped(Entity::Benefit, self.history, self.changed, zone, objeto)
    }
}

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

fn enveloped(
    entity: Entity,
    history: HistoryCode,
    changed: Moment,
    zone: &TimeZone,
    objeto: impl Serialize,
) -> Result<String, serde_json::Error> {
    serde_json::to_string(&Envelope {
        cod_historico: history.get(),
        data_historico: changed.to_offset_iso(zone),
        entidade: bracketed(names::entity(entity)),
        objeto,
    })
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
    fn a_claim_writes_its_second_colour_without_a_capital_and_its_protocol_as_a_number() {
        let claim = ClaimTrigger {
            history: HistoryCode::new(919),
            changed: Moment::from_millis(1_794_663_125_123),
            claim: ClaimCode::new(31),
            person: PersonCode::new(555),
            situation: "Em análise",
            colour: Colour::rgb(0xF9_AB00),
            opened: Moment::from_millis(1_794_663_100_000),
            protocol: 4711,
            priority: Priority::Medium,
            kind: ClaimTypeCode::new(2),
            kind_name: "Colisão",
            benefit: Some(BenefitCode::new(777)),
            description: None,
            closed: None,
        };
        assert_eq!(
            claim.body(&zone()).unwrap(),
            r#"{"codHistorico":919,"dataHistorico":"2026-11-14T10:32:05-03:00","entidade":"[\"Evento\"]","objeto":{"id":31,"codPessoa":555,"nomeSituacao":"EM ANÁLISE","corDestaque":"F9AB00","corinversa":"000000","dataAbertura":"2026-11-14T10:31:40-03:00","protocolo":4711,"prioridade":"[\"Média\"]","codTipoEvento":2,"nomeTipoEvento":"Colisão","codBeneficio":777,"descricao":null,"dataEncerramento":null}}"#
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
