//! `GET /ext/evento` and `GET /ext/evento/{codEvento}`. The interface opens no event, so these are put into the base.

use crate::calls::{AUDIT, Calls, array, cpf, each, items, told_about};
use domain::{
    BenefitCode, BranchCode, CaseHead, Claim, ClaimCode, ClaimTypeCode, Date, Involved, Moment, Money,
    PersonCode, PostalAddress, Priority, SituationCode, TenantId, UserCode, VehicleDetails,
};
use serde_json::{Value, json};
use storage::cases::claims;
use storage::{Error, WriteLane};
use testkit::{World, both_engines};

const EVENTS: &str = "/ext/evento";
/// 14/11/2026 10:32:05 in São Paulo.
const NOON: i64 = 1_794_663_125_000;
const DAY: i64 = 86_400_000;

/// The situations of events begin behind the six of benefits, in either base.
const OPEN: i32 = 7;
const ANALYSED: i32 = 8;

/// An event of a person in a branch, opened so many days before today.
pub fn claim(person: i32, branch: i32, days_ago: i64) -> Claim {
    let opened = Moment::from_millis(NOON - days_ago * DAY);
    let (branch, situation) = (BranchCode::new(branch), SituationCode::new(OPEN));
    Claim {
        head: CaseHead::from_opening(branch, PersonCode::new(person), situation, opened),
        kind: ClaimTypeCode::new(1),
        involved: Involved::Member,
        priority: Priority::Low,
        description: None,
        happened_on: None,
        driver: None,
        place: PostalAddress::default(),
        vehicle: VehicleDetails::default(),
    }
}

/// An event of the second member, opened at this moment.
fn opened_at(millis: i64) -> Claim {
    let head = CaseHead { opened_at: Moment::from_millis(millis), ..claim(2, 2, 0).head };
    Claim { head, ..claim(2, 2, 0) }
}

/// Puts events into a base, with the codes from 1 and protocols from 4711, and which belong to which.
pub async fn put(world: &World, tenant: TenantId, all: Vec<Claim>, related: &[(i32, i32)]) {
    let pairs: Vec<_> =
        related.iter().map(|(from, to)| (ClaimCode::new(*from), ClaimCode::new(*to))).collect();
    let all: Vec<(ClaimCode, Claim)> = (1..)
        .zip(all)
        .map(|(code, mut one)| {
            one.head.protocol = 4710 + code;
            (ClaimCode::new(code), one)
        })
        .collect();
    let written =
        world.db().write(WriteLane::foreground(tenant), (tenant, all, pairs), |tx, (tenant, all, pairs)| {
            Box::pin(async move {
                tx.execute_batch(claims::insert_claims(*tenant, all.iter().map(|(code, one)| (*code, one))))
                    .await?;
                tx.execute_batch(claims::insert_claim_relations(*tenant, pairs.iter().copied())).await?;
                Ok::<_, Error>(())
            })
        });
    written.await.unwrap();
}

/// Members 1 and 2 in the operator's branch, and one in the other base with code 1.
async fn peopled(world: World) -> Calls {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    calls.member(2).await;
    let there = json!({"nomePessoa": "Alguém Ali", "cpfCnpj": cpf(1)});
    calls.saved(&calls.stranger, "/ext/associado", &there).await;
    calls
}

async fn codes(calls: &Calls, token: &str, query: &[(&str, &str)]) -> Vec<Value> {
    each(&array(&calls.read(token, EVENTS, query).await), "codEvento")
}

#[both_engines]
async fn without_a_parameter_every_event_comes_newest_opening_first(world: World) {
    let calls = peopled(world).await;
    assert_eq!(calls.read(&calls.operator, EVENTS, &[]).await, json!([]));
    // More than are read at once, some of them opened at the same moment.
    let all: Vec<Claim> = (0..1_203).map(|number| claim(1 + number % 2, 2, i64::from(number / 3))).collect();
    put(&calls.world, calls.world.here, all, &[]).await;
    let found = codes(&calls, &calls.operator, &[]).await;
    let mut wanted: Vec<i32> = (1..=1_203).collect();
    wanted.sort_by_key(|code| ((code - 1) / 3, std::cmp::Reverse(*code)));
    assert_eq!(found, wanted.iter().map(|code| json!(code)).collect::<Vec<_>>());
    assert_eq!(codes(&calls, &calls.administrator, &[]).await, found);
    assert_eq!(codes(&calls, &calls.integration, &[]).await, found);
}

