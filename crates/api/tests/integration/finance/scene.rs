//! Members who owe, and how titles are called for. It is Saturday, 14 November 2026.

use crate::calls::{Calls, cpf, items, with};
use serde_json::{Value, json};
use testkit::{Reply, World};

pub const TITLES: &str = "/ext/financeiro/titulo";
pub const SETTLE: &str = "/ext/financeiro/titulo/liquidar";
pub const MANAGED: &str = "/gestao/financeiro/titulo";
pub const PERIODS: &str = "/gestao/financeiro/periodo";
pub const CLOSE: &str = "/gestao/financeiro/periodo/fechar";
pub const REOPEN: &str = "/gestao/financeiro/periodo/reabrir";

/// The member of the operator's branch, with a car due on day 10 and a health benefit without a due day.
pub const MEMBER: i32 = 1;
pub const CAR: i32 = 1;
pub const HEALTH: i32 = 2;
/// Another of that branch, whose car is of the second protection group.
pub const SECOND_MEMBER: i32 = 2;
pub const SECOND_CAR: i32 = 3;
/// Somebody of another branch.
pub const FAR_MEMBER: i32 = 3;
pub const FAR_CAR: i32 = 4;

/// Types that every association is born with.
pub const MONTHLY: i32 = 1;
pub const EXPENSE: i32 = 7;
pub const SHARING: i32 = 8;
/// Settled in cash.
pub const CASH: i32 = 1;

pub const PLATE: &str = "ABC1D23";
pub const FAR_PLATE: &str = "XYZ9A87";

/// Both associations with members, benefits and a first title each: here of the other branch, there of the same codes.
pub async fn scene(world: World) -> Calls {
    let calls = members(world).await;
    let far = json!({"codPessoa": FAR_MEMBER, "codBeneficio": FAR_CAR});
    assert_eq!(calls.saved(&calls.administrator, TITLES, &title(far)).await["codTitulo"], 1);
    for _ in 0..3 {
        calls.saved(&calls.stranger, TITLES, &title(json!({"descricao": "Título Ali"}))).await;
    }
    calls
}

/// The same without any title.
pub async fn members(world: World) -> Calls {
    let calls = Calls::on(world).await;
    let by = &calls.administrator;
    let there = calls.server().token("admin@ali.example").await;
    for (admin, plan) in [(by, 6), (&there, 3)] {
        let group = calls.saved(admin, "/gestao/grupoProtecao", &json!({"nome": "Grupo de motos"})).await;
        assert_eq!(group["codGrupo"], 2);
        let moved =
            calls.put(admin, &format!("/gestao/plano/{plan}"), &json!({"versao": 1, "codGrupo": 2})).await;
        assert_eq!(moved.status, 200, "{moved:?}");
    }
    calls.member_with(1, json!({"telefones": [{"numero": "11987654321"}]})).await;
    calls.member(2).await;
    let far = json!({"nomePessoa": "Pessoa Longe", "cpfCnpj": cpf(3), "codLoja": 1});
    calls.saved(by, "/ext/associado", &far).await;
    calls.car(1, PLATE, json!({"diaVencimento": 10, "codConsultor": 1})).await;
    calls.health(1, json!({})).await;
    calls.car(2, "DEF4G56", json!({"codPlano": 6, "diaVencimento": 10})).await;
    let far = json!({"cpfCnpj": cpf(3), "codPlano": 1, "placa": FAR_PLATE, "diaVencimento": 10});
    calls.saved(by, "/ext/beneficio/veicular", &far).await;
    for number in 1..3 {
        let there = json!({"nomePessoa": format!("Alguém Ali {number}"), "cpfCnpj": cpf(number)});
        calls.saved(&calls.stranger, "/ext/associado", &there).await;
    }
    for (number, plan) in [(1, 1), (1, 1), (2, 3)] {
        let there = json!({"codPlano": plan, "cpfCnpj": cpf(number)});
        calls.saved(&calls.stranger, "/ext/beneficio", &there).await;
    }
    calls
}

/// The same, with every benefit of both in force, so that it is charged.
pub async fn charged_members(world: World) -> Calls {
    let calls = members(world).await;
    for benefit in [CAR, HEALTH, SECOND_CAR, FAR_CAR] {
        calls.activate(&calls.administrator, &json!(benefit)).await;
    }
    let there = calls.server().token("admin@ali.example").await;
    for benefit in 1..=3 {
        calls.activate(&there, &json!(benefit)).await;
    }
    calls
}

