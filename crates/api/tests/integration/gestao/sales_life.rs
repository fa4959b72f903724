//! `/gestao/negocio` and `/gestao/lead`: deals in every situation, the board, moves; leads changed.

use crate::calls::{Calls, DEALS, LEADS, each, items, told_about};
use serde_json::{Value, json};
use testkit::{World, both_engines, eight_at_once};

pub const ALL: &str = "/gestao/negocio";

pub fn deal(code: &Value, what: &str) -> String {
    format!("{ALL}/{code}{what}")
}

#[both_engines]
async fn deals_are_listed_in_every_situation_and_narrowed(world: World) {
    let calls = Calls::on(world).await;
    let by = &calls.operator;
    let ana = calls.deal(json!({"nome": "Ana Prado", "telefone": "11987654321", "valor": 100})).await;
    let rui =
        calls.deal(json!({"nome": "Rui Sá", "email": "rui@x.example", "codEtapa": 2, "valor": 50.5})).await;
    let far = json!({"nome": "Ana Longe", "email": "longe@x.example", "codLoja": 3});
    let far = calls.saved(&calls.administrator, DEALS, &far).await;
    calls.put(by, &deal(&rui["codNegocio"], "/perder"), &json!({"motivo": "Achou caro."})).await;
    let listed = async |query: &[(&str, &str)]| each(&items(&calls.read(by, ALL, query).await), "codNegocio");
    let (ana, rui) = (ana["codNegocio"].clone(), rui["codNegocio"].clone());
    assert_eq!(listed(&[]).await, [rui.clone(), ana.clone()], "the last one first");
    for (query, found) in [
        (("situacao", "Perdido"), vec![rui.clone()]),
        (("situacao", "Aberto"), vec![ana.clone()]),
        (("codEtapa", "2"), vec![rui.clone()]),
        (("codFunil", "2"), vec![]),
        (("codLoja", "3"), vec![]),
        (("filtro", "ana"), vec![ana.clone()]),
        (("filtro", "rui@x.example"), vec![rui.clone()]),
        (("filtro", "2"), vec![rui.clone()]),
        (("filtro", "--"), vec![]),
        (("paradoHaDias", "1"), vec![]),
        (("paradoHaDias", "0"), vec![rui.clone(), ana.clone()]),
        (("pagina", "2"), vec![]),
    ] {
        assert_eq!(listed(&[query]).await, found, "{query:?}");
    }
    let responsible = calls.world.operator.code.get().to_string();
    assert_eq!(listed(&[("codUsuarioResponsavel", &responsible)]).await.len(), 2);
    calls.world.clock.pass(std::time::Duration::from_hours(48));
    let by = &calls.server().token(&calls.world.operator.email).await;
    let page = calls.read(by, ALL, &[("paradoHaDias", "2")]).await;
    assert_eq!(page["quantidade"], 2);
    let lost = &items(&page)[0];
    assert_eq!(
        (&lost["situacao"], &lost["motivoPerda"], &lost["diasNaEtapa"]),
        (&json!("Perdido"), &json!("Achou caro."), &json!(2))
    );
    assert_eq!((&lost["codBeneficio"], &lost["versao"]), (&Value::Null, &json!(2)));
    calls.get(by, ALL, &[("situacao", "Parado")]).await.refuses(400);
    calls.get(by, ALL, &[("pagina", "0")]).await.refuses(400);
    let whole = calls.read(by, &deal(&rui, ""), &[]).await;
    assert_eq!((&whole["historico"][1]["situacao"], &whole["versao"]), (&json!("Perdido"), &json!(2)));
    calls.get(by, &deal(&far["codNegocio"], ""), &[]).await.refuses(404);
    let stranger = calls.server().token(&calls.world.stranger.email).await;
    assert_eq!(calls.read(&stranger, ALL, &[]).await["quantidade"], 0);
    calls.get(&stranger, &deal(&ana, ""), &[]).await.refuses(404);
}

