//! What all generated titles of a demo have in common.

use super::title::PaymentChannel;
use crate::calendar::pick_working_moment;
use crate::dice::SeededDice;
use crate::progress::DemoLoadProgress;
use app::Error;
use app::register_snapshot::TenantRegisters;
use domain::finance::{
    BankCalendar, ChargeItemKind, ChargeLine, EarlyDiscountRule, LateChargeRates, LaunchKind,
    ShortfallTreatment, TitleSituation,
};
use domain::{BranchCode, Date, GroupCode, Moment, PersonCode, SettlementTypeCode, TenantId, UserCode};
use finance_storage::titles::StoredTitle;
use std::sync::Arc;
use storage::registers::finance::{StoredChargeItem, StoredTitleType};

/// What a transaction writes next, and the load's progress before it.
pub(super) struct DemoTransactionPart {
    pub progress: DemoLoadProgress,
    pub registers: Arc<TenantRegisters>,
    pub administrator: Option<UserCode>,
}

pub(super) struct LoadedRegisterScene<'r> {
    pub tenant: TenantId,
    pub seed: u64,
    /// The day on which the load began.
    pub today: Date,
    pub registers: &'r TenantRegisters,
    pub calendar: BankCalendar,
    pub administrator: Option<UserCode>,
}

/// Settlement types that an association is born with.
pub(super) const CASH: SettlementTypeCode = SettlementTypeCode::new(1);
pub(super) const BANK_SLIP: SettlementTypeCode = SettlementTypeCode::new(2);
pub(super) const PIX: SettlementTypeCode = SettlementTypeCode::new(3);
pub(super) const CARD: SettlementTypeCode = SettlementTypeCode::new(4);
pub(super) const TRANSFER: SettlementTypeCode = SettlementTypeCode::new(5);

impl<'r> LoadedRegisterScene<'r> {
    pub(super) fn new(part: &'r DemoTransactionPart) -> LoadedRegisterScene<'r> {
        let DemoTransactionPart { progress, registers, administrator } = part;
        let holidays = registers.money.holidays.iter().filter(|one| one.active).map(|one| one.day).collect();
        LoadedRegisterScene {
            tenant: progress.tenant,
            seed: progress.seed,
            today: progress.money.today,
            registers,
            calendar: BankCalendar::new(holidays),
            administrator: *administrator,
        }
    }

    pub(super) fn charge_item(&self, kind: ChargeItemKind) -> Result<&'r StoredChargeItem, Error> {
        let found = self.registers.money.charge_items.iter().find(|one| one.kind == kind);
        found.ok_or_else(|| Error::Defect(format!("no charge item is of the kind {kind:?}")))
    }

    /// The first type of a kind: the monthly title, or a bill to pay.
    pub(super) fn title_type(&self, kind: LaunchKind) -> Result<&'r StoredTitleType, Error> {
        let found = self.registers.money.title_types.iter().find(|one| one.launch_kind == kind);
        found.ok_or_else(|| Error::Defect(format!("no title type is of the kind {kind:?}")))
    }

    pub(super) fn first_group(&self) -> GroupCode {
        self.registers.money.groups.first().map_or(GroupCode::ADMINISTRATION, |group| group.code)
    }

    pub(super) fn channel(&self, settlement_type: SettlementTypeCode) -> Result<PaymentChannel, Error> {
        let found = self.registers.money.settlement_type(settlement_type);
        let missing = || Error::Defect(format!("settlement type {settlement_type} is not registered"));
        let account = found.ok_or_else(missing)?.account;
        let is_reported_by_bank = [BANK_SLIP, PIX].contains(&settlement_type);
        let user = self.administrator.filter(|_| !is_reported_by_bank);
        Ok(PaymentChannel { settlement_type, account, user })
    }

    /// A moment in the working hours of a day; of today its beginning, which is over whenever the load runs.
    pub(super) fn pick_moment(&self, dice: &mut SeededDice, day: Date) -> (Date, Moment) {
        let number = u32::try_from(day.days_since(Date::EPOCH)).unwrap_or_default();
        let at = pick_working_moment(dice, number);
        (day, if day >= self.today { day.start_in(&self.registers.zone) } else { at })
    }

    /// A posted title of these lines without anything received.
    pub(super) fn build_title(
        &self,
        (kind, description): (LaunchKind, String),
        (person, branch, group): (PersonCode, BranchCode, GroupCode),
        (issued_on, created_at): (Date, Moment),
        due_on: Date,
        lines: &[ChargeLine],
    ) -> Result<StoredTitle, Error> {
        let title_type = self.title_type(kind)?;
        let rule = title_type.late_charge_rule.and_then(|rule| self.registers.money.late_charge_rule(rule));
        let early_discount = EarlyDiscountRule::default();
        let amount = lines.iter().map(|line| line.amount).sum();
        Ok(StoredTitle {
            person,
            branch,
            group,
            title_type: title_type.code,
            launch_kind: kind,
            description,
            note: None,
            issued_on,
            due_on,
            original_due_on: due_on,
            effective_due_on: self.calendar.next_bank_day_from(due_on),
            posted_on: Some(issued_on),
            instalment: 1,
            instalments: 1,
            rates: rule.map_or_else(LateChargeRates::default, |rule| rule.rates),
            shortfall: rule.map_or(ShortfallTreatment::NextCharge, |rule| rule.shortfall),
            early_discount,
            early_discount_until: None,
            amount,
            open_amount: amount,
            settled_total: 0,
            settled_on: None,
            situation: TitleSituation::Open,
            cancelled_on: None,
            cancelled_because: None,
            issue_entry: None,
            user: self.administrator,
            version: 1,
            created_at,
            updated_at: created_at,
        })
    }
}

/// A day later, or before if negative.
pub(super) fn shift_day(day: Date, days: i64) -> Date {
    day.plus_days(days).unwrap_or(day)
}
