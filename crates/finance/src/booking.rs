//! Writes entries into the books, on a day that is still open.

use app::register_snapshot::TenantRegisters;
use app::{ActorContext, Error};
use domain::finance::{BalancedLines, BankCalendar, EntryImbalance, FinanceProblem, LedgerEntryKind};
use domain::{Date, LedgerEntryCode, Rejection, SettlementCode, TitleCode};
use finance_storage::ledger::{self, NewLedgerEntry};
use finance_storage::periods::{self, ClosingInForce};
use storage::server::counters::{self, Counter};
use storage::{Statement, Tx};

/// Today in the association, and the first day that is not closed.
#[derive(Clone, Debug)]
pub(crate) struct BookDays {
    pub today: Date,
    closing: Option<ClosingInForce>,
}

impl BookDays {
    pub(crate) async fn load(tx: &mut Tx, context: &ActorContext<'_>) -> Result<BookDays, Error> {
        let closing = periods::find_last_closing(&mut *tx, context.tenant).await?;
        let today = context.now.date_in(&context.registers.zone);
        Ok(BookDays { today, closing })
    }

    /// The day on which a fact is booked: its own, unless that month is closed.
    pub(crate) fn find_booking_day(&self, happened_on: Date) -> Date {
        self.closing.as_ref().map_or(happened_on, |closing| happened_on.max(closing.first_open_day))
    }

    pub(crate) fn refuse_closed_month(&self, day: Date) -> Result<(), Error> {
        match &self.closing {
            Some(closing) if day < closing.first_open_day => {
                Err(refuse(FinanceProblem::ClosedMonth { closed_through: closing.closed_through.clone() }))
            }
            _ => Ok(()),
        }
    }
}

/// What is booked, besides its lines.
pub(crate) struct BookedFact {
    pub kind: LedgerEntryKind,
    pub booked_on: Date,
    pub happened_on: Date,
    pub title: TitleCode,
    pub settlement: Option<SettlementCode>,
    pub reverses: Option<LedgerEntryCode>,
}

/// Opens the accounts that the lines need, and returns the entry's code and the statements that insert it.
pub(crate) async fn prepare_entry(
    tx: &mut Tx,
    context: &ActorContext<'_>,
    fact: &BookedFact,
    lines: &BalancedLines,
) -> Result<(LedgerEntryCode, Vec<Statement>), Error> {
    let BookedFact { kind, booked_on, happened_on, title, settlement, reverses } = *fact;
    let days = (kind, booked_on, happened_on);
    prepare_entry_parts(tx, context, days, (Some(title), settlement, reverses), lines).await
}

/// What is booked of a balance that no title stands behind.
#[derive(Clone, Copy)]
pub(crate) struct BookedBalance {
    pub kind: LedgerEntryKind,
    pub booked_on: Date,
    pub happened_on: Date,
    pub reverses: Option<LedgerEntryCode>,
}

/// As [`prepare_entry`], for a balance.
pub(crate) async fn prepare_balance_entry(
    tx: &mut Tx,
    context: &ActorContext<'_>,
    fact: &BookedBalance,
    lines: &BalancedLines,
) -> Result<(LedgerEntryCode, Vec<Statement>), Error> {
    let BookedBalance { kind, booked_on, happened_on, reverses } = *fact;
    prepare_entry_parts(tx, context, (kind, booked_on, happened_on), (None, None, reverses), lines).await
}

async fn prepare_entry_parts(
    tx: &mut Tx,
    context: &ActorContext<'_>,
    (kind, booked_on, happened_on): (LedgerEntryKind, Date, Date),
    (title, settlement, reverses): (Option<TitleCode>, Option<SettlementCode>, Option<LedgerEntryCode>),
    lines: &BalancedLines,
) -> Result<(LedgerEntryCode, Vec<Statement>), Error> {
    let tenant = context.tenant;
    let accounts = ledger::open_accounts(tx, tenant, lines.lines().iter().map(|line| line.account)).await?;
    let code = LedgerEntryCode::new(counters::reserve_number(tx, tenant, Counter::LedgerEntry).await?);
    let user = context.user;
    let entry =
        NewLedgerEntry { code, kind, booked_on, happened_on, title, settlement, reverses, user, lines };
    Ok((code, ledger::insert_entry(tenant, &entry, &accounts, context.now)?))
}

/// As [`prepare_entry`], for an entry that takes back another one.
pub(crate) async fn prepare_reversal(
    tx: &mut Tx,
    context: &ActorContext<'_>,
    fact: &BookedFact,
    reversed: LedgerEntryCode,
) -> Result<(LedgerEntryCode, Vec<Statement>), Error> {
    let lines = ledger::load_entry_lines(tx, context.tenant, reversed).await?.reverse();
    prepare_entry(tx, context, fact, &lines).await
}

/// Whether no association can have issued a title on this day.
pub(crate) fn is_too_old(day: Date) -> bool {
    day.year() < EARLIEST_YEAR
}

/// Whether a due day is so far away that it must be a mistake.
pub(crate) fn is_too_far(due_on: Date, today: Date) -> bool {
    due_on.days_since(today) > LONGEST_TERM
}

const EARLIEST_YEAR: i16 = 2000;
/// Days: ten years.
const LONGEST_TERM: i32 = 3_653;

/// Lines that do not balance are a defect of the program.
pub(crate) fn report_imbalance(imbalance: EntryImbalance) -> Error {
    Error::Defect(format!("an entry does not balance: {imbalance:?}"))
}

pub(crate) fn build_calendar(registers: &TenantRegisters) -> BankCalendar {
    BankCalendar::new(registers.money.holidays.iter().filter(|one| one.active).map(|one| one.day).collect())
}

pub(crate) fn refuse(problem: FinanceProblem) -> Error {
    Rejection::Finance(problem).into()
}
