//! The money account that gets or gives the money of a receipt.

use app::register_snapshot::TenantRegisters;
use domain::finance::FinanceProblem;
use domain::{GroupCode, InputField, MoneyAccountCode, Rejection, SettlementTypeCode};

/// The account that was named, else that of the settlement type. Both must be in use, and the account open to the group.
pub(crate) fn find_receiving_account(
    registers: &TenantRegisters,
    (settlement_type, named): (SettlementTypeCode, Option<MoneyAccountCode>),
    group: Option<GroupCode>,
    problems: &mut Vec<Rejection>,
) -> Option<MoneyAccountCode> {
    let money = &registers.money;
    let unknown = |field, code| Rejection::UnknownCode { field, code };
    let known_type = money.settlement_type(settlement_type).filter(|one| one.active);
    if known_type.is_none() {
        problems.push(unknown(InputField::SettlementType, settlement_type.get()));
    }
    let account = named.or(known_type.map(|one| one.account));
    let found = account.and_then(|code| money.money_account(code)).filter(|one| one.active);
    // What is wrong with the account of the settlement type is told of the type, which was sent.
    match (account, found) {
        (Some(code), None) => problems.push(match named {
            Some(_) => unknown(InputField::MoneyAccount, code.get()),
            None => Rejection::Finance(FinanceProblem::SettlementTypeWithoutAccount),
        }),
        (_, Some(one)) if one.group.is_some_and(|its| group.is_some_and(|group| group != its)) => {
            problems.push(Rejection::Finance(match named {
                Some(_) => FinanceProblem::AccountOfAnotherGroup,
                None => FinanceProblem::SettlementTypeOfAnotherGroup,
            }));
        }
        _ => {}
    }
    account
}
