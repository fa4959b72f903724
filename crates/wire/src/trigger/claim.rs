//! The trigger of a claim.

use super::{quote_in_brackets, render_envelope};
use crate::set_names;
use domain::{
    BenefitCode, ClaimCode, ClaimTypeCode, Colour, Entity, HistoryCode, Moment, PersonCode, Priority,
    TimeZone,
};
use serde::Serialize;
use utoipa::ToSchema;

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
/// Um evento logo depois da mudança.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = GatilhoEventoObjetoTO)]
pub(super) struct GatilhoEventoObjetoTO<'a> {
    /// O código do evento.
    #[schema(examples(31))]
    id: i32,
    /// O código do associado.
    #[schema(examples(555))]
    cod_pessoa: i32,
    /// A situação a que passou, em maiúsculas.
    #[schema(examples("EM ANÁLISE"))]
    nome_situacao: String,
    /// A cor da situação, em seis dígitos hexadecimais.
    #[schema(examples("188038"))]
    cor_destaque: String,
    /// A cor legível sobre ela. Nesta entidade o nome é assim, sem maiúscula.
    #[schema(examples("FFFFFF"))]
    corinversa: String,
    /// Quando foi aberto.
    #[schema(examples("2026-11-13T09:10:00-03:00"))]
    data_abertura: String,
    /// O protocolo, aqui um número.
    #[schema(examples(4711))]
    protocolo: i32,
    /// Baixa, Média, Alta ou Urgente, entre colchetes e aspas.
    #[schema(examples("[\"Média\"]"))]
    prioridade: String,
    /// O código do tipo de evento.
    #[schema(examples(2))]
    cod_tipo_evento: i32,
    /// O nome do tipo de evento.
    #[schema(examples("Colisão"))]
    nome_tipo_evento: &'a str,
    /// O código do benefício de que se trata; `null` se não há.
    #[schema(examples(777), required = true)]
    cod_beneficio: Option<i32>,
    /// O que aconteceu; `null` se não há.
    #[schema(examples("Colisão traseira, sem feridos."), required = true)]
    descricao: Option<&'a str>,
    /// Quando foi encerrado; `null` se não há.
    #[schema(examples("2026-11-14T10:32:05-03:00"), required = true)]
    data_encerramento: Option<String>,
}

impl ClaimTrigger<'_> {
    /// The body, with times in the association's time zone.
    pub fn render_body(&self, zone: &TimeZone) -> Result<String, serde_json::Error> {
        let objeto = GatilhoEventoObjetoTO {
            id: self.claim.get(),
            cod_pessoa: self.person.get(),
            nome_situacao: self.situation.to_uppercase(),
            cor_destaque: self.colour.to_string(),
            corinversa: self.colour.readable_text_colour().to_string(),
            data_abertura: self.opened.to_offset_iso(zone),
            protocolo: self.protocol,
            prioridade: quote_in_brackets(set_names::priority(self.priority)),
            cod_tipo_evento: self.kind.get(),
            nome_tipo_evento: self.kind_name,
            cod_beneficio: self.benefit.map(BenefitCode::get),
            descricao: self.description,
            data_encerramento: self.closed.map(|at| at.to_offset_iso(zone)),
        };
        render_envelope(Entity::Claim, self.history, self.changed, zone, objeto)
    }
}
