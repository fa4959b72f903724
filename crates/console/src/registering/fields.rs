//! From a description to the fields of a form, and from what was typed to the record that is sent.

use crate::records::{Kind as Shape, Spec, Values, plain_money, typed_money};
use crate::show::money;
use app::access::Session;
use app::registering::{self, Choice, Record};
use app::{App, Error};
use domain::Uf;
use registers::{FieldSpec, Kind, Register, Search, Value};
use serde_json::{Map, Value as Json, json};
use std::collections::BTreeMap;

/// What the codes of other registers are called, as far as a page needs them.
pub struct Names(BTreeMap<&'static str, Vec<Choice>>);

impl Names {
    pub async fn of<'f>(
        app: &App,
        caller: &Session,
        fields: impl Iterator<Item = &'f FieldSpec>,
    ) -> Result<Names, Error> {
        let mut names = BTreeMap::new();
        for field in fields {
            let (Kind::Reference(to) | Kind::References { to, .. }) = field.kind else { continue };
            if let Some(register) = registers::find(to).filter(|_| !names.contains_key(to)) {
                names.insert(to, registering::choices(app, caller, register).await?);
            }
        }
        Ok(Names(names))
    }

    fn all(&self, to: &str) -> &[Choice] {
        self.0.get(to).map_or(&[], Vec::as_slice)
    }

    fn name(&self, to: &str, code: i64) -> String {
        let found = self.all(to).iter().find(|one| i64::from(one.code) == code);
        found.map_or_else(|| code.to_string(), |one| one.name.clone())
    }
}

/// A value as people read it; of a list, how many it holds.
pub fn shown(field: &FieldSpec, value: &Value, names: &Names) -> String {
    match (field.kind, value) {
        (_, Value::Nothing) => String::new(),
        (_, Value::Flag(flag)) => if *flag { "Sim" } else { "Não" }.to_owned(),
        (Kind::Money, Value::Number(cents)) => money(*cents),
        (Kind::Choice(all), Value::Number(number)) => {
            let found = all.iter().find(|(known, _)| known == number);
            found.map_or_else(String::new, |(_, name)| registers::label(name).to_owned())
        }
        (Kind::Reference(to), Value::Number(code)) => names.name(to, *code),
        (Kind::References { to, .. }, Value::Codes(codes)) => {
            codes.iter().map(|code| names.name(to, (*code).into())).collect::<Vec<_>>().join(", ")
        }
        (_, Value::Lines(lines)) if lines.len() == 1 => "1 item".to_owned(),
        (_, Value::Lines(lines)) => format!("{} itens", lines.len()),
        _ => plain(field, value),
    }
}

/// As the interface writes it, without quotes.
fn plain(field: &FieldSpec, value: &Value) -> String {
    match wire::register::value(field, value) {
        Json::Null => String::new(),
        Json::String(text) => text,
        other => other.to_string(),
    }
}

/// A value as its field in a form has it.
pub fn in_form(field: &FieldSpec, value: &Value) -> String {
    match (field.kind, value) {
        (Kind::Flag, Value::Flag(flag)) => if *flag { "sim" } else { "" }.to_owned(),
        (Kind::Money, Value::Number(cents)) => typed_money(*cents),
        (Kind::Colour, Value::Text(colour)) => format!("#{colour}"),
        (_, Value::Codes(codes)) => codes.iter().map(ToString::to_string).collect::<Vec<_>>().join(","),
        (_, Value::Lines(lines)) => lines.join("\n"),
        (_, Value::Nothing) => String::new(),
        _ => plain(field, value),
    }
}

/// A field of the register as a field of a form.
pub fn spec(field: &'static FieldSpec) -> Spec {
    let (kind, longest) = match field.kind {
        Kind::Text { longest } | Kind::Secret { longest } | Kind::Serial { longest } => {
            (Shape::Text, longest)
        }
        Kind::Note => (Shape::Area, 4_000),
        Kind::Lines { .. } | Kind::Items { .. } => (Shape::Area, 12_000),
        Kind::Digits(count) => (Shape::Number, count),
        Kind::Integer { .. } | Kind::Benefit | Kind::Person => (Shape::Number, 10),
        Kind::Money => (Shape::Money, 20),
        Kind::Flag => (Shape::Flag, 3),
        Kind::Colour | Kind::ReadableOn(_) => (Shape::Colour, 7),
        Kind::Choice(_) | Kind::Uf => (Shape::Choice, 100),
        Kind::Reference(to) if is_typed(to) => (Shape::Text, 50),
        Kind::Reference(_) => (Shape::Choice, 100),
        Kind::References { .. } => (Shape::Many, 100),
        Kind::Document => (Shape::Masked("documento"), 20),
        Kind::Phone => (Shape::Masked("telefone"), 20),
        Kind::Cep => (Shape::Masked("cep"), 10),
        Kind::Date => (Shape::Masked("data"), 10),
        Kind::Month => (Shape::Text, 7),
        Kind::Email => (Shape::Email, 254),
    };
    Spec { name: field.name, label: field.label, kind, longest, hint: field.hint }
}

