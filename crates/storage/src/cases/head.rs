//! The head that all cases share: its columns, its values and how it is read.

use crate::{Error, Row, SqlScalar};
use domain::{CaseHead, TenantId};

/// The columns of a [`CaseHead`].
macro_rules! head_columns {
    () => {
        "protocol, branch, person, benefit, situation, situation_since, responsible, opened_at, closed_at, version, \
         updated_at"
    };
}
pub(crate) use head_columns;

/// The INSERT for a table with these own columns ([`build_case_row`]).
macro_rules! insert_head {
    ($table:literal, $columns:expr) => {
        concat!(
            "INSERT INTO ",
            $table,
            " (tenant, code, created_at, ",
            $crate::cases::head::head_columns!(),
            ", ",
            $columns,
            ") VALUES"
        )
    };
}
pub(crate) use insert_head;

/// The SELECT of a table, with the names behind codes that are not in the registers.
macro_rules! select_head {
    ($table:literal, $columns:expr) => {
        concat!(
            "SELECT code, ",
            $crate::cases::head::head_columns!(),
            ", ",
            $columns,
            ", (SELECT p.name FROM people p WHERE p.tenant = ",
            $table,
            ".tenant AND p.code = ",
            $table,
            ".person) AS person_name, (SELECT p.document FROM people p WHERE p.tenant = ",
            $table,
            ".tenant AND p.code = ",
            $table,
            ".person) AS person_document, (SELECT b.plate FROM benefits b WHERE b.tenant = ",
            $table,
            ".tenant AND b.code = ",
            $table,
            ".benefit) AS benefit_plate, (SELECT u.name FROM users u WHERE u.tenant = ",
            $table,
            ".tenant AND u.code = ",
            $table,
            ".responsible) AS responsible_name FROM ",
            $table,
            " WHERE tenant = $1"
        )
    };
}
pub(crate) use select_head;

pub(super) fn build_head_values(head: &CaseHead) -> [SqlScalar; 11] {
    [
        head.protocol.into(),
        head.branch.into(),
        head.person.into(),
        head.benefit.into(),
        head.situation.into(),
        head.situation_since.into(),
        head.responsible.into(),
        head.opened_at.into(),
        head.closed_at.into(),
        head.version.into(),
        head.updated_at.into(),
    ]
}

/// A row in the column order of `insert_head`.
pub(crate) fn build_case_row(
    tenant: TenantId,
    code: i32,
    head: &CaseHead,
    own_values: Vec<SqlScalar>,
) -> Vec<SqlScalar> {
    let key: [SqlScalar; 3] = [tenant.into(), code.into(), head.opened_at.into()];
    key.into_iter().chain(build_head_values(head)).chain(own_values).collect()
}

pub(crate) fn parse_case_head(row: &Row) -> Result<CaseHead, Error> {
    Ok(CaseHead {
        protocol: row.get("protocol")?,
        branch: row.get("branch")?,
        person: row.get("person")?,
        benefit: row.get("benefit")?,
        situation: row.get("situation")?,
        situation_since: row.get("situation_since")?,
        responsible: row.get("responsible")?,
        opened_at: row.get("opened_at")?,
        closed_at: row.get("closed_at")?,
        version: row.get("version")?,
        updated_at: row.get("updated_at")?,
    })
}
