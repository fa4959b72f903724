//! Nobody learns of what he may not see: not from rows, totals, codes or conflicts. What is out of reach answers like
//! what does not exist.

use crate::calls::{
    BENEFITS, Calls, LIST, MEMBERS, VEHICLES, car, cpf, each, health, items, told_about, with,
};
use serde_json::{Value, json};
use testkit::{Reply, World, both_engines};

const CHASSIS: &str = "9BWZZZ377VT00425";

/// In each store a member with a car and a health benefit; the fourth is of store 1 with a benefit in store 2. The other
/// association has the same documents, plates and codes.
async fn peopled(world: World) -> Calls {
    let calls = Calls::on(world).await;
    for number in 1..=4 {
        let store = if number == 4 { 1 } else { number };
        let person =
            json!({"nomePessoa": format!("Pessoa {number}"), "cpfCnpj": cpf(number), "codLoja": store});
        calls.saved(&calls.administrator, MEMBERS, &person).await;
        let person = with(person, json!({"nomePessoa": "Fulano Ali", "codLoja": 2}));
        calls.saved(&calls.stranger, MEMBERS, &person).await;
        let vehicle =
            json!({"chassi": format!("{CHASSIS}{number}"), "codLoja": if number == 4 { 2 } else { store }});
        let plate = format!("ABC1D2{number}");
        calls.saved(&calls.administrator, VEHICLES, &car(number, &plate, vehicle.clone())).await;
        let there = with(car(number, &plate, vehicle), json!({"codPlano": 2, "codLoja": 2}));
        calls.saved(&calls.stranger, VEHICLES, &there).await;
        calls.saved(&calls.administrator, BENEFITS, &health(number, json!({}))).await;
    }
    calls
}

/// The stores of a page's items and its total, each store as often as it comes.
async fn stores(calls: &Calls, token: &str, path: &str, query: &[(&str, &str)]) -> (Vec<i64>, i64) {
    let page = calls.read(token, path, query).await;
    let mut stores: Vec<i64> =
        each(&items(&page), "codLoja").iter().map(|code| code.as_i64().unwrap()).collect();
    stores.sort_unstable();
    (stores, page["quantidade"].as_i64().unwrap())
}

/// A refusal with every number in it left out.
fn without_numbers(reply: &Reply) -> (u16, String) {
    (reply.status, reply.body.split(|c: char| c.is_ascii_digit()).filter(|part| !part.is_empty()).collect())
}

#[both_engines]
async fn the_member_search_shows_and_counts_the_rows_of_the_callers_stores_alone(world: World) {
    let calls = peopled(world).await;
    let queries: [&[(&str, &str)]; 5] = [
        &[("situacaoBeneficio", "Todos")],
        &[("situacaoBeneficio", "PENDENTE")],
        &[("nome", "pessoa")],
        &[("dataCadastroInicial", "14/11/2026"), ("dataCadastroFinal", "14/11/2026")],
        &[("nome", "p"), ("dataAtualizacao", "14/11/2026")],
    ];
    for query in queries {
        let seen = async |token: &str| stores(&calls, token, MEMBERS, query).await;
        assert_eq!(seen(&calls.administrator).await, (vec![1, 1, 1, 2, 2, 2, 3, 3], 8), "{query:?}");
        assert_eq!(seen(&calls.operator).await, (vec![2, 2, 2], 3), "{query:?}");
        assert_eq!(seen(&calls.integration).await, (vec![2, 2, 2, 3, 3], 5), "{query:?}");
    }
    assert_eq!(stores(&calls, &calls.stranger, MEMBERS, queries[0]).await, (vec![2; 4], 4));
    assert_eq!(stores(&calls, &calls.stranger, MEMBERS, &[("nome", "pessoa")]).await, (vec![], 0));
}

