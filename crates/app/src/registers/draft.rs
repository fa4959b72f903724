//! A record with its requested changes, during validation.

use super::StoredRecord;
use super::save::{RecordOwner, RecordSubmission};
use crate::command::WriteCommand;
use domain::{Date, RegisterProblem, Rejection};
use registers::{FieldContent, FieldDefault, FieldRequirement, FieldSpec, Register};
use wire::field_differences::FieldDifference;
use wire::read::FieldPatch;
use wire::register;

pub(super) struct RecordDraft<'d> {
    pub command: &'d WriteCommand<RecordSubmission>,
    pub register: &'static Register,
    pub stored: Option<StoredRecord>,
    /// `None` until a new record gets its code.
    pub code: Option<i32>,
    pub values: Vec<FieldContent>,
    pub active: bool,
    /// The person whose data it is.
    pub person: RecordOwner,
    pub problems: Vec<Rejection>,
}

impl<'d> RecordDraft<'d> {
    /// Applies the input to the existing record.
    pub fn new(command: &'d WriteCommand<RecordSubmission>, stored: Option<StoredRecord>) -> RecordDraft<'d> {
        let RecordSubmission { register, code, sent, .. } = &command.input;
        let mut draft = RecordDraft {
            command,
            register,
            code: code.or(sent.code.clone().into_set()),
            values: match &stored {
                Some(stored) => stored.values.clone(),
                None => vec![FieldContent::Nothing; register.fields.len()],
            },
            active: sent
                .active
                .clone()
                .into_set()
                .or(stored.as_ref().map(|stored| stored.active))
                .unwrap_or(true),
            person: None,
            problems: Vec::new(),
            stored,
        };
        for (at, field) in register.fields.iter().enumerate().filter(|(_, field)| field.is_input()) {
            draft.take_field(at, field);
        }
        draft
    }

    fn take_field(&mut self, at: usize, field: &'static FieldSpec) {
        let patch = &self.command.input.sent.fields[at];
        match patch {
            FieldPatch::Keep => {}
            FieldPatch::Clear => self.values[at] = FieldContent::Nothing,
            // An empty list is stored as no value.
            FieldPatch::Set(FieldContent::Codes(codes)) if codes.is_empty() => {
                self.values[at] = FieldContent::Nothing;
            }
            FieldPatch::Set(FieldContent::Lines(lines)) if lines.is_empty() => {
                self.values[at] = FieldContent::Nothing;
            }
            FieldPatch::Set(FieldContent::Codes(codes)) => {
                let mut codes = codes.clone();
                codes.sort_unstable();
                self.values[at] = FieldContent::Codes(codes);
            }
            FieldPatch::Set(value) => self.values[at] = value.clone(),
        }
        if self.values[at] != FieldContent::Nothing {
            return;
        }
        match field.need {
            // Of an unknown record it is not known whether it has the value.
            FieldRequirement::Required if self.command.input.code.is_some() && *patch == FieldPatch::Keep => {
            }
            FieldRequirement::Required => self.refuse(field.name, RegisterProblem::Missing),
            FieldRequirement::Default(FieldDefault::Flag(flag)) => self.values[at] = FieldContent::Flag(flag),
            FieldRequirement::Default(FieldDefault::Number(number)) => {
                self.values[at] = FieldContent::Number(number);
            }
            FieldRequirement::Default(FieldDefault::Code) | FieldRequirement::Optional => {}
        }
    }

    /// Sets the code, and the fields that default to it.
    pub fn assign_code(&mut self, code: i32) {
        self.code = Some(code);
        for (field, value) in self.register.fields.iter().zip(&mut self.values) {
            if field.need == FieldRequirement::Default(FieldDefault::Code) && *value == FieldContent::Nothing
            {
                *value = FieldContent::Number(code.clamp(1, 1_000_000).into());
            }
        }
    }

    pub fn refuse(&mut self, field: &'static str, problem: RegisterProblem) {
        self.problems.push(Rejection::Register { field, problem });
    }

    /// The requested value of a field.
    pub fn value(&self, name: &str) -> &FieldContent {
        self.register.find_field(name).map_or(&FieldContent::Nothing, |(at, _)| &self.values[at])
    }

    pub fn number(&self, name: &str) -> Option<i64> {
        match self.value(name) {
            FieldContent::Number(number) => Some(*number),
            _ => None,
        }
    }

    pub fn code_field(&self, name: &str) -> Option<i32> {
        self.number(name).and_then(|number| number.try_into().ok())
    }

    pub fn text(&self, name: &str) -> Option<&str> {
        match self.value(name) {
            FieldContent::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn date(&self, name: &str) -> Option<Date> {
        match self.value(name) {
            FieldContent::Date(date) => Some(*date),
            _ => None,
        }
    }

    pub fn flag(&self, name: &str) -> bool {
        *self.value(name) == FieldContent::Flag(true)
    }

    pub fn set(&mut self, name: &str, value: FieldContent) {
        if let Some((at, _)) = self.register.find_field(name) {
            self.values[at] = value;
        }
    }

    /// The value before the change; nothing for a new record.
    pub fn previous_value(&self, name: &str) -> &FieldContent {
        let place = self.register.find_field(name).map(|(at, _)| at);
        place
            .and_then(|at| self.stored.as_ref().map(|stored| &stored.values[at]))
            .unwrap_or(&FieldContent::Nothing)
    }

    pub fn is_field_changed(&self, name: &str) -> bool {
        self.value(name) != self.previous_value(name)
    }

    /// Whether an active record becomes inactive.
    pub fn is_retiring(&self) -> bool {
        self.stored.as_ref().is_some_and(|stored| stored.active) && !self.active
    }

    pub fn is_changed(&self) -> bool {
        self.stored.as_ref().is_none_or(|stored| stored.values != self.values || stored.active != self.active)
    }

    /// Sent and current values as displayed, for a version conflict.
    pub fn list_differences(&self) -> Vec<FieldDifference> {
        let Some(stored) = &self.stored else { return Vec::new() };
        let fields = self.register.fields.iter().enumerate();
        let sent_fields = fields.filter(|(at, _)| self.command.input.sent.fields[*at] != FieldPatch::Keep);
        let mut all: Vec<_> = sent_fields
            .filter(|(_, field)| field.is_visible())
            .map(|(at, field)| {
                let render = |value: &FieldContent| register::render_value(field, value);
                (field.name, render(&self.values[at]), render(&stored.values[at]))
            })
            .collect();
        if self.command.input.sent.active != FieldPatch::Keep {
            all.push(("ativo", self.active.into(), stored.active.into()));
        }
        let differing = all.into_iter().filter(|(_, requested, now)| requested != now);
        let to_difference = |(field, requested, now)| FieldDifference {
            field,
            before: render_json(now),
            after: render_json(requested),
        };
        differing.map(to_difference).collect()
    }

    /// The names of the changed fields, for the audit.
    pub fn list_changed_fields(&self) -> Vec<&'static str> {
        let Some(stored) = &self.stored else { return Vec::new() };
        let fields = self.register.fields.iter().enumerate();
        let changed =
            fields.filter(|(at, _)| self.values[*at] != stored.values[*at]).map(|(_, field)| field.name);
        changed.chain((self.active != stored.active).then_some("ativo")).collect()
    }
}

/// A value as displayed.
fn render_json(value: serde_json::Value) -> Option<String> {
    match value {
        serde_json::Value::Null => None,
        serde_json::Value::String(text) => Some(text),
        other => Some(other.to_string()),
    }
}
