//! `GET /ext/associado/{codPessoa}/cartaoCredito`.

use crate::calls::{BENEFITS, Calls, MEMBERS, array, cpf, each, health, told_about};
use crate::contract::audit::{all, people};
use domain::{CreditCard, CreditCardCode, Moment, PersonCode, TenantId};
use serde_json::json;
use storage::members::credit_cards::{self, NewCreditCardRow};
use storage::{Error, WriteLane};
use testkit::{World, both_engines};

fn cards(person: impl std::fmt::Display) -> String {
    format!("/ext/associado/{person}/cartaoCredito")
}

fn card(code: i32, holder: &str, is_main: bool, active: bool) -> NewCreditCardRow {
    let card = CreditCard {
        code: CreditCardCode::new(code),
        brand: "Visa".to_owned(),
        last_digits: format!("{:04}", code * 11),
        holder: holder.to_owned(),
        valid_until: "2029-02".to_owned(),
        is_main,
        active,
    };
    NewCreditCardRow { card, created_at: Moment::from_millis(0) }
}

async fn keep(calls: &Calls, tenant: TenantId, person: i32, cards: Vec<NewCreditCardRow>) {
    let written = calls.world.db().write(
        WriteLane::foreground(tenant),
        (tenant, person, cards),
        |tx, (tenant, person, cards)| {
            let person = PersonCode::new(*person);
            let rows = credit_cards::insert_credit_cards(*tenant, cards.iter().map(|card| (person, card)));
            Box::pin(async move { tx.execute_batch(rows).await })
        },
    );
    written.await.map_err(|error: Error| error.to_string()).unwrap();
}

#[both_engines]
async fn the_cards_of_a_member_come_by_the_name_on_them_and_never_whole(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    calls.member(2).await;
    let own = vec![
        card(1, "RUI PRADO", true, true),
        card(2, "Ágata Prado", false, false),
        card(3, "AGATA PRADO", false, true),
    ];
    keep(&calls, calls.world.here, 1, own).await;
    // As versions before kept them.
    let clear = "UPDATE credit_cards SET gateway_token = 'segredo'";
    let lane = WriteLane::foreground(calls.world.here);
    calls.world.db().write(lane, (), |tx, ()| Box::pin(tx.execute(storage::sql(clear)))).await.unwrap();
    let told = calls.get(&calls.operator, &cards(1), &[]).await;
    assert_eq!(told.body, include_str!("golden/cartoes.json").trim_end());
    assert!(!told.body.contains("segredo"), "the gateway's token is nobody's: {told:?}");
    assert_eq!(calls.read(&calls.operator, &cards(2), &[]).await, json!([]), "a member without a card");
}

#[both_engines]
async fn the_cards_of_whom_the_caller_may_not_see_are_not_found(world: World) {
    let calls = Calls::on(world).await;
    // 1 is of store 1; 2 is of store 1 with a benefit in store 2; 3 is of store 3.
    for (number, store) in [(1, 1), (2, 1), (3, 3)] {
        let person = json!({"nomePessoa": "Ana", "cpfCnpj": cpf(number), "codLoja": store});
        calls.saved(&calls.administrator, MEMBERS, &person).await;
        keep(&calls, calls.world.here, number as i32, vec![card(number as i32, "ANA", true, true)]).await;
    }
    calls.saved(&calls.administrator, BENEFITS, &health(2, json!({"codLoja": 2}))).await;
    let ali = json!({"nomePessoa": "Fulano Ali", "cpfCnpj": cpf(1), "codLoja": 2});
    calls.saved(&calls.stranger, MEMBERS, &ali).await;
    for (token, seen) in
        [(&calls.administrator, &[1, 2, 3][..]), (&calls.operator, &[2]), (&calls.integration, &[2, 3])]
    {
        for person in 1..=3 {
            let reply = calls.get(token, &cards(person), &[]).await;
            if seen.contains(&person) {
                assert_eq!(each(&array(&reply.json()), "codCartao"), [person]);
            } else {
                assert!(told_about(reply.refuses(404), "codPessoa"), "{reply:?}");
                let unknown = calls.get(token, &cards(99), &[]).await;
                assert_eq!(reply.body.replace(&person.to_string(), "N"), unknown.body.replace("99", "N"));
            }
        }
    }
    assert_eq!(calls.read(&calls.stranger, &cards(1), &[]).await, json!([]), "his own 1 has none");
    calls.get(&calls.stranger, &cards(2), &[]).await.refuses(404);
    for bad in ["x", "1.5", "2147483648"] {
        let refused = calls.get(&calls.operator, &cards(bad), &[]).await;
        assert!(told_about(refused.refuses(400), "codPessoa"), "{refused:?}");
    }
}

#[both_engines]
async fn a_look_at_cards_is_audited_and_one_that_was_refused_is_not(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    calls.read(&calls.operator, &cards(1), &[]).await;
    calls.get(&calls.operator, &cards(99), &[]).await.refuses(404);
    let looks: Vec<_> = all(&calls, &[]).await.into_iter().filter(|one| one["tipo"] == "leitura").collect();
    assert_eq!(each(&looks, "operacao"), ["GET /ext/associado/{codPessoa}/cartaoCredito"]);
    assert_eq!(people(&looks[0]), [1]);
    assert_eq!(looks[0]["codUsuario"], calls.world.operator.code.get());
}
