//! A batch of the issue: the titles of some people, with their bookings, months and history.

use super::issue_charges::{BookedTitle, IssueTerms, convert_line, prepare_charges};
use super::preview_batch::count;
use super::process_run::{BatchContext, BatchProgress};
use super::run_terms::RunTerms;
use crate::booking::{BookDays, report_imbalance};
use crate::slips::issue_slips;
use crate::use_credit::use_credits;
use app::Error;
use domain::finance::{
    ChargeItemKind, ChargeLine, ChargeSource, LaunchKind, NotChargedReason, TitleSituation, book_issue,
};
use domain::{
    BenefitCode, BranchCode, Date, GroupCode, LedgerEntryCode, PendingChargeCode, PersonCode, Scope,
    TitleCode,
};
use finance_storage::charging::chargeable_benefits::list_benefit_versions;
use finance_storage::charging::charged_months::list_months_of_benefits;
use finance_storage::charging::issued_titles::NewTitle;
use finance_storage::charging::joining_fees::list_titles_with_items;
use finance_storage::charging::run_benefits::{
    self, RunBenefit, RunLine, list_benefits_to_issue, list_run_lines,
};
use finance_storage::charging::runs::ChargingTotalCounts;
use finance_storage::charging::title_revisions::delete_settled_revisions;
use finance_storage::pending_charges::list_waiting_charges;
use finance_storage::titles::StoredTitle;
use std::collections::{BTreeMap, BTreeSet};
use storage::server::counters::{self, Counter};
use storage::{Statement, Tx};

pub(super) async fn issue_batch(tx: &mut Tx, batch: &BatchContext<'_>) -> Result<BatchProgress, Error> {
    let (tenant, run) = (batch.context.tenant, batch.run);
    let key = (tenant, run.code);
    // Each benefit of a booklet is as many titles as it has instalments.
    let about = (batch.pace.issued_benefits / i64::from(run.instalments.max(1))).max(1);
    let benefits = list_benefits_to_issue(tx, key, (run.position, about)).await?;
    let Some(last) = benefits.last().map(|one| one.person) else { return Ok(BatchProgress::finished(run)) };
    let is_done = count(benefits.len()) <= about;
    let lines = list_run_lines(&mut *tx, key, benefits.iter().map(|one| one.benefit)).await?;
    let terms = RunTerms::new(batch.context.registers, run);
    let left_out = find_left_out(tx, &terms, batch, (&benefits, &lines)).await?;
    let days = BookDays::load(tx, &batch.context).await?;
    let issued_on = run.issued_on.unwrap_or(days.today);
    let plans = plan_titles(&terms, issued_on, &left_out, (&benefits, lines));
    let mut counts = ChargingTotalCounts::default();
    let mut statements = list_left_out(batch, &benefits, &left_out, &mut counts);
    let issued = benefits.iter().map(|one| one.benefit).filter(|code| !left_out.contains_key(code));
    statements.push(delete_settled_revisions(tenant, issued, days.today));
    let titles = build_titles(tx, batch, &terms, plans).await?;
    let codes: Vec<TitleCode> = titles.iter().map(|one| one.new.code).collect();
    counts.titles = count(titles.len());
    counts.titles_amount = titles.iter().map(|one| one.new.title.amount).sum();
    let first_titles = list_first_titles(&titles);
    let issue = IssueTerms {
        run: run.code,
        is_booklet: run.instalments > 1,
        booked_on: days.find_booking_day(issued_on),
    };
    statements.extend(prepare_charges(tx, &batch.context, &issue, titles).await?);
    statements.extend(run_benefits::update_titles(key, &first_titles));
    tx.execute_batch(statements).await?;
    use_credits(tx, &batch.context, &Scope::for_tenant(tenant), &codes).await?;
    // After the credits: a slip asks for what is open then.
    issue_slips(tx, &batch.context, &codes, batch.seed).await?;
    Ok(BatchProgress { position: last.get(), counts, is_done })
}

