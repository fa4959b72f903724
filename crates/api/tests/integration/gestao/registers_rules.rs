//! What the description of a register cannot say: names, what stays, what must not go, and what the audit keeps.

use crate::calls::{Calls, items, told_about};
use serde_json::json;
use testkit::{World, both_engines};

#[both_engines]
async fn two_records_of_one_name_are_a_conflict_whatever_its_case_and_accents(world: World) {
    let calls = Calls::on(world).await;
    let by = &calls.administrator;
    let plan = json!({"nome": "PROTECAO  ouro", "tipoBeneficio": "SAUDE", "valor": 1});
    let refused = calls.post(by, "/gestao/plano", &plan).await;
    assert!(told_about(refused.refuses(409), "nome") && refused.body.contains("plano 1"), "{refused:?}");
    let renamed = calls.put(by, "/gestao/plano/2", &json!({"nome": "proteção ouro", "versao": 1})).await;
    assert!(told_about(renamed.refuses(409), "nome"), "{renamed:?}");
    // Its own name is no other's.
    assert_eq!(
        calls.put(by, "/gestao/plano/1", &json!({"nome": "Proteção OURO", "versao": 1})).await.status,
        200
    );
    // Each entity has its own names, each funnel and each kind of benefit too.
    let situation = |entity: &str| json!({"entidade": entity, "nome": "Cancelado!", "tipo": "CANCELADO", "corDestaque": "C5221F"});
    calls.saved(by, "/gestao/situacao", &situation("evento")).await;
    calls.saved(by, "/gestao/situacao", &situation("consulta")).await;
    calls.post(by, "/gestao/situacao", &situation("evento")).await.refuses(409);
    let stage = |funnel: i32| json!({"codFunil": funnel, "nome": "Visita", "corDestaque": "1A73E8"});
    calls.saved(by, "/gestao/etapa", &stage(1)).await;
    calls.post(by, "/gestao/etapa", &stage(2)).await.refuses(409);
    // A document is one supplier's, and two sellers may be called alike.
    let supplier = json!({"nome": "Outra", "cpfCnpj": "11222333000181"});
    let refused = calls.post(by, "/gestao/fornecedor", &supplier).await;
    assert!(told_about(refused.refuses(409), "cpfCnpj"), "{refused:?}");
    let seller = json!({"nome": "Vendas 1", "tipo": "Consultor", "codLoja": 2});
    calls.saved(by, "/gestao/vendedor", &seller).await;
}

#[both_engines]
async fn what_stays_as_it_was_is_a_conflict_that_says_what_it_is(world: World) {
    let calls = Calls::on(world).await;
    let by = &calls.administrator;
    for (path, body, field, now) in [
        ("/gestao/plano/1", json!({"tipoBeneficio": "SAUDE", "versao": 1}), "tipoBeneficio", "VEICULAR"),
        ("/gestao/situacao/1", json!({"entidade": "evento", "versao": 1}), "entidade", "beneficio"),
        ("/gestao/situacao/1", json!({"tipo": "PENDENTE", "versao": 1}), "tipo", "ATIVO"),
        ("/gestao/campoAdicional/1", json!({"tipo": "Data", "versao": 1}), "tipo", "Texto"),
        ("/gestao/etapa/1", json!({"codFunil": 2, "versao": 1}), "codFunil", "1"),
    ] {
        let refused = calls.put(by, path, &body).await;
        assert!(told_about(refused.refuses(409), field) && refused.body.contains(now), "{path}: {refused:?}");
        let same = calls.read(by, path, &[]).await;
        assert_eq!(calls.put(by, path, &same).await.status, 200, "{path}: what was given is taken back");
    }
}

#[both_engines]
async fn the_last_in_use_stays_in_use(world: World) {
    let calls = Calls::on(world).await;
    let by = &calls.administrator;
    let retire = async |path: &str, code: i64| {
        let at = format!("/gestao/{path}/{code}");
        let version = calls.read(by, &at, &[]).await["versao"].clone();
        calls.put(by, &at, &json!({"ativo": false, "versao": version})).await
    };
    for (path, code, query) in [
        ("loja", "codLoja", vec![]),
        ("vencimento", "dia", vec![]),
        ("etapa", "codEtapa", vec![("codFunil", "1")]),
        ("funil", "codFunil", vec![]),
    ] {
        let mut query = query;
        query.push(("ativo", "true"));
        let all = items(&calls.read(by, &format!("/gestao/{path}"), &query).await);
        let (last, others) = all.split_last().unwrap();
        assert!(!others.is_empty(), "{path}");
        for one in others {
            assert_eq!(retire(path, one[code].as_i64().unwrap()).await.status, 200, "{path} {one}");
        }
        let refused = retire(path, last[code].as_i64().unwrap()).await;
        assert!(told_about(refused.refuses(409), "ativo"), "{path}: {refused:?}");
    }
}

