//! Generates values of the additional fields of benefits.

use crate::association::{FIELDS, SampleAdditionalField};
use crate::calendar::compute_date;
use crate::dice::SeededDice;
use domain::{AdditionalFieldValues, BenefitKind, FieldCode, FieldKind};

/// Percentage of optional fields that are filled.
const FILLED_PERCENT: u32 = 16;

const NICKNAMES: &[&str] =
    &["Azulão", "Carro da família", "Guerreiro", "Do trabalho", "Pretinha", "Relíquia"];
const DOCTORS: &[&str] = &["Dra. Exemplo Modelo", "Dr. Modelo Exemplo", "Clínica Demonstração"];
const REFERENCES: &[&str] = &["Ao lado da praça", "Em frente à escola", "Portão verde", "Perto do mercado"];

/// The values of a benefit joined on a given day; required fields are always filled.
pub fn generate_field_values(dice: &mut SeededDice, kind: BenefitKind, joined: u32) -> AdditionalFieldValues {
    let fields = (1..).zip(FIELDS).filter(|(_, field)| field.benefit == kind);
    let filled = fields.filter_map(|(code, field)| {
        let value = (field.required || dice.roll_percent(FILLED_PERCENT))
            .then(|| generate_field_value(dice, field, joined))?;
        Some((FieldCode::new(code), value))
    });
    filled.collect()
}

/// In the stored format.
fn generate_field_value(dice: &mut SeededDice, field: &SampleAdditionalField, joined: u32) -> String {
    match field.kind {
        FieldKind::Text => generate_text(dice, field.name),
        FieldKind::Number => generate_number(dice, field.name).to_string(),
        FieldKind::Date => compute_date(i64::from(joined + dice.roll_range(0..120))).to_br(),
        FieldKind::Boolean => dice.roll_percent(40).to_string(),
        FieldKind::List => dice.pick_skewed(field.options).to_owned(),
    }
}

fn generate_text(dice: &mut SeededDice, name: &str) -> String {
    match name {
        "Apelido do veículo" => dice.pick(NICKNAMES).to_owned(),
        "Médico de confiança" => dice.pick(DOCTORS).to_owned(),
        "Ponto de referência" => dice.pick(REFERENCES).to_owned(),
        "Grupo e cota" => format!("{:04}/{:03}", dice.roll_range(1..4000), dice.roll_range(1..500)),
        _ => format!("Exemplo {}", dice.roll_range(1..1000)),
    }
}

fn generate_number(dice: &mut SeededDice, name: &str) -> u32 {
    match name {
        "Quilometragem na adesão" => dice.roll_range(0..180_000),
        "Peso em quilogramas" => dice.roll_range(42..130),
        "Valor do lance" => dice.roll_range(10..400) * 100,
        _ => dice.roll_range(1..7),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::Date;
    use domain::fold_text;

    #[test]
    fn values_are_what_their_fields_ask_for() {
        let mut filled = 0;
        for at in 0..5_000 {
            let kind = BenefitKind::ALL[at % BenefitKind::ALL.len()];
            let found = generate_field_values(&mut SeededDice::new(1, at as u64), kind, 18_000);
            filled += found.len();
            for (code, value) in &found {
                let field = &FIELDS[code.get() as usize - 1];
                assert_eq!(field.benefit, kind);
                let is_valid = match field.kind {
                    FieldKind::Text => value.chars().count() <= field.longest.unwrap() as usize,
                    FieldKind::Number => value.parse::<u32>().is_ok(),
                    FieldKind::Date => Date::from_br(value).is_some(),
                    FieldKind::Boolean => value.parse::<bool>().is_ok(),
                    FieldKind::List => {
                        field.options.iter().any(|option| fold_text(option) == fold_text(value))
                    }
                };
                assert!(is_valid && !value.is_empty(), "{}: {value:?}", field.name);
            }
            let required = (1..).zip(FIELDS).filter(|(_, field)| field.benefit == kind && field.required);
            assert!(required.map(|(code, _)| FieldCode::new(code)).all(|code| found.contains_key(&code)));
        }
        assert!((4_000..7_000).contains(&filled), "{filled}");
    }
}
