//! A generated title with all that happened to it, by the rules that hold for every title.

use super::credits::SampleCreditReceipt;
use app::Error;
use domain::finance::{
    BalancedLines, ChargeLine, EntryImbalance, LateCharges, LaunchKind, LedgerAccountKind, LegalNature,
    PrincipalPayment, ReceiptSplit, book_issue, book_payment, book_receipt, compute_late_charges,
    derive_situation, split_receipt,
};
use domain::{BenefitCode, Date, Moment, MoneyAccountCode, SettlementTypeCode, UserCode};
use finance_storage::titles::StoredTitle;
use std::collections::BTreeMap;

/// A title as it stands after everything that happened to it. Codes are assigned on writing.
pub(super) struct SampleTitle {
    pub title: StoredTitle,
    pub lines: Vec<ChargeLine>,
    pub benefits: Vec<BenefitCode>,
    /// `None` while it waits for release.
    pub issue: Option<BalancedLines>,
    pub receipts: Vec<SampleReceipt>,
    pub cancellation: Option<SampleCounterEntry>,
    /// What came after it was settled.
    pub credits: Vec<SampleCreditReceipt>,
}

pub(super) struct SampleReceipt {
    pub paid_on: Date,
    pub channel: PaymentChannel,
    pub split: ReceiptSplit,
    pub lines: BalancedLines,
    pub created_at: Moment,
    pub reversal: Option<SampleCounterEntry>,
}

/// What takes back an entry.
pub(super) struct SampleCounterEntry {
    pub day: Date,
    pub at: Moment,
    pub reason: &'static str,
    pub lines: BalancedLines,
}

/// How money arrived or left.
#[derive(Clone, Copy)]
pub(super) struct PaymentChannel {
    pub settlement_type: SettlementTypeCode,
    pub account: MoneyAccountCode,
    /// Who entered it; nobody did for what the bank reported.
    pub user: Option<UserCode>,
}

impl SampleTitle {
    /// The title when it is issued. One that was not posted is not booked.
    pub(super) fn new(
        title: StoredTitle,
        lines: Vec<ChargeLine>,
        benefits: Vec<BenefitCode>,
    ) -> Result<SampleTitle, Error> {
        let book = || book_issue(title.group, title.launch_kind, &lines).map_err(report_imbalance);
        let issue = title.posted_on.map(|_| book()).transpose()?;
        Ok(SampleTitle {
            title,
            lines,
            benefits,
            issue,
            receipts: Vec::new(),
            cancellation: None,
            credits: Vec::new(),
        })
    }

    /// What settles the title on a day: fine, interest and what is open.
    pub(super) fn compute_due_amount(&self, on: Date) -> i64 {
        self.title.open_amount + self.compute_charges(on).total()
    }

    pub(super) fn receive(
        &mut self,
        amount: i64,
        (paid_on, at): (Date, Moment),
        channel: PaymentChannel,
    ) -> Result<(), Error> {
        let title = &self.title;
        let split = split_receipt(amount, title.open_amount, self.compute_charges(paid_on));
        let lines = match title.launch_kind {
            LaunchKind::Credit => {
                let paid = self.sum_paid_natures();
                book_receipt(title.group, &self.lines, channel.account, title.person, &paid, &split)
            }
            _ => book_payment(
                title.group,
                &self.lines,
                channel.account,
                title.amount - title.open_amount,
                split.principal,
            ),
        };
        let lines = lines.map_err(report_imbalance)?;
        self.receipts.push(SampleReceipt { paid_on, channel, split, lines, created_at: at, reversal: None });
        self.follow_facts(at);
        Ok(())
    }

    /// Takes back the last receipt.
    pub(super) fn reverse_receipt(&mut self, (day, at): (Date, Moment), reason: &'static str) {
        if let Some(last) = self.receipts.last_mut() {
            let lines = last.lines.reverse();
            last.reversal = Some(SampleCounterEntry { day, at, reason, lines });
        }
        self.follow_facts(at);
    }

    /// For a title without a receipt in force.
    pub(super) fn cancel(&mut self, (day, at): (Date, Moment), reason: &'static str) {
        self.title.cancelled_on = Some(day);
        self.title.cancelled_because = Some(reason.to_owned());
        self.cancellation =
            self.issue.as_ref().map(|issue| SampleCounterEntry { day, at, reason, lines: issue.reverse() });
        self.follow_facts(at);
    }

    fn list_receipts_in_force(&self) -> impl Iterator<Item = &SampleReceipt> {
        self.receipts.iter().filter(|receipt| receipt.reversal.is_none())
    }

    fn compute_charges(&self, on: Date) -> LateCharges {
        let payments: Vec<_> = self
            .list_receipts_in_force()
            .map(|one| PrincipalPayment {
                paid_on: one.paid_on,
                principal: one.split.principal,
                fine: one.split.fine,
                interest: one.split.interest,
            })
            .collect();
        let title = &self.title;
        compute_late_charges(title.rates, title.amount, title.effective_due_on, &payments, on)
    }

    /// What the receipts in force paid of each nature.
    fn sum_paid_natures(&self) -> BTreeMap<LegalNature, i64> {
        let mut paid = BTreeMap::new();
        for line in self.list_receipts_in_force().flat_map(|receipt| receipt.lines.lines()) {
            let nature = LegalNature::from_number(line.account.reference);
            if let Some(nature) = nature.filter(|_| line.account.kind == LedgerAccountKind::Receivable) {
                *paid.entry(nature).or_default() += line.credit - line.debit;
            }
        }
        paid
    }

    /// Derives amounts and situation again after something happened.
    fn follow_facts(&mut self, at: Moment) {
        let (mut principal, mut total, mut settled_on) = (0, 0, None);
        for one in self.list_receipts_in_force() {
            principal += one.split.principal;
            total += one.split.principal + one.split.fine + one.split.interest;
            settled_on = settled_on.max(Some(one.paid_on));
        }
        let title = &mut self.title;
        let is_cancelled = title.cancelled_on.is_some();
        title.open_amount = if is_cancelled { 0 } else { title.amount - principal };
        title.settled_total = total;
        title.settled_on = settled_on;
        title.situation = derive_situation(
            title.posted_on.is_some(),
            is_cancelled,
            title.open_amount,
            settled_on.is_some(),
        );
        title.version += 1;
        title.updated_at = at;
    }
}

pub(super) fn report_imbalance(imbalance: EntryImbalance) -> Error {
    Error::Defect(format!("an entry of the demonstration does not balance: {imbalance:?}"))
}
