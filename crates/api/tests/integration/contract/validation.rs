//! `POST /ext/beneficio/validacao`: what is told of a benefit, to whom, and how often.

use crate::calls::{BENEFITS, Calls, MEMBERS, VEHICLES, car, cpf, each, told_about, with};
use crate::contract::audit::{all, people};
use crate::contract::golden::{COMPANY, PERSON, peopled};
use serde_json::{Value, json};
use std::time::Duration;
use storage::{QueryWeight, sql};
use testkit::{Reply, Server, World, both_engines, eight_at_once};

const PATH: &str = "/ext/beneficio/validacao";

macro_rules! golden {
    ($name:literal) => {
        include_str!(concat!("golden/", $name, ".json")).trim_end()
    };
}

/// Without a credential.
async fn ask(server: &Server, body: &Value) -> Reply {
    server.call("POST", PATH, &[("Content-Type", "application/json")], &body.to_string()).await
}

async fn openly(calls: &Calls, body: Value) -> Reply {
    ask(calls.server(), &body).await
}

/// The code of what is found, without a credential.
async fn found(calls: &Calls, body: Value) -> Option<i64> {
    let reply = openly(calls, body).await;
    if reply.status == 400 {
        assert!(reply.refuses(400).starts_with("Nenhum benefício foi encontrado"), "{reply:?}");
        return None;
    }
    assert_eq!((reply.status, reply.header("content-type")), (200, Some("application/json")), "{reply:?}");
    reply.json()["codBeneficio"].as_i64()
}

#[both_engines]
async fn a_validation_byte_for_byte_with_and_without_a_credential(world: World) {
    let calls = peopled(world).await;
    let ana = json!({"matricula": "1234 56 7 890 123"});
    assert_eq!(calls.post(&calls.operator, PATH, &ana).await.body, golden!("validacao"));
    assert_eq!(openly(&calls, ana).await.body, golden!("validacao_sem_credencial"));
    let company = json!({"cpfCnpj": COMPANY});
    assert_eq!(openly(&calls, company).await.body, golden!("validacao_empresa_sem_credencial"));
}

#[both_engines]
async fn a_benefit_is_validated_by_card_document_or_sequence_and_all_that_is_given_must_fit(world: World) {
    let calls = peopled(world).await;
    for given in [
        json!({"matricula": "1234567890123"}),
        json!({"matricula": 1_234_567_890_123_i64}),
        json!({"matricula": " 1234 56 7 890 123 "}),
        json!({"matricula": PERSON}),
        json!({"matricula": "52998224725"}),
        json!({"matricula": 52_998_224_725_i64}),
        json!({"cpfCnpj": PERSON}),
        json!({"cpfCnpj": "52998224725", "matricula": "", "sequencial": null}),
        json!({"sequencial": 1}),
        json!({"sequencial": "1", "outro": {"x": 1}}),
        json!({"matricula": "1234567890123", "cpfCnpj": PERSON, "sequencial": 1}),
        json!({"matricula": PERSON, "cpfCnpj": PERSON}),
    ] {
        assert_eq!(found(&calls, given.clone()).await, Some(1), "{given}");
    }
    for company in [json!({"matricula": "12abc34501de35"}), json!({"cpfCnpj": COMPANY, "sequencial": 2})] {
        assert_eq!(found(&calls, company.clone()).await, Some(2), "{company}");
    }
    for astray in [
        json!({"matricula": "1234567890123", "sequencial": 2}),
        json!({"matricula": "1234567890123", "cpfCnpj": COMPANY}),
        json!({"matricula": PERSON, "cpfCnpj": COMPANY}),
        json!({"cpfCnpj": PERSON, "sequencial": 2}),
        json!({"cpfCnpj": "111.444.777-35"}),
        json!({"matricula": "0000000000000"}),
        json!({"sequencial": 2_147_483_647}),
    ] {
        assert_eq!(found(&calls, astray.clone()).await, None, "{astray}");
    }
}

