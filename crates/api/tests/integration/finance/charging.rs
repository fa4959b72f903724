//! The charging run of a month.

use crate::calls::Calls;
use crate::finance::charging_scene::{code, in_branch, month, reason_of, run_of, small_steps, titles_of};
use crate::finance::scene::{CAR, HEALTH, MEMBER, SECOND_CAR, charged_members};
use app::idempotency::IdempotentWrite;
use domain::finance::{ChargingRunState, FinanceProblem, NotChargedReason};
use domain::{BranchCode, Rejection};
use finance::charging::{self, ChargeSource, NewChargingRun, PriceSource, RunBenefitFilter};
use serde_json::{Value, json};
use storage::Row;
use testkit::{World, both_engines};

#[both_engines]
async fn a_run_charges_what_it_showed_and_lists_everything_else(world: World) {
    let calls = charged_members(world).await;
    let prepared = calls.prepare(run_of("2026-12")).await;
    let run = prepared.run.code;
    assert_eq!(calls.numbers("SELECT COUNT(*) AS n FROM titles WHERE tenant = $1").await, [0]);
    assert_eq!(reason_of(&calls, run, HEALTH).await, Some(NotChargedReason::NoDueDay));
    let charged = calls.list_benefits(run, RunBenefitFilter::Charged).await;
    let car = charged.iter().find(|one| one.row.benefit == code(CAR)).unwrap();
    assert_eq!((car.row.amount, car.row.due_on.unwrap().to_br()), (15_055, "10/12/2026".to_owned()));
    assert_eq!((car.person_name.as_str(), car.plate.as_deref()), ("Pessoa 1", Some("ABC1D23")));
    assert_eq!(car.lines[0].source, ChargeSource::Contribution);
    assert_eq!(car.lines[0].price.map(|price| price.source), Some(PriceSource::Plan));
    assert_eq!(car.lines[0].description.as_deref(), Some("Proteção Ouro"));

    calls.approve(run).await;
    calls.work().await;
    let issued = calls.read_run(run).await;
    calls.check_run(&issued).await;
    assert_eq!(issued.run.state, ChargingRunState::Issued);
    assert_eq!((&issued.items, &issued.reasons), (&prepared.items, &prepared.reasons));
    let titles = titles_of(&calls, MEMBER).await;
    assert_eq!(titles.len(), 1);
    assert_eq!(titles[0]["valor"], 150.55);
    assert_eq!(titles[0]["dataVencimento"], "10/12/2026");
    assert_eq!(titles[0]["descricao"], "Mensalidade 12/2026");
}

#[both_engines]
async fn benefits_of_one_person_are_one_title_for_each_group_and_due_day(world: World) {
    let calls = charged_members(world).await;
    calls.active_car(1, "GHI7J89", json!({"diaVencimento": 10})).await;
    calls.active_car(1, "GHI7J88", json!({"diaVencimento": 10, "codPlano": 6})).await;
    calls.active_car(1, "GHI7J87", json!({"diaVencimento": 20})).await;
    calls.issue_run(run_of("2026-12")).await;
    let titles = titles_of(&calls, MEMBER).await;
    let values: Vec<(Value, Value)> =
        titles.iter().map(|one| (one["dataVencimento"].clone(), one["valor"].clone())).collect();
    let wanted = [("10/12/2026", 301.1), ("10/12/2026", 89.9), ("20/12/2026", 150.55)];
    assert_eq!(values.len(), 3);
    for (day, value) in wanted {
        assert!(values.contains(&(json!(day), json!(value))), "{values:?}");
    }
}

