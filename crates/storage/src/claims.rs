//! Claims: what happened to members and their benefits, and which of them belong together.

mod search;

pub use search::{Driver, Found, Part, Place, at, codes, count, driver};

use crate::benefits::Vehicle;
use crate::benefits::kept::{vehicle, vehicle_columns, vehicle_values};
use crate::people::place;
use crate::statement::inserts;
use crate::{Error, Row, Source, Statement, Value, Weight, sql};
use domain::{
    BenefitCode, BranchCode, Cep, ClaimCode, ClaimTypeCode, Involved, Moment, PersonCode, PostalAddress,
    Priority, Scope, SituationCode, TenantId, UserCode,
};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// By which people speak of it; unique in the tenant.
    pub protocol: i32,
    pub branch: BranchCode,
    /// The member.
    pub person: PersonCode,
    pub benefit: Option<BenefitCode>,
    pub kind: ClaimTypeCode,
    pub situation: SituationCode,
    pub involved: Involved,
    pub priority: Priority,
    /// The user who sees to it.
    pub responsible: Option<UserCode>,
    pub description: Option<String>,
    /// `yyyy-MM-dd`
    pub happened_on: Option<String>,
    pub opened_at: Moment,
    pub closed_at: Option<Moment>,
    /// Who drove, member or not.
    pub driver: Option<PersonCode>,
    /// Where it happened.
    pub place: PostalAddress,
    pub vehicle: Vehicle,
}

/// A claim with what its codes stand for where the registers do not say it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    pub code: ClaimCode,
    pub claim: Claim,
    pub responsible: Option<String>,
}

/// How many rows travel in one statement.
const ROWS: usize = 50;

/// Writes claims that are not there yet, each with its code.
pub fn insert<'c>(
    tenant: TenantId,
    claims: impl IntoIterator<Item = (ClaimCode, &'c Claim)>,
) -> Vec<Statement> {
    let head = concat!(
        "INSERT INTO claims (tenant, code, protocol, branch, person, benefit, kind, situation, involved, priority,
             responsible, description, happened_on, opened_at, closed_at, driver, street_kind, street, street_number,
             complement, district, city, state, cep, ",
        vehicle_columns!(),
        ", version, created_at, updated_at) VALUES"
    );
    inserts(head, ROWS, claims.into_iter().map(|(code, claim)| values(tenant, code, claim)))
}

fn values(tenant: TenantId, code: ClaimCode, claim: &Claim) -> Vec<Value> {
    let place = &claim.place;
    let mut values: Vec<Value> = vec![
        tenant.into(),
        code.into(),
        claim.protocol.into(),
        claim.branch.into(),
        claim.person.into(),
        claim.benefit.into(),
        claim.kind.into(),
        claim.situation.into(),
        claim.involved.into(),
        claim.priority.into(),
        claim.responsible.into(),
        claim.description.as_deref().into(),
        claim.happened_on.as_deref().into(),
        claim.opened_at.into(),
        claim.closed_at.into(),
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
    values.extend([1.into(), claim.opened_at.into(), claim.opened_at.into()]);
    values
}

/// Says of claims which others they belong to.
pub fn relate(tenant: TenantId, pairs: impl IntoIterator<Item = (ClaimCode, ClaimCode)>) -> Vec<Statement> {
    let rows = pairs.into_iter().map(|(claim, related)| [tenant.into(), claim.into(), related.into()]);
    inserts("INSERT INTO claim_relations (tenant, claim, related) VALUES", ROWS, rows)
}

/// Those of these claims that the scope sees, by code.
pub async fn find(
    from: impl Into<Source<'_>>,
    scope: &Scope,
    codes: impl IntoIterator<Item = ClaimCode>,
) -> Result<Vec<Told>, Error> {
    let statement = sql(concat!(
        "SELECT code, protocol, branch, person, benefit, kind, situation, involved, priority, responsible, description,
             happened_on, opened_at, closed_at, driver, street_kind, street, street_number, complement, district, city,
             state, cep, ",
        vehicle_columns!(),
        ", (SELECT u.name FROM users u WHERE u.tenant = claims.tenant AND u.code = claims.responsible) AS responsible_name
         FROM claims WHERE tenant = $1"
    ))
    .arg(scope.tenant())
    .within("code", codes)
    .scoped("branch + 0", scope.branches())
    .ending("ORDER BY code");
    let rows = from.into().all(Weight::Point, statement).await?;
    rows.iter().map(told).collect()
}

fn told(row: &Row) -> Result<Told, Error> {
    let claim = Claim {
        protocol: row.get("protocol")?,
        branch: row.get("branch")?,
        person: row.get("person")?,
        benefit: row.get("benefit")?,
        kind: row.get("kind")?,
        situation: row.get("situation")?,
        involved: row.get("involved")?,
        priority: row.get("priority")?,
        responsible: row.get("responsible")?,
        description: row.get("description")?,
        happened_on: row.get("happened_on")?,
        opened_at: row.get("opened_at")?,
        closed_at: row.get("closed_at")?,
        driver: row.get("driver")?,
        place: place(row)?,
        vehicle: vehicle(row)?,
    };
    Ok(Told { code: row.get("code")?, claim, responsible: row.get("responsible_name")? })
}

/// Which claims belong to these: pairs of one of these and another.
pub async fn related(
    from: impl Into<Source<'_>>,
    tenant: TenantId,
    claims: impl IntoIterator<Item = ClaimCode>,
) -> Result<Vec<(ClaimCode, ClaimCode)>, Error> {
    let statement = sql("SELECT claim, related FROM claim_relations WHERE tenant = $1")
        .arg(tenant)
        .within("claim", claims)
        .ending("ORDER BY claim, related");
    let rows = from.into().all(Weight::Point, statement).await?;
    rows.iter().map(|row| Ok((row.get("claim")?, row.get("related")?))).collect()
}
