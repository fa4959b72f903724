//! A record of a register as it is shown: every field, in the order of its description.

use domain::{Colour, Money, shown};
use registers::{FieldSpec, Kind, Register, Value};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value as Json;

/// A record on its way out.
#[derive(Clone, Debug)]
pub struct Shown(Vec<(&'static str, Json)>);

impl Shown {
    /// Moments come as they are shown.
    pub fn new(
        register: &'static Register,
        (code, values): (i32, &[Value]),
        (active, version): (bool, i64),
        [created, updated]: [String; 2],
    ) -> Shown {
        let mut all = vec![(register.code, Json::from(code))];
        for (at, field) in register.fields.iter().enumerate().filter(|(_, field)| field.is_shown()) {
            all.push((field.name, in_record(register, field, at, values)));
        }
        all.push(("ativo", active.into()));
        all.push(("versao", version.into()));
        all.push(("dataCadastro", created.into()));
        all.push(("dataAtualizacao", updated.into()));
        Shown(all)
    }
}

impl Serialize for Shown {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

fn in_record(register: &Register, field: &FieldSpec, at: usize, values: &[Value]) -> Json {
    let of = |name: &str| register.field(name).and_then(|(place, _)| values.get(place));
    match field.kind {
        Kind::ReadableOn(other) => match of(other) {
            Some(Value::Text(colour)) => {
                Colour::parse(colour).map_or(Json::Null, |colour| colour.readable_on().to_string().into())
            }
            _ => Json::Null,
        },
        _ => values.get(at).map_or(Json::Null, |own| value(field, own)),
    }
}

/// A value as JSON writes it. What nobody may see is `null`.
pub fn value(field: &FieldSpec, value: &Value) -> Json {
    match (field.kind, value) {
        (Kind::Secret { .. }, _) => Json::Null,
        (Kind::References { .. }, Value::Nothing)
        | (Kind::Items { .. } | Kind::Lines { .. }, Value::Nothing) => Json::Array(Vec::new()),
        (_, Value::Nothing) => Json::Null,
        (_, Value::Flag(flag)) => (*flag).into(),
        (_, Value::Codes(codes)) => codes.clone().into(),
        (_, Value::Lines(lines)) => lines.clone().into(),
        (Kind::Money, Value::Number(cents)) => money(*cents),
        (Kind::Choice(names), Value::Number(number)) => {
            names.iter().find(|(known, _)| known == number).map_or(Json::Null, |(_, name)| (*name).into())
        }
        (_, Value::Number(number)) => (*number).into(),
        (Kind::Document, Value::Text(text)) => shown::document(text).into(),
        (Kind::Phone, Value::Text(text)) => shown::phone(text).into(),
        (Kind::Cep, Value::Text(text)) => cep(text).into(),
        (Kind::Date, Value::Text(text)) => shown::day(text).into(),
        (Kind::Month, Value::Text(text)) => shown::month(text).into(),
        (_, Value::Text(text)) => text.clone().into(),
    }
}

/// A JSON number to the cent, never a float.
fn money(cents: i64) -> Json {
    let amount = Money::from_cents(cents).map(|money| money.to_string());
    amount.and_then(|text| text.parse().ok()).map_or(Json::Null, Json::Number)
}

fn cep(kept: &str) -> String {
    domain::Cep::parse(kept).map_or_else(|_| kept.to_owned(), |cep| cep.to_string())
}
