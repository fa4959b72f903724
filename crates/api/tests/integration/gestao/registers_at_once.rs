//! Eight callers at once, in two processes where the database allows it.

use crate::calls::{Calls, told_about};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;
use testkit::{Reply, World, both_engines, eight_at_once};

const PLANS: &str = "/gestao/plano";

fn plan(name: &str, more: Value) -> Value {
    crate::calls::with(json!({"nome": name, "tipoBeneficio": "VEICULAR", "valor": 10}), more)
}

async fn eight(calls: &Arc<Calls>, act: impl Fn(usize) -> (&'static str, String, Value)) -> Vec<Reply> {
    eight_at_once(|number| {
        let (calls, (method, path, body)) = (Arc::clone(calls), act(number));
        async move {
            match method {
                "PUT" => calls.put(&calls.administrator, &path, &body).await,
                _ => calls.post(&calls.administrator, &path, &body).await,
            }
        }
    })
    .await
}

fn done(answers: &[Reply]) -> usize {
    answers.iter().filter(|answer| answer.status == 200).count()
}

#[both_engines]
async fn eight_at_once_with_one_name_or_one_code_make_one_record(world: World) {
    let calls = Arc::new(Calls::on(world).await);
    let names = ["Bronze", "BRONZE", "bronzé", " Bronze "];
    let answers =
        eight(&calls, |number| ("POST", PLANS.to_owned(), plan(names[number % 4], json!({})))).await;
    assert_eq!(done(&answers), 1, "{answers:?}");
    for refused in answers.iter().filter(|answer| answer.status != 200) {
        assert!(told_about(refused.refuses(409), "nome"), "{refused:?}");
    }
    let named = |number: usize| plan(&format!("Plano {number}"), json!({"codPlano": 500}));
    let answers = eight(&calls, |number| ("POST", PLANS.to_owned(), named(number))).await;
    assert_eq!(done(&answers), 1, "{answers:?}");
    for refused in answers.iter().filter(|answer| answer.status != 200) {
        assert!(told_about(refused.refuses(409), "codPlano"), "{refused:?}");
    }
    let named = |number: usize| plan(&format!("Outro {number}"), json!({}));
    let answers = eight(&calls, |number| ("POST", PLANS.to_owned(), named(number))).await;
    let codes: BTreeSet<i64> = answers.iter().map(|one| one.json()["codPlano"].as_i64().unwrap()).collect();
    assert_eq!(codes, (501..=508).collect());
}

#[both_engines]
async fn eight_at_once_who_read_one_version_make_one_change(world: World) {
    let calls = Arc::new(Calls::on(world).await);
    let change = |number: usize| json!({"nome": format!("Nome {number}"), "versao": 1});
    let answers = eight(&calls, |number| ("PUT", "/gestao/plano/1".to_owned(), change(number))).await;
    assert_eq!(done(&answers), 1, "{answers:?}");
    for refused in answers.iter().filter(|answer| answer.status != 200) {
        assert!(told_about(refused.refuses(409), "versao"), "{refused:?}");
    }
    let now = calls.read(&calls.administrator, "/gestao/plano/1", &[]).await;
    assert_eq!(now["versao"], 2);
}

#[both_engines]
async fn eight_at_once_of_whom_each_wants_the_default_leave_one(world: World) {
    let calls = Arc::new(Calls::on(world).await);
    let situation = |number: usize| json!({"entidade": "evento", "tipo": "ANDAMENTO", "nome": format!("S{number}"), "corDestaque": "123456", "padrao": true});
    let answers = eight(&calls, |number| ("POST", "/gestao/situacao".to_owned(), situation(number))).await;
    assert_eq!(done(&answers), 8, "{answers:?}");
    let query = [("entidade", "evento"), ("tipo", "ANDAMENTO")];
    let all = crate::calls::items(&calls.read(&calls.administrator, "/gestao/situacao", &query).await);
    assert_eq!(all.iter().filter(|one| one["padrao"] == true).count(), 1, "{all:?}");
}

#[both_engines]
async fn a_repeated_key_gets_the_first_answer_and_adds_nothing(world: World) {
    let calls = Calls::on(world).await;
    let bearer = format!("Bearer {}", calls.administrator);
    let headers =
        [("Authorization", bearer.as_str()), ("Content-Type", "application/json"), ("Idempotency-Key", "um")];
    let body = plan("Bronze", json!({})).to_string();
    let first = calls.server().call("POST", PLANS, &headers, &body).await;
    let again = calls.server().call("POST", PLANS, &headers, &body).await;
    assert_eq!((again.header("idempotency-replayed"), &again.body), (Some("true"), &first.body));
    assert_eq!(calls.count("plans").await, 8);
    let other = plan("Prata", json!({})).to_string();
    calls.server().call("POST", PLANS, &headers, &other).await.refuses(422);
}
