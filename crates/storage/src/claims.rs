//! Claims: what happened to members and their benefits, and which of them belong together.

mod search;

pub use search::{Driver, Found, Part, Place, at, codes, count, driver};

use crate::benefits::Vehicle;
use crate::benefits::kept::{vehicle, vehicle_values};
use crate::cases::{self, Head, head_columns};
use crate::people::place;
use crate::statement::inserts;
use crate::{Error, Row, Source, Statement, Value, Weight, sql};
use domain::{Cep, ClaimCode, ClaimTypeCode, Involved, PersonCode, PostalAddress, Priority, Scope, TenantId};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    pub head: Head,
    pub kind: ClaimTypeCode,
    pub involved: Involved,
    pub priority: Priority,
    pub description: Option<String>,
    /// `yyyy-MM-dd`
    pub happened_on: Option<String>,
    /// Who drove, member or not.
    pub driver: Option<PersonCode>,
    /// Where it happened.
    pub place: PostalAddress,
    /// As it was when the claim was opened.
    pub vehicle: Vehicle,
}

/// A claim with what its codes stand for where the registers do not say it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    pub code: ClaimCode,
    pub claim: Claim,
    pub responsible: Option<String>,
}

/// What a claim has besides what all cases have, in the order of [`values`].
macro_rules! claim_columns {
    () => {
        concat!(
            "kind, involved, priority, description, happened_on, driver, street_kind, street, street_number, \
             complement, district, city, state, cep, ",
            $crate::benefits::kept::vehicle_columns!()
        )
    };
}
pub(crate) use claim_columns;

/// How many rows travel in one statement.
const ROWS: usize = 50;

/// Writes claims that are not there yet, each with its code.
pub fn insert<'c>(
    tenant: TenantId,
    claims: impl IntoIterator<Item = (ClaimCode, &'c Claim)>,
) -> Vec<Statement> {
    let row = |(code, claim): (ClaimCode, &Claim)| cases::row(tenant, code.get(), &claim.head, values(claim));
    inserts(cases::insert_head!("claims", claim_columns!()), ROWS, claims.into_iter().map(row))
}

pub(crate) fn values(claim: &Claim) -> Vec<Value> {
    let place = &claim.place;
    let mut values: Vec<Value> = vec![
        claim.kind.into(),
        claim.involved.into(),
        claim.priority.into(),
        claim.description.as_deref().into(),
        claim.happened_on.as_deref().into(),
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
    values.extend(vehicle_values(&claim.vehicle));
    values
}

/// Says of claims which others they belong to.
pub fn relate(tenant: TenantId, pairs: impl IntoIterator<Item = (ClaimCode, ClaimCode)>) -> Vec<Statement> {
    let rows = pairs.into_iter().map(|(claim, related)| [tenant.into(), claim.into(), related.into()]);
    inserts("INSERT INTO claim_relations (tenant, claim, related) VALUES", ROWS, rows)
}

/// Takes back that one claim belongs to another.
pub fn unrelate(tenant: TenantId, claim: ClaimCode, other: ClaimCode) -> Statement {
    sql("DELETE FROM claim_relations WHERE tenant = $1 AND claim = $2 AND related = $3")
        .arg(tenant)
        .arg(claim)
        .arg(other)
}

/// Takes back of a claim that others belong to it, and of them that it belongs to them.
pub fn part(tenant: TenantId, claim: ClaimCode, others: &[ClaimCode]) -> Vec<Statement> {
    let apart = |other: &ClaimCode| [unrelate(tenant, claim, *other), unrelate(tenant, *other, claim)];
    others.iter().flat_map(apart).collect()
}

/// Those of these claims that the scope sees, by code.
#[boxed::future]
pub async fn find(
    from: impl Into<Source<'_>>,
    scope: &Scope,
    codes: impl IntoIterator<Item = ClaimCode>,
) -> Result<Vec<Told>, Error> {
    let statement = sql(concat!(
        "SELECT code, ",
        head_columns!(),
        ", ",
        claim_columns!(),
        ", (SELECT u.name FROM users u WHERE u.tenant = claims.tenant AND u.code = claims.responsible) AS responsible_name
         FROM claims WHERE tenant = $1"
    ))
    .arg(scope.tenant())
    .within("code", codes)
    .scoped("branch + 0", scope.branches())
    .ending("ORDER BY code");
    let rows = from.all(Weight::Point, statement).await?;
    let told = |row: &Row| {
        Ok(Told { code: row.get("code")?, claim: claim(row)?, responsible: row.get("responsible_name")? })
    };
    rows.iter().map(told).collect()
}

pub(crate) fn claim(row: &Row) -> Result<Claim, Error> {
    Ok(Claim {
        head: cases::head(row)?,
        kind: row.get("kind")?,
        involved: row.get("involved")?,
        priority: row.get("priority")?,
        description: row.get("description")?,
        happened_on: row.get("happened_on")?,
        driver: row.get("driver")?,
        place: place(row)?,
        vehicle: vehicle(row)?,
    })
}

/// Which claims belong to these: pairs of one of these and another.
#[boxed::future]
pub async fn related(
    from: impl Into<Source<'_>>,
    tenant: TenantId,
    claims: impl IntoIterator<Item = ClaimCode>,
) -> Result<Vec<(ClaimCode, ClaimCode)>, Error> {
    let statement = sql("SELECT claim, related FROM claim_relations WHERE tenant = $1")
        .arg(tenant)
        .within("claim", claims)
        .ending("ORDER BY claim, related");
    let rows = from.all(Weight::Point, statement).await?;
    rows.iter().map(|row| Ok((row.get("claim")?, row.get("related")?))).collect()
}
