//! Plans and sellers as an import brings them: known by the code that they keep, else by their document, else by name.

use super::{Doing as Changing, write as save};
use crate::Error;
use crate::importing::{Doing, Undone, Written};
use domain::{ImportKind, ImportProblem, Rejection, fold};
use registers::{Register, Value as Kept};
use serde_json::{Map, Value, json};
use std::fmt;
use storage::imports::{self, LineResult};
use storage::registers::{self as records, Record};
use storage::{Tx, audit, versions};
use wire::read::{Given, Problems};
use wire::register::{self, Sent};

/// A record as a line of a file tells it.
#[derive(Clone)]
pub(crate) struct Row {
    register: &'static Register,
    sent: Sent,
}

impl fmt::Debug for Row {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple(self.register.path).field(&self.sent).finish()
    }
}

fn described(kind: ImportKind) -> Option<&'static Register> {
    registers::find(if kind == ImportKind::Plans { "plano" } else { "vendedor" })
}

impl Row {
    pub fn read(kind: ImportKind, fields: &Map<String, Value>) -> (Option<Row>, Option<Problems>) {
        let Some(register) = described(kind) else { return (None, None) };
        let bytes = Value::Object(fields.clone()).to_string();
        match register::sent(register, bytes.as_bytes()) {
            Ok(sent) => (Some(Row { register, sent }), None),
            Err(unread) => (unread.rest.map(|sent| Row { register, sent: *sent }), Some(unread.problems)),
        }
    }

    fn text(&self, name: &str) -> Option<&str> {
        let (at, _) = self.register.field(name)?;
        match &self.sent.fields[at] {
            Given::Set(Kept::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// What two lines about one record have alike.
    pub fn key(&self) -> Option<String> {
        match (&self.sent.code, self.text("cpfCnpj"), self.text("nome")) {
            (Given::Set(code), ..) => Some(format!("c{code}")),
            (_, Some(document), _) => Some(format!("d{document}")),
            (_, None, Some(name)) => Some(format!("n{}", fold(name))),
            _ => None,
        }
    }
}

/// The record that a line means, if it is there.
async fn meant(tx: &mut Tx, doing: &Doing, row: &Row) -> Result<Option<Record>, Error> {
    if let Given::Set(code) = row.sent.code {
        return Ok(records::find(tx, row.register, &doing.scope, code).await?);
    }
    // These registers are small: they stand in memory.
    let all = records::all(tx, row.register, &doing.scope, &[], None).await?;
    let value = |record: &Record, name: &str| {
        let found = row.register.field(name).map(|(at, _)| &record.values[at]);
        match found {
            Some(Kept::Text(text)) => Some(text.clone()),
            _ => None,
        }
    };
    let (document, name) = (row.text("cpfCnpj"), row.text("nome").map(fold));
    let by_document =
        all.iter().find(|one| document.is_some() && value(one, "cpfCnpj").as_deref() == document);
    let by_name = || {
        let alike = |one: &&Record| {
            value(one, "nome").map(|text| fold(&text)) == name
                && (document.is_none() || value(one, "cpfCnpj").is_none())
        };
        all.iter().filter(|_| name.is_some()).find(alike)
    };
    Ok(by_document.or_else(by_name).cloned())
}

pub(crate) async fn find(tx: &mut Tx, doing: &Doing, row: &Row) -> Result<Option<i32>, Error> {
    Ok(meant(tx, doing, row).await?.map(|record| record.code))
}

pub(crate) async fn write(tx: &mut Tx, doing: &Doing, row: &Row) -> Result<Written, Error> {
    let before = meant(tx, doing, row).await?;
    let mut sent = row.sent.clone();
    if let Some(before) = &before {
        doing.refuse_meant(before.code)?;
        sent.code = Given::Keep;
        sent.version = Given::Set(i32::try_from(before.version).unwrap_or(i32::MAX));
    } else if let Given::Set(code) = sent.code
        && !imports::removed(&mut *tx, doing.scope.tenant(), row.register.table, &[code]).await?.is_empty()
    {
        return Err(Rejection::Import(ImportProblem::Removed).into());
    }
    let changing = Changing {
        register: row.register,
        scope: doing.scope.clone(),
        user: doing.user,
        code: before.as_ref().map(|before| before.code),
        sent,
        zone: doing.registers.zone.clone(),
        now: doing.now,
        sealing: None,
    };
    let saved = Box::pin(save(tx, &changing)).await?.record;
    Ok(match before {
        Some(before) if before.version == saved.version => Written::Same { record: saved.code },
        Some(before) => {
            Written::Changed { record: saved.code, before: snapshot(&before), version: saved.version }
        }
        None => Written::Created { record: saved.code, version: saved.version, joined: None },
    })
}

/// A record as one text.
fn snapshot(record: &Record) -> String {
    let values: Vec<Value> = record
        .values
        .iter()
        .map(|value| match value {
            Kept::Nothing => Value::Null,
            Kept::Number(number) => (*number).into(),
            Kept::Flag(flag) => (*flag).into(),
            Kept::Text(text) => text.as_str().into(),
            Kept::Codes(codes) => json!({ "codes": codes }),
            Kept::Lines(lines) => json!({ "lines": lines }),
        })
        .collect();
    json!({ "values": values, "active": record.active }).to_string()
}

fn from_snapshot(text: &str) -> Option<(Vec<Kept>, bool)> {
    let all: Value = serde_json::from_str(text).ok()?;
    let one = |value: &Value| {
        Some(match value {
            Value::Null => Kept::Nothing,
            Value::Number(number) => Kept::Number(number.as_i64()?),
            Value::Bool(flag) => Kept::Flag(*flag),
            Value::String(text) => Kept::Text(text.clone()),
            // Neither plans nor sellers have lists.
            Value::Array(_) | Value::Object(_) => return None,
        })
    };
    let values: Option<Vec<Kept>> = all["values"].as_array()?.iter().map(one).collect();
    Some((values?, all["active"].as_bool()?))
}

/// Takes back what a line did.
pub(crate) async fn undo(
    tx: &mut Tx,
    doing: &Doing,
    kind: ImportKind,
    line: &LineResult,
) -> Result<Undone, Error> {
    let (tenant, code) = (doing.scope.tenant(), line.record.unwrap_or_default());
    let Some(register) = described(kind) else { return Ok(Undone::Kept("já não existe".into())) };
    let Some(now) = records::find(tx, register, &doing.scope, code).await? else {
        return Ok(Undone::Kept("já não existe, ou está em uma loja que você não acessa".into()));
    };
    if line.version != Some(now.version) {
        return Ok(Undone::Kept("foi alterado depois da importação".into()));
    }
    let (undone, told) = match &line.before {
        None => {
            if let Some(what) = records::named_by(tx, register.table, tenant, code).await? {
                return Ok(Undone::Kept(format!("já tem {what}")));
            }
            records::remove(tx, register, tenant, code).await?;
            tx.batch(vec![imports::remove_code(tenant, register.table, code)]).await?;
            (Undone::Removed, "removido")
        }
        Some(before) => {
            let broken = || storage::Error::Broken("a record is kept that cannot be read".to_owned());
            let (values, active) = from_snapshot(before).ok_or_else(broken)?;
            records::update(tx, register, tenant, (code, &values, active), doing.now).await?;
            (Undone::Restored, "alterado")
        }
    };
    versions::raise_registers(tx, tenant).await?;
    let told = format!("{} {code} {told}: importação desfeita", register.path);
    audit::append(tx, &doing.audited(None, &told)).await?;
    Ok(undone)
}
