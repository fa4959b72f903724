//! `GET /ext/associado`: what must be given, what each parameter finds, what a row says, and in which order.

use crate::calls::{Calls, MEMBERS, VEHICLES, bare, car, cpf, each, told_about};
use serde_json::{Value, json};
use std::time::Duration;
use testkit::{World, both_engines};

const COMPANY: &str = "11.222.333/0001-81";

#[both_engines]
async fn a_search_without_criterion_is_refused(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let insufficient: [&[(&str, &str)]; 12] = [
        &[],
        &[("cnpjEmpresa", COMPANY)],
        &[("codLoja", "2")],
        &[("codConsultor", "1")],
        &[("codRepresentante", "2")],
        &[("dataCadastroInicial", "01/01/2026")],
        &[("dataCadastroFinal", "01/01/2027")],
        &[("dataAtualizacao", "01/01/2026")],
        &[("codPlano", "1")],
        &[("uf", "SP")],
        &[("pagina", "1")],
        &[("codLoja", "2"), ("uf", "SP"), ("codPlano", "1"), ("dataAtualizacao", "01/01/2026")],
    ];
    for query in insufficient {
        calls.get(&calls.operator, MEMBERS, query).await.refuses(400);
    }
}

#[both_engines]
async fn a_refused_search_names_what_would_suffice(world: World) {
    let calls = Calls::on(world).await;
    let refused = calls.get(&calls.operator, MEMBERS, &[]).await;
    let told = refused.refuses(400);
    for field in [
        "codPessoa",
        "nome",
        "cpf",
        "cnpj",
        "dataCadastroInicial",
        "dataCadastroFinal",
        "dataNascimento",
        "situacaoBeneficio",
        "placa",
        "chassi",
    ] {
        assert!(told.contains(field), "{field} in {told}");
    }
}

/// One member of whom everything is known, with a vehicle, in the midst of others.
async fn known(calls: &Calls) -> Value {
    calls.member(2).await;
    let member = calls
        .member_with(
            1,
            json!({"nomePessoa": "João da Silva", "dataNascimento": "25/03/1988", "cnpjEmpresa": COMPANY,
                "endereco": {"uf": "SP"}, "codConsultor": 1, "codRepresentante": 2}),
        )
        .await;
    calls.member(3).await;
    calls.car(1, "ABC1D23", json!({"chassi": "9BWZZZ377VT004251", "ativo": true})).await;
    calls.car(2, "XYZ1A11", json!({})).await;
    member
}

#[both_engines]
async fn each_criterion_suffices_alone(world: World) {
    let calls = Calls::on(world).await;
    let member = known(&calls).await;
    let code = member["codPessoa"].to_string();
    let document = cpf(1);
    let sufficient: [&[(&str, &str)]; 9] = [
        &[("codPessoa", &code)],
        &[("nome", "joao")],
        &[("cpf", &document)],
        &[("cnpj", &document)],
        &[("dataCadastroInicial", "14/11/2026"), ("dataCadastroFinal", "14/11/2026"), ("nome", "silva")],
        &[("dataNascimento", "25/03/1988")],
        &[("situacaoBeneficio", "ATIVO")],
        &[("placa", "ABC1D23")],
        &[("chassi", "9BWZZZ377VT004251")],
    ];
    for query in sufficient {
        let rows = calls.rows(query).await;
        assert_eq!(each(&rows, "nomePessoa"), ["João da Silva"], "{query:?}");
    }
    let all = calls.rows(&[("dataCadastroInicial", "14/11/2026"), ("dataCadastroFinal", "14/11/2026")]).await;
    assert_eq!(all.len(), 3);
    assert_eq!(calls.rows(&[("situacaoBeneficio", "Todos")]).await.len(), 3);
}