#[both_engines]
async fn a_record_names_only_what_is_in_use(world: World) {
    let calls = Calls::on(world).await;
    let by = &calls.administrator;
    // The second supplier is not in use, the third is of the other association.
    for supplier in [2, 3, 0, -1] {
        let tracker = json!({"numeroSerie": "A1", "codFornecedor": supplier});
        let refused = calls.post(by, "/gestao/rastreador", &tracker).await;
        assert!(told_about(refused.refuses(400), "codFornecedor"), "{refused:?}");
    }
    let tracker =
        calls.saved(by, "/gestao/rastreador", &json!({"numeroSerie": "A1", "codFornecedor": 1})).await;
    let at = format!("/gestao/rastreador/{}", tracker["codRastreador"]);
    let retired = calls.put(by, "/gestao/fornecedor/1", &json!({"ativo": false, "versao": 1})).await;
    assert_eq!(retired.status, 200, "{retired:?}");
    // What it named before may stay.
    let kept = calls.put(by, &at, &json!({"modelo": "X", "codFornecedor": 1, "versao": 1})).await;
    assert_eq!((kept.status, kept.json()["codFornecedor"].clone()), (200, json!(1)), "{kept:?}");
    let cleared = calls.put(by, &at, &json!({"codFornecedor": null, "versao": 2})).await.json();
    assert_eq!((&cleared["codFornecedor"], &cleared["modelo"]), (&json!(null), &json!("X")));
    let again = calls.put(by, &at, &json!({"codFornecedor": 1, "versao": 3})).await;
    assert!(told_about(again.refuses(400), "codFornecedor"), "{again:?}");
    let cleared = calls.put(by, &at, &json!({"numeroSerie": null, "versao": 3})).await;
    assert!(
        told_about(cleared.refuses(400), "numeroSerie"),
        "what must be there cannot be cleared: {cleared:?}"
    );
}

#[both_engines]
async fn additional_fields_have_options_or_a_length_by_their_type(world: World) {
    let calls = Calls::on(world).await;
    let by = &calls.administrator;
    let field = |name: &str, kind: &str, more: serde_json::Value| {
        crate::calls::with(json!({"nome": name, "tipoBeneficio": "VEICULAR", "tipo": kind}), more)
    };
    for (kind, more, told) in [
        ("Lista", json!({}), "opcoes"),
        ("Lista", json!({"opcoes": []}), "opcoes"),
        ("Texto", json!({"opcoes": ["A"]}), "opcoes"),
        ("Data", json!({"tamanhoMaximo": 3}), "tamanhoMaximo"),
        ("Texto", json!({"tamanhoMaximo": 0}), "tamanhoMaximo"),
    ] {
        let refused = calls.post(by, "/gestao/campoAdicional", &field("Novo", kind, more)).await;
        assert!(told_about(refused.refuses(400), told), "{refused:?}");
    }
    let list = field("Rodas", "Lista", json!({"opcoes": ["Liga", "Aço"], "obrigatorio": true}));
    let saved = calls.saved(by, "/gestao/campoAdicional", &list).await;
    assert_eq!((&saved["opcoes"], &saved["obrigatorio"]), (&json!(["Liga", "Aço"]), &json!(true)));
    let at = format!("/gestao/campoAdicional/{}", saved["codCampo"]);
    let changed = calls.put(by, &at, &json!({"opcoes": ["Aço"], "versao": 1})).await.json();
    assert_eq!(changed["opcoes"], json!(["Aço"]));
    let fields = calls.read(by, "/ext/administracao/campos/0", &[]).await;
    let told = crate::calls::array(&fields).into_iter().find(|one| one["nome"] == "Rodas").unwrap();
    assert_eq!((&told["opcoes"], &told["tipo"]), (&json!(["Aço"]), &json!("Lista")));
}

#[both_engines]
async fn the_audit_tells_who_changed_what_and_never_a_value(world: World) {
    let calls = Calls::on(world).await;
    let by = &calls.administrator;
    let plan = json!({"nome": "Segredo de Estado", "tipoBeneficio": "VEICULAR", "valor": 10});
    let code = calls.saved(by, "/gestao/plano", &plan).await["codPlano"].clone();
    let change = json!({"nome": "Outro Segredo", "ativo": false, "versao": 1});
    assert_eq!(calls.put(by, &format!("/gestao/plano/{code}"), &change).await.status, 200);
    let told = items(&calls.read(by, crate::calls::AUDIT, &[]).await);
    let of: Vec<_> = told.iter().filter(|one| one.to_string().contains("/gestao/plano")).collect();
    assert_eq!(of.len(), 2, "{told:?}");
    assert!(of[1].to_string().contains("nome, ativo") && !of[1].to_string().contains("Segredo"), "{of:?}");
}
