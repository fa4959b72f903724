//! `/ext/crm/negocio`: deals, their moves and dependents.

use crate::calls::{
    BENEFITS, CAR_PLAN, Calls, DEALS, HEALTH_PLAN, INACTIVE_PLAN, LEADS, MEMBERS, PLAN_THERE, array, cpf,
    each, health, told_about, with,
};
use serde_json::{Value, json};
use std::time::Duration;
use testkit::{World, both_engines};

/// A lead's fields, by a number.
fn lead(number: u32) -> Value {
    json!({"nome": format!("Lead {}", char::from(b'a' + number as u8)), "documento": cpf(number),
        "email": format!("l{number}@x.example"), "telefone": format!("1198765432{number}")})
}

fn dependents(deal: &Value) -> String {
    format!("{DEALS}/{deal}/dependente")
}

#[both_engines]
async fn a_deal_begins_where_the_association_begins(world: World) {
    let calls = Calls::on(world).await;
    let saved = calls.deal(with(lead(1), json!({"titulo": "Carro novo"}))).await;
    assert_eq!(
        saved,
        json!({"codNegocio": 1, "sequencial": 1, "codLead": 1, "codFunil": 1, "codEtapa": 1, "situacao": "Aberto"})
    );
    let whole = calls.whole(&json!(1)).await;
    assert_eq!((&whole["codLoja"], &whole["nomeUsuarioResponsavel"]), (&json!(2), &json!("operador")));
    assert_eq!((&whole["dataAbertura"], &whole["diasNaEtapa"]), (&json!("2026-11-14"), &json!(0)));
    assert_eq!((&whole["lead"]["negociosAbertos"], &whole["lead"]["codLead"]), (&json!(1), &json!(1)));
    assert_eq!(whole["veiculo"], Value::Null);
    let history = array(&whole["historico"]);
    assert_eq!(
        history,
        [json!({"data": "2026-11-14", "codEtapa": 1, "nomeEtapa": "Novo contato", "situacao": "Aberto",
            "nomeUsuario": "operador"})]
    );
    let second = calls.deal(json!({"codLead": 1, "codFunil": 2, "codEtapa": 7})).await;
    assert_eq!(
        (&second["codFunil"], &second["codEtapa"], &second["sequencial"]),
        (&json!(2), &json!(7), &json!(2))
    );
    assert_eq!(calls.deal(json!({"codLead": 1, "codFunil": 2})).await["codEtapa"], 6);
    assert_eq!(calls.leads(&[]).await[0]["negociosAbertos"], 3);
}

#[both_engines]
async fn a_deal_takes_its_lead_with_it_or_neither(world: World) {
    let calls = Calls::on(world).await;
    let told = calls.refused(DEALS, &with(lead(1), json!({"codFunil": 99}))).await;
    assert!(told_about(&told, "codFunil"));
    assert_eq!(
        (calls.count("leads").await, calls.count("people").await, calls.count("deals").await),
        (0, 0, 0)
    );
    let told = calls.refused(DEALS, &json!({"titulo": "Sem lead", "codEtapa": 99, "codLoja": 99})).await;
    for field in ["nome", "telefone", "codEtapa", "codLoja"] {
        assert!(told_about(&told, field), "{field} in {told}");
    }
    let first = calls.deal(lead(1)).await;
    let again = calls.deal(with(lead(1), json!({"nome": "Lead B", "documento": null}))).await;
    assert_eq!(again["codLead"], first["codLead"], "the same e-mail updates the lead");
    assert_eq!(calls.leads(&[]).await[0]["nomePessoa"], "Lead B");
    let known = calls.deal(json!({"codLead": 1, "nome": "Ignorado", "email": "outro@x.example"})).await;
    assert_eq!(known["codLead"], 1);
    assert_eq!(calls.leads(&[]).await[0]["nomePessoa"], "Lead B");
}

