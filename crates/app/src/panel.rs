//! Figures of the start page and work that needs attention. Figures that are not stored as counts are read through
//! indexes of open records and cached briefly.

use crate::members::search;
use crate::register_snapshot::{TenantRegisters, load_registers};
use crate::session::Session;
use crate::{App, Error, cases};
use domain::{
    BranchCode, CaseKind, ClaimTypeCode, Date, Entity, Moment, PAGE_SIZE, Role, Scope, SituationCode,
    SituationKind, StageCode, TenantId,
};
use quick_cache::sync::Cache;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use storage::benefits::monthly_counts::{self, BenefitMovement};
use storage::members::panel;
use storage::search::tally;
use storage::server::mails;
use storage::triggers::receivers;

/// Number of months shown, including the present one.
pub const SHOWN_MONTHS: usize = 12;
/// Benefits pending activation for more than this number of days need attention.
pub const LONG_WAIT_DAYS: i32 = 15;
/// A deal in the same stage for more than this number of days is cold.
pub const COLD_DEAL_DAYS: i32 = 14;
/// Lower limits, in days, of the age groups of open claims after the first.
pub const AGE_STEPS: [i32; 3] = [7, 30, 90];
/// Cache time of the open work.
const SNAPSHOT_LIFETIME: Duration = Duration::from_mins(1);
const ONE_DAY: Duration = Duration::from_hours(24);

/// Number of benefits in the caller's branches, by situation and by branch.
pub struct BenefitFigures {
    pub by_situation: BTreeMap<SituationCode, i64>,
    pub by_branch: BTreeMap<BranchCode, i64>,
    pub total: i64,
    pub months: Vec<MonthlyFigures>,
    pub registers: Arc<TenantRegisters>,
}

/// Benefits registered and cancelled in a month (`yyyy-MM`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MonthlyFigures {
    pub month: String,
    pub registered: i64,
    pub cancelled: i64,
}

#[boxed::future]
pub async fn read_benefit_figures(app: &App, caller: &Session) -> Result<BenefitFigures, Error> {
    let tenant = caller.scope.tenant();
    let registers = load_registers(app, tenant).await?;
    let months = read_monthly_figures(app, &caller.scope, &registers).await?;
    let mut figures = BenefitFigures {
        by_situation: BTreeMap::new(),
        by_branch: BTreeMap::new(),
        total: 0,
        months,
        registers,
    };
    for (counted, benefits) in tally::sum_benefits_by_situation(&app.db, tenant).await? {
        if caller.scope.can_see(counted.branch) && benefits > 0 {
            *figures.by_situation.entry(counted.situation).or_default() += benefits;
            *figures.by_branch.entry(counted.branch).or_default() += benefits;
            figures.total += benefits;
        }
    }
    Ok(figures)
}

/// The last months in order, including months without any movement.
async fn read_monthly_figures(
    app: &App,
    scope: &Scope,
    registers: &TenantRegisters,
) -> Result<Vec<MonthlyFigures>, Error> {
    let mut months: Vec<MonthlyFigures> = list_last_months(app.now().date_in(&registers.zone))
        .into_iter()
        .map(|month| MonthlyFigures { month, registered: 0, cancelled: 0 })
        .collect();
    let first = months.first().map(|one| one.month.clone()).unwrap_or_default();
    for one in monthly_counts::list_monthly_counts(&app.db, scope.tenant(), &first).await? {
        let month = months.iter_mut().find(|month| month.month == one.month);
        let Some(month) = month.filter(|_| scope.can_see(one.branch)) else { continue };
        match one.turn {
            BenefitMovement::Registered => month.registered += one.benefits,
            BenefitMovement::Cancelled => month.cancelled += one.benefits,
        }
    }
    Ok(months)
}

fn list_last_months(today: Date) -> Vec<String> {
    let number = |part: i16| usize::try_from(part).unwrap_or(1);
    let present = number(today.year()) * 12 + number(today.month()) - 1;
    let first = present.saturating_sub(SHOWN_MONTHS - 1);
    (first..=present).map(|month| format!("{:04}-{:02}", month / 12, month % 12 + 1)).collect()
}

/// Cached counts of a tenant's open claims and deals, by branch.
struct OpenWorkSnapshot {
    claims: Vec<panel::OpenClaimCount>,
    deals: Vec<panel::OpenDealCount>,
    counted_at: Moment,
}

/// The open work of each tenant.
pub(crate) struct OpenWorkCache(Cache<TenantId, Arc<OpenWorkSnapshot>>);

impl Default for OpenWorkCache {
    fn default() -> OpenWorkCache {
        OpenWorkCache(Cache::new(1_000))
    }
}

async fn load_open_work(
    app: &App,
    tenant: TenantId,
    registers: &TenantRegisters,
) -> Result<Arc<OpenWorkSnapshot>, Error> {
    let now = app.now();
    let is_fresh = |open: &OpenWorkSnapshot| (now.minus(SNAPSHOT_LIFETIME)..=now).contains(&open.counted_at);
    if let Some(known) = app.caches.open_work.0.get(&tenant).filter(|open| is_fresh(open)) {
        return Ok(known);
    }
    let ago = |days: i32| now.minus(ONE_DAY.saturating_mul(u32::try_from(days).unwrap_or_default()));
    let of_claims = registers.situations.iter().filter(|one| one.entity == Entity::Claim);
    let situations: Vec<SituationCode> =
        of_claims.filter(|one| !one.kind.is_final()).map(|one| one.code).collect();
    let claims = match situations.is_empty() {
        true => Vec::new(),
        false => panel::count_open_claims(&app.db, tenant, &situations, AGE_STEPS.map(ago)).await?,
    };
    let deals = panel::count_open_deals(&app.db, tenant, ago(COLD_DEAL_DAYS)).await?;
    let open = Arc::new(OpenWorkSnapshot { claims, deals, counted_at: now });
    app.caches.open_work.0.insert(tenant, Arc::clone(&open));
    Ok(open)
}

