//! `POST /ext/associado`, seen from the searches; how it saves is told in `associado.rs`.

use crate::calls::{Calls, MEMBERS, cpf, each, told_about};
use serde_json::{Value, json};
use std::time::Duration;
use testkit::{World, both_engines};

#[both_engines]
async fn what_was_saved_of_a_member_comes_back_in_the_search(world: World) {
    let calls = Calls::on(world).await;
    calls
        .member_with(
            1,
            json!({"email": "rui@x.example", "sexo": "Masculino", "dataNascimento": "29/02/1988", "nomeMae": "Eva",
                "estadoCivil": "UNIAO ESTAVEL", "nomeEmpresa": "Padaria", "cnpjEmpresa": "11.222.333/0001-81",
                "identidade": "12.345", "numeroCnh": "999", "categoriaCnh": "AB", "codConsultor": 1,
                "codRepresentante": 2, "codigoIntegracao": 42, "recebeEmail": true, "recebeWhatsApp": false,
                "orgaoExpedidor": "SSP", "dataExpedicao": "2010-05-10", "validadeCnh": "2030-01-01"}),
        )
        .await;
    let row = calls.rows(&[("nome", "pessoa")]).await.remove(0);
    for (field, value) in [
        ("email", "rui@x.example"),
        ("sexo", "M"),
        ("dataNascimento", "29/02/1988"),
        ("nomeMae", "Eva"),
        ("estadoCivil", "UNIAO ESTAVEL"),
        ("nomeEmpresa", "Padaria"),
        ("identidade", "12.345"),
        ("numeroCnh", "999"),
        ("categoriaCnh", "AB"),
        ("nomeConsultor", "Vendas 1"),
        ("nomeRepresentante", "Vendas 2"),
    ] {
        assert_eq!(row[field], value, "{field}");
    }
    assert_eq!((&row["codConsultor"], &row["codRepresentante"]), (&json!(1), &json!(2)));
    for set_elsewhere in ["conjuge", "cpfCnpjResponsavelFinanceiro", "enderecoResponsavelFinanceiro"] {
        assert_eq!(row[set_elsewhere], Value::Null, "{set_elsewhere}");
    }
}

#[both_engines]
async fn an_update_shows_at_once_in_the_rows_of_all_his_benefits(world: World) {
    let calls = Calls::on(world).await;
    calls.member_with(1, json!({"nomeMae": "Eva", "email": "a@x.example"})).await;
    calls.health(1, json!({})).await;
    calls.health(1, json!({})).await;
    calls.member_with(1, json!({"nomePessoa": "Zoé Prado", "nomeMae": null})).await;
    assert_eq!(calls.rows(&[("nome", "pessoa")]).await, Vec::<Value>::new(), "the old name finds nobody");
    let rows = calls.rows(&[("nome", "zoe")]).await;
    assert_eq!(each(&rows, "nomePessoa"), ["Zoé Prado", "Zoé Prado"]);
    assert_eq!(each(&rows, "nomeMae"), [Value::Null, Value::Null]);
    assert_eq!(each(&rows, "email"), ["a@x.example", "a@x.example"]);
    let found = calls.found(&[("sequencial", &rows[0]["sequencial"].to_string())]).await;
    assert_eq!(found[0]["nomePessoa"], "Zoé Prado");
}

#[both_engines]
async fn an_integration_code_is_no_key_and_may_repeat(world: World) {
    let calls = Calls::on(world).await;
    let one = calls.member_with(1, json!({"codigoIntegracao": "X-1"})).await;
    let other = calls.member_with(2, json!({"codigoIntegracao": "X-1"})).await;
    assert_ne!(one["codPessoa"], other["codPessoa"]);
    let again = calls.member_with(1, json!({"codigoIntegracao": 7})).await;
    assert_eq!(again["codPessoa"], one["codPessoa"]);
}