#[both_engines]
async fn an_event_in_the_list_has_every_key_byte_for_byte(world: World) {
    let calls = peopled(world).await;
    let responsible = Some(UserCode::new(calls.world.operator.code.get()));
    let head = CaseHead { situation: SituationCode::new(ANALYSED), responsible, ..claim(1, 2, 0).head };
    let full = Claim {
        head,
        happened_on: Date::from_iso("2026-11-13"),
        priority: Priority::Medium,
        ..claim(1, 2, 0)
    };
    put(&calls.world, calls.world.here, vec![full, claim(2, 2, 1)], &[]).await;
    let body = calls.get(&calls.operator, EVENTS, &[]).await.body;
    assert_eq!(body, include_str!("golden/eventos.json").trim_end());
}

#[both_engines]
async fn each_parameter_narrows_the_events_and_intervals_include_both_ends(world: World) {
    let calls = peopled(world).await;
    let all = vec![
        Claim { happened_on: Date::from_iso("2026-11-10"), ..claim(1, 2, 0) },
        Claim { happened_on: Date::from_iso("2026-11-12"), involved: Involved::ThirdParty, ..claim(1, 2, 1) },
        Claim { happened_on: Date::from_iso("2026-11-14"), ..claim(2, 2, 2) },
        // Twenty minutes before midnight and half an hour after it, as the association's clocks show.
        opened_at(1_794_096_000_000 - 1_200_000 + 3 * 3_600_000),
        opened_at(1_794_096_000_000 + 1_800_000 + 3 * 3_600_000),
    ];
    put(&calls.world, calls.world.here, all, &[]).await;
    let document = cpf(2);
    for (query, wanted) in [
        (vec![("envolvido", "Terceiro")], vec![2]),
        (vec![("envolvido", "Cliente")], vec![1, 3, 5, 4]),
        (vec![("dataEventoInicial", "12/11/2026")], vec![2, 3]),
        (vec![("dataEventoFinal", "12/11/2026")], vec![1, 2]),
        (vec![("dataEventoInicial", "10/11/2026"), ("dataEventoFinal", "10/11/2026")], vec![1]),
        (vec![("dataAberturaInicial", "13/11/2026")], vec![1, 2]),
        (vec![("dataAberturaFinal", "08/11/2026")], vec![5, 4]),
        (vec![("dataAberturaInicial", "08/11/2026"), ("dataAberturaFinal", "08/11/2026")], vec![5]),
        (vec![("dataAberturaFinal", "07/11/2026")], vec![4]),
        (vec![("protocolo", "4712")], vec![2]),
        (vec![("protocolo", "04712")], vec![]),
        (vec![("protocolo", "471")], vec![]),
        (vec![("protocolo", "abc")], vec![]),
        (vec![("codPessoa", "1")], vec![1, 2]),
        (vec![("codPessoa", "99")], vec![]),
        (vec![("cpfCnpj", &document)], vec![3, 5, 4]),
        (vec![("cpfCnpj", &document), ("codPessoa", "2"), ("dataEventoFinal", "14/11/2026")], vec![3]),
        (vec![("cpfCnpj", &document), ("codPessoa", "1")], vec![]),
        (vec![("cpfCnpj", "111.111.111-11")], vec![]),
        (vec![("protocolo", "4712"), ("codPessoa", "2")], vec![]),
        (
            vec![("protocolo", ""), ("envolvido", ""), ("cpfCnpj", ""), ("desconhecido", "x")],
            vec![1, 2, 3, 5, 4],
        ),
    ] {
        let wanted: Vec<Value> = wanted.into_iter().map(|code: i32| json!(code)).collect();
        assert_eq!(codes(&calls, &calls.operator, &query).await, wanted, "{query:?}");
        assert_eq!(codes(&calls, &calls.administrator, &query).await, wanted, "{query:?}");
    }
}

#[both_engines]
async fn parameters_of_events_that_cannot_be_are_refused_together(world: World) {
    let calls = Calls::on(world).await;
    let query = [
        ("envolvido", "cliente"),
        ("dataAberturaInicial", "2026-11-14"),
        ("dataEventoFinal", "31/02/2026"),
        ("codPessoa", "x"),
        ("pagina", "0"),
    ];
    let reply = calls.get(&calls.operator, EVENTS, &query).await;
    let refusal = reply.refuses(400);
    for (field, _) in query {
        assert!(told_about(refusal, field), "{field}: {refusal}");
    }
    assert!(refusal.contains("Cliente") && refusal.contains("Terceiro"), "{refusal}");
}

