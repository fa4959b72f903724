//! What a slip of a title holds on a day, and whether a slip that was issued before still holds it.

use crate::booking::build_calendar;
use crate::full_title::compute_title_charges;
use app::Error;
use app::register_snapshot::TenantRegisters;
use domain::finance::BankCalendar;
use domain::{Date, TenantId, TitleCode};
use finance_storage::pending_charges::{StoredPendingCharge, list_left_late_charges};
use finance_storage::settlements::{StoredSettlement, list_settlements};
use finance_storage::slips::StoredSlip;
use finance_storage::titles::StoredTitle;
use storage::Tx;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CollectionTerms {
    pub due_on: Date,
    /// In cents.
    pub amount: i64,
}

/// An open title with what its late charges depend on.
pub(crate) struct CollectedDebt<'t> {
    registers: &'t TenantRegisters,
    title: &'t StoredTitle,
    calendar: BankCalendar,
    settlements: Vec<StoredSettlement>,
    left_charges: Vec<StoredPendingCharge>,
    today: Date,
}

impl<'t> CollectedDebt<'t> {
    pub(super) async fn load(
        tx: &mut Tx,
        tenant: TenantId,
        (code, title): (TitleCode, &'t StoredTitle),
        registers: &'t TenantRegisters,
        today: Date,
    ) -> Result<CollectedDebt<'t>, Error> {
        let mut debt = CollectedDebt {
            registers,
            title,
            calendar: build_calendar(registers),
            settlements: Vec::new(),
            left_charges: Vec::new(),
            today,
        };
        // Without delay, nothing is added to what is open.
        if today > debt.effective_due_on() {
            debt.settlements = list_settlements(&mut *tx, tenant, code).await?;
            debt.left_charges = list_left_late_charges(&mut *tx, tenant, code).await?;
        }
        Ok(debt)
    }

    /// A holiday that was registered after the issue counts, as it does for fine and interest.
    fn effective_due_on(&self) -> Date {
        self.title.effective_due_on.max(self.calendar.next_bank_day_from(self.title.due_on))
    }

    /// What a slip holds that is issued today. That of an overdue title can be paid until the next bank day after today,
    /// and holds fine and interest until then.
    pub fn compute_terms(&self) -> CollectionTerms {
        if self.today <= self.effective_due_on() {
            return CollectionTerms { due_on: self.title.due_on, amount: self.title.open_amount };
        }
        let due_on = self.calendar.next_bank_day_from(self.today.next());
        CollectionTerms { due_on, amount: self.amount_on(due_on) }
    }

    /// Whether a slip need not be replaced: it is not overdue, and holds what the title asks for on its due day.
    pub fn is_held_by(&self, slip: &StoredSlip) -> bool {
        let terms = CollectionTerms { due_on: slip.due_on, amount: slip.amount };
        let is_in_time = self.today <= self.calendar.next_bank_day_from(slip.due_on);
        let is_first_copy =
            terms == CollectionTerms { due_on: self.title.due_on, amount: self.title.open_amount };
        let is_second_copy =
            slip.due_on > self.effective_due_on() && slip.amount == self.amount_on(slip.due_on);
        is_in_time && (is_first_copy || is_second_copy)
    }

    fn amount_on(&self, day: Date) -> i64 {
        let payments = (&self.settlements[..], &self.left_charges[..]);
        let charges = compute_title_charges(self.registers, self.title, payments, day);
        self.title.open_amount + charges.fine + charges.interest
    }
}
