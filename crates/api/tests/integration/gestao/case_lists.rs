//! The lists of what is worked on, each parameter of theirs, and what is past its time.

use crate::calls::{Calls, each, items};
use crate::gestao::case_scene::{
    CAR, FAR_MEMBER, KINDS, MEMBER, SECOND_MEMBER, enter_again, scene, set_register,
};
use serde_json::{Value, json};
use std::time::Duration;
use testkit::{World, both_engines};

const DAY: Duration = Duration::from_hours(24);

async fn codes(calls: &Calls, token: &str, path: &str, query: &[(&str, &str)]) -> Vec<Value> {
    each(&items(&calls.read(token, path, query).await), "codigo")
}

#[both_engines]
async fn each_parameter_narrows_a_list_newest_opening_first(world: World) {
    let mut calls = scene(world).await;
    let operator = calls.world.operator.code.get();
    for kind in &KINDS {
        kind.open(&calls, json!({"codBeneficio": CAR})).await;
        calls.world.clock.pass(DAY);
        enter_again(&mut calls).await;
        kind.open(&calls, json!({"codPessoa": SECOND_MEMBER, "codResponsavel": operator})).await;
        let third = kind.open(&calls, json!({})).await;
        kind.move_to(&calls, 2, kind.situations[1].0, None).await;
        kind.move_to(&calls, 3, kind.situations[2].0, None).await;
        let day = |text: &Value| {
            let text = text.as_str().unwrap();
            format!("{}/{}/{}", &text[8..10], &text[5..7], &text[..4])
        };
        let today = day(&third["dataAbertura"]);
        let before = day(&kind.one(&calls, 1).await["dataAbertura"]);
        let (cpf, code, me) = (crate::calls::cpf(2), kind.situations[1].1.to_string(), operator.to_string());
        for (query, wanted) in [
            (vec![], vec![3, 2, 1]),
            (vec![("codSituacao", code.as_str())], vec![2]),
            (vec![("situacao", kind.situations[0].0)], vec![1]),
            (vec![("situacao", "nenhuma")], vec![]),
            (vec![("tipoSituacao", "concluido")], vec![3]),
            (vec![("tipoSituacao", "ANDAMENTO"), ("situacao", kind.situations[0].0)], vec![]),
            (vec![("aberto", "true")], vec![2, 1]),
            (vec![("aberto", "false")], vec![3]),
            (vec![("codPessoa", "1")], vec![3, 1]),
            (vec![("codPessoa", "1"), ("aberto", "true")], vec![1]),
            (vec![("codBeneficio", "1")], vec![1]),
            (vec![("codBeneficio", "1"), ("codPessoa", "2")], vec![]),
            (vec![("codLoja", "2")], vec![3, 2, 1]),
            (vec![("codLoja", "1")], vec![]),
            (vec![("codResponsavel", &me)], vec![2]),
            (vec![("codResponsavel", &me), ("aberto", "false")], vec![]),
            (vec![("protocolo", "2")], vec![2]),
            (vec![("protocolo", "02")], vec![]),
            (vec![("protocolo", "2"), ("codPessoa", "1")], vec![]),
            (vec![("dataAberturaInicial", &today)], vec![3, 2]),
            (vec![("dataAberturaFinal", &before)], vec![1]),
            (
                vec![("dataAberturaInicial", &before), ("dataAberturaFinal", &before), ("aberto", "true")],
                vec![1],
            ),
            (vec![("filtro", "3")], vec![3]),
            (vec![("filtro", &cpf)], vec![2]),
            (vec![("filtro", "abc-1d23")], vec![1]),
            (vec![("filtro", "pessoa 2")], vec![2]),
            (vec![("filtro", "PESSOA")], vec![3, 2, 1]),
            (vec![("filtro", "ninguém")], vec![]),
            (vec![("filtro", "pessoa 2"), ("codPessoa", "1")], vec![]),
            (vec![("filtro", "--")], vec![]),
            (vec![("filtro", ""), ("pagina", ""), ("desconhecido", "x")], vec![3, 2, 1]),
            (vec![("pagina", "2")], vec![]),
        ] {
            let wanted: Vec<Value> = wanted.into_iter().map(|code: i32| json!(code)).collect();
            assert_eq!(
                codes(&calls, &calls.operator, kind.path, &query).await,
                wanted,
                "{} {query:?}",
                kind.path
            );
        }
        for bad in [
            ("codSituacao", "x"),
            ("tipoSituacao", "MEIO"),
            ("aberto", "sim"),
            ("dataAberturaInicial", "2026-11-14"),
            ("pagina", "0"),
        ] {
            calls.get(&calls.operator, kind.path, &[bad]).await.refuses(400);
        }
    }
    let kinds =
        [(0, "1", vec![3, 2, 1]), (1, "71", vec![3, 2, 1]), (2, "81", vec![3, 2, 1]), (3, "91", vec![])];
    for (kind, code, wanted) in kinds {
        let found = codes(&calls, &calls.operator, KINDS[kind].path, &[("codTipo", code)]).await;
        assert_eq!(found, wanted.into_iter().map(|code: i32| json!(code)).collect::<Vec<_>>());
        assert!(codes(&calls, &calls.operator, KINDS[kind].path, &[("codTipo", "4000")]).await.is_empty());
    }
    assert_eq!(codes(&calls, &calls.operator, "/gestao/evento", &[("prioridade", "media")]).await, [3, 2, 1]);
    assert_eq!(
        codes(&calls, &calls.operator, "/gestao/helpDesk", &[("prioridade", "Alta"), ("aberto", "true")])
            .await,
        [2, 1]
    );
    assert!(codes(&calls, &calls.operator, "/gestao/vistoria", &[("prioridade", "Alta")]).await.is_empty());
}