#[both_engines]
async fn of_several_benefits_an_active_one_is_told_first_and_then_the_newest(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let first = calls.health(1, json!({})).await;
    let card = first["numeroCartaoDesconto"].clone();
    let ask = async || {
        let by_document = found(&calls, json!({"cpfCnpj": cpf(1)})).await;
        assert_eq!(found(&calls, json!({"matricula": card})).await, by_document);
        by_document
    };
    calls.health(1, json!({"numeroCartaoDesconto": card})).await;
    assert_eq!(ask().await, Some(2), "both are pending: the newest");
    let change = json!({"codBeneficio": 1, "cpfCnpj": cpf(1), "ativo": true});
    calls.saved(&calls.operator, BENEFITS, &change).await;
    assert_eq!(ask().await, Some(1), "the active one");
    calls.health(1, json!({"numeroCartaoDesconto": card, "ativo": true})).await;
    calls.health(1, json!({"numeroCartaoDesconto": card, "situacao": "INADIMPLENTE"})).await;
    assert_eq!(ask().await, Some(3), "the newest of the active ones");
    let told = openly(&calls, json!({"sequencial": 4})).await.json();
    assert_eq!((&told["status"], &told["situacao"]), (&json!("inativo"), &json!("INADIMPLENTE")));
    assert_eq!(openly(&calls, json!({"sequencial": 1})).await.json()["status"], "ativo");
}

