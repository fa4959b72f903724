//! The discounts of a benefit: granted with a reason, ended with a reason, never deleted.

use crate::booking::refuse;
use app::audit::access_log::record_access;
use app::command::{WriteCommand, run_command};
use app::idempotency::{IdempotentWrite, WriteOutcome};
use app::register_snapshot::{TenantRegisters, confirm_registers, read_with_registers};
use app::session::Session;
use app::{App, Error};
use domain::finance::FinanceProblem;
use domain::{
    AuditedAction, AuditedChange, AuditedOperation, AuditedRecordKind, Benefit, BenefitCode,
    BenefitDiscountCode, DiscountCode, InputField, MoneyRight, Rejection, Scope,
};
use finance_storage::agreed_prices::raise_benefit_versions;
use finance_storage::discount_grants::{self, DiscountEnding, StoredDiscountGrant};
use std::sync::Arc;
use storage::benefits::find_benefit;
use storage::benefits::title_revisions::insert_title_revisions;
use storage::history::audit;
use storage::server::counters::{self, Counter};
use storage::{Statement, Tx};

const LIST: AuditedOperation = AuditedOperation::ListBenefitDiscounts;
const GRANT: AuditedOperation = AuditedOperation::GrantBenefitDiscount;
const END: AuditedOperation = AuditedOperation::EndBenefitDiscount;

/// The grants of a benefit, by code, and the registers that name their discounts.
pub struct BenefitDiscounts {
    pub grants: Vec<StoredDiscountGrant>,
    pub registers: Arc<TenantRegisters>,
}

#[derive(Clone, Debug)]
pub struct NewDiscountGrant {
    pub discount: DiscountCode,
    /// `2026-11`
    pub from_month: String,
    pub until_month: Option<String>,
    pub reason: String,
}

/// The grants of a benefit, also those that ended.
#[boxed::future]
pub async fn list_benefit_discounts(
    app: &App,
    caller: &Session,
    benefit: BenefitCode,
) -> Result<BenefitDiscounts, Error> {
    caller.require_money_right(MoneyRight::SeeMoney)?;
    let tenant = caller.scope.tenant();
    let build_query = |_: &TenantRegisters| (caller.scope.clone(), benefit);
    let ((person, grants), registers) =
        read_with_registers(app, tenant, build_query, |tx, (scope, benefit)| {
            Box::pin(async move {
                let found = require_benefit(tx, scope, *benefit).await?;
                let grants = discount_grants::list_benefit_grants(&mut *tx, scope.tenant(), *benefit).await?;
                Ok::<_, Error>((found.person, grants))
            })
        })
        .await?;
    record_access(app, caller, LIST, std::iter::once(person))?;
    Ok(BenefitDiscounts { grants, registers })
}

async fn require_benefit(tx: &mut Tx, scope: &Scope, code: BenefitCode) -> Result<Benefit, Error> {
    let unknown = || Error::NotFound { field: InputField::Benefit, code: code.get() };
    find_benefit(&mut *tx, scope, code).await?.ok_or_else(unknown)
}

/// Gives a benefit a discount from a month on.
#[boxed::future]
pub async fn grant_benefit_discount(
    app: &App,
    caller: &Session,
    (benefit, input): (BenefitCode, NewDiscountGrant),
    once: IdempotentWrite<StoredDiscountGrant>,
) -> Result<WriteOutcome<StoredDiscountGrant>, Error> {
    caller.require_money_right(MoneyRight::SettleTitles)?;
    run_command(app, caller, GRANT, (benefit, input), once, |tx, command| Box::pin(write_grant(tx, command)))
        .await
}

