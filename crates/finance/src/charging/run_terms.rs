//! What a batch of a run needs to know of the run and the registers.

use crate::booking::build_calendar;
use app::register_snapshot::TenantRegisters;
use domain::display::format_month;
use domain::finance::{
    BankCalendar, ChargeItemKind, ChargedMonth, EarlyDiscountRule, LateChargeRates, ShortfallTreatment,
    find_due_date,
};
use domain::{ChargeItemCode, Date, GroupCode};
use finance_storage::charging::runs::StoredChargingRun;
use storage::registers::finance::{StoredChargeItem, StoredChargingRule, StoredTitleType};

pub(super) struct RunTerms<'r> {
    pub registers: &'r TenantRegisters,
    pub run: &'r StoredChargingRun,
    pub calendar: BankCalendar,
}

/// What the charging rule of a group gives its titles.
pub(super) struct TitleTerms<'r> {
    pub title_type: &'r StoredTitleType,
    pub rates: LateChargeRates,
    pub shortfall: ShortfallTreatment,
    pub early_discount: EarlyDiscountRule,
}

impl TitleTerms<'_> {
    /// `Mensalidade 12/2026`
    pub(super) fn describe_title(&self, month: ChargedMonth) -> String {
        format!("{} {}", self.title_type.name, format_month(&month.to_iso()))
    }
}

impl<'r> RunTerms<'r> {
    pub(super) fn new(registers: &'r TenantRegisters, run: &'r StoredChargingRun) -> RunTerms<'r> {
        RunTerms { registers, run, calendar: build_calendar(registers) }
    }

    /// The month of an instalment, which counts from 1.
    pub(super) fn month_of(&self, instalment: i32) -> ChargedMonth {
        self.run.month.plus_months(instalment - 1)
    }

    pub(super) fn last_month(&self) -> ChargedMonth {
        self.month_of(self.run.instalments)
    }

    /// The rule of a group with its title type, if both can be used.
    pub(super) fn find_rule(
        &self,
        group: GroupCode,
    ) -> Option<(&'r StoredChargingRule, &'r StoredTitleType)> {
        let money = &self.registers.money;
        let rule = money.charging_rule(group)?;
        Some((rule, money.title_type(rule.title_type).filter(|one| one.active)?))
    }

    /// How titles of a group are charged, by its rule; `None` if the rule or its title type cannot be used.
    pub(super) fn find_title_terms(&self, group: GroupCode) -> Option<TitleTerms<'r>> {
        let (_, title_type) = self.find_rule(group)?;
        let rule = title_type.late_charge_rule.and_then(|rule| self.registers.money.late_charge_rule(rule));
        Some(TitleTerms {
            title_type,
            rates: rule.map_or_else(LateChargeRates::default, |rule| rule.rates),
            shortfall: rule.map_or(ShortfallTreatment::NextCharge, |rule| rule.shortfall),
            early_discount: rule.map_or_else(EarlyDiscountRule::default, |rule| rule.early_discount),
        })
    }

    /// The due date of an instalment: in its month, but never earlier than the bank days that the rule asks for after
    /// the issue.
    pub(super) fn find_due_on(
        &self,
        instalment: i32,
        due_day: i32,
        (issued_on, rule): (Date, &StoredChargingRule),
    ) -> Date {
        let month = self.month_of(instalment);
        let due_on = find_due_date(month.year(), month.month(), i16::try_from(due_day).unwrap_or(31));
        let bank_days = u32::try_from(rule.minimum_bank_days).unwrap_or(0);
        due_on.max(self.calendar.plus_bank_days(issued_on, bank_days))
    }

    pub(super) fn find_effective_due_on(&self, due_on: Date) -> Date {
        self.calendar.next_bank_day_from(due_on)
    }

    /// The first item of a kind that is in use.
    pub(super) fn find_item_of_kind(&self, kind: ChargeItemKind) -> Option<&'r StoredChargeItem> {
        self.registers.money.charge_items.iter().find(|item| item.active && item.kind == kind)
    }

    /// All items of a kind, in use or not.
    pub(super) fn list_items_of_kind(&self, kind: ChargeItemKind) -> Vec<ChargeItemCode> {
        let items = self.registers.money.charge_items.iter();
        items.filter(|item| item.kind == kind).map(|item| item.code).collect()
    }

    /// The group of a benefit without a plan: the first that the association has.
    pub(super) fn find_first_group(&self) -> GroupCode {
        let groups = self.registers.money.groups.iter();
        groups
            .min_by_key(|group| (!group.active, group.code))
            .map_or(GroupCode::ADMINISTRATION, |one| one.code)
    }
}
