//! Medical appointments.

use crate::{Error, Row, SqlScalar};
use domain::Appointment;

/// The columns in addition to the case head, in the order of [`build_appointment_values`].
macro_rules! appointment_columns {
    () => {
        "dependent, takes_place_at, specialty, clinic, doctor, address, note"
    };
}
pub(crate) use appointment_columns;

pub(super) fn build_appointment_values(appointment: &Appointment) -> Vec<SqlScalar> {
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

pub(super) fn parse_appointment_row(row: &Row) -> Result<Appointment, Error> {
    Ok(Appointment {
        head: super::head::parse_case_head(row)?,
        dependent: row.get("dependent")?,
        takes_place_at: row.get("takes_place_at")?,
        specialty: row.get("specialty")?,
        clinic: row.get("clinic")?,
        doctor: row.get("doctor")?,
        address: row.get("address")?,
        note: row.get("note")?,
    })
}
