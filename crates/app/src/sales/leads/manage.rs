//! Management view of leads: includes inactive ones.

use super::{
    LeadBranchSource, LeadContactInput, list_keys_by_contacts, parse_contact_filter, store_lead,
    validate_contact,
};
use crate::access::Session;
use crate::audit::access_log::record_access;
use crate::command::{WriteCommand, run_command};
use crate::field_differences::{self, CurrentVersion, FieldDifference, FieldTexts, refuse_old_version};
use crate::idempotency::{IdempotentWrite, WriteOutcome};
use crate::register_snapshot::{TenantRegisters, confirm_registers, load_registers, read_with_registers};
use crate::search_page::SearchPage;
use crate::{App, Error};
use domain::{AuditedOperation, InputField, Lead, LeadCode, LeadKey, PAGE_SIZE, Rejection, Scope};
use std::collections::HashMap;
use std::sync::Arc;
use storage::Tx;
use storage::sales::leads::{self, FoundLead};
use wire::records::LeadAlteracaoInput;

const LIST: AuditedOperation = AuditedOperation::ListLeads;
const READ: AuditedOperation = AuditedOperation::ShowLead;
const CHANGE: AuditedOperation = AuditedOperation::ChangeLead;

/// Filter of the lead list; empty fields do not filter.
#[derive(Clone, Debug, Default)]
pub struct LeadManagementQuery {
    pub filter: Option<String>,
    pub active: Option<bool>,
    pub branch: Option<domain::BranchCode>,
    /// Starts at 1.
    pub page: i32,
}

/// A lead with the registers that hold the names of its references.
#[derive(Clone, Debug)]
pub struct CurrentLead {
    pub found: FoundLead,
    pub registers: Arc<TenantRegisters>,
    changed: bool,
}

fn reject_unknown_lead(code: LeadCode) -> Error {
    Error::NotFound { field: InputField::Lead, code: code.get() }
}

/// A page of leads, most recent first.
#[boxed::future]
pub async fn list_leads(
    app: &App,
    caller: &Session,
    query: LeadManagementQuery,
) -> Result<SearchPage<FoundLead>, Error> {
    let registers = load_registers(app, caller.scope.tenant()).await?;
    let number = query.page;
    let scope = match query.branch {
        Some(branch) => caller.scope.narrow_to(branch),
        None => Some(caller.scope.clone()),
    };
    let Some(scope) = scope else { return Ok(SearchPage { rows: Vec::new(), number, total: 0, registers }) };
    let skip = i64::from(number - 1) * PAGE_SIZE;
    let (codes, total) = match &query.filter {
        Some(text) => {
            let mut keys =
                list_keys_by_contacts(app, &scope, &parse_contact_filter(text, false).contacts).await?;
            keys.retain(|key| query.active.is_none_or(|active| key.active == active));
            keys.sort_unstable_by_key(|key| std::cmp::Reverse(key.code));
            keys.dedup_by_key(|key| key.code);
            let total = keys.len() as i64;
            let skip = usize::try_from(skip).unwrap_or(usize::MAX);
            (keys.into_iter().skip(skip).take(PAGE_SIZE as usize).map(|key| key.code).collect(), total)
        }
        None => {
            let input = (scope.clone(), query.active, skip);
            let read = app.db.read(input, |tx, (scope, active, skip)| {
                Box::pin(leads::list_lead_code_page(tx, scope, *active, (PAGE_SIZE, *skip)))
            });
            read.await?
        }
    };
    let found = leads::list_found_leads(&app.db, &caller.scope, &codes).await?;
    // A lead may have moved to another branch since its code was read.
    let visible = found.into_iter().filter(|one| scope.can_see(one.lead.branch));
    let mut found: HashMap<LeadCode, FoundLead> = visible.map(|one| (one.code, one)).collect();
    let rows: Vec<FoundLead> = codes.iter().filter_map(|code| found.remove(code)).collect();
    record_access(app, caller, LIST, rows.iter().map(|one| one.lead.person))?;
    Ok(SearchPage { rows, number, total, registers })
}

#[boxed::future]
pub async fn read_lead(app: &App, caller: &Session, code: LeadCode) -> Result<CurrentLead, Error> {
    let build_query = |_: &TenantRegisters| (caller.scope.clone(), code);
    let tenant = caller.scope.tenant();
    let (found, registers) = read_with_registers(app, tenant, build_query, |tx, (scope, code)| {
        Box::pin(find_visible_lead(tx, scope, *code))
    })
    .await?;
    let found = found.ok_or(reject_unknown_lead(code))?;
    record_access(app, caller, READ, std::iter::once(found.lead.person))?;
    Ok(CurrentLead { found, registers, changed: false })
}

