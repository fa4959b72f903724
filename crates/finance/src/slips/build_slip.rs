//! One slip from what it asks for, and the next number of each account.

use super::collector::CollectingAccount;
use super::terms::CollectionTerms;
use app::Error;
use bank_formats::SlipBarcode;
use domain::finance::FinanceProblem;
use domain::{Date, Moment, Money, MoneyAccountCode, SlipCode, TenantId, TitleCode, UserCode};
use finance_storage::slips::{StoredSlip, find_last_sequence};
use std::collections::BTreeMap;
use storage::Tx;

/// Whose slip it is: which of the title's, and which of the account's.
#[derive(Clone, Copy)]
pub(super) struct NewSlipNumbers {
    pub title: TitleCode,
    /// Counts the slips of the title, from 1.
    pub number: i32,
    /// Counts the slips of the account.
    pub sequence: i64,
}

/// When a slip is issued, and by whom.
#[derive(Clone, Copy)]
pub(super) struct IssueMoment {
    pub issued_on: Date,
    pub user: Option<UserCode>,
    pub created_at: Moment,
}

/// The slip, without a code yet, or why there cannot be one.
pub(super) fn build_slip(
    collector: &CollectingAccount<'_>,
    place: NewSlipNumbers,
    terms: CollectionTerms,
    issue: IssueMoment,
) -> Result<StoredSlip, FinanceProblem> {
    let agreement = &collector.agreement;
    let sequence = u64::try_from(place.sequence).ok();
    let our_number = sequence.and_then(|sequence| agreement.our_number(sequence, issue.issued_on));
    let our_number = our_number.ok_or(FinanceProblem::NoSlipNumberLeft)?;
    let (bank, free_field) = (agreement.bank().number(), agreement.free_field(&our_number));
    let amount = Money::from_stored_cents(terms.amount).unwrap_or_default();
    let barcode = SlipBarcode::build(bank, terms.due_on, amount, &free_field);
    let barcode = barcode.ok_or(FinanceProblem::TooMuchForSlip)?;
    Ok(StoredSlip {
        code: SlipCode::new(0),
        title: place.title,
        number: place.number,
        account: collector.account.code,
        sequence: place.sequence,
        our_number: our_number.digits().to_owned(),
        barcode: barcode.as_str().to_owned(),
        issued_on: issue.issued_on,
        due_on: terms.due_on,
        amount: terms.amount,
        user: issue.user,
        created_at: issue.created_at,
    })
}

/// The numbers that the accounts give next, each read once.
pub(super) struct AccountSequences {
    tenant: TenantId,
    next: BTreeMap<MoneyAccountCode, i64>,
}

impl AccountSequences {
    pub fn new(tenant: TenantId) -> AccountSequences {
        AccountSequences { tenant, next: BTreeMap::new() }
    }

    pub(super) async fn find_next(
        &self,
        tx: &mut Tx,
        collector: &CollectingAccount<'_>,
    ) -> Result<i64, Error> {
        let account = collector.account.code;
        match self.next.get(&account) {
            Some(next) => Ok(*next),
            None => {
                let last = find_last_sequence(tx, self.tenant, account).await?;
                Ok((last + 1).max(collector.first_sequence()))
            }
        }
    }

    /// A slip took this number.
    pub fn take(&mut self, slip: &StoredSlip) {
        self.next.insert(slip.account, slip.sequence + 1);
    }
}
