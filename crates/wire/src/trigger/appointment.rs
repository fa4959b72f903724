//! The trigger of a medical appointment.

use super::render_envelope;
use domain::{BenefitCode, Colour, Entity, HistoryCode, Moment, PersonCode, TimeZone};
use serde::Serialize;
use utoipa::ToSchema;

/// A medical appointment whose situation changed.
#[derive(Clone, Debug)]
pub struct AppointmentTrigger<'a> {
    pub history: HistoryCode,
    pub changed: Moment,
    pub appointment: i32,
    pub person: PersonCode,
    pub benefit: Option<BenefitCode>,
    pub situation: &'a str,
    pub colour: Colour,
    pub opened: Moment,
    pub protocol: i32,
    pub takes_place: Option<Moment>,
    pub specialty: Option<(i32, &'a str)>,
    pub clinic: Option<(i32, &'a str)>,
    pub doctor: Option<(i32, &'a str)>,
    /// One line.
    pub address: Option<&'a str>,
}

/// Uma consulta médica logo depois da mudança.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = GatilhoConsultaObjetoTO)]
pub(super) struct GatilhoConsultaObjetoTO<'a> {
    /// O código da consulta.
    #[schema(examples(31))]
    id: i32,
    /// O código do associado.
    #[schema(examples(555))]
    cod_pessoa: i32,
    /// O código do benefício de que se trata; `null` se não há.
    #[schema(examples(777), required = true)]
    cod_beneficio: Option<i32>,
    /// A situação a que passou, em maiúsculas.
    #[schema(examples("CONFIRMADA"))]
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
    /// Para quando está marcada; `null` se não há.
    #[schema(examples("2026-11-15T10:32:05-03:00"), required = true)]
    data_consulta: Option<String>,
    /// O código da especialidade; `null` se não há.
    #[schema(examples(3), required = true)]
    cod_especialidade: Option<i32>,
    /// O nome da especialidade; `null` se não há.
    #[schema(examples("Cardiologia"), required = true)]
    nome_especialidade: Option<&'a str>,
    /// O código da clínica; `null` se não há.
    #[schema(examples(5), required = true)]
    cod_clinica: Option<i32>,
    /// O nome da clínica; `null` se não há.
    #[schema(examples("Vida Plena"), required = true)]
    nome_clinica: Option<&'a str>,
    /// O código do médico; `null` se não há.
    #[schema(examples(8), required = true)]
    cod_medico: Option<i32>,
    /// O nome do médico; `null` se não há.
    #[schema(examples("Dra. Eva Lima"), required = true)]
    nome_medico: Option<&'a str>,
    /// O endereço, em uma linha; `null` se não há.
    #[schema(examples("Avenida Paulista, 1578, Bela Vista, São Paulo, SP"), required = true)]
    endereco: Option<&'a str>,
}

impl AppointmentTrigger<'_> {
    /// The body, with times in the association's time zone.
    pub fn render_body(&self, zone: &TimeZone) -> Result<String, serde_json::Error> {
        let objeto = GatilhoConsultaObjetoTO {
            id: self.appointment,
            cod_pessoa: self.person.get(),
            cod_beneficio: self.benefit.map(BenefitCode::get),
            nome_situacao: self.situation.to_uppercase(),
            cor_destaque: self.colour.to_string(),
            corinversa: self.colour.readable_text_colour().to_string(),
            data_abertura: self.opened.to_offset_iso(zone),
            protocolo: self.protocol,
            data_consulta: self.takes_place.map(|at| at.to_offset_iso(zone)),
            cod_especialidade: self.specialty.map(|(code, _)| code),
            nome_especialidade: self.specialty.map(|(_, name)| name),
            cod_clinica: self.clinic.map(|(code, _)| code),
            nome_clinica: self.clinic.map(|(_, name)| name),
            cod_medico: self.doctor.map(|(code, _)| code),
            nome_medico: self.doctor.map(|(_, name)| name),
            endereco: self.address,
        };
        render_envelope(Entity::Appointment, self.history, self.changed, zone, objeto)
    }
}
