//! `/gestao/receptor` and `/gestao/entrega`: who is told of changes, and what was sent to them.

use crate::calls::{Calls, each, items, told_about};
use app::triggers::{MessageSender, OutgoingMessage, ReceiverAnswer};
use serde_json::{Value, json};
use std::sync::Arc;
use storage::{WriteLane, sql};
use testkit::{Server, World, both_engines};

const RECEIVERS: &str = "/gestao/receptor";
const DELIVERIES: &str = "/gestao/entrega";

fn receiver() -> Value {
    json!({"endereco": "https://erp.example/gatilhos/", "entidades": ["beneficio", "helpDesk"],
        "cabecalhos": [{"nome": "X-Api-Key", "valor": "chave-secreta"}]})
}

fn of(code: i32, what: &str) -> String {
    format!("{RECEIVERS}/{code}{what}")
}

#[both_engines]
async fn a_receiver_is_registered_changed_paused_and_let_go_on(world: World) {
    let calls = Calls::on(world).await;
    let by = &calls.administrator;
    let made = calls.saved(by, RECEIVERS, &receiver()).await;
    let told = &made["receptor"];
    assert_eq!(
        (&told["codReceptor"], &told["endereco"]),
        (&json!(1), &json!("https://erp.example/gatilhos"))
    );
    assert_eq!(told["entidades"], json!(["beneficio", "helpDesk"]));
    assert_eq!((&told["cabecalhos"], &told["simultaneas"]), (&json!(["X-Api-Key"]), &json!(8)));
    assert_eq!(
        (&told["ativo"], &told["pausado"], &told["motivoPausa"]),
        (&json!(true), &json!(false), &Value::Null)
    );
    assert_eq!(calls.read(by, &of(1, ""), &[]).await, *told);
    let changed = calls
        .put(by, &of(1, ""), &json!({"versao": 1, "entidades": ["todos"], "simultaneas": 3}))
        .await
        .json();
    assert_eq!(changed["entidades"].as_array().unwrap().len(), 5);
    assert_eq!(
        (&changed["simultaneas"], &changed["cabecalhos"]),
        (&json!(3), &json!(["X-Api-Key"])),
        "absent stays"
    );
    let cleared =
        calls.put(by, &of(1, ""), &json!({"versao": 2, "cabecalhos": null, "ativo": false})).await.json();
    assert_eq!((&cleared["cabecalhos"], &cleared["ativo"]), (&json!([]), &json!(false)));
    let paused = calls.saved(by, &of(1, "/pausar"), &json!({"motivo": "Manutenção."})).await;
    assert_eq!((&paused["pausado"], &paused["motivoPausa"]), (&json!(true), &json!("manual")));
    assert_eq!(
        calls.server().write(&of(1, "/pausar"), by, "").await.json()["pausado"],
        true,
        "without a body too"
    );
    assert_eq!(calls.server().write(&of(1, "/retomar"), by, "").await.json()["pausado"], false);
    assert_eq!(calls.count("receivers").await, 1);
}

#[both_engines]
async fn a_secret_is_shown_once_and_not_again_to_a_repeated_key(world: World) {
    let calls = Calls::on(world).await;
    let bearer = format!("Bearer {}", calls.administrator);
    let headers =
        [("Authorization", bearer.as_str()), ("Content-Type", "application/json"), ("Idempotency-Key", "um")];
    for (path, body) in [(RECEIVERS.to_owned(), receiver().to_string()), (of(1, "/segredo"), String::new())] {
        let first = calls.server().call("POST", &path, &headers, &body).await;
        let secret = first.json()["segredo"].as_str().unwrap().to_owned();
        assert!(secret.starts_with("whsec_"), "{first:?}");
        let again = calls.server().call("POST", &path, &headers, &body).await;
        assert_eq!(again.header("idempotency-replayed"), Some("true"));
        assert_eq!(again.json()["segredo"], Value::Null);
        for path in [RECEIVERS.to_owned(), of(1, "")] {
            let told = calls.get(&calls.administrator, &path, &[]).await.body;
            assert!(!told.contains("whsec_") && !told.contains("chave-secreta"), "{told}");
        }
        assert!(!testkit::dump(calls.world.db()).await.contains(secret.trim_start_matches("whsec_")));
    }
    assert_eq!(calls.count("receivers").await, 1);
}

