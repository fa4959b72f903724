//! The trigger of a title.

use super::{quote_in_brackets, render_envelope};
use crate::records::JsonAmount;
use crate::set_names;
use domain::finance::{LaunchKind, TitleSituation, title_situation_colour};
use domain::{
    BenefitCode, BranchCode, Date, Entity, HistoryCode, Moment, Money, PersonCode, TimeZone, TitleCode,
};
use serde::Serialize;
use utoipa::ToSchema;

/// A title that was issued, changed its situation or was paid in part.
#[derive(Clone, Debug)]
pub struct TitleChangeMessage<'a> {
    pub history: HistoryCode,
    pub changed: Moment,
    pub title: TitleCode,
    pub person: PersonCode,
    pub branch: BranchCode,
    pub branch_name: &'a str,
    pub situation: TitleSituation,
    pub description: &'a str,
    pub launch_kind: LaunchKind,
    pub issued_on: Date,
    pub due_on: Date,
    pub settled_on: Option<Date>,
    /// In cents.
    pub amount: i64,
    /// In cents.
    pub settled_total: i64,
    pub benefits: &'a [BenefitCode],
}

/// Um título logo depois da emissão, da mudança de situação ou de um pagamento parcial.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = GatilhoTituloObjetoTO)]
pub(super) struct GatilhoTituloObjetoTO<'a> {
    /// O código do título.
    #[schema(examples(9001))]
    id: i32,
    /// O código da pessoa que deve ou recebe.
    #[schema(examples(555))]
    cod_pessoa: i32,
    /// O código da loja.
    #[schema(examples(1))]
    cod_loja: i32,
    /// O nome da loja.
    #[schema(examples("Matriz"))]
    nome_loja: &'a str,
    /// PENDENTE, ABERTO, LIQUIDADO ou CANCELADO. Vencer não muda a situação, nem envia gatilho.
    #[schema(examples("LIQUIDADO"))]
    nome_situacao: &'static str,
    /// A cor da situação, em seis dígitos hexadecimais; a mesma em todas as associações.
    #[schema(examples("188038"))]
    cor_destaque: String,
    /// A cor legível sobre ela. Nesta entidade o nome é assim, sem maiúscula.
    #[schema(examples("FFFFFF"))]
    corinversa: String,
    /// O que se cobra.
    #[schema(examples("Mensalidade"))]
    descricao: &'a str,
    /// Crédito, Débito ou Rateio, entre colchetes e aspas.
    #[schema(examples("[\"Crédito\"]"))]
    tipo: String,
    /// O início do dia da emissão.
    #[schema(examples("2026-11-01T00:00:00-03:00"))]
    data_emissao: String,
    /// O início do dia do vencimento.
    #[schema(examples("2026-11-10T00:00:00-03:00"))]
    data_vencimento: String,
    /// O início do dia do último pagamento que vale; `null` se não há.
    #[schema(examples("2026-11-09T00:00:00-03:00"), required = true)]
    data_liquidacao: Option<String>,
    /// O valor do título.
    #[schema(value_type = f64, examples(150.55))]
    valor: JsonAmount,
    /// A soma do que já foi recebido ou pago.
    #[schema(value_type = f64, examples(150.55))]
    valor_liquidado: JsonAmount,
    /// Os códigos dos benefícios; vazio se não há.
    #[schema(examples(json!([777])))]
    cod_beneficio: Vec<i32>,
}

impl TitleChangeMessage<'_> {
    /// The body, with times in the association's time zone.
    pub fn render_body(&self, zone: &TimeZone) -> Result<String, serde_json::Error> {
        let colour = title_situation_colour(self.situation);
        let start_of = |day: Date| day.start_in(zone).to_offset_iso(zone);
        let amount = |cents| JsonAmount(Money::from_stored_cents(cents).unwrap_or_default());
        let objeto = GatilhoTituloObjetoTO {
            id: self.title.get(),
            cod_pessoa: self.person.get(),
            cod_loja: self.branch.get(),
            nome_loja: self.branch_name,
            nome_situacao: set_names::title_situation(self.situation),
            cor_destaque: colour.to_string(),
            corinversa: colour.readable_text_colour().to_string(),
            descricao: self.description,
            tipo: quote_in_brackets(set_names::launch_kind_label(self.launch_kind)),
            data_emissao: start_of(self.issued_on),
            data_vencimento: start_of(self.due_on),
            data_liquidacao: self.settled_on.map(start_of),
            valor: amount(self.amount),
            valor_liquidado: amount(self.settled_total),
            cod_beneficio: self.benefits.iter().map(|code| code.get()).collect(),
        };
        render_envelope(Entity::Title, self.history, self.changed, zone, objeto)
    }
}
