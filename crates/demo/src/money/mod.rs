//! The money of a demo: monthly titles of every charged benefit, what members paid of them and paid again, slips of
//! those that are open, bills of suppliers, and closed months, up to the day of the load. Amounts, late charges, bookings
//! and situations follow from the rules of `domain::finance` alone. A month is written after the other, so that codes rise
//! with time.

mod bills;
mod closings;
mod credits;
mod monthly;
mod months;
mod next_run;
mod payments;
mod runs;
mod scene;
mod slips;
mod title;
mod write;

use crate::ADMINISTRATOR;
use crate::progress::DemoLoadProgress;
use app::register_snapshot::TenantRegisters;
use app::{App, Error};
use domain::Email;
use months::{list_charged_months, list_closed_months};
use scene::DemoTransactionPart;
use std::sync::Arc;
use storage::WriteLane;

/// More are not asked for.
pub const MOST_MONTHS: u32 = 60;

/// With more members the preview of a month takes too long to look at at once.
const MOST_PREVIEWED_MEMBERS: u32 = 5_000;

/// Months of money for this many members: a year and a half to look at, or little enough to be loaded soon.
pub(crate) const fn choose_months(members: u32) -> u32 {
    match members {
        0..=MOST_PREVIEWED_MEMBERS => 18,
        5_001..=50_000 => 6,
        _ => 1,
    }
}

/// Writes the money that is not yet there.
pub(crate) async fn load_money(
    app: &App,
    registers: &Arc<TenantRegisters>,
    mut progress: DemoLoadProgress,
) -> Result<DemoLoadProgress, Error> {
    let owner = storage::access::users::find_login_owner(&app.db, &Email::parse(ADMINISTRATOR)?).await?;
    let administrator = owner.map(|(_, user)| user);
    let months = list_charged_months(progress.money.today, progress.money.months).len();
    let closings = list_closed_months(progress.money.today, progress.money.months).len();
    let lane = WriteLane::background(progress.tenant);
    let prepare =
        |progress| DemoTransactionPart { progress, registers: Arc::clone(registers), administrator };
    while (progress.money.charged as usize) < months {
        let unit =
            app.db.write(lane, prepare(progress), |tx, part| Box::pin(write::write_next_titles(tx, part)));
        progress = unit.await?;
    }
    while (progress.money.closed as usize) < closings {
        let unit =
            app.db.write(lane, prepare(progress), |tx, part| Box::pin(closings::close_next_month(tx, part)));
        progress = unit.await?;
    }
    if progress.members <= MOST_PREVIEWED_MEMBERS {
        let (part, now) = (prepare(progress), app.now());
        let unit = app
            .db
            .write(lane, (part, now), |tx, (part, now)| Box::pin(next_run::begin_next_run(tx, part, *now)));
        unit.await?;
    }
    Ok(progress)
}
