//! Refusals: their form, all of them at once, and which comes first.

use crate::calls::{BENEFITS, Calls, DEPENDENTS, LIST, MEMBERS, VEHICLES, car, health, told_about};
use serde_json::{Value, json};
use testkit::{World, both_engines};

const OPERATIONS: [(&str, &str); 13] = [
    ("GET", MEMBERS),
    ("POST", MEMBERS),
    ("GET", BENEFITS),
    ("POST", BENEFITS),
    ("POST", VEHICLES),
    ("GET", LIST),
    ("PUT", "/ext/beneficio/1/cancelar"),
    ("GET", DEPENDENTS),
    ("POST", DEPENDENTS),
    ("GET", "/ext/beneficio/1/dependentes"),
    ("GET", "/ext/beneficio/1/itens"),
    ("POST", "/ext/beneficio/1/itens"),
    ("PUT", "/ext/beneficio/1/dadosAdicionais"),
];

#[both_engines]
async fn without_a_good_credential_nothing_else_is_looked_at(world: World) {
    let calls = Calls::on(world).await;
    let basic = testkit::basic(&calls.world.operator.email, testkit::PASSWORD);
    for (method, path) in OPERATIONS {
        for credential in
            [None, Some("Bearer "), Some("Bearer amp_1_2_3"), Some(basic.as_str()), Some("Digest x")]
        {
            let headers: Vec<(&str, &str)> =
                credential.map(|one| ("Authorization", one)).into_iter().collect();
            let reply = calls.server().call(method, path, &headers, "{").await;
            reply.refuses(401);
            assert!(reply.header("www-authenticate").is_some(), "{method} {path}");
        }
    }
}

#[both_engines]
async fn all_problems_of_a_benefit_come_at_once_one_a_line(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let body = json!({"codPlano": 99, "cpfCnpj": crate::calls::cpf(1), "codLoja": 99, "situacao": "QUALQUER",
        "diaVencimento": 31, "codConsultor": 99, "codRepresentante": 98, "codTipoVeiculo": 99, "placa": "ABC1D23",
        "observacao": "o resto está bom"});
    let told = calls.refused(VEHICLES, &body).await;
    for field in [
        "codPlano",
        "codLoja",
        "situacao",
        "diaVencimento",
        "codConsultor",
        "codRepresentante",
        "codTipoVeiculo",
    ] {
        assert!(told_about(&told, field), "{field} in {told}");
    }
    assert!(told.lines().all(|line| line.contains(": ") && line.ends_with('.')), "{told}");
    let more = json!({"diaVencimento": 31, "dadosAdicionais": [{"codCampo": 99, "valor": "x"}, {"codCampo": 2, "valor": "x"}]});
    let told = calls.refused(VEHICLES, &car(1, "ABC1D23", more)).await;
    for place in ["diaVencimento", "dadosAdicionais[0]", "dadosAdicionais[1]"] {
        assert!(told.lines().any(|line| line.starts_with(place)), "{place} in {told}");
    }
}

#[both_engines]
async fn what_cannot_be_read_is_all_told_at_once(world: World) {
    let calls = Calls::on(world).await;
    let body = json!({"codPlano": "x", "cpfCnpj": "1", "ativo": "sim", "diaVencimento": "dez", "dataAdesao": "31/02/2026",
        "numeroCartaoDesconto": "1", "placa": "A", "anoModelo": "novo", "combustivel": "AGUA", "categoria": "NAVE",
        "valorVeiculo": -1, "dadosAdicionais": 5});
    let told = calls.refused(VEHICLES, &body).await;
    for field in body.as_object().unwrap().keys() {
        assert!(told_about(&told, field), "{field} in {told}");
    }
}

#[both_engines]
async fn what_cannot_be_read_and_what_does_not_exist_come_together(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let more =
        json!({"codPlano": 99, "diaVencimento": 31, "dataAdesao": "31/02/2026", "numeroCartaoDesconto": "1"});
    let told = calls.refused(BENEFITS, &health(1, more)).await;
    for field in ["codPlano", "diaVencimento", "dataAdesao", "numeroCartaoDesconto"] {
        assert!(told_about(&told, field), "{field} in {told}");
    }
}

