//! Runs that are prepared and worked off by themselves.

use crate::finance::charging_scene::{month, run_of};
use crate::finance::scene::charged_members;
use domain::finance::ChargingRunState;
use finance::charging;
use serde_json::json;
use storage::Row;
use testkit::{World, both_engines};

/// The general rule leaves groups to their own rules, and has a run for each of the others.
#[both_engines]
async fn a_group_with_a_rule_of_its_own_is_prepared_by_that_alone(world: World) {
    let mut calls = charged_members(world).await;
    let here = calls.world.here;
    calls.alter(here, "UPDATE charging_rules SET preparation_day = 20 WHERE tenant = $1", Vec::new()).await;
    calls.saved(&calls.administrator, "/gestao/grupoProtecao", &json!({"nome": "Caminhões"})).await;
    let rule = json!({"nome": "Regra das motos", "codGrupo": 2, "codTipoTitulo": 1, "diaPreparo": 26});
    calls.saved(&calls.administrator, "/gestao/regraCobranca", &rule).await;
    calls.pass_days(7).await;
    calls.work().await;
    assert_eq!(calls.numbers(PREPARED_GROUPS).await, [1, 3]);
    calls.pass_days(5).await;
    calls.work().await;
    calls.work().await;
    assert_eq!(calls.numbers(PREPARED_GROUPS).await, [1, 3, 2]);
}

/// The groups that runs are for, 0 for all of them.
const PREPARED_GROUPS: &str =
    "SELECT COALESCE(protection_group, 0) AS n FROM charging_runs WHERE tenant = $1 ORDER BY code";

#[both_engines]
async fn a_rule_that_is_added_after_the_general_run_prepares_one_run_more(world: World) {
    let mut calls = charged_members(world).await;
    let here = calls.world.here;
    calls.alter(here, "UPDATE charging_rules SET preparation_day = 20 WHERE tenant = $1", Vec::new()).await;
    calls.pass_days(7).await;
    calls.work().await;
    let rule = json!({"nome": "Regra das motos", "codGrupo": 2, "codTipoTitulo": 1, "diaPreparo": 20});
    calls.saved(&calls.administrator, "/gestao/regraCobranca", &rule).await;
    calls.work().await;
    assert_eq!(calls.numbers(PREPARED_GROUPS).await, [0, 2]);
}

#[both_engines]
async fn a_rule_prepares_the_coming_month_once(world: World) {
    let mut calls = charged_members(world).await;
    let rule = "UPDATE charging_rules SET preparation_day = 20 WHERE tenant = $1";
    calls.alter(calls.world.here, rule, Vec::new()).await;
    calls.work().await;
    assert!(calls.numbers("SELECT code AS n FROM charging_runs WHERE tenant = $1").await.is_empty());
    calls.pass_days(7).await;
    for _ in 0..3 {
        let apps = calls.world.processes();
        let (one, other) = (&apps[0], apps.last().unwrap());
        let (one, other) = tokio::join!(charging::run_due_charging(one), charging::run_due_charging(other));
        assert!(one.is_ok() && other.is_ok());
    }
    calls.work().await;
    let all = charging::list_runs(calls.world.app(), &*calls.boss().await, None, 0).await.unwrap().runs;
    assert_eq!(all.len(), 1);
    assert_eq!((all[0].month, all[0].state), (month("2026-12"), ChargingRunState::Prepared));
    assert_eq!((all[0].user, all[0].charging_rule.is_some()), (None, true));
}

/// The server was off from the day of preparation to the end of the month.
#[both_engines]
async fn a_month_that_a_schedule_missed_is_prepared_later(world: World) {
    let mut calls = charged_members(world).await;
    let here = calls.world.here;
    calls.alter(here, "UPDATE charging_rules SET preparation_day = 20 WHERE tenant = $1", Vec::new()).await;
    calls.pass_days(7).await;
    calls.work().await;
    calls.pass_days(45).await;
    calls.work().await;
    calls.work().await;
    let prepared = calls.rows_here("SELECT month FROM charging_runs WHERE tenant = $1 ORDER BY code").await;
    let prepared: Vec<String> = prepared.iter().map(|row: &Row| row.get("month").unwrap()).collect();
    assert_eq!(prepared, ["2026-12", "2027-01"]);
    // Two months more, each of them one run.
    calls.pass_days(70).await;
    calls.work().await;
    calls.work().await;
    let all = calls.rows_here("SELECT month FROM charging_runs WHERE tenant = $1 ORDER BY code").await;
    let all: Vec<String> = all.iter().map(|row: &Row| row.get("month").unwrap()).collect();
    assert_eq!(all, ["2026-12", "2027-01", "2027-02", "2027-03"]);
    // A schedule that stood still for long goes on with the coming month.
    calls.pass_days(180).await;
    calls.work().await;
    assert_eq!(calls.count("charging_runs").await, 4);
}

#[both_engines]
async fn a_run_that_fails_does_not_hold_up_the_next(world: World) {
    let calls = charged_members(world).await;
    let broken = calls.begin_run(run_of("2026-12")).await;
    let unreadable = "UPDATE charging_runs SET month = 'dezembro' WHERE tenant = $1 AND code = $2";
    calls.alter(calls.world.here, unreadable, vec![broken.into()]).await;
    let next = calls.begin_run(run_of("2027-01")).await;
    calls.work().await;
    assert_eq!(calls.read_run(next).await.run.state, ChargingRunState::Prepared);
}
