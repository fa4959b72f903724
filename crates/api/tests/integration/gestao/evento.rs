//! `/gestao/evento`: what events have of their own.

use crate::calls::{array, each, told_about, with};
use crate::gestao::case_scene::{CAR, FAR_CAR, FAR_MEMBER, KINDS, MEMBER, SECOND_MEMBER, outbox, scene};
use serde_json::{Value, json};
use testkit::{World, both_engines};

const EVENTS: &str = "/gestao/evento";

fn whole() -> Value {
    json!({"codPessoa": MEMBER, "codBeneficio": CAR, "codTipoEvento": 1, "envolvido": "Terceiro", "prioridade": "Urgente",
        "descricao": "Colisão traseira, sem feridos.", "dataEvento": "13/11/2026", "codCondutor": SECOND_MEMBER,
        "local": {"tipoLogradouro": "Avenida", "logradouro": "Paulista", "numero": "1578", "cidade": "São Paulo", "uf": "SP",
            "cep": "01310-100"}})
}

#[both_engines]
async fn an_event_with_everything_byte_for_byte_and_outside_too(world: World) {
    let calls = scene(world).await;
    let receiver = json!({"endereco": "https://erp.example", "entidades": ["evento"]});
    calls.saved(&calls.administrator, "/gestao/receptor", &receiver).await;
    let first =
        calls.saved(&calls.operator, EVENTS, &json!({"codPessoa": SECOND_MEMBER, "codTipoEvento": 2})).await;
    assert_eq!(
        (&first["prioridade"], &first["envolvido"], &first["veiculo"]),
        (&json!("Média"), &json!("Cliente"), &Value::Null)
    );
    let operator = calls.world.operator.code.get();
    let body = with(whole(), json!({"relacionados": [1, 1], "codResponsavel": operator}));
    let opened = calls.post(&calls.operator, EVENTS, &body).await;
    assert_eq!(opened.body, include_str!("golden/evento.json").trim_end());
    assert_eq!(calls.get(&calls.operator, "/gestao/evento/2", &[]).await.body, opened.body);
    // The one that it belongs to belongs to it.
    let other = calls.read(&calls.operator, "/gestao/evento/1", &[]).await;
    assert_eq!(each(&array(&other["relacionados"]), "codEvento"), [2]);
    let outside = calls.read(&calls.integration, "/ext/evento", &[]).await;
    assert_eq!(each(&array(&outside), "protocolo"), ["2", "1"]);
    let outside = calls.read(&calls.integration, "/ext/evento/2", &[]).await;
    assert_eq!(
        (&outside["condutor"]["nomePessoa"], &outside["veiculo"]["placa"]),
        (&json!("Pessoa 2"), &json!("ABC1D23"))
    );
    assert_eq!(outside["relacionados"][0]["codEvento"], 1);
    let sent = outbox(&calls).await;
    assert_eq!(sent[1], (include_str!("golden/gatilho_evento.json").trim_end().to_owned(), 1));
}

#[both_engines]
async fn what_is_wrong_with_an_event_is_told_at_once(world: World) {
    let calls = scene(world).await;
    let bad = json!({"codPessoa": MEMBER, "codTipoEvento": 3, "codCondutor": FAR_MEMBER, "relacionados": [7],
        "veiculo": {"tipoVeiculo": "Foguete"}});
    let told = calls.refused(EVENTS, &bad).await;
    for field in ["codTipoEvento", "codCondutor", "relacionados", "veiculo.tipoVeiculo"] {
        assert!(told_about(&told, field), "{field}: {told}");
    }
    let bad = json!({"prioridade": "Máxima", "dataEvento": "31/02/2026", "envolvido": "Todos", "local": {"uf": "XX"}});
    let told = calls.refused(EVENTS, &bad).await;
    for field in ["codPessoa", "codTipoEvento", "prioridade", "dataEvento", "envolvido", "local.uf"] {
        assert!(told_about(&told, field), "{field}: {told}");
    }
    assert_eq!(calls.count("claims").await, 0);
    let opened = calls.saved(&calls.operator, EVENTS, &whole()).await;
    let itself = json!({"versao": 1, "relacionados": [opened["codEvento"]], "prioridade": null, "codTipoEvento": null});
    let refused = calls.put(&calls.operator, "/gestao/evento/1", &itself).await;
    for field in ["relacionados", "prioridade", "codTipoEvento"] {
        assert!(told_about(refused.refuses(400), field), "{field}: {refused:?}");
    }
    // What was sent is judged before the code in the path.
    let unknown =
        calls.put(&calls.operator, "/gestao/evento/99", &json!({"versao": 1, "codTipoEvento": 3})).await;
    assert!(told_about(unknown.refuses(400), "codTipoEvento"));
    calls
        .put(&calls.operator, "/gestao/evento/99", &json!({"versao": 1, "codTipoEvento": 2}))
        .await
        .refuses(404);
}