#[both_engines]
async fn every_parameter_narrows_what_the_others_found(world: World) {
    let calls = Calls::on(world).await;
    let member = known(&calls).await;
    let (code, document) = (member["codPessoa"].to_string(), cpf(1));
    // What holds for him, and what does not.
    let parameters: [(&str, &str, &str); 16] = [
        ("nome", "sil joa", "joana"),
        ("cpf", &document, "529.982.247-25"),
        ("cnpj", &document, COMPANY),
        ("cnpjEmpresa", COMPANY, "12.ABC.345/01DE-35"),
        ("codPessoa", &code, "999"),
        ("codLoja", "2", "3"),
        ("codConsultor", "1", "3"),
        ("codRepresentante", "2", "1"),
        ("dataNascimento", "25/03/1988", "26/03/1988"),
        ("dataAtualizacao", "14/11/2026", "15/11/2026"),
        ("situacaoBeneficio", "ativo", "PENDENTE"),
        ("placa", "abc-1323", "ABC1D24"),
        ("chassi", "9bwzzz377vt004251", "9BWZZZ377VT004252"),
        ("codPlano", "1", "6"),
        ("uf", "SP", "RJ"),
        ("campoDesconhecido", "x", "x"),
    ];
    let all: Vec<(&str, &str)> = parameters.iter().map(|(name, holds, _)| (*name, *holds)).collect();
    assert_eq!(each(&calls.rows(&all).await, "nomePessoa"), ["João da Silva"], "all at once");
    // The name is given each time already.
    for (name, holds, fails) in parameters.into_iter().skip(1) {
        assert_eq!(calls.rows(&[("nome", "joao"), (name, holds)]).await.len(), 1, "{name}={holds}");
        if name != "campoDesconhecido" {
            let rows = calls.rows(&[("nome", "joao"), (name, fails)]).await;
            assert_eq!(rows, Vec::<Value>::new(), "{name}={fails}");
        }
    }
}

#[both_engines]
async fn a_member_appears_once_for_each_benefit(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let first = calls.health(1, json!({})).await;
    let second = calls.car(1, "ABC1D23", json!({})).await;
    let rows = calls.rows(&[("nome", "pessoa")]).await;
    assert_eq!(each(&rows, "codBeneficio"), [first["codBeneficio"].clone(), second["codBeneficio"].clone()]);
    assert_eq!(each(&rows, "tipoBeneficio"), ["SAUDE", "VEICULAR"]);
    assert_eq!(each(&rows, "codPessoa"), [json!(1), json!(1)]);
    let rows = calls.rows(&[("nome", "pessoa"), ("codPlano", "2")]).await;
    assert_eq!(each(&rows, "codBeneficio"), [first["codBeneficio"].clone()], "the filter is on the row");
}

#[both_engines]
async fn any_situation_includes_members_without_a_benefit_and_a_named_one_does_not(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    calls.member(2).await;
    calls.health(2, json!({"situacao": "INADIMPLENTE"})).await;
    for any in ["Todos", "TODOS", "todos"] {
        let rows = calls.rows(&[("situacaoBeneficio", any)]).await;
        assert_eq!(each(&rows, "nomePessoa"), ["Pessoa 1", "Pessoa 2"], "{any}");
    }
    let rows = calls.rows(&[("situacaoBeneficio", "inadimplente")]).await;
    assert_eq!(each(&rows, "nomePessoa"), ["Pessoa 2"]);
    assert_eq!(calls.rows(&[("situacaoBeneficio", "SUSPENSO")]).await.len(), 0, "a name, not its type");
    assert_eq!(calls.rows(&[("situacaoBeneficio", "Não existe")]).await.len(), 0);
}

#[both_engines]
async fn names_are_found_by_the_beginnings_of_words_in_any_order(world: World) {
    let calls = Calls::on(world).await;
    for (number, name) in
        [(1, "João da Silva"), (2, "Silvana de João"), (3, "Joana Prado"), (4, "Ângela D'Ávila")]
    {
        calls.member_with(number, json!({"nomePessoa": name})).await;
    }
    for (typed, found) in [
        ("joao sil", &["João da Silva", "Silvana de João"][..]),
        ("JOÃO SIL", &["João da Silva", "Silvana de João"]),
        ("  sil   joão ", &["João da Silva", "Silvana de João"]),
        ("joa", &["João da Silva", "Silvana de João", "Joana Prado"]),
        ("oao", &[]),
        ("silva joao", &["João da Silva", "Silvana de João"]),
        ("joao da silva junior", &[]),
        ("ANGELA d'avila", &["Ângela D'Ávila"]),
        ("%", &[]),
        ("j_ao", &[]),
        ("jo%o", &[]),
        ("*", &[]),
    ] {
        assert_eq!(each(&calls.rows(&[("nome", typed)]).await, "nomePessoa"), found, "{typed}");
    }
}

#[both_engines]
async fn a_name_of_blanks_is_no_criterion(world: World) {
    let calls = Calls::on(world).await;
    for blank in ["", " ", "\t  "] {
        calls.get(&calls.operator, MEMBERS, &[("nome", blank)]).await.refuses(400);
    }
}

