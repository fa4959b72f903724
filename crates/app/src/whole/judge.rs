//! Judging an archive before anything of it is written: whoever is refused half way leaves half an association behind. Every
//! row is read as it will be written, every part of a file is one that a row names, and nothing in it asks for more than
//! one of ours would. What only the database can tell (a row that refers to none) is left to it.

use super::archive::Archive;
use super::record::{self, Safe};
use super::{DATA, FILES, WholeError};
use crate::files::is_key;
use crate::files::moving::key_of_part;
use crate::passwords;
use crate::tenants::hosts;
use domain::{Chance, TimeZone};
use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use storage::Value;
use storage::whole::{Kind, Need, Table, needs, tables};

/// By what an archive is judged.
pub struct Rules {
    /// The server's own address, whose host is nobody's.
    pub public_url: String,
    pub with_hosts: bool,
}

/// What must not be anybody else's on this server.
#[derive(Clone, Debug, Default)]
pub struct Names {
    pub logins: Vec<String>,
    pub hosts: Vec<String>,
}

/// Reads all of an archive; gives the names that it wants. `tell` is told how many rows were judged.
pub fn judge(
    archive: &Archive,
    by: (&Safe, &dyn Chance),
    rules: &Rules,
    tell: &dyn Fn(u64),
) -> Result<Names, WholeError> {
    let mut found = Found::default();
    let mut judged = 0;
    for table in tables() {
        let mut checks = Checks::of(table);
        let mut rows = 0;
        archive.each_row(table, by, |line, row| {
            rows += 1;
            let bad = |cause| bad_row(table, line, cause);
            checks.row(&row).map_err(bad)?;
            found.take(table, &row, by.0, rules).map_err(|fault| match fault {
                Fault::Row(cause) => bad(cause),
                Fault::File(cause) => WholeError::Damaged { path: path_of(table), cause },
            })
        })?;
        checks.end(rows).map_err(|cause| WholeError::Damaged { path: path_of(table), cause })?;
        judged += rows;
        tell(judged);
    }
    let tenants = path_of(&tables()[0]);
    if found.tenants != 1 {
        let cause = format!("{} associations, not one", found.tenants);
        return Err(WholeError::Damaged { path: tenants, cause });
    }
    judge_parts(archive, by.0, &found.keys)?;
    Ok(found.names)
}

/// Every part is of a file that a row names: what is put can be found again, and removed.
fn judge_parts(archive: &Archive, safe: &Safe, keys: &HashSet<String>) -> Result<(), WholeError> {
    archive.attached(0, |one| {
        let name = one.path.strip_prefix(FILES).unwrap_or_default();
        let is_known = key_of_part(safe.tenant, name).is_some_and(|key| keys.contains(key));
        if !is_known {
            let cause = "a part of a file that no row names".to_owned();
            return Err(WholeError::Damaged { path: one.path, cause });
        }
        Archive::check_length(&one)
    })
}

fn path_of(table: &Table) -> String {
    format!("{DATA}{}.jsonl", table.name)
}

fn bad_row(table: &Table, line: u64, cause: String) -> WholeError {
    WholeError::BadRow { path: path_of(table), line, cause }
}

enum Fault {
    Row(String),
    /// Of the file as a whole, for it cannot come from an export.
    File(String),
}

#[derive(Default)]
struct Found {
    names: Names,
    /// The keys of attached files.
    keys: HashSet<String>,
    tenants: u64,
}

