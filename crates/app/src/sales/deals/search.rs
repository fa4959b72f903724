//! Search for open deals, and the details of a deal. The API answers without pagination: names are read in steps and
//! sorted, the deals are loaded in parts.

use crate::audit::access_log::record_access;
use crate::register_snapshot::{TenantRegisters, load_registers, read_with_registers};
use crate::sales::leads::{self, ContactFilter, FoundCodes, FoundLead};
use crate::session::Session;
use crate::{App, Error};
use domain::{
    AuditedOperation, DealCode, DealCriteria, DependentCode, InputField, LeadCode, LeadKey,
    ProposedDependent, Scope, TenantId, VisibleBranches, fold_text, has_word_beginnings,
};
use std::collections::HashMap;
use std::sync::Arc;
use storage::Tx;
use storage::sales::deals::dependents;
use storage::sales::deals::{self, DealOrderKey, DealStageMove, DrivingDealCriterion, FoundDeal, STEP};
use wire::read::IsoQueryDate;
use wire::records::PesquisaNegocioQuery;

/// Number of leads in one query for their deals.
const LEADS_PER_QUERY: usize = 256;

/// The open deals visible to the caller that meet all criteria; by name, then code.
#[boxed::future]
pub async fn search_deals(
    app: &App,
    caller: &Session,
    query: PesquisaNegocioQuery,
) -> Result<FoundCodes<DealCode>, Error> {
    let registers = load_registers(app, caller.scope.tenant()).await?;
    let scope = match query.branch.into_set() {
        Some(branch) => caller.scope.narrow_to(branch),
        None => Some(caller.scope.clone()),
    };
    let Some(scope) = scope else { return Ok(FoundCodes { codes: Vec::new(), registers }) };
    let criteria = DealCriteria {
        lead: query.lead.into_set(),
        opened_from: query.opened_from.into_set().map(IsoQueryDate::get),
        opened_to: query.opened_to.into_set().map(IsoQueryDate::get),
        responsible: query.responsible.into_set(),
    };
    let mut keys: Vec<DealOrderKey> = Vec::new();
    for (driver, words) in choose_drivers(app, &scope, &registers, &criteria, query.filter.into_set()).await?
    {
        let mut last = None;
        loop {
            let step = deals::list_deal_keys(&app.db, &scope, &driver, &criteria, last.as_ref()).await?;
            let is_last = step.len() < STEP;
            last = step.last().cloned();
            keys.extend(step.into_iter().filter(|key| has_word_beginnings(&words, &key.name)));
            if is_last {
                break;
            }
        }
    }
    keys.sort_by_cached_key(|key| (fold_text(&key.name), key.code));
    keys.dedup_by_key(|key| key.code);
    Ok(FoundCodes { codes: keys.into_iter().map(|key| key.code).collect(), registers })
}

/// Chooses the most selective criteria to drive the search, each with words that the name must contain.
async fn choose_drivers(
    app: &App,
    scope: &Scope,
    registers: &TenantRegisters,
    criteria: &DealCriteria,
    filter: Option<String>,
) -> Result<Vec<(DrivingDealCriterion, Vec<String>)>, Error> {
    if let Some(text) = filter {
        return choose_filter_drivers(
            app,
            scope.tenant(),
            criteria,
            leads::parse_contact_filter(&text, true),
        )
        .await;
    }
    let drivers = match choose_own_driver(criteria) {
        Some(driver) => vec![driver],
        None if criteria.opened_from.is_some() || criteria.opened_to.is_some() => {
            vec![DrivingDealCriterion::Opening]
        }
        None => match scope.branches() {
            VisibleBranches::All => {
                registers.branches.iter().map(|branch| DrivingDealCriterion::Branch(branch.code)).collect()
            }
            VisibleBranches::Only(branches) => {
                branches.iter().copied().map(DrivingDealCriterion::Branch).collect()
            }
        },
    };
    Ok(drivers.into_iter().map(|driver| (driver, Vec::new())).collect())
}

/// A lead or a user has few deals compared with the matches of a name.
fn choose_own_driver(criteria: &DealCriteria) -> Option<DrivingDealCriterion> {
    let of_lead = criteria.lead.map(|lead| DrivingDealCriterion::Leads(vec![lead]));
    of_lead.or(criteria.responsible.map(DrivingDealCriterion::Responsible))
}