#[both_engines]
async fn what_changed_since_the_preview_is_listed_and_not_issued(world: World) {
    let calls = charged_members(world).await;
    let prepared = calls.prepare(run_of("2026-12")).await;
    let cancelled = calls.cancel(&calls.operator, &json!(CAR), "{}").await;
    assert_eq!(cancelled.status, 200, "{cancelled:?}");
    calls.approve(prepared.run.code).await;
    calls.work().await;
    let issued = calls.read_run(prepared.run.code).await;
    calls.check_run(&issued).await;
    assert_eq!(issued.run.counts.charged, prepared.run.counts.charged - 1);
    let reason = reason_of(&calls, issued.run.code, CAR).await;
    assert_eq!(reason, Some(NotChargedReason::ChangedSincePreview));
    let next = calls.prepare(run_of("2026-12")).await;
    assert_eq!(reason_of(&calls, next.run.code, CAR).await, Some(NotChargedReason::Left));
}

#[both_engines]
async fn a_caller_of_some_branches_charges_one_of_them(world: World) {
    let calls = charged_members(world).await;
    calls
        .alter(
            calls.world.here,
            "UPDATE users SET money_rights = 7 WHERE tenant = $1 AND code = 2",
            Vec::new(),
        )
        .await;
    let operator = calls.server().token(&calls.world.operator.email).await;
    let operator = calls.session(&operator).await;
    let app = calls.world.app();
    let begin = async |run| charging::prepare_run(app, &operator, run, IdempotentWrite::without_key()).await;
    let refused = |error: app::Error| match error {
        app::Error::Refused(problems) => problems,
        other => panic!("{other:?}"),
    };
    let all = refused(begin(run_of("2026-12")).await.unwrap_err());
    assert_eq!(all, [Rejection::Finance(FinanceProblem::BranchRequired)]);
    assert!(begin(in_branch(run_of("2026-12"), 1)).await.is_err());
    let own = begin(in_branch(run_of("2026-12"), 2)).await.unwrap().into_fresh().unwrap();
    let foreign = calls.begin_run(run_of("2026-12")).await;
    calls.work().await;
    let listed = charging::list_runs(app, &operator, None, 0).await.unwrap();
    assert_eq!(listed.runs.iter().map(|run| run.code).collect::<Vec<_>>(), [own.run.code]);
    assert!(charging::read_run(app, &operator, foreign).await.is_err());
    let ready = charging::read_run(app, &operator, own.run.code).await.unwrap();
    assert_eq!(ready.run.scope.branch, Some(BranchCode::new(2)));
    let approved =
        charging::approve_run(app, &operator, own.run.code, IdempotentWrite::without_key()).await.unwrap();
    assert!(approved.into_fresh().is_ok());
    calls.work().await;
    calls.check_run(&calls.read_run(own.run.code).await).await;
    let elsewhere = "SELECT code AS n FROM titles WHERE tenant = $1 AND branch <> 2";
    assert!(calls.numbers(elsewhere).await.is_empty());
}

#[both_engines]
async fn each_step_needs_its_right(world: World) {
    let calls = charged_members(world).await;
    let run = calls.prepare(run_of("2026-12")).await.run.code;
    let stranger = calls.session(&calls.stranger).await;
    let integration = calls.session(&calls.integration).await;
    let app = calls.world.app();
    let once = IdempotentWrite::without_key;
    assert!(charging::read_run(app, &stranger, run).await.is_err(), "of another association");
    let approved = charging::approve_run(app, &integration, run, once()).await;
    assert!(matches!(approved, Err(app::Error::Forbidden)), "{approved:?}");
    let boss = calls.boss().await;
    let discarded = charging::discard_run(app, &boss, run, once()).await.unwrap().into_fresh().unwrap();
    assert_eq!(discarded.run.state, ChargingRunState::Discarded);
    for refused in [
        charging::approve_run(app, &boss, run, once()).await,
        charging::discard_run(app, &boss, run, once()).await,
        charging::undo_run(app, &boss, (run, "engano".to_owned()), once()).await,
    ] {
        let Err(app::Error::Refused(problems)) = refused else { panic!("{refused:?}") };
        let state = FinanceProblem::ChargingRunState(ChargingRunState::Discarded);
        assert_eq!(problems, [Rejection::Finance(state)]);
    }
}

