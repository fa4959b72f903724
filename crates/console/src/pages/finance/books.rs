//! The books of a month: the trial balance, and what was booked on one account. Only for whoever sees every branch.

use super::format_cents;
use crate::http::parameters::QueryParams;
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::formats::{ListPager, format_month};
use crate::widgets::frame::PageFrame;
use crate::widgets::page::{HandlerResult, show_page};
use app::App;
use app::register_snapshot::TenantRegisters;
use askama::Template;
use axum::extract::State;
use domain::finance::{ChargedMonth, LedgerAccountKind, LedgerEntryKind};
use domain::{GroupCode, PAGE_SIZE, display};
use finance::{
    AccountBalance, AccountLine, AccountStatementQuery, ShownAccount, name_account, read_account_statement,
    read_trial_balance,
};
use wire::set_names::{NamedSet, ledger_account_kind};

struct BalanceLine {
    name: String,
    link: String,
    before: String,
    debit: String,
    credit: String,
    after: String,
}

/// The accounts of a protection group, whose debits and credits are equal.
struct GroupBooks {
    name: String,
    lines: Vec<BalanceLine>,
    debit: String,
    credit: String,
}

#[derive(Template)]
#[template(path = "console/balancete.html")]
struct TrialBalancePage {
    frame: PageFrame,
    problems: Vec<String>,
    month: String,
    month_name: String,
    is_closed: bool,
    is_filtered: bool,
    groups: Vec<GroupBooks>,
    around: [String; 2],
}

struct StatementLine {
    number: i32,
    booked_on: String,
    /// Empty where it is the day of the books.
    happened_on: String,
    what: &'static str,
    title: Option<i32>,
    debit: String,
    credit: String,
}

#[derive(Template)]
#[template(path = "console/razao.html")]
struct AccountStatementPage {
    frame: PageFrame,
    name: String,
    group: String,
    month_name: String,
    trial_balance: String,
    before: String,
    debit: String,
    credit: String,
    after: String,
    lines: Vec<StatementLine>,
    pager: ListPager,
}

/// `GET /console/financeiro/balancete`
pub async fn show_trial_balance(
    State(app): State<App>,
    user: SignedInUser,
    query: QueryParams,
) -> HandlerResult {
    let (month, problems) = read_month(query.text("mes"));
    let books = read_trial_balance(&app, user.session(), month).await?;
    let frame = PageFrame::load(&app, &user, "financeiro").await?;
    let links = MonthLinks { root: &frame.root, month: books.month };
    show_page(&TrialBalancePage {
        problems,
        month: display::format_month(&books.month.to_iso()),
        month_name: format_month(&books.month.to_iso()),
        is_closed: books.is_closed,
        is_filtered: !query.text("mes").is_empty(),
        groups: list_groups(&books.registers, &books.accounts, &links),
        around: [-1, 1].map(|months| links.link_month(books.month.plus_months(months))),
        frame,
    })
}

/// The month that was typed, as `11/2026`; an empty text is none.
fn read_month(text: &str) -> (Option<ChargedMonth>, Vec<String>) {
    let read = |text: &str| {
        let (month, year) = text.trim().split_once('/')?;
        ChargedMonth::from_iso(&format!("{year}-{month:0>2}"))
    };
    let month = read(text);
    let problems = match (month, text) {
        (Some(_), _) | (None, "") => Vec::new(),
        (None, _) => vec![format!("Mês: “{text}” não é um mês. Use mês e ano: 11/2026.")],
    };
    (month, problems)
}

struct MonthLinks<'p> {
    root: &'p str,
    month: ChargedMonth,
}

impl MonthLinks<'_> {
    fn link_month(&self, month: ChargedMonth) -> String {
        let month = display::format_month(&month.to_iso());
        format!("{}/console/financeiro/balancete?mes={month}", self.root)
    }

    fn link_account(&self, account: &ShownAccount) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.append_pair("codGrupo", &account.group.to_string());
        query.append_pair("conta", ledger_account_kind(account.kind));
        if let Some(reference) = account.reference {
            query.append_pair("codReferencia", &reference.to_string());
        }
        query.append_pair("mes", &display::format_month(&self.month.to_iso()));
        format!("{}/console/financeiro/razao?{}", self.root, query.finish())
    }
}

fn list_groups(
    registers: &TenantRegisters,
    accounts: &[AccountBalance],
    links: &MonthLinks<'_>,
) -> Vec<GroupBooks> {
    let of_groups = accounts.chunk_by(|one, next| one.account.group == next.account.group);
    let has_one =
        accounts.iter().all(|one| Some(one.account.group) == accounts.first().map(|one| one.account.group));
    let build_group = |accounts: &[AccountBalance]| {
        let sum = |of: fn(&AccountBalance) -> i64| format_cents(accounts.iter().map(of).sum());
        let group = accounts.first().map_or(GroupCode::ADMINISTRATION, |one| one.account.group);
        GroupBooks {
            name: if has_one { "Contas".to_owned() } else { name_group(registers, group) },
            lines: accounts.iter().map(|one| build_balance_line(registers, one, links)).collect(),
            debit: sum(|one| one.within.debit),
            credit: sum(|one| one.within.credit),
        }
    };
    of_groups.map(build_group).collect()
}

fn name_group(registers: &TenantRegisters, group: GroupCode) -> String {
    let found = registers.money.groups.iter().find(|one| one.code == group);
    found.map(|one| one.name.clone()).unwrap_or_default()
}

fn build_balance_line(
    registers: &TenantRegisters,
    one: &AccountBalance,
    links: &MonthLinks<'_>,
) -> BalanceLine {
    BalanceLine {
        name: name_account(registers, &one.account),
        link: links.link_account(&one.account),
        before: format_balance(one.before.balance()),
        debit: format_cents(one.within.debit),
        credit: format_cents(one.within.credit),
        after: format_balance(one.after().balance()),
    }
}

