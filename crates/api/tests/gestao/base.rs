//! `/gestao/base`: the association itself.

use crate::calls::{Calls, told_about};
use serde_json::{Value, json};
use testkit::{World, both_engines, until};

const BASE: &str = "/gestao/base";

#[both_engines]
async fn the_base_is_read_and_changed_and_both_states_are_told_of_an_old_version(world: World) {
    let calls = Calls::on(world).await;
    let by = &calls.administrator;
    let born = calls.read(by, BASE, &[]).await;
    let code = calls.world.here.get();
    let told = json!({"codClienteSistema": code, "nome": "Associação Aqui", "hosts": [], "fuso": "America/Sao_Paulo",
        "cor": null, "corSecundaria": null, "validacaoAberta": true, "parceirosValidacao": [], "versao": 1});
    assert_eq!(born, told);
    let change = json!({"versao": 1, "nome": "Amparo Mútuo", "hosts": ["App.Aqui.example", "aqui.example", "aqui.example."],
        "fuso": "america/manaus", "cor": "#188038", "corSecundaria": "f9ab00"});
    let changed = calls.put(by, BASE, &change).await.json();
    let told = json!({"codClienteSistema": code, "nome": "Amparo Mútuo", "hosts": ["app.aqui.example", "aqui.example"],
        "fuso": "America/Manaus", "cor": "188038", "corSecundaria": "F9AB00", "validacaoAberta": true,
        "parceirosValidacao": [], "versao": 2});
    assert_eq!(changed, told);
    assert_eq!(calls.read(by, BASE, &[]).await, told);
    let refused = calls.put(by, BASE, &json!({"versao": 1, "nome": "Outra", "cor": null})).await;
    let lines: Vec<&str> = refused.refuses(409).lines().collect();
    assert!(lines[0].starts_with("versao: "), "{lines:?}");
    assert_eq!(
        lines[1..],
        ["nome: enviado \"Outra\"; agora \"Amparo Mútuo\".", "cor: enviado nada; agora \"188038\"."]
    );
    let cleared = calls.put(by, BASE, &json!({"versao": 2, "hosts": null, "cor": null})).await.json();
    assert_eq!(
        (&cleared["hosts"], &cleared["cor"], &cleared["versao"]),
        (&json!([]), &Value::Null, &json!(3))
    );
    assert_eq!(cleared["corSecundaria"], "F9AB00");
    let audit = calls.read(by, "/gestao/auditoria", &[]).await.to_string();
    assert!(audit.contains("base alterada: hosts, cor"), "{audit}");
}

#[both_engines]
async fn everything_that_is_wrong_with_the_base_is_told_at_once(world: World) {
    let calls = Calls::on(world).await;
    let bad = json!({"nome": "x".repeat(201), "hosts": ["a b"], "fuso": "Brasil/Sampa", "cor": "azul"});
    let refused = calls.put(&calls.administrator, BASE, &bad).await;
    let told = refused.refuses(400);
    for field in ["versao", "nome", "hosts[0]", "fuso", "cor"] {
        assert!(told_about(told, field), "{field}: {told}");
    }
    calls.put(&calls.administrator, BASE, &json!({"versao": 1, "nome": "Nova"})).await;
    assert_eq!(calls.read(&calls.administrator, BASE, &[]).await["versao"], 2);
}

#[both_engines]
async fn a_name_and_a_host_are_felt_at_once_and_the_other_association_keeps_its_own(world: World) {
    let calls = Calls::on(world).await;
    let by = &calls.administrator;
    let there = calls.server().token("admin@ali.example").await;
    let theirs = calls.put(&there, BASE, &json!({"versao": 1, "hosts": ["ali.example"]})).await;
    assert_eq!(theirs.status, 200, "{theirs:?}");
    let own = json!({"versao": 1, "nome": "Nome Novo", "hosts": ["aqui.example", "ali.example"]});
    let refused = calls.put(by, BASE, &own).await;
    assert!(told_about(refused.refuses(409), "host"), "{refused:?}");
    assert!(!refused.body.contains("Ali"), "nobody is told whose it is: {refused:?}");
    assert_eq!(calls.read(by, BASE, &[]).await["nome"], "Associação Aqui", "nothing of it is stored");
    let put = json!({"versao": 1, "nome": "Nome Novo", "hosts": ["aqui.example"]});
    let here = &calls.servers()[0];
    assert_eq!(here.put(BASE, by, &put.to_string()).await.status, 200);
    let entered = here.enter(&calls.world.operator.email, testkit::PASSWORD).await.json();
    assert_eq!(entered["nomeClienteSistema"], "Nome Novo");
    let days = async |server: &testkit::Server, host: &str| {
        server.call("GET", "/ext/beneficio/tipoVeiculo", &[("Host", host)], "").await.body
    };
    assert!(days(here, "aqui.example").await.contains("Automóvel de passeio"));
    for (app, server) in calls.world.processes().iter().zip(calls.servers()) {
        until("each process knows the host", || async {
            app::memory::renew(app).await.unwrap();
            days(server, "ALI.example:8443").await.contains("Ali")
        })
        .await;
    }
    // What was let go of may be had by the other.
    let freed = here.put(BASE, by, &json!({"versao": 2, "hosts": []}).to_string()).await;
    assert_eq!(freed.json()["hosts"], json!([]));
    let taken =
        calls.put(&there, BASE, &json!({"versao": 2, "hosts": ["aqui.example", "ali.example"]})).await;
    assert_eq!(taken.json()["hosts"], json!(["ali.example", "aqui.example"]));
}