#[both_engines]
async fn references_of_a_deal_that_cannot_be_used_are_told_by_name(world: World) {
    let calls = Calls::on(world).await;
    calls.saved(&calls.administrator, LEADS, &with(lead(1), json!({"codLoja": 1}))).await;
    let body = json!({"codLead": 1, "codFunil": 3, "codEtapa": 8, "codLoja": 1, "codUsuarioResponsavel": 99,
        "planos": [CAR_PLAN, INACTIVE_PLAN, PLAN_THERE], "veiculo": {"codTipoVeiculo": 2}, "situacao": "Aberto",
        "motivoPerda": "x"});
    let all = [
        "codLead",
        "codFunil",
        "codEtapa",
        "codLoja",
        "codUsuarioResponsavel",
        "planos",
        "veiculo.codTipoVeiculo",
        "motivoPerda",
    ];
    let told = calls.refused(DEALS, &body).await;
    for field in all {
        assert!(told_about(&told, field), "{field} in {told}");
    }
    assert_eq!(told.matches("planos: ").count(), 2, "{told}");
    let own = calls.deal(lead(2)).await;
    let reply = calls.change(&own["codNegocio"], body).await;
    for field in all {
        assert!(told_about(reply.refuses(400), field), "{field} in {reply:?}");
    }
    // Of another funnel, of another association, of another store.
    for wrong in [
        json!({"codEtapa": 6}),
        json!({"codFunil": 2, "codEtapa": 1}),
        json!({"codEtapa": 10}),
        json!({"codFunil": 4}),
        json!({"codUsuarioResponsavel": 4}),
        json!({"codLoja": 3}),
        json!({"codLead": 99}),
        json!({"veiculo": {"tipoVeiculo": "Carroça"}}),
        json!({"veiculo": {"tipoVeiculo": "Moto Ali"}}),
        json!({"situacao": "aberto"}),
        json!({"tipoBeneficio": "Saúde"}),
        json!({"dataPrevisao": "31/02/2026"}),
    ] {
        calls.change(&own["codNegocio"], wrong.clone()).await.refuses(400);
        let made = with(lead(2), wrong);
        calls.refused(DEALS, &made).await;
    }
    assert_eq!(calls.count("deal_moves").await, 1);
}

#[both_engines]
async fn who_sees_to_a_deal_can_see_it(world: World) {
    let calls = Calls::on(world).await;
    let administrator = calls.world.administrator.code.get();
    let program = calls.world.integration.code.get();
    for user in [administrator, program] {
        let deal = calls.deal(with(lead(1), json!({"codUsuarioResponsavel": user}))).await;
        assert_eq!(calls.whole(&deal["codNegocio"]).await["codUsuarioResponsavel"], user);
        calls.change(&deal["codNegocio"], json!({"codUsuarioResponsavel": null})).await;
        let whole = calls.whole(&deal["codNegocio"]).await;
        assert_eq!(
            (&whole["codUsuarioResponsavel"], &whole["nomeUsuarioResponsavel"]),
            (&Value::Null, &Value::Null)
        );
    }
}

#[both_engines]
async fn what_was_saved_of_a_deal_comes_back(world: World) {
    let calls = Calls::on(world).await;
    let body = json!({"titulo": "Argo", "planos": [6, CAR_PLAN, 6], "valor": 150.55, "dataPrevisao": "01/12/2026",
        "observacao": "Ligar\ndepois", "veiculo": {"placa": "abc-1d23", "chassi": "9bwzzz377vt004251", "renavam": 123,
            "marca": "FIAT", "modelo": "ARGO", "anoFabricacao": 2025, "anoModelo": 2026, "cor": "Prata",
            "combustivel": "FLEX", "categoria": "LEVE", "tipoVeiculo": "AUTOMOVEL de passeio", "numeroPortas": 4,
            "valorVeiculo": 78500, "valorProtegido": 75000.5, "valorParticipacao": 3000}});
    let deal = calls.deal(with(lead(1), body)).await;
    let whole = calls.whole(&deal["codNegocio"]).await;
    assert_eq!(whole["tipoBeneficio"], "VEICULAR", "that of the first plan");
    assert_eq!((&whole["valor"], &whole["dataPrevisao"]), (&json!(150.55), &json!("2026-12-01")));
    assert_eq!(each(&array(&whole["planos"]), "nome"), ["Proteção Ouro", "Proteção Prata"]);
    assert_eq!(each(&array(&whole["planos"]), "valor"), [json!(150.55), json!(89.9)]);
    assert_eq!(
        whole["veiculo"],
        json!({"anoFabricacao": 2025, "anoModelo": 2026, "numeroPortas": 4, "categoria": "LEVE",
            "chassi": "9BWZZZ377VT004251", "combustivel": "FLEX", "cor": "Prata", "marca": "FIAT", "modelo": "ARGO",
            "placa": "ABC1D23", "renavam": "123", "tipoVeiculo": "Automóvel de passeio", "valorParticipacao": 3000,
            "valorProtegido": 75000.5, "valorVeiculo": 78500})
    );
    // Everything that it gives is taken back and changes nothing.
    let audited = calls.count("audit").await;
    let back = json!({"veiculo": whole["veiculo"], "valor": whole["valor"], "dataPrevisao": whole["dataPrevisao"],
        "situacao": whole["situacao"], "tipoBeneficio": whole["tipoBeneficio"], "codEtapa": whole["codEtapa"]});
    assert_eq!(calls.change(&deal["codNegocio"], back).await.json(), deal);
    assert_eq!(calls.count("audit").await, audited);
}

