//! The life that events, inspections, tickets and appointments share: opened, changed, moved, noted, told.

use crate::calls::{Calls, cpf, each, items, told_about, with};
use crate::gestao::case_scene::{
    CAR, FAR_CAR, FAR_MEMBER, KINDS, Kind, MEMBER, feed, outbox, scene, set_register,
};
use serde_json::{Value, json};
use std::time::Duration;
use testkit::{World, both_engines};

#[both_engines]
async fn each_is_opened_with_a_protocol_in_the_situation_in_which_its_kind_begins(world: World) {
    let calls = scene(world).await;
    for kind in &KINDS {
        let first = kind.open(&calls, json!({"codBeneficio": CAR})).await;
        assert_eq!(
            (&first[kind.code], &first["protocolo"], &first["versao"]),
            (&json!(1), &json!("1"), &json!(1))
        );
        assert_eq!(first["situacao"], kind.situations[0].0);
        assert_eq!(
            (&first["tipoSituacao"], &first["codLoja"]),
            (&json!("ABERTO"), &json!(2)),
            "the benefit's"
        );
        assert_eq!(first["descricaoBeneficio"], "ABC1D23 - FIAT ARGO 1.0");
        assert_eq!(first["dataAbertura"], "2026-11-14T10:32:05-03:00");
        assert_eq!(
            (&first["dataEncerramento"], &first["prazo"], &first["atrasado"]),
            (&Value::Null, &Value::Null, &json!(false))
        );
        assert_eq!(kind.one(&calls, 1).await, first, "as it is read");
        let second = kind.open(&calls, json!({})).await;
        assert_eq!((&second[kind.code], &second["protocolo"]), (&json!(2), &json!("2")));
        assert_eq!((&second["codLoja"], &second["codBeneficio"]), (&json!(2), &Value::Null), "the member's");
        let history = feed(&calls, &calls.operator, kind.entity).await;
        assert_eq!(each(&history, "codigo"), [1, 2]);
        assert_eq!(each(&history, "codSituacaoAnterior"), [Value::Null, Value::Null]);
        assert_eq!(each(&history, "situacao"), [kind.situations[0].0; 2]);
    }
}

#[both_engines]
async fn everything_that_is_wrong_is_told_at_once(world: World) {
    let calls = scene(world).await;
    for kind in &KINDS {
        let bad =
            json!({"codPessoa": FAR_MEMBER, "codBeneficio": FAR_CAR, "codLoja": 1, "codResponsavel": 4000});
        let told = calls.refused(kind.path, &bad).await;
        for field in ["codPessoa", "codBeneficio", "codLoja", "codResponsavel"] {
            assert!(told_about(&told, field), "{field}: {told}");
        }
        let told = calls.refused(kind.path, &json!({"codBeneficio": "x"})).await;
        assert!(told_about(&told, "codPessoa") && told_about(&told, "codBeneficio"), "{told}");
        // A benefit of somebody else, whom the operator sees; and one who works elsewhere.
        let other = kind.body(json!({"codPessoa": 2, "codBeneficio": CAR, "codResponsavel": 5}));
        let told = calls.refused(kind.path, &other).await;
        assert!(told_about(&told, "codBeneficio") && told_about(&told, "codResponsavel"), "{told}");
        assert_eq!(kind.list(&calls, &[]).await.len(), 0, "nothing of it is stored");
    }
    assert_eq!(calls.count("history").await, 3, "of the benefits");
}

impl Kind {
    async fn list(&self, calls: &Calls, query: &[(&str, &str)]) -> Vec<Value> {
        items(&calls.read(&calls.operator, self.path, query).await)
    }
}

