//! Money that comes in a sheet and leaves in one, through HTTP.

use crate::calls::{Calls, cpf};
use crate::finance::charging_scene::run_of;
use crate::finance::scene::{FAR_MEMBER, MEMBER, TITLES, charged_members, managed, members, parts, scene};
use serde_json::{Value, json};
use testkit::{Reply, World, books, both_engines};

const IMPORTS: &str = "/gestao/importacao";
const EXPORT: &str = "/gestao/exportacao/titulo";

async fn upload(calls: &Calls, token: &str, kind: &str, body: &str) -> Reply {
    let authorization = format!("Bearer {token}");
    let headers = [("Authorization", authorization.as_str()), ("Content-Type", "text/csv")];
    calls.server().call("POST", &format!("{IMPORTS}?tipo={kind}&arquivo=a.csv"), &headers, body).await
}

async fn step(calls: &Calls, token: &str, code: &Value, verb: &str) -> Value {
    let authorization = format!("Bearer {token}");
    let headers = [("Authorization", authorization.as_str()), ("Content-Type", "application/json")];
    let begun = calls.server().call("POST", &format!("{IMPORTS}/{code}/{verb}"), &headers, "").await;
    assert_eq!(begun.status, 200, "{begun:?}");
    while exchange::import::run_due_imports(calls.world.app()).await.unwrap() {}
    calls.read(token, &format!("{IMPORTS}/{code}"), &[]).await
}

/// Imports titles as the operator, and returns the code of the import.
pub async fn import_titles(calls: &Calls, sheet: &str) -> Value {
    import_titles_as(calls, &calls.operator, sheet).await
}

pub async fn import_titles_as(calls: &Calls, token: &str, sheet: &str) -> Value {
    let code = upload(calls, token, "titulos", sheet).await.json()["codImportacao"].clone();
    let done = step(calls, token, &code, "iniciar").await;
    assert_eq!(done["recusados"], 0, "{done}");
    code
}

pub async fn undo_import(calls: &Calls, import: &Value) {
    let undone = step(calls, &calls.operator, import, "desfazer").await;
    assert_eq!(undone["mantidos"], 0, "{undone}");
}

async fn check(calls: &Calls, at: &str) {
    books::check(calls.world.db(), calls.world.here, at).await;
    books::check(calls.world.db(), calls.world.there, at).await;
}

#[both_engines]
async fn titles_of_another_system_come_late_are_paid_and_stay(world: World) {
    let calls = members(world).await;
    let by = calls.operator.clone();
    calls.close("10/2026").await;
    let sheet = format!(
        "CPF;Tipo;Valor;Vencimento;Emissão;Valor pago;Pago em;Código\n{};1;101,20;28/10/2026;01/10/2026;;;A\n\
         {};1;90,00;10/12/2026;;30,00;05/11/2026;B\n{};1;70,00;10/12/2026;;;;C\n",
        cpf(1),
        cpf(2),
        cpf(3)
    );
    let received = upload(&calls, &by, "titulos", &sheet).await.json();
    assert_eq!(received["colunas"][7], json!({"coluna": "Código", "campo": "codigoExterno"}));
    let code = received["codImportacao"].clone();
    let checked = step(&calls, &by, &code, "conferir").await;
    assert_eq!([&checked["criados"], &checked["recusados"]], [2, 1], "the third is of another branch");
    let done = step(&calls, &by, &code, "iniciar").await;
    assert_eq!([&done["criados"], &done["recusados"]], [2, 1]);
    check(&calls, "imported").await;
    let found = calls.titles(&[("codPessoa", &MEMBER.to_string())]).await;
    let [title] = &found[..] else { panic!("{found:?}") };
    assert_eq!([&title["dataEmissao"], &title["valor"]], [&json!("01/10/2026"), &json!(101.2)]);
    let late = calls.managed(title).await;
    assert_eq!(
        [&late["multaDevida"], &late["jurosDevidos"]],
        [&json!(2.02), &json!(0.57)],
        "as if issued here: {late}"
    );
    let booked = booked_entries(&calls).await;
    assert_eq!(booked, ["2026-11-01"], "the closed month stays as it is");
    assert_eq!(calls.settle(title, 103.79).await["situacao"], "LIQUIDADO");
    check(&calls, "paid").await;
    let undone = step(&calls, &by, &code, "desfazer").await;
    assert_eq!([&undone["removidos"], &undone["mantidos"]], [1, 1], "{undone}");
    check(&calls, "undone").await;
    let far_person = FAR_MEMBER.to_string();
    let far = [("tipo", "Crédito"), ("codPessoa", far_person.as_str())];
    let found = calls.read(&calls.administrator, TITLES, &far).await;
    assert_eq!(found["quantidade"], 0, "{found}");
}