#[both_engines]
async fn pages_of_events_are_optional_and_say_where_the_others_are(world: World) {
    let calls = peopled(world).await;
    put(&calls.world, calls.world.here, (0..205).map(|day| claim(1, 2, day)).collect(), &[]).await;
    let mut joined = Vec::new();
    for (page, links) in [
        (
            "1",
            r#"<?envolvido=Cliente&pagina=1>; rel="first", <?envolvido=Cliente&pagina=2>; rel="next", <?envolvido=Cliente&pagina=3>; rel="last""#,
        ),
        (
            "2",
            r#"<?envolvido=Cliente&pagina=1>; rel="first", <?envolvido=Cliente&pagina=1>; rel="prev", <?envolvido=Cliente&pagina=3>; rel="next", <?envolvido=Cliente&pagina=3>; rel="last""#,
        ),
        (
            "3",
            r#"<?envolvido=Cliente&pagina=1>; rel="first", <?envolvido=Cliente&pagina=2>; rel="prev", <?envolvido=Cliente&pagina=3>; rel="last""#,
        ),
        (
            "9",
            r#"<?envolvido=Cliente&pagina=1>; rel="first", <?envolvido=Cliente&pagina=3>; rel="prev", <?envolvido=Cliente&pagina=3>; rel="last""#,
        ),
        (
            "2147483647",
            r#"<?envolvido=Cliente&pagina=1>; rel="first", <?envolvido=Cliente&pagina=3>; rel="prev", <?envolvido=Cliente&pagina=3>; rel="last""#,
        ),
    ] {
        let reply = calls.get(&calls.operator, EVENTS, &[("pagina", page), ("envolvido", "Cliente")]).await;
        assert_eq!(reply.header("x-total-count"), Some("205"), "{reply:?}");
        assert_eq!(reply.header("link"), Some(links));
        let rows = array(&reply.json());
        assert_eq!(
            rows.len(),
            match page {
                "1" | "2" => 100,
                "3" => 5,
                _ => 0,
            }
        );
        joined.extend(each(&rows, "codEvento"));
    }
    assert_eq!(joined, codes(&calls, &calls.operator, &[]).await);
    let empty = calls.get(&calls.operator, EVENTS, &[("pagina", "1"), ("protocolo", "1")]).await;
    assert_eq!((empty.header("x-total-count"), empty.body.as_str()), (Some("0"), "[]"));
}

#[both_engines]
async fn events_out_of_reach_are_not_found_counted_or_read(world: World) {
    let calls = peopled(world).await;
    let here = [1, 2, 3, 1].into_iter().zip(0..).map(|(branch, day)| claim(1, branch, day)).collect();
    put(&calls.world, calls.world.here, here, &[]).await;
    put(&calls.world, calls.world.there, vec![claim(1, 2, 0)], &[]).await;
    assert_eq!(codes(&calls, &calls.operator, &[]).await, [json!(2)]);
    assert_eq!(codes(&calls, &calls.integration, &[]).await, [json!(2), json!(3)]);
    assert_eq!(codes(&calls, &calls.administrator, &[]).await, [json!(1), json!(2), json!(3), json!(4)]);
    for query in [("codPessoa", "1"), ("protocolo", "4711"), ("cpfCnpj", &*cpf(1))] {
        let found = codes(&calls, &calls.operator, &[query]).await;
        assert!(found.iter().all(|code| *code == json!(2)), "{query:?}: {found:?}");
    }
    let page = calls.get(&calls.operator, EVENTS, &[("pagina", "1")]).await;
    assert_eq!(page.header("x-total-count"), Some("1"));
    let stranger = calls.read(&calls.stranger, EVENTS, &[]).await;
    assert_eq!(stranger[0]["tipoEvento"], "Consulta Ali");
    assert_eq!(stranger[0]["nomePessoa"], "Alguém Ali");
    for code in ["1", "3", "99"] {
        let path = format!("{EVENTS}/{code}");
        let refused = calls.get(&calls.operator, &path, &[]).await;
        assert!(told_about(refused.refuses(404), "codEvento"), "{refused:?}");
    }
    calls.get(&calls.operator, "/ext/evento/um", &[]).await.refuses(400);
}

