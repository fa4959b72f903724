//! `/gestao/associado`: a member whole, changed, with what happened to him.

use crate::calls::{Calls, MEMBERS, cpf, items, told_about};
use serde_json::{Value, json};
use testkit::{World, both_engines, eight_at_once};

pub fn member(code: &Value) -> String {
    format!("/gestao/associado/{code}")
}

#[both_engines]
async fn a_member_is_shown_whole_with_his_benefits_in_short(world: World) {
    let calls = Calls::on(world).await;
    let saved = calls
        .member_with(1, json!({"email": "maria@x.example", "sexo": "Feminino", "dataNascimento": "25/03/1988",
            "telefones": [{"numero": "11987654321"}, {"numero": "1133334444"}], "endereco": {"cidade": "Santos", "uf": "SP"}}))
        .await;
    let car = calls.car(1, "ABC1D23", json!({"marca": "FIAT", "modelo": "ARGO", "ativo": true})).await;
    let health = calls.health(1, json!({})).await;
    calls.dependent(&health, json!({})).await;
    let told = calls.read(&calls.operator, &member(&saved["codPessoa"]), &[]).await;
    assert_eq!(
        (&told["nomePessoa"], &told["cpfCnpj"], &told["natureza"]),
        (&json!("Pessoa 1"), &json!(cpf(1)), &json!("F"))
    );
    assert_eq!(
        told["telefones"],
        json!([{"numero": "(11)98765-4321", "tipo": "Celular"}, {"numero": "(11)3333-4444", "tipo": "Fixo"}])
    );
    assert_eq!(
        (&told["endereco"]["cidade"], &told["conjuge"], &told["versao"]),
        (&json!("Santos"), &Value::Null, &json!(1))
    );
    assert_eq!(
        (&told["codLoja"], &told["nomeLoja"], &told["dependentes"]),
        (&json!(2), &json!("Filial Norte"), &json!(1))
    );
    let short = told["beneficios"].as_array().unwrap();
    assert_eq!(short.len(), 2);
    assert_eq!(
        (&short[0]["codBeneficio"], &short[0]["descricao"]),
        (&car["codBeneficio"], &json!("ABC1D23 - FIAT ARGO"))
    );
    assert_eq!(
        (&short[0]["situacao"], &short[0]["tipoSituacao"], &short[0]["corInversa"]),
        (&json!("ATIVO"), &json!("ATIVO"), &json!("FFFFFF"))
    );
    assert_eq!(short[1]["situacao"], "PENDENTE");
    let seen = calls.audited(&saved["codPessoa"].to_string()).await;
    assert!(seen.iter().any(|one| one["operacao"] == "GET /gestao/associado/{codPessoa}"), "{seen:?}");
    // Whoever has no branch of his meets nobody, nor does the other association.
    let third = json!({"nomePessoa": "Longe", "cpfCnpj": cpf(2), "codLoja": 3});
    let third = calls.saved(&calls.administrator, MEMBERS, &third).await;
    assert!(told_about(
        calls.get(&calls.operator, &member(&third["codPessoa"]), &[]).await.refuses(404),
        "codPessoa"
    ));
    calls.get(&calls.stranger, &member(&saved["codPessoa"]), &[]).await.refuses(404);
    let lead = json!({"nome": "Só Lead", "email": "lead@x.example"});
    let lead = calls.saved(&calls.operator, crate::calls::LEADS, &lead).await;
    calls.get(&calls.operator, &member(&lead["codPessoa"]), &[]).await.refuses(404);
}

