//! Replaces a title by others of the same month and run.

use super::super::cancel_charges::prepare_cancellations;
use super::super::issue_charges::{BookedTitle, IssueTerms, prepare_charges};
use super::super::return_credits::return_credits;
use super::super::run_terms::RunTerms;
use super::plan::PlannedTitle;
use super::sources::IssuedCharge;
use crate::booking::{BookDays, report_imbalance};
use app::{ActorContext, Error};
use domain::finance::{LaunchKind, TitleSituation, book_issue};
use domain::{BenefitCode, LedgerEntryCode, TitleCode};
use finance_storage::charging::charged_months::{delete_months_of_benefits, release_months};
use finance_storage::charging::issued_titles::NewTitle;
use finance_storage::charging::run_benefits::replace_title;
use finance_storage::charging::run_titles::RunTitle;
use finance_storage::charging::runs::StoredChargingRun;
use finance_storage::pending_charges::move_pending_charges;
use finance_storage::titles::StoredTitle;
use std::collections::BTreeSet;
use storage::server::counters::{self, Counter};
use storage::{Statement, Tx};

/// The statements that cancel a title and issue others instead, and the codes of those.
pub(super) async fn prepare_replacement(
    tx: &mut Tx,
    context: &ActorContext<'_>,
    (charge, planned): (&IssuedCharge, &[PlannedTitle]),
    reason: &str,
) -> Result<(Vec<Statement>, Vec<TitleCode>), Error> {
    let days = BookDays::load(tx, context).await?;
    let cancelled = RunTitle {
        title: charge.code,
        person: charge.title.person,
        situation: charge.title.situation,
        issue_entry: charge.title.issue_entry,
        has_settlement: false,
        is_paid_with_money: false,
    };
    if charge.is_paid_with_credit {
        return_credits(tx, context, &[charge.code], reason).await?;
    }
    let mut statements = prepare_cancellations(tx, context, &[cancelled], reason).await?;
    let planned_benefits: BTreeSet<BenefitCode> =
        planned.iter().flat_map(|title| &title.lines).filter_map(|line| line.benefit).collect();
    if !planned_benefits.is_empty() {
        statements.push(delete_months_of_benefits(context.tenant, charge.code, planned_benefits));
    }
    statements.extend(release_months(context.tenant, &[charge.code]));
    let Some(run) = &charge.run else { return Ok((statements, Vec::new())) };
    let number = i32::try_from(planned.len()).map_err(|error| Error::Defect(error.to_string()))?;
    let blocks = [(Counter::Title, number), (Counter::LedgerEntry, number)];
    let [first_title, first_entry] = counters::reserve_number_blocks(tx, context.tenant, blocks).await?;
    let mut titles = Vec::with_capacity(planned.len());
    for (offset, planned) in (0..).zip(planned) {
        let entry = LedgerEntryCode::new(first_entry + offset);
        let title = build_replacement(context, (charge, run), planned, (days.today, entry))?;
        let booked =
            book_issue(planned.group, LaunchKind::Credit, &planned.lines).map_err(report_imbalance)?;
        let benefits: BTreeSet<BenefitCode> = planned.lines.iter().filter_map(|line| line.benefit).collect();
        let new = NewTitle {
            code: TitleCode::new(first_title + offset),
            title,
            lines: planned.lines.clone(),
            benefits: benefits.into_iter().collect(),
        };
        let pending_charges = planned.pending_charges.clone();
        titles.push(BookedTitle { new, booked, entry, month: charge.month.month, pending_charges });
    }
    let codes: Vec<TitleCode> = titles.iter().map(|one| one.new.code).collect();
    let key = (context.tenant, run.code);
    let mut replaced: Vec<Statement> =
        titles.iter().map(|one| replace_title(key, (charge.code, one.new.code), &one.new.benefits)).collect();
    let taking = titles.iter().filter(|one| !one.pending_charges.is_empty());
    replaced.extend(taking.map(|one| {
        let codes = one.pending_charges.iter().copied();
        move_pending_charges(context.tenant, one.new.code, codes, context.now)
    }));
    let issue = IssueTerms {
        run: run.code,
        is_booklet: charge.month.is_booklet,
        booked_on: days.find_booking_day(days.today),
    };
    statements.extend(prepare_charges(tx, context, &issue, titles).await?);
    statements.extend(replaced);
    Ok((statements, codes))
}

/// The terms of the old title hold on, unless the new one is of another group.
fn build_replacement(
    context: &ActorContext<'_>,
    (charge, run): (&IssuedCharge, &StoredChargingRun),
    planned: &PlannedTitle,
    (today, entry): (domain::Date, LedgerEntryCode),
) -> Result<StoredTitle, Error> {
    let terms = RunTerms::new(context.registers, run);
    let mut title = charge.title.clone();
    if planned.group != title.group {
        let no_rule = || Error::Defect(format!("group {} has no rule to charge by", planned.group));
        let group_terms = terms.find_title_terms(planned.group).ok_or_else(no_rule)?;
        title.group = planned.group;
        title.title_type = group_terms.title_type.code;
        title.description = group_terms.describe_title(charge.month.month);
        title.rates = group_terms.rates;
        title.shortfall = group_terms.shortfall;
        title.early_discount = group_terms.early_discount;
    }
    if planned.due_on != title.due_on {
        title.original_due_on = planned.due_on;
    }
    Ok(StoredTitle {
        person: planned.person,
        branch: planned.branch,
        issued_on: today,
        posted_on: Some(today),
        due_on: planned.due_on,
        effective_due_on: terms.find_effective_due_on(planned.due_on),
        early_discount_until: title.early_discount.find_last_day(planned.due_on, &terms.calendar),
        amount: planned.amount(),
        open_amount: planned.amount(),
        settled_total: 0,
        settled_on: None,
        situation: TitleSituation::Open,
        cancelled_on: None,
        cancelled_because: None,
        issue_entry: Some(entry),
        user: context.user,
        version: 1,
        created_at: context.now,
        updated_at: context.now,
        ..title
    })
}
