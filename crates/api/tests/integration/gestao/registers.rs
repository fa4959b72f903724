//! The life of a record, over the description of every register.

use crate::calls::{Calls, items, told_about, with};
use registers::{REGISTERS, Register};
use serde_json::{Value, json};
use std::time::Duration;
use testkit::{World, both_engines};

pub fn at(register: &Register, code: &Value) -> String {
    format!("/gestao/{}/{code}", register.path)
}

pub fn all_at(register: &Register) -> String {
    format!("/gestao/{}", register.path)
}

/// The record that the examples of the description make.
pub fn example(register: &Register) -> Value {
    let mut body = json!({register.code: register.example});
    for field in register.fields.iter().filter(|field| field.is_input()) {
        body[field.name] = serde_json::from_str(field.example).unwrap();
    }
    body
}

/// Another one that is unlike it where it must be. The code is left to be counted, where something counts it.
pub fn another(register: &Register, number: i32) -> Value {
    let mut body = example(register);
    let fields = body.as_object_mut().unwrap();
    for name in ["cpfCnpj", "crm", "imei", "codRastreador", "principal"] {
        fields.remove(name);
    }
    for name in ["nome", "numeroSerie"] {
        if let Some(Value::String(text)) = fields.get(name).cloned() {
            fields.insert(name.to_owned(), json!(format!("{text} {number}")));
        }
    }
    // Each holiday has a day of its own.
    if register.path == "feriado" {
        fields.insert("data".to_owned(), json!(format!("{:02}/02/2027", number % 28 + 1)));
    }
    // Nor do two prices or rules stand for the same.
    if register.path == "tabelaPreco" {
        fields.insert("validoDesde".to_owned(), json!(format!("{:02}/02/2027", number % 28 + 1)));
    }
    if register.path == "regraCobranca" {
        fields.insert("ativo".to_owned(), json!(false));
    }
    match register.counter {
        Some(_) => drop(fields.remove(register.code)),
        None => drop(fields.insert(register.code.to_owned(), json!(register.example + number))),
    }
    body
}

/// What the list must be narrowed by, where it must.
pub fn narrowing(register: &Register) -> Vec<(&'static str, &'static str)> {
    register.filters.iter().filter(|_| register.needs_filter).take(1).map(|name| (*name, "1")).collect()
}

/// A member of the operator's branch with a vehicle: what installations and cards are of.
pub async fn member_with_vehicle(calls: &Calls) {
    calls.member(1).await;
    let saved = calls.car(1, "ABC1D23", json!({})).await;
    assert_eq!(saved["codBeneficio"], 1);
}

/// What of a record is changed in its life: a text, where it has one.
fn changed(register: &Register) -> Value {
    let name = ["nome", "localInstalacao", "modelo", "bandeira"]
        .into_iter()
        .find(|name| register.find_field(name).is_some());
    name.map_or(json!({}), |name| json!({name: "Outro Ângulo"}))
}

#[both_engines]
async fn every_register_lives(world: World) {
    let calls = Calls::on(world).await;
    member_with_vehicle(&calls).await;
    for register in REGISTERS {
        let record = is_added(&calls, register).await;
        is_read_and_found(&calls, register, &record).await;
        is_changed(&calls, register, &record).await;
        is_retired_and_comes_back(&calls, register).await;
    }
}

