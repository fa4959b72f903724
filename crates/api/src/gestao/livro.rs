//! `/gestao/financeiro/balancete` and `/gestao/financeiro/razao`: the books of a month.

use super::cobranca::find_offset;
use crate::ServerState;
use crate::answer::JsonAnswer;
use crate::ext::financeiro::render_cents;
use crate::extract::{AuthenticatedCaller, QueryRecord};
use crate::failure::RequestFailure;
use app::Error;
use app::register_snapshot::TenantRegisters;
use axum::extract;
use domain::display::format_month;
use domain::finance::FinanceProblem;
use domain::{Rejection, SettlementCode, TitleCode, UserCode};
use finance::charging::ChargedMonth;
use finance::{AccountBalance, AccountLine, AccountStatementQuery, ShownAccount, TrialBalance};
use wire::read::{BoundedInt, FieldPatch, MonthText};
use wire::records::{
    BalanceteContaTO, BalanceteQuery, BalanceteTO, JsonAmount, ListPage, RazaoLinhaTO, RazaoQuery,
};
use wire::set_names;

/// `GET /gestao/financeiro/balancete`
pub async fn show_trial_balance(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    QueryRecord(query): QueryRecord<BalanceteQuery>,
) -> Result<JsonAnswer<BalanceteTO>, RequestFailure> {
    let month = read_month(query.month)?;
    let books = finance::read_trial_balance(&state.app, &caller, month).await?;
    Ok(JsonAnswer(render_trial_balance(&books)))
}

/// `GET /gestao/financeiro/razao`
pub async fn list_account_lines(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    QueryRecord(query): QueryRecord<RazaoQuery>,
) -> Result<JsonAnswer<ListPage<RazaoLinhaTO>>, RequestFailure> {
    let reference = query.reference.into_set().map(|reference| i64::from(reference.get()));
    let page = query.page.into_set();
    let search = AccountStatementQuery {
        account: ShownAccount { group: query.group, kind: query.account, reference },
        month: read_month(query.month)?,
        offset: find_offset(page),
    };
    let statement = finance::read_account_statement(&state.app, &caller, search).await?;
    let lines = statement.lines.iter().map(render_line).collect();
    Ok(JsonAnswer(ListPage::new(lines, page.map_or(1, BoundedInt::get), statement.total)))
}

fn read_month(month: FieldPatch<MonthText>) -> Result<Option<ChargedMonth>, Error> {
    let unknown = || Error::Refused(vec![Rejection::Finance(FinanceProblem::UnknownMonth)]);
    let find_month = |month: MonthText| ChargedMonth::from_iso(month.as_iso()).ok_or_else(unknown);
    month.into_set().map(find_month).transpose()
}

fn render_trial_balance(books: &TrialBalance) -> BalanceteTO {
    let sum = |of: fn(&AccountBalance) -> i64| render_cents(books.accounts.iter().map(of).sum());
    BalanceteTO {
        mes: format_month(&books.month.to_iso()),
        fechado: books.is_closed,
        contas: books.accounts.iter().map(|balance| render_balance(&books.registers, balance)).collect(),
        debitos: sum(|balance| balance.within.debit),
        creditos: sum(|balance| balance.within.credit),
    }
}

fn render_balance(registers: &TenantRegisters, balance: &AccountBalance) -> BalanceteContaTO {
    let account = &balance.account;
    let group = registers.money.groups.iter().find(|one| one.code == account.group);
    let [saldo_anterior_devedor, saldo_anterior_credor] = render_sides(balance.before.balance());
    let [saldo_devedor, saldo_credor] = render_sides(balance.after().balance());
    BalanceteContaTO {
        cod_grupo: account.group.get(),
        nome_grupo: group.map(|one| one.name.clone()).unwrap_or_default(),
        conta: set_names::ledger_account_kind(account.kind),
        cod_referencia: account.reference,
        nome: finance::name_account(registers, account),
        saldo_anterior_devedor,
        saldo_anterior_credor,
        debitos: render_cents(balance.within.debit),
        creditos: render_cents(balance.within.credit),
        saldo_devedor,
        saldo_credor,
    }
}

/// What the debits are more than the credits, and what the credits are more.
fn render_sides(balance: i64) -> [JsonAmount; 2] {
    [balance.max(0), balance.saturating_neg().max(0)].map(render_cents)
}

fn render_line(line: &AccountLine) -> RazaoLinhaTO {
    RazaoLinhaTO {
        numero: line.entry.get(),
        data: line.booked_on.to_br(),
        data_fato: line.happened_on.to_br(),
        origem: set_names::ledger_entry_kind(line.kind),
        cod_titulo: line.title.map(TitleCode::get),
        cod_liquidacao: line.settlement.map(SettlementCode::get),
        cod_usuario: line.user.map(UserCode::get),
        debito: render_cents(line.debit),
        credito: render_cents(line.credit),
    }
}
