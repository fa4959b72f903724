//! The charging run of a month.

use crate::calls::Calls;
use crate::finance::charging_scene::{in_branch, month, run_of, small_steps};
use crate::finance::scene::{CAR, FAR_CAR, HEALTH, MEMBER, SECOND_CAR, charged_members};
use app::idempotency::IdempotentWrite;
use domain::finance::{ChargingRunState, FinanceProblem, NotChargedReason};
use domain::{BenefitCode, BranchCode, Rejection};
use finance::charging::{self, ChargeSource, NewChargingRun, PriceSource, RunBenefitFilter};
use serde_json::{Value, json};
use storage::{Row, SqlScalar};
use testkit::{World, both_engines};

fn code(number: i32) -> BenefitCode {
    BenefitCode::new(number)
}

async fn reason_of(calls: &Calls, run: domain::ChargingRunCode, benefit: i32) -> Option<NotChargedReason> {
    let all = calls.list_benefits(run, RunBenefitFilter::All).await;
    all.iter().find(|one| one.row.benefit == code(benefit)).unwrap().row.reason
}

/// The titles of the operator's member, by code.
async fn titles_of(calls: &Calls, person: i32) -> Vec<Value> {
    let query = [("codPessoa", person.to_string())];
    let query: Vec<(&str, &str)> = query.iter().map(|(name, value)| (*name, value.as_str())).collect();
    calls.titles(&query).await
}

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
    assert_eq!(car.lines[0].price, Some(PriceSource::Plan));
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
async fn a_second_run_of_the_month_lists_everything_as_charged(world: World) {
    let calls = charged_members(world).await;
    let first = calls.issue_run(run_of("2026-12")).await;
    let second = calls.issue_run(run_of("2026-12")).await;
    assert_eq!((second.run.counts.charged, second.run.counts.titles), (0, 0));
    let again = second.reasons.iter().find(|(reason, _)| *reason == NotChargedReason::AlreadyCharged);
    assert_eq!(again.unwrap().1, first.run.counts.charged);
    let next = calls.prepare(run_of("2027-01")).await;
    assert_eq!(next.run.counts.charged, first.run.counts.charged);
    assert!(next.previous.is_some());
}

#[both_engines]
async fn two_runs_approved_at_once_charge_each_month_once(world: World) {
    let calls = charged_members(world).await;
    let first = calls.prepare(run_of("2026-12")).await;
    let second = calls.prepare(run_of("2026-12")).await;
    assert_eq!(first.run.counts, second.run.counts);
    calls.approve(first.run.code).await;
    calls.approve(second.run.code).await;
    let apps = calls.world.processes();
    let (one, other) = (&apps[0], apps.last().unwrap());
    let (one, other) = tokio::join!(charging::run_due_charging(one), charging::run_due_charging(other));
    assert!(one.unwrap() | other.unwrap());
    calls.work().await;
    let [first, second] = [calls.read_run(first.run.code).await, calls.read_run(second.run.code).await];
    calls.check_run(&first).await;
    calls.check_run(&second).await;
    assert_eq!(
        first.run.counts.titles + second.run.counts.titles,
        first.run.counts.titles.max(second.run.counts.titles)
    );
}

#[both_engines]
async fn undoing_keeps_what_was_paid_and_frees_the_rest(world: World) {
    let calls = charged_members(world).await;
    let issued = calls.issue_run(run_of("2026-12")).await;
    let paid = titles_of(&calls, MEMBER).await[0].clone();
    calls.settle(&paid, 50.0).await;
    let undone = calls.undo(issued.run.code).await;
    let counts = undone.run.counts;
    assert_eq!((counts.kept, counts.cancelled), (1, counts.titles - 1));
    let kept = charging::list_kept_titles(calls.world.app(), &*calls.boss().await, issued.run.code, 0).await;
    assert_eq!(json!(kept.unwrap()[0].get()), paid["codTitulo"]);
    let again = calls.issue_run(run_of("2026-12")).await;
    assert_eq!(again.run.counts.titles, counts.cancelled);
    assert_eq!(reason_of(&calls, again.run.code, CAR).await, Some(NotChargedReason::AlreadyCharged));
}

#[both_engines]
async fn cancelling_one_title_frees_its_months(world: World) {
    let calls = charged_members(world).await;
    calls.issue_run(run_of("2026-12")).await;
    let title = titles_of(&calls, MEMBER).await[0].clone();
    let reply = calls.put_managed(&title, "/cancelar", json!({"motivo": "saiu do grupo"})).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    calls.check_books("a title was cancelled").await;
    let again = calls.issue_run(run_of("2026-12")).await;
    assert_eq!(again.run.counts.titles, 1);
    assert_eq!(reason_of(&calls, again.run.code, CAR).await, None);
}

