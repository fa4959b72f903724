//! Prices and discounts: the price table, agreed values and their move to the table, charging rules, discounts of a
//! benefit, and which situations are charged.

use crate::calls::{Calls, array, items, told_about, with};
use crate::finance::scene::{CAR, FAR_CAR, HEALTH, members, parts};
use serde_json::{Value, json};
use storage::{QueryWeight, sql};
use testkit::{Reply, World, both_engines};

const TABLE: &str = "/gestao/tabelaPreco";
const RULES: &str = "/gestao/regraCobranca";
const DISCOUNTS: &str = "/gestao/desconto";
const AGREED: &str = "/gestao/financeiro/valorCombinado";
const MOVE: &str = "/gestao/financeiro/valorCombinado/tabela";

fn price(more: Value) -> Value {
    with(json!({"codPlano": 1, "validoDesde": "01/11/2026", "valor": 120}), more)
}

fn grants_of(benefit: i32) -> String {
    format!("/gestao/financeiro/beneficio/{benefit}/desconto")
}

impl Calls {
    async fn add(&self, path: &str, body: Value) -> Value {
        self.saved(&self.administrator, path, &body).await
    }

    async fn try_to_add(&self, path: &str, body: Value) -> Reply {
        self.post(&self.administrator, path, &body).await
    }

    /// The items of a benefit, as the management shows them.
    async fn items_of(&self, benefit: i32) -> Vec<Value> {
        let path = format!("/gestao/beneficio/{benefit}");
        array(&self.read(&self.administrator, &path, &[]).await["itens"])
    }

    async fn change_item(&self, benefit: i32, body: Value) -> Value {
        let item = self.items_of(benefit).await[0]["codItem"].clone();
        let path = format!("/gestao/beneficio/{benefit}/itens/{item}");
        let reply = self.put(&self.administrator, &path, &body).await;
        assert_eq!(reply.status, 200, "{reply:?}");
        array(&reply.json()["itens"])[0].clone()
    }
}

#[both_engines]
async fn situations_of_members_in_force_are_charged_and_no_case_ever_is(world: World) {
    let calls = Calls::on(world).await;
    let all = items(&calls.read(&calls.administrator, "/gestao/situacao", &[]).await);
    for one in &all {
        let is_charged =
            one["entidade"] == "beneficio" && ["ATIVO", "SUSPENSO"].contains(&one["tipo"].as_str().unwrap());
        assert_eq!(one["cobra"], is_charged, "{one}");
    }
    for (entity, kind, sent, expected) in [
        ("beneficio", "SUSPENSO", Value::Null, true),
        ("beneficio", "SUSPENSO", json!(false), false),
        ("beneficio", "PENDENTE", Value::Null, false),
        ("beneficio", "PENDENTE", json!(true), true),
        ("evento", "ABERTO", Value::Null, false),
    ] {
        let body = json!({"nome": format!("{entity} {kind} {sent}"), "entidade": entity, "tipo": kind,
            "corDestaque": "F9AB00", "cobra": sent});
        let saved = calls.add("/gestao/situacao", body).await;
        assert_eq!(saved["cobra"], expected, "{saved}");
    }
    let body = json!({"nome": "Nova", "entidade": "evento", "tipo": "ABERTO", "corDestaque": "F9AB00", "cobra": true});
    let refused = calls.try_to_add("/gestao/situacao", body).await;
    assert!(told_about(refused.refuses(400), "cobra"), "{refused:?}");
}

#[both_engines]
async fn two_rows_of_the_table_never_decide_one_price(world: World) {
    let calls = Calls::on(world).await;
    let band = |from: i64, until: i64| price(json!({"valorDe": from, "valorAte": until}));
    let first = calls.add(TABLE, band(0, 20_000)).await;
    for (body, field) in [
        (band(20_000, 30_000), "valorDe"),
        (price(json!({"valorDe": 5})), "valorDe"),
        (price(json!({"valorAte": 1})), "valorDe"),
    ] {
        let refused = calls.try_to_add(TABLE, body.clone()).await;
        assert!(told_about(refused.refuses(409), field), "{body}: {refused:?}");
    }
    for more in [
        json!({}),
        json!({"valorDe": 20_000.01, "valorAte": 30_000}),
        json!({"valorDe": 0, "valorAte": 20_000, "validoDesde": "02/11/2026"}),
        json!({"valorDe": 0, "valorAte": 20_000, "codLoja": 1}),
        json!({"valorDe": 0, "valorAte": 20_000, "codTipoVeiculo": 1}),
        json!({"valorDe": 0, "valorAte": 20_000, "codPlano": 2}),
        json!({"valorDe": 0, "valorAte": 20_000, "ativo": false}),
    ] {
        calls.add(TABLE, price(more)).await;
    }
    // A row out of use gives way, and comes back only where nothing took its place.
    let path = format!("{TABLE}/{}", first["codPreco"]);
    let away = calls.put(&calls.administrator, &path, &json!({"ativo": false, "versao": 1})).await;
    assert_eq!(away.status, 200, "{away:?}");
    calls.add(TABLE, band(10_000, 15_000)).await;
    let back = calls.put(&calls.administrator, &path, &json!({"ativo": true, "versao": 2})).await;
    assert!(told_about(back.refuses(409), "valorDe"), "{back:?}");
}