#[both_engines]
async fn bad_runs_are_refused(world: World) {
    let calls = charged_members(world).await;
    let boss = calls.boss().await;
    let bad = NewChargingRun {
        month: month("2029-01"),
        group: Some(domain::GroupCode::new(9)),
        branch: Some(BranchCode::new(99)),
        due_day: Some(32),
        instalments: 13,
    };
    let refused = charging::prepare_run(calls.world.app(), &boss, bad, IdempotentWrite::without_key()).await;
    let Err(app::Error::Refused(problems)) = refused else { panic!("{refused:?}") };
    assert_eq!(problems.len(), 5, "{problems:?}");
    assert!(calls.numbers("SELECT code AS n FROM charging_runs WHERE tenant = $1").await.is_empty());
}

#[both_engines]
async fn another_association_is_left_alone(world: World) {
    let calls = charged_members(world).await;
    let there = "SELECT COUNT(*) AS n FROM charging_run_benefits WHERE tenant <> $1";
    let issued = calls.issue_run(run_of("2026-12")).await;
    calls.undo(issued.run.code).await;
    assert_eq!(calls.numbers(there).await, [0]);
    assert_eq!(calls.numbers("SELECT COUNT(*) AS n FROM titles WHERE tenant <> $1").await, [0]);
}

/// A run, its issue and its undo, in small batches, with a new process after every batch or without any interruption.
async fn run_in_steps(world: World, most_batches: Option<usize>) -> Calls {
    let mut calls = charged_members(world).await;
    let code = calls.begin_run(run_of("2026-12")).await;
    work_in_steps(&mut calls, most_batches).await;
    calls.approve(code).await;
    work_in_steps(&mut calls, most_batches).await;
    calls.check_run(&calls.read_run(code).await).await;
    let paid = titles_of(&calls, MEMBER).await[0].clone();
    calls.settle(&paid, 150.55).await;
    calls.begin_undo(code).await;
    work_in_steps(&mut calls, most_batches).await;
    calls.check_run(&calls.read_run(code).await).await;
    calls
}

async fn work_in_steps(calls: &mut Calls, most_batches: Option<usize>) {
    loop {
        let apps = calls.world.processes();
        let (one, other) = (&apps[0], apps.last().unwrap());
        let pace = small_steps(most_batches);
        let (one, other) =
            tokio::join!(charging::run_charging_at(one, pace), charging::run_charging_at(other, pace));
        let any = one.unwrap() | other.unwrap();
        if most_batches.is_some() {
            // The lease of the process that is gone ends.
            calls.world.clock.pass(std::time::Duration::from_secs(31));
        }
        if !any {
            return;
        }
    }
}