#[both_engines]
async fn a_booklet_covers_its_months(world: World) {
    let calls = charged_members(world).await;
    let booklet = NewChargingRun { instalments: 3, ..in_branch(run_of("2026-12"), 2) };
    let issued = calls.issue_run(booklet).await;
    let titles = titles_of(&calls, MEMBER).await;
    let days: Vec<&Value> = titles.iter().map(|one| &one["dataVencimento"]).collect();
    assert_eq!(days, ["10/12/2026", "10/01/2027", "10/02/2027"]);
    assert_eq!(issued.run.counts.charged_amount, issued.run.counts.titles_amount);
    let parts = "SELECT instalment * 100 + instalments AS n FROM titles WHERE tenant = $1 AND person = 1 ORDER BY code";
    assert_eq!(calls.numbers(parts).await, [103, 203, 303]);
    let next = calls.prepare(run_of("2027-01")).await;
    assert_eq!(reason_of(&calls, next.run.code, CAR).await, Some(NotChargedReason::CoveredByBooklet));
    assert_eq!(reason_of(&calls, next.run.code, FAR_CAR).await, None);
    calls.undo(issued.run.code).await;
    let next = calls.prepare(run_of("2027-01")).await;
    assert_eq!(reason_of(&calls, next.run.code, CAR).await, None);
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
async fn fees_discounts_and_one_off_charges_are_lines(world: World) {
    let calls = charged_members(world).await;
    let here = calls.world.here;
    calls.alter(here, "UPDATE plans SET joining_fee = 5000 WHERE tenant = $1 AND code = 1", Vec::new()).await;
    let discount = "INSERT INTO discounts (tenant, code, name, percentage, nature, active, version, created_at, updated_at)
         VALUES ($1, 1, 'Fidelidade', 1000, 3, TRUE, 1, 0, 0)";
    calls.alter(here, discount, Vec::new()).await;
    let grant =
        "INSERT INTO benefit_discounts (tenant, code, benefit, discount, from_month, reason, created_at)
         VALUES ($1, 1, $2, 1, '2026-12', 'antiga', 0)";
    calls.alter(here, grant, vec![SqlScalar::Int(CAR.into())]).await;
    let pending =
        "INSERT INTO pending_charges (tenant, code, person, branch, protection_group, charge_item, amount,
         source, situation, version, created_at, updated_at) VALUES ($1, 1, 1, 2, 1, 5, 700, 1, 1, 1, 0, 0)";
    calls.alter(here, pending, Vec::new()).await;
    let issued = calls.issue_run(run_of("2026-12")).await;
    let charged = calls.list_benefits(issued.run.code, RunBenefitFilter::Charged).await;
    let car = charged.iter().find(|one| one.row.benefit == code(CAR)).unwrap();
    let lines: Vec<(ChargeSource, i64)> = car.lines.iter().map(|line| (line.source, line.amount)).collect();
    let wanted = [
        (ChargeSource::Contribution, 15_055),
        (ChargeSource::JoiningFee, 5_000),
        (ChargeSource::PendingCharge, 700),
        (ChargeSource::Discount, -1_506),
        (ChargeSource::Discount, -500),
    ];
    assert_eq!(lines.iter().map(|line| line.1).sum::<i64>(), car.row.amount);
    for line in lines {
        assert!(wanted.contains(&line) || line.0 == ChargeSource::Discount, "{line:?}");
    }
    // Charged by a title now, and waiting again once it is undone.
    let taken = "SELECT situation AS n FROM pending_charges WHERE tenant = $1 AND title IS NOT NULL";
    assert_eq!(calls.numbers(taken).await.len(), 1);
    calls.undo(issued.run.code).await;
    assert!(calls.numbers(taken).await.is_empty());
    let again = calls.issue_run(run_of("2026-12")).await;
    assert_eq!(again.run.counts.charged_amount, issued.run.counts.charged_amount);
    let next = calls.prepare(run_of("2027-01")).await;
    let charged = calls.list_benefits(next.run.code, RunBenefitFilter::Charged).await;
    let car = charged.iter().find(|one| one.row.benefit == code(CAR)).unwrap();
    assert_eq!(car.row.amount, 15_055 - 1_506, "the fee is owed once");
}

