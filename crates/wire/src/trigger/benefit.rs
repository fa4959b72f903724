//! The trigger of a benefit.

use super::{quote_in_brackets, render_envelope};
use crate::set_names;
use domain::{
    BenefitCode, BenefitKind, BranchCode, Colour, Date, Entity, HistoryCode, Moment, PersonCode, Plate,
    TimeZone,
};
use serde::Serialize;
use utoipa::ToSchema;

/// A benefit whose situation changed, and the history entry of the change.
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
    /// The text made by [`describe_benefit`].
    pub description: &'a str,
    pub registered: Moment,
    pub sequence: i32,
    pub kind: BenefitKind,
    pub joined: Option<Date>,
}

/// Um benefício logo depois da mudança.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = GatilhoBeneficioObjetoTO)]
pub(super) struct GatilhoBeneficioObjetoTO<'a> {
    /// O código do benefício.
    #[schema(examples(777))]
    id: i32,
    /// O código do associado.
    #[schema(examples(555))]
    cod_pessoa: i32,
    /// O código da loja.
    #[schema(examples(1))]
    cod_loja: i32,
    /// O nome da loja.
    #[schema(examples("Matriz"))]
    nome_loja: &'a str,
    /// A situação a que passou, em maiúsculas.
    #[schema(examples("ATIVO"))]
    nome_situacao: String,
    /// A cor da situação, em seis dígitos hexadecimais.
    #[schema(examples("188038"))]
    cor_destaque: String,
    /// A cor legível sobre ela.
    #[schema(examples("FFFFFF"))]
    cor_inversa: String,
    /// A placa, a marca e o modelo de um veículo, ou o nome do plano.
    #[schema(examples("ABC1D23 - FIAT ARGO 1.0"))]
    descricao: &'a str,
    /// Quando o benefício foi cadastrado.
    #[schema(examples("2026-11-14T10:31:40-03:00"))]
    data_cadastro: String,
    /// O número sequencial do benefício.
    #[schema(examples(12))]
    sequencial: i32,
    /// Veicular, Saúde, Diversos, Consórcio ou Assistência 24H, entre colchetes e aspas.
    #[schema(examples("[\"Veicular\"]"))]
    tipo_beneficio: String,
    /// O início do dia da adesão; `null` se não há.
    #[schema(examples("2026-11-14T00:00:00-03:00"), required = true)]
    data_adesao: Option<String>,
}

impl BenefitTrigger<'_> {
    /// The body, with times in the association's time zone.
    pub fn render_body(&self, zone: &TimeZone) -> Result<String, serde_json::Error> {
        let objeto = GatilhoBeneficioObjetoTO {
            id: self.benefit.get(),
            cod_pessoa: self.person.get(),
            cod_loja: self.branch.get(),
            nome_loja: self.branch_name,
            nome_situacao: self.situation.to_uppercase(),
            cor_destaque: self.colour.to_string(),
            cor_inversa: self.colour.readable_text_colour().to_string(),
            descricao: self.description,
            data_cadastro: self.registered.to_offset_iso(zone),
            sequencial: self.sequence,
            tipo_beneficio: quote_in_brackets(set_names::benefit_kind_in_trigger(self.kind)),
            data_adesao: self.joined.map(|day| day.start_in(zone).to_offset_iso(zone)),
        };
        render_envelope(Entity::Benefit, self.history, self.changed, zone, objeto)
    }
}

/// `ABC1D23 - FIAT ARGO 1.0` for a vehicle with a plate, else the name of the plan.
pub fn describe_benefit(
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