async fn is_added(calls: &Calls, register: &Register) -> Value {
    let (by, path) = (&calls.administrator, all_at(register));
    let body = example(register);
    let added = calls.post(by, &path, &body).await;
    assert_eq!(added.status, 200, "{path} {body}: {added:?}");
    // Every field of the description, in its order.
    let mut from = 0;
    let shown = register.fields.iter().filter(|field| field.is_visible()).map(|field| field.name);
    for name in std::iter::once(register.code).chain(shown).chain([
        "ativo",
        "versao",
        "dataCadastro",
        "dataAtualizacao",
    ]) {
        let key = format!("\"{name}\":");
        from += added.body[from..].find(&key).unwrap_or_else(|| panic!("{name} in {}", added.body)) + 1;
    }
    let record = added.json();
    assert_eq!(record[register.code], register.example, "{path}");
    assert_eq!((&record["ativo"], &record["versao"]), (&json!(true), &json!(1)), "{path}");
    assert_eq!(record["dataCadastro"], record["dataAtualizacao"], "{path}");
    for field in register.fields.iter().filter(|field| field.is_input() && field.is_visible()) {
        let of_tracker = register.path == "instalacao" && record["codRastreador"] == 70;
        if field.example != "null" && !of_tracker {
            assert_eq!(record[field.name], body[field.name], "{path} {}", field.name);
        }
    }
    // The code is kept, and is nobody else's.
    let taken =
        calls.post(by, &path, &with(another(register, 1), json!({register.code: register.example}))).await;
    assert!(told_about(taken.refuses(409), register.code), "{path}: {taken:?}");
    let next = calls.saved(by, &path, &another(register, 1)).await;
    assert_eq!(
        next[register.code],
        register.example + 1,
        "{path}: the counter moved past the code that was given"
    );
    for code in [json!(0), json!(-1), json!(2_147_483_648_i64), json!("x")] {
        let bad = calls.post(by, &path, &with(another(register, 2), json!({register.code: code}))).await;
        assert!(told_about(bad.refuses(400), register.code), "{path} {code}: {bad:?}");
    }
    record
}

async fn is_read_and_found(calls: &Calls, register: &Register, record: &Value) {
    let (by, path) = (&calls.administrator, all_at(register));
    let code = &record[register.code];
    assert_eq!(calls.read(by, &at(register, code), &[]).await, *record, "{path}");
    let found = async |token: &str, more: &[(&str, &str)]| {
        let mut query = narrowing(register);
        query.extend(more);
        items(&calls.read(token, &path, &query).await)
    };
    assert!(found(by, &[]).await.contains(record), "{path}");
    let text = code.to_string();
    let known = match register.fields.iter().find(|field| field.searched) {
        Some(field) => record[field.name].as_str().unwrap_or(&text).to_uppercase(),
        None if register.path == "rastreador" => record["numeroSerie"].as_str().unwrap().to_lowercase(),
        None => text,
    };
    assert!(found(by, &[("filtro", &known)]).await.contains(record), "{path} {known}");
    assert!(found(by, &[("filtro", "nada disto")]).await.is_empty(), "{path}");
    assert!(found(by, &[("ativo", "true")]).await.contains(record), "{path}");
    assert!(!found(by, &[("ativo", "false")]).await.contains(record), "{path}");
    let mut query = narrowing(register);
    query.push(("pagina", "2"));
    let page = calls.read(by, &path, &query).await;
    assert_eq!((&page["paginaAtual"], &page["proximaPagina"]), (&json!(2), &json!(false)), "{path}");
    query.pop();
    query.extend([("pagina", "0"), ("ativo", "talvez")]);
    let refused = calls.get(by, &path, &query).await;
    let told = refused.refuses(400);
    assert!(told_about(told, "pagina") && told_about(told, "ativo"), "{path}: {told}");
    // Another association with the same codes, and codes that are none.
    let elsewhere = calls.get(&calls.stranger, &at(register, code), &[]).await;
    assert!(told_about(elsewhere.refuses(404), register.code), "{path}");
    let there = found(&calls.stranger, &[]).await;
    assert!(there.iter().all(|one| one[register.code] != *code), "{path}: {there:?}");
    calls.get(by, &format!("{path}/x"), &[]).await.refuses(400);
    calls.get(by, &format!("{path}/31337"), &[]).await.refuses(404);
}