#[both_engines]
async fn only_an_administrator_manages_receivers_and_only_his_own(world: World) {
    let there = world.there;
    let unit = world.db().write(WriteLane::foreground(there), there, |tx, tenant| {
        Box::pin(async move {
            let promote =
                sql("UPDATE users SET role = 1 WHERE tenant = $1 AND email = 'operador@ali.example'");
            tx.execute(promote.arg(*tenant)).await
        })
    });
    let promoted: Result<u64, storage::Error> = unit.await;
    assert_eq!(promoted.unwrap(), 1);
    let calls = Calls::on(world).await;
    calls.saved(&calls.administrator, RECEIVERS, &receiver()).await;
    let again = json!({"codReceptor": 1, "codHistoricoInicial": 1});
    for token in [&calls.operator, &calls.integration] {
        calls.get(token, RECEIVERS, &[]).await.refuses(403);
        calls.get(token, &of(1, ""), &[]).await.refuses(403);
        calls.get(token, DELIVERIES, &[("codReceptor", "1")]).await.refuses(403);
        calls.post(token, RECEIVERS, &receiver()).await.refuses(403);
        calls.put(token, &of(1, ""), &json!({})).await.refuses(403);
        calls.post(token, "/gestao/entrega/reenviar", &again).await.refuses(403);
        for what in ["/pausar", "/retomar", "/segredo", "/teste"] {
            calls.post(token, &of(1, what), &json!({})).await.refuses(403);
        }
    }
    let other = &calls.stranger;
    assert_eq!(calls.read(other, RECEIVERS, &[]).await, json!([]));
    calls.get(other, &of(1, ""), &[]).await.refuses(404);
    calls.put(other, &of(1, ""), &json!({"versao": 1, "ativo": false})).await.refuses(404);
    for what in ["/pausar", "/retomar", "/segredo", "/teste"] {
        let refused = calls.post(other, &of(1, what), &json!({})).await;
        assert!(told_about(refused.refuses(404), "codReceptor"), "{what}: {refused:?}");
    }
    let refused = calls.get(other, DELIVERIES, &[("codReceptor", "1")]).await;
    assert!(told_about(refused.refuses(400), "codReceptor"), "a code in a query: {refused:?}");
    calls.post(other, "/gestao/entrega/reenviar", &again).await.refuses(400);
}

#[both_engines]
async fn an_old_version_changes_nothing_and_both_states_are_told(world: World) {
    let calls = Calls::on(world).await;
    let by = &calls.administrator;
    calls.saved(by, RECEIVERS, &receiver()).await;
    let without = calls.put(by, &of(1, ""), &json!({"ativo": false})).await;
    assert!(told_about(without.refuses(400), "versao"), "{without:?}");
    let first = json!({"versao": 1, "simultaneas": 3, "endereco": "https://novo.example"});
    assert_eq!(calls.put(by, &of(1, ""), &first).await.json()["versao"], 2);
    let second = json!({"versao": 1, "simultaneas": 9, "endereco": "https://outro.example", "entidades": ["todos"],
        "cabecalhos": [{"nome": "X-Outra", "valor": "valor-secreto"}], "ativo": false});
    let refused = calls.put(by, &of(1, ""), &second).await;
    let lines: Vec<&str> = refused.refuses(409).lines().collect();
    assert_eq!(
        lines,
        [
            "versao: o registro foi alterado em 14/11/2026 10:32:05 e está na versão 2, não na 1; nada foi gravado. Confira e envie de novo.",
            "endereco: enviado \"https://outro.example\"; agora \"https://novo.example\".",
            "entidades: enviado \"beneficio, evento, vistoria, helpDesk, consulta\"; agora \"beneficio, helpDesk\".",
            "cabecalhos: enviado \"X-Outra\"; agora nada.",
            "simultaneas: enviado \"9\"; agora \"3\".",
            "ativo: enviado \"false\"; agora \"true\".",
        ]
    );
    let told = calls.read(by, &of(1, ""), &[]).await;
    assert_eq!((&told["simultaneas"], &told["versao"], &told["ativo"]), (&json!(3), &json!(2), &json!(true)));
    // Pausing and a new secret are changes too.
    calls.saved(by, &of(1, "/pausar"), &json!({})).await;
    calls.saved(by, &of(1, "/segredo"), &json!({})).await;
    calls.put(by, &of(1, ""), &json!({"versao": 2, "simultaneas": 9})).await.refuses(409);
    assert_eq!(calls.put(by, &of(1, ""), &json!({"versao": 4, "simultaneas": 9})).await.json()["versao"], 5);
}