#[both_engines]
async fn what_is_out_of_reach_is_not_found_by_any_parameter_of_the_member_search(world: World) {
    let calls = peopled(world).await;
    let (document, chassis) = (cpf(1), format!("{CHASSIS}1"));
    for query in [
        ("codPessoa", "1"),
        ("cpf", document.as_str()),
        ("cnpj", document.as_str()),
        ("nome", "pessoa 1"),
        ("placa", "ABC1D21"),
        ("chassi", chassis.as_str()),
    ] {
        assert_eq!(stores(&calls, &calls.operator, MEMBERS, &[query]).await, (vec![], 0), "{query:?}");
        assert_eq!(
            stores(&calls, &calls.administrator, MEMBERS, &[query]).await.0.first(),
            Some(&1),
            "{query:?}"
        );
    }
    for query in [("codLoja", "1"), ("codLoja", "99"), ("codConsultor", "3")] {
        let all = ("situacaoBeneficio", "Todos");
        assert_eq!(stores(&calls, &calls.operator, MEMBERS, &[all, query]).await, (vec![], 0), "{query:?}");
    }
    // The same codes are other people elsewhere.
    let there = calls.read(&calls.stranger, MEMBERS, &[("codPessoa", "1")]).await;
    assert_eq!(each(&items(&there), "nomePessoa"), ["Fulano Ali"]);
    assert_eq!(each(&items(&there), "nomeLoja"), ["Filial Ali"]);
}

#[both_engines]
async fn a_row_is_of_its_benefits_store_whatever_the_members(world: World) {
    let calls = peopled(world).await;
    let rows = calls.rows(&[("cpf", &cpf(4))]).await;
    assert_eq!(each(&rows, "tipoBeneficio"), ["VEICULAR"], "his health benefit is of store 1");
    assert_eq!(each(&rows, "nomeLoja"), ["Filial Norte"]);
    let all = calls.read(&calls.administrator, MEMBERS, &[("cpf", &cpf(4))]).await;
    assert_eq!(all["quantidade"], 2);
}

#[both_engines]
async fn the_benefit_search_finds_in_the_callers_stores_alone(world: World) {
    let calls = peopled(world).await;
    let all = items(&calls.read(&calls.administrator, LIST, &[]).await);
    for benefit in &all {
        let sequence = benefit["sequencial"].to_string();
        let card = benefit["numeroCartaoDesconto"].as_str().unwrap();
        let mut queries = vec![("sequencial", sequence.as_str()), ("numeroCartaoDesconto", card)];
        for field in ["placa", "chassi"] {
            queries.extend(benefit[field].as_str().map(|value| (field, value)));
        }
        for query in queries {
            let store = benefit["codLoja"].as_i64().unwrap();
            for (token, sees) in [
                (&calls.administrator, true),
                (&calls.operator, store == 2),
                (&calls.integration, store == 2 || store == 3),
            ] {
                let found = calls.read(token, BENEFITS, &[query]).await;
                assert_eq!(
                    found,
                    if sees { json!([benefit]) } else { json!([]) },
                    "{query:?} of store {store}"
                );
            }
            let there = calls.read(&calls.stranger, BENEFITS, &[query]).await;
            assert!(!there.to_string().contains("Pessoa "), "{there}");
        }
    }
}

#[both_engines]
async fn the_list_shows_and_counts_the_benefits_of_the_callers_stores_alone(world: World) {
    let calls = peopled(world).await;
    let seen = async |token: &str| stores(&calls, token, LIST, &[]).await;
    assert_eq!(seen(&calls.administrator).await, (vec![1, 1, 1, 2, 2, 2, 3, 3], 8));
    assert_eq!(seen(&calls.operator).await, (vec![2, 2, 2], 3));
    assert_eq!(seen(&calls.integration).await, (vec![2, 2, 2, 3, 3], 5));
    assert_eq!(seen(&calls.stranger).await, (vec![2; 4], 4));
}