#[both_engines]
async fn every_field_that_changes_is_kept_with_who_when_before_and_after(world: World) {
    let calls = scene(world).await;
    for kind in &KINDS {
        kind.open(&calls, json!({})).await;
        calls.world.clock.pass(Duration::from_mins(1));
        let (field, value) = kind.field;
        let operator = calls.world.operator.code.get();
        let change = json!({"versao": 1, field: value, "codBeneficio": CAR, "codResponsavel": operator});
        let changed = calls.put(&calls.operator, &kind.of(1, ""), &change).await.json();
        assert_eq!((&changed["versao"], &changed[field]), (&json!(2), &json!(value)));
        assert_eq!((&changed["responsavel"], &changed["codBeneficio"]), (&json!("operador"), &json!(CAR)));
        assert_eq!(kind.one(&calls, 1).await, changed);
        // The same again is no change, and null clears.
        let same =
            calls.put(&calls.operator, &kind.of(1, ""), &with(change, json!({"versao": 2}))).await.json();
        assert_eq!(same["versao"], 2);
        let cleared = json!({"versao": 2, field: null, "codResponsavel": null});
        let cleared = calls.put(&calls.operator, &kind.of(1, ""), &cleared).await.json();
        assert_eq!(
            (&cleared[field], &cleared["codResponsavel"], &cleared["versao"]),
            (&Value::Null, &Value::Null, &json!(3))
        );
        let told = items(&calls.read(&calls.operator, &kind.of(1, "/historico"), &[]).await);
        let fields: Vec<_> = told.iter().filter(|one| one["tipo"] == "campo").cloned().collect();
        let mut names = each(&fields, "campo");
        names.sort_by_key(ToString::to_string);
        let mut wanted = vec![
            json!("codBeneficio"),
            json!("codResponsavel"),
            json!("codResponsavel"),
            json!(field),
            json!(field),
        ];
        wanted.sort_by_key(ToString::to_string);
        assert_eq!(names, wanted);
        let of = |name: &str| fields.iter().filter(|one| one["campo"] == name).cloned().collect::<Vec<_>>();
        assert_eq!(each(&of(field), "antes"), [Value::Null, json!(value)]);
        assert_eq!(each(&of(field), "depois"), [json!(value), Value::Null]);
        assert_eq!(of("codBeneficio")[0]["depois"], "1 (ABC1D23 - FIAT ARGO 1.0)");
        assert_eq!(of("codResponsavel")[0]["depois"], format!("operador ({operator})"));
        assert!(
            fields
                .iter()
                .all(|one| one["nomeUsuario"] == "operador" && one["dataHora"] != told[0]["dataHora"])
        );
        assert_eq!(
            (&told[0]["tipo"], &told[0]["campo"], &told[0]["antes"]),
            (&json!("situacao"), &json!("situacao"), &Value::Null)
        );
        assert_eq!(told[0]["depois"], kind.situations[0].0);
    }
}

#[both_engines]
async fn an_old_version_is_refused_with_what_was_sent_and_what_stands(world: World) {
    let calls = scene(world).await;
    for kind in &KINDS {
        kind.open(&calls, json!({})).await;
        let (field, value) = kind.field;
        let (path, by) = (kind.of(1, ""), &calls.operator);
        assert!(told_about(calls.put(by, &path, &json!({field: value})).await.refuses(400), "versao"));
        assert_eq!(calls.put(by, &path, &json!({"versao": 1, field: value})).await.status, 200);
        let late = calls.put(by, &path, &json!({"versao": 1, field: "Outra coisa."})).await;
        let told = late.refuses(409);
        assert!(told.starts_with("versao: o registro foi alterado em 14/11/2026 "), "{told}");
        assert!(told.contains(&format!("{field}: enviado \"Outra coisa.\"; agora \"{value}\".")), "{told}");
        let moved = json!({"situacao": kind.situations[1].0, "versao": 1});
        let told = calls.put(by, &kind.of(1, "/situacao"), &moved).await;
        let line =
            format!("situacao: enviado \"{}\"; agora \"{}\".", kind.situations[1].0, kind.situations[0].0);
        assert!(told.refuses(409).contains(&line), "{told:?}");
        let now = kind.one(&calls, 1).await;
        assert_eq!(
            (&now[field], &now["versao"], &now["situacao"]),
            (&json!(value), &json!(2), &json!(kind.situations[0].0))
        );
    }
}

