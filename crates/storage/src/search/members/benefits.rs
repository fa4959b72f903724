//! Searches for benefits.

use super::found_rows;
use super::found_rows::FoundBenefit;
use crate::{Error, QueryWeight, ReadSource, Tx};
use domain::{BenefitCode, BenefitCriteria, BenefitKey, PAGE_SIZE, Scope, TenantId};

/// The benefits that match the criteria, ordered by code.
#[boxed::future]
pub async fn list_benefits_by_criteria(
    source: impl Into<ReadSource<'_>>,
    scope: &Scope,
    criteria: &BenefitCriteria,
) -> Result<Vec<FoundBenefit>, Error> {
    let Some((key, others)) = criteria.keys.split_first() else { return Ok(Vec::new()) };
    let by_listing = matches!(key, BenefitKey::Plate(_) | BenefitKey::Chassis(_));
    let head =
        found_rows::build_benefit_search(by_listing).append_text("WHERE b.tenant = $1").arg(scope.tenant());
    let head = if by_listing { head.append_text("AND l.tenant = $1 AND l.benefit = b.code") } else { head };
    let mut statement = match key {
        BenefitKey::Plate(plate) => head.append("AND l.plate_key = ?", [plate.as_str()]),
        BenefitKey::Chassis(chassis) => head.append("AND l.chassis = ?", [chassis.as_str()]),
        BenefitKey::Sequence(number) => head.append("AND b.sequence = ?", [*number]),
        BenefitKey::Card(card) => head.append("AND b.card = ?", [card.as_str()]),
        BenefitKey::Code(code) => head.append("AND b.code = ?", [*code]),
    };
    let row = "SELECT 1 FROM listing k WHERE k.tenant = b.tenant AND k.slot = b.slot AND";
    for other in others {
        statement = match other {
            BenefitKey::Plate(plate) => {
                statement.append(&format!("AND EXISTS ({row} k.plate_key || '' = ?)"), [plate.as_str()])
            }
            BenefitKey::Chassis(chassis) => statement.append("AND b.chassis || '' = ?", [chassis.as_str()]),
            BenefitKey::Sequence(number) => statement.append("AND b.sequence + 0 = ?", [*number]),
            BenefitKey::Card(card) => statement.append("AND b.card || '' = ?", [card.as_str()]),
            BenefitKey::Code(code) => statement.append("AND b.code + 0 = ?", [*code]),
        };
    }
    for document in &criteria.documents {
        statement = statement.append("AND p.document || '' = ?", [document.as_str()]);
    }
    let statement = statement
        .filter_branches("b.branch + 0", scope.branches())
        .append_if_some("AND b.situation + 0 = ?", criteria.situation)
        .append_if_some(
            "AND EXISTS (SELECT 1 FROM items j WHERE j.tenant = b.tenant AND j.benefit = b.code
                 AND j.plan + 0 = ? AND j.active)",
            criteria.plan,
        )
        .append_text("ORDER BY b.code");
    found_rows::parse_found_benefits(source.fetch_all(QueryWeight::Point, statement).await?)
}

/// The benefits of these codes, in order.
#[boxed::future]
pub async fn list_benefits_by_code(
    tx: &mut Tx,
    scope: &Scope,
    codes: &[BenefitCode],
) -> Result<Vec<FoundBenefit>, Error> {
    if codes.is_empty() {
        return Ok(Vec::new());
    }
    let statement = found_rows::build_benefit_search(false)
        .append_text("WHERE b.tenant = $1")
        .arg(scope.tenant())
        .filter_in("b.code", codes.iter().copied());
    let mut rows = found_rows::parse_found_benefits(tx.fetch_all(statement).await?)?;
    // Here and not in the statement: the engines would sort whole rows.
    rows.sort_unstable_by_key(|row| row.code);
    Ok(rows)
}

/// The benefits between two codes of a page of all benefits, in order: read along the key, without a list of codes.
#[boxed::future]
pub async fn list_benefits_between(
    tx: &mut Tx,
    tenant: TenantId,
    (first, last): (BenefitCode, BenefitCode),
) -> Result<Vec<FoundBenefit>, Error> {
    let statement = found_rows::build_benefit_search(false)
        .append_text("WHERE b.tenant = $1 AND b.code >= $2 AND b.code <= $3")
        .arg(tenant)
        .arg(first)
        .arg(last)
        // The number is written into the text, so that a server plans for few rows.
        .append_text(&format!("ORDER BY b.code LIMIT {PAGE_SIZE}"));
    found_rows::parse_found_benefits(tx.fetch_all(statement).await?)
}
