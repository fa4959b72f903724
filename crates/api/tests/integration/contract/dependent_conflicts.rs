//! What speaks against a dependent: cards and documents of others, and what is not the caller's.

use crate::calls::{
    BENEFITS, Calls, DEPENDENTS, MEMBERS, cpf, dependent, each, health, of, told_about, with,
};
use crate::contract::dependents::{listed, one};
use serde_json::json;
use std::sync::Arc;
use testkit::{World, both_engines, eight_at_once};

#[both_engines]
async fn a_dependent_takes_the_card_of_his_holder_or_a_new_one(world: World) {
    let (calls, benefit) = one(world).await;
    let other = calls.health(1, json!({})).await;
    let card = benefit["numeroCartaoDesconto"].clone();
    let shared = json!({"numeroCartaoDesconto": card});
    assert_eq!(calls.dependent(&benefit, shared.clone()).await["numeroCartaoDesconto"], card);
    assert_eq!(calls.dependent(&other, shared).await["numeroCartaoDesconto"], card);
    let new = json!({"numeroCartaoDesconto": "1234567890123"});
    calls.dependent(&benefit, new.clone()).await;
    calls.dependent(&other, new.clone()).await;
    // And the holder takes that of his dependent.
    assert_eq!(calls.health(1, new).await["numeroCartaoDesconto"], "1234 56 7 890 123");
    // One that is made is nobody's, not even a dependent's.
    let next = domain::CardNumber::generate(calls.world.here, 3).to_string();
    calls.dependent(&benefit, json!({"numeroCartaoDesconto": next})).await;
    assert_ne!(calls.health(1, json!({})).await["numeroCartaoDesconto"], next.as_str());
    assert_ne!(calls.dependent(&other, json!({})).await["numeroCartaoDesconto"], next.as_str());
}

#[both_engines]
async fn a_card_of_another_person_is_a_conflict_in_both_directions(world: World) {
    let (calls, benefit) = one(world).await;
    calls.member(2).await;
    let other = calls.health(2, json!({})).await;
    let own = calls.dependent(&other, json!({})).await;
    for card in [&other["numeroCartaoDesconto"], &own["numeroCartaoDesconto"]] {
        let given = json!({"numeroCartaoDesconto": card});
        let refused = calls.post(&calls.operator, DEPENDENTS, &dependent(&benefit, given.clone())).await;
        assert!(told_about(refused.refuses(409), "numeroCartaoDesconto"), "{refused:?}");
        let refused = calls.post(&calls.operator, BENEFITS, &health(1, given.clone())).await;
        assert!(told_about(refused.refuses(409), "numeroCartaoDesconto"), "{refused:?}");
        let change = with(given, json!({"codBeneficio": benefit["codBeneficio"]}));
        calls.post(&calls.operator, BENEFITS, &health(1, change)).await.refuses(409);
    }
    let mine = calls.dependent(&benefit, json!({})).await;
    let change =
        json!({"codDependente": mine["codDependente"], "numeroCartaoDesconto": own["numeroCartaoDesconto"]});
    calls.post(&calls.operator, DEPENDENTS, &dependent(&benefit, change)).await.refuses(409);
    assert_eq!(listed(&calls, &benefit).await[0]["numeroCartaoDesconto"], mine["numeroCartaoDesconto"]);
    // In the other association the number is anybody's.
    let person = json!({"nomePessoa": "Ana Ali", "cpfCnpj": cpf(1)});
    calls.saved(&calls.stranger, MEMBERS, &person).await;
    let there = with(
        health(1, json!({})),
        json!({"codPlano": 1, "numeroCartaoDesconto": own["numeroCartaoDesconto"]}),
    );
    calls.saved(&calls.stranger, BENEFITS, &there).await;
}

#[both_engines]
async fn a_dependent_of_another_benefit_is_not_this_ones(world: World) {
    let (calls, benefit) = one(world).await;
    let other = calls.health(1, json!({})).await;
    calls.dependent(&other, json!({"nome": "Dele"})).await;
    for code in [1, 99, -1, 0] {
        let body = dependent(&benefit, json!({"codDependente": code}));
        let told = calls.refused(DEPENDENTS, &body).await;
        assert!(told_about(&told, "codDependente") && told.contains(&code.to_string()), "{told}");
    }
    assert_eq!(each(&listed(&calls, &other).await, "nome"), ["Dele"]);
    assert_eq!(listed(&calls, &benefit).await.len(), 0);
}