/// Open work in the caller's branches.
pub struct PendingWork {
    /// Open claims of each type by age: up to the first of [`AGE_STEPS`], up to the next, and so on.
    pub claims: Vec<(ClaimTypeCode, [i64; 4])>,
    /// Open deals by stage.
    pub deals: Vec<(StageCode, i64)>,
    pub cold_deals: i64,
    /// When claims and deals were counted.
    pub counted_at: Moment,
    pub late: [(CaseKind, i64); 4],
    /// Appointments of today, except cancelled ones.
    pub appointments: i64,
    /// Benefits pending for too long.
    pub waiting: CappedCount,
    /// Failing or paused receivers; administrators only.
    pub receivers: Vec<FailingReceiver>,
    /// Mails of the last week that were given up; administrators only.
    pub failed_mails: i64,
}

/// A count, and whether there may be more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CappedCount {
    pub count: i64,
    pub or_more: bool,
}

/// A receiver that fails or is paused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailingReceiver {
    pub address: String,
    pub is_paused: bool,
}

#[boxed::future]
pub async fn read_pending_work(app: &App, caller: &Session) -> Result<PendingWork, Error> {
    let (tenant, scope) = (caller.scope.tenant(), &caller.scope);
    let registers = load_registers(app, tenant).await?;
    let open = load_open_work(app, tenant, &registers).await?;
    let mut claims: BTreeMap<ClaimTypeCode, [i64; 4]> = BTreeMap::new();
    for one in open.claims.iter().filter(|one| scope.can_see(one.branch)) {
        let [first, second, third] = one.older;
        let ages = [one.count - first, first - second, second - third, third];
        let sums = claims.entry(one.kind).or_default();
        sums.iter_mut().zip(ages).for_each(|(sum, age)| *sum += age);
    }
    let mut deals: BTreeMap<StageCode, i64> = BTreeMap::new();
    let mut cold_deals = 0;
    for one in open.deals.iter().filter(|one| scope.can_see(one.branch)) {
        *deals.entry(one.stage).or_default() += one.count;
        cold_deals += one.cold;
    }
    let is_admin = caller.role == Role::Administrator;
    Ok(PendingWork {
        claims: claims.into_iter().collect(),
        deals: deals.into_iter().collect(),
        cold_deals,
        counted_at: open.counted_at,
        late: cases::count_overdue_cases(app, caller).await?,
        appointments: count_appointments(app, scope, &registers).await?,
        waiting: count_long_waits(app, scope, &registers).await?,
        receivers: if is_admin { list_failing_receivers(app, tenant).await? } else { Vec::new() },
        failed_mails: if is_admin { count_failed_mails(app, tenant).await? } else { 0 },
    })
}

async fn count_appointments(app: &App, scope: &Scope, registers: &TenantRegisters) -> Result<i64, Error> {
    let today = app.now().date_in(&registers.zone);
    let of_appointments = registers.situations.iter().filter(|one| one.entity == Entity::Appointment);
    let not_cancelled = of_appointments.filter(|one| one.kind != SituationKind::Cancelled);
    let situations: Vec<SituationCode> = not_cancelled.map(|one| one.code).collect();
    if situations.is_empty() {
        return Ok(0);
    }
    let span = (today.start_in(&registers.zone), today.next().start_in(&registers.zone));
    Ok(panel::count_appointments(&app.db, scope, &situations, span).await?)
}

async fn count_long_waits(
    app: &App,
    scope: &Scope,
    registers: &TenantRegisters,
) -> Result<CappedCount, Error> {
    let waiting_days = search::list_waiting_days(app, scope).await?;
    let today = app.now().date_in(&registers.zone);
    let long = |day: &&Date| today.days_since(**day) > LONG_WAIT_DAYS;
    let count = waiting_days.iter().filter(long).count() as i64;
    Ok(CappedCount { count, or_more: count == PAGE_SIZE })
}

async fn list_failing_receivers(app: &App, tenant: TenantId) -> Result<Vec<FailingReceiver>, Error> {
    let all = receivers::list_receivers(&app.db, tenant).await?;
    let failing = all.into_iter().filter(|one| one.active);
    let failing = failing.filter(|one| one.paused.is_some() || one.health.failing_since.is_some());
    Ok(failing.map(|one| FailingReceiver { address: one.address, is_paused: one.paused.is_some() }).collect())
}

/// Counts mails among the latest that will not be retried.
async fn count_failed_mails(app: &App, tenant: TenantId) -> Result<i64, Error> {
    let last = mails::list_outbox_mails(&app.db, tenant, i32::MAX, 100).await?;
    let week = app.now().minus(ONE_DAY.saturating_mul(7));
    let failed = last.iter().filter(|one| one.sent_at.is_none() && !one.is_waiting && one.created_at > week);
    Ok(failed.count() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_months_go_over_the_turn_of_the_year() {
        let months = list_last_months(Date::new(2026, 2, 14).unwrap());
        assert_eq!(months.len(), SHOWN_MONTHS);
        assert_eq!(
            (months[0].as_str(), months[10].as_str(), months[11].as_str()),
            ("2025-03", "2026-01", "2026-02")
        );
    }
}
