//! `/gestao/base`: the association itself.

use crate::calls::{Calls, told_about};
use app::tenants::hosts;
use domain::Rejection;
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
        "cor": null, "corSecundaria": null, "validacaoAberta": true, "parceirosValidacao": [],
        "segundoFatorObrigatorio": [], "versao": 1});
    assert_eq!(born, told);
    let change = json!({"versao": 1, "nome": "Amparo Mútuo", "fuso": "america/manaus", "cor": "#188038",
        "corSecundaria": "f9ab00"});
    let changed = calls.put(by, BASE, &change).await.json();
    let told = json!({"codClienteSistema": code, "nome": "Amparo Mútuo", "hosts": [], "fuso": "America/Manaus",
        "cor": "188038", "corSecundaria": "F9AB00", "validacaoAberta": true, "parceirosValidacao": [],
        "segundoFatorObrigatorio": [], "versao": 2});
    assert_eq!(changed, told);
    assert_eq!(calls.read(by, BASE, &[]).await, told);
    let refused = calls.put(by, BASE, &json!({"versao": 1, "nome": "Outra", "cor": null})).await;
    let lines: Vec<&str> = refused.refuses(409).lines().collect();
    assert!(lines[0].starts_with("versao: "), "{lines:?}");
    assert_eq!(
        lines[1..],
        ["nome: enviado \"Outra\"; agora \"Amparo Mútuo\".", "cor: enviado nada; agora \"188038\"."]
    );
    let cleared = calls.put(by, BASE, &json!({"versao": 2, "cor": null})).await.json();
    assert_eq!((&cleared["cor"], &cleared["versao"]), (&Value::Null, &json!(3)));
    assert_eq!(cleared["corSecundaria"], "F9AB00");
    let audit = calls.read(by, "/gestao/auditoria", &[]).await.to_string();
    assert!(audit.contains("base alterada: cor"), "{audit}");
}

#[both_engines]
async fn everything_that_is_wrong_with_the_base_is_told_at_once(world: World) {
    let calls = Calls::on(world).await;
    let bad = json!({"nome": "x".repeat(201), "hosts": ["a b"], "fuso": "Brasil/Sampa", "cor": "azul"});
    let refused = calls.put(&calls.administrator, BASE, &bad).await;
    let told = refused.refuses(400);
    for field in ["versao", "nome", "hosts", "fuso", "cor"] {
        assert!(told_about(told, field), "{field}: {told}");
    }
    calls.put(&calls.administrator, BASE, &json!({"versao": 1, "nome": "Nova"})).await;
    assert_eq!(calls.read(&calls.administrator, BASE, &[]).await["versao"], 2);
}

/// Whoever could take any name could answer in another association's.
#[both_engines]
async fn no_association_says_by_itself_under_which_host_it_is_found(world: World) {
    let calls = Calls::on(world).await;
    let by = &calls.administrator;
    hosts::add_host(calls.world.app(), calls.world.there, "ali.example").await.unwrap();
    for hosts in [
        json!(["aqui.example"]),
        json!(["ali.example"]),
        json!(["127.0.0.1", "localhost"]),
        json!([]),
        json!(null),
        json!(""),
    ] {
        let refused = calls.put(by, BASE, &json!({"versao": 1, "nome": "Nome Novo", "hosts": hosts})).await;
        let told = refused.refuses(400);
        assert!(told_about(told, "hosts") && told.contains("amparo tenant host"), "{hosts}: {told}");
        assert!(!told.contains("outra base"), "nobody is told what others have: {told}");
    }
    let read = calls.read(by, BASE, &[]).await;
    assert_eq!((&read["nome"], &read["hosts"]), (&json!("Associação Aqui"), &json!([])), "nothing is stored");
    let there = calls.server().token("admin@ali.example").await;
    assert_eq!(calls.read(&there, BASE, &[]).await["hosts"], json!(["ali.example"]), "it is shown");
}

#[both_engines]
async fn a_host_is_felt_at_once_and_leads_to_one_association(world: World) {
    let calls = Calls::on(world).await;
    let app = calls.world.app();
    let (here, there) = (calls.world.here, calls.world.there);
    hosts::add_host(app, there, "Ali.example.").await.unwrap();
    let refused = |result: Result<_, app::Error>| match result {
        Err(app::Error::Refused(rejections)) => rejections,
        other => panic!("{other:?}"),
    };
    let taken = hosts::add_host(app, here, "ali.example").await.map(drop);
    assert_eq!(refused(taken), [Rejection::HostTaken("ali.example".to_owned())]);
    let unknown = hosts::remove_host(app, here, "ali.example").await;
    assert_eq!(refused(unknown), [Rejection::UnknownHost("ali.example".to_owned())]);
    let mut named = app.clone();
    named.public_url = "https://Amparo.example:8443".into();
    let servers = hosts::add_host(&named, here, "amparo.example").await.map(drop);
    assert_eq!(refused(servers), [Rejection::HostIsServers("amparo.example".to_owned())]);
    let new = app::tenants::NewTenantInput {
        name: "Terceira".to_owned(),
        branch: "Matriz".to_owned(),
        time_zone: domain::TimeZone::DEFAULT.to_owned(),
        hosts: vec!["amparo.example".to_owned()],
        make_default: false,
    };
    let servers = app::tenants::create_tenant(&named, &new).await.map(drop);
    assert_eq!(refused(servers), [Rejection::HostIsServers("amparo.example".to_owned())]);

    let days = async |server: &testkit::Server, host: &str| {
        server.call("GET", "/ext/beneficio/tipoVeiculo", &[("Host", host)], "").await.body
    };
    let each_finds = async |what: &str, theirs: bool| {
        for (app, server) in calls.world.processes().iter().zip(calls.servers()) {
            until(what, || async {
                app::cache::refresh_versions(app).await.unwrap();
                days(server, "ALI.example:8443").await.contains("Ali") == theirs
            })
            .await;
        }
    };
    assert!(days(&calls.servers()[0], "ali.example").await.contains("Ali"), "at once where it was done");
    each_finds("each process knows the host", true).await;
    hosts::remove_host(app, there, "ALI.example").await.unwrap();
    each_finds("each process knows that it is gone", false).await;
    hosts::add_host(app, here, "ali.example").await.unwrap();
    assert_eq!(hosts::list_hosts(app, here).await.unwrap(), ["ali.example"]);
    let audit = calls.read(&calls.administrator, "/gestao/auditoria", &[]).await.to_string();
    assert!(audit.contains("host ali.example acrescentado"), "{audit}");
}
