//! Which price a line of a charge is: the agreed value, a row of the price table, or the plan's.

use crate::calls::{Calls, array, items};
use crate::finance::charging_scene::{run_of, titles_of};
use crate::finance::scene::{CAR, MEMBER, SECOND_CAR, charged_members, parts};
use serde_json::{Value, json};
use storage::SqlScalar;
use testkit::{World, both_engines};

/// A second vehicle of the member, with the same due day as the first.
const AGREED_CAR: i32 = 5;
const SECOND_MEMBER: i32 = 2;

/// The member has a vehicle at the price of its plan and one at an agreed value, charged in one title.
async fn priced_members(world: World) -> Calls {
    let calls = charged_members(world).await;
    calls.active_car(1, "OUT1A23", json!({"diaVencimento": 10})).await;
    let agreed = "UPDATE items SET is_price_agreed = TRUE, price = 7750 WHERE tenant = $1 AND benefit = $2";
    calls.alter(calls.world.here, agreed, vec![SqlScalar::Int(AGREED_CAR.into())]).await;
    calls
}

impl Calls {
    /// Adds a row of the price table, in force since the first of the month, and tells its code.
    async fn add_table_price(&self, plan: i32, amount: f64) -> Value {
        let row = json!({"codPlano": plan, "validoDesde": "01/11/2026", "valor": amount});
        self.saved(&self.administrator, "/gestao/tabelaPreco", &row).await["codPreco"].clone()
    }

    /// The lines of the titles of a person that are open, by due date.
    async fn open_lines(&self, person: i32) -> Vec<Value> {
        let person = person.to_string();
        let mut titles = self.titles(&[("codPessoa", &person), ("situacao", "Aberto")]).await;
        titles.sort_by_key(|title| title["dataVencimento"].as_str().unwrap().to_owned());
        let mut lines = Vec::new();
        for title in &titles {
            lines.extend(array(&self.managed(title).await["linhas"]));
        }
        lines
    }
}

/// Benefit, amount, source and row of the lines that are prices. The others name neither.
fn list_prices(lines: &[Value]) -> Vec<[Value; 4]> {
    let (prices, others): (Vec<&Value>, Vec<&Value>) =
        lines.iter().partition(|line| !line["origemValor"].is_null());
    for other in others {
        assert_eq!(other["codPreco"], Value::Null, "{other}");
    }
    prices.into_iter().map(|line| parts(line, ["codBeneficio", "valor", "origemValor", "codPreco"])).collect()
}

fn price(benefit: i32, amount: f64, source: &str, row: &Value) -> [Value; 4] {
    [json!(benefit), json!(amount), json!(source), row.clone()]
}