async fn write_grant(
    tx: &mut Tx,
    command: &WriteCommand<(BenefitCode, NewDiscountGrant)>,
) -> Result<StoredDiscountGrant, Error> {
    let (tenant, (benefit, input)) = (command.scope.tenant(), &command.input);
    confirm_registers(tx, tenant, &command.registers).await?;
    let found = require_benefit(tx, &command.scope, *benefit).await?;
    let discount = command.registers.money.discount(input.discount).filter(|one| one.active);
    let mut problems: Vec<Rejection> = Vec::new();
    match discount {
        None => {
            problems.push(Rejection::UnknownCode { field: InputField::Discount, code: input.discount.get() });
        }
        Some(one) if one.plan.is_some_and(|plan| found.plans.iter().all(|(held, _)| *held != plan)) => {
            problems.push(Rejection::Finance(FinanceProblem::DiscountOfAnotherPlan));
        }
        Some(_) => {}
    }
    if input.until_month.as_ref().is_some_and(|until| *until < input.from_month) {
        problems.push(Rejection::Finance(FinanceProblem::DiscountEndsBeforeStart));
    }
    let stored = discount_grants::list_benefit_grants(&mut *tx, tenant, *benefit).await?;
    let overlaps = |one: &&StoredDiscountGrant| {
        let is_open =
            |until: &Option<String>, from: &String| until.as_ref().is_none_or(|until| from <= until);
        one.discount == input.discount
            && is_open(&one.until_month, &one.from_month)
            && is_open(&one.until_month, &input.from_month)
            && is_open(&input.until_month, &one.from_month)
    };
    if let Some(other) = stored.iter().find(overlaps) {
        problems.push(Rejection::Finance(FinanceProblem::DiscountGranted(other.code)));
    }
    if !problems.is_empty() {
        return Err(Error::Refused(problems));
    }
    let code = counters::reserve_number(tx, tenant, Counter::BenefitDiscount).await?;
    let grant = StoredDiscountGrant {
        code: BenefitDiscountCode::new(code),
        benefit: *benefit,
        discount: input.discount,
        from_month: input.from_month.clone(),
        until_month: input.until_month.clone(),
        reason: input.reason.clone(),
        user: command.user,
        created_at: command.now,
        ending: None,
    };
    discount_grants::insert_grant(tx, tenant, &grant).await?;
    tx.execute_batch(prepare_price_change(command, *benefit)).await?;
    record_change(
        tx,
        command,
        (*benefit, &found),
        AuditedAction::GrantDiscount,
        (input.discount, &input.reason),
    )
    .await?;
    Ok(grant)
}

/// Ends a discount: the last month that it lowers is the given one.
#[boxed::future]
pub async fn end_benefit_discount(
    app: &App,
    caller: &Session,
    (benefit, grant, until_month, reason): (BenefitCode, BenefitDiscountCode, String, String),
    once: IdempotentWrite<StoredDiscountGrant>,
) -> Result<WriteOutcome<StoredDiscountGrant>, Error> {
    caller.require_money_right(MoneyRight::SettleTitles)?;
    let input = (benefit, grant, until_month, reason);
    run_command(app, caller, END, input, once, |tx, command| Box::pin(write_ending(tx, command))).await
}

async fn write_ending(
    tx: &mut Tx,
    command: &WriteCommand<(BenefitCode, BenefitDiscountCode, String, String)>,
) -> Result<StoredDiscountGrant, Error> {
    let (tenant, (benefit, code, until_month, reason)) = (command.scope.tenant(), &command.input);
    let found = require_benefit(tx, &command.scope, *benefit).await?;
    let grants = discount_grants::list_benefit_grants(&mut *tx, tenant, *benefit).await?;
    let unknown = || Error::NotFound { field: InputField::DiscountGrant, code: code.get() };
    let grant = grants.into_iter().find(|one| one.code == *code).ok_or_else(unknown)?;
    if grant.until_month.as_ref().is_some_and(|until| until <= until_month) {
        return Err(refuse(FinanceProblem::DiscountEnded));
    }
    let ending = DiscountEnding { reason: reason.clone(), user: command.user, at: command.now };
    let mut statements = vec![discount_grants::end_grant(tenant, *code, until_month, &ending)];
    statements.extend(prepare_price_change(command, *benefit));
    tx.execute_batch(statements).await?;
    let change = (grant.discount, reason);
    record_change(tx, command, (*benefit, &found), AuditedAction::EndDiscount, change).await?;
    Ok(StoredDiscountGrant { until_month: Some(until_month.clone()), ending: Some(ending), ..grant })
}

/// The benefit costs something else: no prepared run charges it what was shown, and its titles not yet due are looked at.
fn prepare_price_change<I>(command: &WriteCommand<I>, benefit: BenefitCode) -> Vec<Statement> {
    let (tenant, now) = (command.scope.tenant(), command.now);
    let today = now.date_in(&command.registers.zone);
    vec![
        raise_benefit_versions(tenant, [benefit], now),
        insert_title_revisions(tenant, [benefit], (today, now)),
    ]
}

async fn record_change<I>(
    tx: &mut Tx,
    command: &WriteCommand<I>,
    (code, benefit): (BenefitCode, &Benefit),
    action: AuditedAction,
    (discount, reason): (DiscountCode, &String),
) -> Result<(), Error> {
    let change = AuditedChange::new(action, AuditedRecordKind::Benefit, code.get())
        .with_argument(discount)
        .with_reason(Some(reason));
    let entry = command.actor_context().audit_entry(Some(benefit.person), change);
    Ok(audit::append_audit_entry(tx, &entry).await?)
}