#[both_engines]
async fn an_association_has_so_many_receivers_in_use_and_no_more(world: World) {
    let calls = Calls::on(world).await;
    let by = &calls.administrator;
    let unit = calls.world.db().write(WriteLane::foreground(calls.world.here), calls.world.here, |tx, tenant| {
        Box::pin(async move {
            for code in 1..app::triggers::receivers::RECEIVERS_PER_TENANT as i64 {
                let one = sql("INSERT INTO receivers (tenant, code, address, entities, active, version, created_at, updated_at)
                     VALUES ($1, $2, 'https://erp.example', 2, TRUE, 1, 0, 0)");
                tx.execute(one.arg(*tenant).arg(1000 + code)).await?;
            }
            Ok(())
        })
    });
    let written: Result<(), storage::Error> = unit.await;
    written.unwrap();
    calls.saved(by, RECEIVERS, &receiver()).await;
    let refused = calls.post(by, RECEIVERS, &receiver()).await;
    assert!(told_about(refused.refuses(409), "codReceptor"), "{refused:?}");
    // One that is retired makes room, and has to find some when it comes back.
    let retired = calls.put(by, &of(1, ""), &json!({"versao": 1, "ativo": false})).await;
    assert_eq!(retired.json()["ativo"], false);
    calls.saved(by, RECEIVERS, &receiver()).await;
    calls.put(by, &of(1, ""), &json!({"versao": 2, "ativo": true})).await.refuses(409);
    calls.put(by, &of(1, ""), &json!({"versao": 2, "simultaneas": 2})).await;
}

#[both_engines]
async fn everything_that_is_wrong_with_a_receiver_is_told_at_once(world: World) {
    let calls = Calls::on(world).await;
    let by = &calls.administrator;
    let bad = json!({"entidades": ["carro"], "cabecalhos": [{"nome": "Host", "valor": "x"}, {"nome": "a b", "valor": "x"}]});
    let refused = calls.post(by, RECEIVERS, &bad).await;
    let told = refused.refuses(400);
    assert!(["endereco", "entidades", "cabecalhos"].iter().all(|field| told_about(told, field)), "{told}");
    assert!(told.contains("Host") && told.contains("a b"), "{told}");
    for address in
        ["erp.example", "ftp://erp.example", "http://u:p@erp.example", "http://erp.example/?a=b", ""]
    {
        let bad = json!({"endereco": address, "entidades": ["todos"]});
        let refused = calls.post(by, RECEIVERS, &bad).await;
        assert!(told_about(refused.refuses(400), "endereco"), "{address}: {refused:?}");
    }
    for (field, value) in [("simultaneas", json!(0)), ("simultaneas", json!(65)), ("entidades", json!([]))] {
        let mut bad = receiver();
        bad[field] = value;
        let refused = calls.post(by, RECEIVERS, &bad).await;
        assert!(told_about(refused.refuses(400), field), "{field}: {refused:?}");
    }
    assert_eq!(calls.count("receivers").await, 0, "nothing of it is stored");
    calls.get(by, DELIVERIES, &[]).await.refuses(400);
    calls.get(by, &of(7, ""), &[]).await.refuses(404);
    calls.get(by, "/gestao/receptor/x", &[]).await.refuses(400);
}

/// Somebody who posts nothing, and says that it was taken.
struct Taker(std::sync::Mutex<Vec<String>>);

impl MessageSender for Taker {
    fn post<'a>(
        &'a self,
        _: &'a app::triggers::receivers::DeliveryTarget,
        message: OutgoingMessage<'a>,
    ) -> std::pin::Pin<Box<dyn Future<Output = Result<ReceiverAnswer, String>> + Send + 'a>> {
        self.0.lock().unwrap().push(message.body.to_owned());
        Box::pin(async { Ok(ReceiverAnswer { status: 202, text: None, retry_after: None }) })
    }
}

