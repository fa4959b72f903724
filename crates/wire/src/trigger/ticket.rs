//! The trigger of a ticket.

use super::{quote_in_brackets, render_envelope};
use crate::set_names;
use domain::{BenefitCode, Colour, Entity, HistoryCode, Moment, PersonCode, Priority, TimeZone};
use serde::Serialize;
use utoipa::ToSchema;

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

/// Um atendimento do Help Desk logo depois da mudança.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = GatilhoHelpDeskObjetoTO)]
pub(super) struct GatilhoHelpDeskObjetoTO<'a> {
    /// O código do atendimento.
    #[schema(examples(31))]
    id: i32,
    /// O código do associado.
    #[schema(examples(555))]
    cod_pessoa: i32,
    /// A situação a que passou, em maiúsculas.
    #[schema(examples("EM ATENDIMENTO"))]
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
    /// O código do tipo de atendimento.
    #[schema(examples(2))]
    cod_tipo_help_desk: i32,
    /// O nome do tipo de atendimento.
    #[schema(examples("Dúvida de boleto"))]
    nome_tipo_help_desk: &'a str,
    /// O código do benefício de que se trata; `null` se não há.
    #[schema(examples(777), required = true)]
    cod_beneficio: Option<i32>,
    /// O que se pede; `null` se não há.
    #[schema(examples("Segunda via"), required = true)]
    descricao: Option<&'a str>,
    /// Quando foi encerrado; `null` se não há.
    #[schema(examples("2026-11-14T10:32:05-03:00"), required = true)]
    data_encerramento: Option<String>,
}

impl TicketTrigger<'_> {
    /// The body, with times in the association's time zone.
    pub fn render_body(&self, zone: &TimeZone) -> Result<String, serde_json::Error> {
        let objeto = GatilhoHelpDeskObjetoTO {
            id: self.ticket,
            cod_pessoa: self.person.get(),
            nome_situacao: self.situation.to_uppercase(),
            cor_destaque: self.colour.to_string(),
            corinversa: self.colour.readable_text_colour().to_string(),
            data_abertura: self.opened.to_offset_iso(zone),
            protocolo: self.protocol,
            prioridade: quote_in_brackets(set_names::priority(self.priority)),
            cod_tipo_help_desk: self.kind,
            nome_tipo_help_desk: self.kind_name,
            cod_beneficio: self.benefit.map(BenefitCode::get),
            descricao: self.description,
            data_encerramento: self.closed.map(|at| at.to_offset_iso(zone)),
        };
        render_envelope(Entity::Ticket, self.history, self.changed, zone, objeto)
    }
}
