//! Who sees to people: specialties, clinics, doctors.

use super::{CEP, CITY, COMPLEMENT, DISTRICT, NUMBER, STATE, STREET, STREET_KIND};
use super::{document, email, landline, mobile, name, plain, text};
use crate::describe::{FieldSpec, Kind, Register, unique, unique_name, words};

pub const SPECIALTY: Register = Register {
    about: "As especialidades em que se marcam consultas.",
    section: "Saúde",
    unique: &[unique_name(&["nome"])],
    ..plain(
        words!("especialidade", "codEspecialidade", "especialidade", "especialidades", "a", "uma"),
        ("especialidade", "codEspecialidade", "specialty"),
        "specialties",
        &[name("O nome da especialidade.", r#""Cardiologia pediátrica""#)],
    )
};

pub const CLINIC: Register = Register {
    about: "Onde os associados são atendidos.",
    section: "Saúde",
    columns: &["telefoneFixo", "cidade", "uf"],
    unique: &[unique(&["cpfCnpj"])],
    ..plain(
        words!("clinica", "codClinica", "clínica", "clínicas", "a", "uma"),
        ("clinica", "codClinica", "clinic"),
        "clinics",
        &[
            name("O nome da clínica.", r#""Clínica Boa Vida""#),
            document("O CPF ou CNPJ; duas clínicas não têm o mesmo.", r#""11.444.777/0001-61""#),
            email(),
            mobile(),
            landline(),
            STREET_KIND,
            STREET,
            NUMBER,
            COMPLEMENT,
            DISTRICT,
            CITY,
            STATE,
            CEP,
        ],
    )
};

pub const DOCTOR: Register = Register {
    about: "Quem atende, em que especialidade e em que clínica.",
    section: "Saúde",
    columns: &["codEspecialidade", "codClinica", "crm"],
    unique: &[unique(&["crm", "ufCrm"])],
    filters: &["codEspecialidade", "codClinica"],
    ..plain(
        words!("medico", "codMedico", "médico", "médicos", "o", "um"),
        ("medico", "codMedico", "doctor"),
        "doctors",
        &[
            name("O nome do médico.", r#""Dra. Lia Prado""#),
            text("crm", "council_number", 20, "CRM", "O número no conselho do seu estado.", r#""123456""#)
                .searched(),
            FieldSpec::new("ufCrm", "council_state", Kind::Uf).told(
                "UF do CRM",
                "O estado do conselho.",
                r#""SP""#,
            ),
            FieldSpec::new("codEspecialidade", "specialty", Kind::Reference("especialidade")).told(
                "Especialidade",
                "A especialidade.",
                "70",
            ),
            FieldSpec::new("codClinica", "clinic", Kind::Reference("clinica")).told(
                "Clínica",
                "Onde atende.",
                "70",
            ),
            email(),
            mobile(),
            landline(),
        ],
    )
};
