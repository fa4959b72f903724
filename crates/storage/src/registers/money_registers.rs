//! The registers of money in the snapshot of a tenant's registers.

use crate::registers::finance::{
    self, StoredChargeItem, StoredChargingRule, StoredDiscount, StoredGroup, StoredHoliday,
    StoredLateChargeRule, StoredMoneyAccount, StoredPaymentForm, StoredSettlementType, StoredTitleType,
};
use crate::registers::plans::StoredPlan;
use crate::{Error, Tx};
use domain::finance::{ChargeItemKind, PriceTable};
use domain::{
    ChargeItemCode, DiscountCode, GroupCode, LateChargeRuleCode, MoneyAccountCode, SettlementTypeCode,
    TenantId, TitleTypeCode,
};

/// Each by code, including inactive records.
#[derive(Debug)]
pub struct MoneyRegisters {
    pub groups: Vec<StoredGroup>,
    pub charge_items: Vec<StoredChargeItem>,
    pub late_charge_rules: Vec<StoredLateChargeRule>,
    pub title_types: Vec<StoredTitleType>,
    pub payment_forms: Vec<StoredPaymentForm>,
    pub accounts: Vec<StoredMoneyAccount>,
    pub settlement_types: Vec<StoredSettlementType>,
    pub holidays: Vec<StoredHoliday>,
    /// Active rows alone.
    pub price_table: PriceTable,
    pub discounts: Vec<StoredDiscount>,
    pub charging_rules: Vec<StoredChargingRule>,
}

impl MoneyRegisters {
    #[boxed::future]
    pub async fn load(tx: &mut Tx, tenant: TenantId) -> Result<MoneyRegisters, Error> {
        Ok(MoneyRegisters {
            groups: finance::list_groups(&mut *tx, tenant).await?,
            charge_items: finance::list_charge_items(&mut *tx, tenant).await?,
            late_charge_rules: finance::list_late_charge_rules(&mut *tx, tenant).await?,
            title_types: finance::list_title_types(&mut *tx, tenant).await?,
            payment_forms: finance::list_payment_forms(&mut *tx, tenant).await?,
            accounts: finance::list_money_accounts(&mut *tx, tenant).await?,
            settlement_types: finance::list_settlement_types(&mut *tx, tenant).await?,
            holidays: finance::list_bank_holidays(&mut *tx, tenant).await?,
            price_table: finance::list_active_prices(&mut *tx, tenant).await?.into_iter().collect(),
            discounts: finance::list_discounts(&mut *tx, tenant).await?,
            charging_rules: finance::list_charging_rules(&mut *tx, tenant).await?,
        })
    }

    /// Whether the association distinguishes protection groups at all.
    pub fn has_several_groups(&self) -> bool {
        self.groups.len() > 1
    }

    pub fn charge_item(&self, code: ChargeItemCode) -> Option<&StoredChargeItem> {
        self.charge_items.iter().find(|one| one.code == code)
    }

    pub fn discount(&self, code: DiscountCode) -> Option<&StoredDiscount> {
        self.discounts.iter().find(|one| one.code == code)
    }

    /// The group's own rule, else the general one.
    pub fn charging_rule(&self, group: GroupCode) -> Option<&StoredChargingRule> {
        let mut active = self.charging_rules.iter().filter(|one| one.active);
        active.clone().find(|one| one.group == Some(group)).or_else(|| active.find(|one| one.group.is_none()))
    }

    /// What a plan of a benefit is charged as: its own item, else that of the rule for the first plan, else the first
    /// active one of the kind.
    pub fn plan_charge_item(&self, plan: &StoredPlan, is_first: bool) -> Option<&StoredChargeItem> {
        let of_rule =
            || self.charging_rule(plan.group).filter(|_| is_first).and_then(|rule| rule.charge_item);
        let kind = if is_first { ChargeItemKind::AdministrationFee } else { ChargeItemKind::AddOn };
        let named = plan.charge_item.or_else(of_rule).and_then(|code| self.charge_item(code));
        named.or_else(|| self.charge_items.iter().find(|one| one.active && one.kind == kind))
    }

    pub fn late_charge_rule(&self, code: LateChargeRuleCode) -> Option<&StoredLateChargeRule> {
        self.late_charge_rules.iter().find(|one| one.code == code)
    }

    pub fn title_type(&self, code: TitleTypeCode) -> Option<&StoredTitleType> {
        self.title_types.iter().find(|one| one.code == code)
    }

    pub fn money_account(&self, code: MoneyAccountCode) -> Option<&StoredMoneyAccount> {
        self.accounts.iter().find(|one| one.code == code)
    }

    pub fn settlement_type(&self, code: SettlementTypeCode) -> Option<&StoredSettlementType> {
        self.settlement_types.iter().find(|one| one.code == code)
    }
}
