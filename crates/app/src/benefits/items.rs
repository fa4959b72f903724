//! The items of a benefit: listing current and past plans, and adding a plan.

use super::{PendingBenefitWrite, load_holder, store_benefit};
use crate::audit::access_log::record_access;
use crate::command::{WriteCommand, run_command};
use crate::idempotency::{IdempotentWrite, WriteOutcome};
use crate::register_snapshot::{TenantRegisters, confirm_registers, read_with_registers};
use crate::session::Session;
use crate::situations::refuse_cancelled_benefit;
use crate::{App, Error};
use domain::{
    AuditedAction, AuditedChange, AuditedOperation, Benefit, BenefitCode, BenefitItem, InputField, ItemCode,
    Rejection, fold_text,
};
use std::sync::Arc;
use storage::Tx;
use storage::benefits::items;
pub use storage::registers::plans::StoredPlan;
use wire::read::FieldPatch;
use wire::records::ItemBeneficioInput;

const LIST: AuditedOperation = AuditedOperation::ListItems;
const ADD: AuditedOperation = AuditedOperation::AddItem;

pub struct PlanItems {
    /// Ordered by plan name, then by item code.
    pub items: Vec<BenefitItem>,
    pub registers: Arc<TenantRegisters>,
}

/// Lists every item of a benefit, including ended ones.
#[boxed::future]
pub async fn list_items(app: &App, caller: &Session, code: BenefitCode) -> Result<PlanItems, Error> {
    let tenant = caller.scope.tenant();
    let input = |_: &TenantRegisters| (caller.scope.clone(), code);
    let ((person, mut items), registers) = read_with_registers(app, tenant, input, |tx, (scope, code)| {
        Box::pin(async move {
            let unknown = Error::NotFound { field: InputField::Benefit, code: code.get() };
            let benefit = storage::benefits::find_benefit(&mut *tx, scope, *code).await?.ok_or(unknown)?;
            Ok::<_, Error>((benefit.person, items::list_items(&mut *tx, scope.tenant(), *code).await?))
        })
    })
    .await?;
    let name = |item: &BenefitItem| registers.plan(item.plan).map(|plan| fold_text(&plan.name));
    items.sort_by_cached_key(|item| (name(item), item.code));
    record_access(app, caller, LIST, std::iter::once(person))?;
    Ok(PlanItems { items, registers })
}

/// The added item with its plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddItemOutcome {
    pub item: BenefitItem,
    pub plan: StoredPlan,
}

/// Adds a plan of any kind to a benefit.
#[boxed::future]
pub async fn add_item(
    app: &App,
    caller: &Session,
    code: BenefitCode,
    input: ItemBeneficioInput,
    once: IdempotentWrite<AddItemOutcome>,
) -> Result<WriteOutcome<AddItemOutcome>, Error> {
    run_command(app, caller, ADD, (code, input), once, |tx, command| Box::pin(write_added_item(tx, command)))
        .await
}

async fn write_added_item(
    tx: &mut Tx,
    command: &WriteCommand<(BenefitCode, ItemBeneficioInput)>,
) -> Result<AddItemOutcome, Error> {
    let (tenant, registers, (code, input)) = (command.scope.tenant(), &command.registers, &command.input);
    let code = *code;
    confirm_registers(tx, tenant, registers).await?;
    let unknown = Rejection::UnknownCode { field: InputField::Plan, code: input.plan.get() };
    let plan = registers.plan(input.plan).filter(|plan| plan.active).ok_or(unknown)?;
    let unknown = Error::NotFound { field: InputField::Benefit, code: code.get() };
    let before = storage::benefits::find_benefit(&mut *tx, &command.scope, code).await?.ok_or(unknown)?;
    refuse_cancelled_benefit(registers, code, &before)?;
    if before.plans.iter().any(|(active, _)| *active == plan.code) {
        return Err(Rejection::PlanTaken(plan.code).into());
    }
    let profile = load_holder(tx, tenant, code, &before).await?;
    let item = build_item(command, plan, input);
    let mut after = Benefit { updated_at: command.now, ..before.clone() };
    after.plans.push((item.plan, item.price));
    let audited = AuditedChange::from(AuditedAction::AddItem).with_argument(plan.code);
    let pending = PendingBenefitWrite {
        item: Some((item, None)),
        ..PendingBenefitWrite::for_change(code, &before, after, &profile, audited)
    };
    let stored = store_benefit(tx, &command.actor_context(), pending).await?;
    let missing = || Error::Defect("an item was not written".to_owned());
    Ok(AddItemOutcome { item: stored.item.ok_or_else(missing)?, plan: plan.clone() })
}

/// The item code is assigned at the write.
fn build_item<I>(command: &WriteCommand<I>, plan: &StoredPlan, input: &ItemBeneficioInput) -> BenefitItem {
    let today = || command.now.date_in(&command.registers.zone);
    BenefitItem {
        code: ItemCode::new(0),
        plan: plan.code,
        price: input.price.clone().into_set().unwrap_or(plan.price),
        included_on: input.included.clone().into_set().unwrap_or_else(today),
        is_first: false,
        is_price_agreed: matches!(input.price, FieldPatch::Set(_)),
        active: true,
    }
}