#[both_engines]
async fn a_list_has_pages_of_a_hundred_and_an_item_has_every_key_byte_for_byte(world: World) {
    let calls = scene(world).await;
    let kind = &KINDS[0];
    for number in 0..103 {
        let person = if number % 2 == 0 { MEMBER } else { SECOND_MEMBER };
        kind.open(&calls, json!({"codPessoa": person})).await;
    }
    for query in [vec![], vec![("aberto", "true")], vec![("codTipo", "1")], vec![("filtro", "pessoa")]] {
        let page = async |number: &str| {
            let mut query = query.clone();
            query.push(("pagina", number));
            calls.read(&calls.operator, kind.path, &query).await
        };
        let (first, second) = (page("1").await, page("2").await);
        assert_eq!((items(&first).len(), items(&second).len()), (100, 3), "{query:?}");
        assert_eq!((&first["quantidade"], &first["proximaPagina"]), (&json!(103), &json!(true)));
        assert_eq!((&second["quantidade"], &second["proximaPagina"]), (&json!(103), &json!(false)));
        assert_eq!((&items(&first)[0]["codigo"], &items(&second)[2]["codigo"]), (&json!(103), &json!(1)));
    }
    let change = json!({"versao": 1, "codBeneficio": CAR, "prioridade": "Alta", "codResponsavel": calls.world.operator.code.get()});
    assert_eq!(calls.put(&calls.operator, "/gestao/evento/1", &change).await.status, 200);
    let one = calls.get(&calls.operator, kind.path, &[("codBeneficio", "1")]).await.body;
    assert_eq!(one, include_str!("golden/caso_lista.json").trim_end());
}

async fn late(calls: &Calls, token: &str) -> Vec<String> {
    let page = calls.read(token, "/gestao/atrasados", &[]).await;
    let rows = items(&page);
    assert_eq!(page["quantidade"], rows.len());
    rows.iter().map(|one| format!("{} {}", one["entidade"].as_str().unwrap(), one["codigo"])).collect()
}

#[both_engines]
async fn what_is_past_its_time_comes_longest_first_of_all_kinds_in_the_callers_stores(world: World) {
    let mut calls = scene(world).await;
    for kind in &KINDS {
        kind.open(&calls, json!({})).await;
        let far = kind.body(json!({"codPessoa": FAR_MEMBER}));
        calls.saved(&calls.administrator, kind.path, &far).await;
    }
    calls.world.clock.pass(DAY);
    enter_again(&mut calls).await;
    assert!(late(&calls, &calls.administrator).await.is_empty(), "nothing has a time yet");
    // A day for tickets, two for claims, an hour for inspections.
    for (situation, hours) in [(7, 48), (13, 1), (18, 24), (11, 1)] {
        let tenant = calls.world.here;
        set_register(
            &calls,
            &format!(
                "UPDATE situations SET limit_hours = {hours} WHERE tenant = {tenant} AND code = {situation}"
            ),
        )
        .await;
    }
    assert_eq!(
        late(&calls, &calls.operator).await,
        ["Vistoria 1"],
        "a ticket has its day to the millisecond"
    );
    calls.world.clock.pass(Duration::from_millis(1));
    assert_eq!(late(&calls, &calls.operator).await, ["Vistoria 1", "Help Desk 1"]);
    calls.world.clock.pass(DAY);
    enter_again(&mut calls).await;
    assert_eq!(late(&calls, &calls.operator).await, ["Vistoria 1", "Help Desk 1", "Evento 1"]);
    assert_eq!(late(&calls, &calls.administrator).await.len(), 6);
    assert_eq!(late(&calls, &calls.stranger).await, Vec::<String>::new());
    let claim = KINDS[0].one(&calls, 1).await;
    assert_eq!((&claim["prazo"], &claim["atrasado"]), (&json!("2026-11-16T10:32:05-03:00"), &json!(true)));
    for (flag, wanted) in [("true", vec![json!(1)]), ("false", vec![])] {
        assert_eq!(codes(&calls, &calls.operator, "/gestao/evento", &[("atrasado", flag)]).await, wanted);
    }
    assert_eq!(
        codes(&calls, &calls.administrator, "/gestao/evento", &[("atrasado", "true"), ("codPessoa", "1")])
            .await,
        [1]
    );
    // Under way it has another time, and what is over has none.
    KINDS[0].move_to(&calls, 1, "EM ANÁLISE", None).await;
    KINDS[1].move_to(&calls, 1, "APROVADA", None).await;
    assert_eq!(late(&calls, &calls.operator).await, ["Help Desk 1"]);
    assert_eq!(codes(&calls, &calls.operator, "/gestao/evento", &[("atrasado", "false")]).await, [1]);
    KINDS[0].move_to(&calls, 1, "CONCLUÍDO", None).await;
    calls.world.clock.pass(DAY);
    enter_again(&mut calls).await;
    assert_eq!(
        late(&calls, &calls.operator).await,
        ["Help Desk 1"],
        "a time of what is over counts for nothing"
    );
}
