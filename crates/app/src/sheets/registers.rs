//! The columns of a register, made from its description; what it refers to is told by name.

use super::members::dashed;
use super::{Cell, Heading, Kind, text};
use crate::access::Session;
use crate::registering::{self, Record};
use crate::{App, Error};
use ::registers::{FieldSpec, Kind as Holds, Register, Value};
use domain::shown;
use std::collections::HashMap;

const CODE: &str = "codigo";
const ACTIVE: &str = "ativo";

pub fn headings(register: &'static Register) -> Vec<Heading> {
    let fields = register.fields.iter().filter(|field| is_told(field));
    let own = fields.map(|field| Heading { name: field.name, title: field.label, kind: kind(field) });
    let code = Heading { name: CODE, title: "Código", kind: Kind::Number };
    let active = Heading { name: ACTIVE, title: "Ativo", kind: Kind::Flag };
    let mut all: Vec<Heading> = [code].into_iter().chain(own).chain([active]).collect();
    // Where a form may call two fields alike, a file may not.
    for at in 1..all.len() {
        if all[..at].iter().any(|one| one.title == all[at].title) {
            all[at].title = all[at].name;
        }
    }
    all
}

/// Secrets are kept and never shown.
fn is_told(field: &FieldSpec) -> bool {
    field.name != ACTIVE && !matches!(field.kind, Holds::Secret { .. } | Holds::ReadableOn(_))
}

fn kind(field: &FieldSpec) -> Kind {
    match field.kind {
        Holds::Money => Kind::Money,
        Holds::Integer { .. } => Kind::Number,
        Holds::Flag => Kind::Flag,
        Holds::Date => Kind::Day,
        Holds::Document | Holds::Phone | Holds::Cep | Holds::Digits(_) | Holds::Serial { .. } => Kind::Code,
        _ => Kind::Text,
    }
}

/// What the codes that a register refers to are called.
pub struct Names(HashMap<(&'static str, i64), String>);

impl Names {
    #[boxed::future]
    pub async fn of(app: &App, caller: &Session, register: &'static Register) -> Result<Names, Error> {
        let mut names = HashMap::new();
        let mut known: Vec<&str> = Vec::new();
        for field in register.fields {
            let (Holds::Reference(to) | Holds::References { to, .. }) = field.kind else { continue };
            let Some(other) = ::registers::find(to).filter(|_| !known.contains(&to)) else { continue };
            known.push(to);
            let all = registering::choices(app, caller, other).await?;
            names.extend(all.into_iter().map(|one| ((to, i64::from(one.code)), one.name)));
        }
        Ok(Names(names))
    }

    fn name(&self, to: &'static str, code: i64) -> String {
        self.0.get(&(to, code)).cloned().unwrap_or_else(|| code.to_string())
    }
}

/// The cells of a record, in the order of the headings.
pub fn cells(register: &'static Register, record: &Record, names: &Names) -> Vec<Cell> {
    let fields = register.fields.iter().zip(&record.values).filter(|(field, _)| is_told(field));
    let own = fields.map(|(field, value)| cell(field, value, names));
    [Cell::Number(record.code.into())].into_iter().chain(own).chain([Cell::Flag(record.active)]).collect()
}

fn cell(field: &FieldSpec, value: &Value, names: &Names) -> Cell {
    match (field.kind, value) {
        (_, Value::Nothing) => Cell::Nothing,
        (_, Value::Flag(flag)) => Cell::Flag(*flag),
        (Holds::Money, Value::Number(cents)) => Cell::Money(*cents),
        (Holds::Integer { .. }, Value::Number(number)) => Cell::Number(*number),
        (Holds::Choice(all), Value::Number(number)) => {
            let found = all.iter().find(|(known, _)| known == number);
            found.map_or(Cell::Nothing, |(_, name)| text(::registers::label(name)))
        }
        (Holds::Reference(to), Value::Number(code)) => text(names.name(to, *code)),
        (Holds::References { to, .. }, Value::Codes(codes)) => {
            text(codes.iter().map(|code| names.name(to, (*code).into())).collect::<Vec<_>>().join(", "))
        }
        (Holds::Date, Value::Text(day)) => Cell::Day(day.clone()),
        (Holds::Document, Value::Text(digits)) => text(shown::document(digits)),
        (Holds::Phone, Value::Text(digits)) => text(shown::phone(digits)),
        (Holds::Cep, Value::Text(digits)) => text(dashed(digits)),
        (_, Value::Lines(lines)) => text(lines.join("\n")),
        _ => match wire::register::value(field, value) {
            serde_json::Value::Null => Cell::Nothing,
            serde_json::Value::String(plain) => text(plain),
            other => text(other.to_string()),
        },
    }
}