/// Whether there may be so many of a register that nobody chooses from a list of them.
fn is_typed(to: &str) -> bool {
    registers::find(to).is_some_and(|register| register.search != Search::Words)
}

/// What may be chosen in a field. What stands there may stay, in use or not.
pub fn choices(
    register: &'static Register,
    own: Option<i32>,
    (names, values): (&Names, &Values),
    name: &str,
) -> Vec<(String, String)> {
    let Some((_, field)) = register.field(name) else { return Vec::new() };
    let typed = values.get(name).map_or("", String::as_str);
    let is_there = |code: i32| typed.split(',').any(|one| one == code.to_string());
    let choice = |one: &Choice| (one.code.to_string(), one.name.clone());
    match field.kind {
        Kind::Choice(all) => {
            all.iter().map(|(_, name)| ((*name).to_owned(), registers::label(name).to_owned())).collect()
        }
        Kind::Uf => Uf::NAMES.iter().map(|name| ((*name).to_owned(), (*name).to_owned())).collect(),
        Kind::Reference(to) => {
            let open = names.all(to).iter().filter(|one| one.active || is_there(one.code));
            open.map(choice).collect()
        }
        Kind::References { to, .. } => {
            let open = names.all(to).iter().filter(|one| one.active || is_there(one.code));
            open.filter(|one| Some(one.code) != own && is_alike(register, one, values)).map(choice).collect()
        }
        _ => Vec::new(),
    }
}

/// Whether a record is one of those among which a name stands alone: a situation leads to others of its own entity.
fn is_alike(register: &Register, other: &Choice, values: &Values) -> bool {
    let within = register.unique.first().map_or(&[][..], |unique| &unique.fields[1..]);
    within.iter().all(|name| {
        let Some((at, field)) = register.field(name) else { return true };
        let typed = values.get(name).map_or("", String::as_str);
        other.values.get(at).is_some_and(|value| !typed.is_empty() && plain(field, value) == typed)
    })
}

/// What was typed, as the record that is sent. What does not change is left out, and so is a secret that nobody typed anew.
pub fn record(register: &'static Register, values: &Values, had: Option<(i32, &str)>) -> Vec<u8> {
    let mut sent = Map::new();
    for field in register.fields.iter().filter(|field| field.is_taken()) {
        let Some(typed) = values.get(field.name) else { continue };
        let is_kept = matches!(field.kind, Kind::Secret { .. }) && typed.is_empty();
        if had.is_some() && (field.fixed || is_kept) {
            continue;
        }
        sent.insert(field.name.to_owned(), typed_json(field, typed));
    }
    match had {
        Some((_, version)) => drop(sent.insert("versao".to_owned(), version.into())),
        None => sent
            .extend(values.get(register.code).map(|code| (register.code.to_owned(), code.as_str().into()))),
    }
    Json::Object(sent).to_string().into_bytes()
}

fn typed_json(field: &FieldSpec, typed: &str) -> Json {
    match field.kind {
        Kind::Flag => json!(typed == "sim"),
        Kind::References { .. } => typed.split(',').filter(|code| !code.is_empty()).collect(),
        Kind::Lines { .. } | Kind::Items { .. } => {
            typed.lines().map(str::trim).filter(|line| !line.is_empty()).collect()
        }
        _ if typed.is_empty() => Json::Null,
        Kind::Money => plain_money(typed).into(),
        Kind::Colour => typed.trim_start_matches('#').to_uppercase().into(),
        _ => typed.into(),
    }
}

/// Puts the codes for what people typed to name a record of a register that is too large for a list.
pub async fn resolve(
    app: &App,
    caller: &Session,
    register: &'static Register,
    values: &mut Values,
) -> Result<Vec<String>, Error> {
    let mut problems = Vec::new();
    for field in register.fields {
        let Kind::Reference(to) = field.kind else { continue };
        let (Some(other), Some(typed)) =
            (registers::find(to).filter(|_| is_typed(to)), values.get_mut(field.name))
        else {
            continue;
        };
        if typed.is_empty() {
            continue;
        }
        match named(app, caller, other, typed).await? {
            Some(found) => *typed = found.code.to_string(),
            None => problems.push(format!("{}: não há {} com este número.", field.name, other.words.one)),
        }
    }
    Ok(problems)
}

