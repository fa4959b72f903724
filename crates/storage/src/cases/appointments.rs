//! Medical appointments.

use super::CaseHead;
use crate::{Error, Row, SqlScalar};
use domain::{ClinicCode, DependentCode, DoctorCode, Moment, SpecialtyCode};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredAppointment {
    pub head: CaseHead,
    /// The patient, if it is a dependent and not the member.
    pub dependent: Option<DependentCode>,
    pub takes_place_at: Option<Moment>,
    pub specialty: Option<SpecialtyCode>,
    pub clinic: Option<ClinicCode>,
    pub doctor: Option<DoctorCode>,
    /// A single line.
    pub address: Option<String>,
    pub note: Option<String>,
}

/// The columns in addition to the case head, in the order of [`build_appointment_values`].
macro_rules! appointment_columns {
    () => {
        "dependent, takes_place_at, specialty, clinic, doctor, address, note"
    };
}
pub(crate) use appointment_columns;

pub(super) fn build_appointment_values(appointment: &StoredAppointment) -> Vec<SqlScalar> {
    vec![
        appointment.dependent.into(),
        appointment.takes_place_at.into(),
        appointment.specialty.into(),
        appointment.clinic.into(),
        appointment.doctor.into(),
        appointment.address.as_deref().into(),
        appointment.note.as_deref().into(),
    ]
}

pub(super) fn parse_appointment_row(row: &Row) -> Result<StoredAppointment, Error> {
    Ok(StoredAppointment {
        head: super::parse_case_head(row)?,
        dependent: row.get("dependent")?,
        takes_place_at: row.get("takes_place_at")?,
        specialty: row.get("specialty")?,
        clinic: row.get("clinic")?,
        doctor: row.get("doctor")?,
        address: row.get("address")?,
        note: row.get("note")?,
    })
}
