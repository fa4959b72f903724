//! Validates an archive before anything is written, because a restore that fails midway leaves a partial tenant. Every
//! row must parse, every attachment must belong to a row, and no value may exceed what an export writes. Checks that
//! only the database can do, such as foreign keys, are left to it.

use super::error::ArchiveError;
use super::manifest::{DATA, FILES};
use super::reader::TenantArchiveReader;
use super::row_format::{self, TenantVault};
use app::access::password_hash;
use app::attachments::is_file_key;
use app::attachments::transfer::parse_part_key;
use app::tenants::hosts;
use domain::{Date, RandomSource, TimeZone};
use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use storage::SqlScalar;
use storage::exchange::archive::{
    ArchiveColumnKind, ArchiveTable, ColumnRequirement, list_archive_tables, list_required_columns,
};

pub struct ArchiveValidationRules {
    /// The server's own URL; no tenant may use its host.
    pub public_url: String,
    pub with_hosts: bool,
}

/// Names that must be unique on this server.
#[derive(Clone, Debug, Default)]
pub struct ReservedNames {
    pub logins: Vec<String>,
    pub hosts: Vec<String>,
}

/// Reads the entire archive; returns the names it needs. `on_progress` receives the number of rows validated.
pub fn validate_archive(
    archive: &TenantArchiveReader,
    sealing: (&TenantVault, &dyn RandomSource),
    rules: &ArchiveValidationRules,
    on_progress: &dyn Fn(u64),
) -> Result<ReservedNames, ArchiveError> {
    let mut found = ValidationFindings::default();
    let mut validated_rows = 0;
    for table in list_archive_tables() {
        let mut checks = TableRowChecks::for_table(table);
        let mut rows = 0;
        archive.for_each_row(table, sealing, |line, row| {
            rows += 1;
            let bad_row = |cause| build_bad_row_error(table, line, cause);
            checks.check_row(&row).map_err(bad_row)?;
            found.add_row(table, &row, sealing.0, rules).map_err(|fault| match fault {
                ArchiveRowFault::Row(cause) => bad_row(cause),
                ArchiveRowFault::File(cause) => {
                    ArchiveError::Damaged { path: build_table_path(table), cause }
                }
            })
        })?;
        checks
            .check_filled_columns(rows)
            .map_err(|cause| ArchiveError::Damaged { path: build_table_path(table), cause })?;
        validated_rows += rows;
        on_progress(validated_rows);
    }
    let tenants = build_table_path(&list_archive_tables()[0]);
    if found.tenants != 1 {
        let cause = format!("{} associations, not one", found.tenants);
        return Err(ArchiveError::Damaged { path: tenants, cause });
    }
    validate_attachments(archive, sealing.0, &found.keys)?;
    Ok(found.names)
}

/// Every attachment must belong to a row, so that it can be found and deleted later.
fn validate_attachments(
    archive: &TenantArchiveReader,
    tenant_vault: &TenantVault,
    keys: &HashSet<String>,
) -> Result<(), ArchiveError> {
    archive.for_each_attachment(0, |one| {
        let name = one.path.strip_prefix(FILES).unwrap_or_default();
        let is_known = parse_part_key(tenant_vault.tenant, name).is_some_and(|key| keys.contains(key));
        if !is_known {
            let cause = "a part of a file that no row names".to_owned();
            return Err(ArchiveError::Damaged { path: one.path, cause });
        }
        TenantArchiveReader::check_attachment_length(&one)
    })
}

fn build_table_path(table: &ArchiveTable) -> String {
    format!("{DATA}{}.jsonl", table.name)
}

fn build_bad_row_error(table: &ArchiveTable, line: u64, cause: String) -> ArchiveError {
    ArchiveError::BadRow { path: build_table_path(table), line, cause }
}

/// Columns of amounts in cents.
const AMOUNTS: [&str; 4] = ["price", "worth", "protected", "participation"];

enum ArchiveRowFault {
    Row(String),
    /// A fault of the entire file: no export writes this.
    File(String),
}

#[derive(Default)]
struct ValidationFindings {
    names: ReservedNames,
    /// Storage keys of the attached files.
    keys: HashSet<String>,
    tenants: u64,
}

