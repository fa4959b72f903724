//! Card numbers of benefits: made where none comes, shared where one is sent back.

use crate::calls::{BENEFITS, Calls, each, health, told_about};
use domain::CardNumber;
use serde_json::json;
use testkit::{World, both_engines};

#[both_engines]
async fn a_card_number_is_made_where_none_comes_and_shown_in_groups(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let mut seen = Vec::new();
    for _ in 0..3 {
        let card = calls.health(1, json!({})).await["numeroCartaoDesconto"].as_str().unwrap().to_owned();
        let groups: Vec<usize> = card.split(' ').map(str::len).collect();
        assert_eq!(groups, [4, 2, 1, 3, 3], "{card}");
        assert!(card.chars().all(|c| c == ' ' || c.is_ascii_digit()), "{card}");
        assert!(!seen.contains(&card));
        seen.push(card);
    }
}

#[both_engines]
async fn a_number_sent_back_is_shared_by_benefits_of_one_person(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let first = calls.health(1, json!({})).await;
    let card = first["numeroCartaoDesconto"].as_str().unwrap();
    let second = calls.health(1, json!({"numeroCartaoDesconto": card})).await;
    let third = calls.car(1, "ABC1D23", json!({"numeroCartaoDesconto": card.replace(' ', "")})).await;
    assert_eq!(each(&[second, third], "numeroCartaoDesconto"), [card, card]);
    let found = calls.found(&[("numeroCartaoDesconto", card)]).await;
    assert_eq!(each(&found, "codBeneficio"), [json!(1), json!(2), json!(3)]);
}

#[both_engines]
async fn a_number_new_to_the_association_is_taken_as_it_comes(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    // Any check digit will do.
    for (number, shown) in
        [("1234567890120", "1234 56 7 890 120"), ("1234 56 7 890 121", "1234 56 7 890 121")]
    {
        let saved = calls.health(1, json!({"numeroCartaoDesconto": number})).await;
        assert_eq!(saved["numeroCartaoDesconto"], shown);
        assert_eq!(calls.found(&[("numeroCartaoDesconto", number)]).await.len(), 1);
    }
    for wrong in ["123", "12345678901234", "1234  567890123", "1234-56-7-890-123", "abcd 56 7 890 123"] {
        let told = calls.refused(BENEFITS, &health(1, json!({"numeroCartaoDesconto": wrong}))).await;
        assert!(told_about(&told, "numeroCartaoDesconto"), "{wrong}: {told}");
    }
}

#[both_engines]
async fn the_card_of_another_person_is_a_conflict(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    calls.member(2).await;
    let card = calls.health(1, json!({})).await["numeroCartaoDesconto"].clone();
    let own = calls.health(2, json!({})).await;
    let body = health(2, json!({"numeroCartaoDesconto": card}));
    let refused = calls.post(&calls.operator, BENEFITS, &body).await;
    assert!(told_about(refused.refuses(409), "numeroCartaoDesconto"), "{refused:?}");
    assert!(!refused.body.contains("Pessoa 1"), "{refused:?}");
    let body = health(2, json!({"codBeneficio": own["codBeneficio"], "numeroCartaoDesconto": card}));
    calls.post(&calls.operator, BENEFITS, &body).await.refuses(409);
    assert_eq!(calls.now(&own).await["numeroCartaoDesconto"], own["numeroCartaoDesconto"]);
}

#[both_engines]
async fn a_number_that_is_made_never_is_one_that_somebody_sent(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    calls.member(2).await;
    // Those that would be made next.
    let sent: Vec<String> =
        (1..=6).map(|number| CardNumber::generate(calls.world.here, number).to_string()).collect();
    for card in &sent {
        calls.health(1, json!({"numeroCartaoDesconto": card})).await;
    }
    for _ in 0..4 {
        let made = calls.health(2, json!({})).await["numeroCartaoDesconto"].as_str().unwrap().to_owned();
        assert!(!sent.contains(&made), "{made}");
    }
}

#[both_engines]
async fn the_other_association_may_use_the_same_number(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let body = json!({"numeroCartaoDesconto": "1234 56 7 890 123"});
    calls.health(1, body.clone()).await;
    let person = json!({"nomePessoa": "Ana Ali", "cpfCnpj": crate::calls::cpf(2)});
    calls.saved(&calls.stranger, "/ext/associado", &person).await;
    let there = crate::calls::with(health(2, body), json!({"codPlano": 1}));
    calls.saved(&calls.stranger, BENEFITS, &there).await;
    assert_eq!(calls.found(&[("numeroCartaoDesconto", "1234567890123")]).await.len(), 1);
}
