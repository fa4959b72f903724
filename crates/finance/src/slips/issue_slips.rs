//! Issues the slips of titles that have none in force, in the unit of work that the caller opened.

use super::build_slip::{AccountSequences, IssueMoment, NewSlipNumbers, build_slip};
use super::collector::find_collector;
use super::link::{RandomLinkSeed, plan_slip_link};
use super::terms::{CollectedDebt, CollectionTerms};
use app::register_snapshot::TenantRegisters;
use app::{ActorContext, Error};
use domain::finance::{FinanceProblem, LaunchKind, TitleSituation};
use domain::{Date, PersonCode, SlipCode, TenantId, TitleCode};
use finance_storage::slips::{StoredSlip, insert_slips, list_last_slips};
use finance_storage::titles::{StoredTitle, list_titles_by_code};
use links::{DocumentLink, insert_links};
use std::collections::BTreeMap;
use storage::Tx;
use storage::server::counters::{self, Counter};

/// Issues a slip for each of these titles that is open and has no slip that still holds what is due. Titles that no bank
/// collects for have none.
#[boxed::future]
pub(crate) async fn issue_slips(
    tx: &mut Tx,
    context: &ActorContext<'_>,
    codes: &[TitleCode],
    seed: &RandomLinkSeed,
) -> Result<(), Error> {
    let is_collected = |registers: &TenantRegisters| {
        registers.money.accounts.iter().any(|account| account.active && account.slips.bank.is_some())
    };
    if !is_collected(context.registers) {
        return Ok(());
    }
    let titles = list_titles_by_code(&mut *tx, context.tenant, codes).await?;
    let last: BTreeMap<TitleCode, StoredSlip> = list_last_slips(&mut *tx, context.tenant, codes)
        .await?
        .into_iter()
        .map(|slip| (slip.title, slip))
        .collect();
    let is_payable = |title: &StoredTitle| {
        title.situation == TitleSituation::Open && title.launch_kind == LaunchKind::Credit
    };
    let mut draft = NewSlipBatch::new(context);
    for (code, title) in titles.iter().filter(|(_, title)| is_payable(title)) {
        let last = last.get(code);
        let debt = draft.load_debt(tx, (*code, title)).await?;
        if last.is_some_and(|last| debt.is_held_by(last)) {
            continue;
        }
        // What cannot have a slip is paid by other means.
        let _ = draft.add(tx, (*code, title), debt.compute_terms(), last).await?;
    }
    draft.store(tx, &titles, seed).await.map(drop)
}

/// Slips that are about to be issued.
pub(super) struct NewSlipBatch<'c> {
    registers: &'c TenantRegisters,
    tenant: TenantId,
    context: &'c ActorContext<'c>,
    today: Date,
    sequences: AccountSequences,
    slips: Vec<StoredSlip>,
}

impl<'c> NewSlipBatch<'c> {
    pub fn new(context: &'c ActorContext<'c>) -> NewSlipBatch<'c> {
        NewSlipBatch {
            registers: context.registers,
            tenant: context.tenant,
            context,
            today: context.now.date_in(&context.registers.zone),
            sequences: AccountSequences::new(context.tenant),
            slips: Vec::new(),
        }
    }

    pub(super) async fn load_debt<'t>(
        &self,
        tx: &mut Tx,
        title: (TitleCode, &'t StoredTitle),
    ) -> Result<CollectedDebt<'t>, Error>
    where
        'c: 't,
    {
        CollectedDebt::load(tx, self.tenant, title, self.registers, self.today).await
    }

    /// Adds a slip, or tells why the title cannot have one. The slip gets its code when it is stored.
    pub(super) async fn add(
        &mut self,
        tx: &mut Tx,
        (code, title): (TitleCode, &StoredTitle),
        terms: CollectionTerms,
        last: Option<&StoredSlip>,
    ) -> Result<Result<(), FinanceProblem>, Error> {
        let Some(collector) = find_collector(self.registers, title.group) else {
            return Ok(Err(FinanceProblem::NoSlipAccount));
        };
        let sequence = self.sequences.find_next(tx, &collector).await?;
        let place = NewSlipNumbers { title: code, number: last.map_or(1, |last| last.number + 1), sequence };
        let issue =
            IssueMoment { issued_on: self.today, user: self.context.user, created_at: self.context.now };
        Ok(build_slip(&collector, place, terms, issue).map(|slip| {
            self.sequences.take(&slip);
            self.slips.push(slip);
        }))
    }

    /// Stores the slips, each with a link that opens it without a credential.
    pub(super) async fn store(
        mut self,
        tx: &mut Tx,
        titles: &[(TitleCode, StoredTitle)],
        seed: &RandomLinkSeed,
    ) -> Result<Vec<StoredSlip>, Error> {
        if self.slips.is_empty() {
            return Ok(self.slips);
        }
        let count = i32::try_from(self.slips.len()).map_err(|error| Error::Defect(error.to_string()))?;
        let [first] = counters::reserve_number_blocks(tx, self.tenant, [(Counter::Slip, count)]).await?;
        for (slip, code) in self.slips.iter_mut().zip(first..) {
            slip.code = SlipCode::new(code);
        }
        let people: BTreeMap<TitleCode, PersonCode> =
            titles.iter().map(|(code, title)| (*code, title.person)).collect();
        let plan_link =
            |slip: &StoredSlip| Some(plan_slip_link(self.context, slip, *people.get(&slip.title)?, seed));
        let links: Vec<DocumentLink> = self.slips.iter().filter_map(plan_link).collect();
        let mut statements = insert_slips(self.tenant, &self.slips);
        statements.extend(insert_links(&links));
        tx.execute_batch(statements).await?;
        Ok(self.slips)
    }
}