#[both_engines]
async fn a_store_in_an_update_moves_the_member_where_the_caller_has_both(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let body = json!({"nomePessoa": "Pessoa 1", "cpfCnpj": cpf(1), "codLoja": 3});
    assert!(told_about(&calls.refused(MEMBERS, &body).await, "codLoja"));
    assert_eq!(calls.rows(&[("nome", "pessoa")]).await.len(), 1);
    calls.saved(&calls.integration, MEMBERS, &body).await;
    assert_eq!(calls.rows(&[("nome", "pessoa")]).await.len(), 0, "he is in store 3 now");
    let moved = calls.read(&calls.integration, MEMBERS, &[("nome", "pessoa")]).await;
    assert_eq!((&moved["quantidade"], &moved["itens"][0]["nomeLoja"]), (&json!(1), &json!("Filial Sul")));
}

#[both_engines]
async fn the_day_of_the_last_change_moves_with_the_member_and_with_the_benefit(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let benefit = calls.health(1, json!({})).await;
    let day = Duration::from_hours(24);
    let changed = async |calls: &Calls| {
        calls.rows(&[("nome", "pessoa")]).await[0]["dataAtualizacao"].as_str().unwrap().to_owned()
    };
    assert_eq!(changed(&calls).await, "14/11/2026");
    calls.world.clock.pass(day);
    let calls = Calls::on(calls.world).await;
    calls.member_with(1, json!({"nomeMae": "Eva"})).await;
    assert_eq!(changed(&calls).await, "15/11/2026", "the member's change is the later");
    calls.world.clock.pass(day);
    let calls = Calls::on(calls.world).await;
    calls.health(1, json!({"codBeneficio": benefit["codBeneficio"], "diaVencimento": 10})).await;
    assert_eq!(changed(&calls).await, "16/11/2026", "the benefit's change is the later");
    let row = calls.rows(&[("nome", "pessoa")]).await.remove(0);
    assert_eq!(row["dataCadastro"], "14/11/2026");
}

#[both_engines]
async fn a_member_who_moves_leaves_his_benefits_where_they_are(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let saved = calls.health(1, json!({})).await;
    let body = json!({"nomePessoa": "Pessoa 1", "cpfCnpj": cpf(1), "codLoja": 3});
    calls.saved(&calls.integration, MEMBERS, &body).await;
    assert_eq!(calls.now(&saved).await["codLoja"], 2);
    let rows = calls.rows(&[("nome", "pessoa")]).await;
    assert_eq!(each(&rows, "codLoja"), [json!(2)]);
    let all = calls.read(&calls.integration, MEMBERS, &[("situacaoBeneficio", "Todos")]).await;
    assert_eq!((all["itens"].as_array().unwrap().len(), &all["quantidade"]), (1, &json!(1)));
}

/// Programs send a person again before each new benefit, with everything that they have of him.
#[both_engines]
async fn what_a_member_has_may_be_sent_again_after_it_went_out_of_use(world: World) {
    let calls = Calls::on(world).await;
    let by = &calls.administrator;
    let body = json!({"nomePessoa": "Pessoa 1", "cpfCnpj": cpf(1), "codLoja": 3, "codConsultor": 1, "codRepresentante": 2});
    let saved = calls.saved(by, MEMBERS, &body).await;
    for register in ["vendedor/1", "vendedor/2", "loja/3"] {
        let path = format!("/gestao/{register}");
        let version = calls.read(by, &path, &[]).await["versao"].clone();
        let reply = calls.put(by, &path, &json!({"ativo": false, "versao": version})).await;
        assert_eq!(reply.status, 200, "{register}: {reply:?}");
    }
    assert_eq!(calls.saved(by, MEMBERS, &body).await, saved);
    let told = calls.post(by, MEMBERS, &crate::calls::with(body.clone(), json!({"cpfCnpj": cpf(2)}))).await;
    for field in ["codLoja", "codConsultor", "codRepresentante"] {
        assert!(told_about(told.refuses(400), field), "{field} is nothing for somebody new: {told:?}");
    }
    // Who does not see him learns nothing of where he is.
    for store in [1, 3] {
        let told = calls
            .post(&calls.operator, MEMBERS, &crate::calls::with(body.clone(), json!({"codLoja": store})))
            .await;
        assert!(told_about(told.refuses(400), "codLoja"), "{told:?}");
    }
}
