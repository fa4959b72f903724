//! The records of a register that a statement selects.

use super::row::encode_field_value;
use crate::{SqlScalar, Statement, sql};
use domain::Scope;
use registers::{FieldContent, FieldSpec, RecordVisibility, Register};

/// A field and its required value.
pub type FieldCondition<'v> = (&'static FieldSpec, &'v FieldContent);

pub(super) fn select_records(register: &Register, scope: &Scope) -> Statement {
    let field_columns = register.fields.iter().filter(|field| field.is_column()).map(|field| field.column);
    let names: Vec<&str> = std::iter::once(register.key)
        .chain(field_columns)
        .chain(["active", "version", "created_at", "updated_at"])
        .collect();
    let statement =
        sql("SELECT").append_text(&names.join(", ")).append_text("FROM").append_text(register.table);
    filter_by_scope(statement, register, scope)
}

pub(super) fn filter_by_scope(statement: Statement, register: &Register, scope: &Scope) -> Statement {
    let statement = statement.append("WHERE tenant = ?", [scope.tenant()]);
    match register.within {
        RecordVisibility::Branch(column) => statement.filter_branches(column, scope.branches()),
        RecordVisibility::Base | RecordVisibility::Benefit | RecordVisibility::Person => statement,
    }
}

pub(super) fn filter_by_conditions(
    statement: Statement,
    conditions: &[FieldCondition<'_>],
    active: Option<bool>,
) -> Statement {
    let filtered =
        conditions.iter().fold(statement, |statement, (field, value)| match encode_field_value(value) {
            SqlScalar::Null => statement.append_text(&format!("AND {} IS NULL", field.column)),
            value => statement.append(&format!("AND {} = ?", field.column), [value]),
        });
    match active {
        Some(true) => filtered.append_text("AND active"),
        Some(false) => filtered.append_text("AND NOT active"),
        None => filtered,
    }
}
