//! The items of a benefit: the plans that it has and had, and one more.

use super::{Asked, ask, holder_of, refuse_cancelled};
use crate::access::Session;
use crate::audit::saw;
use crate::base::{Registers, confirm, read_by_registers};
use crate::once::{Done, Once};
use crate::situations::{self, Store};
use crate::{App, Error};
use domain::{BenefitCode, Field, ItemCode, Money, Rejection, fold};
use std::sync::Arc;
use storage::Tx;
use storage::benefits::Benefit;
use storage::items;
pub use storage::items::Item;
pub use storage::plans::Plan;
use wire::read::Given;
use wire::records::ItemBeneficioInput;

const LIST: &str = "GET /ext/beneficio/{codBeneficio}/itens";
const ADD: &str = "POST /ext/beneficio/{codBeneficio}/itens";

pub struct Items {
    /// By the names of their plans, then code.
    pub items: Vec<Item>,
    pub registers: Arc<Registers>,
}

/// Every item of a benefit, also those that it no longer has.
#[boxed::future]
pub async fn list_items(app: &App, caller: &Session, code: BenefitCode) -> Result<Items, Error> {
    let tenant = caller.scope.tenant();
    let asked = |_: &Registers| (caller.scope.clone(), code);
    let ((person, mut items), registers) = read_by_registers(app, tenant, asked, |tx, (scope, code)| {
        Box::pin(async move {
            let unknown = Error::NoSuch { field: Field::Benefit, code: code.get() };
            let benefit = storage::benefits::find(&mut *tx, scope, *code).await?.ok_or(unknown)?;
            Ok::<_, Error>((benefit.person, items::of(&mut *tx, scope.tenant(), *code).await?))
        })
    })
    .await?;
    let name = |item: &Item| registers.plan(item.plan).map(|plan| fold(&plan.name));
    items.sort_by_cached_key(|item| (name(item), item.code));
    saw(app, caller, LIST, std::iter::once(person))?;
    Ok(Items { items, registers })
}

/// An item that a benefit was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Added {
    pub item: Item,
    pub plan: Plan,
}

/// Gives a benefit one more plan, of any kind.
#[boxed::future]
pub async fn add_item(
    app: &App,
    caller: &Session,
    code: BenefitCode,
    input: ItemBeneficioInput,
    once: Once<Added>,
) -> Result<Done<Added>, Error> {
    ask(app, caller, ADD, (code, input), once, |tx, asked| Box::pin(add(tx, asked))).await
}

async fn add(tx: &mut Tx, asked: &Asked<(BenefitCode, ItemBeneficioInput)>) -> Result<Added, Error> {
    let (tenant, registers, (code, input)) = (asked.scope.tenant(), &asked.registers, &asked.input);
    let code = *code;
    confirm(tx, tenant, registers).await?;
    let unknown = Rejection::UnknownCode { field: Field::Plan, code: input.plan.get() };
    let plan = registers.plan(input.plan).filter(|plan| plan.active).ok_or(unknown)?;
    let unknown = Error::NoSuch { field: Field::Benefit, code: code.get() };
    let before = storage::benefits::find(&mut *tx, &asked.scope, code).await?.ok_or(unknown)?;
    refuse_cancelled(registers, code, &before)?;
    if before.plans.iter().any(|(active, _)| *active == plan.code) {
        return Err(Rejection::PlanTaken(plan.code).into());
    }
    let profile = holder_of(tx, tenant, code, &before).await?;
    let item = item(asked, plan, input);
    let mut after = Benefit { updated_at: asked.now, ..before.clone() };
    after.plans.push((item.plan, item.price));
    let done = format!("alterado: plano {} incluído", plan.code);
    let store = Store { item: Some((item, None)), ..Store::change(code, &before, after, &profile, done) };
    let stored = situations::store(tx, &asked.acting(), store).await?;
    let lost = || Error::Text("an item was not written".to_owned());
    Ok(Added { item: stored.item.ok_or_else(lost)?, plan: plan.clone() })
}

/// Its code is taken when it is written.
fn item<I>(asked: &Asked<I>, plan: &Plan, input: &ItemBeneficioInput) -> Item {
    let today = || asked.now.date_in(&asked.registers.zone);
    let given = |given: &Given<domain::Date>| given.clone().set();
    Item {
        code: ItemCode::new(0),
        plan: plan.code,
        price: input.price.clone().set().map_or(plan.price, Money::cents),
        included_on: given(&input.included).unwrap_or_else(today).to_iso(),
        is_first: false,
        active: true,
    }
}
