//! Bank holidays that are registered after titles were issued. It is Saturday, 14 November 2026; Sunday is a holiday.

use crate::calls::{Calls, each, items, with};
use crate::finance::early_discount::allow_discount;
use crate::finance::scene::{TITLES, parts, scene, title};
use serde_json::{Value, json};
use testkit::{World, both_engines};

const HOLIDAYS: &str = "/gestao/feriado";
const FRIDAY: &str = "13/11/2026";

async fn close_banks(calls: &Calls, day: &str) -> Value {
    let body = json!({"nome": format!("Feriado de {day}"), "data": day});
    let made = calls.saved(&calls.administrator, HOLIDAYS, &body).await;
    refresh(calls).await;
    made
}

async fn change_holiday(calls: &Calls, holiday: &Value, more: Value) -> Value {
    let path = format!("{HOLIDAYS}/{}", holiday["codFeriado"]);
    let body = with(json!({"versao": holiday["versao"]}), more);
    let changed = calls.put(&calls.administrator, &path, &body).await;
    assert_eq!(changed.status, 200, "{changed:?}");
    refresh(calls).await;
    changed.json()
}

async fn refresh(calls: &Calls) {
    for app in calls.world.processes() {
        app::cache::refresh_versions(app).await.unwrap();
    }
}

/// The codes of what the operator finds overdue.
async fn overdue(calls: &Calls) -> Vec<Value> {
    each(&calls.titles(&[("situacao", "Vencido")]).await, "codTitulo")
}

#[both_engines]
async fn what_fell_due_on_a_later_holiday_is_not_overdue_before_the_next_bank_day(world: World) {
    let mut calls = scene(world).await;
    let due = json!({"dataEmissao": "2026-10-01", "vencimento": "2026-11-13"});
    let late = calls.issue(due.clone()).await;
    let code = vec![late["codTitulo"].clone()];
    let paid = calls.issue(due.clone()).await;
    let paid = calls.settle(&paid, 101.20).await;
    let there = calls.saved(&calls.stranger, TITLES, &title(due)).await["codTitulo"].clone();
    let fields = ["vencido", "multaDevida", "dataVencimento"];
    assert_eq!(overdue(&calls).await, code);
    assert_eq!(parts(&calls.managed(&late).await, fields), [json!(true), json!(2.02), json!(FRIDAY)]);
    close_banks(&calls, FRIDAY).await;
    let in_time = [json!(false), json!(0), json!(FRIDAY)];
    assert_eq!(overdue(&calls).await, Vec::<Value>::new());
    assert_eq!(parts(&calls.managed(&late).await, fields), in_time);
    assert_eq!(calls.balance(1).await["emDia"], true);
    // What was settled meanwhile is open again, and follows the calendar too.
    assert_eq!(calls.reverse(&paid).await.status, 200);
    assert_eq!(parts(&calls.managed(&paid).await, fields), in_time);
    // Another association has holidays of its own.
    let overdue_there = [("tipo", "Crédito"), ("situacao", "Vencido")];
    let found = calls.read(&calls.stranger, TITLES, &overdue_there).await;
    assert_eq!(each(&items(&found), "codTitulo"), [there]);
    // Monday is in time, Tuesday is not.
    calls.pass_days(2).await;
    assert_eq!(overdue(&calls).await, Vec::<Value>::new());
    calls.pass_days(1).await;
    assert_eq!(overdue(&calls).await.len(), 2);
}

#[both_engines]
async fn a_holiday_that_is_retired_or_moved_gives_the_days_back(world: World) {
    let calls = scene(world).await;
    let friday = calls.issue(json!({"dataEmissao": "2026-10-01", "vencimento": "2026-11-13"})).await;
    let thursday = calls.issue(json!({"dataEmissao": "2026-10-01", "vencimento": "2026-11-12"})).await;
    let both = vec![thursday["codTitulo"].clone(), friday["codTitulo"].clone()];
    let holiday = close_banks(&calls, FRIDAY).await;
    assert_eq!(overdue(&calls).await, both[..1]);
    let holiday = change_holiday(&calls, &holiday, json!({"ativo": false})).await;
    assert_eq!(overdue(&calls).await, both);
    let holiday = change_holiday(&calls, &holiday, json!({"ativo": true})).await;
    assert_eq!(overdue(&calls).await, both[..1]);
    // Thursday moves to Friday alone, which has passed.
    let holiday = change_holiday(&calls, &holiday, json!({"data": "12/11/2026"})).await;
    assert_eq!(overdue(&calls).await, both);
    close_banks(&calls, FRIDAY).await;
    assert_eq!(overdue(&calls).await, Vec::<Value>::new());
    change_holiday(&calls, &holiday, json!({"nome": "Outro nome"})).await;
    assert_eq!(overdue(&calls).await, Vec::<Value>::new());
}

#[both_engines]
async fn a_discount_never_loses_a_day_to_a_holiday(world: World) {
    let calls = scene(world).await;
    allow_discount(&calls).await;
    let made = calls.issue(json!({})).await;
    let last_day = async || calls.managed(&made).await["dataLimiteDesconto"].clone();
    assert_eq!(last_day().await, "04/12/2026");
    let holiday = close_banks(&calls, "04/12/2026").await;
    assert_eq!(last_day().await, "07/12/2026");
    change_holiday(&calls, &holiday, json!({"ativo": false})).await;
    assert_eq!(last_day().await, "07/12/2026", "what was promised stays");
    // Where the discount lasts until the due day, it does not outlast the time without fine and interest.
    let rule = json!({"versao": 2, "diasDesconto": 0});
    let changed = calls.put(&calls.administrator, "/gestao/regraEncargos/1", &rule).await;
    assert_eq!(changed.status, 200, "{changed:?}");
    refresh(&calls).await;
    let short = calls.issue(json!({})).await;
    let holiday = close_banks(&calls, "10/12/2026").await;
    assert_eq!(calls.managed(&short).await["dataLimiteDesconto"], "11/12/2026");
    change_holiday(&calls, &holiday, json!({"ativo": false})).await;
    assert_eq!(calls.managed(&short).await["dataLimiteDesconto"], "10/12/2026");
}
