//! Cancels titles of charging runs: their bookings are taken back, and what they took of one-off charges comes back.

use crate::booking::{BookDays, report_imbalance};
use crate::title_history::{TitleChange, prepare_title_changes};
use app::{ActorContext, Error};
use domain::finance::{BalancedLines, LedgerEntryKind, TitleSituation};
use domain::{BenefitCode, Date, LedgerEntryCode, TitleCode};
use finance_storage::charging::issued_titles::{cancel_titles, insert_entries, load_entries};
use finance_storage::charging::run_titles::RunTitle;
use finance_storage::ledger::NewLedgerEntry;
use finance_storage::pending_charges::release_pending_charges;
use finance_storage::titles::{self, StoredTitle};
use std::collections::BTreeMap;
use storage::server::counters::{self, Counter};
use storage::{Statement, Tx};

/// The statements that cancel these open titles, of which nothing was paid. What becomes of their months is up to the caller.
pub(super) async fn prepare_cancellations(
    tx: &mut Tx,
    context: &ActorContext<'_>,
    open: &[RunTitle],
    reason: &str,
) -> Result<Vec<Statement>, Error> {
    let (tenant, now) = (context.tenant, context.now);
    let codes: Vec<TitleCode> = open.iter().map(|one| one.title).collect();
    let days = BookDays::load(tx, context).await?;
    let booked_on = days.find_booking_day(days.today);
    let mut statements = prepare_reversals(tx, context, open, (booked_on, days.today)).await?;
    statements.push(cancel_titles(tenant, &codes, (days.today, reason), now));
    for code in &codes {
        statements.extend(release_pending_charges(tenant, *code, days.today, now));
    }
    statements.extend(prepare_history(tx, context, &codes, (days.today, reason)).await?);
    Ok(statements)
}

/// The entries that take back those of the issue.
async fn prepare_reversals(
    tx: &mut Tx,
    context: &ActorContext<'_>,
    open: &[RunTitle],
    (booked_on, happened_on): (Date, Date),
) -> Result<Vec<Statement>, Error> {
    let issued: Vec<(TitleCode, LedgerEntryCode)> =
        open.iter().filter_map(|one| Some((one.title, one.issue_entry?))).collect();
    let number = i32::try_from(issued.len()).map_err(|error| Error::Defect(error.to_string()))?;
    let first = counters::reserve_numbers(tx, context.tenant, Counter::LedgerEntry, number).await?;
    let (mut booked, accounts) =
        load_entries(tx, context.tenant, issued.iter().map(|(_, entry)| *entry)).await?;
    let mut reversed: Vec<(TitleCode, LedgerEntryCode, BalancedLines)> = Vec::new();
    for (title, entry) in issued {
        let missing = || Error::Defect(format!("entry {entry} has no lines"));
        let (group, lines) = booked.remove(&entry).ok_or_else(missing)?;
        let lines = BalancedLines::new(group, lines).map_err(report_imbalance)?;
        reversed.push((title, entry, lines.reverse()));
    }
    let entries: Vec<NewLedgerEntry<'_>> = (first..)
        .zip(&reversed)
        .map(|(code, (title, entry, lines))| NewLedgerEntry {
            code: LedgerEntryCode::new(code),
            kind: LedgerEntryKind::TitleCancellation,
            booked_on,
            happened_on,
            title: Some(*title),
            settlement: None,
            reverses: Some(*entry),
            user: context.user,
            lines,
        })
        .collect();
    Ok(insert_entries(context.tenant, &entries, &accounts, context.now)?)
}

async fn prepare_history(
    tx: &mut Tx,
    context: &ActorContext<'_>,
    codes: &[TitleCode],
    (cancelled_on, reason): (Date, &str),
) -> Result<Vec<Statement>, Error> {
    let mut stored = titles::list_titles_by_code(&mut *tx, context.tenant, codes).await?;
    stored.sort_by_key(|(code, _)| *code);
    let cancelled: Vec<(TitleCode, StoredTitle)> = stored
        .into_iter()
        .map(|(code, title)| {
            let after = StoredTitle {
                open_amount: 0,
                situation: TitleSituation::Cancelled,
                cancelled_on: Some(cancelled_on),
                ..title
            };
            (code, after)
        })
        .collect();
    let mut benefits: BTreeMap<TitleCode, Vec<BenefitCode>> = BTreeMap::new();
    for (title, benefit, _) in titles::list_title_benefits(&mut *tx, context.tenant, codes).await? {
        benefits.entry(title).or_default().push(benefit);
    }
    let changes: Vec<TitleChange<'_>> = cancelled
        .iter()
        .map(|(code, title)| TitleChange {
            code: *code,
            title,
            benefits: benefits.get(code).map_or(&[], Vec::as_slice),
            from: Some(TitleSituation::Open),
            reason: Some(reason),
        })
        .collect();
    prepare_title_changes(tx, context, &changes).await
}
