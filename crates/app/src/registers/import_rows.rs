//! Import rows of plans and sellers, matched by code, else by document, else by name.

use super::save::{RecordSubmission, write_record};
use crate::Error;
use crate::import_row::{ImportRowOutcome, ImportUndoOutcome, ImportUnitContext};
use domain::{
    AuditedAction, AuditedChange, AuditedRecordKind, ImportKind, ImportProblem, ImportUndoObstacle, Money,
    Rejection, fold_text,
};
use registers::{FieldContent, FieldSpec, FieldType, Register};
use serde_json::{Map, Value, json};
use std::fmt;
use storage::Tx;
use storage::exchange::imports::{self, StoredLineResult};
use storage::history::audit;
use storage::registers::{self as records, StoredRecord};
use storage::server::versions;
use wire::read::{FieldPatch, InputProblems};
use wire::register::{self, RecordInput};

/// A record from a row of an import file.
#[derive(Clone)]
pub struct RegisterImportRow {
    register: &'static Register,
    sent: RecordInput,
}

impl fmt::Debug for RegisterImportRow {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple(self.register.path).field(&self.sent).finish()
    }
}

fn find_import_register(kind: ImportKind) -> Option<&'static Register> {
    registers::find_register(if kind == ImportKind::Plans { "plano" } else { "vendedor" })
}

impl RegisterImportRow {
    pub fn parse(
        kind: ImportKind,
        fields: &Map<String, Value>,
    ) -> (Option<RegisterImportRow>, Option<InputProblems>) {
        let Some(register) = find_import_register(kind) else { return (None, None) };
        match register::read_record_input(register, fields) {
            Ok(input) => (Some(RegisterImportRow { register, sent: input }), None),
            Err(unread) => {
                (unread.rest.map(|input| RegisterImportRow { register, sent: *input }), Some(unread.problems))
            }
        }
    }

