//! Benefits. Only `app::situations` writes them.

pub mod installations;
pub mod items;
pub mod monthly_counts;
pub mod trackers;

mod import_undo;
pub(crate) mod row;

pub use import_undo::{
    MatchingBenefit, delete_benefit, find_benefit_reference, find_benefits_by_numbers,
    list_matching_benefits, parse_benefit_snapshot, render_benefit_snapshot,
};

pub(crate) use row::{
    benefit_columns, build_vehicle_values, parse_benefit_row, parse_field_values, parse_priced_plans,
    parse_vehicle_row, vehicle_columns,
};

use crate::executor::statement::build_inserts;
use crate::server::counters::{self, Counter};
use crate::server::versions;
use crate::{Error, QueryWeight, ReadSource, Row, Statement, Tx, sql};
use domain::{
    Benefit, BenefitCode, BranchCode, CardNumber, Chassis, Document, PersonCode, Plate, Scope, SituationCode,
    TenantId,
};

/// Rows per statement.
const ROWS: usize = 50;

/// Inserts benefits.
pub fn insert_benefits<'b>(
    tenant: TenantId,
    benefits: impl IntoIterator<Item = (BenefitCode, &'b Benefit)>,
) -> Vec<Statement> {
    let rows = benefits.into_iter().map(|(code, benefit)| row::build_benefit_row(tenant, code, benefit));
    build_inserts(row::INSERT, ROWS, rows)
}

