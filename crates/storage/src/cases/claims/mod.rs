//! Claims of members and their benefits, and the relations between claims.

mod relations;
mod search;

pub use relations::{
    delete_claim_relation, delete_mutual_relations, insert_claim_relations, list_related_claims,
};
pub use search::{
    ClaimOpeningCursor, ClaimPageRequest, DrivingClaimCriterion, FoundClaim, choose_driver, count_claims,
    list_claim_codes, list_found_claims,
};

use crate::benefits::row::{build_vehicle_values, parse_vehicle_row};
use crate::cases::head::head_columns;
use crate::executor::statement::build_inserts;
use crate::members::parse_address_columns;
use crate::{Error, QueryWeight, ReadSource, Row, SqlScalar, Statement, cases, sql};
use domain::{Cep, Claim, ClaimCode, Scope, TenantId};

/// A claim with the names behind its codes that are not in the registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolvedClaim {
    pub code: ClaimCode,
    pub claim: Claim,
    pub responsible: Option<String>,
}

/// The columns in addition to the case head, in the order of [`build_claim_values`].
macro_rules! claim_columns {
    () => {
        concat!(
            "kind, involved, priority, description, happened_on, driver, street_kind, street, street_number, \
             complement, district, city, state, cep, ",
            $crate::benefits::row::vehicle_columns!()
        )
    };
}

pub(crate) use claim_columns;

const ROWS_PER_STATEMENT: usize = 50;

/// Inserts claims.
pub fn insert_claims<'c>(
    tenant: TenantId,
    claims: impl IntoIterator<Item = (ClaimCode, &'c Claim)>,
) -> Vec<Statement> {
    let row = |(code, claim): (ClaimCode, &Claim)| {
        cases::head::build_case_row(tenant, code.get(), &claim.head, build_claim_values(claim))
    };
    build_inserts(
        cases::head::insert_head!("claims", claim_columns!()),
        ROWS_PER_STATEMENT,
        claims.into_iter().map(row),
    )
}

pub(crate) fn build_claim_values(claim: &Claim) -> Vec<SqlScalar> {
    let place = &claim.place;
    let mut values: Vec<SqlScalar> = vec![
        claim.kind.into(),
        claim.involved.into(),
        claim.priority.into(),
        claim.description.as_deref().into(),
        claim.happened_on.into(),
        claim.driver.into(),
        place.street_kind.as_deref().into(),
        place.street.as_deref().into(),
        place.number.as_deref().into(),
        place.complement.as_deref().into(),
        place.district.as_deref().into(),
        place.city.as_deref().into(),
        place.state.as_deref().into(),
        place.cep.as_ref().map(Cep::as_str).into(),
    ];
    values.extend(build_vehicle_values(&claim.vehicle));
    values
}

/// The claims of these codes in the scope, ordered by code.
#[boxed::future]
pub async fn list_claims_by_codes(
    source: impl Into<ReadSource<'_>>,
    scope: &Scope,
    codes: impl IntoIterator<Item = ClaimCode>,
) -> Result<Vec<ResolvedClaim>, Error> {
    let statement = sql(concat!(
        "SELECT code, ",
        head_columns!(),
        ", ",
        claim_columns!(),
        ", (SELECT u.name FROM users u WHERE u.tenant = claims.tenant AND u.code = claims.responsible) AS responsible_name
         FROM claims WHERE tenant = $1"
    ))
    .arg(scope.tenant())
    .filter_in("code", codes)
    .filter_branches("branch + 0", scope.branches())
    .append_text("ORDER BY code");
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    let parse_resolved = |row: &Row| {
        Ok(ResolvedClaim {
            code: row.get("code")?,
            claim: parse_claim_row(row)?,
            responsible: row.get("responsible_name")?,
        })
    };
    rows.iter().map(parse_resolved).collect()
}

pub(crate) fn parse_claim_row(row: &Row) -> Result<Claim, Error> {
    Ok(Claim {
        head: cases::head::parse_case_head(row)?,
        kind: row.get("kind")?,
        involved: row.get("involved")?,
        priority: row.get("priority")?,
        description: row.get("description")?,
        happened_on: row.get("happened_on")?,
        driver: row.get("driver")?,
        place: parse_address_columns(row)?,
        vehicle: parse_vehicle_row(row)?,
    })
}