async fn named(
    app: &App,
    caller: &Session,
    register: &'static Register,
    typed: &str,
) -> Result<Option<Record>, Error> {
    let Ok(asked) = wire::register::asked(register, std::iter::once(("filtro".to_owned(), typed.to_owned())))
    else {
        return Ok(None);
    };
    let meant: String = typed.split_whitespace().collect::<String>().to_uppercase();
    let page = registering::page(app, caller, register, asked).await?;
    let is_meant = |record: &Record| record.values.iter().any(|value| *value == Value::Text(meant.clone()));
    Ok(page.records.into_iter().find(is_meant))
}

/// What such a code is typed as.
pub async fn unresolved(
    app: &App,
    caller: &Session,
    register: &'static Register,
    values: &mut Values,
) -> Result<(), Error> {
    for field in register.fields {
        let Kind::Reference(to) = field.kind else { continue };
        let (Some(other), Some(typed)) =
            (registers::find(to).filter(|_| is_typed(to)), values.get_mut(field.name))
        else {
            continue;
        };
        if let Ok(code) = typed.parse() {
            let (record, _) = registering::one(app, caller, other, code).await?;
            *typed = super::title(other, code, &record.values);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(path: &str, values: &[(&'static str, &str)], had: Option<(i32, &str)>) -> Json {
        let values = values.iter().map(|(name, text)| (*name, (*text).to_owned())).collect();
        serde_json::from_slice(&record(registers::find(path).unwrap(), &values, had)).unwrap()
    }

    #[test]
    fn what_is_typed_becomes_the_record_that_the_description_asks_for() {
        let typed =
            [("nome", "Ouro"), ("tipoBeneficio", "VEICULAR"), ("valor", "1.089,90"), ("descricao", "")];
        assert_eq!(
            sent("plano", &typed, None),
            json!({"nome": "Ouro", "tipoBeneficio": "VEICULAR", "valor": "1089.90", "descricao": null})
        );
        let typed = [
            ("nome", "X"),
            ("entidade", "evento"),
            ("corDestaque", "#f9ab00"),
            ("padrao", ""),
            ("proximas", "7,9"),
        ];
        assert_eq!(
            sent("situacao", &typed, Some((3, "2"))),
            json!({"nome": "X", "corDestaque": "F9AB00", "padrao": false, "proximas": ["7", "9"], "versao": "2"})
        );
        let lines = sent("tipoVistoria", &[("checklist", "Pneus\n\n Lataria ")], None);
        assert_eq!(lines["checklist"], json!(["Pneus", "Lataria"]));
        assert_eq!(sent("vencimento", &[("dia", "12")], None), json!({"dia": "12"}));
        assert_eq!(sent("cartaoCredito", &[("tokenGateway", "")], Some((1, "1"))), json!({"versao": "1"}));
    }

    #[test]
    fn every_field_that_is_typed_has_a_place_in_a_form_and_comes_back_as_it_was() {
        for register in registers::REGISTERS {
            for field in register.fields.iter().filter(|field| field.is_taken()) {
                assert!(!spec(field).label.is_empty() && spec(field).longest > 0, "{}", field.name);
            }
        }
        let (_, price) = registers::find("plano").unwrap().field("valor").unwrap();
        assert_eq!(in_form(price, &Value::Number(8_990)), "89,90");
        let (_, kind) = registers::find("plano").unwrap().field("tipoBeneficio").unwrap();
        let names = Names(BTreeMap::new());
        assert_eq!(
            (in_form(kind, &Value::Number(1)).as_str(), shown(kind, &Value::Number(1), &names).as_str()),
            ("SAUDE", "Saúde")
        );
    }

    #[test]
    fn a_situation_may_lead_to_others_of_its_entity_alone() {
        let register = registers::find("situacao").unwrap();
        let one = |code, name: &str, entity| {
            let mut values = vec![Value::Nothing; register.fields.len()];
            values[register.field("entidade").unwrap().0] = Value::Number(entity);
            Choice { code, name: name.to_owned(), active: true, values }
        };
        let all = vec![one(1, "ATIVO", 1), one(7, "ABERTO", 2), one(8, "EM REPARO", 2)];
        let names = Names(BTreeMap::from([("situacao", all)]));
        let of = |entity: &str| {
            let values = Values::from([("entidade", entity.to_owned())]);
            choices(register, Some(7), (&names, &values), "proximas")
        };
        assert_eq!(of("evento"), [("8".to_owned(), "EM REPARO".to_owned())]);
        assert!(of("").is_empty());
    }
}