/// The drivers for every possible meaning of a search text.
async fn choose_filter_drivers(
    app: &App,
    tenant: TenantId,
    criteria: &DealCriteria,
    ContactFilter { mut contacts, sequence }: ContactFilter,
) -> Result<Vec<(DrivingDealCriterion, Vec<String>)>, Error> {
    let mut drivers: Vec<(DrivingDealCriterion, Vec<String>)> = Vec::new();
    if let Some(driver) = choose_own_driver(criteria) {
        let words = contacts.extract_if(.., |one| matches!(one, LeadKey::Words(_)));
        let words = words.filter_map(|one| if let LeadKey::Words(words) = one { Some(words) } else { None });
        drivers.extend(words.map(|words| (driver.clone(), words)));
    }
    // A deal may be in another branch than its lead: only the branch of the deal counts.
    let found = leads::list_keys_by_contacts(app, &Scope::for_tenant(tenant), &contacts).await?;
    let mut found: Vec<LeadCode> = found.into_iter().map(|key| key.code).collect();
    found.retain(|code| criteria.lead.is_none_or(|lead| lead == *code));
    found.sort_unstable();
    found.dedup();
    let of_leads = found.chunks(LEADS_PER_QUERY).map(|chunk| DrivingDealCriterion::Leads(chunk.to_vec()));
    drivers.extend(
        of_leads.chain(sequence.map(DrivingDealCriterion::Sequence)).map(|driver| (driver, Vec::new())),
    );
    Ok(drivers)
}

/// Loads a part of the search results, in their order.
#[boxed::future]
pub async fn load_found_deals(
    app: &App,
    caller: &Session,
    codes: &[DealCode],
) -> Result<Vec<FoundDeal>, Error> {
    let found = deals::list_found_open_deals(&app.db, &caller.scope, codes).await?;
    let mut found: HashMap<DealCode, FoundDeal> = found.into_iter().map(|one| (one.code, one)).collect();
    let found: Vec<FoundDeal> = codes.iter().filter_map(|code| found.remove(code)).collect();
    record_access(app, caller, AuditedOperation::SearchDeals, found.iter().map(|one| one.person))?;
    Ok(found)
}

/// A deal with its lead, dependents and stage moves.
pub struct DealDetailView {
    pub found_deal: FoundDeal,
    pub lead: FoundLead,
    /// By name, then code.
    pub dependents: Vec<(DependentCode, ProposedDependent)>,
    pub moves: Vec<DealStageMove>,
}

/// Reads a deal in any state.
#[boxed::future]
pub async fn read_deal(
    app: &App,
    caller: &Session,
    code: DealCode,
) -> Result<(DealDetailView, Arc<TenantRegisters>), Error> {
    let build_query = |_: &TenantRegisters| (caller.scope.clone(), code);
    let tenant = caller.scope.tenant();
    let (view, registers) = read_with_registers(app, tenant, build_query, |tx, (scope, code)| {
        Box::pin(load_deal_view(tx, scope, *code))
    })
    .await?;
    record_access(app, caller, AuditedOperation::ReadDeal, std::iter::once(view.found_deal.person))?;
    Ok((view, registers))
}

pub(super) async fn load_deal_view(
    tx: &mut Tx,
    scope: &Scope,
    code: DealCode,
) -> Result<DealDetailView, Error> {
    let unknown = Error::NotFound { field: InputField::Deal, code: code.get() };
    let found = deals::list_found_deals(&mut *tx, scope, &[code]).await?.pop().ok_or(unknown)?;
    let missing_lead = || storage::Error::Broken(format!("the lead of deal {code} is gone"));
    let lead = storage::sales::leads::list_found_leads(&mut *tx, scope, &[found.deal.lead])
        .await?
        .pop()
        .ok_or_else(missing_lead)?;
    let mut dependents = dependents::list_deal_dependents(&mut *tx, scope.tenant(), code).await?;
    dependents.sort_by_cached_key(|(code, one)| (fold_text(&one.name), *code));
    let moves = deals::list_deal_moves(tx, scope.tenant(), code).await?;
    Ok(DealDetailView { found_deal: found, lead, dependents, moves })
}