#[both_engines]
async fn the_same_cpf_is_one_active_dependent_of_a_benefit(world: World) {
    let (calls, benefit) = one(world).await;
    let same = json!({"cpf": cpf(50)});
    calls.dependent(&benefit, same.clone()).await;
    let refused = calls.post(&calls.operator, DEPENDENTS, &dependent(&benefit, same.clone())).await;
    assert!(told_about(refused.refuses(409), "cpf") && refused.body.contains("dependente 1"), "{refused:?}");
    // The holder's own CPF, or none, is nobody's business.
    calls.dependent(&benefit, json!({"cpf": cpf(1)})).await;
    calls.dependent(&benefit, json!({})).await;
    calls.dependent(&benefit, with(same.clone(), json!({"codDependente": 1, "nome": "Outro"}))).await;
    let sleeping = calls.dependent(&benefit, with(same.clone(), json!({"ativo": false}))).await;
    let woken = with(same.clone(), json!({"codDependente": sleeping["codDependente"], "ativo": true}));
    calls.post(&calls.operator, DEPENDENTS, &dependent(&benefit, woken.clone())).await.refuses(409);
    calls.dependent(&benefit, with(same.clone(), json!({"codDependente": 1, "ativo": false}))).await;
    calls.dependent(&benefit, woken).await;
    let elsewhere = calls.health(1, json!({})).await;
    calls.dependent(&elsewhere, same).await;
}

#[both_engines]
async fn eight_at_once_with_one_cpf_make_one_dependent(world: World) {
    let (calls, benefit) = one(world).await;
    let calls = Arc::new(calls);
    let answers = eight_at_once(|_| {
        let (calls, body) = (Arc::clone(&calls), dependent(&benefit, json!({"cpf": cpf(50)})));
        async move { calls.post(&calls.operator, DEPENDENTS, &body).await }
    })
    .await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1, "{answers:?}");
    assert_eq!(answers.iter().filter(|answer| answer.status == 409).count(), 7, "{answers:?}");
    assert_eq!(listed(&calls, &benefit).await.len(), 1);
}

#[both_engines]
async fn dependents_of_a_benefit_out_of_reach_answer_like_those_of_an_unknown_one(world: World) {
    let calls = Calls::on(world).await;
    let person = json!({"nomePessoa": "Ana", "cpfCnpj": cpf(1), "codLoja": 1});
    calls.saved(&calls.administrator, MEMBERS, &person).await;
    let far = calls.saved(&calls.administrator, BENEFITS, &health(1, json!({}))).await;
    calls.saved(&calls.administrator, DEPENDENTS, &dependent(&far, json!({}))).await;
    let nowhere = json!({"codBeneficio": 99});
    for token in [&calls.operator, &calls.integration, &calls.stranger] {
        for more in [json!({"codDependente": 1}), json!({})] {
            let unknown = calls.post(token, DEPENDENTS, &dependent(&nowhere, more.clone())).await;
            let refused = calls.post(token, DEPENDENTS, &dependent(&far, more)).await;
            assert_eq!(refused.refuses(400), unknown.refuses(400).replace("99", "1"));
        }
        let unknown = calls.get(token, &of(&nowhere, "dependentes"), &[]).await;
        let refused = calls.get(token, &of(&far, "dependentes"), &[]).await;
        assert_eq!(refused.refuses(404), unknown.refuses(404).replace("99", "1"));
    }
    // Nobody takes another's dependent over by its code.
    calls.member(2).await;
    let own = calls.health(2, json!({})).await;
    let unknown = calls.refused(DEPENDENTS, &dependent(&own, json!({"codDependente": 77}))).await;
    let refused = calls.refused(DEPENDENTS, &dependent(&own, json!({"codDependente": 1}))).await;
    assert_eq!(refused, unknown.replace("77", "1"));
}
