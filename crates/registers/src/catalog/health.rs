//! Health registers: specialties, clinics, doctors.

use super::{CEP, CITY, COMPLEMENT, DISTRICT, NUMBER, STATE, STREET, STREET_KIND};
use super::{
    build_document_field, build_email_field, build_landline_field, build_mobile_field, build_name_field,
    build_plain_register, build_text_field,
};
use crate::describe::{FieldSpec, FieldType, Register, require_unique, require_unique_name, words};

pub const SPECIALTY: Register = Register {
    about: "As especialidades em que se marcam consultas.",
    section: "Saúde",
    unique: &[require_unique_name(&["nome"])],
    ..build_plain_register(
        words!("especialidade", "codEspecialidade", "especialidade", "especialidades", "a", "uma"),
        ("especialidade", "codEspecialidade", "specialty"),
        "specialties",
        &[build_name_field("O nome da especialidade.", r#""Cardiologia pediátrica""#)],
    )
};

pub const CLINIC: Register = Register {
    about: "Onde os associados são atendidos.",
    section: "Saúde",
    columns: &["telefoneFixo", "cidade", "uf"],
    unique: &[require_unique(&["cpfCnpj"])],
    ..build_plain_register(
        words!("clinica", "codClinica", "clínica", "clínicas", "a", "uma"),
        ("clinica", "codClinica", "clinic"),
        "clinics",
        &[
            build_name_field("O nome da clínica.", r#""Clínica Boa Vida""#),
            build_document_field("O CPF ou CNPJ; duas clínicas não têm o mesmo.", r#""11.444.777/0001-61""#),
            build_email_field(),
            build_mobile_field(),
            build_landline_field(),
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
    unique: &[require_unique(&["crm", "ufCrm"])],
    filters: &["codEspecialidade", "codClinica"],
    ..build_plain_register(
        words!("medico", "codMedico", "médico", "médicos", "o", "um"),
        ("medico", "codMedico", "doctor"),
        "doctors",
        &[
            build_name_field("O nome do médico.", r#""Dra. Lia Prado""#),
            build_text_field(
                "crm",
                "council_number",
                20,
                "CRM",
                "O número no conselho do seu estado.",
                r#""123456""#,
            )
            .make_searchable(),
            FieldSpec::new("ufCrm", "council_state", FieldType::Uf).with_texts(
                "UF do CRM",
                "O estado do conselho.",
                r#""SP""#,
            ),
            FieldSpec::new("codEspecialidade", "specialty", FieldType::Reference("especialidade"))
                .with_texts("Especialidade", "A especialidade.", "70"),
            FieldSpec::new("codClinica", "clinic", FieldType::Reference("clinica")).with_texts(
                "Clínica",
                "Onde atende.",
                "70",
            ),
            build_email_field(),
            build_mobile_field(),
            build_landline_field(),
        ],
    )
};
