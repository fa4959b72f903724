//! The plate, chassis and card that only one benefit may have.

use super::cards::select_card_holder;
use crate::server::counters::{self, Counter};
use crate::server::versions;
use crate::{Error, Row, Statement, Tx, sql};
use domain::{
    BenefitCode, BranchCode, CardNumber, Chassis, Document, PersonCode, Plate, SituationCode, TenantId,
};

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
