//! Writes generated titles with their settlements and entries, a part of a month in each transaction.

use super::bills::generate_bills;
use super::credits::SampleCreditReceipt;
use super::monthly::{BenefitHolding, generate_monthly_titles};
use super::months::{CalendarMonth, list_charged_months};
use super::runs::{claim_months, require_run};
use super::scene::{DemoTransactionPart, LoadedRegisterScene};
use super::slips::prepare_slips;
use super::title::{SampleCounterEntry, SampleReceipt, SampleTitle};
use crate::progress::{DemoLoadProgress, MoneyProgress};
use crate::write::ORIGIN;
use app::{ActorContext, Error};
use domain::finance::{BalancedLines, LedgerAccountKey, LedgerEntryKind, derive_situation};
use domain::{
    AuditedOperation, ChargingRunCode, CreditReceiptCode, Date, LedgerEntryCode, Moment, PersonCode,
    SettlementCode, TitleCode, UserCode,
};
use finance::title_history::{TitleChange, prepare_silent_title_changes};
use finance_storage::charging::issued_titles::{self, NewTitle};
use finance_storage::credit_receipts::{StoredCreditReceipt, insert_credit_receipt, insert_receipt_reversal};
use finance_storage::held_benefits::list_held_benefits;
use finance_storage::large_batches;
use finance_storage::ledger::{self, NewLedgerEntry};
use finance_storage::settlements::{ReversalRecord, StoredSettlement};
use finance_storage::titles::StoredTitle;
use std::collections::BTreeMap;
use storage::benefits::items::list_items_of_benefits;
use storage::server::counters::{self, Counter};
use storage::{Statement, Tx};

/// Far from the time limit of a transaction even on a busy machine.
const BENEFITS_PER_TRANSACTION: i64 = 300;

/// Writes the titles of the next people in the next month, unless another process already did.
pub(super) async fn write_next_titles(
    tx: &mut Tx,
    part: &DemoTransactionPart,
) -> Result<DemoLoadProgress, Error> {
    let progress = part.progress;
    if let Some(other) = progress.find_other(tx).await? {
        return Ok(other);
    }
    let scene = LoadedRegisterScene::new(part);
    let money = progress.money;
    let months = list_charged_months(money.today, money.months);
    let beyond = || Error::Defect("no month of the demonstration is left to charge".to_owned());
    let month = *months.get(money.charged as usize).ok_or_else(beyond)?;
    let (holdings, is_end) = list_next_holdings(tx, &progress).await?;
    let mut titles = generate_monthly_titles(&scene, month, &holdings)?;
    let last_payer = holdings.last().map_or(money.payer, |holding| holding.benefit.person.get());
    let mut money = MoneyProgress { payer: last_payer, ..money };
    if is_end {
        titles.extend(generate_bills(tx, &scene, month, progress.members).await?);
        money = MoneyProgress { charged: money.charged + 1, payer: 0, ..money };
    }
    let run = require_run(tx, &scene, month).await?;
    write_titles(tx, &scene, (run, month), &titles).await?;
    let progress = DemoLoadProgress { money, ..progress };
    progress.save(tx).await?;
    Ok(progress)
}

/// All benefits of the next people, and whether these are the last ones.
async fn list_next_holdings(
    tx: &mut Tx,
    progress: &DemoLoadProgress,
) -> Result<(Vec<BenefitHolding>, bool), Error> {
    let (tenant, after) = (progress.tenant, PersonCode::new(progress.money.payer));
    let mut limit = BENEFITS_PER_TRANSACTION;
    let mut benefits = list_held_benefits(tx, tenant, after, limit).await?;
    // A person may hold more benefits than a transaction writes.
    while benefits.len() as i64 == limit && benefits.iter().all(|one| one.person == benefits[0].person) {
        limit *= 2;
        benefits = list_held_benefits(tx, tenant, after, limit).await?;
    }
    let is_end = (benefits.len() as i64) < limit;
    let incomplete = benefits.last().filter(|_| !is_end).map(|last| last.person);
    benefits.retain(|one| Some(one.person) != incomplete);
    let mut items: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (benefit, item) in list_items_of_benefits(tx, tenant, benefits.iter().map(|one| one.code)).await? {
        items.entry(benefit).or_default().push(item);
    }
    let holdings = benefits.into_iter().map(|benefit| {
        let items = items.remove(&benefit.code).unwrap_or_default();
        BenefitHolding { benefit, items }
    });
    Ok((holdings.collect(), is_end))
}

