//! The founding of the demonstration's association: its base, and every register that it has before its members.

use super::association::{DUE_DAYS, FIELDS, PLANS, SUPPLIERS, VEHICLE_TYPES};
use super::dice::Dice;
use super::documents::{self, LAST_NUMBER};
use super::places::{self, BRANCHES};
use super::{people, sellers};
use crate::Error;
use crate::tenants::{self, Parsed};
use domain::{
    BranchCode, Email, Field, FieldCode, Moment, Name, PlanCode, SupplierCode, TenantId, VehicleTypeCode,
};
use storage::additional_fields::{self, NewField};
use storage::counters::{self, Counter};
use storage::plans::{self, NewPlan};
use storage::sellers::NewSeller;
use storage::suppliers::{self, NewSupplier};
use storage::{Tx, branches, due_days, vehicle_types, versions};

/// When everything was registered: the day of the founding.
const THEN: Moment = people::FOUNDED;

/// Writes the base and its registers, in the server's lane: nobody else knows the new tenant yet.
pub async fn found(tx: &mut Tx, base: &Parsed, seed: u64) -> Result<TenantId, Error> {
    let tenant = tenants::insert(tx, base).await?.tenant;
    for branch in &BRANCHES[1..] {
        let code = BranchCode::new(counters::next(tx, tenant, Counter::Branch).await?);
        branches::insert(tx, tenant, code, &Name::parse(Field::Branch, branch.name)?, THEN).await?;
    }
    for (name, kind, price) in PLANS {
        let code = PlanCode::new(counters::next(tx, tenant, Counter::Plan).await?);
        let plan = NewPlan { code, name: &named(name)?, kind: *kind, price: *price };
        plans::insert(tx, tenant, &plan, THEN).await?;
    }
    for (name, category) in VEHICLE_TYPES {
        let code = VehicleTypeCode::new(counters::next(tx, tenant, Counter::VehicleType).await?);
        vehicle_types::insert(tx, tenant, code, &named(name)?, *category, THEN).await?;
    }
    for day in DUE_DAYS {
        due_days::insert(tx, tenant, day, THEN).await?;
    }
    for field in FIELDS {
        let field = NewField {
            code: FieldCode::new(counters::next(tx, tenant, Counter::Field).await?),
            benefit_kind: field.benefit,
            name: &named(field.name)?,
            kind: field.kind,
            required: field.required,
            longest: field.longest,
            options: field.options,
        };
        additional_fields::insert(tx, tenant, &field, THEN).await?;
    }
    write_sellers(tx, tenant, seed).await?;
    write_suppliers(tx, tenant, seed).await?;
    versions::raise_registers(tx, tenant).await?;
    Ok(tenant)
}

async fn write_sellers(tx: &mut Tx, tenant: TenantId, seed: u64) -> Result<(), Error> {
    let posts = sellers::posts();
    counters::take(tx, tenant, Counter::Seller, posts.len() as i32).await?;
    for post in posts {
        let seller = sellers::seller(seed, &post);
        let row = NewSeller {
            code: post.code,
            kind: post.kind,
            name: &named(&seller.name)?,
            document: Some(&seller.document),
            email: Some(&seller.email),
            mobile: Some(&seller.mobile),
            landline: seller.landline.as_ref(),
            district: Some(seller.district),
            city: Some(seller.city),
            state: Some(seller.state),
            branch: seller.branch,
        };
        storage::sellers::insert(tx, tenant, &row, THEN).await?;
    }
    Ok(())
}

async fn write_suppliers(tx: &mut Tx, tenant: TenantId, seed: u64) -> Result<(), Error> {
    for supplier in SUPPLIERS {
        let code = SupplierCode::new(counters::next(tx, tenant, Counter::Supplier).await?);
        // The last numbers are nobody else's.
        let number = LAST_NUMBER - code.get().unsigned_abs();
        let mut dice = Dice::new(seed, u64::from(number));
        let city = &BRANCHES[supplier.branch].cities[0];
        let row = NewSupplier {
            code,
            name: &named(supplier.name)?,
            trade_name: Some(supplier.trade_name),
            document: Some(&documents::cnpj(seed, number, code.get() % 4 == 0, &mut dice).into()),
            state_registration: Some(&dice.digits(12)),
            email: Some(&Email::parse(&format!("contato@{}.example", supplier.mailbox))?),
            mobile: Some(&places::mobile(&mut dice, city)),
            landline: Some(&places::landline(&mut dice, city)),
            kind: Some(supplier.kind),
            address: &places::address(&mut dice, city, "Comercial"),
        };
        suppliers::insert(tx, tenant, &row, THEN).await?;
    }
    Ok(())
}

fn named(text: &str) -> Result<Name, Error> {
    Ok(Name::parse(Field::Name, text)?)
}