pub fn update_benefit(tenant: TenantId, code: BenefitCode, benefit: &Benefit) -> Statement {
    let statement = sql("UPDATE benefits SET person = $3, branch = $4, kind = $5, situation = $6, sequence = $7, card = $8,
             due_day = $9, consultant = $10, representative = $11, joined_on = $12, activated_on = $13,
             cancelled_on = $14, integration_code = $15, note = $16, plans = $17, field_values = $18, plate = $19,
             chassis = $20, renavam = $21, brand = $22, model = $23, built = $24, model_year = $25, colour = $26,
             fuel = $27, category = $28, vehicle_type = $29, doors = $30, worth = $31, protected = $32,
             participation = $33, fipe = $34, slot = $35, version = version + $36, created_at = $37, updated_at = $38
         WHERE tenant = $1 AND code = $2");
    row::build_benefit_row(tenant, code, benefit).into_iter().fold(statement, Statement::arg)
}

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

/// The person who has the card, by a benefit or a dependent. A card belongs to one person, so the first row is
/// enough.
pub(crate) fn select_card_holder(tenant: TenantId, card: &CardNumber) -> Statement {
    sql("SELECT person FROM benefits WHERE tenant = $1 AND card = $2
         UNION ALL SELECT (SELECT b.person FROM benefits b WHERE b.tenant = d.tenant AND b.code = d.benefit) AS person
             FROM dependents d WHERE d.tenant = $1 AND d.card = $2
         LIMIT 1")
    .arg(tenant)
    .arg(card.as_str())
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

/// A benefit that shares a vehicle key with another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConflictingBenefit {
    pub code: BenefitCode,
    pub branch: BranchCode,
    pub situation: SituationCode,
}

/// The existing data that a new or changed benefit may conflict with.
#[derive(Clone, Debug, Default)]
pub struct BenefitKeyConflicts {
    /// The benefits with its plate, in either of its formats.
    pub with_plate: Vec<ConflictingBenefit>,
    pub with_chassis: Vec<ConflictingBenefit>,
    pub card_holder: Option<PersonCode>,
    /// The search row of the member without a benefit, which the first benefit takes over.
    pub free_row: Option<(i32, BranchCode)>,
}

/// The keys that only one benefit may have: plate, chassis, card.
pub type BenefitUniqueKeys<'a> = (Option<&'a Plate>, Option<&'a Chassis>, Option<&'a CardNumber>);

/// Loads the possible conflicts of these keys and, for a new benefit, the free row it may take over; in one round
/// trip.
#[boxed::future]
pub async fn load_benefit_conflicts(
    tx: &mut Tx,
    tenant: TenantId,
    keys: BenefitUniqueKeys<'_>,
    new_of: Option<(PersonCode, Option<&Document>)>,
) -> Result<BenefitKeyConflicts, Error> {
    let free = match new_of {
        Some((_, Some(document))) => select_free_row(tenant, document),
        Some((person, None)) => {
            sql("SELECT slot, branch FROM listing WHERE tenant = $1 AND person = $2 AND benefit IS NULL")
                .arg(tenant)
                .arg(person)
        }
        None => select_nothing(),
    };
    let [plates, chassis, cards] = select_key_holders(tenant, keys);
    let [plates, chassis, cards, free] = tx.fetch_several([plates, chassis, cards, free]).await?;
    Ok(BenefitKeyConflicts {
        with_plate: parse_conflicting_benefits(&plates)?,
        with_chassis: parse_conflicting_benefits(&chassis)?,
        card_holder: cards.first().map(|row| row.get("person")).transpose()?,
        free_row: match free.first() {
            Some(row) => Some((row.get("slot")?, row.get("branch")?)),
            None => None,
        },
    })
}

/// Prefetches what the creation of a benefit reads.
#[boxed::future]
pub async fn prefetch_benefit_creation(
    tx: &mut Tx,
    tenant: TenantId,
    (document, select_person): (&Document, Statement),
    keys: BenefitUniqueKeys<'_>,
) -> Result<(), Error> {
    let mut statements = vec![versions::select_versions(tenant), select_person];
    statements.extend(select_key_holders(tenant, keys));
    statements.push(select_free_row(tenant, document));
    if keys.2.is_none() {
        statements.push(counters::select_last_number(tenant, Counter::Card));
    }
    tx.prefetch(statements).await
}

/// Reserves numbers, including that of the next card, and returns the card; `None` if a person already has that card,
/// because it came from outside.
pub async fn reserve_numbers_with_card<const KINDS: usize>(
    tx: &mut Tx,
    tenant: TenantId,
    requested: [(Counter, i32); KINDS],
) -> Result<([i32; KINDS], Option<CardNumber>), Error> {
    let last = counters::load_last_number(&mut *tx, tenant, Counter::Card).await?;
    let next = i32::try_from(last + 1).map_err(|_| Error::Broken("the cards are past int32".to_owned()))?;
    let card = CardNumber::generate(tenant, next);
    let (numbers, holders) =
        counters::reserve_blocks_and_query(tx, tenant, requested, select_card_holder(tenant, &card)).await?;
    Ok((numbers, holders.is_empty().then_some(card)))
}

fn select_key_holders(tenant: TenantId, (plate, chassis, card): BenefitUniqueKeys<'_>) -> [Statement; 3] {
    let holder_query = |column: &str, value: Option<String>| match value {
        Some(value) => sql("SELECT benefit, branch, situation FROM listing WHERE tenant = $1")
            .arg(tenant)
            .append(&format!("AND {column} = ?"), [value])
            .append_text("ORDER BY slot"),
        None => select_nothing(),
    };
    [
        holder_query("plate_key", plate.map(Plate::comparison_key)),
        holder_query("chassis", chassis.map(|chassis| chassis.as_str().to_owned())),
        card.map_or_else(select_nothing, |card| select_card_holder(tenant, card)),
    ]
}

/// The search row of a member who has no benefit.
fn select_free_row(tenant: TenantId, document: &Document) -> Statement {
    sql("SELECT slot, branch FROM listing WHERE tenant = $1 AND document = $2 AND benefit IS NULL")
        .arg(tenant)
        .arg(document.as_str())
}

/// A query without rows, as a placeholder.
pub(crate) fn select_nothing() -> Statement {
    sql("SELECT 1 AS one WHERE 1 = 0")
}

fn parse_conflicting_benefits(rows: &[Row]) -> Result<Vec<ConflictingBenefit>, Error> {
    rows.iter()
        .map(|row| {
            let (code, branch) = (row.get("benefit")?, row.get("branch")?);
            Ok(ConflictingBenefit { code, branch, situation: row.get("situation")? })
        })
        .collect()
}
