//! Any combination of the member search's parameters finds what a naive reader would filter out of all rows, in their
//! order, for any caller: however the search is led, it is the same search.

use crate::calls::{BENEFITS, Calls, MEMBERS, VEHICLES, array, car, cpf, health, items};
use crate::contract::properties::{check, finds};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::time::Duration;
use testkit::{World, both_engines};

/// What is asked for: some parameters, by some caller.
type Asked = (usize, Vec<(&'static str, &'static str)>);

const PEOPLE: u32 = 36;
const NAMES: [&str; 6] = ["João da Silva", "Joana Prado", "Ana Silva", "Zoé Araújo", "José Prado", "Anna Sá"];
const BIRTHS: [&str; 3] = ["25/03/1988", "29/02/1988", "01/01/2000"];
const STATES: [&str; 3] = ["SP", "RJ", "MG"];
const SITUATIONS: [&str; 5] = ["ATIVO", "PENDENTE", "INADIMPLENTE", "SUSPENSO", "INATIVO"];

/// Members and benefits of three days, in three stores, of which no two are alike in everything.
async fn varied(world: World) -> Calls {
    let mut calls = Calls::on(world).await;
    for day in 0..3 {
        for number in (0..PEOPLE).filter(|number| number % 3 == day) {
            let mut person = json!({"nomePessoa": NAMES[number as usize % 6], "cpfCnpj": cpf(number),
                "codLoja": number / 3 % 3 + 1, "dataNascimento": BIRTHS[number as usize / 2 % 3]});
            if number % 4 > 0 {
                person["endereco"] = json!({"uf": STATES[number as usize % 4 - 1]});
            }
            if number % 5 == 0 {
                person["codConsultor"] = json!(1);
            }
            calls.saved(&calls.administrator, MEMBERS, &person).await;
        }
        for number in 0..PEOPLE {
            let holder = number / 3 * 3 % (day + 1).max(1) + number / 3 * 3;
            let more = json!({"codLoja": (number + day) % 3 + 1, "situacao": SITUATIONS[(number + day) as usize % 5]});
            if number % 6 == 5 || holder >= PEOPLE {
                continue;
            }
            let (path, mut body) = match number % 3 {
                0 => (VEHICLES, car(holder, &format!("ABC{day}D{number:02}"), more)),
                kind => (BENEFITS, health(holder, crate::calls::with(json!({"codPlano": kind + 1}), more))),
            };
            if number % 7 == 0 {
                body["codRepresentante"] = json!(2);
            }
            calls.saved(&calls.administrator, path, &body).await;
        }
        calls.world.clock.pass(Duration::from_hours(24));
        calls = Calls::on(calls.world).await;
    }
    calls
}

/// Whether a row is what a parameter asks for.
fn fits(row: &Value, name: &str, value: &str) -> bool {
    let text = |field: &str| row[field].as_str().unwrap_or_default().to_owned();
    let day = |field: &str| iso(&text(field));
    let is_code = |code: &Value| code.as_i64() == value.parse().ok();
    match name {
        "nome" => finds(value, &text("nomePessoa")),
        "cpf" | "cnpj" => text("cpfCnpj") == value,
        "codPessoa" | "codLoja" | "codConsultor" | "codRepresentante" => is_code(&row[name]),
        "dataCadastroInicial" => day("dataCadastro") >= iso(value),
        "dataCadastroFinal" => day("dataCadastro") <= iso(value),
        "dataNascimento" => text("dataNascimento") == value,
        "dataAtualizacao" => day("dataAtualizacao") >= iso(value),
        "situacaoBeneficio" => value == "Todos" || text("situacao") == value,
        "placa" => text("placa") == value,
        "codPlano" => {
            !row["planos"].is_null() && array(&row["planos"]).iter().any(|plan| is_code(&plan["codPlano"]))
        }
        "uf" => row["endereco"]["uf"] == value,
        _ => panic!("{name} is no parameter"),
    }
}

fn iso(day: &str) -> String {
    let parts: Vec<&str> = day.split('/').rev().collect();
    parts.join("-")
}

fn asked() -> impl Strategy<Value = Asked> {
    let one = |pairs: &[(&'static str, &'static str)]| Just(pairs.to_vec());
    let days = ["13/11/2026", "14/11/2026", "15/11/2026", "16/11/2026", "17/11/2026"];
    let day = || prop::sample::select(days.to_vec());
    let among = |name: &'static str, values: &[&'static str]| {
        prop::sample::select(values.to_vec()).prop_map(move |value| vec![(name, value)])
    };
    let enough = prop_oneof![
        3 => one(&[("situacaoBeneficio", "Todos")]),
        2 => among("situacaoBeneficio", &SITUATIONS),
        2 => among("nome", &["jo", "silva", "a", "prado j", "zoe", "sa ann", "x"]),
        2 => (day(), day()).prop_map(|(from, to)| vec![("dataCadastroInicial", from), ("dataCadastroFinal", to)]),
        1 => among("dataNascimento", &BIRTHS),
        1 => among("placa", &["ABC0D00", "ABC1D03", "ABC2D06", "XYZ1A11"]),
        1 => among("codPessoa", &["1", "7", "13", "99"]),
        1 => (0..PEOPLE, any::<bool>()).prop_map(|(number, as_cpf)| {
            vec![(if as_cpf { "cpf" } else { "cnpj" }, &*cpf(number).leak())]
        }),
    ];
    let further = prop_oneof![
        among("codLoja", &["1", "2", "3", "9"]),
        among("codConsultor", &["1", "3"]),
        among("codRepresentante", &["2"]),
        day().prop_map(|from| vec![("dataAtualizacao", from)]),
        among("codPlano", &["1", "2", "3", "4", "7"]),
        among("uf", &["SP", "RJ", "MG", "AC"]),
    ];
    let enough = prop::collection::vec(enough, 1..4);
    (0..3usize, enough, prop::collection::vec(further, 0..3)).prop_map(|(caller, enough, further)| {
        let mut query: Vec<(&str, &str)> = Vec::new();
        for (name, value) in enough.into_iter().chain(further).flatten() {
            if !query.iter().any(|(known, _)| *known == name) {
                query.push((name, value));
            }
        }
        (caller, query)
    })
}

#[both_engines]
async fn any_combination_of_parameters_finds_what_a_naive_reader_would_filter(world: World) {
    let calls = varied(world).await;
    let whole = calls.read(&calls.administrator, MEMBERS, &[("situacaoBeneficio", "Todos")]).await;
    let mut rows = items(&whole);
    assert_eq!(whole["proximaPagina"], true, "more than a page: {}", whole["quantidade"]);
    let second = [("situacaoBeneficio", "Todos"), ("pagina", "2")];
    rows.extend(items(&calls.read(&calls.administrator, MEMBERS, &second).await));
    let callers =
        [(&calls.administrator, &[1, 2, 3][..]), (&calls.operator, &[2]), (&calls.integration, &[2, 3])];
    check(120, &asked(), async |(caller, query)| {
        let (token, stores) = callers[caller];
        let wanted: Vec<Value> = rows
            .iter()
            .filter(|row| stores.contains(&row["codLoja"].as_i64().unwrap()))
            .filter(|row| query.iter().all(|(name, value)| fits(row, name, value)))
            .cloned()
            .collect();
        let found = calls.read(token, MEMBERS, &query).await;
        prop_assert_eq!(&found["quantidade"], &json!(wanted.len()), "{:?}", query);
        prop_assert_eq!(items(&found), wanted.into_iter().take(100).collect::<Vec<_>>(), "{:?}", query);
        Ok(())
    });
}
