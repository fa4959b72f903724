//! A record as it is to be, while it is judged.

use super::{Doing, Record, Whose};
use crate::differences::Difference;
use domain::{RegisterProblem, Rejection};
use registers::{Default, FieldSpec, Need, Register, Value};
use wire::read::Given;
use wire::register;

pub(super) struct Wish<'d> {
    pub doing: &'d Doing,
    pub register: &'static Register,
    pub had: Option<Record>,
    /// None until a new record gets one.
    pub code: Option<i32>,
    pub values: Vec<Value>,
    pub active: bool,
    /// Whose data it is.
    pub person: Whose,
    pub problems: Vec<Rejection>,
}

impl<'d> Wish<'d> {
    /// What was sent, over what was there.
    pub fn new(doing: &'d Doing, had: Option<Record>) -> Wish<'d> {
        let register = doing.register;
        let mut wish = Wish {
            doing,
            register,
            code: doing.code.or(doing.sent.code.clone().set()),
            values: match &had {
                Some(had) => had.values.clone(),
                None => vec![Value::Nothing; register.fields.len()],
            },
            active: doing.sent.active.clone().set().or(had.as_ref().map(|had| had.active)).unwrap_or(true),
            person: None,
            problems: Vec::new(),
            had,
        };
        for (at, field) in register.fields.iter().enumerate().filter(|(_, field)| field.is_taken()) {
            wish.take(at, field);
        }
        wish
    }

    fn take(&mut self, at: usize, field: &'static FieldSpec) {
        let sent = &self.doing.sent.fields[at];
        match sent {
            Given::Keep => {}
            Given::Clear => self.values[at] = Value::Nothing,
            // An empty list is none.
            Given::Set(Value::Codes(codes)) if codes.is_empty() => self.values[at] = Value::Nothing,
            Given::Set(Value::Lines(lines)) if lines.is_empty() => self.values[at] = Value::Nothing,
            Given::Set(Value::Codes(codes)) => {
                let mut codes = codes.clone();
                codes.sort_unstable();
                self.values[at] = Value::Codes(codes);
            }
            Given::Set(value) => self.values[at] = value.clone(),
        }
        if self.values[at] != Value::Nothing {
            return;
        }
        match field.need {
            // Of a record that is not there nobody knows what it has.
            Need::Required if self.doing.code.is_some() && *sent == Given::Keep => {}
            Need::Required => self.refuse(field.name, RegisterProblem::Missing),
            Need::Else(Default::Flag(flag)) => self.values[at] = Value::Flag(flag),
            Need::Else(Default::Number(number)) => self.values[at] = Value::Number(number),
            Need::Else(Default::Code) | Need::Optional => {}
        }
    }

    /// Gives the record its code, and whatever follows from it.
    pub fn settle(&mut self, code: i32) {
        self.code = Some(code);
        for (field, value) in self.register.fields.iter().zip(&mut self.values) {
            if field.need == Need::Else(Default::Code) && *value == Value::Nothing {
                *value = Value::Number(code.clamp(1, 1_000_000).into());
            }
        }
    }

    pub fn refuse(&mut self, field: &'static str, problem: RegisterProblem) {
        self.problems.push(Rejection::Register { field, problem });
    }

    /// The value of a field as it is to be.
    pub fn value(&self, name: &str) -> &Value {
        self.register.field(name).map_or(&Value::Nothing, |(at, _)| &self.values[at])
    }

    pub fn number(&self, name: &str) -> Option<i64> {
        match self.value(name) {
            Value::Number(number) => Some(*number),
            _ => None,
        }
    }

    pub fn code_in(&self, name: &str) -> Option<i32> {
        self.number(name).and_then(|number| number.try_into().ok())
    }

    pub fn text(&self, name: &str) -> Option<&str> {
        match self.value(name) {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn flag(&self, name: &str) -> bool {
        *self.value(name) == Value::Flag(true)
    }

    pub fn set(&mut self, name: &str, value: Value) {
        if let Some((at, _)) = self.register.field(name) {
            self.values[at] = value;
        }
    }

    /// What was there before; nothing of a new record.
    pub fn before(&self, name: &str) -> &Value {
        let place = self.register.field(name).map(|(at, _)| at);
        place.and_then(|at| self.had.as_ref().map(|had| &had.values[at])).unwrap_or(&Value::Nothing)
    }

    /// Whether a field gets another value than it had.
    pub fn changes(&self, name: &str) -> bool {
        self.value(name) != self.before(name)
    }

    /// Whether the record is there, in use, and is not to be any more.
    pub fn retires(&self) -> bool {
        self.had.as_ref().is_some_and(|had| had.active) && !self.active
    }

    pub fn is_changed(&self) -> bool {
        self.had.as_ref().is_none_or(|had| had.values != self.values || had.active != self.active)
    }

    /// What was sent and what stands, as they are shown, for whoever has read an older version.
    pub fn differing(&self) -> Vec<Difference> {
        let Some(had) = &self.had else { return Vec::new() };
        let fields = self.register.fields.iter().enumerate();
        let sent = fields.filter(|(at, _)| self.doing.sent.fields[*at] != Given::Keep);
        let mut all: Vec<_> = sent
            .filter(|(_, field)| field.is_shown())
            .map(|(at, field)| {
                let shown = |value: &Value| register::value(field, value);
                (field.name, shown(&self.values[at]), shown(&had.values[at]))
            })
            .collect();
        if self.doing.sent.active != Given::Keep {
            all.push(("ativo", self.active.into(), had.active.into()));
        }
        let differing = all.into_iter().filter(|(_, sent, now)| sent != now);
        let told = |(field, sent, now)| Difference { field, before: read(now), after: read(sent) };
        differing.map(told).collect()
    }

    /// What the audit tells: the names of what was changed, never a value.
    pub fn told(&self) -> String {
        let Some(had) = &self.had else { return "cadastro".to_owned() };
        let fields = self.register.fields.iter().enumerate();
        let changed =
            fields.filter(|(at, _)| self.values[*at] != had.values[*at]).map(|(_, field)| field.name);
        changed.chain((self.active != had.active).then_some("ativo")).collect::<Vec<_>>().join(", ")
    }
}

/// A value as people read it.
fn read(value: serde_json::Value) -> Option<String> {
    match value {
        serde_json::Value::Null => None,
        serde_json::Value::String(text) => Some(text),
        other => Some(other.to_string()),
    }
}