/// What a batch of titles inserts, with codes.
#[derive(Default)]
struct TitleRows<'t> {
    titles: Vec<NewTitle>,
    entries: Vec<(NewLedgerEntry<'t>, Moment)>,
    settlements: Vec<StoredSettlement>,
    reversals: Vec<(SettlementCode, ReversalRecord)>,
    /// With their reversals.
    credits: Vec<StoredCreditReceipt>,
}

/// The next code of each kind.
struct TitleCodeCounters {
    title: i32,
    settlement: i32,
    credit: i32,
    entry: i32,
}

async fn write_titles(
    tx: &mut Tx,
    scene: &LoadedRegisterScene<'_>,
    (run, month): (ChargingRunCode, CalendarMonth),
    titles: &[SampleTitle],
) -> Result<(), Error> {
    let tenant = scene.tenant;
    let receipts: usize = titles.iter().map(|one| one.receipts.len()).sum();
    let credits: usize = titles.iter().map(|one| one.credits.len()).sum();
    let counts = [
        (Counter::Title, titles.len() as i32),
        (Counter::Settlement, receipts as i32),
        (Counter::CreditReceipt, credits as i32),
        (Counter::LedgerEntry, titles.iter().map(count_entries).sum::<usize>() as i32),
    ];
    let [title, settlement, credit, entry] = counters::reserve_number_blocks(tx, tenant, counts).await?;
    let mut next = TitleCodeCounters { title, settlement, credit, entry };
    let mut rows = TitleRows::default();
    for title in titles {
        rows.add_title(title, &mut next);
    }
    let accounts = ledger::open_accounts(tx, tenant, list_accounts(&rows)).await?;
    let mut statements = issued_titles::insert_titles(tenant, &rows.titles);
    statements.extend(large_batches::insert_entries(tenant, &rows.entries, &accounts)?);
    statements.extend(large_batches::insert_settlements(tenant, &rows.settlements));
    let reversals = rows.reversals.iter().map(|(code, one)| (*code, one));
    statements.extend(large_batches::insert_reversals(tenant, reversals));
    for credit in &rows.credits {
        statements.push(insert_credit_receipt(tenant, credit));
        let reversal = credit.reversal.as_ref();
        statements.extend(reversal.map(|one| insert_receipt_reversal(tenant, credit.code, one)));
    }
    statements.extend(claim_months(tenant, run, month, &rows.titles));
    let context = build_context(scene);
    statements.extend(prepare_slips(tx, scene, &context, &rows.titles).await?);
    statements.extend(prepare_history(tx, &context, &rows.titles).await?);
    Ok(tx.execute_batch(statements).await?)
}

fn build_context<'s>(scene: &'s LoadedRegisterScene<'_>) -> ActorContext<'s> {
    ActorContext {
        tenant: scene.tenant,
        registers: scene.registers,
        user: None,
        operation: AuditedOperation::LoadDemo,
        origin: ORIGIN,
        suppresses_triggers: true,
        now: scene.today.start_in(&scene.registers.zone),
    }
}

