//! The account whose bank collects the slips of a group.

use app::register_snapshot::TenantRegisters;
use bank_formats::{SlipAgreement, SlipAgreementTexts, SlipBank};
use domain::{GroupCode, MoneyAccountCode};
use storage::registers::finance::StoredMoneyAccount;

pub(crate) struct CollectingAccount<'r> {
    pub account: &'r StoredMoneyAccount,
    pub agreement: SlipAgreement,
}

impl CollectingAccount<'_> {
    /// The first number that the bank left to us.
    pub fn first_sequence(&self) -> i64 {
        self.account.slips.first_number.map_or(1, i64::from)
    }
}

/// An account of the group itself comes before those that all groups share.
pub(crate) fn find_collector(registers: &TenantRegisters, group: GroupCode) -> Option<CollectingAccount<'_>> {
    let accounts = registers.money.accounts.iter();
    let usable = accounts.filter(|one| one.active && one.group.is_none_or(|its| its == group));
    let mut collectors: Vec<CollectingAccount<'_>> = usable.filter_map(read_collector).collect();
    collectors.sort_by_key(|one| (one.account.group.is_none(), one.account.code.get()));
    collectors.into_iter().next()
}

/// The collector of slips that were issued before, which may be out of use now.
pub(crate) fn find_collector_by_code(
    registers: &TenantRegisters,
    code: MoneyAccountCode,
) -> Option<CollectingAccount<'_>> {
    registers.money.money_account(code).and_then(read_collector)
}

fn read_collector(account: &StoredMoneyAccount) -> Option<CollectingAccount<'_>> {
    let slips = &account.slips;
    let bank = SlipBank::from_number(u16::try_from(slips.bank?).ok()?)?;
    let texts = SlipAgreementTexts {
        bank,
        agency: account.agency.as_deref().unwrap_or_default(),
        account: account.account_number.as_deref().unwrap_or_default(),
        wallet: slips.wallet.as_deref().unwrap_or_default(),
        agreement: slips.agreement.as_deref().unwrap_or_default(),
        variation: slips.variation.as_deref().unwrap_or_default(),
    };
    Some(CollectingAccount { account, agreement: SlipAgreement::parse(&texts).ok()? })
}
