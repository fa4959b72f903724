//! Creates the demo association: its tenant, and every register that its members need.

use crate::association::{self, DUE_DAYS, FIELDS, PLANS, SECOND_FUNNEL, SUPPLIERS, VEHICLE_TYPES};
use crate::calendar::FOUNDED;
use crate::cases::LIMITS;
use crate::dice::SeededDice;
use crate::documents::{self, LAST_NUMBER};
use crate::health;
use crate::places::{self, BRANCHES};
use crate::sellers;
use app::Error;
use app::tenants::{self, ParsedTenant};
use domain::{
    BenefitKind, BranchCode, DisplayName, Email, FieldCode, FunnelCode, InputField, Moment, Money,
    MoneyAccountCode, PlanCode, SituationCode, SupplierCode, TenantId, VehicleCategory, VehicleTypeCode,
};
use std::ops::RangeFrom;
use storage::Tx;
use storage::registers::additional_fields::{self, NewAdditionalFieldRow};
use storage::registers::finance::StoredSlipAgreement;
use storage::registers::plans::{self, NewPlanRow};
use storage::registers::suppliers::{self, NewSupplierRow};
use storage::registers::vehicle_types::{self, NewVehicleTypeRow};
use storage::registers::{branches, due_days, finance, funnels, situations};
use storage::server::counters::{self, Counter};
use storage::server::versions;

/// Everything was registered on the founding day.
const REGISTERED_AT: Moment = FOUNDED;

/// The bank account that every association is born with.
const BANK_ACCOUNT: MoneyAccountCode = MoneyAccountCode::new(2);
/// A key that no bank knows, and the receiver whom the codes name.
const PIX_RECEIVER: [&str; 3] = ["pix@demo.example", "Associação Demonstração", "São Paulo"];
/// Bank, agency and number: Sicoob has no cooperative 9999.
const ACCOUNT_PLACE: [&str; 3] = ["756 - Sicoob", "9999", "1234567-8"];
const SICOOB: i32 = 756;

/// Writes the tenant and its registers in the server's write lane, because no other process knows the new tenant yet.
#[boxed::future]
pub async fn create_association(tx: &mut Tx, base: &ParsedTenant, seed: u64) -> Result<TenantId, Error> {
    let tenant = tenants::insert_tenant(tx, base).await?.tenant;
    for branch in &BRANCHES[1..] {
        let code = BranchCode::new(counters::reserve_number(tx, tenant, Counter::Branch).await?);
        branches::insert_branch(
            tx,
            tenant,
            code,
            &DisplayName::parse(InputField::Branch, branch.name)?,
            REGISTERED_AT,
        )
        .await?;
    }
    due_days::insert_due_days(tx, tenant, &DUE_DAYS, REGISTERED_AT).await?;
    let codes = reserve_codes(tx, tenant, Counter::Plan, PLANS.len()).await?;
    let new: Result<Vec<_>, Error> = codes.zip(PLANS).map(build_plan).collect();
    plans::insert_plans(tx, tenant, &new?, REGISTERED_AT).await?;
    let codes = reserve_codes(tx, tenant, Counter::VehicleType, VEHICLE_TYPES.len()).await?;
    let new: Result<Vec<_>, Error> = codes.zip(VEHICLE_TYPES).map(build_vehicle_type).collect();
    vehicle_types::insert_vehicle_types(tx, tenant, &new?, REGISTERED_AT).await?;
    let codes = reserve_codes(tx, tenant, Counter::Field, FIELDS.len()).await?;
    let new: Result<Vec<_>, Error> = codes.zip(FIELDS).map(build_field).collect();
    additional_fields::insert_additional_fields(tx, tenant, &new?, REGISTERED_AT).await?;
    let codes = reserve_codes(tx, tenant, Counter::Supplier, SUPPLIERS.len()).await?;
    let new: Result<Vec<_>, Error> = codes.zip(SUPPLIERS).map(|one| build_supplier(seed, one)).collect();
    suppliers::insert_suppliers(tx, tenant, &new?, REGISTERED_AT).await?;
    health::insert_health_registers(tx, tenant, seed, REGISTERED_AT).await?;
    // Seller codes start at 1, as the members' rows assume.
    let posts = sellers::list_sales_posts();
    reserve_codes(tx, tenant, Counter::Seller, posts.len()).await?;
    let new: Vec<_> = posts.iter().map(|post| sellers::generate_seller(seed, post)).collect();
    storage::registers::sellers::insert_sellers(tx, tenant, &new, REGISTERED_AT).await?;
    let (name, stages) = SECOND_FUNNEL;
    let counts = [(Counter::Funnel, 1), (Counter::Stage, stages.len() as i32)];
    let [funnel, stage] = counters::reserve_number_blocks(tx, tenant, counts).await?;
    tx.execute_batch(funnels::insert_funnel(
        tenant,
        FunnelCode::new(funnel),
        name,
        (stage, stages),
        REGISTERED_AT,
    ))
    .await?;
    let limits = LIMITS
        .iter()
        .map(|(code, hours)| situations::update_situation_limit(tenant, SituationCode::new(*code), *hours));
    tx.execute_batch(limits.collect()).await?;
    tx.execute_batch(vec![
        finance::update_pix_receiver(tenant, BANK_ACCOUNT, PIX_RECEIVER),
        finance::update_slip_agreement(tenant, BANK_ACCOUNT, ACCOUNT_PLACE, &build_slip_agreement()),
    ])
    .await?;
    versions::raise_registers_version(tx, tenant).await?;
    Ok(tenant)
}