/// The history of each title: its issue, and what became of it.
async fn prepare_history(
    tx: &mut Tx,
    context: &ActorContext<'_>,
    titles: &[NewTitle],
) -> Result<Vec<Statement>, Error> {
    let issued: Vec<StoredTitle> = titles.iter().map(|one| find_issued_state(&one.title)).collect();
    let mut changes = Vec::with_capacity(2 * titles.len());
    for (new, issued) in titles.iter().zip(&issued) {
        let (code, benefits) = (new.code, &new.benefits[..]);
        let issue = TitleChange { code, title: issued, benefits, from: None, reason: None };
        changes.push((new.title.created_at, issue));
        if new.title.version > issued.version {
            let reason = new.title.cancelled_because.as_deref();
            let change = TitleChange { title: &new.title, from: Some(issued.situation), reason, ..issue };
            changes.push((new.title.updated_at, change));
        }
    }
    prepare_silent_title_changes(tx, context, &changes).await
}

/// The title as it was issued.
fn find_issued_state(title: &StoredTitle) -> StoredTitle {
    StoredTitle {
        open_amount: title.amount,
        settled_total: 0,
        settled_on: None,
        situation: derive_situation(title.posted_on.is_some(), false, title.amount, false),
        cancelled_on: None,
        cancelled_because: None,
        version: 1,
        updated_at: title.created_at,
        ..title.clone()
    }
}

fn count_entries(title: &SampleTitle) -> usize {
    let count_receipt = |receipt: &SampleReceipt| 1 + usize::from(receipt.reversal.is_some());
    let count_credit = |credit: &SampleCreditReceipt| 1 + usize::from(credit.reversal.is_some());
    usize::from(title.issue.is_some())
        + title.receipts.iter().map(count_receipt).sum::<usize>()
        + title.credits.iter().map(count_credit).sum::<usize>()
        + usize::from(title.cancellation.is_some())
}

fn list_accounts(rows: &TitleRows<'_>) -> Vec<LedgerAccountKey> {
    let lines = rows.entries.iter().flat_map(|(entry, _)| entry.lines.lines());
    let mut accounts: Vec<_> = lines.map(|line| line.account).collect();
    accounts.sort_unstable();
    accounts.dedup();
    accounts
}

/// What an entry books, besides its lines.
struct EntryFact {
    kind: LedgerEntryKind,
    day: Date,
    at: Moment,
    title: Option<TitleCode>,
    settlement: Option<SettlementCode>,
    reverses: Option<LedgerEntryCode>,
    user: Option<UserCode>,
}

impl<'t> TitleRows<'t> {
    fn add_title(&mut self, sample: &'t SampleTitle, next: &mut TitleCodeCounters) {
        let (title, stored) = (TitleCode::new(take_next(&mut next.title)), &sample.title);
        let fact = EntryFact {
            kind: LedgerEntryKind::TitleIssue,
            day: stored.issued_on,
            at: stored.created_at,
            title: Some(title),
            settlement: None,
            reverses: None,
            user: stored.user,
        };
        let issue_entry = sample.issue.as_ref().map(|lines| self.add_entry(fact, lines, next));
        for receipt in &sample.receipts {
            self.add_receipt(title, receipt, stored.user, next);
        }
        if let Some(SampleCounterEntry { day, at, lines, .. }) = &sample.cancellation {
            let fact = EntryFact {
                kind: LedgerEntryKind::TitleCancellation,
                day: *day,
                at: *at,
                title: Some(title),
                settlement: None,
                reverses: issue_entry,
                user: stored.user,
            };
            self.add_entry(fact, lines, next);
        }
        for credit in &sample.credits {
            self.add_credit((title, stored), credit, next);
        }
        self.titles.push(NewTitle {
            code: title,
            title: StoredTitle { issue_entry, ..stored.clone() },
            lines: sample.lines.clone(),
            benefits: sample.benefits.clone(),
        });
    }

