//! The credit of a person: how much it is, what it came of, and where it went; and one receipt or refund of it.

use crate::credit_money::{FullCreditMovement, build_full_movement};
use crate::usable_credit::sum_usable_credit;
use app::audit::access_log::record_access;
use app::register_snapshot::{TenantRegisters, load_registers, read_with_registers};
use app::session::Session;
use app::{App, Error};
use domain::{
    AuditedOperation, CreditReceiptCode, Date, GroupCode, InputField, MoneyRight, PersonCode, Rejection,
    Scope, UserCode,
};
use finance_storage::credit_receipts::find_credit_receipt;
use finance_storage::member_credit::{CreditMovement, list_credit_movements};
use std::collections::HashMap;
use std::sync::Arc;
use storage::Tx;
use storage::access::users::list_user_names;
use storage::members::is_person_visible;

/// A page of the movements of a credit, newest first, with the number of all.
pub struct CreditPage {
    pub rows: Vec<CreditMovement>,
    pub total: i64,
    /// What the caller may use of it in each group, in cents.
    pub available: Vec<(GroupCode, i64)>,
    pub user_names: HashMap<UserCode, String>,
    pub today: Date,
    pub registers: Arc<TenantRegisters>,
}

impl CreditPage {
    /// What the caller may use of it, in cents.
    pub fn sum_available(&self) -> i64 {
        self.available.iter().map(|(_, amount)| amount).sum()
    }

    pub fn user_name(&self, user: Option<UserCode>) -> Option<&str> {
        self.user_names.get(&user?).map(String::as_str)
    }
}

/// The movements that the caller may see, from `offset`.
#[boxed::future]
pub async fn list_member_credit(
    app: &App,
    caller: &Session,
    person: PersonCode,
    (offset, limit): (i64, i64),
) -> Result<CreditPage, Error> {
    caller.require_money_right(MoneyRight::SeeMoney)?;
    let now = app.now();
    let build_query = |registers: &TenantRegisters| CreditQuery {
        scope: caller.scope.clone(),
        person,
        groups: registers.money.groups.iter().map(|group| group.code).collect(),
        page: (offset, limit),
    };
    let tenant = caller.scope.tenant();
    let (found, registers) =
        read_with_registers(app, tenant, build_query, |tx, query| Box::pin(load_credit(tx, query))).await?;
    record_access(app, caller, AuditedOperation::ListCredits, std::iter::once(person))?;
    let today = now.date_in(&registers.zone);
    let LoadedCredit { rows, total, available, user_names } = found;
    Ok(CreditPage { rows, total, available, user_names, today, registers })
}

/// What was received as credit or paid back under a code, if the caller sees its branch.
#[boxed::future]
pub async fn read_credit_receipt(
    app: &App,
    caller: &Session,
    code: CreditReceiptCode,
) -> Result<FullCreditMovement, Error> {
    caller.require_money_right(MoneyRight::SeeMoney)?;
    let registers = load_registers(app, caller.scope.tenant()).await?;
    let input = (caller.scope.clone(), code);
    let read = app.db.read(input, |tx, (scope, code)| {
        Box::pin(async move { Ok::<_, Error>(find_credit_receipt(tx, scope, *code).await?) })
    });
    let unknown = || Error::NotFound { field: InputField::CreditReceipt, code: code.get() };
    let receipt = read.await?.ok_or_else(unknown)?;
    record_access(app, caller, AuditedOperation::ListCredits, std::iter::once(receipt.person))?;
    Ok(build_full_movement(&registers, receipt))
}

struct CreditQuery {
    scope: Scope,
    person: PersonCode,
    groups: Vec<GroupCode>,
    page: (i64, i64),
}

/// A page without the registers.
struct LoadedCredit {
    rows: Vec<CreditMovement>,
    total: i64,
    available: Vec<(GroupCode, i64)>,
    user_names: HashMap<UserCode, String>,
}

async fn load_credit(tx: &mut Tx, query: &CreditQuery) -> Result<LoadedCredit, Error> {
    let CreditQuery { scope, person, groups, page } = query;
    if !is_person_visible(tx, scope, *person).await? {
        let unknown = Rejection::UnknownCode { field: InputField::Person, code: person.get() };
        return Err(Error::Refused(vec![unknown]));
    }
    let mut available = Vec::with_capacity(groups.len());
    for group in groups {
        available.push((*group, sum_usable_credit(tx, scope, *person, *group).await?));
    }
    let (rows, total) = list_credit_movements(tx, scope, *person, *page).await?;
    let user_names = list_user_names(&mut *tx, scope.tenant()).await?;
    let user_names = user_names.into_iter().map(|(code, name, _)| (code, name)).collect();
    Ok(LoadedCredit { rows, total, available, user_names })
}
