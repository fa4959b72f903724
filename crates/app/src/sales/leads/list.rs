//! Lists leads and shows one.

use super::{list_keys_by_contacts, parse_contact_filter};
use crate::audit::access_log::record_access;
use crate::register_snapshot::{TenantRegisters, load_registers, read_with_registers};
use crate::search_page::SearchPage;
use crate::session::Session;
use crate::{App, Error};
use domain::{AuditedOperation, InputField, LeadCode, PAGE_SIZE, Scope};
use std::collections::HashMap;
use std::sync::Arc;
use storage::Tx;
use storage::sales::leads::{self, FoundLead};

const LIST: AuditedOperation = AuditedOperation::ListLeads;

const READ: AuditedOperation = AuditedOperation::ShowLead;

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
    pub found_lead: FoundLead,
    pub registers: Arc<TenantRegisters>,
    pub(super) changed: bool,
}

pub(super) fn reject_unknown_lead(code: LeadCode) -> Error {
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
    Ok(CurrentLead { found_lead: found, registers, changed: false })
}

pub(super) async fn find_visible_lead(
    tx: &mut Tx,
    scope: &Scope,
    code: LeadCode,
) -> Result<Option<FoundLead>, Error> {
    let found = leads::list_found_leads(&mut *tx, scope, &[code]).await?.pop();
    Ok(found.filter(|one| scope.can_see(one.lead.branch)))
}
