//! Finds benefits by their codes, keys and person.

use super::row::{benefit_columns, parse_benefit_row};
use crate::{Error, QueryWeight, ReadSource, sql};
use domain::{Benefit, BenefitCode, PersonCode, Scope, SituationKind, TenantId};

/// The benefit of this code, if its branch is in the scope.
#[boxed::future]
pub async fn find_benefit(
    source: impl Into<ReadSource<'_>>,
    scope: &Scope,
    code: BenefitCode,
) -> Result<Option<Benefit>, Error> {
    let statement =
        sql(concat!("SELECT ", benefit_columns!(), " FROM benefits b WHERE b.tenant = $1 AND b.code = $2"))
            .arg(scope.tenant())
            .arg(code);
    let found = source.fetch_optional(statement).await?.map(|row| parse_benefit_row(&row)).transpose()?;
    Ok(found.filter(|benefit| scope.can_see(benefit.branch)))
}

/// These benefits, regardless of scope, ordered by code.
#[boxed::future]
pub async fn list_benefits_by_codes(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    codes: impl IntoIterator<Item = BenefitCode>,
) -> Result<Vec<(BenefitCode, Benefit)>, Error> {
    let head = sql(concat!("SELECT b.code, ", benefit_columns!(), " FROM benefits b WHERE b.tenant = $1"));
    let statement = head.arg(tenant).filter_in("b.code", codes).append_text("ORDER BY b.code");
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter().map(|row| Ok((row.get("code")?, parse_benefit_row(row)?))).collect()
}

/// The benefits with these sequence numbers.
#[boxed::future]
pub async fn list_benefits_by_sequences(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    sequences: impl IntoIterator<Item = i32>,
) -> Result<Vec<(i32, BenefitCode)>, Error> {
    let statement = sql("SELECT sequence, code FROM benefits WHERE tenant = $1")
        .arg(tenant)
        .filter_in("sequence", sequences);
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter().map(|row| Ok((row.get("sequence")?, row.get("code")?))).collect()
}

/// The benefits of a person in the branches of the scope, ordered by code.
#[boxed::future]
pub async fn list_benefits_of_person(
    source: impl Into<ReadSource<'_>>,
    scope: &Scope,
    person: PersonCode,
) -> Result<Vec<(BenefitCode, Benefit)>, Error> {
    let head = sql(concat!(
        "SELECT b.code, ",
        benefit_columns!(),
        " FROM benefits b WHERE b.tenant = $1 AND b.person = $2"
    ));
    let statement = head
        .arg(scope.tenant())
        .arg(person)
        .filter_branches("b.branch + 0", scope.branches())
        .append_text("ORDER BY b.code");
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter().map(|row| Ok((row.get("code")?, parse_benefit_row(row)?))).collect()
}

/// The benefits with a plate, in either of its formats.
#[boxed::future]
pub async fn list_benefits_by_plate(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    plate_key: &str,
) -> Result<Vec<BenefitCode>, Error> {
    let statement = sql("SELECT benefit FROM listing WHERE tenant = $1 AND plate_key = $2 ORDER BY slot")
        .arg(tenant)
        .arg(plate_key);
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter().map(|row| row.get("benefit")).collect()
}

/// A benefit with a plate, whose it is, and the type of its situation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BenefitWithPlate {
    pub code: BenefitCode,
    pub person: PersonCode,
    pub kind: SituationKind,
}

/// The benefits with a plate in the branches of the scope, ordered by code.
#[boxed::future]
pub async fn list_visible_benefits_by_plate(
    source: impl Into<ReadSource<'_>>,
    scope: &Scope,
    plate_key: &str,
) -> Result<Vec<BenefitWithPlate>, Error> {
    let statement = sql("SELECT l.benefit, l.person, s.kind FROM listing l
         JOIN situations s ON s.tenant = l.tenant AND s.code = l.situation
         WHERE l.tenant = $1 AND l.plate_key = $2")
    .arg(scope.tenant())
    .arg(plate_key)
    .filter_branches("l.branch + 0", scope.branches())
    .append_text("ORDER BY l.benefit");
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter()
        .map(|row| {
            let (code, person) = (row.get("benefit")?, row.get("person")?);
            Ok(BenefitWithPlate { code, person, kind: row.get("kind")? })
        })
        .collect()
}

/// Whether the person has a benefit in a branch of the scope.
#[boxed::future]
pub async fn has_visible_benefit(
    source: impl Into<ReadSource<'_>>,
    scope: &Scope,
    person: PersonCode,
) -> Result<bool, Error> {
    let statement = sql("SELECT code FROM benefits WHERE tenant = $1 AND person = $2")
        .arg(scope.tenant())
        .arg(person)
        .filter_branches("branch + 0", scope.branches())
        .append_text("ORDER BY code LIMIT 1");
    Ok(source.fetch_optional(statement).await?.is_some())
}
