//! How values look on their way in and on their way out, in every record alike.

use crate::calls::{Calls, LIST, MEMBERS, VEHICLES, array, bare, car, cpf, each, told_about, with};
use serde_json::{Value, json};
use std::time::Duration;
use testkit::{World, both_engines};

#[both_engines]
async fn documents_go_out_masked_in_every_record(world: World) {
    let calls = Calls::on(world).await;
    for (document, masked) in [
        (bare(&cpf(1)), cpf(1)),
        ("11222333000181".to_owned(), "11.222.333/0001-81".to_owned()),
        ("12abc34501de35".to_owned(), "12.ABC.345/01DE-35".to_owned()),
    ] {
        let person = json!({"nomePessoa": "Ana", "cpfCnpj": document});
        assert_eq!(calls.saved(&calls.operator, MEMBERS, &person).await["cpfCnpj"], masked);
        let body = json!({"codPlano": 2, "cpfCnpj": document.to_lowercase()});
        let saved = calls.saved(&calls.operator, "/ext/beneficio", &body).await;
        assert_eq!(calls.now(&saved).await["cpfCnpj"], masked);
        assert_eq!(each(&calls.rows(&[("cpf", &document)]).await, "cpfCnpj"), [masked]);
    }
}

#[both_engines]
async fn documents_in_bodies_are_verified(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    for wrong in [
        "529.982.247-26",
        "11.222.333/0001-82",
        "12.ABC.345/01DE-36",
        "000.000.000-00",
        "11111111111111",
        "5299822472",
        "abc",
    ] {
        for (path, body) in [
            (MEMBERS, json!({"nomePessoa": "Ana", "cpfCnpj": wrong})),
            ("/ext/beneficio", json!({"codPlano": 2, "cpfCnpj": wrong})),
            (VEHICLES, json!({"codPlano": 1, "cpfCnpj": wrong, "placa": "ABC1D23"})),
        ] {
            assert!(told_about(&calls.refused(path, &body).await, "cpfCnpj"), "{path} {wrong}");
        }
    }
}

