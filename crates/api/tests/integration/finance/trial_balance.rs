//! `GET /gestao/financeiro/balancete` and `GET /gestao/financeiro/razao`: what the books say of a month, whichever months are
//! closed, and who may read them.

use crate::calls::{Calls, array, items, told_about};
use crate::finance::scene::{EXPENSE, MANAGED, MEMBER, REOPEN, late_title, members};
use serde_json::{Value, json};
use testkit::{World, books, both_engines};

const BALANCES: &str = "/gestao/financeiro/balancete";
const LINES: &str = "/gestao/financeiro/razao";

const SUMS: [&str; 6] =
    ["saldoAnteriorDevedor", "saldoAnteriorCredor", "debitos", "creditos", "saldoDevedor", "saldoCredor"];

fn cents(value: &Value) -> i64 {
    (value.as_f64().unwrap() * 100.0).round() as i64
}

/// The balances of a month as the administrator reads them, and that they balance.
async fn balances(calls: &Calls, month: &str) -> Value {
    let read = calls.read(&calls.administrator, BALANCES, &[("mes", month)]).await;
    let accounts = array(&read["contas"]);
    let sum = |name: &str| accounts.iter().map(|one| cents(&one[name])).sum::<i64>();
    let [debit_before, credit_before, debits, credits, debit_after, credit_after] = SUMS.map(sum);
    assert_eq!((debit_before, debits, debit_after), (credit_before, credits, credit_after), "{read}");
    assert_eq!((cents(&read["debitos"]), cents(&read["creditos"])), (debits, credits), "{read}");
    for one in &accounts {
        let [debit_before, credit_before, debits, credits, debit_after, credit_after] =
            SUMS.map(|name| cents(&one[name]));
        let (before, after) = (debit_before - credit_before, debit_after - credit_after);
        assert_eq!(before + debits - credits, after, "{one}");
        assert!(debit_before.min(credit_before) == 0 && debit_after.min(credit_after) == 0, "{one}");
    }
    read
}

fn find<'b>(books: &'b Value, account: &str) -> Vec<&'b Value> {
    books["contas"].as_array().unwrap().iter().filter(|one| one["conta"] == account).collect()
}

/// October: a title is issued. November: it is overpaid with a fine, and an expense and a title of nobody's are issued.
async fn two_months(world: World) -> Calls {
    let calls = members(world).await;
    let late = calls.saved(&calls.operator, "/ext/financeiro/titulo", &late_title()).await;
    calls.settle(&late, 110.0).await;
    calls.issue_managed(json!({"codTipoTitulo": EXPENSE, "valor": 70})).await;
    let other = &calls.issue_managed(json!({"valor": 33.33})).await[0];
    let reason = json!({"motivo": "cobrado em dobro"});
    assert_eq!(calls.put_managed(other, "/cancelar", reason).await.status, 200);
    calls
}

#[both_engines]
async fn a_month_begins_with_what_the_one_before_ended_with(world: World) {
    let calls = two_months(world).await;
    let october = balances(&calls, "10/2026").await;
    assert_eq!((&october["mes"], &october["fechado"]), (&json!("10/2026"), &json!(false)));
    let [receivable] = find(&october, "A_RECEBER")[..] else { panic!("{october}") };
    assert_eq!(SUMS.map(|name| cents(&receivable[name])), [0, 0, 10_120, 0, 10_120, 0], "{receivable}");
    assert_eq!(receivable["codReferencia"], 3, "{receivable}");
    let november = balances(&calls, "11/2026").await;
    let [receivable] = find(&november, "A_RECEBER")[..] else { panic!("{november}") };
    assert_eq!(SUMS.map(|name| cents(&receivable[name])), [10_120, 0, 3_333, 13_453, 0, 0], "{receivable}");
    let [cash] = find(&november, "CAIXA_E_BANCOS")[..] else { panic!("{november}") };
    assert_eq!((cents(&cash["debitos"]), &cash["codReferencia"]), (11_000, &json!(1)), "{cash}");
    // 2.02 and 0.57 of 101.20, and the rest is the member's.
    let late: Vec<i64> = find(&november, "ATRASO").iter().map(|one| cents(&one["creditos"])).collect();
    assert_eq!(late, [202, 57], "{november}");
    let [credit] = find(&november, "CREDITO")[..] else { panic!("{november}") };
    assert_eq!((cents(&credit["saldoCredor"]), &credit["codReferencia"]), (621, &Value::Null), "{credit}");
    let [payable] = find(&november, "A_PAGAR")[..] else { panic!("{november}") };
    assert_eq!(cents(&payable["saldoCredor"]), 7_000, "{payable}");
    for one in array(&november["contas"]) {
        assert!(!one["nome"].as_str().unwrap().is_empty() && one["nomeGrupo"] != "", "{one}");
    }
    // Before anything was booked, and after all of it.
    assert_eq!(balances(&calls, "09/2026").await["contas"], json!([]));
    let december = balances(&calls, "12/2026").await;
    assert_eq!((&december["debitos"], find(&december, "A_PAGAR").len()), (&json!(0), 1));
    assert_eq!(calls.read(&calls.administrator, BALANCES, &[]).await, november);
}

