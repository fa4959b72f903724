//! The registers of money. Each list has all records, including inactive ones, ordered by code.

use crate::{Error, QueryWeight, ReadSource, Row, Statement, sql};
use domain::finance::{
    ChargeItemKind, DiscountAmountRule, EarlyDiscountRule, LateChargeRates, LaunchKind, LegalNature,
    MoneyAccountKind, ShortfallTreatment, TablePrice, ValueBand,
};
use domain::{
    ChargeItemCode, ChargingRuleCode, Date, DiscountCode, GroupCode, HolidayCode, LateChargeRuleCode, Money,
    MoneyAccountCode, PaymentFormCode, PlanCode, SettlementTypeCode, TenantId, TitleTypeCode,
};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredGroup {
    pub code: GroupCode,
    pub name: String,
    pub active: bool,
}

#[boxed::future]
pub async fn list_groups(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
) -> Result<Vec<StoredGroup>, Error> {
    let statement =
        sql("SELECT code, name, active FROM protection_groups WHERE tenant = $1 ORDER BY code").arg(tenant);
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter()
        .map(|row| {
            Ok(StoredGroup { code: row.get("code")?, name: row.get("name")?, active: row.get("active")? })
        })
        .collect()
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredChargeItem {
    pub code: ChargeItemCode,
    pub name: String,
    pub kind: ChargeItemKind,
    pub nature: LegalNature,
    pub active: bool,
}

#[boxed::future]
pub async fn list_charge_items(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
) -> Result<Vec<StoredChargeItem>, Error> {
    let statement =
        sql("SELECT code, name, kind, nature, active FROM charge_items WHERE tenant = $1 ORDER BY code")
            .arg(tenant);
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter()
        .map(|row| {
            Ok(StoredChargeItem {
                code: row.get("code")?,
                name: row.get("name")?,
                kind: row.get("kind")?,
                nature: row.get("nature")?,
                active: row.get("active")?,
            })
        })
        .collect()
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredLateChargeRule {
    pub code: LateChargeRuleCode,
    pub name: String,
    pub rates: LateChargeRates,
    pub shortfall: ShortfallTreatment,
    pub early_discount: EarlyDiscountRule,
    pub active: bool,
}

#[boxed::future]
pub async fn list_late_charge_rules(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
) -> Result<Vec<StoredLateChargeRule>, Error> {
    let statement =
        sql("SELECT code, name, fine, monthly_interest, shortfall, early_discount, early_discount_days,
         early_discount_nature, active FROM late_charge_rules WHERE tenant = $1 ORDER BY code")
        .arg(tenant);
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter()
        .map(|row| {
            Ok(StoredLateChargeRule {
                code: row.get("code")?,
                name: row.get("name")?,
                rates: LateChargeRates { fine: row.get("fine")?, interest: row.get("monthly_interest")? },
                shortfall: row.get("shortfall")?,
                early_discount: EarlyDiscountRule {
                    rate: row.get("early_discount")?,
                    days: row.get("early_discount_days")?,
                    nature: row.get("early_discount_nature")?,
                },
                active: row.get("active")?,
            })
        })
        .collect()
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredTitleType {
    pub code: TitleTypeCode,
    pub name: String,
    pub launch_kind: LaunchKind,
    pub charge_item: ChargeItemCode,
    /// Without it, late payments cost nothing.
    pub late_charge_rule: Option<LateChargeRuleCode>,
    pub active: bool,
}

#[boxed::future]
pub async fn list_title_types(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
) -> Result<Vec<StoredTitleType>, Error> {
    let statement =
        sql("SELECT code, name, launch_kind, charge_item, late_charge_rule, active FROM title_types
         WHERE tenant = $1 ORDER BY code")
        .arg(tenant);
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter()
        .map(|row| {
            Ok(StoredTitleType {
                code: row.get("code")?,
                name: row.get("name")?,
                launch_kind: row.get("launch_kind")?,
                charge_item: row.get("charge_item")?,
                late_charge_rule: row.get("late_charge_rule")?,
                active: row.get("active")?,
            })
        })
        .collect()
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredPaymentForm {
    pub code: PaymentFormCode,
    pub name: String,
    pub active: bool,
}

#[boxed::future]
pub async fn list_payment_forms(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
) -> Result<Vec<StoredPaymentForm>, Error> {
    let statement =
        sql("SELECT code, name, active FROM payment_forms WHERE tenant = $1 ORDER BY code").arg(tenant);
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter()
        .map(|row| {
            Ok(StoredPaymentForm {
                code: row.get("code")?,
                name: row.get("name")?,
                active: row.get("active")?,
            })
        })
        .collect()
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredMoneyAccount {
    pub code: MoneyAccountCode,
    pub name: String,
    pub kind: MoneyAccountKind,
    pub bank: Option<String>,
    pub agency: Option<String>,
    pub account_number: Option<String>,
    /// Without a group, all groups share the account.
    pub group: Option<GroupCode>,
    pub pix_key: Option<String>,
    /// Its receiver, as codes name them.
    pub pix_name: Option<String>,
    pub pix_city: Option<String>,
    /// Whether codes contain the identifier that leads back to the title.
    pub pix_sends_txid: bool,
    pub slips: StoredSlipAgreement,
    pub active: bool,
}

/// The agreement by which a bank collects slips for an account, and what its slips show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredSlipAgreement {
    /// Its number; without it, the account has no slips.
    pub bank: Option<i32>,
    pub wallet: Option<String>,
    pub agreement: Option<String>,
    pub variation: Option<String>,
    pub first_number: Option<i32>,
    pub beneficiary: Option<String>,
    pub document: Option<String>,
    pub address: Option<String>,
    pub message: Option<String>,
}

fn parse_slip_agreement(row: &Row) -> Result<StoredSlipAgreement, Error> {
    Ok(StoredSlipAgreement {
        bank: row.get("slip_bank")?,
        wallet: row.get("slip_wallet")?,
        agreement: row.get("slip_agreement")?,
        variation: row.get("slip_variation")?,
        first_number: row.get("slip_first_number")?,
        beneficiary: row.get("slip_beneficiary")?,
        document: row.get("slip_document")?,
        address: row.get("slip_address")?,
        message: row.get("slip_message")?,
    })
}

#[boxed::future]
pub async fn list_money_accounts(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
) -> Result<Vec<StoredMoneyAccount>, Error> {
    let statement =
        sql("SELECT code, name, kind, bank, agency, account_number, protection_group, pix_key, pix_name,
         pix_city, pix_sends_txid, slip_bank, slip_wallet, slip_agreement, slip_variation, slip_first_number,
         slip_beneficiary, slip_document, slip_address, slip_message, active FROM money_accounts WHERE tenant = $1 ORDER BY code")
        .arg(tenant);
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter()
        .map(|row| {
            Ok(StoredMoneyAccount {
                code: row.get("code")?,
                name: row.get("name")?,
                kind: row.get("kind")?,
                bank: row.get("bank")?,
                agency: row.get("agency")?,
                account_number: row.get("account_number")?,
                group: row.get("protection_group")?,
                pix_key: row.get("pix_key")?,
                pix_name: row.get("pix_name")?,
                pix_city: row.get("pix_city")?,
                pix_sends_txid: row.get("pix_sends_txid")?,
                slips: parse_slip_agreement(row)?,
                active: row.get("active")?,
            })
        })
        .collect()
}

/// Gives an account a Pix key with its receiver: key, name and city.
pub fn update_pix_receiver(tenant: TenantId, account: MoneyAccountCode, receiver: [&str; 3]) -> Statement {
    let [key, name, city] = receiver;
    sql("UPDATE money_accounts SET pix_key = $3, pix_name = $4, pix_city = $5 WHERE tenant = $1 AND code = $2")
        .arg(tenant)
        .arg(account)
        .arg(key)
        .arg(name)
        .arg(city)
}

/// Gives an account an agreement on slips; `place` is its bank, agency and number.
pub fn update_slip_agreement(
    tenant: TenantId,
    account: MoneyAccountCode,
    place: [&str; 3],
    slips: &StoredSlipAgreement,
) -> Statement {
    let [bank, agency, number] = place;
    sql("UPDATE money_accounts SET bank = $3, agency = $4, account_number = $5, slip_bank = $6, slip_wallet = $7,
         slip_agreement = $8, slip_variation = $9, slip_first_number = $10, slip_beneficiary = $11,
         slip_document = $12, slip_address = $13, slip_message = $14 WHERE tenant = $1 AND code = $2")
    .arg(tenant)
    .arg(account)
    .arg(bank)
    .arg(agency)
    .arg(number)
    .arg(slips.bank)
    .arg(slips.wallet.as_deref())
    .arg(slips.agreement.as_deref())
    .arg(slips.variation.as_deref())
    .arg(slips.first_number)
    .arg(slips.beneficiary.as_deref())
    .arg(slips.document.as_deref())
    .arg(slips.address.as_deref())
    .arg(slips.message.as_deref())
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredSettlementType {
    pub code: SettlementTypeCode,
    pub name: String,
    /// Where the money goes.
    pub account: MoneyAccountCode,
    pub active: bool,
}

#[boxed::future]
pub async fn list_settlement_types(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
) -> Result<Vec<StoredSettlementType>, Error> {
    let statement =
        sql("SELECT code, name, money_account, active FROM settlement_types WHERE tenant = $1 ORDER BY code")
            .arg(tenant);
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter()
        .map(|row| {
            Ok(StoredSettlementType {
                code: row.get("code")?,
                name: row.get("name")?,
                account: row.get("money_account")?,
                active: row.get("active")?,
            })
        })
        .collect()
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredHoliday {
    pub code: HolidayCode,
    pub day: Date,
    pub name: String,
    pub active: bool,
}

#[boxed::future]
pub async fn list_bank_holidays(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
) -> Result<Vec<StoredHoliday>, Error> {
    let statement =
        sql("SELECT code, day, name, active FROM bank_holidays WHERE tenant = $1 ORDER BY code").arg(tenant);
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter()
        .map(|row| {
            Ok(StoredHoliday {
                code: row.get("code")?,
                day: row.get("day")?,
                name: row.get("name")?,
                active: row.get("active")?,
            })
        })
        .collect()
}

/// The rows of the price table that are in use.
#[boxed::future]
pub async fn list_active_prices(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
) -> Result<Vec<TablePrice>, Error> {
    let statement = sql("SELECT code, plan, valid_from, branch, vehicle_type, value_from, value_until, price
         FROM plan_prices WHERE tenant = $1 AND active ORDER BY code")
    .arg(tenant);
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter()
        .map(|row| {
            Ok(TablePrice {
                code: row.get("code")?,
                plan: row.get("plan")?,
                valid_from: row.get("valid_from")?,
                branch: row.get("branch")?,
                vehicle_type: row.get("vehicle_type")?,
                band: ValueBand { from: row.get("value_from")?, until: row.get("value_until")? },
                price: row.get("price")?,
            })
        })
        .collect()
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredDiscount {
    pub code: DiscountCode,
    pub name: String,
    pub rate: DiscountAmountRule,
    /// The only nature of charges that it lowers.
    pub nature: LegalNature,
    /// Without it, every plan of the benefit.
    pub plan: Option<PlanCode>,
    pub active: bool,
}

#[boxed::future]
pub async fn list_discounts(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
) -> Result<Vec<StoredDiscount>, Error> {
    let statement = sql("SELECT code, name, percentage, amount, nature, plan, active FROM discounts
         WHERE tenant = $1 ORDER BY code")
    .arg(tenant);
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter()
        .map(|row| {
            let percentage: Option<i64> = row.get("percentage")?;
            let amount: Option<Money> = row.get("amount")?;
            Ok(StoredDiscount {
                code: row.get("code")?,
                name: row.get("name")?,
                rate: match percentage {
                    Some(hundredths) => DiscountAmountRule::Percent(hundredths),
                    None => DiscountAmountRule::Amount(amount.unwrap_or_default()),
                },
                nature: row.get("nature")?,
                plan: row.get("plan")?,
                active: row.get("active")?,
            })
        })
        .collect()
}

/// How a month is charged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredChargingRule {
    pub code: ChargingRuleCode,
    pub name: String,
    /// Without it, every group that has no rule of its own.
    pub group: Option<GroupCode>,
    /// Who joined up to this day of a month is charged in the next one.
    pub cut_off_day: i32,
    /// Whether the month of joining is charged by its active days.
    pub is_joining_prorated: bool,
    pub title_type: TitleTypeCode,
    /// What the first plan of a benefit is charged as; without it, the administration fee.
    pub charge_item: Option<ChargeItemCode>,
    /// Between issue and due day.
    pub minimum_bank_days: i32,
    /// On this day of the month the next one is prepared; without it, by hand.
    pub preparation_day: Option<i32>,
    pub active: bool,
}

#[boxed::future]
pub async fn list_charging_rules(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
) -> Result<Vec<StoredChargingRule>, Error> {
    let statement =
        sql("SELECT code, name, protection_group, cut_off_day, is_joining_prorated, title_type, charge_item,
             minimum_bank_days, preparation_day, active
         FROM charging_rules WHERE tenant = $1 ORDER BY code")
        .arg(tenant);
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter()
        .map(|row| {
            Ok(StoredChargingRule {
                code: row.get("code")?,
                name: row.get("name")?,
                group: row.get("protection_group")?,
                cut_off_day: row.get("cut_off_day")?,
                is_joining_prorated: row.get("is_joining_prorated")?,
                title_type: row.get("title_type")?,
                charge_item: row.get("charge_item")?,
                minimum_bank_days: row.get("minimum_bank_days")?,
                preparation_day: row.get("preparation_day")?,
                active: row.get("active")?,
            })
        })
        .collect()
}