#[both_engines]
async fn a_member_is_changed_also_in_what_the_interface_cannot_change(world: World) {
    let calls = Calls::on(world).await;
    let saved = calls.member_with(1, json!({"email": "a@x.example"})).await;
    calls.health(1, json!({})).await;
    let path = member(&saved["codPessoa"]);
    let by = &calls.operator;
    assert!(told_about(calls.put(by, &path, &json!({"nomePessoa": "X"})).await.refuses(400), "versao"));
    calls.world.clock.pass(std::time::Duration::from_hours(1));
    let body = json!({"versao": 1, "nomePessoa": "Maria Nova", "cpfCnpj": cpf(9), "email": null, "conjuge": "José Souza",
        "cpfCnpjResponsavelFinanceiro": cpf(3), "enderecoResponsavelFinanceiro": {"cidade": "Santos", "cep": "01310-100"},
        "telefones": [{"numero": "11987654321"}]});
    let reply = calls.put(by, &path, &body).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    let told = reply.json();
    assert_eq!(
        (&told["nomePessoa"], &told["cpfCnpj"], &told["email"]),
        (&json!("Maria Nova"), &json!(cpf(9)), &Value::Null)
    );
    assert_eq!((&told["conjuge"], &told["versao"]), (&json!("José Souza"), &json!(2)));
    assert_eq!(told["cpfCnpjResponsavelFinanceiro"], cpf(3));
    assert_eq!(told["enderecoResponsavelFinanceiro"]["cep"], "01310-100");
    assert_eq!(calls.read(by, &path, &[]).await, told);
    // The searches know it at once.
    let rows = calls.rows(&[("cpf", &cpf(9))]).await;
    assert_eq!(
        (rows.len(), &rows[0]["nomePessoa"], &rows[0]["conjuge"]),
        (1, &json!("Maria Nova"), &json!("José Souza"))
    );
    assert_eq!(rows[0]["cpfCnpjResponsavelFinanceiro"], cpf(3));
    assert_eq!(rows[0]["enderecoResponsavelFinanceiro"]["cidade"], "Santos");
    assert!(calls.rows(&[("cpf", &cpf(1))]).await.is_empty());
    assert_eq!(calls.rows(&[("nome", "maria nov")]).await.len(), 1);
    // What happened is kept, field by field.
    let history = items(&calls.read(by, &format!("{path}/historico"), &[]).await);
    let of = |field: &str| {
        history.iter().find(|one| one["campo"] == field).unwrap_or_else(|| panic!("{field}: {history:?}"))
    };
    assert_eq!(
        (&of("nomePessoa")["antes"], &of("nomePessoa")["depois"]),
        (&json!("Pessoa 1"), &json!("Maria Nova"))
    );
    assert_eq!((&of("email")["antes"], &of("email")["depois"]), (&json!("a@x.example"), &Value::Null));
    assert_eq!(
        (&of("cpfCnpj")["nomeUsuario"], &of("cpfCnpj")["tipo"]),
        (&json!("operador"), &json!("campo"))
    );
    let moved = history.iter().find(|one| one["tipo"] == "situacao").unwrap();
    assert_eq!((&moved["depois"], &moved["antes"]), (&json!("PENDENTE"), &Value::Null));
    // Also what the interface changes.
    calls.member_with(9, json!({"nomeMae": "Ana"})).await;
    let history = items(&calls.read(by, &format!("{path}/historico"), &[]).await);
    assert!(history.iter().any(|one| one["campo"] == "nomeMae" && one["depois"] == "Ana"), "{history:?}");
    assert_eq!(calls.read(by, &path, &[]).await["versao"], 3);
}

#[both_engines]
async fn what_speaks_against_a_change_of_a_member_is_told(world: World) {
    let calls = Calls::on(world).await;
    let (one, other) = (calls.member(1).await, calls.member(2).await);
    let (by, path) = (&calls.operator, member(&one["codPessoa"]));
    let bad = json!({"versao": 1, "cpfCnpj": null, "nomePessoa": null, "codLoja": 3, "codConsultor": 3, "natureza": "J"});
    let refused = calls.put(by, &path, &bad).await;
    let told = refused.refuses(400);
    for field in ["cpfCnpj", "nomePessoa", "codLoja", "codConsultor", "natureza"] {
        assert!(told_about(told, field), "{field}: {told}");
    }
    let refused = calls.put(by, &path, &json!({"versao": 1, "cpfCnpj": cpf(2)})).await;
    let told = refused.refuses(409);
    assert!(told_about(told, "cpfCnpj") && told.contains(&other["codPessoa"].to_string()), "{told}");
    let far = json!({"nomePessoa": "Longe", "cpfCnpj": cpf(3), "codLoja": 3});
    let far = calls.saved(&calls.administrator, MEMBERS, &far).await;
    let refused = calls.put(by, &path, &json!({"versao": 1, "cpfCnpj": cpf(3)})).await;
    let told = refused.refuses(409);
    assert!(!told.contains(&format!("pessoa {}", far["codPessoa"])), "one out of reach is not named: {told}");
    calls.put(by, &member(&far["codPessoa"]), &json!({"versao": 1})).await.refuses(404);
    // Who is seen by a benefit alone is not changed.
    let benefit = json!({"codPlano": 2, "cpfCnpj": cpf(3), "codLoja": 2});
    calls.saved(&calls.administrator, crate::calls::BENEFITS, &benefit).await;
    assert_eq!(calls.get(by, &member(&far["codPessoa"]), &[]).await.status, 200);
    calls.put(by, &member(&far["codPessoa"]), &json!({"versao": 1, "nomePessoa": "X"})).await.refuses(409);
    let refused =
        calls.put(by, &path, &json!({"versao": 7, "nomePessoa": "Novo", "email": "n@x.example"})).await;
    let lines: Vec<&str> = refused.refuses(409).lines().collect();
    assert_eq!(
        lines[1..],
        ["nomePessoa: enviado \"Novo\"; agora \"Pessoa 1\".", "email: enviado \"n@x.example\"; agora nada."]
    );
    assert_eq!(calls.read(by, &path, &[]).await["versao"], 1);
}

#[both_engines]
async fn of_eight_changes_at_once_of_a_member_one_is_taken(world: World) {
    let calls = std::sync::Arc::new(Calls::on(world).await);
    let path = member(&calls.member(1).await["codPessoa"]);
    let replies = eight_at_once(|number| {
        let (calls, path) = (std::sync::Arc::clone(&calls), path.clone());
        async move {
            let body = json!({"versao": 1, "nomeMae": format!("Mãe {number}")});
            calls.put(&calls.operator, &path, &body).await.status
        }
    })
    .await;
    assert_eq!(replies.iter().filter(|status| **status == 200).count(), 1, "{replies:?}");
    let told = calls.read(&calls.operator, &path, &[]).await;
    assert_eq!(told["versao"], 2);
}