/// How many joining fees titles in force charge the member's car.
pub const JOINING_FEES: &str =
    "SELECT COUNT(*) AS n FROM title_lines l JOIN titles t ON t.tenant = l.tenant AND t.code = l.title
     JOIN charge_items i ON i.tenant = l.tenant AND i.code = l.charge_item
     WHERE l.tenant = $1 AND COALESCE(l.benefit, 1) = 1 AND i.kind = 4 AND t.situation <> 4";

/// Whatever the order in which months are charged.
#[both_engines]
async fn the_joining_fee_is_charged_once(world: World) {
    let calls = charged_members(world).await;
    let here = calls.world.here;
    calls.alter(here, "UPDATE plans SET joining_fee = 5000 WHERE tenant = $1 AND code = 1", Vec::new()).await;
    let join = "UPDATE benefits SET joined_on = $2 WHERE tenant = $1 AND code = $3";
    calls.alter(here, join, vec!["2026-11-20".into(), CAR.into()]).await;
    let january = calls.issue_run(run_of("2027-01")).await;
    assert_eq!(calls.numbers(JOINING_FEES).await, [1]);
    let december = calls.issue_run(run_of("2026-12")).await;
    assert_eq!(calls.numbers(JOINING_FEES).await, [1], "not again with an earlier month");
    calls.change_due_day(CAR, 15).await;
    calls.revise(CAR).await;
    assert_eq!(calls.numbers(JOINING_FEES).await, [1], "nor lost in a revision");
    calls.undo(january.run.code).await;
    assert_eq!(calls.numbers(JOINING_FEES).await, [0]);
    calls.undo(december.run.code).await;
    calls.issue_run(run_of("2026-12")).await;
    assert_eq!(calls.numbers(JOINING_FEES).await, [1], "owed again");
}

