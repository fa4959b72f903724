//! A title with everything that belongs to it.

use crate::booking::build_calendar;
use crate::late_charges_left::{subtract_charged_elsewhere, sum_charged_elsewhere};
use crate::slip_link::find_slip_link;
use crate::usable_credit::find_usable_credit;
use app::audit::access_log::record_access;
use app::command::WriteCommand;
use app::register_snapshot::{TenantRegisters, read_with_registers};
use app::session::Session;
use app::{ActorContext, App, Error};
use domain::finance::{
    ChargeLine, EarlyDiscount, LateCharges, LaunchKind, PrincipalPayment, TitleSituation,
    compute_late_charges,
};
use domain::{
    AuditedOperation, Benefit, BenefitCode, Date, Entity, InputField, LinkToken, Moment, MoneyRight,
    PersonProfile, Scope, SettlementCode, TitleCode, UserCode,
};
use finance_storage::credit_receipts::{StoredCreditReceipt, list_receipts_meant_for};
use finance_storage::pending_charges::{StoredPendingCharge, list_left_late_charges};
use finance_storage::settlements::{StoredSettlement, list_opening_payments, list_settlements};
use finance_storage::titles::{StoredTitle, find_title, list_title_benefits, list_title_lines};
use std::collections::HashMap;
use std::sync::Arc;
use storage::Tx;
use storage::access::users::list_user_names;
use storage::benefits::list_benefits_by_codes;
use storage::history::field_changes::{StoredFieldChange, list_field_changes};
use storage::history::situation_changes::{RecordHistoryEntry, list_record_history};
use storage::members::find_person;
use wire::field_differences::TITLE;

const READ: AuditedOperation = AuditedOperation::ReadTitle;

#[derive(Clone, Debug)]
pub struct FullTitle {
    pub code: TitleCode,
    pub title: StoredTitle,
    pub person: PersonProfile,
    pub lines: Vec<ChargeLine>,
    pub benefits: Vec<TitleBenefit>,
    /// Reversed ones included, in the order in which they were made.
    pub settlements: Vec<StoredSettlement>,
    /// The settlements that were paid in another system.
    pub opening_payments: Vec<SettlementCode>,
    /// Money that was meant for it and became the person's credit, in order.
    pub credit_receipts: Vec<StoredCreditReceipt>,
    /// Fine and interest that the settlements left, in order.
    pub left_charges: Vec<StoredPendingCharge>,
    /// What is due today of fine and interest, in cents.
    pub late_charges: LateCharges,
    /// What need not be paid of it today.
    pub discount: Option<EarlyDiscount>,
    /// What the person's credit could pay of it, in cents.
    pub usable_credit: i64,
    /// Opens the slip in force without a credential.
    pub slip_link: Option<LinkToken>,
    pub today: Date,
    pub user_names: HashMap<UserCode, String>,
    /// Changes of situation and part payments, in order.
    pub moves: Vec<RecordHistoryEntry>,
    /// Changes of the due day, in order.
    pub field_changes: Vec<StoredFieldChange>,
    pub registers: Arc<TenantRegisters>,
}

#[derive(Clone, Debug)]
pub struct TitleBenefit {
    pub code: BenefitCode,
    pub benefit: Benefit,
}

impl FullTitle {
    /// What settles the title today, in cents.
    pub fn amount_due(&self) -> i64 {
        let discount = self.discount.map_or(0, |discount| discount.amount);
        self.title.open_amount + self.late_charges.fine + self.late_charges.interest - discount
    }

    pub fn is_overdue(&self) -> bool {
        domain::finance::is_overdue(self.title.situation, self.title.effective_due_on, self.today)
    }

    /// Whether the settlement is what had been paid in another system: no account of this one got its money.
    pub fn is_opening_payment(&self, settlement: &StoredSettlement) -> bool {
        self.opening_payments.contains(&settlement.code)
    }

    pub fn user_name(&self, user: Option<UserCode>) -> Option<&str> {
        self.user_names.get(&user?).map(String::as_str)
    }
}

pub(crate) fn reject_unknown_title(code: TitleCode) -> Error {
    Error::NotFound { field: InputField::Title, code: code.get() }
}