async fn is_changed(calls: &Calls, register: &Register, record: &Value) {
    let (by, path) = (&calls.administrator, at(register, &record[register.code]));
    let change = changed(register);
    calls.world.clock.pass(Duration::from_mins(1));
    // The same again changes nothing.
    let same = calls.put(by, &path, &with(record.clone(), json!({"versao": 1}))).await;
    assert_eq!((same.status, same.json()["versao"].clone()), (200, json!(1)), "{path}: {same:?}");
    let bare = calls.put(by, &path, &change).await;
    assert!(told_about(bare.refuses(400), "versao"), "{path}: {bare:?}");
    let unknown =
        calls.put(by, &at(register, &json!(31337)), &with(change.clone(), json!({"versao": 1}))).await;
    assert!(told_about(unknown.refuses(404), register.code), "{path}: {unknown:?}");
    calls.put(by, &at(register, &json!(31337)), &json!({})).await.refuses(400);
    let moved = calls.put(by, &path, &json!({register.code: register.example + 1, "versao": 1})).await;
    assert!(told_about(moved.refuses(409), register.code), "{path}: {moved:?}");
    let Some((name, value)) = change.as_object().unwrap().iter().next() else { return };
    let reply = calls.put(by, &path, &with(change.clone(), json!({"versao": 1}))).await;
    assert_eq!(reply.status, 200, "{path}: {reply:?}");
    let now = reply.json();
    assert_eq!((&now[name], &now["versao"]), (value, &json!(2)), "{path}");
    assert_ne!(now["dataAtualizacao"], record["dataAtualizacao"], "{path}");
    assert_eq!(now["dataCadastro"], record["dataCadastro"], "{path}");
    for field in register.fields.iter().filter(|field| field.is_visible() && field.name != name) {
        assert_eq!(now[field.name], record[field.name], "{path} {}: absent stays", field.name);
    }
    // Whoever has read the first version is told of both, and changes nothing.
    let old = calls.put(by, &path, &json!({name: "Outra ainda", "versao": 1})).await;
    let told = old.refuses(409);
    assert!(told.lines().next().unwrap().contains("nada foi gravado"), "{path}: {told}");
    let line = told.lines().find(|line| line.starts_with(&format!("{name}: "))).unwrap();
    assert!(line.contains("Outra ainda") && line.contains("Outro Ângulo"), "{path}: {told}");
    assert_eq!(calls.read(by, &path, &[]).await, now, "{path}");
}

async fn is_retired_and_comes_back(calls: &Calls, register: &Register) {
    let (by, path) = (&calls.administrator, at(register, &json!(register.example)));
    for active in [false, true] {
        let version = calls.read(by, &path, &[]).await["versao"].clone();
        let reply = calls.put(by, &path, &json!({"ativo": active, "versao": version})).await;
        assert_eq!(reply.status, 200, "{path} {active}: {reply:?}");
        assert_eq!(reply.json()["ativo"], active, "{path}");
        let mut query = narrowing(register);
        query.push(("ativo", "false"));
        let retired = items(&calls.read(by, &all_at(register), &query).await);
        assert_eq!(retired.iter().any(|one| one[register.code] == register.example), !active, "{path}");
    }
}

/// A shape never changes in silence, nor differs between the engines.
#[both_engines]
async fn the_records_of_registers_byte_for_byte(world: World) {
    let calls = Calls::on(world).await;
    member_with_vehicle(&calls).await;
    let mut all = String::new();
    for register in REGISTERS {
        let reply = calls.post(&calls.administrator, &all_at(register), &example(register)).await;
        assert_eq!(reply.status, 200, "{reply:?}");
        all.push_str(&format!("{} {}\n", register.words.all_at, reply.body));
    }
    insta::assert_snapshot!("records_of_registers", all);
}

