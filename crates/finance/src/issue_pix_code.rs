//! Issues the code by which somebody pays a title by Pix to a key of the association itself, without a bank in between.
//!
//! The code holds what settles the title, so it expires when that changes: after the last day of a discount, after the due
//! day, and every day from then on. Until then, everybody who asks gets the same code.

use crate::booking::{build_calendar, refuse};
use crate::full_title::{FullTitle, load_amount_due, reject_unknown_title};
use app::command::{WriteCommand, run_command};
use app::idempotency::{IdempotentWrite, WriteOutcome};
use app::register_snapshot::{TenantRegisters, confirm_registers};
use app::session::Session;
use app::{App, Error};
use bank_formats::brcode::{PlainCodeText, ReceiverCity, ReceiverName, StaticBrCode, StaticTxid};
use bank_formats::pix_key::PixKey;
use domain::finance::{FinanceProblem, LaunchKind, TitleSituation};
use domain::{
    AuditedAction, AuditedChange, AuditedOperation, AuditedRecordKind, Date, GroupCode, Moment, Money,
    MoneyAccountCode, MoneyRight, RandomSource, TenantId, TitleCode,
};
use finance_storage::pix_codes::{
    StoredPixCode, find_last_pix_code, find_title_by_pix_txid, insert_pix_code,
};
use finance_storage::titles::{self, StoredTitle};
use std::sync::Arc;
use std::time::Duration;
use storage::Tx;
use storage::history::audit;
use storage::registers::finance::StoredMoneyAccount;
use storage::server::counters::{self, Counter};

/// Upper case only, without letters that look like digits.
const TXID_SIGNS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/// How many random signs a txid ends with.
const RANDOM_SIGNS: usize = 6;

/// A code with the registers that tell the zone of its expiry.
#[derive(Clone, Debug)]
pub struct IssuedPixCode {
    pub code: StoredPixCode,
    pub registers: Arc<TenantRegisters>,
}

/// Whether a title can be paid by Pix now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PixOffer {
    /// It is not open, is paid by the association, or no account has a key for it.
    Unavailable,
    /// No code that was issued is still valid.
    Possible,
    Issued(StoredPixCode),
}

/// Issues a code, or finds the one that is valid. Who may see the title may have it paid.
#[boxed::future]
pub async fn issue_pix_code(
    app: &App,
    caller: &Session,
    (title, reason): (TitleCode, Option<String>),
    once: IdempotentWrite<IssuedPixCode>,
) -> Result<WriteOutcome<IssuedPixCode>, Error> {
    caller.require_money_right(MoneyRight::SeeMoney)?;
    let input = PixCodeRequest { title, reason, random_signs: draw_random_signs(&*app.random_source) };
    run_command(app, caller, AuditedOperation::IssuePixCode, input, once, |tx, command| {
        Box::pin(write_pix_code(tx, command))
    })
    .await
}

#[derive(Clone)]
struct PixCodeRequest {
    title: TitleCode,
    reason: Option<String>,
    /// For the txid, if a new code is issued.
    random_signs: String,
}

/// The title that a code was issued for, by the identifier that the bank statement shows; visible or not.
#[boxed::future]
pub async fn find_pix_title(app: &App, caller: &Session, text: &str) -> Result<Option<TitleCode>, Error> {
    caller.require_money_right(MoneyRight::SeeMoney)?;
    // Most texts of a search are names: no query for them.
    let has_own_form = |txid: &StaticTxid| {
        txid.as_str().starts_with('B') && txid.as_str().contains(|sign: char| sign.is_ascii_digit())
    };
    let txid = StaticTxid::parse(&text.trim().to_ascii_uppercase()).filter(has_own_form);
    let Some(txid) = txid else { return Ok(None) };
    Ok(find_title_by_pix_txid(&app.db, caller.scope.tenant(), txid.as_str()).await?)
}