#[both_engines]
async fn an_event_comes_with_everything_in_it_byte_for_byte(world: World) {
    let calls = Calls::on(world).await;
    let ana = json!({"nomePessoa": "Ana Souza", "cpfCnpj": "529.982.247-25", "email": "ana@exemplo.com.br",
        "sexo": "Feminino", "dataNascimento": "1988-03-25", "identidade": "12.345.678-9", "orgaoExpedidor": "SSP/SP",
        "dataExpedicao": "10/05/2010", "numeroCnh": "01234567890", "categoriaCnh": "AB", "validadeCnh": "10/05/2030",
        "telefones": [{"numero": "11987654321"}, {"numero": "1133334444"}],
        "endereco": {"bairro": "Bela Vista", "cep": "01310100", "cidade": "São Paulo", "logradouro": "Paulista",
            "numero": "1578", "tipoEndereco": "Residencial", "tipoLogradouro": "Avenida", "uf": "SP"}});
    calls.saved(&calls.operator, "/ext/associado", &ana).await;
    calls.member(2).await;
    let vehicle = json!({"codPlano": 1, "cpfCnpj": "529.982.247-25", "placa": "ABC1D23"});
    calls.saved(&calls.operator, "/ext/beneficio/veicular", &vehicle).await;
    let head = CaseHead {
        benefit: Some(BenefitCode::new(1)),
        situation: SituationCode::new(ANALYSED),
        responsible: Some(UserCode::new(calls.world.operator.code.get())),
        ..claim(1, 2, 0).head
    };
    let full = Claim {
        head,
        priority: Priority::Urgent,
        happened_on: Date::from_iso("2026-11-13"),
        driver: Some(PersonCode::new(2)),
        place: PostalAddress {
            street_kind: Some("Rua".to_owned()),
            street: Some("Augusta".to_owned()),
            city: Some("São Paulo".to_owned()),
            state: Some("SP".to_owned()),
            ..PostalAddress::default()
        },
        vehicle: VehicleDetails {
            plate: Some(domain::Plate::parse("ABC1D23").unwrap()),
            brand: Some("FIAT".to_owned()),
            model: Some("ARGO 1.0".to_owned()),
            kind: Some(domain::VehicleTypeCode::new(1)),
            worth: Money::from_cents(7_850_000),
            ..VehicleDetails::default()
        },
        ..claim(1, 2, 0)
    };
    let twin = Claim { involved: Involved::ThirdParty, ..claim(1, 2, 1) };
    put(&calls.world, calls.world.here, vec![full, twin], &[(1, 2)]).await;
    let body = calls.get(&calls.operator, "/ext/evento/1", &[]).await.body;
    assert_eq!(body, include_str!("golden/evento.json").trim_end());
}

/// The codes of an event and of those below it: `1(2(3))`.
fn tree(event: &Value) -> String {
    let below: Vec<String> = array(&event["relacionados"]).iter().map(tree).collect();
    let code = &event["codEvento"];
    if below.is_empty() { code.to_string() } else { format!("{code}({})", below.join(" ")) }
}

#[both_engines]
async fn related_events_come_three_levels_deep_and_a_loop_ends(world: World) {
    let calls = peopled(world).await;
    let all = (0..8).map(|number| claim(1, if number == 7 { 1 } else { 2 }, number)).collect();
    // A ring of three, a chain of five, itself, and one that the operator may not see.
    let related = [(1, 2), (2, 3), (3, 1), (3, 4), (4, 5), (5, 6), (6, 7), (1, 1), (1, 8), (2, 1), (4, 3)];
    put(&calls.world, calls.world.here, all, &related).await;
    let whole =
        async |token: &str, code: i32| tree(&calls.read(token, &format!("{EVENTS}/{code}"), &[]).await);
    assert_eq!(whole(&calls.operator, 1).await, "1(2(3(4)))");
    assert_eq!(whole(&calls.administrator, 1).await, "1(2(3(4)) 8)");
    assert_eq!(whole(&calls.operator, 2).await, "2(1 3(1 4(5)))");
    assert_eq!(whole(&calls.operator, 3).await, "3(1(2) 4(5(6)))");
    assert_eq!(whole(&calls.operator, 4).await, "4(3(1(2)) 5(6(7)))");
    assert_eq!(whole(&calls.operator, 7).await, "7");
}

#[both_engines]
async fn looking_at_events_leaves_a_look_at_the_people_in_them(world: World) {
    let calls = peopled(world).await;
    let driven = Claim { driver: Some(PersonCode::new(2)), ..claim(1, 2, 0) };
    put(&calls.world, calls.world.here, vec![driven], &[]).await;
    calls.read(&calls.operator, EVENTS, &[]).await;
    calls.read(&calls.operator, "/ext/evento/1", &[]).await;
    for app in calls.world.processes() {
        app::audit::access_log::flush_access_log(app).await.unwrap();
    }
    let looks = items(&calls.read(&calls.administrator, AUDIT, &[]).await);
    let seen_by = |operation: &str| {
        let own = looks.iter().filter(|one| one["operacao"] == operation);
        let mut people: Vec<i64> = own
            .flat_map(|one| each(one["pessoas"].as_array().unwrap(), "codPessoa"))
            .map(|code| code.as_i64().unwrap())
            .collect();
        people.sort_unstable();
        people
    };
    assert_eq!(seen_by("GET /ext/evento"), [1]);
    assert_eq!(seen_by("GET /ext/evento/{codEvento}"), [1, 2]);
}