/// Reads a title that the caller may see.
#[boxed::future]
pub async fn read_title(app: &App, caller: &Session, code: TitleCode) -> Result<FullTitle, Error> {
    caller.require_money_right(MoneyRight::SeeMoney)?;
    let now = app.now();
    let build_query =
        |registers: &TenantRegisters| (caller.scope.clone(), code, (now.date_in(&registers.zone), now));
    let tenant = caller.scope.tenant();
    let (parts, registers) = read_with_registers(app, tenant, build_query, |tx, (scope, code, times)| {
        Box::pin(async move {
            let title =
                find_title(&mut *tx, scope, *code).await?.ok_or_else(|| reject_unknown_title(*code))?;
            load_title_parts(tx, scope, *code, title, *times).await
        })
    })
    .await?;
    record_access(app, caller, READ, std::iter::once(parts.title.person))?;
    Ok(parts.into_full_title(registers))
}

/// A title as it was just written.
pub(crate) async fn read_written_title<I>(
    tx: &mut Tx,
    command: &WriteCommand<I>,
    code: TitleCode,
) -> Result<FullTitle, Error> {
    let times = (command.now.date_in(&command.registers.zone), command.now);
    let title =
        find_title(&mut *tx, &command.scope, code).await?.ok_or_else(|| reject_unknown_title(code))?;
    let parts = load_title_parts(tx, &command.scope, code, title, times).await?;
    Ok(parts.into_full_title(Arc::clone(&command.registers)))
}

/// A full title without the registers.
struct TitleParts {
    code: TitleCode,
    title: StoredTitle,
    person: PersonProfile,
    lines: Vec<ChargeLine>,
    benefits: Vec<TitleBenefit>,
    settlements: Vec<StoredSettlement>,
    opening_payments: Vec<SettlementCode>,
    credit_receipts: Vec<StoredCreditReceipt>,
    left_charges: Vec<StoredPendingCharge>,
    today: Date,
    user_names: HashMap<UserCode, String>,
    moves: Vec<RecordHistoryEntry>,
    field_changes: Vec<StoredFieldChange>,
    usable_credit: i64,
    slip_link: Option<LinkToken>,
}

impl TitleParts {
    fn into_full_title(self, registers: Arc<TenantRegisters>) -> FullTitle {
        let late_charges = compute_title_charges(
            &registers,
            &self.title,
            (&self.settlements, &self.left_charges),
            self.today,
        );
        let discount = compute_title_discount(&self.title, &self.lines, self.today);
        FullTitle {
            code: self.code,
            title: self.title,
            person: self.person,
            lines: self.lines,
            benefits: self.benefits,
            settlements: self.settlements,
            opening_payments: self.opening_payments,
            credit_receipts: self.credit_receipts,
            left_charges: self.left_charges,
            late_charges,
            discount,
            usable_credit: self.usable_credit,
            slip_link: self.slip_link,
            today: self.today,
            user_names: self.user_names,
            moves: self.moves,
            field_changes: self.field_changes,
            registers,
        }
    }
}

async fn load_title_parts(
    tx: &mut Tx,
    scope: &Scope,
    code: TitleCode,
    title: StoredTitle,
    (today, now): (Date, Moment),
) -> Result<TitleParts, Error> {
    let tenant = scope.tenant();
    let missing = || storage::Error::Broken(format!("the person of title {code} is gone"));
    let person = find_person(&mut *tx, tenant, title.person).await?.ok_or_else(missing)?;
    let lines = list_title_lines(&mut *tx, tenant, code).await?;
    let benefit_codes = list_title_benefits(&mut *tx, tenant, &[code]).await?;
    let benefit_codes = benefit_codes.into_iter().map(|(_, benefit, _)| benefit);
    let benefits = list_benefits_by_codes(&mut *tx, tenant, benefit_codes).await?;
    let benefits = benefits.into_iter().map(|(code, benefit)| TitleBenefit { code, benefit }).collect();
    let settlements = list_settlements(&mut *tx, tenant, code).await?;
    let opening_payments = match settlements.is_empty() {
        true => Vec::new(),
        false => list_opening_payments(tx, tenant, code).await?,
    };
    let credit_receipts = list_receipts_meant_for(tx, scope, code).await?;
    let left_charges = list_left_late_charges(&mut *tx, tenant, code).await?;
    let user_names = list_user_names(&mut *tx, tenant).await?;
    let user_names = user_names.into_iter().map(|(code, name, _)| (code, name)).collect();
    let usable_credit = find_usable_credit(tx, scope, &title).await?;
    let slip_link = find_slip_link(tx, tenant, (code, &title), now).await?;
    let moves = list_record_history(&mut *tx, tenant, (Entity::Title, code.get())).await?;
    let field_changes = list_field_changes(&mut *tx, tenant, (TITLE, code.get())).await?;
    Ok(TitleParts {
        code,
        title,
        person,
        lines,
        benefits,
        settlements,
        opening_payments,
        credit_receipts,
        left_charges,
        today,
        user_names,
        moves,
        field_changes,
        usable_credit,
        slip_link,
    })
}