/// Benefits that cannot be issued as the preview showed them, and why.
async fn find_left_out(
    tx: &mut Tx,
    terms: &RunTerms<'_>,
    batch: &BatchContext<'_>,
    (benefits, lines): (&[RunBenefit], &[RunLine]),
) -> Result<BTreeMap<BenefitCode, NotChargedReason>, Error> {
    let tenant = batch.context.tenant;
    let mut left_out = BTreeMap::new();
    let codes = || benefits.iter().map(|one| one.benefit);
    let versions: BTreeMap<BenefitCode, i64> =
        list_benefit_versions(tx, tenant, codes()).await?.into_iter().collect();
    for one in benefits {
        if versions.get(&one.benefit) != Some(&one.benefit_version) {
            left_out.insert(one.benefit, NotChargedReason::ChangedSincePreview);
        } else if terms.find_rule(one.group).is_none() {
            left_out.insert(one.benefit, NotChargedReason::NotUsable);
        }
    }
    let pending: Vec<&RunLine> = lines.iter().filter(|line| line.pending_charge.is_some()).collect();
    if !pending.is_empty() {
        let people: BTreeSet<PersonCode> = benefits.iter().map(|one| one.person).collect();
        let waiting = list_waiting_charges(&mut *tx, tenant, people).await?;
        let waiting: BTreeSet<PendingChargeCode> = waiting.iter().map(|one| one.code).collect();
        let is_gone = |line: &&&RunLine| line.pending_charge.is_some_and(|code| !waiting.contains(&code));
        let gone = pending.iter().filter(is_gone).map(|line| line.benefit);
        for benefit in gone {
            left_out.entry(benefit).or_insert(NotChargedReason::OneOffChargeGone);
        }
    }
    let joining: BTreeSet<BenefitCode> = lines
        .iter()
        .filter(|line| line.source == ChargeSource::JoiningFee)
        .map(|line| line.benefit)
        .collect();
    if !joining.is_empty() {
        // Another run has charged the fee since.
        let items = terms.list_items_of_kind(ChargeItemKind::Joining);
        for (benefit, _) in list_titles_with_items(tx, tenant, joining, items).await? {
            left_out.entry(benefit).or_insert(NotChargedReason::ChangedSincePreview);
        }
    }
    let months = (terms.run.month, terms.last_month());
    for month in list_months_of_benefits(tx, tenant, codes(), months).await? {
        left_out.insert(month.benefit, month.find_reason());
    }
    Ok(left_out)
}

/// Lists the benefits that are left out, and takes them off the sums of the preview.
fn list_left_out(
    batch: &BatchContext<'_>,
    benefits: &[RunBenefit],
    left_out: &BTreeMap<BenefitCode, NotChargedReason>,
    counts: &mut ChargingTotalCounts,
) -> Vec<Statement> {
    let mut by_reason: BTreeMap<NotChargedReason, Vec<BenefitCode>> = BTreeMap::new();
    for benefit in benefits {
        if let Some(reason) = left_out.get(&benefit.benefit) {
            by_reason.entry(*reason).or_default().push(benefit.benefit);
            counts.charged -= 1;
            counts.charged_amount -= benefit.amount;
        }
    }
    let key = (batch.context.tenant, batch.run.code);
    by_reason.iter().map(|(reason, codes)| run_benefits::update_reason(key, *reason, codes)).collect()
}

/// What the benefits of one title have in common.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct TitleKey {
    person: PersonCode,
    group: GroupCode,
    branch: BranchCode,
    instalment: i32,
    due_on: Date,
}

type TitlePlans = BTreeMap<TitleKey, Vec<RunLine>>;