    fn add_receipt(
        &mut self,
        title: TitleCode,
        receipt: &'t SampleReceipt,
        administrator: Option<UserCode>,
        next: &mut TitleCodeCounters,
    ) {
        let code = SettlementCode::new(take_next(&mut next.settlement));
        let fact = EntryFact {
            kind: LedgerEntryKind::Receipt,
            day: receipt.paid_on,
            at: receipt.created_at,
            title: Some(title),
            settlement: Some(code),
            reverses: None,
            user: receipt.channel.user,
        };
        let entry = self.add_entry(fact, &receipt.lines, next);
        let split = receipt.split;
        self.settlements.push(StoredSettlement {
            code,
            title,
            money: Some((receipt.channel.settlement_type, receipt.channel.account)),
            paid_on: receipt.paid_on,
            credited_on: receipt.paid_on,
            booked_on: receipt.paid_on,
            principal: split.principal,
            interest: split.interest,
            fine: split.fine,
            discount: 0,
            total: split.principal + split.interest + split.fine,
            credit: split.excess,
            late_charges_left: split.unpaid_late_charges,
            note: None,
            entry,
            user: receipt.channel.user,
            created_at: receipt.created_at,
            reversal: None,
        });
        if let Some(SampleCounterEntry { day, at, reason, lines }) = &receipt.reversal {
            let fact = EntryFact {
                kind: LedgerEntryKind::ReceiptReversal,
                day: *day,
                at: *at,
                title: Some(title),
                settlement: Some(code),
                reverses: Some(entry),
                user: administrator,
            };
            let entry = self.add_entry(fact, lines, next);
            let reversal = ReversalRecord {
                booked_on: *day,
                reason: (*reason).to_owned(),
                entry,
                user: administrator,
                created_at: *at,
            };
            self.reversals.push((code, reversal));
        }
    }

    fn add_credit(
        &mut self,
        (title, stored): (TitleCode, &StoredTitle),
        credit: &'t SampleCreditReceipt,
        next: &mut TitleCodeCounters,
    ) {
        let is_refund = credit.amount < 0;
        let kind = if is_refund { LedgerEntryKind::CreditRefund } else { LedgerEntryKind::CreditReceipt };
        let fact = EntryFact {
            kind,
            day: credit.paid_on,
            at: credit.created_at,
            title: None,
            settlement: None,
            reverses: None,
            user: credit.channel.user,
        };
        let entry = self.add_entry(fact, &credit.lines, next);
        let reversal = credit.reversal.as_ref().map(|reversal| {
            let fact = EntryFact {
                kind: LedgerEntryKind::CreditReversal,
                day: reversal.day,
                at: reversal.at,
                title: None,
                settlement: None,
                reverses: Some(entry),
                user: stored.user,
            };
            ReversalRecord {
                booked_on: reversal.day,
                reason: reversal.reason.to_owned(),
                entry: self.add_entry(fact, &reversal.lines, next),
                user: stored.user,
                created_at: reversal.at,
            }
        });
        self.credits.push(StoredCreditReceipt {
            code: CreditReceiptCode::new(take_next(&mut next.credit)),
            person: stored.person,
            branch: stored.branch,
            group: stored.group,
            amount: credit.amount,
            settlement_type: credit.channel.settlement_type,
            account: credit.channel.account,
            paid_on: credit.paid_on,
            booked_on: credit.paid_on,
            title: (!is_refund).then_some(title),
            note: Some(credit.note.to_owned()),
            entry,
            user: credit.channel.user,
            created_at: credit.created_at,
            reversal,
        });
    }

    /// An entry is booked on the day of its fact: that month was not closed then.
    fn add_entry(
        &mut self,
        fact: EntryFact,
        lines: &'t BalancedLines,
        next: &mut TitleCodeCounters,
    ) -> LedgerEntryCode {
        let code = LedgerEntryCode::new(take_next(&mut next.entry));
        let entry = NewLedgerEntry {
            code,
            kind: fact.kind,
            booked_on: fact.day,
            happened_on: fact.day,
            title: fact.title,
            settlement: fact.settlement,
            reverses: fact.reverses,
            user: fact.user,
            lines,
        };
        self.entries.push((entry, fact.at));
        code
    }
}

fn take_next(counter: &mut i32) -> i32 {
    std::mem::replace(counter, *counter + 1)
}
