//! The search for open deals, and one deal whole. As with leads, the interface gives all of them at once: their names are
//! read step by step and put in order, and the deals some at a time.

use crate::access::Session;
use crate::audit::saw;
use crate::base::{Registers, read_by_registers, registers};
use crate::leads::{self, Filter, Found, FoundLead};
use crate::{App, Error};
use domain::{
    Branches, Contact, DealCode, DealCriteria, DependentCode, Field, LeadCode, Scope, TenantId, begins_words,
    fold,
};
use std::collections::HashMap;
use std::sync::Arc;
use storage::Tx;
use storage::deals::dependents::{self, DealDependent};
use storage::deals::{self, By, FoundDeal, Key, Move, STEP};
use wire::read::IsoQueryDate;
use wire::records::PesquisaNegocioQuery;

/// Leads whose deals are asked for at once.
const LEADS: usize = 256;

/// The open deals that the caller may see and that have everything that was asked for; by name, then code.
#[boxed::future]
pub async fn search(
    app: &App,
    caller: &Session,
    query: PesquisaNegocioQuery,
) -> Result<Found<DealCode>, Error> {
    let registers = registers(app, caller.scope.tenant()).await?;
    let scope = match query.branch.set() {
        Some(branch) => caller.scope.narrowed(branch),
        None => Some(caller.scope.clone()),
    };
    let Some(scope) = scope else { return Ok(Found { codes: Vec::new(), registers }) };
    let criteria = DealCriteria {
        lead: query.lead.set(),
        opened_from: query.opened_from.set().map(IsoQueryDate::get),
        opened_to: query.opened_to.set().map(IsoQueryDate::get),
        responsible: query.responsible.set(),
    };
    let mut keys: Vec<Key> = Vec::new();
    for (by, words) in drivers(app, &scope, &registers, &criteria, query.filter.set()).await? {
        let mut last = None;
        loop {
            let step = deals::keys(&app.db, &scope, &by, &criteria, last.as_ref()).await?;
            let is_last = step.len() < STEP;
            last = step.last().cloned();
            keys.extend(step.into_iter().filter(|key| begins_words(&words, &key.name)));
            if is_last {
                break;
            }
        }
    }
    keys.sort_by_cached_key(|key| (fold(&key.name), key.code));
    keys.dedup_by_key(|key| key.code);
    Ok(Found { codes: keys.into_iter().map(|key| key.code).collect(), registers })
}

/// What leads the search: the most selective of what was asked for. Beside it, words that the names must have.
async fn drivers(
    app: &App,
    scope: &Scope,
    registers: &Registers,
    criteria: &DealCriteria,
    filter: Option<String>,
) -> Result<Vec<(By, Vec<String>)>, Error> {
    if let Some(text) = filter {
        return filtered(app, scope.tenant(), criteria, leads::filter(&text, true)).await;
    }
    let by = match own_driver(criteria) {
        Some(by) => vec![by],
        None if criteria.opened_from.is_some() || criteria.opened_to.is_some() => vec![By::Opening],
        None => match scope.branches() {
            Branches::All => registers.branches.iter().map(|branch| By::Branch(branch.code)).collect(),
            Branches::Only(some) => some.iter().copied().map(By::Branch).collect(),
        },
    };
    Ok(by.into_iter().map(|by| (by, Vec::new())).collect())
}

/// A lead or a user has few deals, compared with those that words lead to.
fn own_driver(criteria: &DealCriteria) -> Option<By> {
    let of_lead = criteria.lead.map(|lead| By::Leads(vec![lead]));
    of_lead.or(criteria.responsible.map(By::Responsible))
}

/// What leads to the deals that a filter may mean.
async fn filtered(
    app: &App,
    tenant: TenantId,
    criteria: &DealCriteria,
    Filter { mut contacts, sequence }: Filter,
) -> Result<Vec<(By, Vec<String>)>, Error> {
    let mut drivers: Vec<(By, Vec<String>)> = Vec::new();
    if let Some(by) = own_driver(criteria) {
        let words = contacts.extract_if(.., |one| matches!(one, Contact::Words(_)));
        let words = words.filter_map(|one| if let Contact::Words(words) = one { Some(words) } else { None });
        drivers.extend(words.map(|words| (by.clone(), words)));
    }
    // A deal may be in another branch than its lead: the deal's own is looked at.
    let found = leads::with(app, &Scope::whole(tenant), &contacts).await?;
    let mut found: Vec<LeadCode> = found.into_iter().map(|key| key.code).collect();
    found.retain(|code| criteria.lead.is_none_or(|lead| lead == *code));
    found.sort_unstable();
    found.dedup();
    let of_leads = found.chunks(LEADS).map(|some| By::Leads(some.to_vec()));
    drivers.extend(of_leads.chain(sequence.map(By::Sequence)).map(|by| (by, Vec::new())));
    Ok(drivers)
}

/// Some of the deals that a search found, in its order.
#[boxed::future]
pub async fn some(app: &App, caller: &Session, codes: &[DealCode]) -> Result<Vec<FoundDeal>, Error> {
    let found = deals::at(&app.db, &caller.scope, codes, true).await?;
    let mut found: HashMap<DealCode, FoundDeal> = found.into_iter().map(|one| (one.code, one)).collect();
    let found: Vec<FoundDeal> = codes.iter().filter_map(|code| found.remove(code)).collect();
    saw(app, caller, "GET /ext/crm/negocio", found.iter().map(|one| one.person))?;
    Ok(found)
}

/// A deal with everything around it.
pub struct View {
    pub found: FoundDeal,
    pub lead: FoundLead,
    /// By name, then code.
    pub dependents: Vec<(DependentCode, DealDependent)>,
    pub moves: Vec<Move>,
}

/// The deal of this code, in whatever situation.
#[boxed::future]
pub async fn one(app: &App, caller: &Session, code: DealCode) -> Result<(View, Arc<Registers>), Error> {
    let asked = |_: &Registers| (caller.scope.clone(), code);
    let tenant = caller.scope.tenant();
    let (view, registers) =
        read_by_registers(app, tenant, asked, |tx, (scope, code)| Box::pin(read(tx, scope, *code))).await?;
    saw(app, caller, "GET /ext/crm/negocio/{codNegocio}", std::iter::once(view.found.person))?;
    Ok((view, registers))
}

pub(super) async fn read(tx: &mut Tx, scope: &Scope, code: DealCode) -> Result<View, Error> {
    let unknown = Error::NoSuch { field: Field::Deal, code: code.get() };
    let found = deals::at(&mut *tx, scope, &[code], false).await?.pop().ok_or(unknown)?;
    let gone = || storage::Error::Broken(format!("the lead of deal {code} is gone"));
    let lead = storage::leads::at(&mut *tx, scope, &[found.deal.lead]).await?.pop().ok_or_else(gone)?;
    let mut dependents = dependents::of(&mut *tx, scope.tenant(), code).await?;
    dependents.sort_by_cached_key(|(code, one)| (fold(&one.name), *code));
    let moves = deals::moves(tx, scope.tenant(), code).await?;
    Ok(View { found, lead, dependents, moves })
}
