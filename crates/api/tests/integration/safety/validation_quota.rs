//! `POST /ext/beneficio/validacao` without a credential gives no document away, however many addresses ask.

use crate::calls::{Calls, MEMBERS, VEHICLES, car, cpf, told_about};
use serde_json::{Value, json};
use std::time::Duration;
use testkit::{Reply, Server, Setup, World, both_engines, until};

const PATH: &str = "/ext/beneficio/validacao";
const BASE: &str = "/gestao/base";

/// A member with a car in each of the three branches, by their number.
async fn in_each_branch(world: World) -> Calls {
    let calls = Calls::on(world).await;
    for number in 1..=3 {
        let person = json!({"nomePessoa": "Ana Aqui", "cpfCnpj": cpf(number), "codLoja": number});
        calls.saved(&calls.administrator, MEMBERS, &person).await;
        let plate = format!("ABC1D2{number}");
        calls.saved(&calls.administrator, VEHICLES, &car(number, &plate, json!({"ativo": true}))).await;
    }
    calls
}

/// A server of the first process whose callers a proxy names, with these figures.
async fn behind_a_proxy(calls: &Calls, records: u32, documents: u32) -> Server {
    let mut app = calls.world.processes()[0].clone();
    (app.throttle.record_lookups, app.throttle.document_misses) = (records, documents);
    let http = api::HttpOptions {
        trusted_proxies: vec!["127.0.0.1/32".parse().unwrap()],
        ..api::HttpOptions::default()
    };
    Server::start_as(app, Setup { http, ..Setup::default() }).await
}

async fn ask_from(server: &Server, address: &str, body: &Value) -> Reply {
    let headers = [("Content-Type", "application/json"), ("X-Forwarded-For", address)];
    server.call("POST", PATH, &headers, &body.to_string()).await
}

/// Tries documents one by one, each few from another address: how many tries were answered at all.
async fn answered_guesses(server: &Server, network: &str, guess: impl Fn(u32) -> Value) -> usize {
    let mut answered = 0;
    for number in 0..60 {
        let address = format!("{network}.{}", number / 5 + 1);
        let reply = ask_from(server, &address, &guess(100 + number)).await;
        match reply.status {
            400 => answered += 1,
            429 => assert!(reply.header("retry-after").is_some(), "{reply:?}"),
            _ => panic!("{reply:?}"),
        }
    }
    answered
}

#[both_engines]
async fn a_document_is_not_completed_by_many_addresses(world: World) {
    let calls = in_each_branch(world).await;
    let server = behind_a_proxy(&calls, 10, 25).await;
    let told = ask_from(&server, "203.0.113.1", &json!({"sequencial": 1})).await.json();
    let shown = told["cpf"].as_str().unwrap();
    assert_eq!(shown.len(), cpf(1).len(), "its shape stays");
    assert!(shown.chars().filter(char::is_ascii_digit).count() <= 2, "{shown}");
    // Documents alone, and together with the record that they are tried on.
    let of_record = |number| json!({"sequencial": 1, "cpfCnpj": cpf(number)});
    assert_eq!(answered_guesses(&server, "198.51.100", of_record).await, 9, "one lookup of it came before");
    let alone = |number| json!({"cpfCnpj": cpf(number)});
    assert_eq!(answered_guesses(&server, "192.0.2", alone).await, 25 - 9);
    // The right one is not told from a wrong one any more, from whichever address.
    for body in [json!({"cpfCnpj": cpf(1)}), json!({"matricula": cpf(2)}), of_record(1)] {
        ask_from(&server, "203.0.113.9", &body).await.refuses(429);
    }
    // Another record is still told by its number, and so is everything to who shows a token.
    assert_eq!(ask_from(&server, "203.0.113.9", &json!({"sequencial": 2})).await.status, 200);
    let body = json!({"cpfCnpj": cpf(2)}).to_string();
    assert_eq!(server.write(PATH, &calls.operator, &body).await.json()["cpf"], cpf(2));
    calls.world.clock.pass(Duration::from_mins(15));
    assert_eq!(ask_from(&server, "203.0.113.9", &json!({"cpfCnpj": cpf(1)})).await.status, 200);
    server.stop().await;
}

#[both_engines]
async fn documents_that_are_somebodys_and_numbers_alone_use_nothing_of_the_documents_up(world: World) {
    let calls = in_each_branch(world).await;
    let server = behind_a_proxy(&calls, 100, 3).await;
    for _ in 0..10 {
        assert_eq!(ask_from(&server, "203.0.113.1", &json!({"cpfCnpj": cpf(1)})).await.status, 200);
        ask_from(&server, "203.0.113.2", &json!({"sequencial": 9999})).await.refuses(400);
    }
    // Two documents that differ are a try like any other.
    let two = json!({"matricula": cpf(1), "cpfCnpj": cpf(2)});
    for _ in 0..3 {
        ask_from(&server, "203.0.113.3", &two).await.refuses(400);
    }
    ask_from(&server, "203.0.113.4", &two).await.refuses(429);
    ask_from(&server, "203.0.113.4", &json!({"cpfCnpj": cpf(1)})).await.refuses(429);
    server.stop().await;
}

