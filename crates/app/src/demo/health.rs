//! Who sees to the members of a demonstration: specialties, a clinic at each branch, doctors.

use super::dice::Dice;
use super::documents::{self, LAST_NUMBER};
use super::places::{self, BRANCHES};
use crate::{Error, registering};
use domain::{Moment, TenantId};
use registers::Value;
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

/// One at each branch, in their order.
const CLINICS: [&str; 5] = [
    "Clínica Vida Plena",
    "Policlínica Horizonte",
    "Centro Médico Sul",
    "Clínica Recanto da Saúde",
    "Instituto Cerrado de Medicina",
];

/// Each with a specialty, counted from 1; they work at the clinics in turn.
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

/// The throws for suppliers have the numbers above.
const NUMBERS: u32 = 1_000;

#[boxed::future]
pub async fn found(tx: &mut Tx, tenant: TenantId, seed: u64, then: Moment) -> Result<(), Error> {
    let specialties = SPECIALTIES.iter().map(|name| vec![text(name)]).collect();
    registering::add_all(tx, tenant, "especialidade", specialties, then).await?;
    let clinics = (0..).zip(CLINICS).map(|(at, name)| clinic(seed, at, name)).collect();
    registering::add_all(tx, tenant, "clinica", clinics, then).await?;
    let doctors = (0..).zip(DOCTORS).map(|(at, one)| doctor(seed, at, one)).collect();
    registering::add_all(tx, tenant, "medico", doctors, then).await
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

fn maybe(text: Option<String>) -> Value {
    text.map_or(Value::Nothing, Value::Text)
}

/// In the order of its description.
fn clinic(seed: u64, at: u32, name: &str) -> Vec<Value> {
    let number = LAST_NUMBER - NUMBERS - at;
    let mut dice = Dice::new(seed, u64::from(number));
    let city = &BRANCHES[at as usize % BRANCHES.len()].cities[0];
    let document: domain::Document = documents::cnpj(seed, number, at % 4 == 3, &mut dice).into();
    let (mobile, landline) = (places::mobile(&mut dice, city), places::landline(&mut dice, city));
    let address = places::address(&mut dice, city, "Comercial");
    vec![
        text(name),
        text(document.as_str()),
        text(&format!("agenda@clinica{}.example", at + 1)),
        text(mobile.as_str()),
        text(landline.as_str()),
        maybe(address.street_kind),
        maybe(address.street),
        maybe(address.number),
        maybe(address.complement),
        maybe(address.district),
        maybe(address.city),
        maybe(address.state),
        maybe(address.cep.map(|cep| cep.as_str().to_owned())),
    ]
}

/// In the order of its description.
fn doctor(seed: u64, at: u32, (name, specialty): (&str, i64)) -> Vec<Value> {
    let mut dice = Dice::new(seed, u64::from(LAST_NUMBER - 2 * NUMBERS - at));
    let clinic = at as usize % CLINICS.len();
    let city = &BRANCHES[clinic % BRANCHES.len()].cities[0];
    let state = places::address(&mut dice, city, "Comercial").state;
    vec![
        text(name),
        text(&format!("{:06}", 100_000 + at)),
        maybe(state),
        Value::Number(specialty),
        Value::Number(clinic as i64 + 1),
        Value::Nothing,
        text(places::mobile(&mut dice, city).as_str()),
        Value::Nothing,
    ]
}