/// What the page of a title that was read tells of Pix.
#[boxed::future]
pub async fn read_pix_offer(app: &App, caller: &Session, full: &FullTitle) -> Result<PixOffer, Error> {
    let due = (full.amount_due(), full.discount.is_some());
    let terms = match refuse_unpayable(&full.title) {
        Ok(()) => find_terms(&full.registers, &full.title, due, full.today),
        Err(_) => None,
    };
    let Some(terms) = terms else { return Ok(PixOffer::Unavailable) };
    let last = find_last_pix_code(&app.db, caller.scope.tenant(), full.code).await?;
    Ok(last.filter(|last| terms.are_those_of(last)).map_or(PixOffer::Possible, PixOffer::Issued))
}

async fn write_pix_code(tx: &mut Tx, command: &WriteCommand<PixCodeRequest>) -> Result<IssuedPixCode, Error> {
    let (tenant, context, request) = (command.scope.tenant(), command.actor_context(), &command.input);
    let code = request.title;
    confirm_registers(tx, tenant, &command.registers).await?;
    let title = titles::find_title(&mut *tx, &command.scope, code)
        .await?
        .ok_or_else(|| reject_unknown_title(code))?;
    refuse_unpayable(&title)?;
    let today = command.now.date_in(&command.registers.zone);
    let due = load_amount_due(tx, &context, (code, &title), today).await?;
    let due = (due.total(title.open_amount), due.discount.is_some());
    let terms = find_terms(&command.registers, &title, due, today).ok_or(Error::NoPixKey)?;
    let registers = Arc::clone(&command.registers);
    let last = find_last_pix_code(&mut *tx, tenant, code).await?;
    let number = last.as_ref().map_or(1, |last| last.number + 1);
    if let Some(valid) = last.filter(|last| terms.are_those_of(last)) {
        return Ok(IssuedPixCode { code: valid, registers });
    }
    let txid = build_txid(tenant, (code, number), &request.random_signs)?;
    let issued = StoredPixCode {
        txid: txid.as_str().to_owned(),
        title: code,
        number,
        account: terms.receiver.account,
        pix_key: terms.receiver.key.as_str().to_owned(),
        content: build_content(&terms, txid)?,
        amount: terms.amount,
        expires_at: terms.expires_at,
        user: command.user,
        created_at: command.now,
    };
    let change = AuditedChange::new(AuditedAction::IssuePixCode, AuditedRecordKind::Title, code.get())
        .with_argument(issued.amount)
        .with_reason(request.reason.as_deref());
    let audit_code = counters::reserve_number(tx, tenant, Counter::Audit).await?;
    let audit_entry = context.audit_entry(Some(title.person), change);
    let statements =
        vec![insert_pix_code(tenant, &issued), audit::insert_audit_entry(&audit_entry, audit_code)];
    tx.execute_batch(statements).await?;
    Ok(IssuedPixCode { code: issued, registers })
}

/// Only what the association receives, and only while it is open.
pub(crate) fn refuse_unpayable(title: &StoredTitle) -> Result<(), Error> {
    if title.situation != TitleSituation::Open {
        return Err(refuse(FinanceProblem::NotOpen(title.situation)));
    }
    if title.launch_kind != LaunchKind::Credit {
        return Err(refuse(FinanceProblem::OwedByAssociation));
    }
    Ok(())
}

/// What a code of the title holds today.
struct PixTerms {
    receiver: PixReceiver,
    /// In cents.
    amount: i64,
    expires_at: Moment,
}

impl PixTerms {
    /// Compares the whole text, since it also names the receiver, whose name and city may have been corrected.
    fn are_those_of(&self, code: &StoredPixCode) -> bool {
        let content = StaticTxid::parse(&code.txid).and_then(|txid| build_content(self, txid).ok());
        let is_same_place = (self.receiver.account, self.expires_at) == (code.account, code.expires_at);
        is_same_place && content.as_deref() == Some(code.content.as_str())
    }
}