#[both_engines]
async fn the_board_shows_each_stage_with_its_count_its_sum_and_its_first_cards(world: World) {
    let calls = Calls::on(world).await;
    for number in 0..22 {
        let body =
            json!({"nome": format!("Lead {number}"), "email": format!("l{number}@x.example"), "valor": 10.5});
        calls.deal(body).await;
    }
    calls.deal(json!({"nome": "Outro", "email": "o@x.example", "codEtapa": 2, "valor": 1})).await;
    let far = json!({"nome": "Longe", "email": "longe@x.example", "codLoja": 3, "valor": 1000});
    calls.saved(&calls.administrator, DEALS, &far).await;
    let board = calls.read(&calls.operator, &format!("{ALL}/quadro"), &[]).await;
    assert_eq!((&board["codFunil"], &board["nome"]), (&json!(1), &json!("Vendas")));
    let stages = board["etapas"].as_array().unwrap();
    assert_eq!(each(stages, "quantidade"), [json!(22), json!(1), json!(0), json!(0), json!(0)]);
    assert_eq!((&stages[0]["valor"], &stages[0]["nome"]), (&json!(231), &json!("Novo contato")));
    assert_eq!(stages[0]["negocios"].as_array().unwrap().len(), 20);
    let whole = calls.read(&calls.administrator, &format!("{ALL}/quadro"), &[("codFunil", "1")]).await;
    assert_eq!(whole["etapas"][0]["quantidade"], 23);
    let one = calls.read(&calls.administrator, &format!("{ALL}/quadro"), &[("codLoja", "3")]).await;
    assert_eq!((&one["etapas"][0]["quantidade"], &one["etapas"][0]["valor"]), (&json!(1), &json!(1000)));
    assert!(told_about(
        calls.get(&calls.operator, &format!("{ALL}/quadro"), &[("codFunil", "99")]).await.refuses(400),
        "codFunil"
    ));
    assert_eq!(
        calls.read(&calls.stranger, &format!("{ALL}/quadro"), &[]).await["etapas"][0]["quantidade"],
        0
    );
}

#[both_engines]
async fn a_deal_is_moved_lost_and_opened_again(world: World) {
    let calls = Calls::on(world).await;
    let by = &calls.operator;
    let code = calls.deal(json!({"nome": "Ana", "email": "a@x.example"})).await["codNegocio"].clone();
    let stage = deal(&code, "/etapa");
    let refused = calls.put(by, &stage, &json!({})).await;
    assert!(
        ["codEtapa", "versao"].iter().all(|field| told_about(refused.refuses(400), field)),
        "{refused:?}"
    );
    for unknown in [99, 8] {
        let refused = calls.put(by, &stage, &json!({"codEtapa": unknown, "versao": 1})).await;
        assert!(told_about(refused.refuses(400), "codEtapa"), "{refused:?}");
    }
    let moved = calls.put(by, &stage, &json!({"codEtapa": 6, "versao": 1})).await.json();
    assert_eq!((&moved["codFunil"], &moved["codEtapa"], &moved["versao"]), (&json!(2), &json!(6), &json!(2)));
    let refused = calls.put(by, &stage, &json!({"codEtapa": 2, "versao": 1})).await;
    let lines: Vec<&str> = refused.refuses(409).lines().collect();
    assert_eq!(
        lines[1..],
        ["codFunil: enviado \"1\"; agora \"2\".", "codEtapa: enviado \"2\"; agora \"6\"."]
    );
    let lost = deal(&code, "/perder");
    assert!(told_about(calls.put(by, &lost, &json!({})).await.refuses(400), "motivo"));
    let told = calls.put(by, &lost, &json!({"motivo": "Caro"})).await.json();
    assert_eq!(
        (&told["situacao"], &told["motivoPerda"], &told["versao"]),
        (&json!("Perdido"), &json!("Caro"), &json!(3))
    );
    assert_eq!(calls.put(by, &lost, &json!({"motivo": "Caro"})).await.json(), told, "no change");
    assert!(told_about(
        calls.put(by, &stage, &json!({"codEtapa": 1, "versao": 3})).await.refuses(409),
        "codNegocio"
    ));
    let open =
        calls.put(by, &deal(&code, "/reabrir"), &json!({"motivo": "Voltou", "versao": 3})).await.json();
    assert_eq!((&open["situacao"], &open["motivoPerda"]), (&json!("Aberto"), &Value::Null));
    let again = calls.server().put(&deal(&code, "/reabrir"), by, "").await.json();
    assert_eq!(again, open, "an empty body, and no change");
    let whole = calls.read(by, &deal(&code, ""), &[]).await;
    assert_eq!(
        each(whole["historico"].as_array().unwrap(), "situacao"),
        ["Aberto", "Aberto", "Perdido", "Aberto"]
    );
    let history = items(&calls.read(by, &deal(&code, "/historico"), &[]).await);
    let of = |field: &str| -> Vec<Value> {
        history.iter().filter(|one| one["campo"] == field).map(|one| one["depois"].clone()).collect()
    };
    assert_eq!((of("codEtapa"), of("situacao")), (vec![json!("6")], vec![json!("Perdido"), json!("Aberto")]));
    calls.get(&calls.stranger, &deal(&code, "/historico"), &[]).await.refuses(404);
    for what in ["/etapa", "/perder", "/reabrir", "/ganhar"] {
        let body = json!({"codEtapa": 1, "versao": 4, "motivo": "x"});
        calls.put(&calls.stranger, &deal(&code, what), &body).await.refuses(404);
        assert!(told_about(calls.put(by, &deal(&json!(99), what), &body).await.refuses(404), "codNegocio"));
    }
}

