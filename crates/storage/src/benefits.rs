//! Benefits: what is known of each, whole. `app::situations` is the one place that writes them.

use crate::statement::inserts;
use crate::{Error, Row, Source, Statement, Tx, Value, Weight, sql};
use domain::{
    BenefitCode, BenefitKind, BranchCode, Branches, CardNumber, Chassis, FieldCode, Fuel, Moment, PersonCode,
    PlanCode, Plate, Rejection, Scope, SellerCode, SituationCode, TenantId, VehicleCategory, VehicleTypeCode,
};
use std::collections::BTreeMap;

/// Days are `yyyy-MM-dd`, money is in cents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Benefit {
    pub person: PersonCode,
    pub branch: BranchCode,
    pub kind: BenefitKind,
    pub situation: SituationCode,
    pub sequence: i32,
    pub card: Option<CardNumber>,
    pub due_day: Option<i32>,
    pub consultant: Option<SellerCode>,
    pub representative: Option<SellerCode>,
    pub joined_on: Option<String>,
    /// When it first became active.
    pub activated_on: Option<String>,
    pub cancelled_on: Option<String>,
    pub integration_code: Option<String>,
    pub note: Option<String>,
    /// Of its active items, with their prices; by plan.
    pub plans: Vec<(PlanCode, i64)>,
    pub fields: FieldValues,
    /// Empty but for a benefit of the vehicle kind.
    pub vehicle: Vehicle,
    /// Its place in the searches.
    pub slot: i32,
    pub created_at: Moment,
    pub updated_at: Moment,
}

/// The values of additional fields, as text.
pub type FieldValues = BTreeMap<FieldCode, String>;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vehicle {
    pub plate: Option<Plate>,
    pub chassis: Option<Chassis>,
    pub renavam: Option<String>,
    pub brand: Option<String>,
    pub model: Option<String>,
    pub built: Option<i32>,
    pub model_year: Option<i32>,
    pub colour: Option<String>,
    pub fuel: Option<Fuel>,
    pub category: Option<VehicleCategory>,
    pub kind: Option<VehicleTypeCode>,
    pub doors: Option<i32>,
    pub worth: Option<i64>,
    pub protected: Option<i64>,
    pub participation: Option<i64>,
    pub fipe: Option<String>,
}

/// How many rows travel in one statement.
const ROWS: usize = 50;
const COLUMNS: usize = 38;

/// The columns in the order of [`values`].
const INSERT: &str = "INSERT INTO benefits (tenant, code, person, branch, kind, situation, sequence, card, due_day,
     consultant, representative, joined_on, activated_on, cancelled_on, integration_code, note, plans, field_values,
     plate, chassis, renavam, brand, model, built, model_year, colour, fuel, category, vehicle_type, doors, worth,
     protected, participation, fipe, slot, version, created_at, updated_at) VALUES";

/// Writes benefits that are not there yet, each with its code.
pub fn insert<'b>(
    tenant: TenantId,
    benefits: impl IntoIterator<Item = (BenefitCode, &'b Benefit)>,
) -> Vec<Statement> {
    let rows = benefits.into_iter().map(|(code, benefit)| values(tenant, code, benefit));
    inserts(INSERT, ROWS, rows)
}

