//! Credit cards as a gateway keeps them: never a whole number.

use crate::calls::{Calls, array, told_about, with};
use serde_json::{Value, json};
use testkit::{World, both_engines};

const CARDS: &str = "/gestao/cartaoCredito";

fn card(more: Value) -> Value {
    let body = json!({"codPessoa": 1, "bandeira": "Visa", "ultimosDigitos": "4242", "nomeTitular": "ANA B LIMA",
        "validade": "11/2029", "tokenGateway": "tok_9xK2mVbQ"});
    with(body, more)
}

#[both_engines]
async fn a_cards_token_is_taken_and_never_shown(world: World) {
    let calls = Calls::on(world).await;
    let by = &calls.administrator;
    calls.member(1).await;
    let saved = calls.saved(by, CARDS, &card(json!({"principal": true}))).await;
    assert_eq!((&saved["validade"], &saved["principal"]), (&json!("11/2029"), &json!(true)));
    assert!(saved.get("tokenGateway").is_none());
    let at = format!("{CARDS}/{}", saved["codCartao"]);
    let old = calls.put(by, &at, &json!({"tokenGateway": "tok_outro", "bandeira": "Elo", "versao": 7})).await;
    assert!(!old.refuses(409).contains("tok_"), "{old:?}");
    let changed = calls.put(by, &at, &json!({"tokenGateway": "tok_outro", "versao": 1})).await;
    assert_eq!((changed.status, changed.json()["versao"].clone()), (200, json!(2)));
    for path in [at.clone(), format!("{CARDS}?codPessoa=1"), crate::calls::AUDIT.to_owned()] {
        assert!(!calls.get(by, &path, &[]).await.body.contains("tok_"), "{path}");
    }
    let shown = array(&calls.read(by, "/ext/associado/1/cartaoCredito", &[]).await);
    assert_eq!((shown.len(), &shown[0]["ultimosDigitos"]), (1, &json!("4242")));
    assert_eq!(calls.count("secrets").await, 1, "sealed, the second in place of the first");
    assert!(!testkit::dump(calls.world.db()).await.contains("tok_"), "in the clear nowhere");
    let other = calls.put(by, &at, &json!({"bandeira": "Elo", "versao": 2})).await.json();
    assert_eq!((&other["bandeira"], &other["versao"]), (&json!("Elo"), &json!(3)), "the token stays");
    let cleared = calls.put(by, &at, &json!({"tokenGateway": null, "versao": 3})).await;
    assert!(told_about(cleared.refuses(400), "tokenGateway"), "{cleared:?}");
}

#[both_engines]
async fn a_whole_card_number_is_refused_wherever_it_stands_and_is_not_kept(world: World) {
    let calls = Calls::on(world).await;
    let by = &calls.administrator;
    calls.member(1).await;
    for (field, value) in [
        ("tokenGateway", json!("4111111111111111")),
        ("tokenGateway", json!("tok_4111-1111-1111-1111")),
        ("nomeTitular", json!("ANA 5555 5555 5555 4444")),
        ("bandeira", json!("4111 1111 1111 1111")),
        ("ultimosDigitos", json!("4111111111111111")),
        ("nomeTitular", json!("ANA ５５５５ ５５５５ ５５５５ ４４４４")),
        ("nomeTitular", json!("٤١١١١١١١١١١١١١١١")),
        ("bandeira", json!("4111\u{a0}1111\u{2013}1111\u{200b}1111")),
        ("numero", json!("4111 1111 1111 1111")),
        ("numero", json!(4_111_111_111_111_111_i64)),
    ] {
        let refused = calls.post(by, CARDS, &card(json!({field: value}))).await;
        let told = refused.refuses(400);
        assert!(!told.contains("1111") && !told.contains("4444") && !told.contains('５'), "{field}: {told}");
    }
    for (field, value) in [
        ("validade", json!("13/2029")),
        ("validade", json!("2029")),
        ("ultimosDigitos", json!("424")),
        ("ultimosDigitos", json!("42a2")),
        ("codPessoa", json!(99)),
    ] {
        let refused = calls.post(by, CARDS, &card(json!({field: value}))).await;
        assert!(told_about(refused.refuses(400), field), "{field}: {refused:?}");
    }
    assert_eq!(calls.count("credit_cards").await, 0);
    let dump = testkit::dump(calls.world.db()).await;
    assert!(!dump.contains("4111111111111111") && !dump.contains("5555 5555"));
}

#[both_engines]
async fn of_a_persons_cards_one_is_charged(world: World) {
    let calls = Calls::on(world).await;
    let by = &calls.administrator;
    calls.member(1).await;
    calls.member(2).await;
    let first = calls.saved(by, CARDS, &card(json!({"principal": true}))).await["codCartao"].clone();
    let other =
        calls.saved(by, CARDS, &card(json!({"principal": true, "codPessoa": 2}))).await["codCartao"].clone();
    let second = calls.saved(by, CARDS, &card(json!({"principal": true}))).await["codCartao"].clone();
    let main =
        async |code: &Value| calls.read(by, &format!("{CARDS}/{code}"), &[]).await["principal"].clone();
    assert_eq!(
        (main(&first).await, main(&second).await, main(&other).await),
        (json!(false), json!(true), json!(true))
    );
    let retired =
        calls.put(by, &format!("{CARDS}/{second}"), &json!({"ativo": false, "versao": 1})).await.json();
    assert_eq!((&retired["ativo"], &retired["principal"]), (&json!(false), &json!(false)));
    let refused = calls.get(by, CARDS, &[]).await;
    assert!(told_about(refused.refuses(400), "codPessoa"), "{refused:?}");
}
