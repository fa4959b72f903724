//! The books of a month: what every account had and has, and what was booked on one of them.

use app::register_snapshot::{TenantRegisters, load_registers, read_with_registers};
use app::session::Session;
use app::{App, Error};
use domain::finance::ChargedMonth;
use domain::{MoneyRight, PAGE_SIZE, TenantId, VisibleBranches};
use finance_storage::account_balances::{
    AccountBalance, AccountLine, DaySpan, ShownAccount, count_account_lines, list_account_balances,
    list_account_lines, sum_shown_account,
};
use finance_storage::periods::find_last_closing;
use std::sync::Arc;
use storage::Tx;

/// What every account had before a month, what was booked in it, and so what it has after it.
pub struct TrialBalance {
    pub month: ChargedMonth,
    pub is_closed: bool,
    pub accounts: Vec<AccountBalance>,
    pub registers: Arc<TenantRegisters>,
}

/// The lines of an account in a month.
pub struct AccountStatement {
    pub month: ChargedMonth,
    pub balance: AccountBalance,
    pub lines: Vec<AccountLine>,
    /// Of all pages.
    pub total: i64,
    pub registers: Arc<TenantRegisters>,
}

/// An account of the books in a month, from one of its lines on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccountStatementQuery {
    pub account: ShownAccount,
    /// The present one, where none is named.
    pub month: Option<ChargedMonth>,
    pub offset: i64,
}

/// Whether a caller may read the books. They are of the whole association, so whoever sees only some of its branches may
/// not.
pub fn may_read_books(caller: &Session, registers: &TenantRegisters) -> bool {
    let sees_every_branch = match caller.scope.branches() {
        VisibleBranches::All => true,
        VisibleBranches::Only(visible) => {
            !visible.is_empty() && registers.branches.iter().all(|branch| visible.contains(&branch.code))
        }
    };
    sees_every_branch && caller.require_money_right(MoneyRight::SeeMoney).is_ok()
}

async fn require_books(app: &App, caller: &Session) -> Result<TenantId, Error> {
    let tenant = caller.scope.tenant();
    let registers = load_registers(app, tenant).await?;
    if may_read_books(caller, &registers) { Ok(tenant) } else { Err(Error::Forbidden) }
}

/// The balances of all accounts in a month, the present one where none is named.
#[boxed::future]
pub async fn read_trial_balance(
    app: &App,
    caller: &Session,
    month: Option<ChargedMonth>,
) -> Result<TrialBalance, Error> {
    let tenant = require_books(app, caller).await?;
    let now = app.now();
    let build_query = |registers: &TenantRegisters| {
        (tenant, month.unwrap_or_else(|| ChargedMonth::of_day(now.date_in(&registers.zone))))
    };
    let (found, registers) = read_with_registers(app, tenant, build_query, |tx, (tenant, month)| {
        Box::pin(load_trial_balance(tx, *tenant, *month))
    })
    .await?;
    let (month, is_closed, accounts) = found;
    Ok(TrialBalance { month, is_closed, accounts, registers })
}

async fn load_trial_balance(
    tx: &mut Tx,
    tenant: TenantId,
    month: ChargedMonth,
) -> Result<(ChargedMonth, bool, Vec<AccountBalance>), Error> {
    let closing = find_last_closing(&mut *tx, tenant).await?;
    let is_closed = closing.is_some_and(|closing| closing.closed_through >= month.to_iso());
    Ok((month, is_closed, list_account_balances(tx, tenant, find_days(month)).await?))
}

fn find_days(month: ChargedMonth) -> DaySpan {
    (month.first_day(), month.plus_months(1).first_day())
}

/// A page of the lines of an account in a month, in the order of the books.
#[boxed::future]
pub async fn read_account_statement(
    app: &App,
    caller: &Session,
    query: AccountStatementQuery,
) -> Result<AccountStatement, Error> {
    let tenant = require_books(app, caller).await?;
    let now = app.now();
    let build_query = |registers: &TenantRegisters| {
        let month = query.month.unwrap_or_else(|| ChargedMonth::of_day(now.date_in(&registers.zone)));
        (tenant, query, month)
    };
    let (found, registers) = read_with_registers(app, tenant, build_query, |tx, (tenant, query, month)| {
        Box::pin(load_account_statement(tx, *tenant, *query, *month))
    })
    .await?;
    let (month, balance, lines, total) = found;
    Ok(AccountStatement { month, balance, lines, total, registers })
}

async fn load_account_statement(
    tx: &mut Tx,
    tenant: TenantId,
    query: AccountStatementQuery,
    month: ChargedMonth,
) -> Result<(ChargedMonth, AccountBalance, Vec<AccountLine>, i64), Error> {
    let days = find_days(month);
    let balance = sum_shown_account(tx, tenant, (query.account, days)).await?;
    let page = (query.offset, PAGE_SIZE);
    let lines = list_account_lines(tx, tenant, (query.account, days), page).await?;
    let total = count_account_lines(tx, tenant, (query.account, days)).await?;
    Ok((month, balance, lines, total))
}