#[both_engines]
async fn of_a_deal_absent_stays_and_null_clears(world: World) {
    let calls = Calls::on(world).await;
    let body = json!({"titulo": "Argo", "planos": [CAR_PLAN], "valor": 10, "dataPrevisao": "2026-12-01",
        "observacao": "Oi", "veiculo": {"placa": "ABC1D23", "cor": "Prata", "codTipoVeiculo": 1}});
    let deal = calls.deal(with(lead(1), body)).await["codNegocio"].clone();
    let before = calls.whole(&deal).await;
    assert_eq!(calls.change(&deal, json!({"titulo": "", "observacao": " "})).await.status, 200);
    assert_eq!(calls.whole(&deal).await, before);
    calls.change(&deal, json!({"veiculo": {"cor": null}, "titulo": null})).await;
    let whole = calls.whole(&deal).await;
    assert_eq!((&whole["titulo"], &whole["veiculo"]["cor"]), (&Value::Null, &Value::Null));
    assert_eq!((&whole["veiculo"]["placa"], &whole["observacao"]), (&json!("ABC1D23"), &json!("Oi")));
    let none = json!({"veiculo": null, "planos": null, "valor": null, "dataPrevisao": null, "observacao": null,
        "tipoBeneficio": null, "codFunil": null, "codEtapa": null, "codLoja": null, "situacao": null, "codLead": null});
    calls.change(&deal, none).await;
    let whole = calls.whole(&deal).await;
    for field in ["veiculo", "valor", "dataPrevisao", "observacao", "tipoBeneficio"] {
        assert_eq!(whole[field], Value::Null, "{field}");
    }
    assert_eq!(whole["planos"], json!([]));
    for field in ["codFunil", "codEtapa", "codLoja", "situacao", "codLead"] {
        assert_eq!(whole[field], before[field], "{field} is never empty");
    }
}

#[both_engines]
async fn every_move_of_a_deal_is_in_its_history(world: World) {
    let calls = Calls::on(world).await;
    let deal = calls.deal(lead(1)).await["codNegocio"].clone();
    calls.world.clock.pass(Duration::from_secs(3 * 24 * 3600));
    let calls = Calls::on(calls.world).await;
    assert_eq!(calls.whole(&deal).await["diasNaEtapa"], 3);
    let moved = calls.change(&deal, json!({"codEtapa": 3})).await.json();
    assert_eq!((&moved["codEtapa"], &moved["codFunil"]), (&json!(3), &json!(1)));
    assert_eq!(calls.whole(&deal).await["diasNaEtapa"], 0);
    let moved = calls.change(&deal, json!({"codFunil": 2})).await.json();
    assert_eq!(
        (&moved["codEtapa"], &moved["codFunil"]),
        (&json!(6), &json!(2)),
        "the first stage of the other"
    );
    calls.change(&deal, json!({"codFunil": 2, "titulo": "x"})).await;
    calls.change(&deal, json!({"codFunil": 2})).await;
    calls.change(&deal, json!({"situacao": "Perdido", "motivoPerda": "Caro"})).await;
    assert_eq!(calls.whole(&deal).await["motivoPerda"], "Caro");
    calls.change(&deal, json!({"motivoPerda": "Muito caro"})).await;
    calls.change(&deal, json!({"situacao": "Aberto"})).await;
    let whole = calls.whole(&deal).await;
    assert_eq!((&whole["situacao"], &whole["motivoPerda"]), (&json!("Aberto"), &Value::Null));
    calls.change(&deal, json!({"situacao": "Ganho", "codEtapa": 7})).await;
    let history = array(&calls.whole(&deal).await["historico"]);
    let stages: Vec<i64> = each(&history, "codEtapa").iter().map(|code| code.as_i64().unwrap()).collect();
    assert_eq!(stages, [1, 3, 6, 6, 6, 7]);
    assert_eq!(each(&history, "situacao"), ["Aberto", "Aberto", "Aberto", "Perdido", "Aberto", "Ganho"]);
    assert_eq!(history[0]["data"], "2026-11-14");
    assert_eq!(history[5]["data"], "2026-11-17");
    calls.change(&deal, json!({"motivoPerda": "x"})).await.refuses(400);
    calls.change(&deal, json!({"titulo": "ainda se altera"})).await;
    assert_eq!(calls.whole(&deal).await["titulo"], "ainda se altera");
}

