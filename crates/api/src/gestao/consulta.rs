//! `/gestao/consulta`: the management of appointments.

use super::caso::{CaseResource, build_common_fields, record};
use app::cases::{AnyCaseInput, FullCase, StoredCase};
use domain::{CaseKind, ClinicCode, DependentCode, DoctorCode, SpecialtyCode};
use wire::records::{ConsultaGestaoInput, ConsultaGestaoTO};

pub struct AppointmentResource;

impl CaseResource for AppointmentResource {
    const KIND: CaseKind = CaseKind::Appointment;
    type Input = ConsultaGestaoInput;
    type Record = Option<ConsultaGestaoTO>;

    fn convert_input(sent: ConsultaGestaoInput) -> AnyCaseInput {
        AnyCaseInput::Appointment(Box::new(sent))
    }

    fn render_case(whole: &FullCase) -> Option<ConsultaGestaoTO> {
        let StoredCase::Appointment(own) = &whole.told.case else { return None };
        let registers = &whole.registers;
        let specialty = own.specialty.and_then(|code| registers.specialty(code));
        let clinic = own.clinic.and_then(|code| registers.clinic(code));
        let doctor = own.doctor.and_then(|code| registers.doctor(code));
        Some(record!(
            build_common_fields(whole),
            ConsultaGestaoTO {
                cod_consulta,
                cod_dependente: own.dependent.map(DependentCode::get),
                dependente: whole.other.clone(),
                cod_especialidade: own.specialty.map(SpecialtyCode::get),
                especialidade: specialty.map(|one| one.name.clone()),
                cod_clinica: own.clinic.map(ClinicCode::get),
                clinica: clinic.map(|one| one.name.clone()),
                cod_medico: own.doctor.map(DoctorCode::get),
                medico: doctor.map(|one| one.name.clone()),
                data_consulta: own.takes_place_at.map(|at| at.to_offset_iso(&registers.zone)),
                endereco: own.address.clone(),
                observacao: own.note.clone(),
            }
        ))
    }
}