#[both_engines]
async fn of_eight_moves_of_one_version_at_once_one_is_taken(world: World) {
    let calls = std::sync::Arc::new(Calls::on(world).await);
    let code = calls.deal(json!({"nome": "Ana", "email": "a@x.example"})).await["codNegocio"].clone();
    let replies = eight_at_once(|number| {
        let (calls, path) = (std::sync::Arc::clone(&calls), deal(&code, "/etapa"));
        async move {
            let body = json!({"codEtapa": 2 + number % 4, "versao": 1});
            calls.put(&calls.operator, &path, &body).await.status
        }
    })
    .await;
    assert_eq!(replies.iter().filter(|status| **status == 200).count(), 1, "{replies:?}");
    assert_eq!(calls.count("deal_moves").await, 2);
}

#[both_engines]
async fn a_lead_is_listed_read_and_changed(world: World) {
    let calls = Calls::on(world).await;
    let by = &calls.operator;
    let ana = json!({"nome": "Ana Prado", "email": "ana@x.example", "telefone": "11987654321"});
    let ana = calls.saved(by, LEADS, &ana).await;
    let rui = calls.saved(by, LEADS, &json!({"nome": "Rui Sá", "documento": crate::calls::cpf(5)})).await;
    let path = format!("/gestao/lead/{}", ana["codLead"]);
    let listed =
        async |query: &[(&str, &str)]| each(&items(&calls.read(by, "/gestao/lead", query).await), "codLead");
    assert_eq!(listed(&[]).await, [rui["codLead"].clone(), ana["codLead"].clone()]);
    assert_eq!(listed(&[("filtro", "ana p")]).await, [ana["codLead"].clone()]);
    assert!(told_about(calls.put(by, &path, &json!({"nome": "X"})).await.refuses(400), "versao"));
    let body = json!({"versao": 1, "cidade": "Santos", "email": null, "codConsultor": 1, "ativo": false});
    let changed = calls.put(by, &path, &body).await.json();
    assert_eq!(
        (&changed["nomePessoa"], &changed["email"], &changed["cidade"]),
        (&json!("Ana Prado"), &Value::Null, &json!("Santos"))
    );
    assert_eq!(
        (&changed["codConsultor"], &changed["ativo"], &changed["versao"]),
        (&json!(1), &json!(false), &json!(2))
    );
    assert_eq!(calls.read(by, &path, &[]).await, changed);
    assert_eq!(listed(&[("ativo", "false")]).await, [ana["codLead"].clone()]);
    assert_eq!(listed(&[("ativo", "true"), ("filtro", "ana")]).await, Vec::<Value>::new());
    assert!(calls.leads(&[("filtro", "ana")]).await.is_empty(), "the interface shows active ones alone");
    let refused = calls.put(by, &path, &json!({"versao": 1, "cidade": "Recife"})).await;
    let lines: Vec<&str> = refused.refuses(409).lines().collect();
    assert_eq!(lines[1..], ["cidade: enviado \"Recife\"; agora \"Santos\"."]);
    let refused = calls.put(by, &path, &json!({"versao": 2, "documento": crate::calls::cpf(5)})).await;
    assert!(refused.refuses(409).contains(&rui["codLead"].to_string()), "{refused:?}");
    let refused =
        calls.put(by, &path, &json!({"versao": 2, "nome": null, "telefone": null, "codLoja": 3})).await;
    let told = refused.refuses(400);
    assert!(["nome", "telefone", "codLoja"].iter().all(|field| told_about(told, field)), "{told}");
    calls.get(&calls.stranger, &path, &[]).await.refuses(404);
    calls.put(&calls.stranger, &path, &json!({"versao": 2})).await.refuses(404);
    assert!(told_about(calls.get(by, "/gestao/lead/99", &[]).await.refuses(404), "codLead"));
}
