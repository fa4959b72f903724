//! Columns of a register, derived from its description; references are shown by name.

use super::cell_values::{CellKind, SpreadsheetCell, make_text_cell};
use super::list_columns::ColumnHeading;
use super::member_columns::format_cep;
use ::registers::{FieldContent, FieldSpec, FieldType, Register};
use app::registers::{self, StoredRecord};
use app::session::Session;
use app::{App, Error};
use domain::display;
use std::collections::HashMap;

const CODE: &str = "codigo";
const ACTIVE: &str = "ativo";

pub fn build_register_headings(register: &'static Register) -> Vec<ColumnHeading> {
    let fields = register.fields.iter().filter(|field| is_exported_field(field));
    let field_headings = fields.map(|field| ColumnHeading {
        name: field.name,
        title: field.label,
        kind: choose_cell_kind(field),
    });
    let code = ColumnHeading { name: CODE, title: "Código", kind: CellKind::Number };
    let active = ColumnHeading { name: ACTIVE, title: "Ativo", kind: CellKind::Flag };
    let mut all: Vec<ColumnHeading> = [code].into_iter().chain(field_headings).chain([active]).collect();
    // Forms may have two fields with the same title, files may not.
    for at in 1..all.len() {
        if all[..at].iter().any(|one| one.title == all[at].title) {
            all[at].title = all[at].name;
        }
    }
    all
}

/// Secrets are never exported.
fn is_exported_field(field: &FieldSpec) -> bool {
    field.name != ACTIVE && !matches!(field.kind, FieldType::Secret { .. } | FieldType::ReadableOn(_))
}

fn choose_cell_kind(field: &FieldSpec) -> CellKind {
    match field.kind {
        FieldType::Money => CellKind::Money,
        FieldType::Integer { .. } => CellKind::Number,
        FieldType::Flag => CellKind::Flag,
        FieldType::Date => CellKind::Day,
        FieldType::Document
        | FieldType::Phone
        | FieldType::Cep
        | FieldType::Digits(_)
        | FieldType::Serial { .. } => CellKind::Code,
        _ => CellKind::Text,
    }
}

/// Names of the records that a register refers to.
pub struct ReferenceNames(HashMap<(&'static str, i64), String>);

impl ReferenceNames {
    #[boxed::future]
    pub async fn load(
        app: &App,
        caller: &Session,
        register: &'static Register,
    ) -> Result<ReferenceNames, Error> {
        let mut names = HashMap::new();
        let mut known: Vec<&str> = Vec::new();
        for field in register.fields {
            let (FieldType::Reference(to) | FieldType::References { to, .. }) = field.kind else { continue };
            let Some(other) = ::registers::find_register(to).filter(|_| !known.contains(&to)) else {
                continue;
            };
            known.push(to);
            let all = registers::list_choices(app, caller, other).await?;
            names.extend(all.into_iter().map(|one| ((to, i64::from(one.code)), one.name)));
        }
        Ok(ReferenceNames(names))
    }

    fn resolve_name(&self, to: &'static str, code: i64) -> String {
        self.0.get(&(to, code)).cloned().unwrap_or_else(|| code.to_string())
    }
}

/// The cells of a record, in the order of the headings.
pub fn build_record_cells(
    register: &'static Register,
    record: &StoredRecord,
    names: &ReferenceNames,
) -> Vec<SpreadsheetCell> {
    let fields = register.fields.iter().zip(&record.values).filter(|(field, _)| is_exported_field(field));
    let field_cells = fields.map(|(field, value)| build_field_cell(field, value, names));
    [SpreadsheetCell::Number(record.code.into())]
        .into_iter()
        .chain(field_cells)
        .chain([SpreadsheetCell::Flag(record.active)])
        .collect()
}

fn build_field_cell(field: &FieldSpec, value: &FieldContent, names: &ReferenceNames) -> SpreadsheetCell {
    match (field.kind, value) {
        (_, FieldContent::Nothing) => SpreadsheetCell::Empty,
        (_, FieldContent::Flag(flag)) => SpreadsheetCell::Flag(*flag),
        (_, FieldContent::Money(money)) => SpreadsheetCell::Money(*money),
        (FieldType::Integer { .. }, FieldContent::Number(number)) => SpreadsheetCell::Number(*number),
        (FieldType::Percent, FieldContent::Number(hundredths)) => {
            make_text_cell(display::format_percent(*hundredths))
        }
        (FieldType::Choice(all), FieldContent::Number(number)) => {
            let found = all.iter().find(|(known, _)| known == number);
            found.map_or(SpreadsheetCell::Empty, |(_, name)| {
                make_text_cell(::registers::find_choice_label(name))
            })
        }
        (FieldType::Reference(to), FieldContent::Number(code)) => {
            make_text_cell(names.resolve_name(to, *code))
        }
        (FieldType::References { to, .. }, FieldContent::Codes(codes)) => make_text_cell(
            codes.iter().map(|code| names.resolve_name(to, (*code).into())).collect::<Vec<_>>().join(", "),
        ),
        (_, FieldContent::Date(day)) => SpreadsheetCell::Day(*day),
        (FieldType::Document, FieldContent::Text(digits)) => make_text_cell(display::format_document(digits)),
        (FieldType::Phone, FieldContent::Text(digits)) => make_text_cell(display::format_phone(digits)),
        (FieldType::Cep, FieldContent::Text(digits)) => make_text_cell(format_cep(digits)),
        (_, FieldContent::Lines(lines)) => make_text_cell(lines.join("\n")),
        _ => match wire::register::render_value(field, value) {
            serde_json::Value::Null => SpreadsheetCell::Empty,
            serde_json::Value::String(plain) => make_text_cell(plain),
            other => make_text_cell(other.to_string()),
        },
    }
}
