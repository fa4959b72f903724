//! A deal that is won becomes a member and a benefit, in one step and once.

use crate::calls::{Calls, DEALS, each, told_about};
use crate::gestao::sales_life::deal;
use serde_json::{Value, json};
use testkit::{World, both_engines, eight_at_once};

use crate::calls::cpf;

fn car_deal(more: Value) -> Value {
    let body = json!({"nome": "Ana Prado", "telefone": "11987654321", "codConsultor": 1, "planos": [1, 3], "valor": 150.55,
        "veiculo": {"placa": "ABC1D23", "marca": "FIAT", "modelo": "ARGO", "codTipoVeiculo": 1}});
    crate::calls::with(body, more)
}

#[both_engines]
async fn a_won_deal_becomes_a_member_and_a_benefit_in_one_step(world: World) {
    let calls = Calls::on(world).await;
    let by = &calls.operator;
    let code = calls.deal(car_deal(json!({}))).await["codNegocio"].clone();
    let path = deal(&code, "/ganhar");
    let refused = calls.server().put(&path, by, "").await;
    assert!(told_about(refused.refuses(400), "cpfCnpj"), "{refused:?}");
    assert_eq!(calls.count("benefits").await, 0);
    let body = json!({"cpfCnpj": cpf(1), "diaVencimento": 10, "situacao": "ATIVO", "dataAdesao": "2026-11-01", "versao": 1});
    let reply = calls.put(by, &path, &body).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    let won = reply.json();
    assert_eq!(
        (&won["situacao"], &won["cpfCnpj"], &won["versao"]),
        (&json!("Ganho"), &json!(cpf(1)), &json!(2))
    );
    let told = calls.read(by, &format!("/gestao/beneficio/{}", won["codBeneficio"]), &[]).await;
    assert_eq!(
        (&told["codPessoa"], &told["nomePessoa"], &told["cpfCnpj"]),
        (&won["codPessoa"], &json!("Ana Prado"), &json!(cpf(1)))
    );
    assert_eq!(
        (&told["veiculo"]["placa"], &told["veiculo"]["modelo"], &told["codTipoVeiculo"]),
        (&json!("ABC1D23"), &json!("ARGO"), &json!(1))
    );
    assert_eq!(
        (&told["situacao"], &told["diaVencimento"], &told["dataAdesao"]),
        (&json!("ATIVO"), &json!(10), &json!("01/11/2026"))
    );
    assert_eq!((&told["codConsultor"], &told["codLoja"]), (&json!(1), &json!(2)));
    assert_eq!(each(told["itens"].as_array().unwrap(), "codPlano"), [json!(1), json!(3)]);
    // Every step is visible through the interface.
    let rows = calls.rows(&[("cpf", &cpf(1))]).await;
    assert_eq!(
        (rows.len(), &rows[0]["codBeneficio"], &rows[0]["telefoneCelular"]),
        (1, &won["codBeneficio"], &json!("(11)98765-4321"))
    );
    assert_eq!(calls.whole(&code).await["situacao"], "Ganho");
    let history = calls.history(&calls.administrator).await;
    assert_eq!(
        (history.len(), &history[0]["situacao"], &history[0]["codigo"]),
        (1, &json!("ATIVO"), &won["codBeneficio"])
    );
    // Asked for again, it answers the same.
    assert_eq!(calls.put(by, &path, &json!({"cpfCnpj": cpf(1)})).await.json(), won);
    assert_eq!(calls.server().put(&path, by, "").await.json(), won);
    assert_eq!((calls.count("benefits").await, calls.count("people").await), (1, 1));
    for (what, body) in [
        ("/perder", json!({"motivo": "x"})),
        ("/reabrir", json!({})),
        ("/etapa", json!({"codEtapa": 2, "versao": 2})),
    ] {
        assert!(
            told_about(calls.put(by, &deal(&code, what), &body).await.refuses(409), "codNegocio"),
            "{what}"
        );
    }
    let audit = calls.audited(&won["codPessoa"].to_string()).await;
    assert!(
        audit.iter().any(|one| one["operacao"] == "PUT /gestao/negocio/{codNegocio}/ganhar"),
        "{audit:?}"
    );
}

#[both_engines]
async fn everything_that_is_wrong_with_winning_is_told_at_once_and_nothing_is_stored(world: World) {
    let calls = Calls::on(world).await;
    let by = &calls.operator;
    let code = calls.deal(json!({"nome": "Ana", "email": "a@x.example"})).await["codNegocio"].clone();
    let path = deal(&code, "/ganhar");
    let bad = json!({"diaVencimento": 31, "situacao": "SUMIU", "codConsultor": 3, "codLoja": 3, "dataAdesao": "31/02/2026"});
    let refused = calls.put(by, &path, &bad).await;
    let told = refused.refuses(400);
    for field in ["cpfCnpj", "codPlano", "diaVencimento", "situacao", "codConsultor", "codLoja", "dataAdesao"]
    {
        assert!(told_about(told, field), "{field}: {told}");
    }
    let refused = calls.put(by, &path, &json!({"cpfCnpj": cpf(1), "planos": [1, 99]})).await;
    let told = refused.refuses(400);
    assert!(told_about(told, "planos") && told_about(told, "placa"), "{told}");
    let refused = calls.put(by, &path, &json!({"cpfCnpj": cpf(1), "codPlano": 2, "versao": 9})).await;
    assert!(told_about(refused.refuses(409), "versao"), "{refused:?}");
    calls.put(by, &deal(&code, "/perder"), &json!({"motivo": "x"})).await;
    let refused = calls.put(by, &path, &json!({"cpfCnpj": cpf(1), "codPlano": 2})).await;
    assert!(told_about(refused.refuses(409), "codNegocio"), "{refused:?}");
    assert_eq!((calls.count("benefits").await, calls.count("listing").await), (0, 0));
    calls.put(by, &deal(&code, "/reabrir"), &json!({})).await;
    let won = calls.put(by, &path, &json!({"cpfCnpj": cpf(1), "codPlano": 2})).await.json();
    assert_eq!(won["situacao"], "Ganho");
}