#[both_engines]
async fn a_credit_of_another_system_is_the_members_and_can_be_taken_back(world: World) {
    let calls = members(world).await;
    let by = calls.administrator.clone();
    let sheet = format!("CPF;Conta;Saldo\n{};;35,10\n{};;7,00\n;Caixa;100,00\n", cpf(1), cpf(3));
    let code = upload(&calls, &by, "saldos", &sheet).await.json()["codImportacao"].clone();
    let done = step(&calls, &by, &code, "iniciar").await;
    assert_eq!(done["criados"], 3);
    check(&calls, "balances").await;
    assert_eq!(calls.balance(MEMBER).await["credito"], json!(35.1));
    step(&calls, &by, &code, "desfazer").await;
    check(&calls, "undone").await;
    assert_eq!(calls.balance(MEMBER).await["credito"], json!(0));
}

/// What came in this month, as the overview of money tells the administrator.
async fn received_this_month(calls: &Calls) -> i64 {
    let app = calls.world.app();
    let session = app::session::load_session(app, &calls.administrator).await.unwrap();
    finance::read_money_overview(app, &session, None).await.unwrap().received.this_month
}

#[both_engines]
async fn what_was_paid_in_another_system_was_not_received_by_this_one(world: World) {
    let calls = members(world).await;
    let by = calls.operator.clone();
    let sheet = format!(
        "CPF;Tipo;Valor;Vencimento;Valor pago;Pago em\n{};1;90,00;10/12/2026;30,00;05/11/2026\n",
        cpf(1)
    );
    let code = upload(&calls, &by, "titulos", &sheet).await.json()["codImportacao"].clone();
    assert_eq!(step(&calls, &by, &code, "iniciar").await["criados"], 1);
    let title = calls.titles(&[("codPessoa", &MEMBER.to_string())]).await.remove(0);
    let imported = calls.managed(&title).await;
    let fields = ["total", "nomeTipoLiquidacao", "codTipoLiquidacao", "codCaixa", "codConta"];
    let wanted = [json!(30), json!("Pago no sistema antigo"), json!(null), json!(null), json!(null)];
    assert_eq!(parts(&imported["liquidacoes"][0], fields), wanted);
    assert_eq!(received_this_month(&calls).await, 0);
    calls.settle(&title, 60.0).await;
    assert_eq!(received_this_month(&calls).await, 6_000);
    check(&calls, "the rest was paid here").await;
}

/// A line names the row of the price table that it charges.
#[both_engines]
async fn imported_prices_that_were_charged_stay(world: World) {
    let calls = charged_members(world).await;
    let by = calls.administrator.clone();
    let mut imports = Vec::new();
    for plan in [1, 6] {
        let sheet = format!("Plano;Vale desde;Preço\n{plan};01/11/2026;140,75\n");
        let code = upload(&calls, &by, "precos", &sheet).await.json()["codImportacao"].clone();
        assert_eq!(step(&calls, &by, &code, "iniciar").await["criados"], 1);
        imports.push(code);
    }
    let run = calls.prepare(run_of("2026-12")).await.run.code;
    let undone = step(&calls, &by, &imports[0], "desfazer").await;
    assert_eq!([&undone["removidos"], &undone["mantidos"]], [0, 1], "a charge is prepared: {undone}");
    calls.approve(run).await;
    calls.work().await;
    let undone = step(&calls, &by, &imports[1], "desfazer").await;
    assert_eq!([&undone["removidos"], &undone["mantidos"]], [0, 1], "it is charged: {undone}");
    let charged = "SELECT COUNT(*) AS n FROM title_lines l JOIN plan_prices p ON p.tenant = l.tenant
         AND p.code = l.plan_price WHERE l.tenant = $1 AND p.plan = 6";
    assert_eq!(calls.numbers(charged).await, [1]);
}

