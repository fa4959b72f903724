//! Converts rows of older archives.

use super::tables::{ArchiveColumn, ArchiveTable, list_archive_tables};
use crate::SqlScalar;
use domain::{Entity, MoneyRights, Role, SituationKind};

/// Converts rows of an older archive: finished deliveries used to be in the outbox, with their state. The values of
/// former columns follow the current ones.
pub fn upgrade_archive_rows(
    table: &'static ArchiveTable,
    rows: Vec<Vec<SqlScalar>>,
) -> Vec<(&'static ArchiveTable, Vec<Vec<SqlScalar>>)> {
    let rows = fill_money_rights(table, fill_charged_situations(table, rows));
    let ended = list_archive_tables().iter().find(|one| table.name == "outbox" && one.name == "deliveries");
    let Some(ended) = ended else { return vec![(table, rows)] };
    let at = |name: &str| {
        let former = table.former.iter().position(|one| one.name == name);
        table.column_position(name).or(former.map(|at| table.columns.len() + at))
    };
    let value = |row: &[SqlScalar], name: &str| {
        at(name).and_then(|at| row.get(at)).cloned().unwrap_or(SqlScalar::Null)
    };
    let is_pending =
        |row: &Vec<SqlScalar>| matches!(value(row, "state"), SqlScalar::Null | SqlScalar::Int(1));
    let (pending, over): (Vec<_>, Vec<_>) = rows.into_iter().partition(is_pending);
    let moved = over.iter().map(|row| {
        let moment = match value(row, "ended_at") {
            SqlScalar::Null => value(row, "created_at"),
            moment => moment,
        };
        let one = |column: &ArchiveColumn| {
            if column.name == "ended_at" { moment.clone() } else { value(row, column.name) }
        };
        ended.columns.iter().map(one).collect()
    });
    let moved = moved.collect();
    vec![(table, pending), (ended, moved)]
}

/// Until schema 25, nobody had rights about money: each gets what a new user of the role has.
fn fill_money_rights(table: &ArchiveTable, mut rows: Vec<Vec<SqlScalar>>) -> Vec<Vec<SqlScalar>> {
    let at = |name| table.column_position(name).filter(|_| table.name == "users");
    let (Some(role), Some(rights)) = (at("role"), at("money_rights")) else { return rows };
    for row in rows.iter_mut().filter(|row| row.get(rights) == Some(&SqlScalar::Null)) {
        let role = if let SqlScalar::Int(number) = row[role] { Role::from_number(number) } else { None };
        row[rights] = role.map_or(MoneyRights::NONE, MoneyRights::for_new_user).number().into();
    }
    rows
}

/// Until schema 25, no situation said whether it is charged.
fn fill_charged_situations(table: &ArchiveTable, mut rows: Vec<Vec<SqlScalar>>) -> Vec<Vec<SqlScalar>> {
    let at = |name| table.column_position(name).filter(|_| table.name == "situations");
    let (Some(entity), Some(kind), Some(charged)) = (at("entity"), at("kind"), at("is_charged")) else {
        return rows;
    };
    let number = |value: &SqlScalar| if let SqlScalar::Int(number) = value { *number } else { 0 };
    for row in rows.iter_mut().filter(|row| row.get(charged) == Some(&SqlScalar::Null)) {
        let (entity, kind) =
            (Entity::from_number(number(&row[entity])), SituationKind::from_number(number(&row[kind])));
        let is_charged = entity.zip(kind).is_some_and(|(entity, kind)| entity.is_charged_while(kind));
        row[charged] = is_charged.into();
    }
    rows
}
