//! Runs as tests make them: prepared, worked off, approved, undone.

use crate::calls::Calls;
use app::idempotency::IdempotentWrite;
use app::session::Session;
use domain::finance::{ChargedMonth, ChargingRunState, NotChargedReason};
use domain::{BenefitCode, BranchCode, ChargingRunCode, TenantId};
use finance::charging::{
    self, BatchSizeLimits, FullChargingRun, NewChargingRun, RunBenefitFilter, RunBenefitSearch,
};
use serde_json::Value;
use std::sync::Arc;
use storage::{QueryWeight, Row, SqlScalar, WriteLane, sql};
use testkit::books;

pub fn month(text: &str) -> ChargedMonth {
    ChargedMonth::from_iso(text).unwrap()
}

/// All benefits in a month.
pub fn run_of(text: &str) -> NewChargingRun {
    NewChargingRun { month: month(text), group: None, branch: None, due_day: None, instalments: 1 }
}

pub fn in_branch(run: NewChargingRun, branch: i32) -> NewChargingRun {
    NewChargingRun { branch: Some(BranchCode::new(branch)), ..run }
}

impl Calls {
    pub async fn session(&self, token: &str) -> Arc<Session> {
        app::session::load_session(self.world.app(), token).await.unwrap()
    }

    /// The administrator's.
    pub async fn boss(&self) -> Arc<Session> {
        self.session(&self.administrator).await
    }

    /// Works off everything that is due.
    pub async fn work(&self) {
        while charging::run_due_charging(self.world.app()).await.unwrap() {}
    }

    /// Begins a run as the administrator.
    pub async fn begin_run(&self, run: NewChargingRun) -> ChargingRunCode {
        let boss = self.boss().await;
        let begun = charging::prepare_run(self.world.app(), &boss, run, IdempotentWrite::without_key());
        begun.await.unwrap().into_fresh().unwrap().run.code
    }

    /// A run whose preview is ready.
    pub async fn prepare(&self, run: NewChargingRun) -> FullChargingRun {
        let code = self.begin_run(run).await;
        self.work().await;
        let prepared = self.read_run(code).await;
        assert_eq!(prepared.run.state, ChargingRunState::Prepared);
        self.check_run(&prepared).await;
        prepared
    }

    pub async fn approve(&self, run: ChargingRunCode) {
        let once = IdempotentWrite::without_key();
        let approved = charging::approve_run(self.world.app(), &*self.boss().await, run, once).await.unwrap();
        assert_eq!(approved.into_fresh().unwrap().run.state, ChargingRunState::Issuing);
    }

    /// A run whose titles are issued.
    pub async fn issue_run(&self, run: NewChargingRun) -> FullChargingRun {
        let code = self.prepare(run).await.run.code;
        self.approve(code).await;
        self.work().await;
        let issued = self.read_run(code).await;
        assert_eq!(issued.run.state, ChargingRunState::Issued);
        self.check_run(&issued).await;
        issued
    }

    pub async fn begin_undo(&self, run: ChargingRunCode) {
        let input = (run, "conferência errada".to_owned());
        let once = IdempotentWrite::without_key();
        charging::undo_run(self.world.app(), &*self.boss().await, input, once).await.unwrap();
    }

    pub async fn undo(&self, run: ChargingRunCode) -> FullChargingRun {
        self.begin_undo(run).await;
        self.work().await;
        let undone = self.read_run(run).await;
        assert_eq!(undone.run.state, ChargingRunState::Undone);
        self.check_run(&undone).await;
        undone
    }

    pub async fn read_run(&self, run: ChargingRunCode) -> FullChargingRun {
        charging::read_run(self.world.app(), &*self.boss().await, run).await.unwrap()
    }

    /// The benefits of a run, each with its reason and amount.
    pub async fn list_benefits(
        &self,
        run: ChargingRunCode,
        filter: RunBenefitFilter,
    ) -> Vec<charging::ListedRunBenefit> {
        let (mut all, boss) = (Vec::new(), self.boss().await);
        loop {
            let offset = i64::try_from(all.len()).unwrap();
            let search = RunBenefitSearch { run, filter, offset };
            let page = charging::list_run_benefits(self.world.app(), &boss, search).await.unwrap();
            all.extend(page.benefits);
            if all.len() >= usize::try_from(page.total).unwrap() {
                return all;
            }
        }
    }