fn build_slip_agreement() -> StoredSlipAgreement {
    let text = |text: &str| Some(text.to_owned());
    StoredSlipAgreement {
        bank: Some(SICOOB),
        wallet: text("1"),
        agreement: text("1234567"),
        variation: text("01"),
        first_number: None,
        beneficiary: text(association::NAME),
        document: text(association::CNPJ),
        address: text("Rua das Palmeiras, 100, Centro, São Paulo - SP, 01000-000"),
        message: text("Boleto de demonstração: não pague."),
    }
}

/// Reserves consecutive codes.
async fn reserve_codes(
    tx: &mut Tx,
    tenant: TenantId,
    counter: Counter,
    count: usize,
) -> Result<RangeFrom<i32>, Error> {
    Ok(counters::reserve_numbers(tx, tenant, counter, count as i32).await?..)
}

fn build_plan((code, (name, kind, price)): (i32, &(&str, BenefitKind, i64))) -> Result<NewPlanRow, Error> {
    Ok(NewPlanRow {
        code: PlanCode::new(code),
        name: parse_name(name)?,
        kind: *kind,
        price: Money::from_cents(*price).unwrap_or_default(),
    })
}

fn build_vehicle_type(
    (code, (name, category)): (i32, &(&str, VehicleCategory)),
) -> Result<NewVehicleTypeRow, Error> {
    Ok(NewVehicleTypeRow { code: VehicleTypeCode::new(code), name: parse_name(name)?, category: *category })
}

fn build_field(
    (code, field): (i32, &association::SampleAdditionalField),
) -> Result<NewAdditionalFieldRow, Error> {
    Ok(NewAdditionalFieldRow {
        code: FieldCode::new(code),
        benefit_kind: field.benefit,
        name: parse_name(field.name)?,
        kind: field.kind,
        required: field.required,
        longest: field.longest,
        options: field.options.iter().copied().map(str::to_owned).collect(),
    })
}

fn build_supplier(
    seed: u64,
    (code, supplier): (i32, &association::SampleSupplier),
) -> Result<NewSupplierRow, Error> {
    // Numbers at the end of the range are not used by members.
    let number = LAST_NUMBER - code.unsigned_abs();
    let mut dice = SeededDice::new(seed, u64::from(number));
    let city = &BRANCHES[supplier.branch].cities[0];
    Ok(NewSupplierRow {
        code: SupplierCode::new(code),
        name: parse_name(supplier.name)?,
        trade_name: Some(supplier.trade_name.to_owned()),
        document: Some(documents::generate_cnpj(seed, number, code % 4 == 0, &mut dice).into()),
        state_registration: Some(dice.roll_digits(12)),
        email: Some(Email::parse(&format!("contato@{}.example", supplier.mailbox))?),
        mobile: Some(places::generate_mobile(&mut dice, city)),
        landline: Some(places::generate_landline(&mut dice, city)),
        kind: Some(supplier.kind.to_owned()),
        address: places::generate_address(&mut dice, city, "Comercial"),
    })
}

fn parse_name(text: &str) -> Result<DisplayName, Error> {
    Ok(DisplayName::parse(InputField::Name, text)?)
}
