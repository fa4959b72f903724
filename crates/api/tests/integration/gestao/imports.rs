//! `/gestao/importacao`: a file from its upload to its undoing, who may, and what is refused.

use crate::calls::Calls;
use serde_json::{Value, json};
use testkit::{Reply, Server, Setup, World, both_engines};

const IMPORTS: &str = "/gestao/importacao";

async fn upload(calls: &Calls, token: &str, query: &str, body: &str) -> Reply {
    let authorization = format!("Bearer {token}");
    let headers = [("Authorization", authorization.as_str()), ("Content-Type", "text/csv")];
    calls.server().call("POST", &format!("{IMPORTS}?{query}"), &headers, body).await
}

async fn step(calls: &Calls, token: &str, code: i64, verb: &str, body: &str) -> Reply {
    let authorization = format!("Bearer {token}");
    let headers = [("Authorization", authorization.as_str()), ("Content-Type", "application/json")];
    calls.server().call("POST", &format!("{IMPORTS}/{code}/{verb}"), &headers, body).await
}

async fn work(calls: &Calls) {
    while exchange::import::run_due_imports(calls.world.app()).await.unwrap() {}
}

#[both_engines]
async fn a_file_is_uploaded_mapped_checked_imported_and_undone(world: World) {
    let calls = Calls::on(world).await;
    let by = calls.administrator.clone();
    let file = "Doc;Nome;Loja\n52998224725;Ana Souza;1\n111;Bia;1\n11144477735;Cida;9\n";
    let received = upload(&calls, &by, "tipo=associados&arquivo=base.csv", file).await.json();
    let code = received["codImportacao"].as_i64().unwrap();
    assert_eq!(
        (&received["estado"], &received["linhas"], &received["arquivo"]),
        (&json!("lida"), &json!(3), &json!("base.csv"))
    );
    assert_eq!(received["colunas"][0], json!({"coluna": "Doc", "campo": null}));
    assert!(received["camposPossiveis"].to_string().contains("cpfCnpj"));
    let refused = step(&calls, &by, code, "iniciar", "").await;
    assert!(refused.refuses(400).contains("CPF ou CNPJ"), "{refused:?}");
    let put = json!({"colunas": [{"coluna": "Doc", "campo": "cpfCnpj"}]});
    let mapped = calls.put(&by, &format!("{IMPORTS}/{code}/colunas"), &put).await.json();
    assert_eq!(mapped["colunas"][0]["campo"], "cpfCnpj");
    assert_eq!(step(&calls, &by, code, "conferir", "").await.json()["estado"], "conferindo");
    work(&calls).await;
    let checked = calls.read(&by, &format!("{IMPORTS}/{code}"), &[]).await;
    assert_eq!(
        (&checked["estado"], &checked["criados"], &checked["recusados"]),
        (&json!("conferida"), &json!(1), &json!(2))
    );
    let errors = calls.read(&by, &format!("{IMPORTS}/{code}/erros"), &[]).await;
    let at = |number: usize| (errors[number]["linha"].clone(), errors[number]["coluna"].clone());
    assert_eq!((at(0), at(1)), ((json!(3), json!("Doc")), (json!(4), json!("Loja"))), "{errors}");
    step(&calls, &by, code, "iniciar", r#"{"dispararGatilhos": false}"#).await;
    work(&calls).await;
    let done = calls.read(&by, &format!("{IMPORTS}/{code}"), &[]).await;
    assert_eq!(
        (&done["estado"], &done["criados"], &done["podeDesfazer"]),
        (&json!("concluida"), &json!(1), &json!(true))
    );
    let authorization = format!("Bearer {by}");
    let headers = [("Authorization", authorization.as_str())];
    let file = calls.server().call("GET", &format!("{IMPORTS}/{code}/arquivoErros"), &headers, "").await;
    assert_eq!(file.header("content-type"), Some("text/csv; charset=utf-8"));
    assert!(file.header("content-disposition").unwrap().starts_with("attachment"), "{file:?}");
    assert!(file.body.contains("111;Bia;1;") && file.body.contains("Motivo da recusa"), "{file:?}");
    let list = calls.read(&by, IMPORTS, &[]).await;
    assert_eq!((&list["quantidade"], &list["itens"][0]["codImportacao"]), (&json!(1), &json!(code)));
    assert_eq!(step(&calls, &by, code, "desfazer", "").await.json()["estado"], "desfazendo");
    work(&calls).await;
    let undone = calls.read(&by, &format!("{IMPORTS}/{code}"), &[]).await;
    assert_eq!(
        (&undone["estado"], &undone["removidos"], &undone["mantidos"]),
        (&json!("desfeita"), &json!(1), &json!(0))
    );
    assert_eq!(calls.read(&by, &format!("{IMPORTS}/{code}/mantidos"), &[]).await, Value::Array(Vec::new()));
    assert!(step(&calls, &by, code, "pausar", "").await.refuses(409).contains("em andamento"));
}

#[both_engines]
async fn who_may_not_is_refused_and_what_is_no_sheet_too(world: World) {
    let calls = Calls::on(world).await;
    let (operator, integration) = (
        calls.server().token(&calls.world.operator.email).await,
        calls.server().token(&calls.world.integration.email).await,
    );
    let file = "CPF;Nome\n52998224725;Ana\n";
    upload(&calls, &integration, "tipo=associados", file).await.refuses(403);
    upload(&calls, &operator, "tipo=planos", "Nome\nX\n").await.refuses(403);
    assert!(
        upload(&calls, &operator, "tipo=coisas", file).await.refuses(400).contains("associados, veiculos")
    );
    assert!(upload(&calls, &operator, "", file).await.refuses(400).contains("tipo"));
    assert!(upload(&calls, &operator, "tipo=associados", "").await.refuses(400).contains("vazio"));
    assert!(upload(&calls, &operator, "tipo=associados", "<html></html>").await.refuses(400).contains("CSV"));
    let own =
        upload(&calls, &operator, "tipo=associados", file).await.json()["codImportacao"].as_i64().unwrap();
    let theirs = upload(&calls, &calls.administrator, "tipo=associados", file).await.json()["codImportacao"]
        .as_i64()
        .unwrap();
    let authorization = format!("Bearer {operator}");
    let headers = [("Authorization", authorization.as_str())];
    let get = |path: String| {
        let calls = &calls;
        async move { calls.server().call("GET", &path, &headers, "").await }
    };
    assert_eq!(get(format!("{IMPORTS}/{own}")).await.status, 200);
    get(format!("{IMPORTS}/{theirs}")).await.refuses(404);
    get(format!("{IMPORTS}/{theirs}/arquivoErros")).await.refuses(404);
    step(&calls, &operator, theirs, "iniciar", "").await.refuses(404);
}

#[both_engines]
async fn a_file_has_a_limit_of_its_own(world: World) {
    let mut app = world.app().clone();
    app.import_mib = 2;
    let server = Server::start_as(app, Setup::default()).await;
    let token = server.token(&world.administrator.email).await;
    let authorization = format!("Bearer {token}");
    let headers = [("Authorization", authorization.as_str())];
    let line = format!("52998224725;{}\n", "x".repeat(150));
    let large = format!("CPF;Nome\n{}", line.repeat(9000));
    assert!((1024 * 1024..2 * 1024 * 1024).contains(&large.len()), "more than any other body may have");
    let taken = server.call("POST", "/gestao/importacao?tipo=associados", &headers, &large).await;
    assert_eq!(taken.json()["linhas"], 9000);
    let larger = server.call("POST", "/gestao/importacao?tipo=associados", &headers, &large.repeat(2)).await;
    assert!(larger.refuses(413).contains("2 MB"), "{larger:?}");
    server.stop().await;
}

#[both_engines]
async fn problems_come_by_whole_lines(world: World) {
    let calls = Calls::on(world).await;
    let by = calls.administrator.clone();
    let file = format!("CPF;Nome;Loja\n111;Ana;1\n{}", "111;Ana;Loja que não há\n".repeat(600));
    let code = upload(&calls, &by, "tipo=associados", &file).await.json()["codImportacao"].as_i64().unwrap();
    step(&calls, &by, code, "conferir", "").await;
    work(&calls).await;
    let (mut after, mut pages) = (0, Vec::new());
    loop {
        let asked = after.to_string();
        let page = calls.read(&by, &format!("{IMPORTS}/{code}/erros"), &[("depoisDaLinha", &asked)]).await;
        let Some(last) = page.as_array().unwrap().last() else { break };
        after = last["linha"].as_i64().unwrap();
        pages.push(page.as_array().unwrap().len());
    }
    assert_eq!(pages, [999, 202], "two of each line but the first");
}