#[both_engines]
async fn an_opening_credit_that_was_used_up_opens_no_other_branch(world: World) {
    let calls = members(world).await;
    let by = calls.administrator.clone();
    let sheet = format!("CPF;Conta;Saldo\n{};;50,00\n", cpf(1));
    let code = upload(&calls, &by, "saldos", &sheet).await.json()["codImportacao"].clone();
    assert_eq!(step(&calls, &by, &code, "iniciar").await["criados"], 1);
    let first = calls.issue(json!({"valor": 50})).await;
    let paid = calls.saved(&calls.operator, &managed(&first, "/usarCredito"), &json!({})).await;
    assert_eq!(paid["situacao"], "LIQUIDADO");
    let elsewhere =
        json!({"codPessoa": MEMBER, "valor": 40, "codTipoLiquidacao": 1, "codLoja": 1, "codGrupo": 1});
    calls.saved(&by, "/gestao/financeiro/credito", &elsewhere).await;
    let second = calls.issue(json!({"valor": 10})).await;
    assert_eq!(calls.managed(&second).await["creditoDisponivel"], 0);
    assert_eq!(calls.balance(MEMBER).await["credito"], 0);
    let path = managed(&second, "/usarCredito");
    calls.post(&calls.operator, &path, &json!({})).await.refuses(409);
    assert_eq!(calls.saved(&by, &path, &json!({})).await["situacao"], "LIQUIDADO");
    check(&calls, "two branches").await;
}

#[both_engines]
async fn an_opening_credit_that_was_used_stays_though_more_came_since(world: World) {
    let calls = members(world).await;
    let by = calls.administrator.clone();
    let sheet = format!("CPF;Conta;Saldo\n{};;50,00\n", cpf(1));
    let code = upload(&calls, &by, "saldos", &sheet).await.json()["codImportacao"].clone();
    assert_eq!(step(&calls, &by, &code, "iniciar").await["criados"], 1);
    let title = calls.issue(json!({"valor": 30})).await;
    calls.saved(&calls.operator, &managed(&title, "/usarCredito"), &json!({})).await;
    let later = json!({"codPessoa": MEMBER, "valor": 60, "codTipoLiquidacao": 1, "codGrupo": 1});
    calls.saved(&by, "/gestao/financeiro/credito", &later).await;
    let undone = step(&calls, &by, &code, "desfazer").await;
    assert_eq!([&undone["removidos"], &undone["mantidos"]], [0, 1], "{undone}");
    assert_eq!(calls.balance(MEMBER).await["credito"], 80);
    check(&calls, "a balance that was used").await;
}

#[both_engines]
async fn a_price_table_comes_in_a_sheet_and_decides_prices(world: World) {
    let calls = members(world).await;
    let by = calls.administrator.clone();
    let sheet = "Plano;Vigência;Faixa;Preço por mês\nProteção Ouro;01/11/2026;0,00 a 20.000,00;99,90\n\
                 Proteção Ouro;01/11/2026;20.000,00 a 30.000,00;119,90\nProteção Ouro;01/11/2026;;1.089,90\n";
    upload(&calls, &calls.operator, "precos", sheet).await.refuses(403);
    let unknown = upload(&calls, &by, "tabelaPreco", sheet).await;
    assert!(unknown.refuses(400).contains("precos"), "{unknown:?}");
    let received = upload(&calls, &by, "precos", sheet).await.json();
    assert_eq!(received["colunas"][2], json!({"coluna": "Faixa", "campo": "valorDe"}));
    let code = received["codImportacao"].clone();
    let checked = step(&calls, &by, &code, "conferir").await;
    assert_eq!([&checked["criados"], &checked["recusados"]], [2, 1], "{checked}");
    let wrong = calls.read(&by, &format!("{IMPORTS}/{code}/erros"), &[]).await;
    assert_eq!([&wrong[0]["linha"], &wrong[0]["coluna"]], [&json!(3), &json!("Faixa")], "{wrong}");
    let done = step(&calls, &by, &code, "iniciar").await;
    assert_eq!([&done["criados"], &done["recusados"]], [2, 1], "{done}");
    let stored = calls.read(&by, "/gestao/tabelaPreco", &[("codPlano", "1")]).await;
    assert_eq!(stored["quantidade"], 2, "{stored}");
    let overlapping = json!({"codPlano": 1, "validoDesde": "01/11/2026", "valor": 1});
    calls.post(&by, "/gestao/tabelaPreco", &overlapping).await.refuses(409);
    let undone = step(&calls, &by, &code, "desfazer").await;
    assert_eq!([&undone["removidos"], &undone["mantidos"]], [2, 0], "{undone}");
    calls.saved(&by, "/gestao/tabelaPreco", &overlapping).await;
}

