//! Open titles and opening balances of another system: once however often the sheet comes, against the opening balance
//! alone, and taken back by counter-entries.

use crate::importing::{by, count, counts, cpf, import_file, lose_process_of, problems, receive, run, undo};
use app::idempotency::IdempotentWrite;
use app::session::Session;
use app::{access, cache};
use domain::{AuditedOperation, ImportKind, ImportState, MoneyRights, SettlementTypeCode, TitleCode};
use exchange::import::{self, ImportCaller, StoredImportRun};
use finance::NewReceipt;
use std::sync::Arc;
use storage::{QueryWeight, sql};
use testkit::{PASSWORD, World, both_engines};

/// Ana and Cida of the first branch, Bia of the operator's.
pub async fn members(world: &World) {
    let text = format!("CPF;Nome;Loja\n{};Ana;1\n{};Bia;2\n{};Cida;1\n", cpf(1), cpf(2), cpf(3));
    import_file(world, &by(&world.administrator), ImportKind::Members, &text).await;
    let cars = format!(
        "CPF;Placa;Plano;Sequencial\n{};AAA1A11;Proteção Ouro;901\n{};BBB2B22;Proteção Ouro;902\n",
        cpf(1),
        cpf(1)
    );
    let done = import_file(world, &by(&world.administrator), ImportKind::Vehicles, &cars).await;
    assert_eq!(counts(&done), [2, 0, 0, 0]);
}

async fn enter(world: &World) -> Arc<Session> {
    let (app, email) = (world.app(), &world.administrator.email);
    let here = std::net::IpAddr::from([127, 0, 0, 1]).into();
    let token = access::log_in_program(app, email, PASSWORD, here).await.unwrap().token;
    for process in world.processes() {
        cache::refresh_versions(process).await.unwrap();
    }
    app::session::load_session(app, &token).await.unwrap()
}

/// Debit less credit of all accounts of a kind.
async fn balance(world: &World, kind: i64) -> i64 {
    let statement = sql("SELECT CAST(COALESCE(SUM(l.debit - l.credit), 0) AS BIGINT) AS n FROM ledger_lines l
         JOIN ledger_accounts a ON a.tenant = l.tenant AND a.code = l.account WHERE l.tenant = $1 AND a.kind = $2")
    .arg(world.here)
    .arg(kind);
    world.db().query(QueryWeight::Search, statement).await.unwrap()[0].get("n").unwrap()
}

const RECEIVABLE: i64 = 1;
const CASH: i64 = 2;
const INCOME: i64 = 3;
const MEMBER_CREDIT: i64 = 7;
const PAYABLE: i64 = 8;
const OPENING: i64 = 10;

/// Every entry balances, and what is open of titles is what the books say.
async fn check_books(world: &World, step: &str) {
    let odd = "SELECT COUNT(*) AS n FROM (SELECT entry FROM ledger_lines GROUP BY tenant, entry
         HAVING SUM(debit) <> SUM(credit)) AS unbalanced";
    assert_eq!(count(world, odd).await, 0, "{step}");
    let other = "SELECT COUNT(*) AS n FROM ledger_entries e JOIN ledger_lines l ON l.tenant = e.tenant AND l.entry = e.code
         JOIN ledger_accounts a ON a.tenant = l.tenant AND a.code = l.account
         WHERE a.protection_group <> e.protection_group";
    assert_eq!(count(world, other).await, 0, "{step}");
    let open = "SELECT CAST(COALESCE(SUM(open_amount), 0) AS BIGINT) AS n FROM titles WHERE tenant = 1 AND situation = 2
         AND launch_kind =";
    assert_eq!(balance(world, RECEIVABLE).await, sum(world, open, 1).await, "{step}");
    assert_eq!(-balance(world, PAYABLE).await, sum(world, open, 2).await, "{step}");
    let rest = "SELECT COUNT(*) AS n FROM titles t WHERE open_amount <> CASE WHEN situation = 4 THEN 0 ELSE amount -
         (SELECT CAST(COALESCE(SUM(s.principal), 0) AS BIGINT) FROM settlements s WHERE s.tenant = t.tenant
             AND s.title = t.code AND NOT EXISTS (SELECT 1 FROM settlement_reversals r WHERE r.tenant = s.tenant
             AND r.settlement = s.code)) END";
    assert_eq!(count(world, rest).await, 0, "{step}");
}

async fn sum(world: &World, text: &'static str, launch_kind: i64) -> i64 {
    let statement = sql(text).append("?", [launch_kind]);
    world.db().query(QueryWeight::Search, statement).await.unwrap()[0].get("n").unwrap()
}