#[both_engines]
async fn an_interval_of_registration_includes_both_ends(world: World) {
    let mut calls = Calls::on(world).await;
    for number in 1..=3 {
        calls.member(number).await;
        calls.world.clock.pass(Duration::from_hours(24));
        calls = Calls::on(calls.world).await;
    }
    for (from, to, found) in [
        ("14/11/2026", "16/11/2026", &["Pessoa 1", "Pessoa 2", "Pessoa 3"][..]),
        ("14/11/2026", "14/11/2026", &["Pessoa 1"]),
        ("15/11/2026", "16/11/2026", &["Pessoa 2", "Pessoa 3"]),
        ("17/11/2026", "30/11/2026", &[]),
        ("01/01/2020", "13/11/2026", &[]),
    ] {
        let rows = calls.rows(&[("dataCadastroInicial", from), ("dataCadastroFinal", to)]).await;
        assert_eq!(each(&rows, "nomePessoa"), found, "{from} to {to}");
    }
    let from = calls.rows(&[("nome", "pessoa"), ("dataCadastroInicial", "16/11/2026")]).await;
    assert_eq!(each(&from, "nomePessoa"), ["Pessoa 3"], "one end alone narrows another criterion");
    let to = calls.rows(&[("nome", "pessoa"), ("dataCadastroFinal", "14/11/2026")]).await;
    assert_eq!(each(&to, "nomePessoa"), ["Pessoa 1"]);
}

#[both_engines]
async fn changed_means_on_that_day_or_later(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    calls.member(2).await;
    calls.health(2, json!({})).await;
    calls.world.clock.pass(Duration::from_hours(24));
    let calls = Calls::on(calls.world).await;
    let of = async |calls: &Calls, day: &str| {
        each(&calls.rows(&[("nome", "pessoa"), ("dataAtualizacao", day)]).await, "nomePessoa")
    };
    assert_eq!(of(&calls, "14/11/2026").await, ["Pessoa 1", "Pessoa 2"]);
    assert_eq!(of(&calls, "13/11/2026").await, ["Pessoa 1", "Pessoa 2"]);
    assert_eq!(of(&calls, "15/11/2026").await, Vec::<Value>::new());
    let benefit = calls.rows(&[("nome", "pessoa 2")]).await[0]["codBeneficio"].clone();
    calls.health(2, json!({"codBeneficio": benefit, "diaVencimento": 5})).await;
    assert_eq!(of(&calls, "15/11/2026").await, ["Pessoa 2"], "the benefit's change counts");
}

#[both_engines]
async fn where_both_have_a_value_row_and_filter_use_the_benefits(world: World) {
    let calls = Calls::on(world).await;
    let member = json!({"nomePessoa": "Ana", "cpfCnpj": cpf(1), "codLoja": 3, "codRepresentante": 2});
    calls.saved(&calls.integration, MEMBERS, &member).await;
    calls.world.clock.pass(Duration::from_hours(24));
    let calls = Calls::on(calls.world).await;
    let body = car(1, "ABC1D23", json!({"codLoja": 2, "codConsultor": 1}));
    calls.saved(&calls.integration, VEHICLES, &body).await;
    let rows = calls.rows(&[("nome", "ana")]).await;
    assert_eq!(rows.len(), 1, "the row is of the benefit's store");
    let row = &rows[0];
    assert_eq!((&row["codLoja"], &row["nomeLoja"]), (&json!(2), &json!("Filial Norte")));
    assert_eq!((&row["codConsultor"], &row["nomeConsultor"]), (&json!(1), &json!("Vendas 1")));
    assert_eq!(
        (&row["codRepresentante"], &row["nomeRepresentante"]),
        (&json!(2), &json!("Vendas 2")),
        "where the benefit has none, the member's"
    );
    assert_eq!(row["dataCadastro"], "15/11/2026");
    let seen = async |query: &[(&str, &str)]| {
        let query: Vec<(&str, &str)> = [("nome", "ana")].into_iter().chain(query.iter().copied()).collect();
        calls.read(&calls.integration, MEMBERS, &query).await["quantidade"].clone()
    };
    assert_eq!(seen(&[("codLoja", "2")]).await, 1);
    assert_eq!(seen(&[("codLoja", "3")]).await, 0);
    assert_eq!(seen(&[("codConsultor", "1")]).await, 1);
    assert_eq!(seen(&[("codRepresentante", "2")]).await, 1);
    assert_eq!(seen(&[("dataCadastroInicial", "15/11/2026"), ("dataCadastroFinal", "15/11/2026")]).await, 1);
    assert_eq!(seen(&[("dataCadastroInicial", "14/11/2026"), ("dataCadastroFinal", "14/11/2026")]).await, 0);
}

