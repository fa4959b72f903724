//! `/gestao/consulta`: the management of appointments.

use super::caso::{CaseResource, build_common_fields, record};
use app::cases::{AnyCaseInput, FullCase};
use domain::{Case, CaseKind, ClinicCode, DependentCode, DoctorCode, SpecialtyCode};
use wire::records::{ConsultaGestaoInput, ConsultaGestaoTO};

pub struct AppointmentResource;

impl CaseResource for AppointmentResource {
    const KIND: CaseKind = CaseKind::Appointment;
    type Input = ConsultaGestaoInput;
    type Record = Option<ConsultaGestaoTO>;

    fn convert_input(input: ConsultaGestaoInput) -> AnyCaseInput {
        AnyCaseInput::Appointment(Box::new(input))
    }

    fn render_case(case: &FullCase) -> Option<ConsultaGestaoTO> {
        let Case::Appointment(appointment) = &case.resolved_case.case else { return None };
        let registers = &case.registers;
        let specialty = appointment.specialty.and_then(|code| registers.specialty(code));
        let clinic = appointment.clinic.and_then(|code| registers.clinic(code));
        let doctor = appointment.doctor.and_then(|code| registers.doctor(code));
        Some(record!(
            build_common_fields(case),
            ConsultaGestaoTO {
                cod_consulta,
                cod_dependente: appointment.dependent.map(DependentCode::get),
                dependente: case.other.clone(),
                cod_especialidade: appointment.specialty.map(SpecialtyCode::get),
                especialidade: specialty.map(|one| one.name.clone()),
                cod_clinica: appointment.clinic.map(ClinicCode::get),
                clinica: clinic.map(|one| one.name.clone()),
                cod_medico: appointment.doctor.map(DoctorCode::get),
                medico: doctor.map(|one| one.name.clone()),
                data_consulta: appointment.takes_place_at.map(|at| at.to_offset_iso(&registers.zone)),
                endereco: appointment.address.clone(),
                observacao: appointment.note.clone(),
            }
        ))
    }
}