#[both_engines]
async fn trying_a_receiver_out_tells_what_it_answered_and_once_for_a_key(world: World) {
    let taker = Arc::new(Taker(std::sync::Mutex::default()));
    let mut app = world.app().clone();
    app.message_sender = Arc::clone(&taker) as Arc<dyn MessageSender>;
    let server = Server::start(app).await;
    let token = server.token(&world.administrator.email).await;
    assert_eq!(server.write(RECEIVERS, &token, &receiver().to_string()).await.status, 200);
    let bearer = format!("Bearer {token}");
    let headers =
        [("Authorization", bearer.as_str()), ("Content-Type", "application/json"), ("Idempotency-Key", "um")];
    let wanted = json!({"entidade": "Help Desk"}).to_string();
    let first = server.call("POST", &of(1, "/teste"), &headers, &wanted).await;
    assert_eq!(first.json(), json!({"aceito": true, "status": 202, "resposta": null, "erro": null}));
    let again = server.call("POST", &of(1, "/teste"), &headers, &wanted).await;
    assert_eq!((again.header("idempotency-replayed"), &again.body), (Some("true"), &first.body));
    // What is refused is not sent.
    let refused = server.write(&of(1, "/teste"), &token, r#"{"entidade": "Carro"}"#).await;
    assert!(told_about(refused.refuses(400), "entidade"));
    let sent = taker.0.lock().unwrap().clone();
    assert_eq!(sent.len(), 1);
    assert!(sent[0].contains("[\\\"Help Desk\\\"]"), "{sent:?}");
}

#[both_engines]
async fn deliveries_are_listed_with_their_attempts_and_sent_again(world: World) {
    let calls = Calls::on(world).await;
    let by = &calls.administrator;
    calls.saved(by, RECEIVERS, &receiver()).await;
    calls.member(1).await;
    let saved = calls.health(1, json!({})).await;
    calls.cancel(&calls.operator, &saved["codBeneficio"], "").await;
    let unit = calls.world.db().write(WriteLane::foreground(calls.world.here), calls.world.here, |tx, tenant| {
        Box::pin(async move {
            let tried = sql("INSERT INTO attempts (tenant, receiver, history_code, number, tried_at, status, millis, answer)
                 VALUES ($1, 1, 1, 1, 1794663125000, 500, 12, 'não')");
            tx.execute(tried.arg(*tenant)).await?;
            let ended = sql("INSERT INTO deliveries (tenant, receiver, history_code, state, tries, ended_at)
                 VALUES ($1, 1, 1, 3, 10, 1794663125000)");
            tx.execute(ended.arg(*tenant)).await?;
            let gone = sql("DELETE FROM outbox WHERE tenant = $1 AND history_code = 1");
            tx.execute(gone.arg(*tenant)).await
        })
    });
    let written: Result<u64, storage::Error> = unit.await;
    written.unwrap();
    let page = calls.read(by, DELIVERIES, &[("codReceptor", "1")]).await;
    let all = items(&page);
    assert_eq!(each(&all, "estado"), ["esgotada", "pendente"]);
    assert_eq!((&page["proximo"], &page["temMais"]), (&json!(2), &json!(false)));
    assert_eq!((&all[0]["entidade"], &all[0]["codigo"]), (&json!("beneficio"), &saved["codBeneficio"]));
    let (id, start) = (all[0]["webhookId"].as_str().unwrap(), format!("msg_{}_1_", calls.world.here));
    assert!(id.starts_with(&start) && id.len() == start.len() + 12, "{id}");
    assert_eq!(
        all[0]["historico"],
        json!([{"dataHora": "2026-11-14T10:32:05-03:00", "status": 500, "duracaoMs": 12, "resposta": "não", "erro": null}])
    );
    for (state, count) in [("esgotada", 1), ("pendente", 1), ("entregue", 0)] {
        let page = calls.read(by, DELIVERIES, &[("codReceptor", "1"), ("estado", state)]).await;
        assert_eq!(items(&page).len(), count, "{state}");
    }
    let again = "/gestao/entrega/reenviar";
    for bad in [
        json!({"codReceptor": 1}),
        json!({"codReceptor": 1, "codHistoricoInicial": 1, "desde": "14/11/2026"}),
        json!({"codReceptor": 1, "codHistoricoInicial": 1, "codHistoricoFinal": "x"}),
        json!({"codHistoricoInicial": 1}),
    ] {
        calls.post(by, again, &bad).await.refuses(400);
    }
    let states = |page: Value| each(&items(&page), "estado");
    let page = calls.read(by, DELIVERIES, &[("codReceptor", "1")]).await;
    assert_eq!(states(page), ["esgotada", "pendente"], "what is refused changes nothing");
    let missed = json!({"codReceptor": 1, "desde": "14/11/2026"});
    assert_eq!(calls.saved(by, again, &missed).await, json!({"reenviadas": 1}));
    assert_eq!(calls.saved(by, again, &missed).await, json!({"reenviadas": 0}));
    let page = calls.read(by, DELIVERIES, &[("codReceptor", "1")]).await;
    assert_eq!(states(page), ["pendente", "pendente"]);
    let bearer = format!("Bearer {by}");
    let headers =
        [("Authorization", bearer.as_str()), ("Content-Type", "application/json"), ("Idempotency-Key", "um")];
    let one = json!({"codReceptor": 1, "codHistoricoInicial": 1}).to_string();
    let first = calls.server().call("POST", again, &headers, &one).await;
    let second = calls.server().call("POST", again, &headers, &one).await;
    assert_eq!((second.header("idempotency-replayed"), &second.body), (Some("true"), &first.body));
}