/// Writes everything that is known of a benefit anew.
pub fn update(tenant: TenantId, code: BenefitCode, benefit: &Benefit) -> Statement {
    let statement = sql("UPDATE benefits SET person = $3, branch = $4, kind = $5, situation = $6, sequence = $7, card = $8,
             due_day = $9, consultant = $10, representative = $11, joined_on = $12, activated_on = $13,
             cancelled_on = $14, integration_code = $15, note = $16, plans = $17, field_values = $18, plate = $19,
             chassis = $20, renavam = $21, brand = $22, model = $23, built = $24, model_year = $25, colour = $26,
             fuel = $27, category = $28, vehicle_type = $29, doors = $30, worth = $31, protected = $32,
             participation = $33, fipe = $34, slot = $35, version = version + $36, created_at = $37, updated_at = $38
         WHERE tenant = $1 AND code = $2");
    values(tenant, code, benefit).into_iter().fold(statement, Statement::arg)
}

/// The benefit of this code, if the scope sees its branch.
pub async fn find(
    from: impl Into<Source<'_>>,
    scope: &Scope,
    code: BenefitCode,
) -> Result<Option<Benefit>, Error> {
    let statement = sql("SELECT person, branch, kind, situation, sequence, card, due_day, consultant, representative,
             joined_on, activated_on, cancelled_on, integration_code, note, plans, field_values, plate, chassis, renavam,
             brand, model, built, model_year, colour, fuel, category, vehicle_type, doors, worth, protected,
             participation, fipe, slot, created_at, updated_at
         FROM benefits WHERE tenant = $1 AND code = $2")
    .arg(scope.tenant())
    .arg(code);
    let found = from.into().one(statement).await?.map(|row| benefit(&row)).transpose()?;
    Ok(found.filter(|benefit| scope.sees(benefit.branch)))
}

/// Somebody who has a card of this number.
pub async fn card_holder(
    from: impl Into<Source<'_>>,
    tenant: TenantId,
    card: &CardNumber,
) -> Result<Option<PersonCode>, Error> {
    let rows = from.into().all(Weight::Point, with_card(tenant, card)).await?;
    rows.first().map(|row| row.get("person")).transpose()
}

fn with_card(tenant: TenantId, card: &CardNumber) -> Statement {
    sql("SELECT person FROM benefits WHERE tenant = $1 AND card = $2 ORDER BY code LIMIT 1")
        .arg(tenant)
        .arg(card.as_str())
}

/// Whether the person has a benefit in a branch that the scope sees.
pub async fn has_visible(
    from: impl Into<Source<'_>>,
    scope: &Scope,
    person: PersonCode,
) -> Result<bool, Error> {
    let statement = sql("SELECT code FROM benefits WHERE tenant = $1 AND person = $2")
        .arg(scope.tenant())
        .arg(person)
        .scoped("branch + 0", scope.branches())
        .ending("ORDER BY code LIMIT 1");
    Ok(from.into().one(statement).await?.is_some())
}

/// A benefit that has a vehicle, as far as it matters for who may have it too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holder {
    pub code: BenefitCode,
    pub branch: BranchCode,
    pub situation: SituationCode,
}

/// What stands in the way of a benefit, or makes room for it.
#[derive(Clone, Debug, Default)]
pub struct Around {
    /// The benefits with its plate, in either of its forms.
    pub with_plate: Vec<Holder>,
    pub with_chassis: Vec<Holder>,
    pub card_holder: Option<PersonCode>,
    /// The member's row without a benefit, which his first benefit takes over.
    pub free_row: Option<(i32, BranchCode)>,
}

/// What is around a benefit of this person with these; asked for in one go.
pub async fn around(
    tx: &mut Tx,
    tenant: TenantId,
    person: PersonCode,
    (plate, chassis, card): (Option<&Plate>, Option<&Chassis>, Option<&CardNumber>),
) -> Result<Around, Error> {
    let by = |column: &str, value: Option<String>| match value {
        Some(value) => sql("SELECT benefit, branch, situation FROM listing WHERE tenant = $1")
            .arg(tenant)
            .then(&format!("AND {column} = ?"), [value])
            .ending("ORDER BY slot"),
        None => nothing(),
    };
    let free = sql("SELECT slot, branch FROM listing WHERE tenant = $1 AND person = $2 AND benefit IS NULL");
    let [plates, chassis, cards, free] = tx
        .several([
            by("plate_key", plate.map(Plate::key)),
            by("chassis", chassis.map(|chassis| chassis.as_str().to_owned())),
            card.map_or_else(nothing, |card| with_card(tenant, card)),
            free.arg(tenant).arg(person),
        ])
        .await?;
    Ok(Around {
        with_plate: holders(&plates)?,
        with_chassis: holders(&chassis)?,
        card_holder: cards.first().map(|row| row.get("person")).transpose()?,
        free_row: match free.first() {
            Some(row) => Some((row.get("slot")?, row.get("branch")?)),
            None => None,
        },
    })
}

/// A statement without rows, where there is nothing to ask for.
fn nothing() -> Statement {
    sql("SELECT 1 AS one WHERE 1 = 0")
}

fn holders(rows: &[Row]) -> Result<Vec<Holder>, Error> {
    rows.iter()
        .map(|row| {
            let (code, branch) = (row.get("benefit")?, row.get("branch")?);
            Ok(Holder { code, branch, situation: row.get("situation")? })
        })
        .collect()
}

/// The codes of a page of the list of all benefits, within a stretch of them.
pub async fn codes(
    tx: &mut Tx,
    scope: &Scope,
    stretch: crate::tally::Stretch,
    take: i64,
) -> Result<Vec<BenefitCode>, Error> {
    let stretched = sql("SELECT code FROM benefits WHERE tenant = $1 AND code >= $2 AND code <= $3")
        .arg(scope.tenant())
        .arg(stretch.first)
        .arg(stretch.last);
    let limits = [take, stretch.skip];
    let statement = match scope.branches() {
        Branches::All => stretched.then("ORDER BY code LIMIT ? OFFSET ?", limits),
        // Disguised, or the whole stretch would be walked for the few rows of some branches.
        some => stretched.scoped("branch", some).then("ORDER BY code + 0 LIMIT ? OFFSET ?", limits),
    };
    let rows = Source::from(tx).all(Weight::Search, statement).await?;
    rows.iter().map(|row| row.get("code")).collect()
}

/// `10:15055 12:2990`
pub(crate) fn plans_text(plans: &[(PlanCode, i64)]) -> String {
    plans.iter().map(|(plan, price)| format!("{plan}:{price}")).collect::<Vec<_>>().join(" ")
}

pub(crate) fn plans_of(text: &str) -> Result<Vec<(PlanCode, i64)>, Error> {
    let one = |part: &str| {
        let (plan, price) = part.split_once(':')?;
        Some((PlanCode::new(plan.parse().ok()?), price.parse().ok()?))
    };
    text.split_whitespace()
        .map(|part| one(part).ok_or_else(|| Error::Broken(format!("{part:?} is kept as a plan"))))
        .collect()
}

/// `None` where there is none, which is most often.
fn fields_text(fields: &FieldValues) -> Option<String> {
    let object: serde_json::Map<String, serde_json::Value> =
        fields.iter().map(|(code, value)| (code.to_string(), value.as_str().into())).collect();
    (!object.is_empty()).then(|| serde_json::Value::Object(object).to_string())
}

pub(crate) fn fields_of(text: Option<String>) -> Result<FieldValues, Error> {
    let Some(text) = text else { return Ok(FieldValues::new()) };
    let broken = || Error::Broken("values of additional fields are kept that cannot be read".to_owned());
    let object: BTreeMap<String, String> = serde_json::from_str(&text).map_err(|_| broken())?;
    let one = |(code, value): (String, String)| Some((FieldCode::new(code.parse().ok()?), value));
    object.into_iter().map(|pair| one(pair).ok_or_else(broken)).collect()
}

/// What the database holds was checked when it came; what does not fit any more is a defect, and is told as one.
fn kept<T>(text: Option<String>, parse: impl Fn(&str) -> Result<T, Rejection>) -> Result<Option<T>, Error> {
    text.map(|text| parse(&text).map_err(|why| Error::Broken(format!("a benefit is kept with {why:?}"))))
        .transpose()
}

fn benefit(row: &Row) -> Result<Benefit, Error> {
    Ok(Benefit {
        person: row.get("person")?,
        branch: row.get("branch")?,
        kind: row.get("kind")?,
        situation: row.get("situation")?,
        sequence: row.get("sequence")?,
        card: kept(row.get("card")?, CardNumber::parse)?,
        due_day: row.get("due_day")?,
        consultant: row.get("consultant")?,
        representative: row.get("representative")?,
        joined_on: row.get("joined_on")?,
        activated_on: row.get("activated_on")?,
        cancelled_on: row.get("cancelled_on")?,
        integration_code: row.get("integration_code")?,
        note: row.get("note")?,
        plans: plans_of(&row.get::<String>("plans")?)?,
        fields: fields_of(row.get("field_values")?)?,
        vehicle: Vehicle {
            plate: kept(row.get("plate")?, Plate::parse)?,
            chassis: kept(row.get("chassis")?, Chassis::parse)?,
            renavam: row.get("renavam")?,
            brand: row.get("brand")?,
            model: row.get("model")?,
            built: row.get("built")?,
            model_year: row.get("model_year")?,
            colour: row.get("colour")?,
            fuel: row.get("fuel")?,
            category: row.get("category")?,
            kind: row.get("vehicle_type")?,
            doors: row.get("doors")?,
            worth: row.get("worth")?,
            protected: row.get("protected")?,
            participation: row.get("participation")?,
            fipe: row.get("fipe")?,
        },
        slot: row.get("slot")?,
        created_at: row.get("created_at")?,
        updated_at: row.get("updated_at")?,
    })
}

fn values(tenant: TenantId, code: BenefitCode, benefit: &Benefit) -> [Value; COLUMNS] {
    let vehicle = &benefit.vehicle;
    [
        tenant.into(),
        code.into(),
        benefit.person.into(),
        benefit.branch.into(),
        benefit.kind.into(),
        benefit.situation.into(),
        benefit.sequence.into(),
        benefit.card.as_ref().map(CardNumber::as_str).into(),
        benefit.due_day.into(),
        benefit.consultant.into(),
        benefit.representative.into(),
        benefit.joined_on.as_deref().into(),
        benefit.activated_on.as_deref().into(),
        benefit.cancelled_on.as_deref().into(),
        benefit.integration_code.as_deref().into(),
        benefit.note.as_deref().into(),
        plans_text(&benefit.plans).into(),
        fields_text(&benefit.fields).into(),
        vehicle.plate.as_ref().map(Plate::as_str).into(),
        vehicle.chassis.as_ref().map(Chassis::as_str).into(),
        vehicle.renavam.as_deref().into(),
        vehicle.brand.as_deref().into(),
        vehicle.model.as_deref().into(),
        vehicle.built.into(),
        vehicle.model_year.into(),
        vehicle.colour.as_deref().into(),
        vehicle.fuel.into(),
        vehicle.category.into(),
        vehicle.kind.into(),
        vehicle.doors.into(),
        vehicle.worth.into(),
        vehicle.protected.into(),
        vehicle.participation.into(),
        vehicle.fipe.as_deref().into(),
        benefit.slot.into(),
        1.into(),
        benefit.created_at.into(),
        benefit.updated_at.into(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_and_fields_come_back_as_they_were_kept() {
        let plans = vec![(PlanCode::new(10), 15_055), (PlanCode::new(12), 0)];
        assert_eq!(plans_text(&plans), "10:15055 12:0");
        assert_eq!(plans_of("10:15055 12:0").unwrap(), plans);
        assert_eq!(plans_of("").unwrap(), []);
        assert!(plans_of("10").is_err());
        let fields = FieldValues::from([(FieldCode::new(3), "Cinza \"claro\"".to_owned())]);
        assert_eq!(fields_of(fields_text(&fields)).unwrap(), fields);
        assert_eq!(fields_text(&FieldValues::new()), None);
        assert!(fields_of(Some("{\"x\": \"y\"}".to_owned())).is_err());
    }
}