    fn text_field(&self, name: &str) -> Option<&str> {
        let (at, _) = self.register.find_field(name)?;
        match &self.sent.fields[at] {
            FieldPatch::Set(FieldContent::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// Equal for two rows about the same record.
    pub fn duplicate_key(&self) -> Option<String> {
        match (&self.sent.code, self.text_field("cpfCnpj"), self.text_field("nome")) {
            (FieldPatch::Set(code), ..) => Some(format!("c{code}")),
            (_, Some(document), _) => Some(format!("d{document}")),
            (_, None, Some(name)) => Some(format!("n{}", fold_text(name))),
            _ => None,
        }
    }
}

/// The existing record a row refers to, if any.
async fn find_matching_record(
    tx: &mut Tx,
    context: &ImportUnitContext,
    row: &RegisterImportRow,
) -> Result<Option<StoredRecord>, Error> {
    if let FieldPatch::Set(code) = row.sent.code {
        return Ok(records::find_record(tx, row.register, &context.scope, code).await?);
    }
    // These registers are small enough to be read completely.
    let all = records::list_records(tx, row.register, &context.scope, &[], None).await?;
    let value = |record: &StoredRecord, name: &str| {
        let found = row.register.find_field(name).map(|(at, _)| &record.values[at]);
        match found {
            Some(FieldContent::Text(text)) => Some(text.clone()),
            _ => None,
        }
    };
    let (document, name) = (row.text_field("cpfCnpj"), row.text_field("nome").map(fold_text));
    let by_document =
        all.iter().find(|one| document.is_some() && value(one, "cpfCnpj").as_deref() == document);
    let by_name = || {
        let alike = |one: &&StoredRecord| {
            value(one, "nome").map(|text| fold_text(&text)) == name
                && (document.is_none() || value(one, "cpfCnpj").is_none())
        };
        all.iter().filter(|_| name.is_some()).find(alike)
    };
    Ok(by_document.or_else(by_name).cloned())
}

#[boxed::future]
pub async fn find_imported_record(
    tx: &mut Tx,
    context: &ImportUnitContext,
    row: &RegisterImportRow,
) -> Result<Option<i32>, Error> {
    Ok(find_matching_record(tx, context, row).await?.map(|record| record.code))
}

#[boxed::future]
pub async fn import_record(
    tx: &mut Tx,
    context: &ImportUnitContext,
    row: &RegisterImportRow,
) -> Result<ImportRowOutcome, Error> {
    let before = find_matching_record(tx, context, row).await?;
    let mut input = row.sent.clone();
    if let Some(before) = &before {
        context.refuse_repeated_record(before.code)?;
        input.code = FieldPatch::Keep;
        input.version = FieldPatch::Set(i32::try_from(before.version).unwrap_or(i32::MAX));
    } else if let FieldPatch::Set(code) = input.code
        && !imports::list_removed_codes(&mut *tx, context.scope.tenant(), row.register.table, &[code])
            .await?
            .is_empty()
    {
        return Err(Rejection::Import(ImportProblem::Removed).into());
    }
    let code = before.as_ref().map(|before| before.code);
    let command =
        context.build_command(RecordSubmission { register: row.register, code, sent: input, sealing: None });
    let saved = Box::pin(write_record(tx, &command)).await?.record;
    Ok(match before {
        Some(before) if before.version == saved.version => ImportRowOutcome::Same { record: saved.code },
        Some(before) => ImportRowOutcome::Changed {
            record: saved.code,
            before: snapshot_record(&before),
            version: saved.version,
        },
        None => ImportRowOutcome::Created { record: saved.code, version: saved.version, joined: None },
    })
}

/// A record as text, for undo.
fn snapshot_record(record: &StoredRecord) -> String {
    let values: Vec<Value> = record
        .values
        .iter()
        .map(|value| match value {
            FieldContent::Nothing => Value::Null,
            FieldContent::Number(number) => (*number).into(),
            FieldContent::Money(money) => money.cents().into(),
            FieldContent::Flag(flag) => (*flag).into(),
            FieldContent::Text(text) => text.as_str().into(),
            FieldContent::Date(date) => date.to_iso().into(),
            FieldContent::Codes(codes) => json!({ "codes": codes }),
            FieldContent::Lines(lines) => json!({ "lines": lines }),
        })
        .collect();
    json!({ "values": values, "active": record.active }).to_string()
}

fn parse_snapshot(register: &Register, text: &str) -> Option<(Vec<FieldContent>, bool)> {
    let all: Value = serde_json::from_str(text).ok()?;
    let one = |(field, value): (&FieldSpec, &Value)| {
        Some(match (field.kind, value) {
            (_, Value::Null) => FieldContent::Nothing,
            (FieldType::Money, Value::Number(cents)) => {
                FieldContent::Money(Money::from_stored_cents(cents.as_i64()?)?)
            }
            (_, Value::Number(number)) => FieldContent::Number(number.as_i64()?),
            (_, Value::Bool(flag)) => FieldContent::Flag(*flag),
            (_, Value::String(text)) => FieldContent::Text(text.clone()),
            // Neither plans nor sellers have dates or list fields.
            (_, Value::Array(_) | Value::Object(_)) => return None,
        })
    };
    let values: Option<Vec<FieldContent>> =
        register.fields.iter().zip(all["values"].as_array()?).map(one).collect();
    Some((values?, all["active"].as_bool()?))
}

/// Undoes the change of an imported row.
#[boxed::future]
pub async fn undo_record_import(
    tx: &mut Tx,
    context: &ImportUnitContext,
    kind: ImportKind,
    line: &StoredLineResult,
) -> Result<ImportUndoOutcome, Error> {
    let (tenant, code) = (context.scope.tenant(), line.record.unwrap_or_default());
    let Some(register) = find_import_register(kind) else {
        return Ok(ImportUndoOutcome::Kept(ImportUndoObstacle::RecordGone));
    };
    let Some(now) = records::find_record(tx, register, &context.scope, code).await? else {
        return Ok(ImportUndoOutcome::Kept(ImportUndoObstacle::RecordGoneOrOtherBranch));
    };
    if line.version != Some(now.version) {
        return Ok(ImportUndoOutcome::Kept(ImportUndoObstacle::ChangedSince));
    }
    let (undone, action) = match &line.before {
        None => {
            if let Some(kind) = records::find_record_reference(tx, register.table, tenant, code).await? {
                return Ok(ImportUndoOutcome::Kept(ImportUndoObstacle::ReferencedBy(kind)));
            }
            records::delete_record(tx, register, tenant, code).await?;
            tx.execute_batch(vec![imports::insert_removed_code(tenant, register.table, code)]).await?;
            (ImportUndoOutcome::Removed, AuditedAction::UndoImport)
        }
        Some(before) => {
            let broken = || storage::Error::Broken("a record is kept that cannot be read".to_owned());
            let (values, active) = parse_snapshot(register, before).ok_or_else(broken)?;
            records::update_record(tx, register, tenant, (code, &values, active), context.now).await?;
            (ImportUndoOutcome::Restored, AuditedAction::UndoImportUpdate)
        }
    };
    versions::raise_registers_version(tx, tenant).await?;
    let change = AuditedChange::new(action, AuditedRecordKind::Register(register.path.into()), code);
    audit::append_audit_entry(tx, &context.audit_entry(None, change)).await?;
    Ok(undone)
}