#[both_engines]
async fn an_interruption_between_any_two_batches_changes_nothing(world: World) {
    let engine = world.database.engine;
    let whole = run_in_steps(world, None).await;
    let broken = run_in_steps(World::hostile(engine).await, Some(1)).await;
    // Times differ by the leases that were waited for, so columns are named.
    let tables = [
        "SELECT code || ' ' || month || ' ' || state || ' ' || benefits || ' ' || charged || ' ' || charged_amount
         || ' ' || titles || ' ' || titles_amount || ' ' || cancelled || ' ' || kept AS line
         FROM charging_runs WHERE tenant = $1 ORDER BY code",
        "SELECT benefit || ' ' || person || ' ' || COALESCE(reason, 0) || ' ' || amount || ' ' || COALESCE(title, 0)
         AS line FROM charging_run_benefits WHERE tenant = $1 ORDER BY benefit",
        "SELECT benefit || ' ' || instalment || ' ' || line || ' ' || charge_item || ' ' || nature || ' ' || amount
         AS line FROM charging_run_lines WHERE tenant = $1 ORDER BY benefit, instalment, charging_run_lines.line",
        "SELECT title || ' ' || outcome AS line FROM charging_run_titles WHERE tenant = $1 ORDER BY title",
        "SELECT benefit || ' ' || month || ' ' || title AS line FROM charged_months WHERE tenant = $1
         ORDER BY benefit, month",
        "SELECT code || ' ' || person || ' ' || due_on || ' ' || amount || ' ' || open_amount || ' ' || situation
         AS line FROM titles WHERE tenant = $1 ORDER BY code",
        "SELECT code || ' ' || title || ' ' || kind || ' ' || booked_on || ' ' || COALESCE(reverses, 0) AS line
         FROM ledger_entries WHERE tenant = $1 ORDER BY code",
        "SELECT entry || ' ' || account || ' ' || debit || ' ' || credit AS line FROM ledger_lines
         WHERE tenant = $1 ORDER BY entry, ledger_lines.line",
        "SELECT code || ' ' || entity || ' ' || record || ' ' || to_situation AS line FROM history WHERE tenant = $1
         ORDER BY code",
    ];
    for text in tables {
        let [one, other] = [whole.rows_here(text).await, broken.rows_here(text).await];
        let lines =
            |rows: &[Row]| rows.iter().map(|row| row.get::<String>("line").unwrap()).collect::<Vec<_>>();
        assert_eq!(lines(&one), lines(&other), "{text}");
        assert!(!one.is_empty(), "{text}");
    }
}

#[both_engines]
async fn a_month_that_closes_meanwhile_is_not_booked_in(world: World) {
    let mut calls = charged_members(world).await;
    let code = calls.prepare(run_of("2026-12")).await.run.code;
    calls.approve(code).await;
    let first = charging::run_charging_at(calls.world.app(), small_steps(Some(1))).await;
    assert!(first.unwrap());
    calls.pass_days(20).await;
    calls.close("11/2026").await;
    calls.work().await;
    let issued = calls.read_run(code).await;
    assert_eq!(issued.run.state, ChargingRunState::Issued);
    calls.check_run(&issued).await;
    let days =
        calls.rows_here("SELECT booked_on, happened_on FROM ledger_entries WHERE tenant = $1 ORDER BY code");
    let days: Vec<(String, String)> = days
        .await
        .iter()
        .map(|row| (row.get("booked_on").unwrap(), row.get("happened_on").unwrap()))
        .collect();
    assert_eq!(days[0], ("2026-11-14".to_owned(), "2026-11-14".to_owned()));
    assert_eq!(days.last().unwrap(), &("2026-12-01".to_owned(), "2026-11-14".to_owned()));
}

#[both_engines]
async fn a_benefit_that_is_added_after_the_preview_is_listed(world: World) {
    let calls = charged_members(world).await;
    let prepared = calls.prepare(run_of("2026-12")).await;
    calls.active_car(1, "NEW1A23", json!({"diaVencimento": 10})).await;
    calls.approve(prepared.run.code).await;
    calls.work().await;
    let issued = calls.read_run(prepared.run.code).await;
    assert_eq!(issued.run.counts.benefits, prepared.run.counts.benefits + 1);
    calls.check_run(&issued).await;
    let added = 5;
    assert_eq!(reason_of(&calls, prepared.run.code, added).await, Some(NotChargedReason::AddedSincePreview));
    let second = calls.issue_run(run_of("2026-12")).await;
    assert_eq!((second.run.counts.charged, reason_of(&calls, second.run.code, added).await), (1, None));
}

