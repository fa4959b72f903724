//! Relations between claims.

use super::ROWS_PER_STATEMENT;
use crate::executor::statement::build_inserts;
use crate::{Error, QueryWeight, ReadSource, Statement, sql};
use domain::{ClaimCode, TenantId};

/// Adds relations between claims.
pub fn insert_claim_relations(
    tenant: TenantId,
    pairs: impl IntoIterator<Item = (ClaimCode, ClaimCode)>,
) -> Vec<Statement> {
    let rows = pairs.into_iter().map(|(claim, related)| [tenant.into(), claim.into(), related.into()]);
    build_inserts("INSERT INTO claim_relations (tenant, claim, related) VALUES", ROWS_PER_STATEMENT, rows)
}

/// Deletes the relation from one claim to another.
pub fn delete_claim_relation(tenant: TenantId, claim: ClaimCode, other: ClaimCode) -> Statement {
    sql("DELETE FROM claim_relations WHERE tenant = $1 AND claim = $2 AND related = $3")
        .arg(tenant)
        .arg(claim)
        .arg(other)
}

/// Deletes the relations between a claim and others, in both directions.
pub fn delete_mutual_relations(tenant: TenantId, claim: ClaimCode, others: &[ClaimCode]) -> Vec<Statement> {
    let apart = |other: &ClaimCode| {
        [delete_claim_relation(tenant, claim, *other), delete_claim_relation(tenant, *other, claim)]
    };
    others.iter().flat_map(apart).collect()
}

/// The claims related to these: pairs of one of these and a related claim.
#[boxed::future]
pub async fn list_related_claims(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    claims: impl IntoIterator<Item = ClaimCode>,
) -> Result<Vec<(ClaimCode, ClaimCode)>, Error> {
    let statement = sql("SELECT claim, related FROM claim_relations WHERE tenant = $1")
        .arg(tenant)
        .filter_in("claim", claims)
        .append_text("ORDER BY claim, related");
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter().map(|row| Ok((row.get("claim")?, row.get("related")?))).collect()
}
