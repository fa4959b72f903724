//! Import rows of registers, matched by code, else by the fields that identify a record, else by document or name.

use super::rules;
use super::save::{RecordSubmission, write_record};
use crate::Error;
use crate::import_row::{ImportRowOutcome, ImportUndoOutcome, ImportUnitContext};
use domain::finance::TablePrice;
use domain::{
    AuditedAction, AuditedChange, AuditedRecordKind, ImportKind, ImportProblem, ImportUndoObstacle,
    RegisterProblem, Rejection, TenantId, fold_text,
};
use registers::{FieldContent, FieldRequirement, FieldSpec, Register};
use serde_json::{Map, Value};
use std::fmt;
use storage::Tx;
use storage::exchange::imports::{self, StoredLineResult};
use storage::history::audit;
use storage::registers::{self as records, FieldCondition, StoredRecord};
use storage::server::versions;
use wire::import_sheet::find_import_register;
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

/// The fields that together identify a record, where its name does not.
fn list_identity_fields(register: &Register) -> &'static [&'static str] {
    match register.path {
        "tabelaPreco" => &["codPlano", "validoDesde", "codLoja", "codTipoVeiculo", "valorDe", "valorAte"],
        "feriado" => &["data"],
        _ => &[],
    }
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

    /// The values of these fields, nothing where the row has none; `None` without a value that every record has.
    fn list_identity(&self, names: &[&str]) -> Option<Vec<(&'static FieldSpec, FieldContent)>> {
        let identity = names.iter().filter_map(|name| self.register.find_field(name)).map(|(at, field)| {
            match &self.sent.fields[at] {
                FieldPatch::Set(value) => Some((field, value.clone())),
                _ if field.need == FieldRequirement::Required => None,
                _ => Some((field, FieldContent::Nothing)),
            }
        });
        identity.collect()
    }

    /// The price that the row puts into the price table, if it does and is not out of use. What a row with a code leaves
    /// out is known only to the stored price.
    pub fn table_price(&self) -> Option<TablePrice> {
        let names = list_identity_fields(self.register);
        let mut sent = names
            .iter()
            .filter_map(|name| self.register.find_field(name))
            .map(|(at, _)| &self.sent.fields[at]);
        let is_partial =
            matches!(self.sent.code, FieldPatch::Set(_)) && sent.any(|patch| *patch == FieldPatch::Keep);
        if is_partial || self.sent.active == FieldPatch::Set(false) {
            return None;
        }
        let value = |patch: &FieldPatch<FieldContent>| match patch {
            FieldPatch::Set(value) => value.clone(),
            FieldPatch::Keep | FieldPatch::Clear => FieldContent::Nothing,
        };
        let values: Vec<FieldContent> = self.sent.fields.iter().map(value).collect();
        registers::read_table_price(self.register, &values)
    }

    /// Equal for two rows about the same record.
    pub fn duplicate_key(&self) -> Option<String> {
        let identity_fields = list_identity_fields(self.register);
        if !identity_fields.is_empty() && !matches!(self.sent.code, FieldPatch::Set(_)) {
            let values = self.list_identity(identity_fields)?.into_iter().map(|(_, value)| value);
            return Some(format!("f{:?}", values.collect::<Vec<_>>()));
        }
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
    let identity_fields = list_identity_fields(row.register);
    if !identity_fields.is_empty() {
        return find_identical_record(tx, context, row, identity_fields).await;
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
        all.iter().filter(|one| document.is_some() && value(one, "cpfCnpj").as_deref() == document);
    if let Some(found) = choose_match(by_document, true)? {
        return Ok(Some(found.clone()));
    }
    let has_name = |one: &&StoredRecord| {
        name.is_some()
            && value(one, "nome").map(|text| fold_text(&text)) == name
            && (document.is_none() || value(one, "cpfCnpj").is_none())
    };
    let is_unique = row.register.unique.iter().any(|unique| unique.fields == ["nome"]);
    let takes_retired = is_unique || matches!(row.sent.active, FieldPatch::Set(_));
    Ok(choose_match(all.iter().filter(has_name), takes_retired)?.cloned())
}

/// The only record in use; where there is none, the only other one, if that may be meant.
fn choose_match<'r>(
    found: impl Iterator<Item = &'r StoredRecord>,
    takes_retired: bool,
) -> Result<Option<&'r StoredRecord>, Error> {
    let (active, retired): (Vec<_>, Vec<_>) = found.partition(|one| one.active);
    match (&active[..], &retired[..]) {
        ([one], _) => Ok(Some(*one)),
        ([], [one]) if takes_retired => Ok(Some(*one)),
        ([], others) if others.is_empty() || !takes_retired => Ok(None),
        _ => Err(Rejection::Import(ImportProblem::ManyRecords).into()),
    }
}

