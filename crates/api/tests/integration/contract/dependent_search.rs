//! `GET /ext/beneficio/dependente`.

use crate::calls::{
    BENEFITS, Calls, DEPENDENTS, MEMBERS, array, bare, cpf, dependent, each, health, of, told_about, with,
};
use serde_json::{Value, json};
use storage::WriteLane;
use testkit::{World, both_engines};

async fn found(calls: &Calls, token: &str, query: &[(&str, &str)]) -> Vec<Value> {
    each(&array(&calls.read(token, DEPENDENTS, query).await), "codDependente")
}

/// Somebody with a car and three dependents; somebody else with one of the same name.
async fn peopled(world: World) -> Calls {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    calls.member(2).await;
    let car = calls.car(1, "ABC1D23", json!({"ativo": true})).await;
    let shared = json!({"nome": "Silvana de João", "numeroCartaoDesconto": "1234567890123"});
    calls.dependent(&car, with(shared, json!({"cpf": cpf(50)}))).await;
    let shared = json!({"nome": "João da Silva", "numeroCartaoDesconto": "1234567890123"});
    calls.dependent(&car, with(shared, json!({"cpf": cpf(51), "ativo": false}))).await;
    calls.dependent(&car, json!({"nome": "D'Ávila Souza-Lima"})).await;
    let other = calls.health(2, json!({})).await;
    calls.dependent(&other, json!({"nome": "Joana Silveira", "cpf": cpf(50)})).await;
    calls
}

#[both_engines]
async fn a_search_of_dependents_needs_one_of_its_three_parameters(world: World) {
    let calls = peopled(world).await;
    let queries: [&[(&str, &str)]; 4] =
        [&[], &[("nome", ""), ("cpf", " ")], &[("pagina", "1")], &[("numeroCartaoDesconto", "")]];
    for query in queries {
        let told = calls.get(&calls.operator, DEPENDENTS, query).await.refuses(400).to_owned();
        for name in ["nome", "cpf", "numeroCartaoDesconto"] {
            assert!(told.contains(name), "{told}");
        }
    }
    for wrong in ["123", "1234-56-7-890-123"] {
        let refused = calls.get(&calls.operator, DEPENDENTS, &[("numeroCartaoDesconto", wrong)]).await;
        assert!(told_about(refused.refuses(400), "numeroCartaoDesconto"), "{refused:?}");
    }
}

#[both_engines]
async fn dependents_are_found_by_the_beginnings_of_their_words(world: World) {
    let calls = peopled(world).await;
    for (typed, codes) in [
        ("joao sil", vec![2, 1]),
        ("JOÃO", vec![2, 1]),
        ("sil jo", vec![4, 2, 1]),
        ("avila", vec![3]),
        ("lima d'a", vec![3]),
        ("oao", vec![]),
        ("joao souza", vec![]),
        ("-- '", vec![]),
        ("pessoa", vec![]),
    ] {
        let codes: Vec<Value> = codes.into_iter().map(|code| json!(code)).collect();
        assert_eq!(found(&calls, &calls.operator, &[("nome", typed)]).await, codes, "{typed}");
    }
}

#[both_engines]
async fn dependents_are_found_by_cpf_and_by_card(world: World) {
    let calls = peopled(world).await;
    let find = async |name: &str, value: &str| found(&calls, &calls.operator, &[(name, value)]).await;
    assert_eq!(find("cpf", &cpf(50)).await, [json!(4), json!(1)]);
    assert_eq!(find("cpf", &bare(&cpf(51))).await, [json!(2)]);
    // The holder's own, a wrong one, a company's: nobody's.
    for nobody in [cpf(1).as_str(), "529.982.247-24", "11.222.333/0001-81", "x"] {
        assert!(find("cpf", nobody).await.is_empty(), "{nobody}");
    }
    assert_eq!(find("numeroCartaoDesconto", "1234 56 7 890 123").await, [json!(2), json!(1)]);
    assert!(find("numeroCartaoDesconto", "9999999999999").await.is_empty());
}

#[both_engines]
async fn the_parameters_of_the_search_narrow_together(world: World) {
    let calls = peopled(world).await;
    let card = ("numeroCartaoDesconto", "1234567890123");
    let first = cpf(50);
    let find = async |query: &[(&str, &str)]| found(&calls, &calls.operator, query).await;
    assert_eq!(find(&[("cpf", &first), card]).await, [json!(1)]);
    assert_eq!(find(&[("cpf", &first), ("nome", "joana")]).await, [json!(4)]);
    assert_eq!(find(&[card, ("nome", "da")]).await, [json!(2)]);
    assert_eq!(find(&[card, ("nome", "silv joao"), ("cpf", &first)]).await, [json!(1)]);
    assert!(find(&[card, ("nome", "joana")]).await.is_empty());
    assert!(find(&[card, ("nome", "--")]).await.is_empty());
    assert!(find(&[card, ("cpf", "x")]).await.is_empty());
}