/// `R$ 12,50 D` where the debits are more, `R$ 12,50 C` where the credits are.
fn format_balance(balance: i64) -> String {
    let side = match balance {
        0 => "",
        1.. => "\u{a0}D",
        ..0 => "\u{a0}C",
    };
    format!("{}{side}", format_cents(balance.saturating_abs()))
}

/// `GET /console/financeiro/razao`
pub async fn show_account_statement(
    State(app): State<App>,
    user: SignedInUser,
    query: QueryParams,
) -> HandlerResult {
    let number = |name: &str| query.text(name).parse::<i32>().ok();
    let account = ShownAccount {
        group: GroupCode::new(number("codGrupo").unwrap_or_default()),
        kind: LedgerAccountKind::from_name(query.text("conta")).unwrap_or(LedgerAccountKind::Cash),
        reference: number("codReferencia").map(i64::from),
    };
    let offset = i64::from(query.page_number() - 1) * PAGE_SIZE;
    let search = AccountStatementQuery { account, month: read_month(query.text("mes")).0, offset };
    let statement = read_account_statement(&app, user.session(), search).await?;
    let frame = PageFrame::load(&app, &user, "financeiro").await?;
    let balance = &statement.balance;
    let page = |number| query.with_page(number);
    let links = MonthLinks { root: &frame.root, month: statement.month };
    show_page(&AccountStatementPage {
        name: name_account(&statement.registers, &account),
        group: match statement.registers.money.groups.len() {
            0..=1 => String::new(),
            _ => name_group(&statement.registers, account.group),
        },
        month_name: format_month(&statement.month.to_iso()),
        trial_balance: links.link_month(statement.month),
        before: format_balance(balance.before.balance()),
        debit: format_cents(balance.within.debit),
        credit: format_cents(balance.within.credit),
        after: format_balance(balance.after().balance()),
        lines: statement.lines.iter().map(build_statement_line).collect(),
        pager: ListPager::new(query.page_number(), statement.total, PAGE_SIZE, page),
        frame,
    })
}

fn build_statement_line(line: &AccountLine) -> StatementLine {
    let amount = |cents: i64| if cents == 0 { String::new() } else { format_cents(cents) };
    StatementLine {
        number: line.entry.get(),
        booked_on: line.booked_on.to_br(),
        happened_on: if line.happened_on == line.booked_on {
            String::new()
        } else {
            line.happened_on.to_br()
        },
        what: match line.kind {
            LedgerEntryKind::TitleIssue => "Emissão",
            LedgerEntryKind::TitleCancellation => "Cancelamento",
            LedgerEntryKind::Receipt => "Pagamento",
            LedgerEntryKind::ReceiptReversal => "Estorno",
            LedgerEntryKind::CreditUse => "Uso de crédito",
            LedgerEntryKind::CreditReceipt => "Crédito recebido",
            LedgerEntryKind::CreditRefund => "Crédito devolvido",
            LedgerEntryKind::CreditReversal => "Estorno de crédito",
            LedgerEntryKind::OpeningBalance => "Saldo de abertura",
            LedgerEntryKind::OpeningBalanceReversal => "Estorno do saldo de abertura",
        },
        title: line.title.map(domain::TitleCode::get),
        debit: amount(line.debit),
        credit: amount(line.credit),
    }
}

#[cfg(test)]
pub const CASES: crate::template_tests::TemplateCases = &[
    ("console/balancete.html", |with| {
        let line = || BalanceLine {
            name: with.text(),
            link: with.text(),
            before: with.text(),
            debit: with.text(),
            credit: with.text(),
            after: with.text(),
        };
        let group = || GroupBooks {
            name: with.text(),
            lines: with.list_of(line),
            debit: with.text(),
            credit: with.text(),
        };
        crate::template_tests::render_template(&TrialBalancePage {
            frame: with.frame(),
            problems: with.list_of(|| with.text()),
            month: with.text(),
            month_name: with.text(),
            is_closed: with.is_filled(),
            is_filtered: with.is_filled(),
            groups: with.list_of(group),
            around: [with.text(), with.text()],
        })
    }),
    ("console/razao.html", |with| {
        let line = || StatementLine {
            number: 1,
            booked_on: with.text(),
            happened_on: with.text(),
            what: "Emissão",
            title: with.option_of(|| 1),
            debit: with.text(),
            credit: with.text(),
        };
        crate::template_tests::render_template(&AccountStatementPage {
            frame: with.frame(),
            name: with.text(),
            group: with.text(),
            month_name: with.text(),
            trial_balance: with.text(),
            before: with.text(),
            debit: with.text(),
            credit: with.text(),
            after: with.text(),
            lines: with.list_of(line),
            pager: with.pager(),
        })
    }),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_month_is_typed_with_its_year() {
        let (month, problems) = read_month(" 1/2026 ");
        assert_eq!((month.map(ChargedMonth::to_iso).as_deref(), problems.len()), (Some("2026-01"), 0));
        assert_eq!(read_month(""), (None, Vec::new()));
        for bad in ["13/2026", "2026", "novembro", "/"] {
            assert!(read_month(bad).1[0].contains(bad), "{bad}");
        }
    }

    #[test]
    fn a_balance_tells_its_side() {
        assert_eq!(format_balance(1250), "R$\u{a0}12,50\u{a0}D");
        assert_eq!(format_balance(-1250), "R$\u{a0}12,50\u{a0}C");
        assert_eq!(format_balance(0), "R$\u{a0}0,00");
    }
}