#[both_engines]
async fn every_line_of_a_run_tells_which_price_it_is(world: World) {
    let calls = priced_members(world).await;
    let row = calls.add_table_price(6, 120.5).await;
    let fee = "UPDATE plans SET joining_fee = 5000 WHERE tenant = $1 AND code = 1";
    calls.alter(calls.world.here, fee, Vec::new()).await;
    let join = "UPDATE benefits SET joined_on = $2 WHERE tenant = $1 AND code = $3";
    calls.alter(calls.world.here, join, vec!["2026-11-20".into(), CAR.into()]).await;
    let discount = json!({"codDesconto": 1, "nome": "Fidelidade", "percentual": 10});
    calls.saved(&calls.administrator, "/gestao/desconto", &discount).await;
    let granted = json!({"codDesconto": 1, "desdeMes": "12/2026", "motivo": "Dez anos de casa."});
    let path = format!("/gestao/financeiro/beneficio/{CAR}/desconto");
    calls.saved(&calls.operator, &path, &granted).await;
    let charge = json!({"codPessoa": MEMBER, "codBeneficio": CAR, "codItemCobranca": 5, "valor": 7});
    calls.saved(&calls.operator, "/gestao/financeiro/lancamento", &charge).await;
    let run = calls.prepare(run_of("2026-12")).await.run.code;

    let path = format!("/gestao/financeiro/cobranca/{run}/beneficio");
    let listed = items(&calls.read(&calls.administrator, &path, &[("cobrado", "true")]).await);
    for (benefit, amount, source, row) in [
        (CAR, 150.55, "PLANO", &Value::Null),
        (SECOND_CAR, 120.5, "TABELA", &row),
        (AGREED_CAR, 77.5, "COMBINADO", &Value::Null),
    ] {
        let one = listed.iter().find(|one| one["codBeneficio"] == benefit).unwrap();
        let lines = array(&one["linhas"]);
        let prices: Vec<&Value> = lines.iter().filter(|line| !line["origemValor"].is_null()).collect();
        let [line] = prices[..] else { panic!("{one}") };
        let told = parts(line, ["origem", "valor", "origemValor", "codPreco"]);
        assert_eq!(told, [json!("CONTRIBUICAO"), json!(amount), json!(source), row.clone()]);
    }

    calls.approve(run).await;
    calls.work().await;
    let lines = calls.open_lines(MEMBER).await;
    let wanted =
        [price(CAR, 150.55, "PLANO", &Value::Null), price(AGREED_CAR, 77.5, "COMBINADO", &Value::Null)];
    assert_eq!(list_prices(&lines), wanted, "{lines:?}");
    let is_charged =
        |amount: i64| lines.iter().any(|line| line["origemValor"].is_null() && line["valor"] == amount);
    assert!(is_charged(50), "the joining fee: {lines:?}");
    assert!(is_charged(7), "the one-off charge: {lines:?}");
    assert!(lines.iter().any(|line| line["desconto"] != 0), "the discount: {lines:?}");
    let lines = calls.open_lines(SECOND_MEMBER).await;
    assert_eq!(list_prices(&lines), [price(SECOND_CAR, 120.5, "TABELA", &row)], "{lines:?}");
}

/// What a revision does not charge again keeps the price that it was, whatever the price table says by now.
#[both_engines]
async fn a_revision_keeps_which_price_a_line_is(world: World) {
    let calls = priced_members(world).await;
    calls.active_car(1, "OUT1A24", json!({"diaVencimento": 10})).await;
    let (agreed, kept) = (AGREED_CAR, AGREED_CAR + 1);
    let run = calls.issue_run(run_of("2026-12")).await.run.code;
    assert_eq!(titles_of(&calls, MEMBER).await.len(), 1);
    let row = calls.add_table_price(1, 160.25).await;
    calls.change_due_day(CAR, 15).await;
    calls.revise(CAR).await;
    let nothing = Value::Null;
    let wanted = [
        price(agreed, 77.5, "COMBINADO", &nothing),
        price(kept, 150.55, "PLANO", &nothing),
        price(CAR, 160.25, "TABELA", &row),
    ];
    assert_eq!(list_prices(&calls.open_lines(MEMBER).await), wanted);
    calls.change_due_day(agreed, 20).await;
    calls.revise(agreed).await;
    let wanted = [
        price(kept, 150.55, "PLANO", &nothing),
        price(CAR, 160.25, "TABELA", &row),
        price(agreed, 77.5, "COMBINADO", &nothing),
    ];
    assert_eq!(list_prices(&calls.open_lines(MEMBER).await), wanted);
    calls.check_books("revisions").await;
    // The preview tells what was issued at first.
    let path = format!("/gestao/financeiro/cobranca/{run}/beneficio");
    let listed = items(&calls.read(&calls.administrator, &path, &[("cobrado", "true")]).await);
    let car = listed.iter().find(|one| one["codBeneficio"] == CAR).unwrap();
    assert_eq!(car["linhas"][0]["origemValor"], "PLANO", "{car}");
}

/// The table as it is now tells nothing of what was charged: its row has another price since.
#[both_engines]
async fn a_line_names_its_row_of_the_table_also_after_that_changed(world: World) {
    let calls = charged_members(world).await;
    let row = calls.add_table_price(1, 140.75).await;
    calls.issue_run(run_of("2026-12")).await;
    let change = json!({"valor": 190, "versao": 1});
    let changed = calls.put(&calls.administrator, &format!("/gestao/tabelaPreco/{row}"), &change).await;
    assert_eq!(changed.status, 200, "{changed:?}");
    let wanted = [price(CAR, 140.75, "TABELA", &row)];
    assert_eq!(list_prices(&calls.open_lines(MEMBER).await), wanted);
}