#[both_engines]
async fn a_one_off_charge_that_is_cancelled_meanwhile_is_told(world: World) {
    let calls = charged_members(world).await;
    let charge = json!({"codPessoa": MEMBER, "codBeneficio": CAR, "codItemCobranca": 5, "valor": 7});
    let charge = calls.saved(&calls.operator, "/gestao/financeiro/lancamento", &charge).await;
    let prepared = calls.prepare(run_of("2026-12")).await;
    let path = format!("/gestao/financeiro/lancamento/{}/cancelar", charge["codLancamento"]);
    assert_eq!(calls.put(&calls.operator, &path, &json!({"motivo": "engano"})).await.status, 200);
    calls.approve(prepared.run.code).await;
    calls.work().await;
    let reason = reason_of(&calls, prepared.run.code, CAR).await;
    assert_eq!(reason, Some(NotChargedReason::OneOffChargeGone));
    calls.check_run(&calls.read_run(prepared.run.code).await).await;
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

#[both_engines]
async fn the_joining_fee_is_charged_once_by_runs_prepared_together(world: World) {
    let calls = charged_members(world).await;
    let here = calls.world.here;
    calls.alter(here, "UPDATE plans SET joining_fee = 5000 WHERE tenant = $1 AND code = 1", Vec::new()).await;
    let join = "UPDATE benefits SET joined_on = $2 WHERE tenant = $1 AND code = $3";
    calls.alter(here, join, vec!["2026-11-20".into(), CAR.into()]).await;
    let december = calls.prepare(run_of("2026-12")).await;
    let january = calls.prepare(run_of("2027-01")).await;
    for run in [&december, &january] {
        calls.approve(run.run.code).await;
        calls.work().await;
        calls.check_run(&calls.read_run(run.run.code).await).await;
    }
    assert_eq!(calls.numbers(JOINING_FEES).await, [1]);
    assert_eq!(reason_of(&calls, january.run.code, CAR).await, Some(NotChargedReason::ChangedSincePreview));
    let again = calls.issue_run(run_of("2027-01")).await;
    assert_eq!((again.run.counts.charged, calls.numbers(JOINING_FEES).await), (1, vec![1]));
}

/// As one title for two vehicles.
#[both_engines]
async fn a_joining_fee_that_was_charged_by_hand_is_charged_no_more(world: World) {
    let calls = charged_members(world).await;
    let here = calls.world.here;
    calls.active_car(1, "NEW1A23", json!({"diaVencimento": 10})).await;
    calls.alter(here, "UPDATE plans SET joining_fee = 5000 WHERE tenant = $1 AND code = 1", Vec::new()).await;
    let join = "UPDATE benefits SET joined_on = $2 WHERE tenant = $1 AND person = $3";
    calls.alter(here, join, vec!["2026-11-10".into(), MEMBER.into()]).await;
    let fee = json!({"codPessoa": MEMBER, "codTipoTitulo": 2, "valor": 100, "codBeneficios": [CAR, 5]});
    calls.saved(&calls.operator, "/gestao/financeiro/titulo", &fee).await;
    calls.issue_run(run_of("2026-12")).await;
    assert_eq!(calls.numbers(JOINING_FEES).await, [1], "of the title by hand");
}

/// A discount that is granted after the preview is no part of what was approved, and one that is granted after the issue
/// asks for a revision.
#[both_engines]
async fn a_discount_after_the_preview_is_told(world: World) {
    let calls = charged_members(world).await;
    let discount = json!({"codDesconto": 1, "nome": "Cortesia", "percentual": 100});
    calls.saved(&calls.administrator, "/gestao/desconto", &discount).await;
    let grant = async |benefit: i32| {
        let granted = json!({"codDesconto": 1, "desdeMes": "12/2026", "motivo": "Acordo da diretoria."});
        let path = format!("/gestao/financeiro/beneficio/{benefit}/desconto");
        calls.saved(&calls.operator, &path, &granted).await;
    };
    let prepared = calls.prepare(run_of("2026-12")).await;
    grant(CAR).await;
    calls.approve(prepared.run.code).await;
    calls.work().await;
    assert_eq!(reason_of(&calls, prepared.run.code, CAR).await, Some(NotChargedReason::ChangedSincePreview));
    assert_eq!(calls.count("title_revisions").await, 0, "no title charges it");
    grant(SECOND_CAR).await;
    assert_eq!(calls.numbers("SELECT benefit AS n FROM title_revisions WHERE tenant = $1").await, [3]);
}

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

/// A penalty for a tracker that was not returned, for example.
#[both_engines]
async fn a_one_off_charge_of_who_has_left_is_listed(world: World) {
    let calls = charged_members(world).await;
    let charge = json!({"codPessoa": MEMBER, "codBeneficio": CAR, "codItemCobranca": 5, "valor": 7});
    calls.saved(&calls.operator, "/gestao/financeiro/lancamento", &charge).await;
    assert_eq!(calls.cancel(&calls.operator, &json!(CAR), "").await.status, 200);
    let prepared = calls.prepare(run_of("2026-12")).await;
    assert_eq!(reason_of(&calls, prepared.run.code, CAR).await, Some(NotChargedReason::OneOffChargeLeft));
}

#[both_engines]
async fn who_joined_late_pays_by_days_or_later(world: World) {
    let calls = charged_members(world).await;
    let here = calls.world.here;
    let rule = "UPDATE charging_rules SET is_joining_prorated = TRUE WHERE tenant = $1";
    calls.alter(here, rule, Vec::new()).await;
    let join = "UPDATE benefits SET joined_on = $2 WHERE tenant = $1 AND code = $3";
    for (benefit, day) in [(CAR, "2026-11-16"), (SECOND_CAR, "2026-11-26")] {
        calls.alter(here, join, vec![day.into(), benefit.into()]).await;
    }
    let prepared = calls.prepare(run_of("2026-12")).await;
    let charged = calls.list_benefits(prepared.run.code, RunBenefitFilter::Charged).await;
    let car = charged.iter().find(|one| one.row.benefit == code(CAR)).unwrap();
    // 15 of 30 days of 150,55.
    assert_eq!(car.row.amount, 7_528);
    let late = reason_of(&calls, prepared.run.code, SECOND_CAR).await;
    assert_eq!(late, Some(NotChargedReason::JoinedAfterCutOff));
    let next = calls.prepare(run_of("2027-01")).await;
    assert_eq!(reason_of(&calls, next.run.code, SECOND_CAR).await, None);
}

#[both_engines]
async fn a_price_of_nothing_is_a_reason(world: World) {
    let calls = charged_members(world).await;
    calls
        .alter(calls.world.here, "UPDATE plans SET price = 0 WHERE tenant = $1 AND code = 1", Vec::new())
        .await;
    let prepared = calls.prepare(run_of("2026-12")).await;
    assert_eq!(reason_of(&calls, prepared.run.code, CAR).await, Some(NotChargedReason::NoPrice));
    assert_eq!(reason_of(&calls, prepared.run.code, SECOND_CAR).await, None);
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
    for step in 0..14 {
        match below(8) {
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
            other => {
                let titles = calls.titles(&[("situacao", "Aberto")]).await;
                if titles.is_empty() {
                    continue;
                }
                let title = &titles[usize::try_from(below(titles.len() as u64)).unwrap()];
                let reply = if other == 6 {
                    let paid = json!({"valorPago": 12.34, "codTipoLiquidacao": 1});
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