/// Also where what must be there is not, or is wrong: nobody mends one field only to be told of the next.
#[both_engines]
async fn what_is_missing_and_what_does_not_exist_come_together(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let known = crate::calls::cpf(1);
    for (path, body, fields) in [
        (BENEFITS, json!({}), &["cpfCnpj", "codPlano"][..]),
        (VEHICLES, json!({}), &["cpfCnpj", "codPlano", "placa"]),
        (VEHICLES, json!({"cpfCnpj": "1", "codPlano": 1}), &["cpfCnpj", "placa"]),
        (
            BENEFITS,
            json!({"codPlano": 999, "diaVencimento": 31, "situacao": "foo"}),
            &["cpfCnpj", "codPlano", "diaVencimento", "situacao"],
        ),
        (
            BENEFITS,
            json!({"codBeneficio": 9999, "cpfCnpj": known, "codPlano": 999, "codLoja": 99, "diaVencimento": 31,
                "situacao": "foo", "codConsultor": 99}),
            &["codBeneficio", "codPlano", "codLoja", "diaVencimento", "situacao", "codConsultor"],
        ),
        (VEHICLES, json!({"codBeneficio": "x", "cpfCnpj": known}), &["codBeneficio"]),
        (VEHICLES, json!({"cpfCnpj": known, "codPlano": 1, "placa": "?"}), &["placa"]),
        (
            MEMBERS,
            json!({"codLoja": 99, "nomePessoa": "X", "cpfCnpj": "111.111.111-11", "natureza": "J", "codConsultor": 99}),
            &["cpfCnpj", "codLoja", "codConsultor"],
        ),
        (
            MEMBERS,
            json!({"codLoja": 99, "cpfCnpj": known, "codConsultor": 99}),
            &["nomePessoa", "codLoja", "codConsultor"],
        ),
        (MEMBERS, json!({"cpfCnpj": crate::calls::cpf(2)}), &["nomePessoa", "codLoja"]),
        (MEMBERS, json!({}), &["nomePessoa", "cpfCnpj", "codLoja"]),
    ] {
        // Who has several stores must say which.
        let told = calls.post(&calls.administrator, path, &body).await;
        let told = told.refuses(400);
        for field in fields {
            assert!(told_about(told, field), "{field} of {body} in {told}");
        }
        assert_eq!(told.lines().count(), fields.len(), "nothing else of {body}: {told}");
    }
    assert_eq!(calls.count("people").await, 1, "nothing was written by trying");
}

#[both_engines]
async fn what_is_packed_is_refused(world: World) {
    let calls = Calls::on(world).await;
    let bearer = format!("Bearer {}", calls.operator);
    let call = async |coding: &str| {
        let headers = [("Authorization", bearer.as_str()), ("Content-Encoding", coding)];
        calls.server().call("POST", MEMBERS, &headers, "{}").await
    };
    call("gzip").await.refuses(415);
    call("identity").await.refuses(400);
}

#[both_engines]
async fn all_problems_of_a_search_come_at_once(world: World) {
    let calls = Calls::on(world).await;
    let query = [("codPessoa", "x"), ("dataNascimento", "31/02/2026"), ("pagina", "0"), ("codPlano", "-1")];
    let told = calls.get(&calls.operator, MEMBERS, &query).await;
    for (field, _) in query {
        assert!(told_about(told.refuses(400), field), "{field}: {told:?}");
    }
    let query = [("sequencial", "x"), ("numeroCartaoDesconto", "1"), ("codPlano", "-1")];
    let told = calls.get(&calls.operator, BENEFITS, &query).await;
    for (field, _) in query {
        assert!(told_about(told.refuses(400), field), "{field}: {told:?}");
    }
    // The rule of what must be given is one of them, unless what could not be read would have kept it.
    for (path, query, has_rule) in [
        (MEMBERS, ("codLoja", "x"), true),
        (MEMBERS, ("pagina", "0"), true),
        (MEMBERS, ("codPessoa", "x"), false),
        (BENEFITS, ("codPlano", "x"), true),
        (BENEFITS, ("sequencial", "x"), false),
    ] {
        let told = calls.get(&calls.operator, path, &[query]).await;
        let lines: Vec<&str> = told.refuses(400).lines().collect();
        assert!(told_about(lines[0], query.0), "{lines:?}");
        assert_eq!(lines.len(), 1 + usize::from(has_rule), "{lines:?}");
        assert_eq!(lines.iter().any(|line| line.starts_with("Informe ao menos um")), has_rule, "{lines:?}");
    }
}

