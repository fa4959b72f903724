//! The founding of the demonstration's association: its base, and every register that it has before its members.

use super::association::{self, DUE_DAYS, FIELDS, PLANS, SECOND_FUNNEL, SUPPLIERS, VEHICLE_TYPES};
use super::calendar::FOUNDED;
use super::cases::LIMITS;
use super::dice::Dice;
use super::documents::{self, LAST_NUMBER};
use super::health;
use super::places::{self, BRANCHES};
use super::sellers;
use crate::Error;
use crate::tenants::{self, Parsed};
use domain::{
    BenefitKind, BranchCode, Email, Field, FieldCode, FunnelCode, Moment, Name, PlanCode, SituationCode,
    SupplierCode, TenantId, VehicleCategory, VehicleTypeCode,
};
use std::ops::RangeFrom;
use storage::additional_fields::{self, NewField};
use storage::counters::{self, Counter};
use storage::plans::{self, NewPlan};
use storage::suppliers::{self, NewSupplier};
use storage::vehicle_types::{self, NewVehicleType};
use storage::{Tx, branches, due_days, funnels, situations, versions};

/// When everything was registered: the day of the founding.
const THEN: Moment = FOUNDED;

/// Writes the base and its registers, in the server's lane: nobody else knows the new tenant yet.
#[boxed::future]
pub async fn found(tx: &mut Tx, base: &Parsed, seed: u64) -> Result<TenantId, Error> {
    let tenant = tenants::insert(tx, base).await?.tenant;
    for branch in &BRANCHES[1..] {
        let code = BranchCode::new(counters::next(tx, tenant, Counter::Branch).await?);
        branches::insert(tx, tenant, code, &Name::parse(Field::Branch, branch.name)?, THEN).await?;
    }
    due_days::insert_all(tx, tenant, &DUE_DAYS, THEN).await?;
    let codes = take(tx, tenant, Counter::Plan, PLANS.len()).await?;
    let new: Result<Vec<_>, Error> = codes.zip(PLANS).map(plan).collect();
    plans::insert_all(tx, tenant, &new?, THEN).await?;
    let codes = take(tx, tenant, Counter::VehicleType, VEHICLE_TYPES.len()).await?;
    let new: Result<Vec<_>, Error> = codes.zip(VEHICLE_TYPES).map(vehicle_type).collect();
    vehicle_types::insert_all(tx, tenant, &new?, THEN).await?;
    let codes = take(tx, tenant, Counter::Field, FIELDS.len()).await?;
    let new: Result<Vec<_>, Error> = codes.zip(FIELDS).map(field).collect();
    additional_fields::insert_all(tx, tenant, &new?, THEN).await?;
    let codes = take(tx, tenant, Counter::Supplier, SUPPLIERS.len()).await?;
    let new: Result<Vec<_>, Error> = codes.zip(SUPPLIERS).map(|one| supplier(seed, one)).collect();
    suppliers::insert_all(tx, tenant, &new?, THEN).await?;
    health::found(tx, tenant, seed, THEN).await?;
    // Their codes count from 1, as the members' rows assume.
    let posts = sellers::posts();
    take(tx, tenant, Counter::Seller, posts.len()).await?;
    let new: Vec<_> = posts.iter().map(|post| sellers::seller(seed, post)).collect();
    storage::sellers::insert_all(tx, tenant, &new, THEN).await?;
    let (name, stages) = SECOND_FUNNEL;
    let wanted = [(Counter::Funnel, 1), (Counter::Stage, stages.len() as i32)];
    let [funnel, stage] = counters::take_all(tx, tenant, wanted).await?;
    tx.batch(funnels::insert(tenant, FunnelCode::new(funnel), name, (stage, stages), THEN)).await?;
    let limits =
        LIMITS.iter().map(|(code, hours)| situations::limit(tenant, SituationCode::new(*code), *hours));
    tx.batch(limits.collect()).await?;
    versions::raise_registers(tx, tenant).await?;
    Ok(tenant)
}

/// So many codes in a row.
async fn take(
    tx: &mut Tx,
    tenant: TenantId,
    counter: Counter,
    count: usize,
) -> Result<RangeFrom<i32>, Error> {
    Ok(counters::take(tx, tenant, counter, count as i32).await?..)
}

fn plan((code, (name, kind, price)): (i32, &(&str, BenefitKind, i64))) -> Result<NewPlan, Error> {
    Ok(NewPlan { code: PlanCode::new(code), name: named(name)?, kind: *kind, price: *price })
}

fn vehicle_type((code, (name, category)): (i32, &(&str, VehicleCategory))) -> Result<NewVehicleType, Error> {
    Ok(NewVehicleType { code: VehicleTypeCode::new(code), name: named(name)?, category: *category })
}

fn field((code, field): (i32, &association::Field)) -> Result<NewField, Error> {
    Ok(NewField {
        code: FieldCode::new(code),
        benefit_kind: field.benefit,
        name: named(field.name)?,
        kind: field.kind,
        required: field.required,
        longest: field.longest,
        options: field.options.iter().copied().map(str::to_owned).collect(),
    })
}

fn supplier(seed: u64, (code, supplier): (i32, &association::Supplier)) -> Result<NewSupplier, Error> {
    // The last numbers are nobody else's.
    let number = LAST_NUMBER - code.unsigned_abs();
    let mut dice = Dice::new(seed, u64::from(number));
    let city = &BRANCHES[supplier.branch].cities[0];
    Ok(NewSupplier {
        code: SupplierCode::new(code),
        name: named(supplier.name)?,
        trade_name: Some(supplier.trade_name.to_owned()),
        document: Some(documents::cnpj(seed, number, code % 4 == 0, &mut dice).into()),
        state_registration: Some(dice.digits(12)),
        email: Some(Email::parse(&format!("contato@{}.example", supplier.mailbox))?),
        mobile: Some(places::mobile(&mut dice, city)),
        landline: Some(places::landline(&mut dice, city)),
        kind: Some(supplier.kind.to_owned()),
        address: places::address(&mut dice, city, "Comercial"),
    })
}

fn named(text: &str) -> Result<Name, Error> {
    Ok(Name::parse(Field::Name, text)?)
}
