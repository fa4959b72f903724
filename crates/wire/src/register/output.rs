//! Renders a register record: every field, in the order of its description.

use super::percent::render_percent;
use domain::{Colour, Money, display};
use registers::{FieldContent, FieldSpec, FieldType, Register};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value as Json;

/// A rendered record.
#[derive(Clone, Debug)]
pub struct RecordOutput(Vec<(&'static str, Json)>);

impl RecordOutput {
    /// Moments are passed in already formatted.
    pub fn new(
        register: &'static Register,
        (code, values): (i32, &[FieldContent]),
        (active, version): (bool, i64),
        [created, updated]: [String; 2],
    ) -> RecordOutput {
        let mut all = vec![(register.code, Json::from(code))];
        for (at, field) in register.fields.iter().enumerate().filter(|(_, field)| field.is_visible()) {
            all.push((field.name, render_field(register, field, at, values)));
        }
        all.push(("ativo", active.into()));
        all.push(("versao", version.into()));
        all.push(("dataCadastro", created.into()));
        all.push(("dataAtualizacao", updated.into()));
        RecordOutput(all)
    }
}

impl Serialize for RecordOutput {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

fn render_field(register: &Register, field: &FieldSpec, at: usize, values: &[FieldContent]) -> Json {
    let value_of = |name: &str| register.find_field(name).and_then(|(place, _)| values.get(place));
    match field.kind {
        FieldType::ReadableOn(other) => match value_of(other) {
            Some(FieldContent::Text(colour)) => Colour::parse(colour)
                .map_or(Json::Null, |colour| colour.readable_text_colour().to_string().into()),
            _ => Json::Null,
        },
        _ => values.get(at).map_or(Json::Null, |value| render_value(field, value)),
    }
}

/// A value as JSON. Secrets are `null`.
pub fn render_value(field: &FieldSpec, value: &FieldContent) -> Json {
    match (field.kind, value) {
        (FieldType::Secret { .. }, _) => Json::Null,
        (
            FieldType::References { .. } | FieldType::Items { .. } | FieldType::Lines { .. },
            FieldContent::Nothing,
        ) => Json::Array(Vec::new()),
        (_, FieldContent::Nothing) => Json::Null,
        (_, FieldContent::Flag(flag)) => (*flag).into(),
        (_, FieldContent::Codes(codes)) => codes.clone().into(),
        (_, FieldContent::Lines(lines)) => lines.clone().into(),
        (_, FieldContent::Money(money)) => render_money(*money),
        (FieldType::Choice(names), FieldContent::Number(number)) => {
            names.iter().find(|(known, _)| known == number).map_or(Json::Null, |(_, name)| (*name).into())
        }
        (FieldType::Percent, FieldContent::Number(hundredths)) => render_percent(*hundredths),
        (_, FieldContent::Number(number)) => (*number).into(),
        (FieldType::Document, FieldContent::Text(text)) => display::format_document(text).into(),
        (FieldType::Phone, FieldContent::Text(text)) => display::format_phone(text).into(),
        (FieldType::Cep, FieldContent::Text(text)) => format_cep(text).into(),
        (_, FieldContent::Date(date)) => date.to_br().into(),
        (FieldType::Month, FieldContent::Text(text)) => display::format_month(text).into(),
        (_, FieldContent::Text(text)) => text.clone().into(),
    }
}

/// A JSON number to the cent, never a float.
fn render_money(money: Money) -> Json {
    money.to_string().parse().map_or(Json::Null, Json::Number)
}

fn format_cep(stored: &str) -> String {
    domain::Cep::parse(stored).map_or_else(|_| stored.to_owned(), |cep| cep.to_string())
}
