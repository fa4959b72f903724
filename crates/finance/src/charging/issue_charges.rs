//! Writes titles of charging runs, with their bookings, months and history.

use crate::title_history::{TitleChange, prepare_title_changes};
use app::{ActorContext, Error};
use domain::finance::{BalancedLines, ChargeLine, ChargedMonth, LedgerEntryKind};
use domain::{ChargingRunCode, Date, LedgerEntryCode, PendingChargeCode, TitleCode};
use finance_storage::charging::charged_months::{
    ChargedMonthOrigin, StoredChargedMonth, insert_charged_months,
};
use finance_storage::charging::issued_titles::{NewTitle, insert_entries, insert_titles};
use finance_storage::charging::run_benefits::RunLine;
use finance_storage::charging::run_titles::insert_run_titles;
use finance_storage::ledger::{NewLedgerEntry, open_accounts};
use finance_storage::pending_charges::take_pending_charges;
use std::collections::BTreeSet;
use storage::{Statement, Tx};

/// A title with what it books and charges.
pub(super) struct BookedTitle {
    pub new: NewTitle,
    pub booked: BalancedLines,
    pub entry: LedgerEntryCode,
    pub month: ChargedMonth,
    pub pending_charges: Vec<PendingChargeCode>,
}

/// What titles that are issued together have in common.
pub(super) struct IssueTerms {
    pub run: ChargingRunCode,
    pub is_booklet: bool,
    pub booked_on: Date,
}

pub(super) fn convert_line(line: RunLine) -> ChargeLine {
    ChargeLine {
        item: line.item,
        nature: line.nature,
        benefit: Some(line.benefit),
        price: line.price,
        amount: line.amount,
        description: line.description,
    }
}

/// The statements that write titles with their bookings, months and history.
pub(super) async fn prepare_charges(
    tx: &mut Tx,
    context: &ActorContext<'_>,
    issue: &IssueTerms,
    titles: Vec<BookedTitle>,
) -> Result<Vec<Statement>, Error> {
    let tenant = context.tenant;
    let keys: BTreeSet<_> =
        titles.iter().flat_map(|one| one.booked.lines().iter().map(|line| line.account)).collect();
    let accounts = open_accounts(tx, tenant, keys).await?;
    let entries: Vec<NewLedgerEntry<'_>> = titles
        .iter()
        .map(|one| NewLedgerEntry {
            code: one.entry,
            kind: LedgerEntryKind::TitleIssue,
            booked_on: issue.booked_on,
            happened_on: one.new.title.issued_on,
            title: Some(one.new.code),
            settlement: None,
            reverses: None,
            user: context.user,
            lines: &one.booked,
        })
        .collect();
    let changes: Vec<TitleChange<'_>> = titles
        .iter()
        .map(|one| TitleChange {
            code: one.new.code,
            title: &one.new.title,
            benefits: &one.new.benefits,
            from: None,
            reason: None,
        })
        .collect();
    let history = prepare_title_changes(tx, context, &changes).await?;
    let mut statements = insert_entries(tenant, &entries, &accounts, context.now)?;
    let months = list_claimed_months(issue, &titles);
    for one in titles.iter().filter(|one| !one.pending_charges.is_empty()) {
        let codes = one.pending_charges.iter().copied();
        statements.push(take_pending_charges(tenant, one.new.code, codes, context.now));
    }
    let new: Vec<NewTitle> = titles.into_iter().map(|one| one.new).collect();
    let codes: Vec<TitleCode> = new.iter().map(|one| one.code).collect();
    // Titles come before everything that refers to them.
    let mut all = insert_titles(tenant, &new);
    all.append(&mut statements);
    all.extend(insert_run_titles(tenant, issue.run, &codes));
    all.extend(insert_charged_months(tenant, &months));
    all.extend(history);
    Ok(all)
}

fn list_claimed_months(issue: &IssueTerms, titles: &[BookedTitle]) -> Vec<StoredChargedMonth> {
    let (origin, is_booklet) = (ChargedMonthOrigin::Run(issue.run), issue.is_booklet);
    let of_title = |one: &BookedTitle| {
        let (month, title) = (one.month, one.new.code);
        let claim = move |benefit| StoredChargedMonth { benefit, month, title, origin, is_booklet };
        one.new.benefits.clone().into_iter().map(claim)
    };
    titles.iter().flat_map(of_title).collect()
}