impl ValidationFindings {
    fn add_row(
        &mut self,
        table: &ArchiveTable,
        row: &[SqlScalar],
        tenant_vault: &TenantVault,
        rules: &ArchiveValidationRules,
    ) -> Result<(), ArchiveRowFault> {
        let text = |column: &str| row_format::read_text_column(table, row, column).unwrap_or_default();
        match table.name {
            "tenants" => {
                self.tenants += 1;
                let zone = text("time_zone");
                TimeZone::parse(zone).map_err(|_| ArchiveRowFault::Row(format!("time_zone {zone:?}")))?;
            }
            "users" if !password_hash::is_acceptable_hash(text("password_hash")) => {
                let code = match table.column_position("code").and_then(|at| row.get(at)) {
                    Some(SqlScalar::Int(code)) => code.to_string(),
                    _ => "?".to_owned(),
                };
                let problem = wire::refusal::describe_unusable_password(&code, text("email"));
                return Err(ArchiveRowFault::Row(problem));
            }
            // The file under a key is deleted some day, so a key must not point outside the tenant.
            "files" => {
                let key = text("storage_key");
                if !is_file_key(tenant_vault.tenant, key) || !self.keys.insert(key.to_owned()) {
                    return Err(ArchiveRowFault::File(format!("storage_key {key:?}")));
                }
            }
            "logins" => self.names.logins.push(text("email").to_owned()),
            "hosts" if rules.with_hosts => {
                let host = text("host");
                let parsed = hosts::parse_tenant_host(&rules.public_url, host);
                match parsed {
                    Ok(parsed) if parsed.as_str() == host => self.names.hosts.push(host.to_owned()),
                    Ok(_) => return Err(ArchiveRowFault::Row(format!("host {host:?}"))),
                    Err(rejection) => {
                        return Err(ArchiveRowFault::Row(wire::refusal::render_sentence(&rejection)));
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }
}

/// Checks for rows of any table: required columns are present, and keys are unique.
struct TableRowChecks {
    table: &'static ArchiveTable,
    needs: Vec<(usize, ColumnRequirement)>,
    /// How many rows have a value for each of `needs`.
    filled: Vec<u64>,
    key: Vec<usize>,
    last: Option<Vec<i64>>,
    seen: HashSet<u64>,
    hasher: RandomState,
}

impl TableRowChecks {
    fn for_table(table: &'static ArchiveTable) -> TableRowChecks {
        let needs = list_required_columns(table);
        let filled = vec![0; needs.len()];
        let (last, seen_keys, hasher) = (None, HashSet::new(), RandomState::new());
        TableRowChecks { table, needs, filled, key: table.key_positions(), last, seen: seen_keys, hasher }
    }

    fn check_row(&mut self, row: &[SqlScalar]) -> Result<(), String> {
        if row.iter().any(|value| matches!(value, SqlScalar::Text(text) if text.contains('\0'))) {
            return Err("a text with U+0000".to_owned());
        }
        for (column, value) in self.table.columns.iter().zip(row) {
            let is_readable = match value {
                SqlScalar::Text(day) if column.name.ends_with("_on") => Date::from_iso(day).is_some(),
                SqlScalar::Int(cents) if AMOUNTS.contains(&column.name) => *cents >= 0,
                _ => true,
            };
            if !is_readable {
                return Err(format!("{} {value:?}", column.name));
            }
        }
        for ((at, requirement), filled) in self.needs.iter().zip(&mut self.filled) {
            match row.get(*at) {
                None | Some(SqlScalar::Null) if *requirement == ColumnRequirement::Always => {
                    return Err(format!("{} is missing", self.table.columns[*at].name));
                }
                None | Some(SqlScalar::Null) => {}
                Some(_) => *filled += 1,
            }
        }
        self.check_key(row)
    }

    /// Numeric keys must be ascending, as an export writes them. Text keys are sorted differently by each engine, so
    /// their hashes are remembered instead.
    fn check_key(&mut self, row: &[SqlScalar]) -> Result<(), String> {
        if self.key.is_empty() {
            return Ok(());
        }
        let duplicate_key = || "its key came before, or is out of order".to_owned();
        let is_number = |at: &usize| {
            matches!(self.table.columns[*at].kind, ArchiveColumnKind::Int | ArchiveColumnKind::Moment)
        };
        if self.key.iter().all(is_number) {
            let number = |at: &usize| {
                if let Some(SqlScalar::Int(number)) = row.get(*at) { Some(*number) } else { None }
            };
            let numbers: Option<Vec<i64>> = self.key.iter().map(number).collect();
            let numbers = numbers.ok_or_else(|| "a key is missing".to_owned())?;
            let is_next = self.last.as_ref().is_none_or(|last| *last < numbers);
            self.last = Some(numbers);
            return if is_next { Ok(()) } else { Err(duplicate_key()) };
        }
        let values: Vec<String> = self.key.iter().map(|at| format!("{:?}", row.get(*at))).collect();
        if self.seen.insert(self.hasher.hash_one(values)) { Ok(()) } else { Err(duplicate_key()) }
    }

    /// A column added in a later version is present in all rows of an archive or in none.
    fn check_filled_columns(&self, rows: u64) -> Result<(), String> {
        let is_partly_filled = |filled: &u64| *filled != 0 && *filled != rows;
        match self.needs.iter().zip(&self.filled).find(|((_, requirement), filled)| {
            *requirement == ColumnRequirement::AllOrNone && is_partly_filled(filled)
        }) {
            Some(((at, _), _)) => Err(format!("{} is missing in some rows", self.table.columns[*at].name)),
            None => Ok(()),
        }
    }
}