#[both_engines]
async fn the_vehicle_of_an_event_stays_as_it_was_when_it_was_opened(world: World) {
    let calls = scene(world).await;
    let opened = calls.saved(&calls.operator, EVENTS, &whole()).await;
    assert_eq!(
        (&opened["veiculo"]["placa"], &opened["veiculo"]["cor"]),
        (&json!("ABC1D23"), &json!("Prata"))
    );
    calls.car(1, "DEF4G56", json!({"codBeneficio": CAR, "cor": "Preto"})).await;
    calls.member_with(1, json!({"nomePessoa": "Outro Nome"})).await;
    let now = calls.read(&calls.operator, "/gestao/evento/1", &[]).await;
    assert_eq!(now["veiculo"], opened["veiculo"]);
    assert_eq!(
        (&now["nomePessoa"], &now["descricaoBeneficio"]),
        (&json!("Outro Nome"), &json!("DEF4G56 - FIAT ARGO 1.0"))
    );
    let outside = calls.read(&calls.operator, "/ext/evento/1", &[]).await;
    assert_eq!(outside["veiculo"]["placa"], "ABC1D23");
    // Another may be named, at the opening or later.
    let other = with(
        whole(),
        json!({"veiculo": {"placa": "GHI7J89", "marca": "VW", "tipoVeiculo": "automovel de passeio"}}),
    );
    let other = calls.saved(&calls.operator, EVENTS, &other).await;
    assert_eq!((&other["veiculo"]["placa"], &other["veiculo"]["cor"]), (&json!("GHI7J89"), &Value::Null));
    assert_eq!(other["veiculo"]["tipoVeiculo"], "Automóvel de passeio");
    let change = json!({"versao": 1, "veiculo": {"cor": "Azul"}, "local": {"numero": "99"}});
    let changed = calls.put(&calls.operator, "/gestao/evento/1", &change).await.json();
    assert_eq!(
        (&changed["veiculo"]["cor"], &changed["veiculo"]["placa"]),
        (&json!("Azul"), &json!("ABC1D23"))
    );
    assert_eq!(
        (&changed["local"]["numero"], &changed["local"]["logradouro"]),
        (&json!("99"), &json!("Paulista"))
    );
    let told = calls.read(&calls.operator, "/gestao/evento/1/historico", &[]).await;
    let line = |name: &str| array(&told["itens"]).into_iter().find(|one| one["campo"] == name).unwrap();
    assert_eq!(
        (&line("veiculo.cor")["antes"], &line("veiculo.cor")["depois"]),
        (&json!("Prata"), &json!("Azul"))
    );
    assert_eq!(line("local")["depois"], "Avenida Paulista, 99, São Paulo, SP, 01310-100");
    let cleared =
        json!({"versao": 2, "veiculo": null, "local": null, "codCondutor": null, "codBeneficio": null});
    let cleared = calls.put(&calls.operator, "/gestao/evento/1", &cleared).await.json();
    for field in ["veiculo", "local", "condutor", "codBeneficio", "descricaoBeneficio"] {
        assert_eq!(cleared[field], Value::Null, "{field}");
    }
}

#[both_engines]
async fn whoever_replaces_related_events_leaves_those_that_he_does_not_see(world: World) {
    let calls = scene(world).await;
    let kind = &KINDS[0];
    for _ in 0..3 {
        kind.open(&calls, json!({})).await;
    }
    let far = kind.body(json!({"codPessoa": FAR_MEMBER, "codBeneficio": FAR_CAR, "relacionados": [1]}));
    calls.saved(&calls.administrator, EVENTS, &far).await;
    let related = async |token: &str, code: i32| {
        each(&array(&calls.read(token, &kind.of(code, ""), &[]).await["relacionados"]), "codEvento")
    };
    assert_eq!(related(&calls.administrator, 1).await, [4]);
    assert_eq!(related(&calls.operator, 1).await, Vec::<Value>::new());
    let change = json!({"versao": 1, "relacionados": [2, 3]});
    assert_eq!(calls.put(&calls.operator, &kind.of(1, ""), &change).await.status, 200);
    assert_eq!(related(&calls.operator, 1).await, [3, 2]);
    let change = json!({"versao": 2, "relacionados": [3]});
    let changed = calls.put(&calls.operator, &kind.of(1, ""), &change).await.json();
    assert_eq!(each(&array(&changed["relacionados"]), "codEvento"), [3]);
    assert_eq!(related(&calls.administrator, 1).await, [4, 3]);
    assert_eq!(related(&calls.operator, 2).await, Vec::<Value>::new());
    assert_eq!(related(&calls.operator, 3).await, [1]);
    let told = async |token: &str| {
        let changes = array(&calls.read(token, &kind.of(1, "/historico"), &[]).await["itens"]);
        let related = changes.into_iter().filter(|one| one["campo"] == "relacionados");
        related.map(|one| (one["antes"].clone(), one["depois"].clone())).collect::<Vec<_>>()
    };
    let refused =
        calls.put(&calls.operator, &kind.of(1, ""), &json!({"versao": 3, "relacionados": [4]})).await;
    assert!(
        told_about(refused.refuses(400), "relacionados"),
        "one that he does not see is none: {refused:?}"
    );
    let change = json!({"versao": 3, "relacionados": [4]});
    assert_eq!(calls.put(&calls.administrator, &kind.of(1, ""), &change).await.status, 200);
    assert_eq!(told(&calls.administrator).await.last(), Some(&(json!("3, 4"), json!("4"))));
    let seen = told(&calls.operator).await;
    assert_eq!(seen.last(), Some(&(json!("3"), Value::Null)), "that the third left, and no hidden number");
    assert!(!format!("{seen:?}").contains('4'), "{seen:?}");
}