#[both_engines]
async fn bad_prices_discounts_and_rules_are_refused_by_field(world: World) {
    let calls = Calls::on(world).await;
    let before = testkit::dump(calls.world.db()).await;
    let discount = |more: Value| with(json!({"nome": "Cortesia"}), more);
    let rule = |more: Value| with(json!({"nome": "Outra", "codGrupo": 1}), more);
    for (path, body, field, status) in [
        (TABLE, price(json!({"codPlano": 31337})), "codPlano", 400),
        (TABLE, price(json!({"codPlano": 7})), "codPlano", 400),
        (TABLE, price(json!({"codLoja": 31337})), "codLoja", 400),
        (TABLE, price(json!({"valor": -1})), "valor", 400),
        (TABLE, price(json!({"valor": 1.005})), "valor", 400),
        (TABLE, price(json!({"valorDe": 2, "valorAte": 1})), "valorAte", 400),
        (TABLE, price(json!({"validoDesde": "31/02/2026"})), "validoDesde", 400),
        (DISCOUNTS, discount(json!({})), "percentual", 400),
        (DISCOUNTS, discount(json!({"percentual": 1, "valor": 1})), "percentual", 400),
        (DISCOUNTS, discount(json!({"percentual": 100.01})), "percentual", 400),
        (DISCOUNTS, discount(json!({"percentual": 0})), "percentual", 400),
        (DISCOUNTS, discount(json!({"valor": 0})), "valor", 400),
        (DISCOUNTS, discount(json!({"valor": 5, "natureza": "TAXA"})), "natureza", 400),
        (DISCOUNTS, discount(json!({"valor": 5, "codPlano": 31337})), "codPlano", 400),
        (RULES, rule(json!({"codGrupo": null})), "codGrupo", 409),
        (RULES, rule(json!({"codGrupo": 31337})), "codGrupo", 400),
        (RULES, rule(json!({"diaCorte": 32})), "diaCorte", 400),
        (RULES, rule(json!({"codTipoTitulo": 7})), "codTipoTitulo", 400),
        (RULES, rule(json!({"diasUteisMinimos": -1})), "diasUteisMinimos", 400),
    ] {
        let refused = calls.try_to_add(path, body.clone()).await;
        assert!(told_about(refused.refuses(status), field), "{path} {body}: {refused:?}");
    }
    assert_eq!(testkit::dump(calls.world.db()).await, before);
}

#[both_engines]
async fn every_association_has_a_general_charging_rule_that_stays(world: World) {
    let calls = Calls::on(world).await;
    for token in [&calls.administrator, &calls.stranger] {
        let rules = items(&calls.read(token, RULES, &[]).await);
        let fields = [
            "nome",
            "codGrupo",
            "diaCorte",
            "proporcionalAdesao",
            "codTipoTitulo",
            "diasUteisMinimos",
            "diaPreparo",
        ];
        let born = json!(["Regra geral", null, 25, false, 1, 5, null]);
        assert_eq!(json!(parts(&rules[0], fields)), born, "{rules:?}");
    }
    let path = format!("{RULES}/1");
    let retired = calls.put(&calls.administrator, &path, &json!({"ativo": false, "versao": 1})).await;
    assert!(told_about(retired.refuses(409), "ativo"), "{retired:?}");
    let changed = json!({"diaCorte": 20, "proporcionalAdesao": true, "diaPreparo": 26, "versao": 1});
    let changed = calls.put(&calls.administrator, &path, &changed).await;
    assert_eq!((changed.status, changed.json()["diaCorte"].clone()), (200, json!(20)), "{changed:?}");
    let group = calls.add(RULES, json!({"nome": "Do grupo", "codGrupo": 1})).await;
    let path = format!("{RULES}/{}", group["codRegraCobranca"]);
    let retired = calls.put(&calls.administrator, &path, &json!({"ativo": false, "versao": 1})).await;
    assert_eq!(retired.status, 200, "{retired:?}");
}

