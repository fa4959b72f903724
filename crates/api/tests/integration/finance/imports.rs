//! Money that comes in a sheet and leaves in one, through HTTP.

use crate::calls::{Calls, cpf};
use crate::finance::scene::{FAR_MEMBER, MEMBER, TITLES, members, scene};
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
