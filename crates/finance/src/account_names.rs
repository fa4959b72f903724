//! What the accounts of the books are called.

use app::register_snapshot::TenantRegisters;
use domain::finance::{LedgerAccountKey, LedgerAccountKind, LegalNature};
use finance_storage::account_balances::ShownAccount;
use wire::set_names;

/// The kind of the account and, where there are several of a kind, which it is: `Receita: Taxa de administração`.
pub fn name_account(registers: &TenantRegisters, account: &ShownAccount) -> String {
    let money = &registers.money;
    let reference = account.reference.unwrap_or_default();
    let code = i32::try_from(reference).unwrap_or_default();
    let nature =
        || LegalNature::from_number(reference).map(|nature| set_names::legal_nature_label(nature).to_owned());
    let item = || money.charge_items.iter().find(|one| one.code.get() == code).map(|one| one.name.clone());
    let which = match account.kind {
        LedgerAccountKind::Receivable | LedgerAccountKind::Discount => nature(),
        LedgerAccountKind::Cash => {
            money.accounts.iter().find(|one| one.code.get() == code).map(|one| one.name.clone())
        }
        LedgerAccountKind::Income | LedgerAccountKind::OwedToAdministrator | LedgerAccountKind::Expense => {
            item()
        }
        LedgerAccountKind::LateCharges if reference == LedgerAccountKey::FINE => Some("multa".to_owned()),
        LedgerAccountKind::LateCharges => Some("juros".to_owned()),
        LedgerAccountKind::MemberCredit | LedgerAccountKind::Payable | LedgerAccountKind::OpeningBalance => {
            None
        }
    };
    let kind = set_names::ledger_account_label(account.kind);
    match which {
        Some(which) => format!("{kind}: {which}"),
        None => kind.to_owned(),
    }
}
