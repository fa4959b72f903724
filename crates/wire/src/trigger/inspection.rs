//! The trigger of an inspection.

use super::render_envelope;
use domain::{BenefitCode, Colour, Entity, HistoryCode, Moment, PersonCode, TimeZone};
use serde::Serialize;
use utoipa::ToSchema;

/// An inspection whose situation changed.
#[derive(Clone, Debug)]
pub struct InspectionTrigger<'a> {
    pub history: HistoryCode,
    pub changed: Moment,
    pub inspection: i32,
    pub person: PersonCode,
    pub situation: &'a str,
    pub colour: Colour,
    pub requested_at: Moment,
    pub kind: i32,
    pub kind_name: &'a str,
    pub benefit: Option<BenefitCode>,
    pub benefit_description: Option<&'a str>,
    pub closed: Option<Moment>,
    pub inspector: Option<&'a str>,
}

/// Uma vistoria logo depois da mudança.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = GatilhoVistoriaObjetoTO)]
pub(super) struct GatilhoVistoriaObjetoTO<'a> {
    /// O código da vistoria.
    #[schema(examples(31))]
    id: i32,
    /// O código do associado.
    #[schema(examples(555))]
    cod_pessoa: i32,
    /// A situação a que passou, em maiúsculas.
    #[schema(examples("APROVADA"))]
    nome_situacao: String,
    /// A cor da situação, em seis dígitos hexadecimais.
    #[schema(examples("188038"))]
    cor_destaque: String,
    /// A cor legível sobre ela. Nesta entidade o nome é assim, sem maiúscula.
    #[schema(examples("FFFFFF"))]
    corinversa: String,
    /// Quando foi pedida.
    #[schema(examples("2026-11-14T09:32:05-03:00"))]
    data_solicitacao: String,
    /// O código do tipo de vistoria.
    #[schema(examples(2))]
    cod_tipo_vistoria: i32,
    /// O nome do tipo de vistoria.
    #[schema(examples("Vistoria de entrada"))]
    nome_tipo_vistoria: &'a str,
    /// O código do benefício de que se trata; `null` se não há.
    #[schema(examples(777), required = true)]
    cod_beneficio: Option<i32>,
    /// O benefício em uma linha: placa, marca e modelo, ou o plano; `null` se não há.
    #[schema(examples("ABC1D23 - FIAT ARGO 1.0"), required = true)]
    descricao_beneficio: Option<&'a str>,
    /// Quando foi concluída; `null` se não há.
    #[schema(examples("2026-11-14T10:32:05-03:00"), required = true)]
    data_conclusao: Option<String>,
    /// Quem a fez; `null` se não há.
    #[schema(examples("Ana Prado"), required = true)]
    vistoriador: Option<&'a str>,
}

impl InspectionTrigger<'_> {
    /// The body, with times in the association's time zone.
    pub fn render_body(&self, zone: &TimeZone) -> Result<String, serde_json::Error> {
        let objeto = GatilhoVistoriaObjetoTO {
            id: self.inspection,
            cod_pessoa: self.person.get(),
            nome_situacao: self.situation.to_uppercase(),
            cor_destaque: self.colour.to_string(),
            corinversa: self.colour.readable_text_colour().to_string(),
            data_solicitacao: self.requested_at.to_offset_iso(zone),
            cod_tipo_vistoria: self.kind,
            nome_tipo_vistoria: self.kind_name,
            cod_beneficio: self.benefit.map(BenefitCode::get),
            descricao_beneficio: self.benefit_description,
            data_conclusao: self.closed.map(|at| at.to_offset_iso(zone)),
            vistoriador: self.inspector,
        };
        render_envelope(Entity::Inspection, self.history, self.changed, zone, objeto)
    }
}