#[both_engines]
async fn rows_come_in_the_order_in_which_they_came_to_be(world: World) {
    let calls = Calls::on(world).await;
    for (number, name) in [(1, "Zeca"), (2, "Ana"), (3, "Mia")] {
        calls.member_with(number, json!({"nomePessoa": name})).await;
    }
    let order =
        async |calls: &Calls| each(&calls.rows(&[("situacaoBeneficio", "Todos")]).await, "nomePessoa");
    assert_eq!(order(&calls).await, ["Zeca", "Ana", "Mia"]);
    calls.health(1, json!({})).await;
    calls.health(2, json!({})).await;
    calls.health(3, json!({})).await;
    assert_eq!(order(&calls).await, ["Zeca", "Ana", "Mia"]);
    calls.health(2, json!({})).await;
    calls.health(1, json!({})).await;
    let now = ["Zeca", "Ana", "Mia", "Ana", "Zeca"];
    assert_eq!(order(&calls).await, now, "new rows only append");
    calls.member_with(3, json!({"nomePessoa": "Mia", "nomeMae": "Eva"})).await;
    let first = calls.rows(&[("situacaoBeneficio", "Todos")]).await[0]["codBeneficio"].clone();
    calls.health(1, json!({"codBeneficio": first, "ativo": true})).await;
    assert_eq!(order(&calls).await, now, "a change moves no row");
}

#[both_engines]
async fn limits_of_the_parameters_are_told_by_name(world: World) {
    let calls = Calls::on(world).await;
    for (name, value) in [
        ("codPessoa", "x"),
        ("codPessoa", "2147483648"),
        ("codLoja", "1.5"),
        ("codConsultor", "um"),
        ("codRepresentante", "9999999999"),
        ("codPlano", "-1"),
        ("codPlano", "2147483648"),
        ("chassi", "123456789012345678901"),
        ("pagina", "0"),
        ("pagina", "-1"),
        ("pagina", "dois"),
        ("dataCadastroInicial", "2026-11-14"),
        ("dataCadastroFinal", "31/02/2026"),
        ("dataNascimento", "1/3/1990"),
        ("dataAtualizacao", "ontem"),
    ] {
        let refused = calls.get(&calls.operator, MEMBERS, &[("nome", "ana"), (name, value)]).await;
        assert!(told_about(refused.refuses(400), name), "{name}={value}: {refused:?}");
    }
    let fits: [(&str, &str); 3] =
        [("chassi", "12345678901234567890"), ("codPlano", "0"), ("codPlano", "2147483647")];
    for (name, value) in fits {
        assert_eq!(calls.rows(&[("nome", "ana"), (name, value)]).await.len(), 0);
    }
}

#[both_engines]
async fn a_document_is_found_masked_or_bare_by_either_parameter_and_a_wrong_one_finds_nothing(world: World) {
    let calls = Calls::on(world).await;
    let company = json!({"nomePessoa": "Loja Boa", "cpfCnpj": "12abc34501de35"});
    calls.member(1).await;
    calls.saved(&calls.operator, MEMBERS, &company).await;
    let (masked, short) = (cpf(1), bare(&cpf(1)));
    for parameter in ["cpf", "cnpj"] {
        for given in [&masked, &short] {
            assert_eq!(each(&calls.rows(&[(parameter, given)]).await, "nomePessoa"), ["Pessoa 1"]);
        }
        for given in ["12.ABC.345/01DE-35", "12ABC34501DE35", "12abc34501de35", "12.abc.345/01de-35"] {
            let rows = calls.rows(&[(parameter, given)]).await;
            assert_eq!(each(&rows, "cpfCnpj"), ["12.ABC.345/01DE-35"], "{parameter}={given}");
        }
        for wrong in ["111.111.111-11", "529.982.247-26", "123", "abc", "%"] {
            assert_eq!(calls.rows(&[(parameter, wrong)]).await.len(), 0, "{parameter}={wrong}");
        }
    }
}

#[both_engines]
async fn pages_have_a_hundred_rows_and_say_where_they_are(world: World) {
    let calls = Calls::on(world).await;
    for number in 1..=101 {
        calls.member(number).await;
    }
    let page = async |number: &str| {
        let query = [("nome", "pessoa"), ("pagina", number)];
        let page = calls.read(&calls.operator, MEMBERS, &query).await;
        let rows = page["itens"].as_array().unwrap().len();
        (rows, page["paginaAtual"].clone(), page["proximaPagina"].clone(), page["quantidade"].clone())
    };
    assert_eq!(page("1").await, (100, json!(1), json!(true), json!(101)));
    assert_eq!(page("").await, (100, json!(1), json!(true), json!(101)), "the first where none is said");
    assert_eq!(page("2").await, (1, json!(2), json!(false), json!(101)));
    assert_eq!(page("3").await, (0, json!(3), json!(false), json!(101)));
    assert_eq!(page("2147483647").await, (0, json!(2_147_483_647), json!(false), json!(101)));
}