impl Found {
    fn take(&mut self, table: &Table, row: &[Value], safe: &Safe, rules: &Rules) -> Result<(), Fault> {
        let text = |column: &str| record::text(table, row, column).unwrap_or_default();
        match table.name {
            "tenants" => {
                self.tenants += 1;
                let zone = text("time_zone");
                TimeZone::parse(zone).map_err(|_| Fault::Row(format!("time_zone {zone:?}")))?;
            }
            "users" if !passwords::is_acceptable(text("password_hash")) => {
                let code = match table.place("code").and_then(|at| row.get(at)) {
                    Some(Value::Int(code)) => code.to_string(),
                    _ => "?".to_owned(),
                };
                return Err(Fault::Row(format!(
                    "a senha do usuário {code} ({}) não está cifrada como este servidor aceita (Argon2id, com até 64 MiB de memória, \
                     4 passagens e 4 linhas)",
                    text("email")
                )));
            }
            // What is under a key is removed one day: none may lead elsewhere.
            "files" => {
                let key = text("storage_key");
                if !is_key(safe.tenant, key) || !self.keys.insert(key.to_owned()) {
                    return Err(Fault::File(format!("storage_key {key:?}")));
                }
            }
            "logins" => self.names.logins.push(text("email").to_owned()),
            "hosts" if rules.with_hosts => {
                let host = text("host");
                let parsed = hosts::parse(&rules.public_url, host);
                match parsed {
                    Ok(parsed) if parsed.as_str() == host => self.names.hosts.push(host.to_owned()),
                    Ok(_) => return Err(Fault::Row(format!("host {host:?}"))),
                    Err(rejection) => return Err(Fault::Row(wire::refusal::sentence(&rejection))),
                }
            }
            _ => {}
        }
        Ok(())
    }
}

/// What holds for the rows of any table: what must be there is, and no key comes twice.
struct Checks {
    table: &'static Table,
    needs: Vec<(usize, Need)>,
    /// How many rows fill each of those.
    filled: Vec<u64>,
    key: Vec<usize>,
    last: Option<Vec<i64>>,
    seen: HashSet<u64>,
    hasher: RandomState,
}

impl Checks {
    fn of(table: &'static Table) -> Checks {
        let needs = needs(table);
        let filled = vec![0; needs.len()];
        let (last, seen, hasher) = (None, HashSet::new(), RandomState::new());
        Checks { table, needs, filled, key: table.key_places(), last, seen, hasher }
    }

    fn row(&mut self, row: &[Value]) -> Result<(), String> {
        if row.iter().any(|value| matches!(value, Value::Text(text) if text.contains('\0'))) {
            return Err("a text with U+0000".to_owned());
        }
        for ((at, need), filled) in self.needs.iter().zip(&mut self.filled) {
            match row.get(*at) {
                None | Some(Value::Null) if *need == Need::Always => {
                    return Err(format!("{} is missing", self.table.columns[*at].name));
                }
                None | Some(Value::Null) => {}
                Some(_) => *filled += 1,
            }
        }
        self.key(row)
    }

    /// Numbers come in their order, as an export writes them; of texts, whose order is each engine's own, all are kept in
    /// mind.
    fn key(&mut self, row: &[Value]) -> Result<(), String> {
        if self.key.is_empty() {
            return Ok(());
        }
        let twice = || "its key came before, or is out of order".to_owned();
        let is_number = |at: &usize| matches!(self.table.columns[*at].kind, Kind::Int | Kind::Moment);
        if self.key.iter().all(is_number) {
            let number =
                |at: &usize| if let Some(Value::Int(number)) = row.get(*at) { Some(*number) } else { None };
            let numbers: Option<Vec<i64>> = self.key.iter().map(number).collect();
            let numbers = numbers.ok_or_else(|| "a key is missing".to_owned())?;
            let is_next = self.last.as_ref().is_none_or(|last| *last < numbers);
            self.last = Some(numbers);
            return if is_next { Ok(()) } else { Err(twice()) };
        }
        let values: Vec<String> = self.key.iter().map(|at| format!("{:?}", row.get(*at))).collect();
        if self.seen.insert(self.hasher.hash_one(values)) { Ok(()) } else { Err(twice()) }
    }

    /// A column that came later is in all rows of an archive, or in none.
    fn end(&self, rows: u64) -> Result<(), String> {
        let half = |filled: &u64| *filled != 0 && *filled != rows;
        match self
            .needs
            .iter()
            .zip(&self.filled)
            .find(|((_, need), filled)| *need == Need::AllOrNone && half(filled))
        {
            Some(((at, _), _)) => Err(format!("{} is missing in some rows", self.table.columns[*at].name)),
            None => Ok(()),
        }
    }
}