#[both_engines]
async fn the_network_of_a_partner_has_the_lookups_that_the_administrator_gave_it(world: World) {
    let calls = in_each_branch(world).await;
    let server = behind_a_proxy(&calls, 2, 1).await;
    let partners =
        json!([{"rede": "198.51.100.77/24", "consultas": 30}, {"rede": "2001:db8:1:2::1", "consultas": 5}]);
    let change = json!({"versao": 1, "parceirosValidacao": partners}).to_string();
    let changed = server.put(BASE, &calls.administrator, &change).await.json();
    let told =
        json!([{"rede": "198.51.100.0/24", "consultas": 30}, {"rede": "2001:db8:1:2::/64", "consultas": 5}]);
    assert_eq!(changed["parceirosValidacao"], told);
    // More of one record, and more documents of nobody, than others have altogether.
    for number in 0..15 {
        let address = format!("198.51.100.{number}");
        let hit = ask_from(&server, &address, &json!({"cpfCnpj": cpf(1)})).await;
        assert_eq!(hit.json()["cpf"], "***.***.*08-**", "veiled all the same");
        ask_from(&server, &address, &json!({"cpfCnpj": cpf(100 + number)})).await.refuses(400);
    }
    ask_from(&server, "198.51.100.200", &json!({"cpfCnpj": cpf(1)})).await.refuses(429);
    for number in 0..5 {
        let address = format!("2001:db8:1:2::{number}");
        assert_eq!(ask_from(&server, &address, &json!({"sequencial": 1})).await.status, 200);
    }
    ask_from(&server, "2001:db8:1:2:ffff::1", &json!({"sequencial": 1})).await.refuses(429);
    // What partners ask uses nothing up of what others have.
    assert_eq!(ask_from(&server, "203.0.113.1", &json!({"cpfCnpj": cpf(1)})).await.status, 200);
    let cleared = json!({"versao": 2, "parceirosValidacao": null}).to_string();
    let cleared = server.put(BASE, &calls.administrator, &cleared).await.json();
    assert_eq!((&cleared["parceirosValidacao"], &cleared["versao"]), (&json!([]), &json!(3)));
    let audit = calls.read(&calls.administrator, "/gestao/auditoria", &[]).await.to_string();
    assert!(audit.contains("base alterada: parceirosValidacao"), "{audit}");
    let wrong = json!({"versao": 3, "validacaoAberta": "talvez", "parceirosValidacao":
        [{"rede": "0.0.0.0/0", "consultas": 5}, {"rede": "203.0.113.1", "consultas": 0}]});
    let refused = server.put(BASE, &calls.administrator, &wrong.to_string()).await;
    for field in ["validacaoAberta", "parceirosValidacao[0].rede", "parceirosValidacao[1].consultas"] {
        assert!(told_about(refused.refuses(400), field), "{field}: {refused:?}");
    }
    server.stop().await;
}

#[both_engines]
async fn a_base_that_closes_the_open_validation_wants_a_token(world: World) {
    let calls = in_each_branch(world).await;
    let by = &calls.administrator;
    let body = json!({"sequencial": 2});
    let open = async |server: &Server, body: &str| server.call("POST", PATH, &[], body).await;
    let close = json!({"versao": 1, "validacaoAberta": false});
    assert_eq!(calls.put(by, BASE, &close).await.json()["validacaoAberta"], false);
    for (app, server) in calls.world.processes().iter().zip(calls.servers()) {
        until("each process knows that it is closed", || async {
            app::cache::refresh_versions(app).await.unwrap();
            open(server, &body.to_string()).await.status == 401
        })
        .await;
        // Before anything else of the request is looked at.
        let refused = open(server, "{").await;
        refused.refuses(401);
        assert!(refused.header("www-authenticate").unwrap().starts_with("Bearer"), "{refused:?}");
        let known = server.write(PATH, &calls.operator, &body.to_string()).await;
        assert_eq!(known.json()["cpf"], cpf(2));
    }
    // The other association decides for itself.
    let there = calls.server().token("admin@ali.example").await;
    assert_eq!(calls.read(&there, BASE, &[]).await["validacaoAberta"], true);
    calls.put(by, BASE, &json!({"versao": 2, "validacaoAberta": true})).await;
    for (app, server) in calls.world.processes().iter().zip(calls.servers()) {
        until("each process knows that it is open", || async {
            app::cache::refresh_versions(app).await.unwrap();
            open(server, &body.to_string()).await.status == 200
        })
        .await;
    }
}

#[both_engines]
async fn a_token_is_told_the_same_yes_of_people_in_other_branches_so_many_times(world: World) {
    let calls = in_each_branch(world).await;
    // The member of branch 1 has an older benefit in the operator's branch that is not active.
    let more = json!({"codLoja": 2, "situacao": "SUSPENSO"});
    calls.saved(&calls.administrator, VEHICLES, &car(1, "XYZ1D21", more)).await;
    let mut app = calls.world.processes()[0].clone();
    app.throttle.lookups = 3;
    let server = Server::start(app).await;
    let ask = async |number: u32| {
        server.write(PATH, &calls.operator, &json!({"cpfCnpj": cpf(number)}).to_string()).await
    };
    let elsewhere = ask(1).await.json();
    assert_eq!((&elsewhere["status"], &elsewhere["cpf"]), (&json!("ativo"), &json!("***.***.*08-**")));
    for _ in 0..10 {
        assert_eq!(ask(2).await.json()["cpf"], cpf(2), "its own people are never counted");
    }
    assert_eq!(ask(3).await.json()["status"], "ativo");
    ask(99).await.refuses(400);
    ask(3).await.refuses(429);
    ask(99).await.refuses(429);
    ask(1).await.refuses(429);
    assert_eq!(ask(2).await.status, 200);
    let all = server.write(PATH, &calls.administrator, &json!({"cpfCnpj": cpf(3)}).to_string()).await;
    assert_eq!(all.json()["cpf"], cpf(3));
    server.stop().await;
}