async fn find_visible_lead(tx: &mut Tx, scope: &Scope, code: LeadCode) -> Result<Option<FoundLead>, Error> {
    let found = leads::list_found_leads(&mut *tx, scope, &[code]).await?.pop();
    Ok(found.filter(|one| scope.can_see(one.lead.branch)))
}

type ChangeLead = WriteCommand<(LeadCode, LeadAlteracaoInput)>;

/// Changes a lead: absent fields keep their value, cleared fields are emptied.
#[boxed::future]
pub async fn change_lead(
    app: &App,
    caller: &Session,
    code: LeadCode,
    input: LeadAlteracaoInput,
    once: IdempotentWrite<CurrentLead>,
) -> Result<WriteOutcome<CurrentLead>, Error> {
    let outcome = run_command(app, caller, CHANGE, (code, input), once, |tx, command| {
        Box::pin(write_lead_change(tx, command))
    })
    .await?;
    if let WriteOutcome::Fresh(CurrentLead { found, changed: false, .. }) = &outcome {
        record_access(app, caller, CHANGE, std::iter::once(found.lead.person))?;
    }
    Ok(outcome)
}

async fn write_lead_change(tx: &mut Tx, command: &ChangeLead) -> Result<CurrentLead, Error> {
    let (code, input, context) = (command.input.0, &command.input.1, command.actor_context());
    confirm_registers(tx, command.scope.tenant(), &command.registers).await?;
    let found = find_visible_lead(tx, &command.scope, code).await?.ok_or(reject_unknown_lead(code))?;
    let before = found.lead.clone();
    let mut problems = Vec::new();
    let contact_input =
        LeadContactInput::from_contact(&input.contact, &mut problems).with_known_name(&before);
    let contact_and_branch = (&contact_input, LeadBranchSource::AnyLead(&input.branch));
    let mut prepared = validate_contact(
        tx,
        &context,
        &command.scope,
        contact_and_branch,
        Some((code, before.clone())),
        &mut problems,
    )
    .await?;
    prepared.after.active = input.active.clone().into_set().unwrap_or(before.active);
    if !problems.is_empty() {
        return Err(Error::Refused(problems));
    }
    refuse_lead_conflicts(tx, command, &before, &prepared.after).await?;
    let saved = Box::pin(store_lead(tx, &context, &command.scope, prepared)).await?;
    let found = FoundLead { lead: saved.lead, ..found };
    Ok(CurrentLead { found, registers: Arc::clone(&command.registers), changed: saved.changed })
}

/// Refuses a stale version or a document that another active lead has.
async fn refuse_lead_conflicts(
    tx: &mut Tx,
    command: &ChangeLead,
    before: &Lead,
    after: &Lead,
) -> Result<(), Error> {
    let present = CurrentVersion { version: before.version, since: before.updated_at };
    let given_version = command.input.1.version.get().into();
    let mut problems = Vec::new();
    problems.extend(refuse_old_version(
        given_version,
        present,
        &command.registers.zone,
        &compare_leads(before, after),
    ));
    if let Some(document) = after.document.as_ref().filter(|one| before.document.as_ref() != Some(*one)) {
        let contact = LeadKey::Document(document.as_str().to_owned());
        let other = leads::find_active_lead_by_contact(tx, &command.scope, &contact, Some(document)).await?;
        if let Some((other, _)) = other.filter(|(other, _)| *other != command.input.0) {
            problems.push(Rejection::LeadTaken(other));
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(Error::Refused(problems)) }
}

pub(super) fn compare_leads(before: &Lead, after: &Lead) -> Vec<FieldDifference> {
    field_differences::compare_fields(render_lead_fields(before), render_lead_fields(after))
}

fn render_lead_fields(lead: &Lead) -> FieldTexts {
    vec![
        ("codLoja", Some(lead.branch.to_string())),
        ("nomePessoa", Some(lead.name.clone())),
        ("cpfCnpj", lead.document.as_ref().map(ToString::to_string)),
        ("email", lead.email.as_ref().map(ToString::to_string)),
        ("telefoneCelular", lead.mobile.as_ref().map(ToString::to_string)),
        ("telefoneFixo", lead.landline.as_ref().map(ToString::to_string)),
        ("empresa", lead.company.clone()),
        ("cidade", lead.city.clone()),
        ("uf", lead.state.clone()),
        ("mensagem", lead.message.clone()),
        ("origem", lead.origin.clone()),
        ("codConsultor", lead.consultant.map(|code| code.to_string())),
        ("ativo", Some(lead.active.to_string())),
    ]
}