#[both_engines]
async fn what_names_no_benefit_is_refused_in_plain_text(world: World) {
    let calls = peopled(world).await;
    for token in [None, Some(&calls.operator)] {
        let refused = async |body: &str| {
            let bearer = token.map(|token| format!("Bearer {token}"));
            let headers = bearer.as_ref().map(|bearer| ("Authorization", bearer.as_str()));
            let headers: Vec<_> = headers.into_iter().collect();
            calls.server().call("POST", PATH, &headers, body).await.refuses(400).to_owned()
        };
        for nothing in ["{}", r#"{"matricula": " ", "cpfCnpj": "", "sequencial": null}"#, r#"{"outro": 1}"#] {
            let told = refused(nothing).await;
            for field in ["matricula", "cpfCnpj", "sequencial"] {
                assert!(told.contains(field), "{field} in {told}");
            }
            assert_eq!(told.lines().count(), 1, "{told}");
        }
        assert!(refused(r#"{"sequencial": 99}"#).await.starts_with("Nenhum benefício foi encontrado"));
        let all = refused(r#"{"matricula": "12", "cpfCnpj": "529.982.247-24", "sequencial": 0}"#).await;
        for field in ["matricula", "cpfCnpj", "sequencial"] {
            assert!(told_about(&all, field), "{field} in {all}");
        }
        assert_eq!(all.lines().count(), 3, "{all}");
        for (field, wrong) in [
            ("matricula", json!("529.982.247-24")),
            ("matricula", json!(true)),
            ("matricula", json!(1.5)),
            ("cpfCnpj", json!("111.111.111-11")),
            ("sequencial", json!(-1)),
            ("sequencial", json!("um")),
            ("sequencial", json!(2_147_483_648_i64)),
        ] {
            let told = refused(&json!({field: wrong}).to_string()).await;
            assert!(told_about(&told, field) && told.lines().count() == 1, "{wrong}: {told}");
        }
        for body in ["", "{", "[]", "null"] {
            refused(body).await;
        }
    }
    let text = [("Content-Type", "text/plain")];
    calls.server().call("POST", PATH, &text, "{}").await.refuses(415);
    calls.server().call("GET", PATH, &[], "").await.refuses(405);
    let bad = [("Authorization", "Bearer nada")];
    calls.server().call("POST", PATH, &bad, "{").await.refuses(401);
}

/// A car in each store, and in the other association one with the same document and card.
async fn in_each_store(world: World) -> Calls {
    let calls = Calls::on(world).await;
    for number in 1..=3 {
        let person = json!({"nomePessoa": "Ana Aqui", "cpfCnpj": cpf(number), "codLoja": number});
        calls.saved(&calls.administrator, MEMBERS, &person).await;
        calls
            .saved(&calls.administrator, VEHICLES, &car(number, &format!("ABC1D2{number}"), json!({})))
            .await;
    }
    let person = json!({"nomePessoa": "Fulano Ali", "cpfCnpj": cpf(1), "codLoja": 2});
    calls.saved(&calls.stranger, MEMBERS, &person).await;
    let there = with(car(1, "ABC1D21", json!({})), json!({"codPlano": 2}));
    calls.saved(&calls.stranger, VEHICLES, &there).await;
    calls
}

#[both_engines]
async fn a_token_shows_the_documents_of_its_branches_and_says_which_base_is_meant(world: World) {
    let calls = in_each_store(world).await;
    for (token, seen) in
        [(&calls.administrator, &[1, 2, 3][..]), (&calls.operator, &[2]), (&calls.integration, &[2, 3])]
    {
        for number in 1..=3 {
            for body in [json!({"cpfCnpj": cpf(number)}), json!({"sequencial": number})] {
                let reply = calls.post(token, PATH, &body).await;
                if seen.contains(&number) {
                    assert_eq!(reply.json()["cpf"], cpf(number), "whole");
                } else {
                    let open = openly(&calls, body).await;
                    assert_eq!(
                        (reply.status, &reply.body),
                        (200, &open.body),
                        "never less than without a token"
                    );
                    assert!(!reply.body.contains(&cpf(number)), "veiled: {reply:?}");
                }
            }
        }
    }
    let there = calls.post(&calls.stranger, PATH, &json!({"cpfCnpj": cpf(1)})).await.json();
    assert_eq!((&there["nome"], &there["planos"][0]["nome"]), (&json!("Fulano Ali"), &json!("Carro Ali")));
    calls.post(&calls.stranger, PATH, &json!({"cpfCnpj": cpf(2)})).await.refuses(400);
}

#[both_engines]
async fn without_a_token_the_host_says_which_base_is_meant(world: World) {
    let calls = in_each_store(world).await;
    let new = app::tenants::NewTenantInput {
        name: "Terceira".to_owned(),
        branch: "Matriz".to_owned(),
        time_zone: domain::TimeZone::DEFAULT.to_owned(),
        hosts: vec!["terceira.example".to_owned()],
        make_default: false,
    };
    app::tenants::create_tenant(calls.world.app(), &new).await.unwrap();
    for app in calls.world.processes() {
        app::cache::refresh_versions(app).await.unwrap();
    }
    let ask = async |headers: &[(&str, &str)]| {
        calls.server().call("POST", PATH, headers, &json!({"sequencial": 1}).to_string()).await
    };
    for headers in [&[][..], &[("Host", "outra.example")], &[("Authorization", "Basic eDp5")]] {
        let told = ask(headers).await.json();
        assert_eq!(
            (&told["nome"], &told["cpf"]),
            (&json!("Ana Aqui"), &json!("***.***.*08-**")),
            "all stores"
        );
    }
    ask(&[("Host", "terceira.example")]).await.refuses(400);
    let bearer = format!("Bearer {}", calls.stranger);
    let told = ask(&[("Host", "terceira.example"), ("Authorization", &bearer)]).await.json();
    assert_eq!(told["nome"], "Fulano Ali");
}

/// Servers on every process of the world, in which an address has so many misses and lookups.
async fn throttled(calls: &Calls, misses: u32, lookups: u32) -> Vec<Server> {
    let mut servers = Vec::new();
    for app in calls.world.processes() {
        let mut app = app.clone();
        (app.throttle.misses, app.throttle.lookups) = (misses, lookups);
        servers.push(Server::start(app).await);
    }
    servers
}

#[both_engines]
async fn too_many_misses_of_one_address_are_told_to_wait_in_every_process(world: World) {
    let calls = in_each_store(world).await;
    let servers = throttled(&calls, 3, 100).await;
    let (first, last) = (&servers[0], &servers[servers.len() - 1]);
    let (miss, hit) = (json!({"sequencial": 99}), json!({"sequencial": 1}));
    for server in [first, last, first] {
        ask(server, &json!({"sequencial": 0})).await.refuses(400);
        ask(server, &miss).await.refuses(400);
        calls.world.clock.pass(Duration::from_mins(1));
    }
    for server in [first, last] {
        for body in [&miss, &hit] {
            let refused = ask(server, body).await;
            assert!(refused.refuses(429).contains("12 minutos"), "{refused:?}");
            assert_eq!(refused.header("retry-after"), Some("720"));
        }
        // Whoever cannot be answered is told what is wrong with his request first.
        ask(server, &json!({})).await.refuses(400);
        let known = server.write(PATH, &calls.operator, &miss.to_string()).await;
        known.refuses(400);
        assert_eq!(
            server.enter(&calls.world.operator.email, testkit::PASSWORD).await.status,
            200,
            "a login is another thing"
        );
    }
    calls.world.clock.pass(Duration::from_mins(12));
    assert_eq!(ask(first, &hit).await.status, 200);
    ask(last, &miss).await.refuses(400);
}

#[both_engines]
async fn too_many_lookups_of_one_address_are_told_to_wait_and_a_token_is_never_counted(world: World) {
    let calls = in_each_store(world).await;
    let servers = throttled(&calls, 3, 5).await;
    let (server, hit) = (&servers[0], json!({"sequencial": 2}));
    for _ in 0..20 {
        assert_eq!(server.write(PATH, &calls.operator, &hit.to_string()).await.status, 200);
    }
    for _ in 0..5 {
        assert_eq!(ask(server, &hit).await.status, 200);
    }
    let refused = ask(server, &hit).await;
    assert!(refused.refuses(429).contains("sem credencial"), "{refused:?}");
    assert_eq!(refused.header("retry-after"), Some("900"));
    assert_eq!(server.write(PATH, &calls.operator, &hit.to_string()).await.status, 200);
    let written = sql("SELECT subject FROM login_failures");
    let written = calls.world.db().query(QueryWeight::Search, written).await.unwrap();
    assert!(written.is_empty(), "what finds somebody is written nowhere");
    calls.world.clock.pass(Duration::from_mins(15));
    assert_eq!(ask(server, &hit).await.status, 200);
}

#[both_engines]
async fn eight_who_guess_at_once_get_no_more_guesses_than_one(world: World) {
    let calls = in_each_store(world).await;
    let mut app = calls.world.app().clone();
    app.throttle.misses = 2;
    let here = calls.world.here;
    let guesses = eight_at_once(|number| {
        let app = app.clone();
        async move {
            let address = std::net::IpAddr::from([192, 0, 2, 1]).into();
            let body = json!({"sequencial": 90 + number}).to_string();
            let input = wire::read::read_body(body.as_bytes()).unwrap();
            app::members::validation::validate_benefit_anonymously(&app, here, address, input).await.err()
        }
    })
    .await;
    let looked = guesses.iter().filter(|error| matches!(error, Some(app::Error::Refused(_)))).count();
    assert_eq!(looked, 2, "{guesses:?}");
    assert!(
        guesses
            .iter()
            .all(|error| matches!(error, Some(app::Error::Refused(_) | app::Error::TooManyFailures(_))))
    );
}

#[both_engines]
async fn a_validation_is_audited_with_its_user_or_without_one(world: World) {
    let calls = in_each_store(world).await;
    openly(&calls, json!({"cpfCnpj": cpf(3)})).await;
    openly(&calls, json!({"sequencial": 99})).await.refuses(400);
    calls.post(&calls.operator, PATH, &json!({"cpfCnpj": cpf(2)})).await;
    calls.post(&calls.operator, PATH, &json!({"cpfCnpj": cpf(9)})).await.refuses(400);
    let mut looks: Vec<_> =
        all(&calls, &[]).await.into_iter().filter(|one| one["tipo"] == "leitura").collect();
    looks.sort_by_key(|one| one["codUsuario"].as_i64());
    assert_eq!(each(&looks, "operacao"), ["POST /ext/beneficio/validacao"; 2]);
    assert_eq!(each(&looks, "codUsuario"), [Value::Null, json!(calls.world.operator.code.get())]);
    assert_eq!(each(&looks, "nomeUsuario"), [Value::Null, json!("operador")]);
    assert_eq!(looks.iter().flat_map(people).collect::<Vec<_>>(), [3, 2]);
    let operator = calls.world.operator.code.to_string();
    let of_user = all(&calls, &[("codUsuario", &operator), ("codPessoa", "2")]).await;
    assert_eq!(each(&of_user, "operacao"), ["POST /ext/beneficio/validacao"]);
}

#[both_engines]
async fn a_key_is_ignored_without_a_token_and_kept_with_one(world: World) {
    let calls = in_each_store(world).await;
    let bearer = format!("Bearer {}", calls.operator);
    let (token, key) = (("Authorization", bearer.as_str()), ("Idempotency-Key", "mesma"));
    let ask = async |headers: &[(&str, &str)], sequence: i32| {
        calls.server().call("POST", PATH, headers, &json!({"sequencial": sequence}).to_string()).await
    };
    let (first, other) = (ask(&[key], 2).await, ask(&[key], 3).await);
    assert_eq!((first.status, other.status, other.header("idempotency-replayed")), (200, 200, None));
    let long = "x".repeat(300);
    assert_eq!(ask(&[("Idempotency-Key", &long)], 2).await.status, 200, "not even looked at");
    assert_eq!(calls.count("idempotency_keys").await, 0);
    let first = ask(&[token, key], 2).await;
    calls.health(2, json!({"ativo": true})).await;
    calls.cancel(&calls.operator, &json!(2), "").await;
    let again = ask(&[token, key], 2).await;
    assert_eq!((again.header("idempotency-replayed"), &again.body), (Some("true"), &first.body));
    ask(&[token, key], 3).await.refuses(422);
    ask(&[token, ("Idempotency-Key", &long)], 2).await.refuses(400);
    let now = ask(&[token], 2).await.json();
    assert_eq!(now["situacao"], "CANCELADO");
    let refused = [token, ("Idempotency-Key", "recusada")];
    ask(&refused, 99).await.refuses(400);
    let again = ask(&refused, 99).await;
    assert_eq!((again.status, again.header("idempotency-replayed")), (400, Some("true")), "of nobody");
}