/// The days on which facts of 1 October were booked.
async fn booked_entries(calls: &Calls) -> Vec<String> {
    let statement = storage::sql("SELECT booked_on FROM ledger_entries WHERE happened_on = '2026-10-01'");
    let rows = calls.world.db().query(storage::QueryWeight::Search, statement).await.unwrap();
    rows.iter().map(|row| row.get("booked_on").unwrap()).collect()
}

fn lines(reply: &Reply) -> Vec<String> {
    assert_eq!(reply.status, 200, "{reply:?}");
    let text = reply.body.trim_start_matches('\u{feff}');
    text.split("\r\n").filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

#[both_engines]
async fn titles_leave_as_they_are_filtered_and_only_ones_own(world: World) {
    let calls = scene(world).await;
    let late = calls.issue(json!({"dataEmissao": "2026-10-01", "vencimento": "2026-10-28"})).await;
    let paid = calls.issue(json!({"vencimento": "2026-12-10", "valor": 50})).await;
    calls.settle(&paid, 50.0).await;
    let export = async |token: &str, query: &[(&str, &str)]| lines(&calls.get(token, EXPORT, query).await);
    let all =
        export(&calls.administrator, &[("colunas", "codigo,situacao,vencido,loja,valor,liquidado,aberto")])
            .await;
    assert_eq!(all[0], "Código;Situação;Vencido;Loja;Valor;Recebido ou pago;Em aberto");
    assert_eq!(all.len(), 4);
    assert!(
        all.contains(&format!("{};ABERTO;Sim;Filial Norte;101,20;0,00;101,20", late["codTitulo"])),
        "{all:?}"
    );
    assert!(
        all.contains(&format!("{};LIQUIDADO;Não;Filial Norte;50,00;50,00;0,00", paid["codTitulo"])),
        "{all:?}"
    );
    for (filter, found) in [
        (("situacao", "Vencido"), 1),
        (("situacao", "aberto"), 1),
        (("situacao", "Liquidado"), 1),
        (("situacao", "outra"), 0),
        (("situacao", "Aberto,Liquidado"), 2),
        (("diasAtrasoMinimo", "10"), 1),
        (("diasAtrasoMinimo", "30"), 0),
        (("dataPagamentoInicial", "14/11/2026"), 1),
        (("tipo", "Débito"), 0),
        (("tipo", "CREDITO"), 2),
        (("valor", "50"), 1),
        (("dataVencimentoInicial", "01/12/2026"), 1),
        (("dataLiquidacaoInicial", "01/11/2026"), 1),
        (("dataEmissaoFinal", "31/10/2026"), 1),
        (("codLoja", "1"), 0),
        (("placa", "ABC1D23"), 2),
        (("cpfCnpj", "1"), 0),
    ] {
        let rows = export(&calls.operator, &[filter]).await;
        assert_eq!(rows.len() - 1, found, "{filter:?}: {rows:?}");
    }
    calls.get(&calls.operator, EXPORT, &[("dataEmissaoFinal", "ontem")]).await.refuses(400);
}

/// Programs that keep documents as numbers lose their leading zeros.
#[both_engines]
async fn a_filter_by_document_puts_lost_zeros_back(world: World) {
    let calls = scene(world).await;
    let person = json!({"nomePessoa": "Pessoa Zero", "cpfCnpj": "010.000.007-02"});
    let person = calls.saved(&calls.operator, "/ext/associado", &person).await;
    let made = calls.issue_managed(json!({"codPessoa": person["codPessoa"]})).await.remove(0);
    for (document, found) in [
        ("010.000.007-02", 1),
        ("01000000702", 1),
        ("1000000702", 1),
        ("1000000703", 0),
        ("000.000.001-91", 0),
    ] {
        let query = [("colunas", "codigo"), ("cpfCnpj", document)];
        let rows = lines(&calls.get(&calls.operator, EXPORT, &query).await);
        let codes = vec![made["codTitulo"].to_string(); found];
        assert_eq!(rows[1..], codes, "{document}");
        let listed = calls.titles(&[("cpfCnpj", document)]).await;
        assert_eq!(listed.len(), found, "{document}");
    }
}
