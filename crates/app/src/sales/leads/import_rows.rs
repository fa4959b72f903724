//! Import of leads: matched by document, else e-mail, else phone, like any other save.

use super::{LeadBranchSource, StoredLead, prepare_lead, store_lead as save};
use crate::Error;
use crate::import_row::{ImportRowOutcome, ImportUndoOutcome, ImportUnitContext, take_number_field};
use crate::members::import_rows::merge_telephones;
use crate::members::parse_telephone;
use domain::{ImportProblem, InputField, LeadCode, Rejection};
use serde_json::{Map, Value, json};
use storage::Tx;
use storage::exchange::imports::{self, StoredLineResult};
use storage::history::audit;
use storage::members::phones;
use storage::members::{self, PersonProfile};
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
                phones.iter().filter_map(parse_telephone).next().map(|one| one.number.as_str().to_owned())
            }
            _ => None,
        }
    }
}

/// Validates a row and finds the lead it belongs to.
async fn prepare_import(
    tx: &mut Tx,
    doing: &ImportUnitContext,
    row: &LeadImportRow,
) -> Result<super::PreparedLead, Error> {
    let (acting, mut problems) = (doing.change_context(), Vec::new());
    let mut contact = row.input.contact.clone();
    let elsewhere = doing.branch.map_or(FieldPatch::Keep, FieldPatch::Set);
    let store = match row.input.branch {
        FieldPatch::Keep => LeadBranchSource::NewLeadOnly(&elsewhere),
        _ => LeadBranchSource::AnyLead(&row.input.branch),
    };
    // A phone list in the API replaces all phones; in an import it replaces only phones of the same kind.
    let given = contact
        .phones
        .clone()
        .into_set()
        .map(|all| all.iter().filter_map(parse_telephone).collect::<Vec<_>>());
    if let Some(given) = given {
        let known = prepare_lead(tx, &acting, &doing.scope, (&contact, store), &mut Vec::new()).await?;
        let had = match (&known.before, &known.person) {
            (None, _) => Vec::new(),
            (_, Some((code, one))) if !one.is_member => {
                phones::list_phones(&mut *tx, doing.scope.tenant(), *code).await?
            }
            (Some((_, lead)), _) => super::list_first_phones(lead),
        };
        contact.phones =
            FieldPatch::Set(merge_telephones(&given, &had).iter().map(build_phone_input).collect());
    }
    let mut ready = prepare_lead(tx, &acting, &doing.scope, (&contact, store), &mut problems).await?;
    if let Some(code) = row.code {
        match &ready.before {
            Some((known, _)) if *known != code => {
                problems.push(Rejection::CodeTaken { field: InputField::Lead, code: known.get() });
            }
            Some(_) => {}
            None if leads::find_lead(&mut *tx, doing.scope.tenant(), code).await?.is_some() => {
                problems.push(Rejection::CodeTaken { field: InputField::Lead, code: code.get() });
            }
            None => {
                let removed =
                    imports::list_removed_codes(&mut *tx, doing.scope.tenant(), "lead", &[code.get()])
                        .await?;
                problems.extend((!removed.is_empty()).then_some(Rejection::Import(ImportProblem::Removed)));
            }
        }
    }
    if !problems.is_empty() {
        return Err(Error::Refused(problems));
    }
    ready.kept = row.code.filter(|_| ready.before.is_none());
    Ok(ready)
}

fn build_phone_input(one: &phones::StoredPhone) -> wire::records::TelefoneInput {
    wire::records::TelefoneInput {
        country: FieldPatch::Keep,
        number: FieldPatch::Set(one.number.clone()),
        kind: FieldPatch::Set(one.kind),
    }
}