#[both_engines]
async fn each_goes_through_its_situations_and_tells_of_every_change(world: World) {
    let calls = scene(world).await;
    let receiver = json!({"endereco": "https://erp.example", "entidades": ["todos"]});
    calls.saved(&calls.administrator, "/gestao/receptor", &receiver).await;
    for kind in &KINDS {
        let before = outbox(&calls).await.len();
        let opened = kind.open(&calls, json!({})).await;
        let [_, (under_way, _), (done, done_code), (cancelled, _)] = kind.situations;
        calls.world.clock.pass(Duration::from_hours(1));
        let moved = kind.move_to(&calls, 1, &under_way.to_lowercase(), None).await.json();
        assert_eq!((&moved["situacao"], &moved["versao"]), (&json!(under_way), &json!(2)));
        assert_ne!(moved["situacaoDesde"], opened["situacaoDesde"]);
        assert_eq!(moved["dataEncerramento"], Value::Null);
        // By its code; and once more, which changes nothing.
        for _ in 0..2 {
            let body = json!({"codSituacao": done_code});
            let over = calls.put(&calls.operator, &kind.of(1, "/situacao"), &body).await.json();
            assert_eq!((&over["situacao"], &over["versao"]), (&json!(done), &json!(3)));
            assert_eq!(over["dataEncerramento"], over["situacaoDesde"]);
        }
        // What is over is taken up again, and what is cancelled, only with a reason.
        let refused = kind.move_to(&calls, 1, under_way, None).await;
        assert!(told_about(refused.refuses(400), "motivo"), "{refused:?}");
        let again = kind.move_to(&calls, 1, under_way, Some("Faltou algo.")).await.json();
        assert_eq!((&again["dataEncerramento"], &again["versao"]), (&Value::Null, &json!(4)));
        let refused = kind.move_to(&calls, 1, cancelled, None).await;
        assert!(told_about(refused.refuses(400), "motivo"), "{refused:?}");
        kind.move_to(&calls, 1, cancelled, Some("Pedido do associado.")).await.json();
        let told = items(&calls.read(&calls.operator, &kind.of(1, "/historico"), &[]).await);
        let names =
            [opened["situacao"].clone(), json!(under_way), json!(done), json!(under_way), json!(cancelled)];
        assert_eq!(each(&told, "depois"), names);
        assert_eq!(each(&told, "antes")[1..], names[..4]);
        assert_eq!(told[4]["motivo"], "Pedido do associado.");
        assert_eq!((&told[4]["origem"], &told[4]["nomeUsuario"]), (&json!("API"), &json!("operador")));
        // What receivers get is what the feed shows, byte for byte.
        let sent = outbox(&calls).await.split_off(before);
        let fed = feed(&calls, &calls.operator, kind.entity).await;
        let bodies: Vec<Value> = sent.iter().map(|(body, _)| serde_json::from_str(body).unwrap()).collect();
        assert_eq!(each(&fed, "gatilho"), bodies);
        assert_eq!(bodies.len(), 5);
        for (number, body) in bodies.iter().enumerate() {
            assert_eq!(body["entidade"], format!("[\"{}\"]", kind.entity));
            assert_eq!((&body["objeto"]["nomeSituacao"], &body["objeto"]["id"]), (&names[number], &json!(1)));
        }
    }
}

