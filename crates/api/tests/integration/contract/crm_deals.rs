//! `/ext/crm/negocio`: deals as they are created and changed, and their moves.

use crate::calls::{
    CAR_PLAN, Calls, DEALS, INACTIVE_PLAN, LEADS, PLAN_THERE, array, cpf, each, told_about, with,
};
use serde_json::{Value, json};
use std::time::Duration;
use testkit::{World, both_engines};

/// A lead's fields, by a number.
pub fn lead(number: u32) -> Value {
    json!({"nome": format!("Lead {}", char::from(b'a' + number as u8)), "documento": cpf(number),
        "email": format!("l{number}@x.example"), "telefone": format!("1198765432{number}")})
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
    for field in ["codLead", "nome", "telefone", "codEtapa", "codLoja"] {
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
async fn the_store_of_a_deal_moves_no_lead(world: World) {
    let calls = Calls::on(world).await;
    let store = |code: i32| with(lead(1), json!({"codLoja": code}));
    let first = calls.saved(&calls.administrator, DEALS, &store(2)).await;
    assert_eq!(calls.whole(&first["codNegocio"]).await["lead"]["codLoja"], 2, "a new lead begins there");
    let second = calls.saved(&calls.administrator, DEALS, &store(1)).await;
    assert_eq!(second["codLead"], first["codLead"]);
    let path = format!("{DEALS}/{}", second["codNegocio"]);
    let whole = calls.read(&calls.administrator, &path, &[]).await;
    assert_eq!((&whole["codLoja"], &whole["lead"]["codLoja"]), (&json!(1), &json!(2)));
    assert_eq!(calls.leads(&[]).await.len(), 1, "whoever had the lead still sees it");
    for code in [1, 99] {
        assert!(told_about(&calls.refused(DEALS, &store(code)).await, "codLoja"), "{code}");
    }
}

#[both_engines]
async fn the_fields_of_a_lead_are_not_read_where_they_do_not_count(world: World) {
    let calls = Calls::on(world).await;
    let odd = json!({"nome": 7, "nomePessoa": "Eva", "email": "nao informado", "telefone": "-", "telefones": "x", "uf": "?"});
    calls.saved(&calls.operator, LEADS, &lead(1)).await;
    let deal = calls.deal(with(odd.clone(), json!({"codLead": 1}))).await;
    let same = calls.change(&deal["codNegocio"], with(odd.clone(), json!({"titulo": "Argo"}))).await.json();
    assert_eq!(same, deal);
    assert_eq!(calls.whole(&deal["codNegocio"]).await["titulo"], "Argo");
    assert_eq!(calls.leads(&[]).await[0]["nomePessoa"], "Lead b");
    for none in [json!({"codLead": null}), json!({"codLead": " "}), json!({})] {
        assert!(told_about(&calls.refused(DEALS, &with(odd.clone(), none)).await, "email"));
    }
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
    calls.world.clock.pass(Duration::from_hours(72));
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
