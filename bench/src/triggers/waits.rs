//! From the commit of a change to the first attempt to tell of it, at a steady rate.

use super::Failure;
use super::base::Base;
use crate::times::Times;
use app::benefits;
use app::idempotency::IdempotentWrite;
use domain::BenefitCode;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use storage::{QueryWeight, sql};
use tokio::task::JoinSet;

/// Deliveries a second, whatever the number of receivers: a busy association, not a machine at its end.
const RATE: usize = 300;

/// Cancels benefits of the demonstration that nobody cancelled yet; the first `receivers` count.
pub async fn measure(
    base: &Base,
    receivers: usize,
    span: Duration,
    timeout: Duration,
) -> Result<Times, Failure> {
    let pause = Duration::from_secs(1) * receivers as u32 / RATE as u32;
    let count = (span.as_secs_f64() / pause.as_secs_f64()) as i64;
    let codes =
        sql("SELECT code FROM benefits WHERE tenant = 1 AND situation IN (1, 2, 3) ORDER BY code LIMIT $1");
    let rows = base.app.db.query(QueryWeight::Search, codes.arg(count)).await?;
    if rows.len() < count as usize {
        return Err(format!("only {} benefits are left to cancel", rows.len()).into());
    }
    for receiver in &base.receivers[..receivers] {
        *receiver.arrivals.lock().expect("nobody panics") = Some(Vec::new());
    }
    let triggers = base.deliver(timeout)?;
    let committed: Arc<Mutex<HashMap<i64, Instant>>> = Arc::default();
    let mut changes: JoinSet<Result<(), String>> = JoinSet::new();
    let mut ticks = tokio::time::interval(pause);
    for row in &rows {
        ticks.tick().await;
        let code: BenefitCode = row.get("code")?;
        let (app, session, committed) = (base.app.clone(), Arc::clone(&base.session), Arc::clone(&committed));
        changes.spawn(async move {
            let told = |error: &dyn std::error::Error| error.to_string();
            app::cache::refresh_versions(&app).await.map_err(|error| told(&error))?;
            let why = wire::read::read_optional_body(b"").map_err(|error| format!("{error:?}"))?;
            let done =
                benefits::cancel_benefit(&app, &session, code, why, IdempotentWrite::without_key()).await;
            done.map_err(|error| told(&error))?;
            committed.lock().expect("nobody panics").insert(code.get().into(), Instant::now());
            Ok(())
        });
    }
    while let Some(done) = changes.join_next().await {
        done??;
    }
    let arrived = || {
        let of = |one: &Arc<super::receivers::Receiver>| {
            one.arrivals.lock().expect("nobody panics").as_ref().map_or(0, Vec::len)
        };
        base.receivers[..receivers].iter().map(of).sum::<usize>()
    };
    let begun = Instant::now();
    while arrived() < rows.len() * receivers {
        tokio::time::sleep(Duration::from_millis(5)).await;
        if begun.elapsed() > Duration::from_secs(30) {
            return Err(format!("only {} of {} arrived", arrived(), rows.len() * receivers).into());
        }
    }
    triggers.stop(Duration::from_secs(1)).await;
    let committed = committed.lock().expect("nobody panics");
    let mut times = Times::default();
    for receiver in &base.receivers[..receivers] {
        for (record, came) in receiver.arrivals.lock().expect("nobody panics").take().unwrap_or_default() {
            // It may come before whoever changed it is answered.
            times.0.extend(committed.get(&record).map(|at| came.saturating_duration_since(*at)));
        }
    }
    Ok(times)
}
