//! Visits to doctors.

use super::CaseHead;
use crate::{Error, Row, SqlScalar};
use domain::{ClinicCode, DependentCode, DoctorCode, Moment, SpecialtyCode};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredAppointment {
    pub head: CaseHead,
    /// Who goes, where it is not the member himself.
    pub dependent: Option<DependentCode>,
    pub takes_place_at: Option<Moment>,
    pub specialty: Option<SpecialtyCode>,
    pub clinic: Option<ClinicCode>,
    pub doctor: Option<DoctorCode>,
    /// One line.
    pub address: Option<String>,
    pub note: Option<String>,
}

/// What an appointment has besides its head, in the order of [`build_appointment_values`].
macro_rules! appointment_columns {
    () => {
        "dependent, takes_place_at, specialty, clinic, doctor, address, note"
    };
}
pub(crate) use appointment_columns;

pub(super) fn build_appointment_values(own: &StoredAppointment) -> Vec<SqlScalar> {
    vec![
        own.dependent.into(),
        own.takes_place_at.into(),
        own.specialty.into(),
        own.clinic.into(),
        own.doctor.into(),
        own.address.as_deref().into(),
        own.note.as_deref().into(),
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
