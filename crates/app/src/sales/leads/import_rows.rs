//! Import of leads: matched by document, else e-mail, else phone, like any other save.

use super::LeadBranchSource;
use super::persist::store_lead;
use super::save::prepare_lead;
use crate::Error;
use crate::import_row::{ImportRowOutcome, ImportUndoOutcome, ImportUnitContext, take_number_field};
use crate::members::parse_telephone;
use domain::{
    AuditedAction, AuditedChange, AuditedRecordKind, ImportProblem, ImportUndoObstacle, InputField, Lead,
    LeadCode, PersonProfile, Phone, ReferenceKind, Rejection, fold_text, merge_telephones,
};
use serde_json::{Map, Value, json};
use storage::Tx;
use storage::exchange::imports::{self, StoredLineResult};
use storage::history::audit;
use storage::members;
use storage::members::phones;
use storage::sales::leads;
use storage::server::counters::{self, Counter};
use wire::read::FieldPatch;
use wire::records::LeadInput;

/// One row of an imported file.
#[derive(Clone, Debug)]
pub struct LeadImportRow {
    pub input: LeadInput,
    /// The prescribed code.
    pub code: Option<LeadCode>,
}

impl LeadImportRow {
    pub fn take_lead_code(fields: &mut Map<String, Value>) -> Option<LeadCode> {
        take_number_field(fields, "codLead").map(LeadCode::new)
    }

    /// Two rows about the same lead have the same key.
    pub fn duplicate_key(&self) -> Option<String> {
        let contact = &self.input.contact;
        match (&contact.document, &contact.email, &contact.phones) {
            (FieldPatch::Set(document), ..) => Some(document.as_str().to_owned()),
            (_, FieldPatch::Set(email), _) => Some(email.as_str().to_owned()),
            (_, _, FieldPatch::Set(phones)) => {
                let numbers: Vec<Phone> =
                    phones.iter().filter_map(parse_telephone).map(|one| one.number).collect();
                let complete = numbers.iter().find(|number| !number.lacks_area_code());
                // Without its area code a number leads only to a lead of the same name.
                let name = [&contact.name, &contact.person_name].into_iter().find_map(|name| match name {
                    FieldPatch::Set(name) => Some(fold_text(name.as_str())),
                    _ => None,
                });
                let with_name = |number: &Phone| format!("{} {}", number.as_str(), name.unwrap_or_default());
                complete.map(|number| number.as_str().to_owned()).or_else(|| numbers.first().map(with_name))
            }
            _ => None,
        }
    }
}

/// Validates a row and finds the lead it belongs to.
async fn prepare_import(
    tx: &mut Tx,
    context: &ImportUnitContext,
    row: &LeadImportRow,
) -> Result<super::save::PreparedLead, Error> {
    let (actor_context, mut problems) = (context.change_context(), Vec::new());
    let mut contact = row.input.contact.clone();
    let default_branch = context.branch.map_or(FieldPatch::Keep, FieldPatch::Set);
    let branch_source = match row.input.branch {
        FieldPatch::Keep => LeadBranchSource::NewLeadOnly(&default_branch),
        _ => LeadBranchSource::AnyLead(&row.input.branch),
    };
    // A phone list in the API replaces all phones; in an import it replaces only phones of the same kind.
    let given_phones = contact
        .phones
        .clone()
        .into_set()
        .map(|all| all.iter().filter_map(parse_telephone).collect::<Vec<_>>());
    if let Some(given_phones) = given_phones {
        let known =
            prepare_lead(tx, &actor_context, &context.scope, (&contact, branch_source), &mut Vec::new())
                .await?;
        let old_phones = match (&known.before, &known.person) {
            (None, _) => Vec::new(),
            (_, Some((code, one))) if !one.is_member => {
                phones::list_phones(&mut *tx, context.scope.tenant(), *code).await?
            }
            (Some((_, lead)), _) => super::save::list_first_phones(lead),
        };
        contact.phones = FieldPatch::Set(
            merge_telephones(&given_phones, &old_phones).iter().map(build_phone_input).collect(),
        );
    }
    let mut prepared =
        prepare_lead(tx, &actor_context, &context.scope, (&contact, branch_source), &mut problems).await?;
    if let Some(code) = row.code {
        match &prepared.before {
            Some((known, _)) if *known != code => {
                problems.push(Rejection::CodeTaken { field: InputField::Lead, code: known.get() });
            }
            Some(_) => {}
            None if leads::find_lead(&mut *tx, context.scope.tenant(), code).await?.is_some() => {
                problems.push(Rejection::CodeTaken { field: InputField::Lead, code: code.get() });
            }
            None => {
                let removed =
                    imports::list_removed_codes(&mut *tx, context.scope.tenant(), "lead", &[code.get()])
                        .await?;
                problems.extend((!removed.is_empty()).then_some(Rejection::Import(ImportProblem::Removed)));
            }
        }
    }
    if !problems.is_empty() {
        return Err(Error::Refused(problems));
    }
    prepared.preset_code = row.code.filter(|_| prepared.before.is_none());
    Ok(prepared)
}