/// Programs that keep documents as numbers lose their leading zeros.
#[both_engines]
async fn a_document_may_be_a_number_without_its_leading_zeros(world: World) {
    let calls = Calls::on(world).await;
    for (number, masked) in [
        (json!(52_998_224_725_i64), "529.982.247-25"),
        (json!(1_000_000_702), "010.000.007-02"),
        (json!(11_222_333_000_181_i64), "11.222.333/0001-81"),
        (json!(6_990_590_000_123_i64), "06.990.590/0001-23"),
    ] {
        let person = json!({"nomePessoa": "Ana", "cpfCnpj": number});
        let saved = calls.saved(&calls.operator, MEMBERS, &person).await;
        assert_eq!(saved["cpfCnpj"], masked);
        let body = json!({"codPlano": 2, "cpfCnpj": number});
        let benefit = calls.saved(&calls.operator, "/ext/beneficio", &body).await;
        assert_eq!(benefit["codPessoa"], saved["codPessoa"], "{masked}");
        for parameter in ["cpf", "cnpj"] {
            let rows = calls.rows(&[(parameter, &number.to_string())]).await;
            assert_eq!(each(&rows, "cpfCnpj"), [masked], "{parameter}");
        }
        for field in ["cpfCnpj", "matricula"] {
            let asked = json!({field: number});
            let reply = calls.post(&calls.operator, "/ext/beneficio/validacao", &asked).await;
            assert!(
                reply.status == 200 || field == "matricula" && number.to_string().len() == 13,
                "{reply:?}"
            );
        }
    }
    for wrong in [json!(5_299_822_472_i64), json!(52_998_224_726_i64), json!(0), json!(-52_998_224_725_i64)] {
        let told = calls.refused(MEMBERS, &json!({"nomePessoa": "Ana", "cpfCnpj": wrong})).await;
        assert!(told_about(&told, "cpfCnpj"), "{wrong}: {told}");
    }
    for wrong in ["5299822472.5", "5.2998224725e10"] {
        let body = format!(r#"{{"nomePessoa": "Ana", "cpfCnpj": {wrong}}}"#);
        let reply = calls.server().write(MEMBERS, &calls.operator, &body).await;
        assert!(told_about(reply.refuses(400), "cpfCnpj"), "{wrong}: {reply:?}");
    }
    let benefit = calls.rows(&[("cpf", "52998224725")]).await.remove(0);
    let saved = calls.dependent(&benefit, json!({"cpf": 1_000_000_702})).await;
    let found = calls.read(&calls.operator, "/ext/beneficio/dependente", &[("cpf", "1000000702")]).await;
    assert_eq!(
        (&found[0]["codDependente"], &found[0]["cpf"]),
        (&saved["codDependente"], &json!("010.000.007-02"))
    );
}

#[both_engines]
async fn telephones_go_out_without_blanks_and_come_in_any_mask(world: World) {
    let calls = Calls::on(world).await;
    for (given, shown) in [
        ("11987654321", "(11)98765-4321"),
        ("(11) 98765-4321", "(11)98765-4321"),
        ("+55 11 98765-4321", "(11)98765-4321"),
        ("5511987654321", "(11)98765-4321"),
        ("551133334444", "(11)3333-4444"),
        ("1133334444", "(11)3333-4444"),
        // Area code 55 is one too: eleven digits keep it.
        ("55987654321", "(55)98765-4321"),
        ("5533334444", "(55)3333-4444"),
    ] {
        let field = if shown.len() == 14 { "telefoneCelular" } else { "telefoneFixo" };
        let other = if shown.len() == 14 { "telefoneFixo" } else { "telefoneCelular" };
        let saved = calls.member_with(1, json!({"telefones": [{"numero": given}]})).await;
        assert_eq!((&saved[field], &saved[other]), (&json!(shown), &Value::Null), "{given}");
        let row = calls.rows(&[("nome", "pessoa")]).await.remove(0);
        assert_eq!((&row[field], &row[other]), (&json!(shown), &Value::Null), "{given}");
    }
    for wrong in ["123", "1234567", "119876543210", "abc"] {
        let body = json!({"nomePessoa": "Ana", "cpfCnpj": cpf(1), "telefones": [{"numero": wrong}]});
        assert!(told_about(&calls.refused(MEMBERS, &body).await, "telefones[0].numero"), "{wrong}");
    }
    for country in [json!(55), json!("55"), json!("+55"), Value::Null] {
        let phone = json!({"telefones": [{"ddi": country, "numero": "11987654321", "tipo": "Celular"}]});
        assert_eq!(calls.member_with(1, phone).await["telefoneCelular"], "(11)98765-4321", "{country}");
    }
}

/// A telephone that lacks something must not cost the association the person.
#[both_engines]
async fn an_incomplete_telephone_is_kept_as_it_was_given(world: World) {
    let calls = Calls::on(world).await;
    for (given, kind, shown) in [
        ("98765-4321", Value::Null, "98765-4321"),
        ("33334444", Value::Null, "3333-4444"),
        ("3333 4444", json!("Celular"), "3333-4444"),
        ("(11)3333-4444", json!("Celular"), "(11)3333-4444"),
        ("98765-4321", json!("Fixo"), "98765-4321"),
    ] {
        let is_mobile = if kind.is_null() { given.starts_with('9') } else { kind == "Celular" };
        let (field, other) = match is_mobile {
            true => ("telefoneCelular", "telefoneFixo"),
            false => ("telefoneFixo", "telefoneCelular"),
        };
        let phones = json!({"telefones": [{"numero": given, "tipo": kind}]});
        let saved = calls.member_with(1, phones.clone()).await;
        assert_eq!((&saved[field], &saved[other]), (&json!(shown), &Value::Null), "{given}");
        let row = calls.rows(&[("nome", "pessoa")]).await.remove(0);
        assert_eq!((&row[field], &row[other]), (&json!(shown), &Value::Null), "{given}");
        let whole = format!("/gestao/associado/{}", saved["codPessoa"]);
        let whole = calls.read(&calls.administrator, &whole, &[]).await;
        assert_eq!(whole["telefones"][0]["numero"], shown, "{given}");
        assert_eq!(calls.member_with(1, phones).await, saved, "the same again changes nothing");
    }
    let benefit = calls.car(1, "ABC1D23", json!({})).await;
    calls.dependent(&benefit, json!({"telefone": "98765-4321"})).await;
    let dependents = format!("/ext/beneficio/{}/dependentes", benefit["codBeneficio"]);
    assert_eq!(calls.read(&calls.operator, &dependents, &[]).await[0]["telefone"], "98765-4321");
}

#[both_engines]
async fn an_incomplete_telephone_takes_no_complete_ones_place(world: World) {
    let calls = Calls::on(world).await;
    let phones = |number: &str| json!({"telefones": [{"numero": number}]});
    let first = calls.member_with(1, phones("(11)98765-4321")).await;
    for ending in ["98765-4321", "987654321", "8765-4321"] {
        assert_eq!(calls.member_with(1, phones(ending)).await, first, "{ending}");
    }
    let path = format!("/gestao/associado/{}", first["codPessoa"]);
    let change = json!({"versao": 1, "telefones": [{"numero": "98765-4321"}, {"numero": "3333-4444"}]});
    let changed = calls.put(&calls.administrator, &path, &change).await;
    assert_eq!(changed.status, 200, "{changed:?}");
    assert_eq!(each(&array(&changed.json()["telefones"]), "numero"), ["(11)98765-4321", "3333-4444"]);
    // Other numbers take its place, whether complete or not.
    for other in ["98765-0000", "(21)98765-0000"] {
        assert_eq!(calls.member_with(1, phones(other)).await["telefoneCelular"], other);
    }
    let benefit = calls.car(1, "ABC1D23", json!({})).await;
    let dependent = calls.dependent(&benefit, json!({"telefone": "(11)98765-4321"})).await;
    calls
        .dependent(&benefit, json!({"codDependente": dependent["codDependente"], "telefone": "98765-4321"}))
        .await;
    let dependents = format!("/ext/beneficio/{}/dependentes", benefit["codBeneficio"]);
    assert_eq!(calls.read(&calls.operator, &dependents, &[]).await[0]["telefone"], "(11)98765-4321");
}

#[both_engines]
async fn postal_codes_go_out_with_a_hyphen_and_come_in_either_way(world: World) {
    let calls = Calls::on(world).await;
    for given in ["01310100", "01310-100", "01.310-100"] {
        calls.member_with(1, json!({"endereco": {"cep": given}})).await;
        let row = calls.rows(&[("nome", "pessoa")]).await.remove(0);
        assert_eq!(row["endereco"]["cep"], "01310-100", "{given}");
        assert_eq!(row["endereco"].get("cidade"), Some(&Value::Null));
    }
    for wrong in ["1", "0131010", "abcdefgh"] {
        let body = json!({"nomePessoa": "Ana", "cpfCnpj": cpf(1), "endereco": {"cep": wrong}});
        assert!(told_about(&calls.refused(MEMBERS, &body).await, "endereco.cep"), "{wrong}");
    }
}

#[both_engines]
async fn an_address_tells_its_street_with_and_without_its_kind(world: World) {
    let calls = Calls::on(world).await;
    let address = json!({"bairro": "Bela Vista", "cep": "01310-100", "cidade": "São Paulo", "complemento": "Apto 12",
        "logradouro": "Paulista", "numero": "1578", "tipoEndereco": "Residencial", "tipoLogradouro": "Avenida", "uf": "SP"});
    calls.member_with(1, json!({"endereco": address})).await;
    let row = calls.rows(&[("nome", "pessoa")]).await.remove(0);
    assert_eq!(row["endereco"], with(address, json!({"logradouroComTipo": "Avenida Paulista"})));
    calls.member_with(1, json!({"endereco": {"numero": 20}})).await;
    let row = calls.rows(&[("nome", "pessoa")]).await.remove(0);
    assert_eq!(
        (&row["endereco"]["numero"], &row["endereco"]["bairro"]),
        (&json!("20"), &json!("Bela Vista"))
    );
}

#[both_engines]
async fn money_is_a_number_to_the_cent(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let mut plates = (10..).map(|number| format!("ABC1D{number}"));
    for (given, shown) in [
        ("78500", "78500"),
        ("78500.5", "78500.5"),
        ("78500.50", "78500.5"),
        ("78500.5000", "78500.5"),
        ("0.1", "0.1"),
        ("0.07", "0.07"),
        ("1234567.89", "1234567.89"),
        ("0", "0"),
    ] {
        // As text, so that the digits travel as they stand here.
        let body = car(1, &plates.next().unwrap(), json!({"valorVeiculo": "@"})).to_string();
        let reply = calls.server().write(VEHICLES, &calls.operator, &body.replace("\"@\"", given)).await;
        assert_eq!(reply.status, 200, "{given}: {reply:?}");
        let now = calls.now(&reply.json()).await;
        assert_eq!(now["veiculo"]["valorVeiculo"].to_string(), shown, "{given}");
        assert_eq!(now["planos"][0]["valor"].to_string(), "150.55");
    }
    for wrong in ["1.005", "1.0500001", "-1", "\"1.500\"", "\"caro\"", "true"] {
        let body = car(1, "XYZ1A11", json!({"valorVeiculo": "@"})).to_string().replace("\"@\"", wrong);
        let reply = calls.server().write(VEHICLES, &calls.operator, &body).await;
        assert!(told_about(reply.refuses(400), "valorVeiculo"), "{wrong}: {reply:?}");
    }
}

#[both_engines]
async fn dates_in_bodies_come_in_both_forms_and_impossible_ones_are_refused(world: World) {
    let calls = Calls::on(world).await;
    for given in ["25/03/1988", "1988-03-25"] {
        calls
            .member_with(1, json!({"dataNascimento": given, "dataExpedicao": given, "validadeCnh": given}))
            .await;
        assert_eq!(each(&calls.rows(&[("nome", "pessoa")]).await, "dataNascimento"), ["25/03/1988"]);
        calls.member_with(1, json!({"dataNascimento": null})).await;
    }
    for field in ["dataNascimento", "dataExpedicao", "validadeCnh"] {
        for wrong in ["31/02/1988", "1988-02-31", "29/02/1989", "25-03-1988", "hoje", "0000-00-00"] {
            let body = json!({"nomePessoa": "Ana", "cpfCnpj": cpf(1), field: wrong});
            assert!(told_about(&calls.refused(MEMBERS, &body).await, field), "{field} {wrong}");
        }
    }
}

#[both_engines]
async fn dates_in_queries_have_one_form_and_are_real(world: World) {
    let calls = Calls::on(world).await;
    calls.member_with(1, json!({"dataNascimento": "29/02/1988"})).await;
    assert_eq!(calls.rows(&[("dataNascimento", "29/02/1988")]).await.len(), 1);
    for field in ["dataNascimento", "dataCadastroInicial", "dataCadastroFinal", "dataAtualizacao"] {
        for wrong in
            ["1988-02-29", "29/02/1989", "29/2/1988", "29/02/88", "29/02/1988 ", "00/00/0000", "29-02-1988"]
        {
            let refused = calls.get(&calls.operator, MEMBERS, &[("nome", "ana"), (field, wrong)]).await;
            assert!(told_about(refused.refuses(400), field), "{field}={wrong}: {refused:?}");
        }
    }
}

#[both_engines]
async fn the_associations_time_zone_decides_the_day(world: World) {
    let calls = Calls::on(world).await;
    // 00:02 of the 15th in Greenwich, 21:02 of the 14th in São Paulo.
    calls.world.clock.pass(Duration::from_mins(630));
    calls.member(1).await;
    let saved = calls.health(1, json!({"ativo": true})).await;
    calls.cancel(&calls.operator, &saved["codBeneficio"], "").await;
    let now = calls.now(&saved).await;
    for field in ["dataCadastro", "dataAtivacao", "dataCancelamento"] {
        assert_eq!(now[field], "14/11/2026", "{field}");
    }
    let row = calls.rows(&[("nome", "pessoa")]).await.remove(0);
    assert_eq!((&row["dataCadastro"], &row["dataAtualizacao"]), (&json!("14/11/2026"), &json!("14/11/2026")));
    let on = [("dataCadastroInicial", "14/11/2026"), ("dataCadastroFinal", "14/11/2026")];
    assert_eq!(calls.rows(&on).await.len(), 1);
    assert_eq!(calls.rows(&[("nome", "pessoa"), ("dataAtualizacao", "15/11/2026")]).await.len(), 0);
}

#[both_engines]
async fn an_empty_parameter_is_as_if_not_given(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let empty: Vec<(&str, &str)> = [
        "cpf",
        "cnpj",
        "cnpjEmpresa",
        "codPessoa",
        "codLoja",
        "codConsultor",
        "codRepresentante",
        "dataCadastroInicial",
        "dataCadastroFinal",
        "dataNascimento",
        "dataAtualizacao",
        "situacaoBeneficio",
        "placa",
        "chassi",
        "codPlano",
        "uf",
        "pagina",
    ]
    .map(|name| (name, ""))
    .to_vec();
    calls.get(&calls.operator, MEMBERS, &empty).await.refuses(400);
    let with_name: Vec<(&str, &str)> = [("nome", "pessoa")].into_iter().chain(empty).collect();
    assert_eq!(calls.rows(&with_name).await.len(), 1);
}

#[both_engines]
async fn fixed_sets_are_exact_and_a_refusal_lists_them(world: World) {
    let calls = Calls::on(world).await;
    for (field, allowed, wrong) in [
        ("natureza", &["F", "J"][..], &["f", "X"][..]),
        ("sexo", &["Feminino", "Masculino"], &["feminino", "f", "X", "Homem"]),
        (
            "estadoCivil",
            &["SOLTEIRO", "CASADO", "VIUVO", "SEPARADO", "DIVORCIADO", "UNIAO ESTAVEL", "OUTROS"],
            &["casado", "UNIÃO ESTÁVEL", "NOIVO"],
        ),
    ] {
        for given in wrong {
            let told =
                calls.refused(MEMBERS, &json!({"nomePessoa": "Ana", "cpfCnpj": cpf(1), field: given})).await;
            assert!(
                told_about(&told, field) && allowed.iter().all(|one| told.contains(one)),
                "{given}: {told}"
            );
        }
        for given in allowed.iter().filter(|one| **one != "J") {
            calls.member_with(1, json!({field: given})).await;
        }
    }
    for given in ["fixo", "CELULAR", "Comercial"] {
        let phone = json!([{"numero": "11987654321", "tipo": given}]);
        let body = json!({"nomePessoa": "Ana", "cpfCnpj": cpf(1), "telefones": phone});
        let told = calls.refused(MEMBERS, &body).await;
        assert!(
            told_about(&told, "telefones[0].tipo") && told.contains("Fixo") && told.contains("Celular"),
            "{told}"
        );
    }
}

#[both_engines]
async fn an_unknown_sex_is_none_and_its_letter_is_taken_too(world: World) {
    let calls = Calls::on(world).await;
    let shown = async |given: Value| {
        calls.member_with(1, json!({"sexo": given})).await;
        calls.rows(&[("nome", "pessoa")]).await.remove(0)["sexo"].clone()
    };
    for (given, letter) in [("F", "F"), ("M", "M"), ("Feminino", "F"), ("Masculino", "M")] {
        assert_eq!(shown(Value::Null).await, Value::Null);
        for unknown in ["Outro", "OUTRO", "Não informado", "Nao Informado", "", " "] {
            assert_eq!(shown(json!(unknown)).await, Value::Null, "{unknown}");
        }
        assert_eq!(shown(json!(given)).await, letter, "{given}");
        // Who does not know does not overwrite what is known.
        for unknown in ["Outro", "Não informado", ""] {
            assert_eq!(shown(json!(unknown)).await, letter, "{given}, then {unknown}");
        }
    }
    let benefit = calls.saved(&calls.operator, VEHICLES, &car(1, "ABC1D23", json!({}))).await;
    let dependent = |sex: &str| json!({"codBeneficio": benefit["codBeneficio"], "nome": "Bia", "parentesco": "FILHO", "sexo": sex});
    let path = format!("/ext/beneficio/{}/dependentes", benefit["codBeneficio"]);
    for (at, (given, stored)) in [
        ("Outro", Value::Null),
        ("Não informado", Value::Null),
        ("", Value::Null),
        ("F", json!("Feminino")),
        ("M", json!("Masculino")),
    ]
    .into_iter()
    .enumerate()
    {
        let saved = calls.saved(&calls.operator, "/ext/beneficio/dependente", &dependent(given)).await;
        let all = calls.server().read(&path, &calls.operator).await.json();
        let all = all.as_array().unwrap();
        let one = all.iter().find(|one| one["codDependente"] == saved["codDependente"]).unwrap();
        assert_eq!((all.len(), &one["sexo"]), (at + 1, &stored), "{given}");
    }
    assert!(told_about(&calls.refused("/ext/beneficio/dependente", &dependent("X")).await, "sexo"));
}

#[both_engines]
async fn every_answer_is_json_and_its_status_200(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let created = calls.post(&calls.operator, VEHICLES, &car(1, "ABC1D23", json!({}))).await;
    let cancelled = calls.cancel(&calls.operator, &json!(1), "").await;
    let mut replies = vec![created, cancelled];
    for path in [LIST, "/ext/associado?nome=p", "/ext/beneficio?placa=ABC1D23", "//ext/beneficio/lista/"] {
        let bearer = format!("Bearer {}", calls.operator);
        let odd = [("Authorization", bearer.as_str()), ("Accept", "text/xml")];
        replies.push(calls.server().call("GET", path, &odd, "").await);
    }
    for reply in replies {
        assert_eq!(
            (reply.status, reply.header("content-type")),
            (200, Some("application/json")),
            "{reply:?}"
        );
        assert!(reply.header("x-request-id").is_some());
    }
}