fn titles() -> String {
    format!(
        "CPF;Tipo;Valor;Vencimento;Emissão;Parcela;Placa;Valor pago;Descrição;Código\n\
         {};Mensalidade;R$ 150,00;10/10/2026;01/10/2026;;AAA-1A11;;Outubro;B-1\n\
         {};Mensalidade;150,00;10/12/2026;;3/12;;50,00;;B-2\n\
         {};Conta a pagar;1.000,00;20/11/2026;;;;400,00;;B-3\n\
         {};Adesão;80,00;05/01/2020;;;;;;\n",
        cpf(1),
        cpf(2),
        cpf(3),
        cpf(1),
    )
}

pub async fn check(world: &World, me: &ImportCaller, kind: ImportKind, text: &str) -> StoredImportRun {
    let received = receive(world, me, kind, text).await.unwrap();
    import::start_dry_run(world.app(), me, received.code, IdempotentWrite::without_key()).await.unwrap();
    run(world, me, &received).await
}

pub async fn start(world: &World, me: &ImportCaller, import: &StoredImportRun) -> StoredImportRun {
    import::start_import(world.app(), me, import.code, false, IdempotentWrite::without_key()).await.unwrap();
    run(world, me, import).await
}

#[both_engines]
async fn open_titles_come_once_against_the_opening_balance_and_go_by_counter_entries(world: World) {
    let me = by(&world.administrator);
    members(&world).await;
    let checked = check(&world, &me, ImportKind::Titles, &titles()).await;
    let found = problems(&world, &me, &checked).await;
    assert_eq!(counts(&checked), [4, 0, 0, 0], "{found:?}");
    assert_eq!(count(&world, "SELECT COUNT(*) AS n FROM ledger_entries").await, 0, "a dry run books nothing");
    let done = start(&world, &me, &checked).await;
    assert_eq!(counts(&done), [4, 0, 0, 0], "as the dry run said");
    check_books(&world, "imported").await;
    assert_eq!(balance(&world, RECEIVABLE).await, 15_000 + 10_000 + 8_000);
    assert_eq!(balance(&world, PAYABLE).await, -60_000);
    assert_eq!(balance(&world, OPENING).await, -33_000 + 60_000);
    assert_eq!((balance(&world, INCOME).await, balance(&world, CASH).await), (0, 0), "of another system");
    let first =
        "SELECT COUNT(*) AS n FROM titles t JOIN title_benefits b ON b.tenant = t.tenant AND b.title = t.code
         WHERE t.description = 'Outubro' AND t.due_on = '2026-10-10' AND t.effective_due_on = '2026-10-13'";
    assert_eq!(count(&world, first).await, 1, "with its benefit, and due on the next bank day");
    let third =
        "SELECT COUNT(*) AS n FROM titles WHERE instalment = 3 AND instalments = 12 AND open_amount = 10000
         AND settled_total = 5000 AND branch = 2";
    assert_eq!(count(&world, third).await, 1);

    let told =
        "SELECT COUNT(*) AS n FROM history h JOIN titles t ON t.tenant = h.tenant AND t.code = h.record
         WHERE h.entity = 6 AND h.from_situation IS NULL AND h.to_situation = 2 AND h.origin <> ''";
    assert_eq!(count(&world, told).await, 4, "each has its row in the history");

    let again = import_file(&world, &me, ImportKind::Titles, &titles()).await;
    assert_eq!(counts(&again), [0, 0, 4, 0], "each once");
    let changed = titles().replace("R$ 150,00", "R$ 151,00");
    let changed = import_file(&world, &me, ImportKind::Titles, &changed).await;
    let found = problems(&world, &me, &changed).await;
    assert_eq!(counts(&changed), [0, 0, 3, 1]);
    assert_eq!((found[0].0, found[0].1.as_str()), (2, "Código"), "{found:?}");

    let caller = enter(&world).await;
    let paid = NewReceipt {
        title: TitleCode::new(2),
        amount: domain::Money::from_stored_cents(1_000).unwrap(),
        settlement_type: SettlementTypeCode::new(1),
        account: None,
        paid_on: None,
        note: None,
    };
    let key = IdempotentWrite::without_key();
    finance::settle_title(world.app(), &caller, AuditedOperation::SettleTitle, paid, key).await.unwrap();
    check_books(&world, "paid").await;
    let undone = undo(&world, &me, &done).await;
    assert_eq!((undone.counts.removed, undone.counts.kept), (3, 1));
    check_books(&world, "undone").await;
    let kept = import::list_kept_rows(world.app(), &me, done.code, (0, 10)).await.unwrap();
    assert_eq!((kept[0].line, kept[0].because.as_str()), (3, "já tem liquidações"));
    assert_eq!(balance(&world, RECEIVABLE).await, 9_000, "what is still open of the title that was kept");
    assert_eq!(balance(&world, OPENING).await, -10_000);
    assert_eq!(count(&world, "SELECT COUNT(*) AS n FROM titles WHERE situation = 4").await, 3);
    let anew = import_file(&world, &me, ImportKind::Titles, &titles()).await;
    assert_eq!(counts(&anew), [3, 0, 1, 0], "what was taken back may come again");
    check_books(&world, "imported again").await;
}