#[both_engines]
async fn the_association_says_where_a_situation_leads(world: World) {
    let calls = scene(world).await;
    for kind in &KINDS {
        kind.open(&calls, json!({})).await;
        let [(open, from), (under_way, next), (done, _), (cancelled, last)] = kind.situations;
        let next_of = |one: &Value| each(one["proximasSituacoes"].as_array().unwrap(), "situacao");
        assert!(
            next_of(&kind.one(&calls, 1).await).contains(&json!(done)),
            "anywhere, until somebody says otherwise"
        );
        let tenant = calls.world.here;
        let moves = format!(
            "INSERT INTO situation_moves (tenant, situation, next) VALUES ({tenant}, {from}, {next}), ({tenant}, {from}, {last})"
        );
        set_register(&calls, &moves).await;
        let mut allowed = next_of(&kind.one(&calls, 1).await);
        allowed.sort_by_key(ToString::to_string);
        let mut wanted = vec![json!(under_way), json!(cancelled)];
        wanted.sort_by_key(ToString::to_string);
        assert_eq!(allowed, wanted);
        let refused = kind.move_to(&calls, 1, done, None).await;
        let told = refused.refuses(409);
        assert!(told.contains(open) && told.contains(under_way) && told.contains(cancelled), "{told}");
        assert_eq!(kind.move_to(&calls, 1, under_way, None).await.status, 200);
        assert_eq!(kind.move_to(&calls, 1, done, None).await.status, 200, "from there anywhere");
        // One that is no longer used is no place to go to; a name that nobody knows neither.
        set_register(
            &calls,
            &format!("UPDATE situations SET active = FALSE WHERE tenant = {tenant} AND code = {last}"),
        )
        .await;
        for body in [
            json!({"codSituacao": last, "motivo": "x"}),
            json!({"situacao": "VENDIDO"}),
            json!({}),
            json!({"codSituacao": 1}),
        ] {
            let refused = calls.put(&calls.operator, &kind.of(1, "/situacao"), &body).await;
            assert!(refused.refuses(400).to_lowercase().contains("situacao"), "{body}: {refused:?}");
        }
    }
}

#[both_engines]
async fn notes_are_kept_in_their_order_and_change_no_version(world: World) {
    let calls = scene(world).await;
    for kind in &KINDS {
        kind.open(&calls, json!({})).await;
        let path = kind.of(1, "/nota");
        calls.saved(&calls.operator, &path, &json!({"texto": "O associado enviou as fotos."})).await;
        let noted = calls
            .saved(&calls.administrator, &path, &json!({"texto": "Recebemos.", "paraAssociado": true}))
            .await;
        let notes = noted["notas"].as_array().unwrap();
        assert_eq!(each(notes, "numero"), [1, 2]);
        assert_eq!(each(notes, "texto"), ["O associado enviou as fotos.", "Recebemos."]);
        assert_eq!(each(notes, "paraAssociado"), [false, true]);
        assert_eq!(each(notes, "nomeUsuario"), ["operador", "admin"]);
        assert_eq!(noted["versao"], 1);
        assert_eq!(kind.one(&calls, 1).await["notas"], noted["notas"]);
        let refused = calls.post(&calls.operator, &path, &json!({"texto": " "})).await;
        assert!(told_about(refused.refuses(400), "texto"), "{refused:?}");
    }
}

#[both_engines]
async fn nobody_sees_or_touches_what_is_not_of_his_stores_or_of_his_association(world: World) {
    let calls = scene(world).await;
    for kind in &KINDS {
        kind.open(&calls, json!({})).await;
        let far = kind.body(json!({"codPessoa": FAR_MEMBER, "codBeneficio": FAR_CAR}));
        let far = calls.saved(&calls.administrator, kind.path, &far).await;
        assert_eq!((&far[kind.code], &far["codLoja"]), (&json!(2), &json!(1)));
        for (token, code) in
            [(&calls.operator, 2), (&calls.stranger, 1), (&calls.stranger, 2), (&calls.operator, 99)]
        {
            for what in ["", "/historico"] {
                let refused = calls.get(token, &kind.of(code, what), &[]).await;
                assert!(told_about(refused.refuses(404), kind.code), "{refused:?}");
            }
            let change = json!({"versao": 1, kind.field.0: kind.field.1});
            calls.put(token, &kind.of(code, ""), &change).await.refuses(404);
            let moved = json!({"situacao": kind.situations[1].0});
            calls.put(token, &kind.of(code, "/situacao"), &moved).await.refuses(404);
            calls.post(token, &kind.of(code, "/nota"), &json!({"texto": "x"})).await.refuses(404);
        }
        assert_eq!(each(&kind.list(&calls, &[]).await, "codigo"), [1]);
        assert_eq!(items(&calls.read(&calls.stranger, kind.path, &[]).await), Vec::<Value>::new());
        let all = items(&calls.read(&calls.administrator, kind.path, &[]).await);
        assert_eq!(each(&all, "codigo"), [2, 1]);
        // A program reads the feed within its stores, and nothing else here.
        for what in ["", "/historico"] {
            calls.get(&calls.integration, &kind.of(1, what), &[]).await.refuses(403);
        }
        calls.get(&calls.integration, kind.path, &[]).await.refuses(403);
        calls.post(&calls.integration, kind.path, &kind.body(json!({}))).await.refuses(403);
        calls.put(&calls.integration, &kind.of(1, ""), &json!({"versao": 1})).await.refuses(403);
        calls.put(&calls.integration, &kind.of(1, "/situacao"), &json!({})).await.refuses(403);
        calls.post(&calls.integration, &kind.of(1, "/nota"), &json!({"texto": "x"})).await.refuses(403);
        assert_eq!(each(&feed(&calls, &calls.integration, kind.entity).await, "codigo"), [1]);
        // Into a store that is not his nobody takes anything, nor out of his sight.
        let moved = json!({"versao": 1, "codLoja": 1});
        let refused = calls.put(&calls.operator, &kind.of(1, ""), &moved).await;
        assert!(told_about(refused.refuses(400), "codLoja"), "{refused:?}");
    }
    calls.get(&calls.integration, "/gestao/atrasados", &[]).await.refuses(403);
}