pub async fn find_imported_lead(
    tx: &mut Tx,
    doing: &ImportUnitContext,
    row: &LeadImportRow,
) -> Result<Option<i32>, Error> {
    match Box::pin(prepare_import(tx, doing, row)).await {
        Ok(ready) => Ok(ready.before.map(|(code, _)| code.get())),
        Err(Error::Refused(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

pub async fn import_lead(
    tx: &mut Tx,
    doing: &ImportUnitContext,
    row: &LeadImportRow,
) -> Result<ImportRowOutcome, Error> {
    let tenant = doing.scope.tenant();
    let ready = Box::pin(prepare_import(tx, doing, row)).await?;
    let before = match &ready.before {
        Some((code, lead)) => {
            doing.refuse_repeated_record(code.get())?;
            Some(snapshot_lead(tx, doing, lead).await?)
        }
        None => None,
    };
    let saved = Box::pin(save(tx, &doing.change_context(), &doing.scope, ready)).await?;
    let record = saved.code.get();
    // Reads the version back from the database.
    let now = leads::find_lead(&mut *tx, tenant, saved.code).await?;
    let version = now.map_or(saved.lead.version, |lead| lead.version);
    Ok(match before {
        Some(_) if !saved.changed => ImportRowOutcome::Same { record },
        Some(before) => ImportRowOutcome::Changed { record, before, version },
        None => ImportRowOutcome::Created { record, version, joined: None },
    })
}

/// Snapshot of a lead and, unless they are a member, of their person.
async fn snapshot_lead(tx: &mut Tx, doing: &ImportUnitContext, lead: &StoredLead) -> Result<String, Error> {
    let tenant = doing.scope.tenant();
    let person = members::find_person(&mut *tx, tenant, lead.person).await?.filter(|one| !one.is_member);
    let person = match person {
        Some(person) => {
            let had = phones::list_phones(&mut *tx, tenant, lead.person).await?;
            Value::String(members::encode_person_snapshot(&person, &had))
        }
        None => Value::Null,
    };
    Ok(json!({ "lead": leads::encode_lead_snapshot(lead), "person": person }).to_string())
}

/// Undoes the effect of an import row, unless the lead has changed since.
pub async fn undo_lead_import(
    tx: &mut Tx,
    doing: &ImportUnitContext,
    line: &StoredLineResult,
) -> Result<ImportUndoOutcome, Error> {
    let tenant = doing.scope.tenant();
    let code = LeadCode::new(line.record.unwrap_or_default());
    let Some(now) = leads::find_lead(&mut *tx, tenant, code).await? else {
        return Ok(ImportUndoOutcome::Kept("já não existe".into()));
    };
    if !doing.scope.can_see(now.branch) {
        return Ok(ImportUndoOutcome::Kept("está em uma loja que você não acessa".into()));
    }
    if line.version != Some(now.version) {
        return Ok(ImportUndoOutcome::Kept("foi alterado depois da importação".into()));
    }
    match &line.before {
        None => Box::pin(remove_imported_lead(tx, doing, code, &now)).await,
        Some(before) => Box::pin(restore_lead(tx, doing, code, &now, before)).await,
    }
}

async fn remove_imported_lead(
    tx: &mut Tx,
    doing: &ImportUnitContext,
    code: LeadCode,
    now: &StoredLead,
) -> Result<ImportUndoOutcome, Error> {
    let tenant = doing.scope.tenant();
    if leads::has_deal(tx, tenant, code).await? {
        return Ok(ImportUndoOutcome::Kept("já tem negócios".into()));
    }
    tx.execute_batch(leads::delete_lead(tenant, code)).await?;
    // Also deletes the person if they came with the lead and nothing else refers to them.
    let person = members::find_person(&mut *tx, tenant, now.person).await?;
    let came = person.is_some_and(|one| !one.is_member && one.created_at == now.created_at);
    if came && members::find_person_reference(tx, tenant, now.person).await?.is_none() {
        tx.execute_batch(members::delete_person(tenant, now.person)).await?;
    }
    audit::append_audit_entry(
        tx,
        &doing.audit_entry(None, &format!("lead {code} removido: importação desfeita")),
    )
    .await?;
    Ok(ImportUndoOutcome::Removed)
}

async fn restore_lead(
    tx: &mut Tx,
    doing: &ImportUnitContext,
    code: LeadCode,
    now: &StoredLead,
    before: &str,
) -> Result<ImportUndoOutcome, Error> {
    let tenant = doing.scope.tenant();
    let broken = || storage::Error::Broken("a lead is kept that cannot be read".to_owned());
    let all: Value = serde_json::from_str(before).map_err(|_| broken())?;
    let before = leads::parse_lead_snapshot(all["lead"].as_str().ok_or_else(broken)?)?;
    let after =
        StoredLead { created_at: now.created_at, updated_at: doing.now, version: now.version, ..before };
    let changes = super::manage::compare_leads(now, &after);
    let count = i32::try_from(changes.len()).unwrap_or(i32::MAX);
    let [first] = counters::reserve_number_blocks(tx, tenant, [(Counter::FieldChange, count)]).await?;
    let mut statements = leads::update_lead(tenant, code, now, &after);
    statements.extend(doing.change_context().field_change_statements(
        crate::situations::LEAD,
        code.get(),
        first,
        changes,
    ));
    tx.execute_batch(statements).await?;
    let person = members::find_person(&mut *tx, tenant, after.person).await?.filter(|one| !one.is_member);
    if let (Some(person), Some(text)) = (person, all["person"].as_str()) {
        let (was, had) = members::parse_person_snapshot(text)?;
        let was = PersonProfile { created_at: person.created_at, updated_at: doing.now, ..was };
        members::update_person(tx, tenant, after.person, &was).await?;
        phones::replace_phones(tx, tenant, after.person, &had).await?;
    }
    let told = format!("lead {code} alterado: importação desfeita");
    audit::append_audit_entry(tx, &doing.audit_entry(Some(after.person), &told)).await?;
    Ok(ImportUndoOutcome::Restored)
}