#[both_engines]
async fn a_health_deal_takes_its_dependents_along(world: World) {
    let calls = Calls::on(world).await;
    let by = &calls.operator;
    let body = json!({"nome": "Ana Prado", "documento": cpf(1), "tipoBeneficio": "SAUDE", "planos": [2]});
    let code = calls.deal(body).await["codNegocio"].clone();
    for (name, document) in [("João Prado", cpf(2)), ("Lia Prado", cpf(3))] {
        let one =
            json!({"nome": name, "cpf": document, "parentesco": "FILHO", "planos": [2], "sexo": "Feminino"});
        calls.saved(by, &format!("{DEALS}/{code}/dependente"), &one).await;
    }
    let won = calls.server().put(&deal(&code, "/ganhar"), by, "").await;
    assert_eq!(won.status, 200, "the deal says everything: {won:?}");
    let benefit = won.json()["codBeneficio"].clone();
    let shared = calls.read(by, &format!("/ext/beneficio/{benefit}/dependentes"), &[]).await;
    let shared = shared.as_array().unwrap();
    assert_eq!(each(shared, "nome"), ["João Prado", "Lia Prado"]);
    assert_eq!(
        (&shared[0]["cpf"], &shared[0]["parentesco"], &shared[0]["planos"][0]["codPlano"]),
        (&json!(cpf(2)), &json!("FILHO"), &json!(2))
    );
    assert_ne!(shared[0]["numeroCartaoDesconto"], shared[1]["numeroCartaoDesconto"]);
    let found = calls.read(by, "/ext/beneficio/dependente", &[("nome", "lia")]).await;
    assert_eq!(found[0]["codBeneficio"], benefit);
    let told = calls.read(by, &format!("/gestao/beneficio/{benefit}"), &[]).await;
    assert_eq!(
        (&told["situacao"], &told["dependentes"], &told["veiculo"]),
        (&json!("PENDENTE"), &json!(2), &Value::Null)
    );
}

#[both_engines]
async fn a_deal_with_somebody_who_is_a_member_gives_him_one_more_benefit(world: World) {
    let calls = Calls::on(world).await;
    let by = &calls.operator;
    let member = calls.member_with(1, json!({"nomeMae": "Ana"})).await;
    let first = calls.health(1, json!({})).await;
    let code = calls.deal(car_deal(json!({}))).await["codNegocio"].clone();
    let won = calls.put(by, &deal(&code, "/ganhar"), &json!({"cpfCnpj": cpf(1)})).await.json();
    assert_eq!(won["codPessoa"], member["codPessoa"], "whoever has the document");
    let rows = calls.rows(&[("cpf", &cpf(1))]).await;
    assert_eq!(each(&rows, "codBeneficio"), [first["codBeneficio"].clone(), won["codBeneficio"].clone()]);
    assert_eq!(rows[0]["nomeMae"], "Ana", "the member stays as he was");
    // Somebody out of reach is not taken.
    let far = json!({"nomePessoa": "Longe", "cpfCnpj": cpf(2), "codLoja": 3});
    calls.saved(&calls.administrator, crate::calls::MEMBERS, &far).await;
    let body = car_deal(json!({"nome": "B", "telefone": "11987654322", "veiculo": {"placa": "DEF1A11"}}));
    let code = calls.deal(body).await["codNegocio"].clone();
    let refused = calls.put(by, &deal(&code, "/ganhar"), &json!({"cpfCnpj": cpf(2)})).await;
    assert!(told_about(refused.refuses(409), "cpfCnpj"), "{refused:?}");
    // A vehicle that has a benefit in force, and a document that is not the lead's.
    let taken = car_deal(json!({"nome": "C", "documento": cpf(3), "telefone": "11987654323"}));
    let code = calls.deal(taken).await["codNegocio"].clone();
    calls.change(&json!(won["codNegocio"]), json!({})).await;
    calls
        .put(
            by,
            &format!("/gestao/beneficio/{}/situacao", won["codBeneficio"]),
            &json!({"situacao": "ATIVO"}),
        )
        .await;
    let refused = calls.put(by, &deal(&code, "/ganhar"), &json!({})).await;
    assert!(refused.refuses(409).contains(&won["codBeneficio"].to_string()), "{refused:?}");
    let refused = calls.put(by, &deal(&code, "/ganhar"), &json!({"cpfCnpj": cpf(4)})).await;
    assert!(told_about(refused.refuses(400), "cpfCnpj"), "{refused:?}");
}

#[both_engines]
async fn eight_who_win_a_deal_at_once_make_one_benefit(world: World) {
    let calls = std::sync::Arc::new(Calls::on(world).await);
    let code = calls.deal(car_deal(json!({"documento": cpf(1)}))).await["codNegocio"].clone();
    let replies = eight_at_once(|_| {
        let (calls, path) = (std::sync::Arc::clone(&calls), deal(&code, "/ganhar"));
        async move { calls.put(&calls.operator, &path, &json!({"ativo": true})).await }
    })
    .await;
    assert!(
        replies.iter().all(|reply| reply.status == 200 && reply.json() == replies[0].json()),
        "{replies:?}"
    );
    assert_eq!((calls.count("benefits").await, calls.count("history").await), (1, 1));
}
