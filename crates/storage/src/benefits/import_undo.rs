//! Lookups of benefits for imports, and what is needed to undo an import.

use super::{parse_benefit_row, row};
use crate::exchange::imports::removed_codes;
use crate::exchange::record_snapshot;
use crate::{Error, Statement, Tx, sql};
use domain::{
    Benefit, BenefitCode, BenefitItem, CardNumber, Chassis, Date, ItemCode, Money, PersonCode, PlanCode,
    Plate, ReferenceKind, SituationCode, TenantId,
};
use serde_json::{Value as Json, json};

/// A benefit that an import line may refer to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatchingBenefit {
    pub code: BenefitCode,
    pub person: PersonCode,
    pub situation: SituationCode,
}

/// The benefits with this plate, else with this chassis, else with this card; ordered by code.
#[boxed::future]
pub async fn list_matching_benefits(
    tx: &mut Tx,
    tenant: TenantId,
    (plate, chassis, card): (Option<&Plate>, Option<&Chassis>, Option<&CardNumber>),
) -> Result<Vec<MatchingBenefit>, Error> {
    let listed = "SELECT benefit AS code, person, situation FROM listing WHERE tenant = $1";
    let statement = match (plate, chassis, card) {
        (Some(plate), ..) => sql(listed).arg(tenant).append("AND plate_key = ?", [plate.comparison_key()]),
        (None, Some(chassis), _) => sql(listed).arg(tenant).append("AND chassis = ?", [chassis.as_str()]),
        (None, None, Some(card)) => sql("SELECT code, person, situation FROM benefits WHERE tenant = $1")
            .arg(tenant)
            .append("AND card = ?", [card.as_str()]),
        (None, None, None) => return Ok(Vec::new()),
    };
    let mut found = Vec::new();
    for row in tx.fetch_all(statement).await? {
        found.push(MatchingBenefit {
            code: row.get("code")?,
            person: row.get("person")?,
            situation: row.get("situation")?,
        });
    }
    found.sort_by_key(|one| one.code);
    Ok(found)
}

/// The benefits with this code and with this sequence number.
#[boxed::future]
pub async fn find_benefits_by_numbers(
    tx: &mut Tx,
    tenant: TenantId,
    (code, sequence): (Option<BenefitCode>, Option<i32>),
) -> Result<(Option<BenefitCode>, Option<BenefitCode>), Error> {
    let by_code = sql("SELECT code FROM benefits WHERE tenant = $1 AND code = $2").arg(tenant).arg(code);
    let by_sequence =
        sql("SELECT code FROM benefits WHERE tenant = $1 AND sequence = $2").arg(tenant).arg(sequence);
    let [by_code, by_sequence] = tx.fetch_several([by_code, by_sequence]).await?;
    let first = |rows: &[crate::Row]| rows.first().map(|row| row.get("code")).transpose();
    Ok((first(&by_code)?, first(&by_sequence)?))
}

/// A benefit and its items as a text snapshot.
pub fn render_benefit_snapshot(benefit: &Benefit, items: &[BenefitItem]) -> String {
    let items: Vec<Json> = items
        .iter()
        .map(|one| {
            let (price, included) = (one.price.cents(), one.included_on.to_iso());
            json!([
                one.code.get(),
                one.plan.get(),
                price,
                included,
                one.is_first,
                one.active,
                one.is_price_agreed
            ])
        })
        .collect();
    let values = row::build_benefit_row(TenantId::SERVER, BenefitCode::new(0), benefit);
    json!({ "benefit": record_snapshot::encode_snapshot(row::INSERT, values), "items": items }).to_string()
}

/// Parses a snapshot; its version must not be used.
pub fn parse_benefit_snapshot(text: &str) -> Result<(Benefit, Vec<BenefitItem>), Error> {
    let broken = || Error::Broken("a benefit is kept that cannot be read".to_owned());
    let all: Json = serde_json::from_str(text).map_err(|_| broken())?;
    let found = parse_benefit_row(&record_snapshot::parse_snapshot_row(
        all["benefit"].as_str().ok_or_else(broken)?,
    )?)?;
    let one = |one: &Json| {
        let number = |at: usize| one[at].as_i64().and_then(|number| i32::try_from(number).ok());
        Some(BenefitItem {
            code: ItemCode::new(number(0)?),
            plan: PlanCode::new(number(1)?),
            price: Money::from_stored_cents(one[2].as_i64()?)?,
            included_on: Date::from_iso(one[3].as_str()?)?,
            is_first: one[4].as_bool()?,
            active: one[5].as_bool()?,
            // Snapshots of older versions know agreed prices alone.
            is_price_agreed: one[6].as_bool().unwrap_or(true),
        })
    };
    let items = all["items"].as_array().ok_or_else(broken)?.iter();
    Ok((found, items.map(|item| one(item).ok_or_else(broken)).collect::<Result<_, _>>()?))
}

/// The first reference to a benefit that is found, if any.
#[boxed::future]
pub async fn find_benefit_reference(
    tx: &mut Tx,
    tenant: TenantId,
    code: BenefitCode,
) -> Result<Option<ReferenceKind>, Error> {
    let query = |text: &'static str| sql(text).arg(tenant).arg(code);
    let found = tx
        .fetch_several([
            query("SELECT 1 AS one FROM dependents WHERE tenant = $1 AND benefit = $2 LIMIT 1"),
            query("SELECT 1 AS one FROM installations WHERE tenant = $1 AND benefit = $2 LIMIT 1"),
            query("SELECT 1 AS one FROM claims WHERE tenant = $1 AND benefit = $2 LIMIT 1"),
            query("SELECT 1 AS one FROM inspections WHERE tenant = $1 AND benefit = $2 LIMIT 1"),
            query("SELECT 1 AS one FROM tickets WHERE tenant = $1 AND benefit = $2 LIMIT 1"),
            query("SELECT 1 AS one FROM appointments WHERE tenant = $1 AND benefit = $2 LIMIT 1"),
            query("SELECT 1 AS one FROM title_benefits WHERE tenant = $1 AND benefit = $2 LIMIT 1"),
            query("SELECT 1 AS one FROM benefit_discounts WHERE tenant = $1 AND benefit = $2 LIMIT 1"),
        ])
        .await?;
    let kinds = [
        ReferenceKind::Dependents,
        ReferenceKind::Tracker,
        ReferenceKind::Claims,
        ReferenceKind::Inspections,
        ReferenceKind::Tickets,
        ReferenceKind::Appointments,
        ReferenceKind::Titles,
        ReferenceKind::Discounts,
    ];
    Ok(found.iter().zip(kinds).find(|(rows, _)| !rows.is_empty()).map(|(_, kind)| kind))
}

/// Deletes a benefit that nothing references. The caller removes its search row.
pub fn delete_benefit(tenant: TenantId, code: BenefitCode, sequence: i32) -> Vec<Statement> {
    vec![
        sql("DELETE FROM items WHERE tenant = $1 AND benefit = $2").arg(tenant).arg(code),
        sql("DELETE FROM benefits WHERE tenant = $1 AND code = $2").arg(tenant).arg(code),
        removed_codes::insert_removed_code(tenant, "benefit", code.get()),
        removed_codes::insert_removed_code(tenant, "sequence", sequence),
    ]
}