/// A title of the member's car, due in December.
pub fn title(more: Value) -> Value {
    let body = json!({"codBeneficio": CAR, "codPessoa": MEMBER, "codTipoTitulo": MONTHLY, "valor": 101.20});
    with(body, more)
}

/// A title that is 17 days late today.
pub fn late_title() -> Value {
    title(json!({"dataEmissao": "2026-10-01", "vencimento": "2026-10-28"}))
}

pub fn receipt(title: &Value, amount: f64) -> Value {
    json!({"codTitulo": title["codTitulo"], "valorPago": amount, "codTipoLiquidacao": CASH})
}

impl Calls {
    /// Lets days pass. A token lives for hours, so everybody enters again.
    pub async fn pass_days(&mut self, days: u64) {
        self.world.clock.pass(std::time::Duration::from_hours(24 * days));
        self.administrator = self.server().token(&self.world.administrator.email).await;
        self.operator = self.server().token(&self.world.operator.email).await;
        self.stranger = self.server().token(&self.world.stranger.email).await;
    }

    pub async fn activate(&self, token: &str, benefit: &Value) {
        let path = format!("/gestao/beneficio/{benefit}/situacao");
        let reply = self.put(token, &path, &json!({"situacao": "ATIVO"})).await;
        assert_eq!(reply.status, 200, "{reply:?}");
    }

    /// A vehicle of a member that is in force.
    pub async fn active_car(&self, number: u32, plate: &str, more: Value) {
        let car = self.car(number, plate, more).await;
        self.activate(&self.administrator, &car["codBeneficio"]).await;
    }

    /// A title that the operator issued.
    pub async fn issue(&self, more: Value) -> Value {
        self.saved(&self.operator, TITLES, &title(more)).await
    }

    /// Titles that the operator issued in the management.
    pub async fn issue_managed(&self, more: Value) -> Vec<Value> {
        let body = with(json!({"codPessoa": MEMBER, "codTipoTitulo": MONTHLY, "valor": 101.20}), more);
        crate::calls::array(&self.saved(&self.operator, MANAGED, &body).await)
    }

    /// A receipt of today, by the operator, that went well.
    pub async fn settle(&self, title: &Value, amount: f64) -> Value {
        self.saved(&self.operator, SETTLE, &receipt(title, amount)).await
    }

    /// The title as the operator sees it in the management.
    pub async fn managed(&self, title: &Value) -> Value {
        self.read(&self.operator, &managed(title, ""), &[]).await
    }

    pub async fn put_managed(&self, title: &Value, what: &str, body: Value) -> Reply {
        self.put(&self.operator, &managed(title, what), &body).await
    }

    /// What the operator finds of a kind of titles.
    pub async fn titles(&self, query: &[(&str, &str)]) -> Vec<Value> {
        let kind = [("tipo", "Crédito")].into_iter().filter(|_| !query.iter().any(|one| one.0 == "tipo"));
        let query: Vec<(&str, &str)> = kind.chain(query.iter().copied()).collect();
        let found = self.read(&self.operator, TITLES, &query).await;
        let items = items(&found);
        assert_eq!(found["quantidade"], json!(items.len()), "{found}");
        items
    }

    /// The last settlement of a title that was answered, taken back by the operator.
    pub async fn reverse(&self, title: &Value) -> Reply {
        let last = title["liquidacoes"].as_array().unwrap().last().unwrap()["codLiquidacao"].clone();
        let path = format!("/gestao/financeiro/liquidacao/{last}/estornar");
        self.put(&self.operator, &path, &json!({"motivo": "cheque devolvido"})).await
    }

    /// What a member owes and has, as the operator sees it.
    pub async fn balance(&self, person: i32) -> Value {
        self.read(&self.operator, &format!("/gestao/financeiro/associado/{person}"), &[]).await
    }

    pub async fn close(&self, month: &str) -> Value {
        self.saved(&self.administrator, CLOSE, &json!({"mes": month})).await
    }
}

pub fn managed(title: &Value, what: &str) -> String {
    format!("{MANAGED}/{}{what}", title["codTitulo"])
}

/// The keys of a record, sorted.
pub fn keys(record: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = record.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

/// Several fields of a record.
pub fn parts<const N: usize>(record: &Value, fields: [&str; N]) -> [Value; N] {
    fields.map(|field| record[field].clone())
}