#[both_engines]
async fn a_bad_line_is_told_by_its_column_and_books_nothing(world: World) {
    let me = by(&world.administrator);
    members(&world).await;
    let rows: &[(&str, &str, &str)] = &[
        ("Código da pessoa", "999", "Não há"),
        ("CPF", "529.982.247-24", ""),
        ("Tipo", "Carnê", "não é um tipo de título em uso"),
        ("Tipo", "8", "rateio"),
        ("Valor", "0", "0.01"),
        ("Vencimento", "31/02/2026", ""),
        ("Vencimento", "10/12/2046", "dez anos"),
        ("Vencimento", "01/01/2026", "antes da data de emissão"),
        ("Emissão", "01/02/2027", "depois de hoje"),
        ("Emissão", "01/02/1999", "2000"),
        ("Parcela", "13/12", "total de parcelas"),
        ("Placa", "ZZZ9Z99", "não tem um benefício"),
        ("Sequencial", "999", "não tem um benefício"),
        ("Valor pago", "150,00", "já está pago"),
        ("Pago em", "01/12/2026", "depois de hoje"),
    ];
    let columns = [
        "CPF",
        "Código da pessoa",
        "Tipo",
        "Valor",
        "Vencimento",
        "Emissão",
        "Parcela",
        "Placa",
        "Sequencial",
        "Valor pago",
        "Pago em",
    ];
    let valid = [
        cpf(1),
        String::new(),
        "Mensalidade".into(),
        "150,00".into(),
        "10/11/2026".into(),
        "01/10/2026".into(),
        "1/12".into(),
        "AAA1A11".into(),
        "901".into(),
        "10,00".into(),
        "05/10/2026".into(),
    ];
    let mut text = columns.join(";");
    for (column, cell, _) in rows {
        let at = columns.iter().position(|one| one == column).unwrap();
        let mut line = valid.clone();
        line[at] = (*cell).to_owned();
        if *column == "Código da pessoa" {
            line[0] = String::new();
        }
        text = format!("{text}\n{}", line.join(";"));
    }
    let nobody = format!("\n;;Mensalidade;1,00;10/11/2026;;;;;;\n{}", valid.join(";"));
    text.push_str(&nobody);
    let checked = check(&world, &me, ImportKind::Titles, &text).await;
    let tried = problems(&world, &me, &checked).await;
    let done = start(&world, &me, &checked).await;
    let found = problems(&world, &me, &done).await;
    let bad = i64::try_from(rows.len()).unwrap() + 1;
    assert_eq!(counts(&done), [1, 0, 0, bad], "{found:?}");
    assert_eq!(counts(&checked), counts(&done), "the dry run equals the run");
    for (line, (column, _, sentence)) in (2..).zip(rows) {
        let is_told = |all: &[(i32, String, String)]| {
            all.iter().any(|one| one.0 == line && one.1 == *column && one.2.contains(sentence))
        };
        assert!(is_told(&found) || column == &"Código da pessoa", "{line} {column} {sentence}: {found:?}");
        assert!(is_told(&tried) || column == &"Código da pessoa", "{line} {column} {sentence}: {tried:?}");
    }
    check_books(&world, "bad lines").await;
    assert_eq!(balance(&world, RECEIVABLE).await, 14_000, "only the good line is booked");
}

fn balances() -> String {
    format!(
        "CPF;Conta;Saldo;Data\n{};;R$ 35,10;31/10/2026\n{};;12,00;\n;Caixa;500,00;31/10/2026\n\
         ;Conta bancária;-80,00;31/10/2026\n{};;-5,00;\n{};Caixa;5,00;\n;;5,00;\n;Cofre;5,00;\n",
        cpf(1),
        cpf(2),
        cpf(3),
        cpf(3)
    )
}