#[both_engines]
async fn a_body_that_is_missing_malformed_or_no_object_is_bad_input(world: World) {
    let calls = Calls::on(world).await;
    for path in [MEMBERS, BENEFITS, VEHICLES] {
        for body in ["", "{", "[]", "\"texto\"", "null", "{\"cpfCnpj\": }"] {
            calls.server().write(path, &calls.operator, body).await.refuses(400);
        }
    }
}

#[both_engines]
async fn refusals_come_in_their_order(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let bearer = format!("Bearer {}", calls.operator);
    let call = async |method: &str, path: &str, kind: &str, body: &str| {
        let headers = [("Authorization", bearer.as_str()), ("Content-Type", kind)];
        calls.server().call(method, path, &headers, body).await
    };
    let (json_type, text) = ("application/json", "text/plain");
    let large = format!("{{\"observacao\": \"{}\"}}", "x".repeat(1024 * 1024));
    call("POST", "/ext/beneficio/nada/nada/nada", text, "{").await.refuses(404);
    calls.server().call("DELETE", LIST, &[], "").await.refuses(405);
    for path in [MEMBERS, BENEFITS, VEHICLES] {
        call("POST", path, text, "{").await.refuses(415);
        call("POST", path, json_type, &large).await.refuses(413);
    }
    call("PUT", "/ext/beneficio/99/cancelar", text, "{}").await.refuses(415);
    call("PUT", "/ext/beneficio/99/cancelar", json_type, "{").await.refuses(400);
    call("PUT", "/ext/beneficio/99/cancelar", json_type, "{}").await.refuses(404);
    let saved = calls.car(1, "ABC1D23", json!({})).await;
    calls.cancel(&calls.operator, &saved["codBeneficio"], "").await;
    let both = car(1, "ABC1D23", json!({"codBeneficio": saved["codBeneficio"], "diaVencimento": 31}));
    let told = calls.refused(VEHICLES, &both).await;
    assert!(told_about(&told, "diaVencimento"), "input before state: {told}");
    calls.car(1, "ABC1D23", json!({})).await;
    let both = car(1, "ABC1D23", json!({"diaVencimento": 31}));
    assert!(told_about(&calls.refused(VEHICLES, &both).await, "diaVencimento"), "input before conflict");
}

#[both_engines]
async fn content_types_that_name_json_are_taken(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let bearer = format!("Bearer {}", calls.operator);
    let body = health(1, json!({})).to_string();
    for kind in ["application/json", "application/json; charset=utf-8", "application/vnd.x+json", "text/json"]
    {
        let headers = [("Authorization", bearer.as_str()), ("Content-Type", kind)];
        assert_eq!(calls.server().call("POST", BENEFITS, &headers, &body).await.status, 200, "{kind}");
    }
    let none = [("Authorization", bearer.as_str())];
    assert_eq!(calls.server().call("POST", BENEFITS, &none, &body).await.status, 200, "none at all");
}

#[both_engines]
async fn a_refusal_says_in_portuguese_what_is_allowed(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let told = calls.refused(BENEFITS, &health(1, json!({"situacao": "QUALQUER"}))).await;
    assert!(told.contains("QUALQUER"), "{told}");
    for name in ["ATIVO", "PENDENTE", "INADIMPLENTE", "SUSPENSO", "INATIVO"] {
        assert!(told.contains(name), "{name} in {told}");
    }
    let refused = calls.get(&calls.operator, LIST, &[("pagina", "0")]).await;
    let told: Value = json!(refused.refuses(400));
    assert!(told.as_str().unwrap().starts_with("pagina: "), "{told}");
}
