//! Moves agreed prices to the price table: what it would change, and the change of all at once.

use crate::booking::refuse;
use app::command::{WriteCommand, run_command};
use app::idempotency::{IdempotentWrite, WriteOutcome};
use app::register_snapshot::{TenantRegisters, confirm_registers, read_with_registers};
use app::session::Session;
use app::{App, Error};
use domain::finance::{FinanceProblem, PriceKey, choose_price};
use domain::{
    AuditedAction, AuditedChange, AuditedOperation, AuditedRecordKind, BenefitCode, Date, MoneyRight, Scope,
    SituationKind,
};
use finance_storage::agreed_prices::{
    AgreedItem, AgreedPriceCriteria, list_agreed_items, raise_benefit_versions, release_agreed_price,
};
use std::collections::BTreeSet;
use storage::benefits::title_revisions::insert_title_revisions;
use storage::history::audit;
use storage::{Statement, Tx};

/// Benefits that a statement names.
const BENEFITS_AT_ONCE: usize = 500;

/// What a move to the price table changes, in cents a month.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PriceMove {
    /// The items that move.
    pub items: i64,
    /// Those that stay agreed, since neither the table nor their plan has a price for them.
    pub without_price: i64,
    /// What the items that move cost before and after.
    pub agreed_total: i64,
    pub table_total: i64,
}

impl PriceMove {
    pub fn difference(&self) -> i64 {
        self.table_total - self.agreed_total
    }
}

/// What moving the matching items to the price table of today would change.
#[boxed::future]
pub async fn preview_price_move(
    app: &App,
    caller: &Session,
    criteria: AgreedPriceCriteria,
) -> Result<PriceMove, Error> {
    caller.require_money_right(MoneyRight::SeeMoney)?;
    let (tenant, now) = (caller.scope.tenant(), app.now());
    let build_query = |registers: &TenantRegisters| (caller.scope.clone(), now.date_in(&registers.zone));
    let ((items, today), registers) =
        read_with_registers(app, tenant, build_query, move |tx, (scope, today)| {
            Box::pin(
                async move { Ok::<_, Error>((list_agreed_items(&mut *tx, scope, criteria).await?, *today)) },
            )
        })
        .await?;
    Ok(divide_items(&registers, &items, today).0)
}

/// The sums, and the items that move. Cancelled benefits keep what they had.
fn divide_items<'i>(
    registers: &TenantRegisters,
    items: &'i [AgreedItem],
    day: Date,
) -> (PriceMove, Vec<&'i AgreedItem>) {
    let (mut sums, mut moving) = (PriceMove::default(), Vec::new());
    let is_cancelled =
        |item: &AgreedItem| registers.situation_kind(item.situation) == Some(SituationKind::Cancelled);
    for item in items.iter().filter(|item| !is_cancelled(item)) {
        let key = PriceKey {
            plan: item.plan,
            day,
            branch: item.branch,
            vehicle_type: item.vehicle_type,
            value: item.value,
        };
        let plan_price = registers.plan(item.plan).map(|plan| plan.price);
        match choose_price(None, registers.money.price_table.prices_of(item.plan), plan_price, &key) {
            Some(price) => {
                sums.items += 1;
                sums.agreed_total += item.price.cents();
                sums.table_total += price.amount.cents();
                moving.push(item);
            }
            None => sums.without_price += 1,
        }
    }
    (sums, moving)
}

/// Moves the matching items to the price table, if they are still those that the caller saw in a preview.
#[boxed::future]
pub async fn move_to_price_table(
    app: &App,
    caller: &Session,
    (criteria, seen): (AgreedPriceCriteria, SeenPriceMove),
    once: IdempotentWrite<PriceMove>,
) -> Result<WriteOutcome<PriceMove>, Error> {
    caller.require_money_right(MoneyRight::ApproveRuns)?;
    let operation = AuditedOperation::MoveToPriceTable;
    run_command(app, caller, operation, (criteria, seen), once, |tx, command| {
        Box::pin(write_price_move(tx, command))
    })
    .await
}

/// What a preview showed: how many items, and what they cost before and after, in cents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeenPriceMove {
    pub items: i64,
    pub agreed_total: i64,
    pub table_total: i64,
}

async fn write_price_move(
    tx: &mut Tx,
    command: &WriteCommand<(AgreedPriceCriteria, SeenPriceMove)>,
) -> Result<PriceMove, Error> {
    let (scope, registers, (criteria, seen)) = (&command.scope, &command.registers, command.input);
    let scope: &Scope = scope;
    confirm_registers(tx, scope.tenant(), registers).await?;
    let items = list_agreed_items(&mut *tx, scope, criteria).await?;
    let (sums, moving) = divide_items(registers, &items, command.now.date_in(&registers.zone));
    let found =
        SeenPriceMove { items: sums.items, agreed_total: sums.agreed_total, table_total: sums.table_total };
    if found != seen {
        return Err(refuse(FinanceProblem::PricesMoved { items: sums.items, difference: sums.difference() }));
    }
    if moving.is_empty() {
        return Ok(sums);
    }
    let release =
        |item: &&AgreedItem| release_agreed_price(scope.tenant(), item.benefit, item.code, command.now);
    let mut statements: Vec<Statement> = moving.iter().map(release).collect();
    let benefits: BTreeSet<BenefitCode> = moving.iter().map(|item| item.benefit).collect();
    let times = (command.now.date_in(&registers.zone), command.now);
    for some in benefits.into_iter().collect::<Vec<_>>().chunks(BENEFITS_AT_ONCE) {
        statements.push(raise_benefit_versions(scope.tenant(), some.iter().copied(), command.now));
        statements.push(insert_title_revisions(scope.tenant(), some.iter().copied(), times));
    }
    tx.execute_batch(statements).await?;
    let change =
        AuditedChange::new(AuditedAction::MoveToPriceTable, AuditedRecordKind::Tenant, scope.tenant().get())
            .with_argument(sums.items)
            .with_argument(sums.difference());
    let entry = command.actor_context().audit_entry(None, change);
    audit::append_audit_entry(tx, &entry).await?;
    Ok(sums)
}