/// The payments that count, in the order of their days.
fn list_payments(settlements: &[StoredSettlement]) -> Vec<PrincipalPayment> {
    let in_force = settlements.iter().filter(|one| one.reversal.is_none());
    let mut payments: Vec<PrincipalPayment> = in_force
        .map(|one| PrincipalPayment {
            paid_on: one.paid_on,
            principal: one.principal,
            fine: one.fine,
            interest: one.interest,
        })
        .collect();
    payments.sort_by_key(|payment| payment.paid_on);
    payments
}

/// What late payment adds to the open amount, or early payment takes off it.
pub(crate) struct AmountDue {
    pub late_charges: LateCharges,
    pub discount: Option<EarlyDiscount>,
    pub lines: Vec<ChargeLine>,
}

impl AmountDue {
    pub(crate) fn total(&self, open_amount: i64) -> i64 {
        let discount = self.discount.map_or(0, |discount| discount.amount);
        open_amount + self.late_charges.fine + self.late_charges.interest - discount
    }
}

/// What is due of a stored title on a day.
pub(crate) async fn load_amount_due(
    tx: &mut Tx,
    context: &ActorContext<'_>,
    (code, title): (TitleCode, &StoredTitle),
    on: Date,
) -> Result<AmountDue, Error> {
    let tenant = context.tenant;
    let lines = list_title_lines(&mut *tx, tenant, code).await?;
    let settlements = list_settlements(&mut *tx, tenant, code).await?;
    let left = list_left_late_charges(&mut *tx, tenant, code).await?;
    Ok(AmountDue {
        late_charges: compute_title_charges(context.registers, title, (&settlements, &left), on),
        discount: compute_title_discount(title, &lines, on),
        lines,
    })
}

/// The discount of whoever pays all of an open title on a day. A title that is paid in part has none.
pub(crate) fn compute_title_discount(
    title: &StoredTitle,
    lines: &[ChargeLine],
    on: Date,
) -> Option<EarlyDiscount> {
    let is_in_time = title.early_discount_until.is_some_and(|until| on <= until);
    let is_unpaid = title.situation == TitleSituation::Open && title.open_amount == title.amount;
    let is_due = title.launch_kind == LaunchKind::Credit && is_in_time && is_unpaid;
    if is_due { title.early_discount.compute(lines) } else { None }
}

/// Fine and interest that are due on a day. Nothing is due of a title that is not open, nor of what the association pays.
/// A holiday that was registered after the issue counts, too.
pub(crate) fn compute_title_charges(
    registers: &TenantRegisters,
    title: &StoredTitle,
    (settlements, left): (&[StoredSettlement], &[StoredPendingCharge]),
    on: Date,
) -> LateCharges {
    if title.situation != TitleSituation::Open || title.launch_kind != LaunchKind::Credit {
        return LateCharges::default();
    }
    let payments = list_payments(settlements);
    let effective_due_on =
        title.effective_due_on.max(build_calendar(registers).next_bank_day_from(title.due_on));
    let charges = compute_late_charges(title.rates, title.amount, effective_due_on, &payments, on);
    subtract_charged_elsewhere(charges, sum_charged_elsewhere(left))
}