#[both_engines]
async fn credits_and_accounts_begin_with_their_balance_and_go_again(world: World) {
    let me = by(&world.administrator);
    members(&world).await;
    let checked = check(&world, &me, ImportKind::OpeningBalances, &balances()).await;
    let done = start(&world, &me, &checked).await;
    let found = problems(&world, &me, &done).await;
    assert_eq!(counts(&done), [4, 0, 0, 4], "{found:?}");
    assert_eq!(counts(&checked), counts(&done));
    let told: Vec<(i32, &str)> = found.iter().map(|one| (one.0, one.1.as_str())).collect();
    assert_eq!(told, [(6, "Saldo"), (7, "Conta"), (8, ""), (9, "Conta")], "{found:?}");
    check_books(&world, "balances").await;
    assert_eq!(balance(&world, MEMBER_CREDIT).await, -4_710);
    assert_eq!(balance(&world, CASH).await, 42_000);
    assert_eq!(balance(&world, OPENING).await, 4_710 - 42_000);
    let caller = enter(&world).await;
    let person = "SELECT code AS n FROM people WHERE tenant = 1 AND name = 'Ana'";
    let ana = domain::PersonCode::new(i32::try_from(count(&world, person).await).unwrap());
    assert_eq!(finance::read_member_balance(world.app(), &caller, ana).await.unwrap().credit, 3_510);

    let again = import_file(&world, &me, ImportKind::OpeningBalances, &balances()).await;
    assert_eq!(counts(&again), [0, 0, 4, 4], "each once");
    let other = format!("CPF;Saldo\n{};35,11\n", cpf(1));
    let other = import_file(&world, &me, ImportKind::OpeningBalances, &other).await;
    assert_eq!(counts(&other), [0, 0, 0, 1], "a person has one opening balance");
    let undone = undo(&world, &me, &done).await;
    assert_eq!((undone.counts.removed, undone.counts.kept), (4, 0));
    check_books(&world, "undone").await;
    for kind in [MEMBER_CREDIT, CASH, OPENING] {
        assert_eq!(balance(&world, kind).await, 0);
    }
    let anew = import_file(&world, &me, ImportKind::OpeningBalances, &balances()).await;
    assert_eq!(counts(&anew), [4, 0, 0, 4]);
}

#[both_engines]
async fn who_may_not_settle_imports_no_money_and_others_only_in_their_branches(world: World) {
    members(&world).await;
    let operator = by(&world.operator);
    for kind in [ImportKind::Titles, ImportKind::OpeningBalances] {
        let refused = receive(&world, &operator, kind, &titles()).await;
        assert!(matches!(refused, Err(app::Error::Forbidden)));
    }
    let operator = ImportCaller { money_rights: MoneyRights::SEE_AND_SETTLE, ..operator };
    let done = import_file(&world, &operator, ImportKind::Titles, &titles()).await;
    let found = problems(&world, &operator, &done).await;
    assert_eq!(counts(&done), [1, 0, 0, 3], "{found:?}");
    let done = import_file(&world, &operator, ImportKind::OpeningBalances, &balances()).await;
    let found = problems(&world, &operator, &done).await;
    assert_eq!(counts(&done), [1, 0, 0, 7], "{found:?}");
    check_books(&world, "a limited caller").await;
    let stranger = ImportCaller { money_rights: MoneyRights::SEE_AND_SETTLE, ..by(&world.stranger) };
    let there = import_file(&world, &stranger, ImportKind::Titles, &titles()).await;
    assert_eq!(counts(&there), [0, 0, 0, 4], "nobody here is known there");
    assert!(import::load_import(world.app(), &stranger, done.code).await.is_err());
}

/// A process that dies in the middle leaves whole transactions; the next one goes on.
#[both_engines]
async fn an_import_of_titles_goes_on_where_another_process_left_it(world: World) {
    let me = by(&world.administrator);
    members(&world).await;
    let mut text = "CPF;Tipo;Valor;Vencimento;Código;Valor pago".to_owned();
    for number in 1..=300 {
        text = format!("{text}\n{};Mensalidade;{number},00;10/12/2026;T-{number};0,50", cpf(1 + number % 3));
    }
    let received = receive(&world, &me, ImportKind::Titles, &text).await.unwrap();
    lose_process_of(&world, &me, &received).await;
    let done = run(&world, &me, &received).await;
    assert_eq!((done.state, counts(&done)), (ImportState::Done, [300, 0, 0, 0]));
    check_books(&world, "after a death").await;
    assert_eq!(count(&world, "SELECT COUNT(*) AS n FROM titles").await, 300);
    assert_eq!(balance(&world, RECEIVABLE).await, 100 * 300 * 301 / 2 - 300 * 50);
}