#[both_engines]
async fn closing_and_reopening_months_changes_no_balance(world: World) {
    let mut calls = two_months(world).await;
    let months = ["08/2026", "09/2026", "10/2026", "11/2026", "12/2026"];
    let read = async |calls: &Calls| {
        let mut all = Vec::new();
        for month in months {
            all.push(balances(calls, month).await["contas"].clone());
        }
        all
    };
    let open = read(&calls).await;
    calls.close("09/2026").await;
    assert_eq!(read(&calls).await, open);
    calls.close("10/2026").await;
    assert_eq!(read(&calls).await, open);
    assert_eq!(balances(&calls, "10/2026").await["fechado"], true);
    // Of two closings of October, the first held less.
    calls.saved(&calls.administrator, REOPEN, &json!({"motivo": "faltou um título"})).await;
    calls.saved(&calls.operator, "/ext/financeiro/titulo", &late_title()).await;
    let more = read(&calls).await;
    assert_ne!(more, open);
    calls.close("10/2026").await;
    assert_eq!(read(&calls).await, more);
    calls.pass_days(30).await;
    calls.close("11/2026").await;
    assert_eq!(read(&calls).await, more);
    for _ in 0..3 {
        calls.saved(&calls.administrator, REOPEN, &json!({"motivo": "ensaio"})).await;
        assert_eq!(read(&calls).await, more);
    }
    books::check(calls.world.db(), calls.world.here, "reopened").await;
}

#[both_engines]
async fn the_lines_of_an_account_add_up_to_its_balance(world: World) {
    let calls = two_months(world).await;
    let by = &calls.administrator;
    for month in ["10/2026", "11/2026"] {
        for account in array(&balances(&calls, month).await["contas"]) {
            let text =
                |name: &str| account[name].as_str().map_or_else(|| account[name].to_string(), str::to_owned);
            let (group, name, reference) = (text("codGrupo"), text("conta"), text("codReferencia"));
            let mut query = vec![("mes", month), ("codGrupo", &group), ("conta", &name)];
            if reference != "null" {
                query.push(("codReferencia", &reference));
            }
            let page = calls.read(by, LINES, &query).await;
            let lines = items(&page);
            assert_eq!(page["quantidade"], json!(lines.len()), "{page}");
            for side in [("debito", "debitos"), ("credito", "creditos")] {
                let sum: i64 = lines.iter().map(|line| cents(&line[side.0])).sum();
                assert_eq!(sum, cents(&account[side.1]), "{account} {page}");
            }
        }
    }
    let receivable = [("mes", "11/2026"), ("codGrupo", "1"), ("conta", "A_RECEBER"), ("codReferencia", "3")];
    let lines = items(&calls.read(by, LINES, &receivable).await);
    let origins: Vec<&Value> = lines.iter().map(|line| &line["origem"]).collect();
    assert_eq!(origins, ["LIQUIDACAO", "EMISSAO", "CANCELAMENTO"]);
    assert_eq!(
        (&lines[0]["data"], &lines[0]["codTitulo"]),
        (&json!("14/11/2026"), &json!(1)),
        "{}",
        lines[0]
    );
    assert!(lines[0]["codLiquidacao"].is_number() && lines[1]["codLiquidacao"].is_null());
    let nothing = [("codGrupo", "77"), ("conta", "DESPESA")];
    assert_eq!(calls.read(by, LINES, &nothing).await["quantidade"], 0);
}