#[both_engines]
async fn a_value_that_was_sent_is_agreed_and_one_that_was_not_takes_the_table(world: World) {
    let calls = members(world).await;
    assert_eq!(calls.items_of(CAR).await[0]["valorCombinado"], false);
    let path = format!("/ext/beneficio/{CAR}/itens");
    for (body, agreed) in [(json!({"codPlano": 3, "valor": 12.5}), true), (json!({"codPlano": 2}), false)] {
        let added = calls.saved(&calls.operator, &path, &body).await;
        assert!(added.get("valorCombinado").is_none(), "the interface keeps its shape: {added}");
        let all = calls.items_of(CAR).await;
        let item = all.iter().find(|one| one["codItem"] == added["codItem"]).unwrap();
        assert_eq!(item["valorCombinado"], agreed, "{item}");
    }
    let changed = calls.change_item(CAR, json!({"valor": 99.9})).await;
    assert_eq!(parts(&changed, ["valor", "valorCombinado"]), [json!(99.9), json!(true)]);
    let changed = calls.change_item(CAR, json!({"valorCombinado": false})).await;
    assert_eq!(parts(&changed, ["valor", "valorCombinado"]), [json!(99.9), json!(false)]);
    let changed = calls.change_item(CAR, json!({"valor": 80, "valorCombinado": false})).await;
    assert_eq!(parts(&changed, ["valor", "valorCombinado"]), [json!(80), json!(false)]);
}

#[both_engines]
async fn a_discount_is_granted_ended_and_never_lost(world: World) {
    let calls = members(world).await;
    let discount = calls.add(DISCOUNTS, json!({"nome": "Indicação", "percentual": 10})).await;
    assert_eq!(discount["natureza"], "ADMINISTRACAO");
    let body = json!({"codDesconto": 1, "desdeMes": "12/2026", "motivo": "Indicou um amigo."});
    let path = grants_of(CAR);
    let granted = calls.saved(&calls.operator, &path, &body).await;
    let fields = ["codConcessao", "nome", "desdeMes", "ateMes", "motivo", "motivoEncerramento"];
    let expected = json!([1, "Indicação", "12/2026", null, "Indicou um amigo.", null]);
    assert_eq!(json!(parts(&granted, fields)), expected);
    for (more, field, status) in [
        (json!({}), "codDesconto", 409),
        (json!({"codDesconto": 31337}), "codDesconto", 400),
        (json!({"desdeMes": "13/2026"}), "desdeMes", 400),
        (json!({"desdeMes": "11/2026", "ateMes": "10/2026"}), "ateMes", 400),
        (json!({"motivo": ""}), "motivo", 400),
    ] {
        let refused = calls.post(&calls.operator, &path, &with(body.clone(), more)).await;
        assert!(told_about(refused.refuses(status), field), "{refused:?}");
    }
    // Of a plan that the benefit does not have.
    let other = calls.add(DISCOUNTS, json!({"nome": "Saúde", "valor": 5, "codPlano": 2})).await;
    let of_other = with(body.clone(), json!({"codDesconto": other["codDesconto"]}));
    let refused = calls.post(&calls.operator, &path, &of_other).await;
    assert!(told_about(refused.refuses(400), "codDesconto"), "{refused:?}");
    calls.saved(&calls.operator, &grants_of(HEALTH), &of_other).await;
    let end = format!("{path}/1/encerrar");
    let ending = json!({"ateMes": "03/2027", "motivo": "O amigo saiu."});
    let ended = calls.put(&calls.operator, &end, &ending).await;
    assert_eq!(
        parts(&ended.json(), ["ateMes", "motivoEncerramento"]),
        [json!("03/2027"), json!("O amigo saiu.")]
    );
    let again = calls.put(&calls.operator, &end, &json!({"ateMes": "04/2027", "motivo": "De novo."})).await;
    assert!(told_about(again.refuses(409), "ateMes"), "{again:?}");
    calls.put(&calls.operator, &format!("{path}/31337/encerrar"), &ending).await.refuses(404);
    // After its end, the same discount may come again.
    calls.saved(&calls.operator, &path, &with(body, json!({"desdeMes": "04/2027"}))).await;
    assert_eq!(array(&calls.read(&calls.operator, &path, &[]).await).len(), 2);
    let audit = testkit::dump_table(calls.world.db(), "audit").await;
    assert!(audit.contains("grant_discount") && audit.contains("end_discount"), "{audit}");
}