/// Who comes into a run without having been seen in its preview, wherever their code is.
#[both_engines]
async fn a_benefit_that_moves_into_the_scope_after_the_preview_is_listed(world: World) {
    let calls = charged_members(world).await;
    calls.active_car(1, "NEW1A23", json!({"diaVencimento": 15})).await;
    calls.change_due_day(SECOND_CAR, 20).await;
    let prepared = calls.prepare(NewChargingRun { due_day: Some(15), ..run_of("2026-12") }).await;
    calls.issue_run(NewChargingRun { due_day: Some(20), ..run_of("2026-12") }).await;
    calls.change_due_day(CAR, 15).await;
    calls.change_due_day(SECOND_CAR, 15).await;
    calls.approve(prepared.run.code).await;
    calls.work().await;
    let issued = calls.read_run(prepared.run.code).await;
    assert_eq!(issued.run.counts.benefits, prepared.run.counts.benefits + 2);
    calls.check_run(&issued).await;
    assert_eq!(reason_of(&calls, prepared.run.code, CAR).await, Some(NotChargedReason::AddedSincePreview));
    assert_eq!(
        reason_of(&calls, prepared.run.code, SECOND_CAR).await,
        Some(NotChargedReason::AlreadyCharged)
    );
}

/// Random histories of runs, undo, payments and cancellations.
async fn random_history(world: World, seed: u64) {
    let calls = charged_members(world).await;
    let chance = testkit::SeededChance::new(seed);
    let below = |end: u64| {
        let mut bytes = [0; 8];
        domain::RandomSource::fill(&chance, &mut bytes);
        u64::from_le_bytes(bytes) % end
    };
    let mut issued = Vec::new();
    for step in 0..20 {
        match below(11) {
            0 | 1 => {
                let run = run_of(["2026-12", "2027-01", "2027-02"][usize::try_from(below(3)).unwrap()]);
                let instalments = 1 + i32::try_from(below(3)).unwrap();
                let run = NewChargingRun { instalments, ..run };
                let run = if below(2) == 0 { in_branch(run, 2) } else { run };
                issued.push(calls.issue_run(run).await.run.code);
            }
            2 => {
                if let Some(run) = issued.pop() {
                    calls.undo(run).await;
                }
            }
            3 => {
                calls
                    .active_car(1, &format!("HIS{}A{step:02}", step % 10), json!({"diaVencimento": 15}))
                    .await;
            }
            4 => {
                calls.change_due_day(CAR, [10, 15, 20][usize::try_from(below(3)).unwrap()]).await;
                calls.revise(CAR).await;
            }
            5 => {
                calls.change_due_day(CAR, 10).await;
            }
            6 => {
                let due = ["2026-12-10", "2027-01-10"][usize::try_from(below(2)).unwrap()];
                calls.issue(json!({"vencimento": due})).await;
            }
            7 => {
                let titles = calls.titles(&[]).await;
                let managed = match titles.is_empty() {
                    true => continue,
                    false => {
                        calls.managed(&titles[usize::try_from(below(titles.len() as u64)).unwrap()]).await
                    }
                };
                if managed["liquidacoes"].as_array().is_some_and(|all| !all.is_empty()) {
                    let reply = calls.reverse(&managed).await;
                    assert!([200, 409].contains(&reply.status), "{reply:?}");
                }
            }
            other => {
                let titles = calls.titles(&[("situacao", "Aberto")]).await;
                if titles.is_empty() {
                    continue;
                }
                let title = &titles[usize::try_from(below(titles.len() as u64)).unwrap()];
                let reply = if other < 10 {
                    // The larger one leaves a credit, which the next run uses.
                    let amount = if other == 8 { 12.34 } else { 412.34 };
                    let paid = json!({"valorPago": amount, "codTipoLiquidacao": 1});
                    let path = format!("/gestao/financeiro/titulo/{}/receber", title["codTitulo"]);
                    calls.post(&calls.operator, &path, &paid).await
                } else {
                    calls.put_managed(title, "/cancelar", json!({"motivo": "prova de cancelamento"})).await
                };
                assert!([200, 409].contains(&reply.status), "{reply:?}");
            }
        }
        calls.check_books(&format!("step {step}")).await;
    }
}

#[both_engines]
async fn the_books_are_right_after_runs_of_the_first_seed(world: World) {
    random_history(world, 1).await;
}

#[both_engines]
async fn the_books_are_right_after_runs_of_the_second_seed(world: World) {
    random_history(world, 2).await;
}
