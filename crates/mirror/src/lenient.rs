//! Lenient parser for records of another server: accepts text for numbers and numbers for text, dates in either order,
//! and missing fields. What cannot be taken over is noted, and the record is kept without it.

use domain::{Cep, Date, Money, Phone, PostalAddress, Rejection, Uf, fold_text, parse_line};
use exchange::mirror_store::NewMirrorNote;
use serde_json::{Map, Value as Json};
use std::sync::LazyLock;
use wire::set_names::NamedSet;

static NO_FIELDS: LazyLock<Map<String, Json>> = LazyLock::new(Map::new);

/// A record being parsed.
pub struct RecordReader<'r> {
    fields: &'r Map<String, Json>,
    notes: &'r mut Vec<NewMirrorNote>,
    kind: &'static str,
    record: i32,
}

/// The fields of an object; none for any other value.
pub fn read_object(json: &Json) -> &Map<String, Json> {
    json.as_object().unwrap_or(&NO_FIELDS)
}

/// An integer, also as text or as `12.0`.
pub fn read_int(json: &Json) -> Option<i32> {
    match json {
        Json::Number(number) => {
            let text = number.to_string();
            text.parse().ok().or_else(|| text.strip_suffix(".0")?.parse().ok())
        }
        Json::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

/// A code: a positive integer.
pub fn read_code(json: &Json) -> Option<i32> {
    read_int(json).filter(|code| *code > 0)
}

/// A single-line text from a text or number; `None` if it is empty.
pub fn read_text(json: &Json) -> Option<String> {
    let text = match json {
        Json::String(text) => text.clone(),
        Json::Number(number) => number.to_string(),
        Json::Bool(flag) => flag.to_string(),
        _ => return None,
    };
    let text: String =
        text.chars().map(|character| if character.is_control() { ' ' } else { character }).collect();
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// Whether points separate thousands: `1.500`, `1.234.567`.
fn has_thousand_groups(text: &str) -> bool {
    let mut groups = text.split('.');
    let first = groups.next().unwrap_or_default();
    let mut others = groups.peekable();
    others.peek().is_some()
        && (1..=3).contains(&first.len())
        && !first.starts_with('0')
        && others.all(|group| group.len() == 3 && group.bytes().all(|digit| digit.is_ascii_digit()))
}

/// An amount, from a number or a text like `1.234,56`, `1.500`, `R$ 10` or `10.5`.
pub fn read_money(json: &Json) -> Option<Money> {
    let text = match json {
        Json::Number(number) => number.to_string(),
        Json::String(text) => {
            let text = text.trim().trim_start_matches("R$").trim();
            match text.contains(',') || has_thousand_groups(text) {
                true => text.replace('.', "").replace(',', "."),
                false => text.to_owned(),
            }
        }
        _ => return None,
    };
    Money::parse(&text).ok().or_else(|| {
        // More decimals than cents.
        let number: f64 = text.parse().ok()?;
        let cents = (number * 100.0).round();
        Money::from_stored_cents((0.0..1e15).contains(&cents).then_some(cents as i64)?)
    })
}

/// A date: `dd/MM/yyyy`, `yyyy-MM-dd`, or the start of a timestamp.
pub fn read_day(json: &Json) -> Option<Date> {
    let text = json.as_str()?.trim();
    let head = text.get(..10)?;
    Date::from_br(head).or_else(|| Date::from_iso(head))
}

/// The items of an array or of a page; a single record counts as a list of one. `None` for anything else, which does
/// not mean an empty list.
pub fn read_list(json: &Json) -> Option<Vec<&Json>> {
    match json {
        Json::Array(items) => Some(items.iter().collect()),
        Json::Object(fields) => match fields.get("itens") {
            Some(Json::Array(items)) => Some(items.iter().collect()),
            Some(_) => None,
            None => (!fields.is_empty()).then(|| vec![json]),
        },
        _ => None,
    }
}

/// The same, for callers that may treat any other value as an empty list.
pub fn read_items(json: &Json) -> Vec<&Json> {
    read_list(json).unwrap_or_default()
}

/// A boolean, also as text or number.
pub fn read_flag(json: &Json) -> Option<bool> {
    match json {
        Json::Bool(flag) => Some(*flag),
        Json::Number(number) => Some(number.to_string() != "0"),
        Json::String(text) => match fold_text(text.trim()).as_str() {
            "true" | "sim" | "s" | "1" | "ativo" => Some(true),
            "false" | "nao" | "n" | "0" | "inativo" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

impl<'r> RecordReader<'r> {
    pub fn new(
        json: &'r Json,
        notes: &'r mut Vec<NewMirrorNote>,
        kind: &'static str,
        record: i32,
    ) -> RecordReader<'r> {
        RecordReader { fields: read_object(json), notes, kind, record }
    }

    pub fn raw(&self, name: &str) -> &'r Json {
        self.fields.get(name).unwrap_or(&Json::Null)
    }

    pub fn add_note(&mut self, field: &str, reason: impl Into<String>) {
        let (kind, record, field) = (self.kind, self.record, field.to_owned());
        self.notes.push(NewMirrorNote { kind, record, field, reason: reason.into() });
    }

    /// Parses a field with `read`; notes a value that it cannot parse.
    pub fn read_with<T>(&mut self, name: &str, read: impl FnOnce(&Json) -> Option<T>) -> Option<T> {
        let raw = self.raw(name);
        let found = read(raw);
        if found.is_none() && read_text(raw).is_some() {
            self.add_note(name, "o valor não foi entendido e ficou vazio");
        }
        found
    }

    pub fn code(&mut self, name: &str) -> Option<i32> {
        // Some servers send zero for no code.
        let is_zero = read_int(self.raw(name)) == Some(0);
        if is_zero { None } else { self.read_with(name, read_code) }
    }

    pub fn number(&mut self, name: &str, least: i32, most: i32) -> Option<i32> {
        self.read_with(name, |raw| read_int(raw).filter(|number| (least..=most).contains(number)))
    }

    pub fn day(&mut self, name: &str) -> Option<Date> {
        self.read_with(name, read_day)
    }

    pub fn money(&mut self, name: &str) -> Option<Money> {
        self.read_with(name, read_money)
    }

    pub fn flag(&mut self, name: &str) -> Option<bool> {
        self.read_with(name, read_flag)
    }

    /// A line of at most `longest` characters; a longer one is cut.
    pub fn line(&mut self, name: &str, longest: usize) -> Option<String> {
        let found = read_text(self.raw(name))?;
        match parse_line(&found, longest) {
            Ok(cleaned) => Some(cleaned),
            Err(_) => {
                self.add_note(name, format!("o texto foi cortado em {longest} caracteres"));
                let cut: String = found.chars().take(longest).collect();
                Some(cut.trim_end().to_owned())
            }
        }
    }

    /// A multi-line text.
    pub fn lines(&mut self, name: &str) -> Option<String> {
        let raw = self.raw(name).as_str()?.replace('\r', "");
        let cleaned: String = raw
            .chars()
            .filter(|character| *character == '\n' || !character.is_control())
            .take(4_000)
            .collect();
        Some(cleaned.trim().to_owned()).filter(|text| !text.is_empty())
    }

    /// Parses a field with a domain parser.
    pub fn parse_field<T>(&mut self, name: &str, parse: impl Fn(&str) -> Result<T, Rejection>) -> Option<T> {
        self.read_with(name, |raw| parse(&read_text(raw)?).ok())
    }

    /// A member of a fixed set, ignoring case and accents.
    pub fn read_choice<T: NamedSet>(&mut self, name: &str) -> Option<T> {
        self.read_with(name, |raw| {
            let choice = fold_text(&read_text(raw)?).replace('_', " ");
            let is_match = |(name, _): &&(&str, T)| fold_text(name).replace('_', " ") == choice;
            T::NAMES.iter().find(is_match).map(|(_, member)| *member)
        })
    }

    pub fn phone(&mut self, name: &str) -> Option<Phone> {
        self.parse_field(name, Phone::parse)
    }

    /// A postal address; empty if nothing is known.
    pub fn address(&mut self, name: &str) -> PostalAddress {
        let raw = self.raw(name);
        let mut inner = RecordReader {
            fields: read_object(raw),
            notes: self.notes,
            kind: self.kind,
            record: self.record,
        };
        let street = inner.line("logradouro", 200);
        let full_street = inner.line("logradouroComTipo", 200);
        PostalAddress {
            kind: inner.line("tipoEndereco", 50),
            street_kind: inner.line("tipoLogradouro", 50),
            street: street.or(full_street),
            number: inner.line("numero", 20),
            complement: inner.line("complemento", 100),
            district: inner.line("bairro", 100),
            city: inner.line("cidade", 100),
            state: inner.parse_field("uf", Uf::parse).map(|uf| uf.as_str().to_owned()),
            cep: inner.parse_field("cep", Cep::parse),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_and_texts_stand_for_each_other() {
        assert_eq!(
            (read_int(&json!("12")), read_int(&json!(12.0)), read_int(&json!(1.5)), read_int(&json!("x"))),
            (Some(12), Some(12), None, None)
        );
        assert_eq!(
            (read_code(&json!(0)), read_code(&json!(-3)), read_code(&json!(7))),
            (None, None, Some(7))
        );
        assert_eq!(
            (read_text(&json!(33)), read_text(&json!("  ")), read_text(&json!("a\u{7}b"))),
            (Some("33".into()), None, Some("a b".into()))
        );
    }

    #[test]
    fn money_is_read_as_people_write_it() {
        for (raw, cents) in [
            (json!(150.55), 15055),
            (json!("1.234,56"), 123_456),
            (json!("R$ 10"), 1_000),
            (json!("10.5"), 1_050),
            (json!("1.500"), 150_000),
            (json!("R$ 1.234.567"), 123_456_700),
            (json!("0.500"), 50),
            (json!("1234.500"), 123_450),
            (json!(1.500), 150),
            (json!(0.1), 10),
            (json!(99.999), 10_000),
        ] {
            assert_eq!(read_money(&raw), Money::from_cents(cents), "{raw}");
        }
        assert_eq!((read_money(&json!("muito")), read_money(&json!(null))), (None, None));
    }

    #[test]
    fn days_come_in_either_order_and_as_moments() {
        for raw in ["14/11/2026", "2026-11-14", "2026-11-14T10:32:05-03:00"] {
            assert_eq!(read_day(&json!(raw)).map(Date::to_iso).as_deref(), Some("2026-11-14"), "{raw}");
        }
        assert_eq!(
            (read_day(&json!("31/02/2026")), read_day(&json!("ontem")), read_day(&json!(20_261_114))),
            (None, None, None)
        );
    }

    #[test]
    fn what_cannot_be_read_is_noted_without_its_value() {
        let mut notes = Vec::new();
        let json = json!({"cpf": "123", "dia": "31/02/2026", "nome": "ab".repeat(200), "sexo": "feminino", "vazio": ""});
        let mut reader = RecordReader::new(&json, &mut notes, "associado", 5);
        assert_eq!(reader.parse_field("cpf", domain::Document::parse), None);
        assert_eq!((reader.day("dia"), reader.day("vazio"), reader.day("ausente")), (None, None, None));
        assert_eq!(reader.line("nome", 200).map(|text| text.len()), Some(200));
        assert_eq!(reader.read_choice::<domain::Sex>("sexo"), Some(domain::Sex::Female));
        let fields: Vec<&str> = notes.iter().map(|note| note.field.as_str()).collect();
        assert_eq!(fields, ["cpf", "dia", "nome"]);
        assert!(notes.iter().all(|note| note.record == 5 && !note.reason.contains("123")));
    }

    #[test]
    fn a_list_is_found_in_an_array_in_a_page_and_alone() {
        assert_eq!(read_items(&json!([1, 2])).len(), 2);
        assert_eq!(read_items(&json!({"itens": [1, 2, 3], "proximaPagina": false})).len(), 3);
        assert_eq!(
            (
                read_items(&json!({"codPlano": 1})).len(),
                read_items(&json!({})).len(),
                read_items(&json!("x")).len()
            ),
            (1, 0, 0)
        );
        for none in [json!(null), json!({}), json!("x"), json!({"itens": null})] {
            assert_eq!(read_list(&none), None, "{none}");
        }
        assert_eq!(read_list(&json!([])), Some(Vec::new()));
    }
}
