//! How fast a month is charged: the preview, the issue of all titles, and undoing it, in this process and on SQLite.

use crate::triggers::Failure;
use crate::triggers::base::{Base, Place};
use app::idempotency::IdempotentWrite;
use domain::finance::ChargedMonth;
use finance::charging::{self, NewChargingRun, StoredChargingRun};
use std::time::Instant;
use storage::{WriteLane, sql};

pub struct Plan {
    pub members: u32,
}

pub fn run(plan: &Plan) -> Result<(), Box<dyn std::error::Error>> {
    measure_in_folder(plan).map_err(|error| -> Box<dyn std::error::Error> { error })
}

fn measure_in_folder(plan: &Plan) -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let place = Place::Sqlite(folder.path().join("amparo.db"));
    tokio::runtime::Runtime::new()?.block_on(measure(place, plan.members))
}

async fn measure(place: Place, members: u32) -> Result<(), Failure> {
    let base = Base::make(place, members, 0).await?;
    let (app, caller, once) = (&base.app, &*base.session, IdempotentWrite::without_key);
    // Everybody can be charged, and nobody was yet.
    let lane = WriteLane::foreground(caller.scope.tenant());
    let prepared: Result<(), storage::Error> = app
        .db
        .write(lane, caller.scope.tenant(), |tx, tenant| {
            Box::pin(async move {
                let days = "UPDATE benefits SET due_day = 10 WHERE tenant = $1 AND due_day IS NULL";
                tx.execute(sql(days).arg(*tenant)).await.map(drop)
            })
        })
        .await;
    prepared?;
    let month = ChargedMonth::of_day(
        app.now().date_in(&domain::TimeZone::parse("America/Sao_Paulo").map_err(|_| "an unknown time zone")?),
    )
    .plus_months(2);
    let run = NewChargingRun { month, group: None, branch: None, due_day: None, instalments: 1 };
    println!("{:<12} {:>9} {:>10} {:>12}", "charging", "seconds", "rows", "rows/s");
    let begun = charging::prepare_run(app, caller, run, once()).await?.into_fresh()?.run.code;
    let run = time(&base, "preview", begun, |run| run.counts.benefits).await?;
    charging::approve_run(app, caller, run.code, once()).await?;
    let run = time(&base, "issue", begun, |run| run.counts.titles).await?;
    charging::undo_run(app, caller, (run.code, "medida".to_owned()), once()).await?;
    time(&base, "undo", begun, |run| run.counts.cancelled).await?;
    Ok(())
}

/// Works off a stage.
async fn time(
    base: &Base,
    what: &str,
    run: domain::ChargingRunCode,
    rows: fn(&StoredChargingRun) -> i64,
) -> Result<StoredChargingRun, Failure> {
    let begun = Instant::now();
    while charging::run_due_charging(&base.app).await? {}
    let seconds = begun.elapsed().as_secs_f64();
    let run = charging::read_run(&base.app, &base.session, run).await?.run;
    let rows = rows(&run);
    println!("{what:<12} {seconds:>9.1} {rows:>10} {:>12.0}", rows as f64 / seconds);
    Ok(run)
}