#[both_engines]
async fn whose_it_is_never_changes(world: World) {
    let calls = scene(world).await;
    for kind in &KINDS {
        kind.open(&calls, json!({})).await;
        for person in [json!(2), Value::Null] {
            let refused =
                calls.put(&calls.operator, &kind.of(1, ""), &json!({"versao": 1, "codPessoa": person})).await;
            assert!(told_about(refused.refuses(400), "codPessoa"), "{refused:?}");
        }
        let same =
            calls.put(&calls.operator, &kind.of(1, ""), &json!({"versao": 1, "codPessoa": MEMBER})).await;
        assert_eq!(same.json()["versao"], 1);
    }
}

#[both_engines]
async fn of_eight_who_change_one_record_at_once_one_goes_through(world: World) {
    let calls = scene(world).await;
    for kind in &KINDS {
        kind.open(&calls, json!({})).await;
        let (field, _) = kind.field;
        let path = kind.of(1, "");
        let all = (0..8).map(|number| {
            let body = json!({"versao": 1, field: format!("Versão {number}")});
            let (calls, path) = (&calls, &path);
            async move { calls.put(&calls.operator, path, &body).await }
        });
        let replies = futures_util::future::join_all(all).await;
        let won: Vec<_> = replies.iter().filter(|reply| reply.status == 200).collect();
        assert_eq!(won.len(), 1, "{replies:?}");
        assert_eq!(replies.iter().filter(|reply| reply.status == 409).count(), 7);
        assert_eq!(kind.one(&calls, 1).await, won[0].json());
        // Eight who move it: each that changes it is one entry, and the codes have no gaps.
        let path = kind.of(1, "/situacao");
        let all = (0..8).map(|number| {
            let body = json!({"situacao": kind.situations[number % 2].0});
            let (calls, path) = (&calls, &path);
            async move { calls.put(&calls.operator, path, &body).await.status }
        });
        assert_eq!(futures_util::future::join_all(all).await, [200; 8]);
        let told = items(&calls.read(&calls.operator, &kind.of(1, "/historico"), &[]).await);
        let moves: Vec<_> = told.iter().filter(|one| one["tipo"] == "situacao").cloned().collect();
        assert!((2..=9).contains(&moves.len()), "{moves:?}");
        for pair in moves.windows(2) {
            assert_eq!(pair[0]["depois"], pair[1]["antes"]);
            assert_ne!(pair[1]["antes"], pair[1]["depois"]);
        }
        assert_eq!(kind.one(&calls, 1).await["versao"], 1 + moves.len());
    }
    let all = calls.history(&calls.administrator).await;
    let codes: Vec<i64> = all.iter().map(|one| one["codHistorico"].as_i64().unwrap()).collect();
    assert_eq!(codes, (1..=codes.len() as i64).collect::<Vec<_>>());
    // Eight who open: as many protocols.
    let kind = &KINDS[0];
    let all = (0..8).map(|_| kind.open(&calls, json!({})));
    let opened = futures_util::future::join_all(all).await;
    let mut protocols: Vec<i32> =
        opened.iter().map(|one| one["protocolo"].as_str().unwrap().parse().unwrap()).collect();
    protocols.sort_unstable();
    assert_eq!(protocols, (2..=9).collect::<Vec<_>>());
}

