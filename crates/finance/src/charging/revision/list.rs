//! The benefits whose titles wait for a revision, and the preview of one.

use super::plan::{TitleRevision, plan_revision};
use super::sources::{JoiningItemsOnDay, RevisedBenefitSources};
use app::audit::access_log::record_access;
use app::register_snapshot::{TenantRegisters, read_with_registers};
use app::session::Session;
use app::{App, Error};
use domain::{
    AuditedOperation, BenefitCode, Date, InputField, Moment, MoneyRight, PAGE_SIZE, PersonCode, Scope,
};
use finance_storage::charging::charged_months::list_months_not_due;
use finance_storage::charging::title_revisions::{
    WaitingRevision, count_waiting_revisions, has_title_revision, list_waiting_revisions,
};
use std::sync::Arc;
use storage::Tx;

/// A page of benefits that wait, by code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingRevisionPage {
    pub benefits: Vec<WaitingRevision>,
    /// Of all pages.
    pub total: i64,
}

#[boxed::future]
pub async fn list_revisions(app: &App, caller: &Session, offset: i64) -> Result<WaitingRevisionPage, Error> {
    caller.require_money_right(MoneyRight::SeeMoney)?;
    let now = app.now();
    let build_query =
        |registers: &TenantRegisters| (caller.scope.clone(), offset, now.date_in(&registers.zone));
    let tenant = caller.scope.tenant();
    let (page, _) = read_with_registers(app, tenant, build_query, |tx, (scope, offset, today)| {
        Box::pin(async move {
            Ok::<_, Error>(WaitingRevisionPage {
                benefits: list_waiting_revisions(tx, scope, *today, (*offset, PAGE_SIZE)).await?,
                total: count_waiting_revisions(tx, scope, *today).await?,
            })
        })
    })
    .await?;
    let people = page.benefits.iter().map(|one| one.person);
    record_access(app, caller, AuditedOperation::ListRevisions, people)?;
    Ok(page)
}

/// How many benefits in the caller's branches wait.
#[boxed::future]
pub async fn count_revisions(app: &App, caller: &Session) -> Result<i64, Error> {
    caller.require_money_right(MoneyRight::SeeMoney)?;
    let now = app.now();
    let build_query = |registers: &TenantRegisters| (caller.scope.clone(), now.date_in(&registers.zone));
    let tenant = caller.scope.tenant();
    let (count, _) = read_with_registers(app, tenant, build_query, |tx, (scope, today)| {
        Box::pin(async move { Ok::<_, Error>(count_waiting_revisions(tx, scope, *today).await?) })
    })
    .await?;
    Ok(count)
}

/// Whether a benefit waits, and has a title that is not yet due.
#[boxed::future]
pub async fn is_revision_waiting(app: &App, caller: &Session, benefit: BenefitCode) -> Result<bool, Error> {
    caller.require_money_right(MoneyRight::SeeMoney)?;
    let (tenant, now) = (caller.scope.tenant(), app.now());
    let build_query = |registers: &TenantRegisters| ((tenant, benefit), now.date_in(&registers.zone));
    let (is_waiting, _) = read_with_registers(app, tenant, build_query, |tx, (key, today)| {
        Box::pin(async move {
            let is_noted = has_title_revision(tx, *key).await?;
            Ok::<_, Error>(is_noted && !list_months_not_due(tx, *key, *today).await?.is_empty())
        })
    })
    .await?;
    Ok(is_waiting)
}

/// What a revision would do with the titles of a benefit, whether it waits or not.
#[boxed::future]
pub async fn read_revision(
    app: &App,
    caller: &Session,
    benefit: BenefitCode,
) -> Result<TitleRevision, Error> {
    let (revision, person) = load_revision(app, caller, benefit).await?;
    record_access(app, caller, AuditedOperation::ShowRevision, std::iter::once(person))?;
    Ok(revision)
}

async fn load_revision(
    app: &App,
    caller: &Session,
    benefit: BenefitCode,
) -> Result<(TitleRevision, PersonCode), Error> {
    let (sources, registers, today) = load_benefit_sources(app, caller, benefit).await?;
    Ok((plan_revision(&registers, &sources, today), sources.benefit.person))
}

/// What a revision is planned from, outside a unit of work.
pub(super) async fn load_benefit_sources(
    app: &App,
    caller: &Session,
    benefit: BenefitCode,
) -> Result<(RevisedBenefitSources, Arc<TenantRegisters>, Date), Error> {
    caller.require_money_right(MoneyRight::SeeMoney)?;
    let (tenant, now) = (caller.scope.tenant(), app.now());
    let build_query =
        |registers: &TenantRegisters| (caller.scope.clone(), benefit, JoiningItemsOnDay::new(registers, now));
    let ((sources, today), registers) =
        read_with_registers(app, tenant, build_query, |tx, (scope, benefit, day)| {
            Box::pin(async move {
                Ok::<_, Error>((load_visible_sources(tx, scope, *benefit, day).await?, day.today))
            })
        })
        .await?;
    Ok((sources, registers, today))
}

/// The sources and the plan of a revision, within a unit of work that has confirmed its registers.
pub(super) async fn load_visible_revision(
    tx: &mut Tx,
    registers: &TenantRegisters,
    scope: &Scope,
    benefit: BenefitCode,
    now: Moment,
) -> Result<(RevisedBenefitSources, TitleRevision), Error> {
    let day = JoiningItemsOnDay::new(registers, now);
    let sources = load_visible_sources(tx, scope, benefit, &day).await?;
    let revision = plan_revision(registers, &sources, day.today);
    Ok((sources, revision))
}

/// Only for callers who see the branch of the benefit and those of its titles.
async fn load_visible_sources(
    tx: &mut Tx,
    scope: &Scope,
    benefit: BenefitCode,
    day: &JoiningItemsOnDay,
) -> Result<RevisedBenefitSources, Error> {
    let tenant = scope.tenant();
    let unknown = || Error::NotFound { field: InputField::Benefit, code: benefit.get() };
    let sources = RevisedBenefitSources::load(tx, (tenant, benefit), day).await?.ok_or_else(unknown)?;
    let is_visible = scope.can_see(sources.benefit.branch)
        && sources.charges.iter().all(|charge| scope.can_see(charge.title.branch));
    if is_visible { Ok(sources) } else { Err(unknown()) }
}