#[both_engines]
async fn dependents_come_by_name_then_code(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let benefit = calls.health(1, json!({})).await;
    for name in ["Érica Um", "zoé um", "Ana Um", "ana um", "Eva Um", "ÂNGELA Um"] {
        calls.dependent(&benefit, json!({"nome": name})).await;
    }
    let wanted = [3, 4, 6, 1, 5, 2].map(|code| json!(code));
    assert_eq!(found(&calls, &calls.operator, &[("nome", "um")]).await, wanted);
    let all = array(&calls.read(&calls.operator, &of(&benefit, "dependentes"), &[]).await);
    assert_eq!(each(&all, "codDependente"), wanted);
}

#[both_engines]
async fn a_renamed_dependent_is_found_by_his_new_name_alone(world: World) {
    let calls = peopled(world).await;
    let benefit = json!({"codBeneficio": 1});
    calls.dependent(&benefit, json!({"codDependente": 3, "nome": "Zulmira Souza"})).await;
    for (typed, codes) in [("zulm", vec![json!(3)]), ("souza", vec![json!(3)]), ("avila", vec![])] {
        assert_eq!(found(&calls, &calls.operator, &[("nome", typed)]).await, codes, "{typed}");
    }
}

#[both_engines]
async fn a_name_of_very_many_finds_them_all(world: World) {
    let calls = peopled(world).await;
    let unit =
        calls.world.db().write(WriteLane::foreground(calls.world.here), calls.world.here, |tx, here| {
            Box::pin(async move {
                let like = storage::members::dependents::find_dependent_of_benefit(
                    &mut *tx,
                    *here,
                    domain::BenefitCode::new(1),
                    domain::DependentCode::new(3),
                );
                let like = like.await?.unwrap();
                let many: Vec<_> = (1_000..3_500)
                    .map(|code| {
                        let name = format!("Multidão {code}");
                        (domain::DependentCode::new(code), domain::Dependent { name, ..like.clone() })
                    })
                    .collect();
                tx.execute_batch(storage::members::dependents::insert_dependents(
                    *here,
                    many.iter().map(|(code, one)| (*code, one)),
                ))
                .await
            })
        });
    unit.await.map_err(|error: storage::Error| error).unwrap();
    let all = found(&calls, &calls.operator, &[("nome", "multidao")]).await;
    assert_eq!(all, (1_000..3_500).map(|code| json!(code)).collect::<Vec<_>>());
    assert_eq!(found(&calls, &calls.operator, &[("nome", "multidao 12")]).await.len(), 100);
}

#[both_engines]
async fn dependents_are_found_in_the_stores_of_their_benefits_alone(world: World) {
    let calls = Calls::on(world).await;
    for number in 1..=3 {
        let person =
            json!({"nomePessoa": format!("Pessoa {number}"), "cpfCnpj": cpf(number), "codLoja": number});
        calls.saved(&calls.administrator, MEMBERS, &person).await;
        let benefit = calls.saved(&calls.administrator, BENEFITS, &health(number, json!({}))).await;
        let card = format!("100000000000{number}");
        let more = json!({"nome": "Bia Souza", "cpf": cpf(50), "numeroCartaoDesconto": card});
        calls.saved(&calls.administrator, DEPENDENTS, &dependent(&benefit, more)).await;
    }
    let there = json!({"nomePessoa": "Ana Ali", "cpfCnpj": cpf(1)});
    calls.saved(&calls.stranger, MEMBERS, &there).await;
    let benefit = calls.saved(&calls.stranger, BENEFITS, &health(1, json!({"codPlano": 1}))).await;
    let more = json!({"nome": "Bia Ali", "cpf": cpf(50), "planos": [1]});
    calls.saved(&calls.stranger, DEPENDENTS, &dependent(&benefit, more)).await;
    let shared = cpf(50);
    for query in [("nome", "bia"), ("cpf", shared.as_str())] {
        for (token, codes) in [
            (&calls.administrator, vec![json!(1), json!(2), json!(3)]),
            (&calls.operator, vec![json!(2)]),
            (&calls.integration, vec![json!(2), json!(3)]),
            (&calls.stranger, vec![json!(1)]),
        ] {
            assert_eq!(found(&calls, token, &[query]).await, codes, "{query:?}");
        }
    }
    let card = ("numeroCartaoDesconto", "1000000000001");
    assert!(found(&calls, &calls.operator, &[card]).await.is_empty());
    let own = array(&calls.read(&calls.stranger, DEPENDENTS, &[("nome", "bia")]).await);
    assert_eq!(own[0]["planos"][0]["nome"], "Saúde Ali");
    // A dependent goes where his benefit goes.
    let moved = json!({"codBeneficio": 1, "cpfCnpj": cpf(1), "codLoja": 2});
    calls.saved(&calls.administrator, BENEFITS, &moved).await;
    assert_eq!(found(&calls, &calls.operator, &[("nome", "bia")]).await, [json!(1), json!(2)]);
}
