//! Health registers of the demo: specialties, a clinic at each branch, doctors.

use crate::dice::SeededDice;
use crate::documents::{self, LAST_NUMBER};
use crate::places::{self, BRANCHES};
use app::{Error, registers};
use domain::{Moment, TenantId};
use registers::FieldContent;
use storage::Tx;

const SPECIALTIES: [&str; 8] = [
    "Clínica geral",
    "Cardiologia",
    "Dermatologia",
    "Ginecologia",
    "Odontologia",
    "Oftalmologia",
    "Ortopedia",
    "Pediatria",
];

/// One for each branch, in their order.
const CLINICS: [&str; 5] = [
    "Clínica Vida Plena",
    "Policlínica Horizonte",
    "Centro Médico Sul",
    "Clínica Recanto da Saúde",
    "Instituto Cerrado de Medicina",
];

/// Name and specialty code; they are assigned to the clinics in turn.
const DOCTORS: [(&str, i64); 12] = [
    ("Dra. Lia Prado", 1),
    ("Dr. Caio Menezes", 1),
    ("Dr. Otávio Brandão", 2),
    ("Dra. Helena Sampaio", 3),
    ("Dra. Marina Coutinho", 4),
    ("Dr. Renato Farias", 5),
    ("Dra. Beatriz Lacerda", 5),
    ("Dr. Ícaro Nunes", 6),
    ("Dr. Samuel Teixeira", 7),
    ("Dra. Cecília Amaral", 8),
    ("Dr. Davi Queiroz", 8),
    ("Dra. Noemi Bastos", 2),
];

/// The streams of suppliers have higher numbers.
const NUMBERS: u32 = 1_000;

#[boxed::future]
pub async fn insert_health_registers(
    tx: &mut Tx,
    tenant: TenantId,
    seed: u64,
    created_at: Moment,
) -> Result<(), Error> {
    let specialties = SPECIALTIES.iter().map(|name| vec![make_text_value(name)]).collect();
    registers::insert_records(tx, tenant, "especialidade", specialties, created_at).await?;
    let clinics = (0..).zip(CLINICS).map(|(at, name)| build_clinic_values(seed, at, name)).collect();
    registers::insert_records(tx, tenant, "clinica", clinics, created_at).await?;
    let doctors = (0..).zip(DOCTORS).map(|(at, one)| build_doctor_values(seed, at, one)).collect();
    registers::insert_records(tx, tenant, "medico", doctors, created_at).await
}

fn make_text_value(text: &str) -> FieldContent {
    FieldContent::Text(text.to_owned())
}

fn make_optional_text_value(text: Option<String>) -> FieldContent {
    text.map_or(FieldContent::Nothing, FieldContent::Text)
}

/// In the order of the register's fields.
fn build_clinic_values(seed: u64, at: u32, name: &str) -> Vec<FieldContent> {
    let number = LAST_NUMBER - NUMBERS - at;
    let mut dice = SeededDice::new(seed, u64::from(number));
    let city = &BRANCHES[at as usize % BRANCHES.len()].cities[0];
    let document: domain::Document = documents::generate_cnpj(seed, number, at % 4 == 3, &mut dice).into();
    let (mobile, landline) =
        (places::generate_mobile(&mut dice, city), places::generate_landline(&mut dice, city));
    let address = places::generate_address(&mut dice, city, "Comercial");
    vec![
        make_text_value(name),
        make_text_value(document.as_str()),
        make_text_value(&format!("agenda@clinica{}.example", at + 1)),
        make_text_value(mobile.as_str()),
        make_text_value(landline.as_str()),
        make_optional_text_value(address.street_kind),
        make_optional_text_value(address.street),
        make_optional_text_value(address.number),
        make_optional_text_value(address.complement),
        make_optional_text_value(address.district),
        make_optional_text_value(address.city),
        make_optional_text_value(address.state),
        make_optional_text_value(address.cep.map(|cep| cep.as_str().to_owned())),
    ]
}

/// In the order of the register's fields.
fn build_doctor_values(seed: u64, at: u32, (name, specialty): (&str, i64)) -> Vec<FieldContent> {
    let mut dice = SeededDice::new(seed, u64::from(LAST_NUMBER - 2 * NUMBERS - at));
    let clinic = at as usize % CLINICS.len();
    let city = &BRANCHES[clinic % BRANCHES.len()].cities[0];
    let state = places::generate_address(&mut dice, city, "Comercial").state;
    vec![
        make_text_value(name),
        make_text_value(&format!("{:06}", 100_000 + at)),
        make_optional_text_value(state),
        FieldContent::Number(specialty),
        FieldContent::Number(clinic as i64 + 1),
        FieldContent::Nothing,
        make_text_value(places::generate_mobile(&mut dice, city).as_str()),
        FieldContent::Nothing,
    ]
}