/// `due` is what settles the title today, in cents, and whether that is less for early payment. `None` if no account of the
/// group has a key.
fn find_terms(
    registers: &TenantRegisters,
    title: &StoredTitle,
    due: (i64, bool),
    today: Date,
) -> Option<PixTerms> {
    let (amount, is_discounted) = due;
    let receiver = find_receiver(registers, title.group)?;
    // A holiday that was registered after the issue counts, as it does for fine and interest.
    let due_on = title.effective_due_on.max(build_calendar(registers).next_bank_day_from(title.due_on));
    let discounted_until = title.early_discount_until.filter(|_| is_discounted);
    let last_day = discounted_until.map_or(due_on, |until| until.min(due_on)).max(today);
    let expires_at = last_day.next().start_in(&registers.zone).minus(Duration::from_secs(1));
    Some(PixTerms { receiver, amount, expires_at })
}

/// An account that money by Pix goes to.
pub(crate) struct PixReceiver {
    pub account: MoneyAccountCode,
    pub key: PixKey,
    pub name: ReceiverName,
    pub city: ReceiverCity,
    pub sends_txid: bool,
}

/// An account of the group itself comes before those that all groups share.
pub(crate) fn find_receiver(registers: &TenantRegisters, group: GroupCode) -> Option<PixReceiver> {
    let accounts = registers.money.accounts.iter();
    let usable = accounts.filter(|one| one.active && one.group.is_none_or(|its| its == group));
    let mut receivers: Vec<(bool, PixReceiver)> =
        usable.filter_map(|one| Some((one.group.is_none(), read_receiver(one)?))).collect();
    receivers.sort_by_key(|(is_shared, receiver)| (*is_shared, receiver.account.get()));
    receivers.into_iter().next().map(|(_, receiver)| receiver)
}

fn read_receiver(account: &StoredMoneyAccount) -> Option<PixReceiver> {
    Some(PixReceiver {
        account: account.code,
        key: PixKey::parse(account.pix_key.as_deref()?)?,
        name: PlainCodeText::parse(account.pix_name.as_deref()?)?,
        city: PlainCodeText::parse(account.pix_city.as_deref()?)?,
        sends_txid: account.pix_sends_txid,
    })
}

fn draw_random_signs(random: &dyn RandomSource) -> String {
    let mut bytes = [0; RANDOM_SIGNS];
    random.fill(&mut bytes);
    // 256 is a multiple of 32, so every sign is equally likely.
    bytes.iter().map(|byte| char::from(TXID_SIGNS[usize::from(byte % 32)])).collect()
}

/// `B1T4711N2K7QX3M`: the base, the title, the number of the code among those of the title, and random signs, which
/// another server with the same bank account does not draw. Of them, as many as there is room for.
fn build_txid(
    tenant: TenantId,
    (title, number): (TitleCode, i32),
    random_signs: &str,
) -> Result<StaticTxid, Error> {
    let mut text = format!("B{}T{}N{number}{random_signs}", tenant.get(), title.get());
    text.truncate(StaticTxid::LONGEST);
    StaticTxid::parse(&text).ok_or_else(|| Error::Defect(format!("{text} is no identifier of a Pix code")))
}

fn build_content(terms: &PixTerms, txid: StaticTxid) -> Result<String, Error> {
    let PixReceiver { key, name, city, .. } = &terms.receiver;
    let code = StaticBrCode {
        key: key.clone(),
        description: None,
        amount: Money::from_stored_cents(terms.amount),
        name: name.clone(),
        city: city.clone(),
        txid: terms.receiver.sends_txid.then_some(txid),
    };
    code.build_text().map_err(|problem| Error::Defect(format!("no Pix code can be written: {problem:?}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Counting;

    impl RandomSource for Counting {
        fn fill(&self, bytes: &mut [u8]) {
            for (byte, value) in bytes.iter_mut().zip(30_u8..) {
                *byte = value;
            }
        }
    }

    #[test]
    fn an_identifier_ends_with_random_signs_and_fits() {
        let signs = draw_random_signs(&Counting);
        assert_eq!(signs, "YZ0123");
        let build = |tenant, title, number| {
            let (tenant, title) = (TenantId::new(tenant), TitleCode::new(title));
            build_txid(tenant, (title, number), &signs).unwrap().as_str().to_owned()
        };
        assert_eq!(build(1, 4711, 2), "B1T4711N2YZ0123");
        assert_eq!(build(123_456, i32::MAX, 10), "B123456T2147483647N10YZ01");
    }
}
