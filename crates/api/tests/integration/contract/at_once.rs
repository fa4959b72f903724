//! Eight callers at once, in two processes where the database allows it: the rules hold all the same.

use crate::calls::{BENEFITS, Calls, HISTORY, VEHICLES, car, each, health, items, told_about};
use serde_json::{Value, json};
use std::sync::Arc;
use testkit::{Reply, World, both_engines, eight_at_once};

async fn eight(calls: &Arc<Calls>, path: &'static str, body: impl Fn(u32) -> Value) -> Vec<Reply> {
    eight_at_once(|number| {
        let (calls, body) = (Arc::clone(calls), body(u32::try_from(number).unwrap()));
        async move { calls.post(&calls.operator, path, &body).await }
    })
    .await
}

async fn members(world: World) -> Arc<Calls> {
    let calls = Calls::on(world).await;
    for number in 0..8 {
        calls.member(number).await;
    }
    Arc::new(calls)
}

#[both_engines]
async fn eight_at_once_with_one_plate_make_one_benefit(world: World) {
    let calls = members(world).await;
    let plates = ["ABC1D23", "abc-1d23", "ABC1323", "abc-1323"];
    let answers = eight(&calls, VEHICLES, |number| car(number, plates[number as usize % 4], json!({}))).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1, "{answers:?}");
    for refused in answers.iter().filter(|answer| answer.status != 200) {
        assert!(told_about(refused.refuses(409), "placa"), "{refused:?}");
    }
    assert_eq!(calls.found(&[("placa", "ABC1D23")]).await.len(), 1);
    assert_eq!(calls.history(&calls.operator).await.len(), 1);
}

#[both_engines]
async fn eight_at_once_with_one_chassis_make_one_benefit(world: World) {
    let calls = members(world).await;
    let body = |number: u32| car(number, &format!("ABC1D2{number}"), json!({"chassi": "9BWZZZ377VT004251"}));
    let answers = eight(&calls, VEHICLES, body).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1, "{answers:?}");
    for refused in answers.iter().filter(|answer| answer.status != 200) {
        assert!(told_about(refused.refuses(409), "chassi"), "{refused:?}");
    }
}

#[both_engines]
async fn eight_at_once_get_eight_codes_sequences_and_cards_and_a_history_without_gaps(world: World) {
    let calls = members(world).await;
    let answers = eight(&calls, BENEFITS, |number| health(number, json!({}))).await;
    let saved: Vec<Value> = answers.iter().map(Reply::json).collect();
    for field in ["codBeneficio", "sequencial", "numeroCartaoDesconto", "codPessoa"] {
        let mut all: Vec<String> = each(&saved, field).iter().map(Value::to_string).collect();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 8, "{field}: {saved:?}");
    }
    let history = each(&calls.history(&calls.operator).await, "codHistorico");
    assert_eq!(history, (1..=8).map(|code| json!(code)).collect::<Vec<_>>());
}

#[both_engines]
async fn eight_at_once_that_cancel_one_benefit_change_it_once(world: World) {
    let calls = members(world).await;
    let saved = calls.health(1, json!({})).await;
    let answers = eight_at_once(|_| {
        let (calls, code) = (Arc::clone(&calls), saved["codBeneficio"].clone());
        async move { calls.cancel(&calls.operator, &code, "").await }
    })
    .await;
    assert!(
        answers.iter().all(|answer| answer.status == 200 && answer.body == answers[0].body),
        "{answers:?}"
    );
    assert_eq!(each(&calls.history(&calls.operator).await, "situacao"), ["PENDENTE", "CANCELADO"]);
}

#[both_engines]
async fn eight_people_who_send_one_new_card_number_leave_it_to_one(world: World) {
    let calls = members(world).await;
    let card = json!({"numeroCartaoDesconto": "1234 56 7 890 123"});
    let answers = eight(&calls, BENEFITS, |number| health(number, card.clone())).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1, "{answers:?}");
    for refused in answers.iter().filter(|answer| answer.status != 200) {
        assert!(told_about(refused.refuses(409), "numeroCartaoDesconto"), "{refused:?}");
    }
}

#[both_engines]
async fn whoever_follows_the_feed_while_eight_write_misses_nothing(world: World) {
    let calls = members(world).await;
    let writing = tokio::spawn({
        let calls = Arc::clone(&calls);
        async move {
            for _ in 0..5 {
                let answers = eight(&calls, BENEFITS, |number| health(number, json!({}))).await;
                assert!(answers.iter().all(|answer| answer.status == 200), "{answers:?}");
            }
        }
    });
    let (mut seen, mut after) = (Vec::new(), "0".to_owned());
    loop {
        let ended = writing.is_finished();
        let page = calls.read(&calls.operator, HISTORY, &[("apos", &after)]).await;
        seen.extend(each(&items(&page), "codHistorico"));
        after = page["proximo"].as_str().unwrap().to_owned();
        if ended && page["temMais"] == false {
            break;
        }
    }
    writing.await.unwrap();
    assert_eq!(seen, (1..=40).map(|code| json!(code)).collect::<Vec<_>>(), "in order, each once");
}