#[both_engines]
async fn what_is_wrong_with_a_record_is_told_at_once_and_nothing_is_stored(world: World) {
    let calls = Calls::on(world).await;
    for register in REGISTERS {
        let path = all_at(register);
        let empty = calls.post(&calls.administrator, &path, &json!({})).await;
        let told = empty.refuses(400).to_owned();
        let required =
            register.fields.iter().filter(|field| field.need == registers::FieldRequirement::Required);
        for field in required {
            assert!(told_about(&told, field.name), "{path} {}: {told}", field.name);
        }
        for body in ["", "[]", "{", "7"] {
            calls.server().write(&path, &calls.administrator, body).await.refuses(400);
        }
    }
    // What can be read is judged beside what cannot.
    let bad = json!({"nome": 7, "tipo": "Caixeiro", "codLoja": 99, "cpfCnpj": "1", "uf": "XX"});
    let refused = calls.post(&calls.administrator, "/gestao/vendedor", &bad).await;
    let told = refused.refuses(400);
    for field in ["nome", "tipo", "codLoja", "cpfCnpj", "uf"] {
        assert_eq!(told.lines().filter(|line| line.starts_with(&format!("{field}: "))).count(), 1, "{told}");
    }
    assert_eq!(calls.count("sellers").await, 4);
}

#[both_engines]
async fn a_change_of_a_register_is_seen_through_the_interface_at_once(world: World) {
    let calls = Calls::on(world).await;
    let by = &calls.administrator;
    let seen = async |path: &str, query: &[(&str, &str)], name: &str| {
        calls.read(by, path, query).await.to_string().contains(name)
    };
    for (path, query, register) in [
        ("/ext/administracao/loja", vec![], "loja"),
        ("/ext/administracao/vendedor", vec![], "vendedor"),
        ("/ext/administracao/fornecedor/70", vec![], "fornecedor"),
        ("/ext/administracao/campos/0", vec![], "campoAdicional"),
        ("/ext/beneficio/tipoVeiculo", vec![], "tipoVeiculo"),
        ("/ext/crm/funil", vec![], "etapa"),
        ("/ext/financeiro/tipoTitulo", vec![], "tipoTitulo"),
        ("/ext/financeiro/formaPagamento", vec![], "formaPagamento"),
        ("/ext/financeiro/tipoLiquidacao", vec![], "tipoLiquidacao"),
    ] {
        let register = registers::find_register(register).unwrap();
        let body = example(register);
        calls.saved(by, &all_at(register), &body).await;
        assert!(seen(path, &query, body["nome"].as_str().unwrap()).await, "{path}");
    }
    calls.saved(by, "/gestao/vencimento", &json!({"dia": 12})).await;
    assert!(seen("/ext/beneficio/vencimento", &[], "{\"dia\":12}").await);
    let situation =
        json!({"entidade": "beneficio", "nome": "Em cobrança", "tipo": "SUSPENSO", "corDestaque": "#123456"});
    calls.saved(by, "/gestao/situacao", &situation).await;
    assert!(seen("/ext/beneficio/situacaoBeneficio", &[], "EM COBRANÇA").await);
    let plan = calls.saved(by, "/gestao/plano", &example(registers::find_register("plano").unwrap())).await;
    let entered = calls.server().enter(&calls.world.administrator.email, testkit::PASSWORD).await;
    assert!(entered.json()["plano"].to_string().contains("Proteção Bronze"), "{entered:?}");
    // And no longer, once it is not in use; what has it keeps it.
    calls.member(1).await;
    calls.car(1, "ABC1D23", json!({"codPlano": 70, "diaVencimento": 12, "situacao": "em cobranca"})).await;
    let retired = calls.put(by, "/gestao/plano/70", &json!({"ativo": false, "versao": plan["versao"]})).await;
    assert_eq!(retired.status, 200);
    let entered = calls.server().enter(&calls.world.administrator.email, testkit::PASSWORD).await;
    assert!(!entered.json()["plano"].to_string().contains("Proteção Bronze"), "{entered:?}");
    assert!(seen("/ext/beneficio", &[("placa", "ABC1D23")], "Proteção Bronze").await);
}