#[both_engines]
async fn nobody_reaches_the_discounts_of_another_branch_or_association(world: World) {
    let calls = members(world).await;
    calls.add(DISCOUNTS, json!({"nome": "Indicação", "percentual": 10})).await;
    let body = json!({"codDesconto": 1, "desdeMes": "12/2026", "motivo": "Indicou um amigo."});
    calls.saved(&calls.administrator, &grants_of(FAR_CAR), &body).await;
    let ending = json!({"ateMes": "03/2027", "motivo": "Acabou."});
    for token in [&calls.operator, &calls.stranger] {
        calls.get(token, &grants_of(FAR_CAR), &[]).await.refuses(404);
        calls.post(token, &grants_of(FAR_CAR), &body).await.refuses(404);
        let end = format!("{}/1/encerrar", grants_of(FAR_CAR));
        calls.put(token, &end, &ending).await.refuses(404);
    }
    // The same code there is another benefit, and the discount is not theirs.
    calls.post(&calls.stranger, &grants_of(CAR), &body).await.refuses(400);
}

/// Every item of the scene has an agreed value of 100.
async fn agree_on_all(calls: &Calls) {
    for benefit in [CAR, HEALTH, 3, FAR_CAR] {
        calls.change_item(benefit, json!({"valor": 100})).await;
    }
}

fn seen(preview: &Value, more: Value) -> Value {
    let [items, total, table] = parts(preview, ["quantidade", "total", "totalTabela"]);
    with(json!({"quantidade": items, "total": total, "totalTabela": table}), more)
}

async fn count_agreed(calls: &Calls) -> i64 {
    let count = sql("SELECT COUNT(*) AS n FROM items WHERE tenant = $1 AND active AND is_price_agreed");
    let rows = calls.world.db().query(QueryWeight::Point, count.arg(calls.world.here)).await.unwrap();
    rows[0].get("n").unwrap()
}

#[both_engines]
async fn what_the_preview_shows_is_what_moves_to_the_table(world: World) {
    let calls = members(world).await;
    agree_on_all(&calls).await;
    calls.add(TABLE, price(json!({"valor": 120}))).await;
    calls.add(TABLE, price(json!({"valor": 130, "codLoja": 1}))).await;
    calls.add(TABLE, price(json!({"valor": 0, "codPlano": 2}))).await;
    let everything = calls.read(&calls.administrator, AGREED, &[]).await;
    let plan = calls.read(&calls.administrator, "/gestao/plano/6", &[]).await["valor"].as_f64().unwrap();
    // The cars of plan 1, in two branches; the car of plan 6 by its plan; the health plan has no price.
    let fields = ["quantidade", "total", "totalTabela", "semPreco"];
    assert_eq!(json!(parts(&everything, ["quantidade", "total", "semPreco"])), json!([3, 300, 1]));
    let cents = |amount: f64| (amount * 100.0).round();
    assert_eq!(everything["totalTabela"].as_f64().map(cents), Some(cents(250.0 + plan)));
    let of_plan = calls.read(&calls.administrator, AGREED, &[("codPlano", "1"), ("codLoja", "1")]).await;
    assert_eq!(json!(parts(&of_plan, fields)), json!([1, 100, 130, 0]));
    // The operator sees and moves what is of the own branch alone.
    let own = calls.read(&calls.operator, AGREED, &[("codPlano", "1")]).await;
    assert_eq!(json!(parts(&own, fields)), json!([1, 100, 120, 0]));
    calls.post(&calls.operator, MOVE, &seen(&own, json!({"codPlano": 1}))).await.refuses(403);
    // Another filter, or a value that changed since, is refused, and nothing moves.
    let refused = calls.try_to_add(MOVE, seen(&of_plan, json!({"codPlano": 1}))).await;
    assert!(told_about(refused.refuses(409), "quantidade"), "{refused:?}");
    assert_eq!(count_agreed(&calls).await, 4);
    let moved = calls.add(MOVE, seen(&everything, json!({}))).await;
    assert_eq!(moved, everything);
    assert_eq!(count_agreed(&calls).await, 1);
    let rest = calls.read(&calls.administrator, AGREED, &[]).await;
    assert_eq!(json!(parts(&rest, fields)), json!([0, 0, 0, 1]));
    let audit = testkit::dump_table(calls.world.db(), "audit").await;
    assert_eq!(audit.lines().filter(|line| line.contains("move_to_price_table")).count(), 1, "{audit}");
}

#[both_engines]
async fn of_two_who_move_the_same_values_at_once_one_does(world: World) {
    let calls = members(world).await;
    agree_on_all(&calls).await;
    let body = seen(&calls.read(&calls.administrator, AGREED, &[]).await, json!({})).to_string();
    let servers = calls.servers();
    let (first, second) = tokio::join!(
        servers[0].write(MOVE, &calls.administrator, &body),
        servers[servers.len() - 1].write(MOVE, &calls.administrator, &body),
    );
    let mut statuses = [first.status, second.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409], "{first:?} {second:?}");
    assert_eq!(count_agreed(&calls).await, 0);
}
