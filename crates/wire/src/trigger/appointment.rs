//! A medical appointment's trigger.

use super::enveloped;
use domain::{BenefitCode, Colour, Entity, HistoryCode, Moment, PersonCode, TimeZone};
use serde::Serialize;

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

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AppointmentObject<'a> {
    id: i32,
    cod_pessoa: i32,
    cod_beneficio: Option<i32>,
    nome_situacao: String,
    cor_destaque: String,
    corinversa: String,
    data_abertura: String,
    protocolo: i32,
    data_consulta: Option<String>,
    cod_especialidade: Option<i32>,
    nome_especialidade: Option<&'a str>,
    cod_clinica: Option<i32>,
    nome_clinica: Option<&'a str>,
    cod_medico: Option<i32>,
    nome_medico: Option<&'a str>,
    endereco: Option<&'a str>,
}

impl AppointmentTrigger<'_> {
    /// The body, its times as the clocks of the association show them.
    pub fn body(&self, zone: &TimeZone) -> Result<String, serde_json::Error> {
        let objeto = AppointmentObject {
            id: self.appointment,
            cod_pessoa: self.person.get(),
            cod_beneficio: self.benefit.map(BenefitCode::get),
            nome_situacao: self.situation.to_uppercase(),
            cor_destaque: self.colour.to_string(),
            corinversa: self.colour.readable_on().to_string(),
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
        enveloped(Entity::Appointment, self.history, self.changed, zone, objeto)
    }
}