#[both_engines]
async fn cancelling_what_is_out_of_reach_answers_like_an_unknown_code_and_cancels_nothing(world: World) {
    let calls = peopled(world).await;
    // 1 and 2 are of store 1 here; there, 5 to 8 do not exist.
    for (token, codes) in [
        (&calls.operator, vec![1, 2, 5, 6]),
        (&calls.integration, vec![1, 2]),
        (&calls.stranger, vec![5, 6, 7, 8]),
    ] {
        let unknown = calls.cancel(token, &json!(99), "").await;
        unknown.refuses(404);
        for code in codes {
            let refused = calls.cancel(token, &json!(code), r#"{"motivo": "x"}"#).await;
            assert_eq!(without_numbers(&refused), without_numbers(&unknown), "{code}");
        }
    }
    assert_eq!(calls.cancel(&calls.stranger, &json!(1), "").await.status, 200, "his own 1");
    let here = items(&calls.read(&calls.administrator, LIST, &[]).await);
    assert!(each(&here, "situacao").iter().all(|name| name == "PENDENTE"), "{here:?}");
}

#[both_engines]
async fn changing_what_is_out_of_reach_answers_like_an_unknown_code(world: World) {
    let calls = peopled(world).await;
    for path in [BENEFITS, VEHICLES] {
        let change = async |token: &str, number: u32, code: i32| {
            let body = json!({"codBeneficio": code, "cpfCnpj": cpf(number), "diaVencimento": 5});
            calls.post(token, path, &body).await
        };
        let unknown = change(&calls.operator, 2, 99).await;
        assert!(told_about(unknown.refuses(400), "codBeneficio"), "{unknown:?}");
        // Of a member that he sees and of one that he does not; with the right document and with another.
        for (number, code) in [(2, 1), (2, 5), (4, 8)] {
            let refused = change(&calls.operator, number, code).await;
            assert_eq!(without_numbers(&refused), without_numbers(&unknown), "{path} {code} of {number}");
        }
        let unknown = change(&calls.operator, 1, 99).await;
        let refused = change(&calls.operator, 1, 1).await;
        assert_eq!(without_numbers(&refused), without_numbers(&unknown), "{path}: the holder is unseen too");
        let unknown = change(&calls.stranger, 1, 99).await;
        let refused = change(&calls.stranger, 1, 8).await;
        assert_eq!(
            without_numbers(&refused),
            without_numbers(&unknown),
            "{path}: from the other association"
        );
    }
    let here = items(&calls.read(&calls.administrator, LIST, &[]).await);
    assert!(each(&here, "diaVencimento").iter().all(Value::is_null));
}

#[both_engines]
async fn a_member_out_of_reach_answers_like_a_document_of_nobody(world: World) {
    let calls = peopled(world).await;
    let create = async |token: &str, number: u32, more: Value| {
        calls.post(token, BENEFITS, &health(number, more)).await
    };
    for more in [json!({}), json!({"codLoja": 2})] {
        let unknown = create(&calls.operator, 50, more.clone()).await;
        assert!(told_about(unknown.refuses(400), "cpfCnpj"), "{unknown:?}");
        for number in [1, 3] {
            let refused = create(&calls.operator, number, more.clone()).await;
            assert_eq!(without_numbers(&refused), without_numbers(&unknown), "{number}");
        }
    }
    let unknown = create(&calls.stranger, 51, json!({"codPlano": 1})).await;
    calls.member(51).await;
    let refused = create(&calls.stranger, 51, json!({"codPlano": 1})).await;
    assert_eq!(
        without_numbers(&refused),
        without_numbers(&unknown),
        "a member of the other association alone"
    );
}

#[both_engines]
async fn who_sees_a_member_by_a_benefit_may_give_him_another_in_his_own_store(world: World) {
    let calls = peopled(world).await;
    let saved = calls.saved(&calls.operator, BENEFITS, &health(4, json!({"codLoja": 2}))).await;
    assert_eq!(calls.now(&saved).await["nomePessoa"], "Pessoa 4");
    assert_eq!(calls.rows(&[("cpf", &cpf(4))]).await.len(), 2);
    let refused = calls.refused(BENEFITS, &health(4, json!({}))).await;
    assert!(told_about(&refused, "codLoja"), "the member's own store is out of reach: {refused}");
}

#[both_engines]
async fn stores_and_sellers_out_of_reach_answer_like_unknown_ones(world: World) {
    let calls = peopled(world).await;
    for (field, unseen) in [("codLoja", 1), ("codLoja", 3), ("codConsultor", 3)] {
        for (path, body) in [
            (MEMBERS, json!({"nomePessoa": "Novo", "cpfCnpj": cpf(60)})),
            (BENEFITS, health(2, json!({}))),
            (VEHICLES, car(2, "XYZ1A11", json!({}))),
        ] {
            let ask = async |code: i32| {
                calls.post(&calls.operator, path, &with(body.clone(), json!({field: code}))).await
            };
            let (unknown, refused) = (ask(99).await, ask(unseen).await);
            assert!(told_about(unknown.refuses(400), field), "{path}: {unknown:?}");
            assert_eq!(without_numbers(&refused), without_numbers(&unknown), "{path} {field} {unseen}");
        }
    }
}

#[both_engines]
async fn a_conflict_with_what_is_out_of_reach_tells_no_more_than_that(world: World) {
    let calls = peopled(world).await;
    let all = items(&calls.read(&calls.administrator, LIST, &[]).await);
    let theirs = &all[0];
    assert_eq!(theirs["codLoja"], 1);
    let (plate, chassis) = (theirs["placa"].as_str().unwrap(), theirs["chassi"].as_str().unwrap());
    let card = theirs["numeroCartaoDesconto"].as_str().unwrap();
    for (path, body, given) in [
        (VEHICLES, car(2, plate, json!({})), plate),
        (VEHICLES, json!({"codPlano": 1, "cpfCnpj": cpf(2), "chassi": chassis}), chassis),
        (BENEFITS, health(2, json!({"numeroCartaoDesconto": card})), card),
    ] {
        let refused = calls.post(&calls.operator, path, &body).await;
        let told = refused.refuses(409).replace(given, "").replace(&given.replace(' ', ""), "");
        assert!(!told.contains(|c: char| c.is_ascii_digit()), "no code of theirs: {told}");
        for secret in ["Pessoa", "Matriz", &cpf(1)] {
            assert!(!told.contains(secret), "{secret} in {told}");
        }
    }
}

#[both_engines]
async fn the_other_associations_registers_are_never_mixed_in(world: World) {
    let calls = peopled(world).await;
    let there = calls.read(&calls.stranger, LIST, &[]).await.to_string();
    let here = calls.read(&calls.administrator, LIST, &[]).await.to_string();
    assert!(there.contains("Carro Ali") && there.contains("Filial Ali"), "{there}");
    for name in ["Proteção Ouro", "Saúde Família", "Filial Norte", "Pessoa "] {
        assert!(!there.contains(name), "{name}");
    }
    assert!(!here.contains("Ali\""), "{here}");
}

#[both_engines]
async fn a_key_of_one_user_replays_nothing_to_another(world: World) {
    let calls = peopled(world).await;
    let body = health(2, json!({})).to_string();
    let mut codes = Vec::new();
    for token in [&calls.operator, &calls.integration, &calls.administrator] {
        let bearer = format!("Bearer {token}");
        let headers = [("Authorization", bearer.as_str()), ("Idempotency-Key", "mesma")];
        let reply = calls.server().call("POST", BENEFITS, &headers, &body).await;
        assert_eq!((reply.status, reply.header("idempotency-replayed")), (200, None), "{reply:?}");
        codes.push(reply.json()["codBeneficio"].to_string());
    }
    codes.dedup();
    assert_eq!(codes.len(), 3);
}

#[both_engines]
async fn every_role_may_call_all_operations_within_its_stores(world: World) {
    let calls = Calls::on(world).await;
    for (number, token) in [(1, &calls.administrator), (2, &calls.operator), (3, &calls.integration)] {
        let person = json!({"nomePessoa": "Ana", "cpfCnpj": cpf(number), "codLoja": 2});
        calls.saved(token, MEMBERS, &person).await;
        calls.saved(token, BENEFITS, &health(number, json!({}))).await;
        let plate = format!("ABC1D2{number}");
        let saved = calls.saved(token, VEHICLES, &car(number, &plate, json!({}))).await;
        assert_eq!(calls.cancel(token, &saved["codBeneficio"], "").await.status, 200);
        for (path, query) in
            [(MEMBERS, ("nome", "ana")), (BENEFITS, ("placa", plate.as_str())), (LIST, ("pagina", "1"))]
        {
            calls.read(token, path, &[query]).await;
        }
    }
}