/// The record with the same values in these fields. Of several, the one in use; others are no obstacle to a new one,
/// unless the values must be unique.
async fn find_identical_record(
    tx: &mut Tx,
    context: &ImportUnitContext,
    row: &RegisterImportRow,
    identity_fields: &[&str],
) -> Result<Option<StoredRecord>, Error> {
    let Some(identity) = row.list_identity(identity_fields) else { return Ok(None) };
    let conditions: Vec<FieldCondition<'_>> = identity.iter().map(|(field, value)| (*field, value)).collect();
    let found = records::list_records(tx, row.register, &context.scope, &conditions, None).await?;
    let is_unique = row.register.unique.iter().any(|unique| unique.fields == identity_fields);
    let takes_retired = is_unique || row.sent.active == FieldPatch::Set(false);
    let retired = if takes_retired { found.first() } else { None };
    Ok(found.iter().find(|one| one.active).or(retired).cloned())
}

#[boxed::future]
pub async fn find_imported_record(
    tx: &mut Tx,
    context: &ImportUnitContext,
    row: &RegisterImportRow,
) -> Result<Option<i32>, Error> {
    match find_matching_record(tx, context, row).await {
        Err(Error::Refused(_)) => Ok(None),
        found => Ok(found?.map(|record| record.code)),
    }
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
            before: records::encode_record_snapshot(&before),
            version: saved.version,
        },
        None => ImportRowOutcome::Created { record: saved.code, version: saved.version, joined: None },
    })
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
            rules::revert_related_records(tx, register, (tenant, code), None).await?;
            records::delete_record(tx, register, tenant, code).await?;
            tx.execute_batch(vec![imports::insert_removed_code(tenant, register.table, code)]).await?;
            (ImportUndoOutcome::Removed, AuditedAction::UndoImport)
        }
        Some(before) => {
            let (values, active) = records::parse_record_snapshot(register, before)?;
            let conflicts = find_restore_conflicts(tx, register, tenant, (code, &values, active)).await?;
            if !conflicts.is_empty() {
                return Ok(ImportUndoOutcome::Kept(ImportUndoObstacle::Refused(conflicts)));
            }
            rules::revert_related_records(tx, register, (tenant, code), Some((&values[..], active))).await?;
            records::update_record(tx, register, tenant, (code, &values, active), context.now).await?;
            (ImportUndoOutcome::Restored, AuditedAction::UndoImportUpdate)
        }
    };
    versions::raise_registers_version(tx, tenant).await?;
    let change = AuditedChange::new(action, AuditedRecordKind::Register(register.path.into()), code);
    audit::append_audit_entry(tx, &context.audit_entry(None, change)).await?;
    Ok(undone)
}

/// What took the place of a record that is about to get its earlier values back.
async fn find_restore_conflicts(
    tx: &mut Tx,
    register: &'static Register,
    tenant: TenantId,
    (code, values, active): (i32, &[FieldContent], bool),
) -> Result<Vec<Rejection>, Error> {
    let mut conflicts = Vec::new();
    for unique in register.unique {
        let other = records::find_duplicate_record(tx, register, tenant, unique, values, Some(code)).await?;
        if let (Some(other), Some(&field)) = (other, unique.fields.first()) {
            let problem = RegisterProblem::Taken { what: register.words.the_one, code: other };
            conflicts.push(Rejection::Register { field, problem });
        }
    }
    let problems = rules::find_conflicts_in_force(tx, register, tenant, (Some(code), values, active)).await?;
    conflicts.extend(problems.into_iter().map(|(field, problem)| Rejection::Register { field, problem }));
    Ok(conflicts)
}