#[both_engines]
async fn a_repeated_key_does_nothing_twice(world: World) {
    let calls = scene(world).await;
    let bearer = format!("Bearer {}", calls.operator);
    let headers =
        [("Authorization", bearer.as_str()), ("Content-Type", "application/json"), ("Idempotency-Key", "um")];
    for kind in &KINDS {
        let moved = json!({"situacao": kind.situations[1].0});
        for (method, path, body) in [
            ("POST", kind.path.to_owned(), kind.body(json!({}))),
            ("POST", kind.of(1, "/nota"), json!({"texto": "x"})),
            ("PUT", kind.of(1, "/situacao"), moved),
            ("PUT", kind.of(1, ""), json!({"versao": 2, kind.field.0: kind.field.1})),
        ] {
            let first = calls.server().call(method, &path, &headers, &body.to_string()).await;
            assert_eq!(first.status, 200, "{first:?}");
            let again = calls.server().call(method, &path, &headers, &body.to_string()).await;
            assert_eq!((again.header("idempotency-replayed"), &again.body), (Some("true"), &first.body));
            let other = calls.server().call(method, &path, &headers, r#"{"codPessoa": 2}"#).await;
            assert_eq!(other.status, 422);
        }
        let now = kind.one(&calls, 1).await;
        assert_eq!((&now["versao"], now["notas"].as_array().unwrap().len()), (&json!(3), 1));
        assert_eq!(kind.list(&calls, &[]).await.len(), 1);
    }
}

#[both_engines]
async fn changes_and_looks_are_audited(world: World) {
    let calls = scene(world).await;
    for kind in &KINDS {
        kind.open(&calls, json!({})).await;
        kind.move_to(&calls, 1, kind.situations[1].0, None).await;
        let change = json!({"versao": 2, kind.field.0: kind.field.1});
        calls.put(&calls.operator, &kind.of(1, ""), &change).await;
        calls.saved(&calls.operator, &kind.of(1, "/nota"), &json!({"texto": "segredo"})).await;
        kind.one(&calls, 1).await;
        kind.list(&calls, &[]).await;
        let all = calls.audited("1").await;
        let template = |what: &str| format!("{}/{{{}}}{what}", kind.path, kind.code);
        let of = |operation: String| {
            all.iter().filter(|one| one["operacao"] == operation).cloned().collect::<Vec<_>>()
        };
        assert_eq!(of(format!("POST {}", kind.path)).len(), 1);
        let changed = of(format!("PUT {}", template("")));
        assert!(
            changed[0]["detalhe"].as_str().unwrap().ends_with(&format!("1 alterado: {}", kind.field.0)),
            "{changed:?}"
        );
        assert!(!changed[0]["detalhe"].to_string().contains(kind.field.1), "never by value");
        assert_eq!(of(format!("PUT {}", template("/situacao"))).len(), 1);
        assert!(!of(format!("POST {}", template("/nota")))[0]["detalhe"].to_string().contains("segredo"));
        for read in [format!("GET {}", template("")), format!("GET {}", kind.path)] {
            assert_eq!(of(read.clone())[0]["tipo"], "leitura", "{read}");
        }
    }
}

#[both_engines]
async fn a_member_who_has_moved_away_needs_a_store_to_be_named(world: World) {
    let calls = scene(world).await;
    // He belongs to branch 1, and is seen by his benefit in branch 2.
    let far = json!({"cpfCnpj": cpf(3), "codPlano": 2, "codLoja": 2});
    calls.saved(&calls.administrator, "/ext/beneficio", &far).await;
    for kind in &KINDS {
        let told = calls.refused(kind.path, &kind.body(json!({"codPessoa": FAR_MEMBER}))).await;
        assert!(told_about(&told, "codLoja"), "{told}");
        let opened = kind.open(&calls, json!({"codPessoa": FAR_MEMBER, "codLoja": 2})).await;
        assert_eq!(opened["codLoja"], 2);
    }
}