fn build_phone_input(phone: &domain::ContactPhone) -> wire::records::TelefoneInput {
    wire::records::TelefoneInput {
        country: FieldPatch::Keep,
        number: FieldPatch::Set(phone.number.clone()),
        kind: FieldPatch::Set(phone.kind),
    }
}

#[boxed::future]
pub async fn find_imported_lead(
    tx: &mut Tx,
    context: &ImportUnitContext,
    row: &LeadImportRow,
) -> Result<Option<i32>, Error> {
    match Box::pin(prepare_import(tx, context, row)).await {
        Ok(prepared) => Ok(prepared.before.map(|(code, _)| code.get())),
        Err(Error::Refused(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

#[boxed::future]
pub async fn import_lead(
    tx: &mut Tx,
    context: &ImportUnitContext,
    row: &LeadImportRow,
) -> Result<ImportRowOutcome, Error> {
    let tenant = context.scope.tenant();
    let prepared = Box::pin(prepare_import(tx, context, row)).await?;
    let before = match &prepared.before {
        Some((code, lead)) => {
            context.refuse_repeated_record(code.get())?;
            Some(snapshot_lead(tx, context, lead).await?)
        }
        None => None,
    };
    let saved = Box::pin(store_lead(tx, &context.change_context(), &context.scope, prepared)).await?;
    let record = saved.code.get();
    // Reads the version back from the database.
    let current = leads::find_lead(&mut *tx, tenant, saved.code).await?;
    let version = current.map_or(saved.lead.version, |lead| lead.version);
    Ok(match before {
        Some(_) if !saved.changed => ImportRowOutcome::Same { record },
        Some(before) => ImportRowOutcome::Changed { record, before, version },
        None => ImportRowOutcome::Created { record, version, joined: None },
    })
}

/// Snapshot of a lead and, unless they are a member, of their person.
async fn snapshot_lead(tx: &mut Tx, context: &ImportUnitContext, lead: &Lead) -> Result<String, Error> {
    let tenant = context.scope.tenant();
    let person = members::find_person(&mut *tx, tenant, lead.person).await?.filter(|one| !one.is_member);
    let person = match person {
        Some(person) => {
            let old_phones = phones::list_phones(&mut *tx, tenant, lead.person).await?;
            Value::String(members::encode_person_snapshot(&person, &old_phones))
        }
        None => Value::Null,
    };
    Ok(json!({ "lead": leads::encode_lead_snapshot(lead), "person": person }).to_string())
}

/// Undoes the effect of an import row, unless the lead has changed since.
#[boxed::future]
pub async fn undo_lead_import(
    tx: &mut Tx,
    context: &ImportUnitContext,
    line: &StoredLineResult,
) -> Result<ImportUndoOutcome, Error> {
    let tenant = context.scope.tenant();
    let code = LeadCode::new(line.record.unwrap_or_default());
    let Some(current) = leads::find_lead(&mut *tx, tenant, code).await? else {
        return Ok(ImportUndoOutcome::Kept(ImportUndoObstacle::RecordGone));
    };
    if !context.scope.can_see(current.branch) {
        return Ok(ImportUndoOutcome::Kept(ImportUndoObstacle::OtherBranch));
    }
    if line.version != Some(current.version) {
        return Ok(ImportUndoOutcome::Kept(ImportUndoObstacle::ChangedSince));
    }
    match &line.before {
        None => Box::pin(remove_imported_lead(tx, context, code, &current)).await,
        Some(before) => Box::pin(restore_lead(tx, context, code, &current, before)).await,
    }
}

async fn remove_imported_lead(
    tx: &mut Tx,
    context: &ImportUnitContext,
    code: LeadCode,
    current: &Lead,
) -> Result<ImportUndoOutcome, Error> {
    let tenant = context.scope.tenant();
    if leads::has_deal(tx, tenant, code).await? {
        return Ok(ImportUndoOutcome::Kept(ImportUndoObstacle::ReferencedBy(ReferenceKind::Deals)));
    }
    tx.execute_batch(leads::delete_lead(tenant, code)).await?;
    // Also deletes the person if they came with the lead and nothing else refers to them.
    let person = members::find_person(&mut *tx, tenant, current.person).await?;
    let came_with_lead = person.is_some_and(|one| !one.is_member && one.created_at == current.created_at);
    if came_with_lead && members::find_person_reference(tx, tenant, current.person).await?.is_none() {
        tx.execute_batch(members::delete_person(tenant, current.person)).await?;
    }
    audit::append_audit_entry(
        tx,
        &context.audit_entry(
            None,
            AuditedChange::new(AuditedAction::UndoImport, AuditedRecordKind::Lead, code.get()),
        ),
    )
    .await?;
    Ok(ImportUndoOutcome::Removed)
}

async fn restore_lead(
    tx: &mut Tx,
    context: &ImportUnitContext,
    code: LeadCode,
    current: &Lead,
    before: &str,
) -> Result<ImportUndoOutcome, Error> {
    let tenant = context.scope.tenant();
    let broken = || storage::Error::Broken("a lead is kept that cannot be read".to_owned());
    let all: Value = serde_json::from_str(before).map_err(|_| broken())?;
    let before = leads::parse_lead_snapshot(all["lead"].as_str().ok_or_else(broken)?)?;
    let after =
        Lead { created_at: current.created_at, updated_at: context.now, version: current.version, ..before };
    let changes = super::change::compare_leads(current, &after);
    let count = i32::try_from(changes.len()).unwrap_or(i32::MAX);
    let [first] = counters::reserve_number_blocks(tx, tenant, [(Counter::FieldChange, count)]).await?;
    let mut statements = leads::update_lead(tenant, code, current, &after);
    statements.extend(context.change_context().field_change_statements(
        wire::field_differences::LEAD,
        code.get(),
        first,
        changes,
    ));
    tx.execute_batch(statements).await?;
    let person = members::find_person(&mut *tx, tenant, after.person).await?.filter(|one| !one.is_member);
    if let (Some(person), Some(text)) = (person, all["person"].as_str()) {
        let (restored, old_phones) = members::parse_person_snapshot(text)?;
        let restored = PersonProfile { created_at: person.created_at, updated_at: context.now, ..restored };
        members::update_person(tx, tenant, after.person, &restored).await?;
        phones::replace_phones(tx, tenant, after.person, &old_phones).await?;
    }
    let change = AuditedChange::new(AuditedAction::UndoImportUpdate, AuditedRecordKind::Lead, code.get());
    audit::append_audit_entry(tx, &context.audit_entry(Some(after.person), change)).await?;
    Ok(ImportUndoOutcome::Restored)
}