#[both_engines]
async fn a_deal_is_born_in_any_situation(world: World) {
    let calls = Calls::on(world).await;
    for state in ["Aberto", "Ganho", "Perdido"] {
        assert_eq!(calls.deal(with(lead(1), json!({"situacao": state}))).await["situacao"], state);
    }
    assert_eq!(each(&calls.deals(&[]).await, "codNegocio"), [1], "the search shows open ones alone");
    assert_eq!(calls.whole(&json!(3)).await["situacao"], "Perdido");
}

#[both_engines]
async fn open_deals_are_found_by_everything_that_is_asked_for(world: World) {
    let calls = Calls::on(world).await;
    for number in [3, 1, 2] {
        calls.deal(lead(number)).await;
    }
    calls.world.clock.pass(Duration::from_secs(24 * 3600));
    let calls = Calls::on(calls.world).await;
    calls.deal(json!({"codLead": 1, "codUsuarioResponsavel": calls.world.integration.code.get()})).await;
    let codes = async |query: &[(&str, &str)]| {
        let found = calls.deals(query).await;
        found.iter().map(|one| one["codNegocio"].as_i64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(codes(&[]).await, [2, 3, 1, 4], "by name, then code");
    assert_eq!(codes(&[("codLead", "1")]).await, [1, 4]);
    assert_eq!(codes(&[("filtro", "LEAD d")]).await, [1, 4]);
    assert_eq!(codes(&[("filtro", &cpf(2))]).await, [3]);
    assert_eq!(codes(&[("filtro", "l1@x.example")]).await, [2]);
    assert_eq!(codes(&[("filtro", "(11)98765-4323")]).await, [1, 4]);
    assert_eq!(codes(&[("filtro", "4")]).await, [4], "its sequence number");
    let program = calls.world.integration.code.to_string();
    assert_eq!(codes(&[("codUsuarioResponsavel", &program)]).await, [4]);
    assert_eq!(codes(&[("dataInicial", "2026-11-15")]).await, [4]);
    assert_eq!(codes(&[("dataInicial", "2026-11-14"), ("dataFinal", "2026-11-14")]).await, [2, 3, 1]);
    assert_eq!(codes(&[("dataFinal", "2026-11-13")]).await, [0; 0]);
    assert_eq!(codes(&[("dataInicial", "2026-11-16"), ("dataFinal", "2026-11-14")]).await, [0; 0]);
    assert_eq!(codes(&[("codLoja", "2")]).await.len(), 4);
    let all = [
        ("codLead", "1"),
        ("filtro", "lead"),
        ("dataInicial", "2026-11-14"),
        ("dataFinal", "2026-11-14"),
        ("codLoja", "2"),
    ];
    assert_eq!(codes(&all).await, [1]);
    assert_eq!(codes(&[("codLead", "1"), ("codUsuarioResponsavel", &program)]).await, [4]);
    for nothing in
        [("filtro", "ninguem"), ("filtro", "99"), ("codLead", "99"), ("codUsuarioResponsavel", "99")]
    {
        assert_eq!(codes(&[nothing]).await, [0; 0], "{nothing:?}");
    }
    assert_eq!(codes(&[("filtro", ""), ("dataInicial", ""), ("codLead", "")]).await.len(), 4);
}

#[both_engines]
async fn dates_of_the_deal_search_have_one_form_and_are_real(world: World) {
    let calls = Calls::on(world).await;
    for bad in ["14/11/2026", "2026-02-31", "2026-1-1", "2026-11-14 ", "x"] {
        for field in ["dataInicial", "dataFinal"] {
            let reply = calls.get(&calls.operator, DEALS, &[(field, bad)]).await;
            assert!(told_about(reply.refuses(400), field), "{field}={bad}: {reply:?}");
        }
    }
    let query = [("dataInicial", "x"), ("dataFinal", "y"), ("codLead", "z"), ("codLoja", "w")];
    let reply = calls.get(&calls.operator, DEALS, &query).await;
    for (field, _) in query {
        assert!(told_about(reply.refuses(400), field), "{reply:?}");
    }
}

#[both_engines]
async fn deals_out_of_reach_answer_like_unknown_ones(world: World) {
    let calls = Calls::on(world).await;
    let health = json!({"codLoja": 1, "planos": [HEALTH_PLAN]});
    let there = calls.saved(&calls.administrator, DEALS, &with(lead(1), health)).await;
    let code = &there["codNegocio"];
    let child = json!({"nome": "Bia", "parentesco": "FILHO"});
    let child = calls.saved(&calls.administrator, &dependents(code), &child).await;
    calls.saved(&calls.stranger, DEALS, &with(lead(1), json!({"nome": "Lead Ali"}))).await;
    for query in [
        vec![],
        vec![("filtro", "lead")],
        vec![("filtro", "1")],
        vec![("codLead", "1")],
        vec![("codLoja", "1")],
    ] {
        assert_eq!(calls.deals(&query).await, Vec::<Value>::new(), "{query:?}");
    }
    let mine = array(&calls.read(&calls.stranger, DEALS, &[]).await);
    assert_eq!(each(&mine, "nomePessoa"), ["Lead Ali"]);
    let put =
        async |path: String, body: Value| calls.server().put(&path, &calls.operator, &body.to_string()).await;
    for unknown in [code, &json!(99)] {
        let path = format!("{DEALS}/{unknown}");
        calls.get(&calls.operator, &path, &[]).await.refuses(404);
        put(path.clone(), json!({"titulo": "x"})).await.refuses(404);
        // What was sent is judged before the code in the path.
        put(path.clone(), json!({"codFunil": 99})).await.refuses(400);
        let one = json!({"nome": "Eva", "parentesco": "FILHO"});
        calls.post(&calls.operator, &dependents(unknown), &one).await.refuses(404);
        calls.post(&calls.operator, &dependents(unknown), &json!({"nome": "Eva"})).await.refuses(400);
        put(format!("{path}/dependente/{}", child["codDependente"]), one).await.refuses(404);
    }
    assert_eq!(calls.get(&calls.operator, &format!("{DEALS}/x"), &[]).await.status, 400);
    // A deal in his store shows its lead, wherever that is.
    let mixed = json!({"codLead": there["codLead"], "codLoja": 2});
    let mixed = calls.saved(&calls.administrator, DEALS, &mixed).await;
    let whole = calls.whole(&mixed["codNegocio"]).await;
    assert_eq!((&whole["lead"]["codLoja"], &whole["lead"]["negociosAbertos"]), (&json!(1), &json!(1)));
    assert_eq!(each(&calls.deals(&[("filtro", "lead")]).await, "codNegocio"), [mixed["codNegocio"].clone()]);
    calls.change(&mixed["codNegocio"], json!({"codLead": there["codLead"], "titulo": "x"})).await.json();
}

#[both_engines]
async fn dependents_belong_to_deals_about_health(world: World) {
    let calls = Calls::on(world).await;
    let car = calls.deal(with(lead(1), json!({"planos": [CAR_PLAN]}))).await["codNegocio"].clone();
    let bare = calls.deal(lead(2)).await["codNegocio"].clone();
    let child = json!({"nome": "Bia", "parentesco": "FILHO"});
    for deal in [&car, &bare] {
        calls.post(&calls.operator, &dependents(deal), &child).await.refuses(409);
    }
    calls.change(&bare, json!({"tipoBeneficio": "SAUDE"})).await;
    let saved = calls.saved(&calls.operator, &dependents(&bare), &child).await;
    assert_eq!(
        saved,
        json!({"codDependente": 1, "nome": "Bia", "cpf": null, "dataNascimento": null, "sexo": null,
            "parentesco": "FILHO", "planos": [], "valor": null, "telefone": null, "email": null})
    );
    let full = json!({"nome": "Ana", "cpf": cpf(7), "dataNascimento": "25/03/2015", "sexo": "Feminino",
        "parentesco": "CONJUGE", "planos": [HEALTH_PLAN], "valor": 89.9, "telefone": "1133334444", "email": "A@x.example"});
    let ana = calls.saved(&calls.operator, &dependents(&bare), &full).await;
    assert_eq!((&ana["cpf"], &ana["dataNascimento"]), (&json!(cpf(7)), &json!("2015-03-25")));
    assert_eq!((&ana["telefone"], &ana["planos"]), (&json!("(11)3333-4444"), &json!([HEALTH_PLAN])));
    let whole = calls.whole(&bare).await;
    assert_eq!(array(&whole["dependentes"]), [ana, saved], "by name");
}

#[both_engines]
async fn a_dependent_of_a_deal_is_changed_field_by_field(world: World) {
    let calls = Calls::on(world).await;
    let deal = calls.deal(with(lead(1), json!({"planos": [HEALTH_PLAN]}))).await["codNegocio"].clone();
    let body = json!({"nome": "Bia", "parentesco": "FILHO", "sexo": "Feminino", "planos": [HEALTH_PLAN], "valor": 10});
    let saved = calls.saved(&calls.operator, &dependents(&deal), &body).await;
    let path = format!("{}/{}", dependents(&deal), saved["codDependente"]);
    let put = async |body: Value| calls.server().put(&path, &calls.operator, &body.to_string()).await;
    assert_eq!(put(json!({})).await.json(), saved);
    assert_eq!(put(saved.clone()).await.json(), saved, "what it gives is taken back");
    let changed = put(json!({"nome": "Bia Prado", "valor": null, "planos": null, "sexo": ""})).await.json();
    assert_eq!(changed, with(saved, json!({"nome": "Bia Prado", "valor": null, "planos": []})));
    for (bad, field) in [
        (json!({"nome": null}), "nome"),
        (json!({"parentesco": null}), "parentesco"),
        (json!({"parentesco": "VIZINHO"}), "parentesco"),
        (json!({"planos": [INACTIVE_PLAN]}), "planos"),
        (json!({"cpf": "11.222.333/0001-81"}), "cpf"),
        (json!({"dataNascimento": "31/02/2015"}), "dataNascimento"),
    ] {
        let reply = put(bad).await;
        assert!(told_about(reply.refuses(400), field), "{field}: {reply:?}");
    }
    let told = calls.refused(&dependents(&deal), &json!({"planos": [99], "sexo": "F"})).await;
    for field in ["nome", "parentesco", "planos", "sexo"] {
        assert!(told_about(&told, field), "{field} in {told}");
    }
    let other = format!("{}/99", dependents(&deal));
    calls.server().put(&other, &calls.operator, "{}").await.refuses(404);
    let odd = format!("{DEALS}/x/dependente/y");
    let reply = calls.server().put(&odd, &calls.operator, "{}").await;
    assert!(
        told_about(reply.refuses(400), "codNegocio") && told_about(&reply.body, "codDependente"),
        "{reply:?}"
    );
}

#[both_engines]
async fn writes_and_reads_of_deals_are_audited_with_the_leads_person(world: World) {
    let calls = Calls::on(world).await;
    let deal = calls.deal(with(lead(1), json!({"planos": [HEALTH_PLAN]}))).await["codNegocio"].clone();
    calls.change(&deal, json!({"titulo": "x"})).await;
    calls.change(&deal, json!({"titulo": "x"})).await;
    calls.saved(&calls.operator, &dependents(&deal), &json!({"nome": "Bia", "parentesco": "FILHO"})).await;
    calls.deals(&[]).await;
    calls.whole(&deal).await;
    let entries = calls.audited("1").await;
    let (changes, looks): (Vec<Value>, Vec<Value>) =
        entries.into_iter().partition(|one| one["tipo"] == "alteracao");
    assert_eq!(
        each(&changes, "detalhe"),
        ["lead 1 criado", "negócio 1 criado", "negócio 1 alterado", "negócio 1 dependente 1 criado"]
    );
    let mut seen: Vec<String> = each(&looks, "operacao").iter().map(ToString::to_string).collect();
    seen.sort_unstable();
    let expected = [
        "\"GET /ext/crm/negocio\"",
        "\"GET /ext/crm/negocio/{codNegocio}\"",
        "\"PUT /ext/crm/negocio/{codNegocio}\"",
    ];
    assert_eq!(seen, expected);
}

#[both_engines]
async fn one_key_makes_one_deal_and_eight_at_once_eight(world: World) {
    let calls = std::sync::Arc::new(Calls::on(world).await);
    let bearer = format!("Bearer {}", calls.operator);
    let body = lead(1).to_string();
    let headers = [
        ("Authorization", bearer.as_str()),
        ("Content-Type", "application/json"),
        ("Idempotency-Key", "uma chave"),
    ];
    let first = calls.server().call("POST", DEALS, &headers, &body).await;
    let again = calls.server().call("POST", DEALS, &headers, &body).await;
    assert_eq!(
        (first.body.as_str(), again.header("idempotency-replayed")),
        (again.body.as_str(), Some("true"))
    );
    let made = testkit::eight_at_once(|_| {
        let calls = std::sync::Arc::clone(&calls);
        async move { calls.deal(json!({"codLead": 1})).await["sequencial"].as_i64().unwrap() }
    })
    .await;
    let mut made = made;
    made.sort_unstable();
    assert_eq!(made, (2..=9).collect::<Vec<_>>());
    assert_eq!((calls.count("deals").await, calls.count("leads").await), (9, 1));
}

#[both_engines]
async fn a_lead_goes_from_the_form_of_a_website_to_a_member_with_a_benefit(world: World) {
    let calls = Calls::on(world).await;
    let form = json!({"nome": "Ana Prado", "email": "ana@x.example", "telefone": "(11)98765-4321",
        "mensagem": "Quero um plano de saúde", "origem": "Site"});
    let lead = calls.saved(&calls.operator, LEADS, &form).await;
    assert_eq!(lead["cpfCnpj"], Value::Null);
    let deal = json!({"codLead": lead["codLead"], "titulo": "Saúde da Ana", "planos": [HEALTH_PLAN]});
    let deal = calls.deal(deal).await["codNegocio"].clone();
    calls.change(&deal, json!({"codEtapa": 3})).await;
    // She tells her document on the telephone.
    let known = json!({"nome": "Ana Prado", "email": "ana@x.example", "cpfCnpj": cpf(1)});
    let same = calls.saved(&calls.operator, LEADS, &known).await;
    assert_eq!((&same["codLead"], &same["codPessoa"]), (&lead["codLead"], &lead["codPessoa"]));
    let member =
        calls.saved(&calls.operator, MEMBERS, &json!({"nomePessoa": "Ana Prado", "cpfCnpj": cpf(1)})).await;
    assert_eq!(member["codPessoa"], lead["codPessoa"]);
    assert_eq!(calls.rows(&[("nome", "ana prado")]).await.len(), 1, "a member without a benefit");
    let benefit = calls.saved(&calls.operator, BENEFITS, &health(1, json!({"ativo": true}))).await;
    let won = calls.change(&deal, json!({"codEtapa": 5, "situacao": "Ganho"})).await.json();
    assert_eq!(won["situacao"], "Ganho");
    assert_eq!(calls.deals(&[]).await, Vec::<Value>::new());
    let rows = calls.rows(&[("cpf", &cpf(1))]).await;
    assert_eq!((rows.len(), &rows[0]["codBeneficio"]), (1, &benefit["codBeneficio"]));
    assert_eq!((&rows[0]["situacao"], &rows[0]["email"]), (&json!("ATIVO"), &json!("ana@x.example")));
    let found = calls.leads(&[("filtro", "ana@x.example")]).await;
    assert_eq!((&found[0]["codPessoa"], &found[0]["negociosAbertos"]), (&lead["codPessoa"], &json!(0)));
    let history = array(&calls.whole(&deal).await["historico"]);
    assert_eq!(each(&history, "nomeEtapa"), ["Novo contato", "Proposta enviada", "Fechamento"]);
}
