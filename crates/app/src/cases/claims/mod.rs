//! Claim search, in steps or in pages, and the full record of a claim.

mod full_claim;

pub use full_claim::{FullClaim, InvolvedPerson, read_full_claim};

use crate::audit::access_log::record_access;
use crate::register_snapshot::{TenantRegisters, load_registers};
use crate::session::Session;
use crate::{App, Error};
use domain::{AuditedOperation, ClaimCriteria, Document, PAGE_SIZE, Scope};
use std::sync::Arc;
pub use storage::cases::claims::FoundClaim;
use storage::cases::claims::{self, ClaimOpeningCursor, ClaimPageRequest, DrivingClaimCriterion};
use wire::read::{FieldPatch, QueryDate};
use wire::records::PesquisaEventoQuery;

/// Step size of a search without pagination.
const CLAIMS_PER_STEP: i64 = 500;
const SEARCH: AuditedOperation = AuditedOperation::SearchClaims;

/// A running search that returns its results step by step.
pub struct RunningClaimSearch {
    scope: Scope,
    criteria: Option<ClaimCriteria>,
    driver: DrivingClaimCriterion,
    behind: Option<ClaimOpeningCursor>,
}

/// One part of the results, with the registers of that moment.
pub struct ClaimSearchStep {
    pub rows: Vec<FoundClaim>,
    pub registers: Arc<TenantRegisters>,
}

/// Prepares a search without reading results yet.
#[boxed::future]
pub async fn search_claims(
    app: &App,
    caller: &Session,
    query: PesquisaEventoQuery,
) -> Result<RunningClaimSearch, Error> {
    let scope = caller.scope.clone();
    let registers = load_registers(app, scope.tenant()).await?;
    let input = (scope.clone(), build_criteria(&registers, &query), parse_document(&query));
    let (criteria, driver) = app
        .db
        .read(input, |tx, (scope, criteria, document)| {
            Box::pin(async move {
                let Some(mut criteria) = criteria.clone() else {
                    return Ok((None, DrivingClaimCriterion::Order));
                };
                if let Some(document) = document {
                    let found =
                        storage::members::find_person_by_document(&mut *tx, scope.tenant(), document).await?;
                    // Two criteria that name different people match nothing.
                    match (found, criteria.person) {
                        (Some((code, _)), None) => criteria.person = Some(code),
                        (Some((code, _)), Some(person)) if code == person => {}
                        _ => return Ok((None, DrivingClaimCriterion::Order)),
                    }
                }
                let driver = claims::choose_driver(tx, scope, &criteria).await?;
                Ok::<_, Error>((Some(criteria), driver))
            })
        })
        .await?;
    Ok(RunningClaimSearch { scope, criteria, driver, behind: None })
}

impl RunningClaimSearch {
    /// The next claims; `None` at the end.
    #[boxed::future]
    pub async fn next(&mut self, app: &App, caller: &Session) -> Result<Option<ClaimSearchStep>, Error> {
        let page_request = ClaimPageRequest { behind: self.behind, skip: 0, limit: CLAIMS_PER_STEP };
        let (found, is_full) = self.read_part(app, caller, page_request).await?;
        match found.rows.last() {
            Some(last) if is_full => self.behind = Some((last.opened_at, last.code)),
            // This was the last part: the next step needs no query.
            _ => self.criteria = None,
        }
        Ok((!found.rows.is_empty()).then_some(found))
    }

    /// A page and the total number of claims.
    #[boxed::future]
    pub async fn read_page(
        &self,
        app: &App,
        caller: &Session,
        number: i32,
    ) -> Result<(ClaimSearchStep, i64), Error> {
        let skip = i64::from(number - 1) * PAGE_SIZE;
        let (found, is_full) =
            self.read_part(app, caller, ClaimPageRequest { behind: None, skip, limit: PAGE_SIZE }).await?;
        let rows = found.rows.len() as i64;
        let total = match &self.criteria {
            None => 0,
            Some(_) if !is_full && (rows > 0 || skip == 0) => skip + rows,
            Some(criteria) => claims::count_claims(&app.db, &self.scope, criteria, self.driver).await?,
        };
        Ok((found, total))
    }

    async fn read_part(
        &self,
        app: &App,
        caller: &Session,
        page_request: ClaimPageRequest,
    ) -> Result<(ClaimSearchStep, bool), Error> {
        let registers = load_registers(app, self.scope.tenant()).await?;
        let Some(criteria) = &self.criteria else {
            return Ok((ClaimSearchStep { rows: Vec::new(), registers }, false));
        };
        let codes =
            claims::list_claim_codes(&app.db, &self.scope, criteria, self.driver, page_request).await?;
        let rows = claims::list_found_claims(&app.db, &self.scope, &codes).await?;
        record_access(app, caller, SEARCH, rows.iter().map(|row| row.person))?;
        Ok((ClaimSearchStep { rows, registers }, codes.len() as i64 == page_request.limit))
    }
}

/// Builds the criteria of a query; `None` if nothing can match.
fn build_criteria(registers: &TenantRegisters, query: &PesquisaEventoQuery) -> Option<ClaimCriteria> {
    let day = |patch: &FieldPatch<QueryDate>| patch.clone().into_set().map(QueryDate::get);
    let protocol = match query.protocol.clone().into_set() {
        // Compared literally: a protocol has no leading zeros.
        Some(text) => Some(text.parse().ok().filter(|number: &i32| number.to_string() == text)?),
        None => None,
    };
    if let FieldPatch::Set(text) = &query.document {
        Document::parse_searched(text).ok()?;
    }
    Some(ClaimCriteria {
        involved: query.involved.clone().into_set(),
        protocol,
        person: query.person.clone().into_set(),
        opened_from: day(&query.opened_from).map(|day| day.start_in(&registers.zone)),
        opened_before: day(&query.opened_to).map(|day| day.next().start_in(&registers.zone)),
        happened_from: day(&query.happened_from),
        happened_to: day(&query.happened_to),
    })
}

fn parse_document(query: &PesquisaEventoQuery) -> Option<Document> {
    query.document.clone().into_set().and_then(|text| Document::parse_searched(&text).ok())
}