/// One title for each person, group, branch and due date.
fn plan_titles(
    terms: &RunTerms<'_>,
    issued_on: Date,
    left_out: &BTreeMap<BenefitCode, NotChargedReason>,
    (benefits, lines): (&[RunBenefit], Vec<RunLine>),
) -> TitlePlans {
    let benefits: BTreeMap<BenefitCode, &RunBenefit> =
        benefits.iter().map(|one| (one.benefit, one)).collect();
    let mut plans = TitlePlans::new();
    for line in lines.into_iter().filter(|line| !left_out.contains_key(&line.benefit)) {
        let Some(benefit) = benefits.get(&line.benefit) else { continue };
        let (Some((rule, _)), Some(due_day)) = (terms.find_rule(benefit.group), benefit.due_day) else {
            continue;
        };
        let key = TitleKey {
            person: benefit.person,
            group: benefit.group,
            branch: benefit.branch,
            instalment: line.instalment,
            due_on: terms.find_due_on(line.instalment, due_day, (issued_on, rule)),
        };
        plans.entry(key).or_default().push(line);
    }
    plans
}

async fn build_titles(
    tx: &mut Tx,
    batch: &BatchContext<'_>,
    terms: &RunTerms<'_>,
    plans: TitlePlans,
) -> Result<Vec<BookedTitle>, Error> {
    let number = i32::try_from(plans.len()).map_err(|error| Error::Defect(error.to_string()))?;
    let blocks = [(Counter::Title, number), (Counter::LedgerEntry, number)];
    let [first_title, first_entry] =
        counters::reserve_number_blocks(tx, batch.context.tenant, blocks).await?;
    let mut titles = Vec::with_capacity(plans.len());
    for (offset, (key, lines)) in (0..).zip(plans) {
        let entry = LedgerEntryCode::new(first_entry + offset);
        let title = build_title(batch, terms, (&key, &lines), entry)?;
        let benefits: BTreeSet<BenefitCode> = lines.iter().map(|line| line.benefit).collect();
        let pending_charges = lines.iter().filter_map(|line| line.pending_charge).collect();
        let lines: Vec<ChargeLine> = lines.into_iter().map(convert_line).collect();
        let booked = book_issue(key.group, LaunchKind::Credit, &lines).map_err(report_imbalance)?;
        let code = TitleCode::new(first_title + offset);
        let new = NewTitle { code, title, lines, benefits: benefits.into_iter().collect() };
        let month = terms.month_of(key.instalment);
        titles.push(BookedTitle { new, booked, entry, month, pending_charges });
    }
    Ok(titles)
}

fn build_title(
    batch: &BatchContext<'_>,
    terms: &RunTerms<'_>,
    (key, lines): (&TitleKey, &[RunLine]),
    entry: LedgerEntryCode,
) -> Result<StoredTitle, Error> {
    let no_rule = || Error::Defect(format!("group {} has no rule to charge by", key.group));
    let title_terms = terms.find_title_terms(key.group).ok_or_else(no_rule)?;
    let amount = lines.iter().map(|line| line.amount).sum();
    let issued_on = batch.run.issued_on.unwrap_or(batch.run.prepared_on);
    Ok(StoredTitle {
        person: key.person,
        branch: key.branch,
        group: key.group,
        title_type: title_terms.title_type.code,
        launch_kind: LaunchKind::Credit,
        description: title_terms.describe_title(terms.month_of(key.instalment)),
        note: None,
        issued_on,
        due_on: key.due_on,
        original_due_on: key.due_on,
        effective_due_on: terms.find_effective_due_on(key.due_on),
        posted_on: Some(issued_on),
        instalment: key.instalment,
        instalments: batch.run.instalments,
        rates: title_terms.rates,
        shortfall: title_terms.shortfall,
        early_discount: title_terms.early_discount,
        early_discount_until: title_terms.early_discount.find_last_day(key.due_on, &terms.calendar),
        amount,
        open_amount: amount,
        settled_total: 0,
        settled_on: None,
        situation: TitleSituation::Open,
        cancelled_on: None,
        cancelled_because: None,
        issue_entry: Some(entry),
        user: batch.context.user,
        version: 1,
        created_at: batch.context.now,
        updated_at: batch.context.now,
    })
}

fn list_first_titles(titles: &[BookedTitle]) -> Vec<(BenefitCode, TitleCode)> {
    let mut first = BTreeMap::new();
    for title in titles {
        for benefit in &title.new.benefits {
            first.entry(*benefit).or_insert(title.new.code);
        }
    }
    first.into_iter().collect()
}