    /// Whatever must hold of a run, and of the books.
    pub async fn check_run(&self, run: &FullChargingRun) {
        let counts = run.run.counts;
        let listed: i64 = run.reasons.iter().map(|(_, benefits)| benefits).sum();
        assert_eq!(counts.charged + listed, counts.benefits, "charged and listed are all: {run:?}");
        let items: i64 = run.items.iter().map(|item| item.charged - item.discounted).sum();
        assert_eq!(counts.charged_amount, items, "{run:?}");
        // Benefits may have come since a run was issued that is undone now.
        let is_new = run.run.state != ChargingRunState::Undone;
        if is_new && run.run.scope == charging::ChargedBenefitFilter::default() {
            let all = self.numbers("SELECT COUNT(*) AS n FROM benefits WHERE tenant = $1").await;
            assert_eq!(counts.benefits, all[0], "every benefit was looked at");
        }
        if matches!(run.run.state, ChargingRunState::Issued | ChargingRunState::Undone) {
            assert_eq!(counts.titles_amount, counts.charged_amount, "{run:?}");
        }
        self.check_books("a run").await;
    }

    pub async fn check_books(&self, step: &str) {
        for tenant in [self.world.here, self.world.there] {
            books::check(self.world.db(), tenant, step).await;
        }
        let unequal = "SELECT t.code AS n FROM titles t WHERE t.tenant = $1 AND t.amount <> (
             SELECT SUM(l.amount) FROM title_lines l WHERE l.tenant = t.tenant AND l.title = t.code)";
        assert!(self.numbers(unequal).await.is_empty(), "{step}: an amount is the sum of its lines");
        let claims = "SELECT m.benefit AS n FROM charged_months m
             JOIN titles t ON t.tenant = m.tenant AND t.code = m.title WHERE m.tenant = $1 AND t.situation = 4";
        assert!(self.numbers(claims).await.is_empty(), "{step}: a cancelled title charges no month");
        let unclaimed = "SELECT rt.title AS n FROM charging_run_titles rt
             JOIN titles t ON t.tenant = rt.tenant AND t.code = rt.title
             WHERE rt.tenant = $1 AND t.situation <> 4 AND NOT EXISTS (
                 SELECT 1 FROM charged_months m WHERE m.tenant = rt.tenant AND m.title = rt.title)";
        assert!(self.numbers(unclaimed).await.is_empty(), "{step}: a title of a run charges a month");
    }

    /// The column `n` of a statement about this association.
    pub async fn numbers(&self, text: &'static str) -> Vec<i64> {
        self.rows_here(text).await.iter().map(|row| row.get("n").unwrap()).collect()
    }

    pub async fn rows_here(&self, text: &'static str) -> Vec<Row> {
        let statement = sql(text).arg(self.world.here);
        self.world.db().query(QueryWeight::Search, statement).await.unwrap()
    }

    /// Changes rows of an association directly, and its registers' version with them.
    pub async fn alter(&self, tenant: TenantId, text: &'static str, values: Vec<SqlScalar>) {
        let lane = WriteLane::foreground(tenant);
        let altered = self.world.db().write(lane, (tenant, values), move |tx, (tenant, values)| {
            Box::pin(async move {
                let statement = values.iter().cloned().fold(sql(text).arg(*tenant), storage::Statement::arg);
                tx.execute(statement).await?;
                storage::server::versions::raise_registers_version(tx, *tenant).await
            })
        });
        altered.await.unwrap();
    }
}

/// Small batches, of which a process makes so many before it is gone.
pub fn small_steps(most_batches: Option<usize>) -> BatchSizeLimits {
    BatchSizeLimits { previewed_benefits: 7, issued_benefits: 1, undone_titles: 2, most_batches }
}

pub fn code(number: i32) -> BenefitCode {
    BenefitCode::new(number)
}

pub async fn reason_of(calls: &Calls, run: ChargingRunCode, benefit: i32) -> Option<NotChargedReason> {
    let all = calls.list_benefits(run, RunBenefitFilter::All).await;
    all.iter().find(|one| one.row.benefit == code(benefit)).unwrap().row.reason
}

/// The titles of the operator's member, by code.
pub async fn titles_of(calls: &Calls, person: i32) -> Vec<Value> {
    let query = [("codPessoa", person.to_string())];
    let query: Vec<(&str, &str)> = query.iter().map(|(name, value)| (*name, value.as_str())).collect();
    calls.titles(&query).await
}