#[both_engines]
async fn a_long_account_comes_in_pages(world: World) {
    let calls = members(world).await;
    for _ in 0..2 {
        let body = json!({"codPessoa": MEMBER, "codTipoTitulo": 1, "valor": 600, "parcelas": 60});
        calls.saved(&calls.operator, MANAGED, &body).await;
    }
    let account = [("codGrupo", "1"), ("conta", "A_RECEBER"), ("codReferencia", "3")];
    let first = calls.read(&calls.administrator, LINES, &account).await;
    assert_eq!((&first["quantidade"], &first["proximaPagina"]), (&json!(120), &json!(true)));
    let mut second = account.to_vec();
    second.push(("pagina", "2"));
    let second = calls.read(&calls.administrator, LINES, &second).await;
    let numbers: Vec<i64> = [items(&first), items(&second)]
        .concat()
        .iter()
        .map(|line| line["numero"].as_i64().unwrap())
        .collect();
    assert_eq!((numbers.len(), numbers.is_sorted_by(|one, next| one < next)), (120, true));
}

#[both_engines]
async fn the_books_are_for_those_who_see_every_branch(world: World) {
    let calls = two_months(world).await;
    let account = [("codGrupo", "1"), ("conta", "A_RECEBER"), ("codReferencia", "3")];
    calls.get(&calls.operator, BALANCES, &[]).await.refuses(403);
    calls.get(&calls.operator, LINES, &account).await.refuses(403);
    // Somebody who sees them one by one, and one who must not see money.
    let path = format!("/gestao/usuario/{}", calls.world.operator.code);
    for (version, rights, status) in [(1, json!(["VER"]), 200), (2, json!([]), 403)] {
        let body = json!({"versao": version, "lojas": [1, 2, 3], "permissoesFinanceiras": rights});
        let changed = calls.put(&calls.administrator, &path, &body).await;
        assert_eq!(changed.status, 200, "{changed:?}");
        let operator = calls.server().token(&calls.world.operator.email).await;
        assert_eq!(calls.get(&operator, BALANCES, &[]).await.status, status);
        assert_eq!(calls.get(&operator, LINES, &account).await.status, status);
    }
    // There nothing was booked.
    let there = calls.server().token("admin@ali.example").await;
    assert_eq!(calls.read(&there, BALANCES, &[]).await["contas"], json!([]));
    assert_eq!(calls.read(&there, LINES, &account).await["quantidade"], 0);
    for month in ["13/2026", "0001-01", "novembro"] {
        let refused = calls.get(&calls.administrator, BALANCES, &[("mes", month)]).await;
        assert!(told_about(&refused.body, "mes"), "{refused:?}");
    }
    for (bad, field) in [
        ([("conta", "A_RECEBER"), ("pagina", "1")], "codGrupo"),
        ([("codGrupo", "1"), ("pagina", "1")], "conta"),
        ([("codGrupo", "1"), ("conta", "GAVETA")], "conta"),
    ] {
        let refused = calls.get(&calls.administrator, LINES, &bad).await;
        assert!(told_about(refused.refuses(400), field), "{bad:?}: {refused:?}");
    }
    for (name, value) in [("codReferencia", "-1"), ("pagina", "0"), ("mes", "11")] {
        let bad = [("codGrupo", "1"), ("conta", "A_RECEBER"), (name, value)];
        let refused = calls.get(&calls.administrator, LINES, &bad).await;
        assert!(told_about(refused.refuses(400), name), "{bad:?}: {refused:?}");
    }
}
