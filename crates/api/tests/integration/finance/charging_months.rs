//! Each month of a benefit is charged once, by whatever title.

use crate::calls::{Calls, cpf, each, items};
use crate::finance::charging_lines::JOINING_FEES;
use crate::finance::charging_scene::{in_branch, reason_of, run_of, small_steps, titles_of};
use crate::finance::imports::{import_titles, import_titles_as, undo_import};
use crate::finance::revision::REVISIONS;
use crate::finance::scene::{CAR, FAR_CAR, MEMBER, PLATE, SECOND_CAR, charged_members, late_title};
use app::idempotency::IdempotentWrite;
use domain::TitleCode;
use domain::finance::{ChargingRunState, NotChargedReason};
use finance::charging::{self, NewChargingRun};
use serde_json::{Value, json};
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use storage::{DatabaseOptions, SqlScalar, StatementWatch};
use testkit::{World, both_engines};

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
async fn a_title_that_was_issued_by_hand_charges_its_month(world: World) {
    let calls = charged_members(world).await;
    let prepared = calls.prepare(run_of("2026-12")).await;
    assert_eq!(reason_of(&calls, prepared.run.code, CAR).await, None);
    let by_hand = calls.issue(json!({"vencimento": "2026-12-15"})).await;
    calls.approve(prepared.run.code).await;
    calls.work().await;
    calls.check_run(&calls.read_run(prepared.run.code).await).await;
    let outside = Some(NotChargedReason::TitleOutsideRuns);
    assert_eq!(reason_of(&calls, prepared.run.code, CAR).await, outside, "since the preview");
    let second = calls.prepare(run_of("2026-12")).await;
    assert_eq!(reason_of(&calls, second.run.code, CAR).await, outside);
    let next = calls.prepare(run_of("2027-01")).await;
    assert_eq!(reason_of(&calls, next.run.code, CAR).await, None);
    let reply = calls.put_managed(&by_hand, "/cancelar", json!({"motivo": "fica com a cobrança"})).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    let third = calls.issue_run(run_of("2026-12")).await;
    assert_eq!((third.run.counts.titles, reason_of(&calls, third.run.code, CAR).await), (1, None));
}

/// A title of another type is no contribution: an inspection fee, for example.
#[both_engines]
async fn a_title_of_another_type_charges_no_month(world: World) {
    let calls = charged_members(world).await;
    calls.issue(json!({"codTipoTitulo": 2, "vencimento": "2026-12-15"})).await;
    let prepared = calls.prepare(run_of("2026-12")).await;
    assert_eq!(reason_of(&calls, prepared.run.code, CAR).await, None);
}

#[both_engines]
async fn an_imported_title_charges_its_month_until_the_import_is_undone(world: World) {
    let calls = charged_members(world).await;
    let sheet = format!("CPF;Placa;Tipo;Valor;Vencimento;Código\n{};{PLATE};1;101,20;10/12/2026;A\n", cpf(1));
    let import = import_titles(&calls, &sheet).await;
    let prepared = calls.prepare(run_of("2026-12")).await;
    let reason = reason_of(&calls, prepared.run.code, CAR).await;
    assert_eq!(reason, Some(NotChargedReason::TitleOutsideRuns));
    undo_import(&calls, &import).await;
    calls.check_books("the import was undone").await;
    let again = calls.prepare(run_of("2026-12")).await;
    assert_eq!(reason_of(&calls, again.run.code, CAR).await, None);
}

/// A title that was issued by hand falls away with its benefit, and is not touched by anything else.
#[both_engines]
async fn a_title_that_no_run_issued_is_revised_when_its_benefit_leaves(world: World) {
    let calls = charged_members(world).await;
    let by_hand = calls.issue(json!({"vencimento": "2026-12-15"})).await;
    calls.change_due_day(CAR, 20).await;
    calls.revise(CAR).await;
    assert_eq!(calls.managed(&by_hand).await["situacao"], "ABERTO");
    assert_eq!(calls.cancel(&calls.operator, &json!(CAR), "").await.status, 200);
    calls.revise(CAR).await;
    assert_eq!(calls.managed(&by_hand).await["situacao"], "CANCELADO");
    calls.check_books("the benefit has left").await;
}

/// What it charges of each of its benefits is not known.
#[both_engines]
async fn a_title_by_hand_for_several_benefits_falls_away_with_the_last_of_them(world: World) {
    let calls = charged_members(world).await;
    calls.active_car(1, "NEW1A23", json!({"diaVencimento": 10})).await;
    let both = json!({"codBeneficios": [CAR, 5], "vencimento": "2026-12-10"});
    let title = calls.issue_managed(both).await.remove(0);
    for (benefit, result, situation) in [(CAR, "MANTIDO", "ABERTO"), (5, "CANCELADO", "CANCELADO")] {
        assert_eq!(calls.cancel(&calls.operator, &json!(benefit), "").await.status, 200);
        let waiting = calls.read(&calls.operator, REVISIONS, &[]).await;
        assert_eq!(each(&items(&waiting), "codBeneficio"), [benefit]);
        let revision = calls.revision(benefit).await;
        assert_eq!(revision["titulos"][0]["resultado"], result, "{revision}");
        calls.revise(benefit).await;
        assert_eq!(calls.managed(&title).await["situacao"], situation);
        calls.check_books("a benefit has left").await;
    }
    assert_eq!(calls.count("charged_months").await, 0, "nothing charges the month any more");
}

/// A debt stays a debt when another day is agreed on for it.
#[both_engines]
async fn an_overdue_title_is_not_revised_when_its_due_day_is_moved(world: World) {
    let calls = charged_members(world).await;
    let late = calls.saved(&calls.operator, crate::finance::scene::TITLES, &late_title()).await;
    let moved = json!({"vencimento": "2026-12-05", "motivo": "acordo por telefone"});
    let reply = calls.put_managed(&late, "/vencimento", moved).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    assert_eq!(calls.cancel(&calls.operator, &json!(CAR), "").await.status, 200);
    assert_eq!(calls.count("title_revisions").await, 0);
    assert_eq!(calls.managed(&late).await["situacao"], "ABERTO");
}

/// In two halves last month, in one now.
#[both_engines]
async fn the_month_before_is_the_sum_of_its_runs(world: World) {
    let calls = charged_members(world).await;
    let one = calls.issue_run(in_branch(run_of("2026-12"), 2)).await.run;
    let other = calls.issue_run(in_branch(run_of("2026-12"), 1)).await.run;
    let next = calls.prepare(run_of("2027-01")).await;
    let before = next.previous.unwrap();
    assert_eq!(before.run, other.code);
    assert_eq!(before.counts.charged, one.counts.charged + other.counts.charged);
    assert_eq!(before.counts.charged_amount, next.run.counts.charged_amount);
    assert_eq!(before.counts.benefits, next.run.counts.benefits);
    let of_branch = calls.prepare(in_branch(run_of("2027-01"), 2)).await.previous.unwrap();
    assert_eq!((of_branch.run, of_branch.counts.charged), (one.code, one.counts.charged));
}

/// The month is charged by what is left, whichever of two titles goes.
#[both_engines]
async fn a_month_stays_charged_while_one_of_its_titles_is_in_force(world: World) {
    let calls = charged_members(world).await;
    let first = calls.issue(json!({"vencimento": "2026-12-10"})).await;
    let second = calls.issue(json!({"vencimento": "2026-12-15", "valor": 90})).await;
    let cancel = async |title: &Value| {
        let reply = calls.put_managed(title, "/cancelar", json!({"motivo": "valor errado"})).await;
        assert_eq!(reply.status, 200, "{reply:?}");
    };
    cancel(&first).await;
    calls.check_books("one of two is left").await;
    let prepared = calls.prepare(run_of("2026-12")).await;
    let reason = reason_of(&calls, prepared.run.code, CAR).await;
    assert_eq!(reason, Some(NotChargedReason::TitleOutsideRuns));
    let listed = calls.list_benefits(prepared.run.code, charging::RunBenefitFilter::All).await;
    let car = listed.iter().find(|one| one.row.benefit.get() == CAR).unwrap();
    assert_eq!(json!(car.row.title.unwrap().get()), second["codTitulo"], "the title is told");
    cancel(&second).await;
    let again = calls.prepare(run_of("2026-12")).await;
    assert_eq!(reason_of(&calls, again.run.code, CAR).await, None);
}

/// A run's title is undone, and one by hand stays.
#[both_engines]
async fn an_undone_month_is_charged_by_the_title_by_hand_that_stays(world: World) {
    let calls = charged_members(world).await;
    let issued = calls.issue_run(run_of("2026-12")).await;
    calls.issue(json!({"vencimento": "2026-12-15"})).await;
    calls.undo(issued.run.code).await;
    let again = calls.prepare(run_of("2026-12")).await;
    let reason = reason_of(&calls, again.run.code, CAR).await;
    assert_eq!(reason, Some(NotChargedReason::TitleOutsideRuns));
    assert_eq!(reason_of(&calls, again.run.code, FAR_CAR).await, None);
}

/// The one-off charge is no contribution, though its title is of the monthly type and due in the month.
#[both_engines]
async fn an_undone_month_does_not_pass_to_the_title_of_a_one_off_charge(world: World) {
    let calls = charged_members(world).await;
    let issued = calls.issue_run(run_of("2026-12")).await;
    let pending = "/gestao/financeiro/lancamento";
    let line = json!({"codBeneficio": CAR, "codItemCobranca": 5, "valor": 8});
    let charge = calls.saved(&calls.operator, pending, &line).await["codLancamento"].clone();
    let path = format!("{pending}/{charge}/emitir");
    let reply = calls.post(&calls.operator, &path, &json!({"vencimento": "2026-12-10"})).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    let monthly = "UPDATE titles SET title_type = 1 WHERE tenant = $1 AND amount = 800";
    calls.alter(calls.world.here, monthly, Vec::new()).await;
    calls.undo(issued.run.code).await;
    assert_eq!(calls.count("charged_months").await, 0);
    let again = calls.prepare(run_of("2026-12")).await;
    assert_eq!(reason_of(&calls, again.run.code, CAR).await, None);
}

/// As other systems issue them: one title for all vehicles of a member.
#[both_engines]
async fn a_title_without_benefits_charges_all_of_its_place(world: World) {
    let calls = charged_members(world).await;
    calls.active_car(1, "NEW1A23", json!({"diaVencimento": 10})).await;
    let sheet = format!("CPF;Tipo;Valor;Vencimento;Código\n{};1;301,20;10/12/2026;A\n", cpf(1));
    import_titles(&calls, &sheet).await;
    let prepared = calls.prepare(run_of("2026-12")).await;
    for benefit in [CAR, 5] {
        let reason = reason_of(&calls, prepared.run.code, benefit).await;
        assert_eq!(reason, Some(NotChargedReason::TitleOutsideRuns), "{benefit}");
    }
    assert_eq!(reason_of(&calls, prepared.run.code, SECOND_CAR).await, None);
}

/// The booklet of the other system was issued before the second vehicle came.
#[both_engines]
async fn a_title_without_benefits_charges_none_that_joined_after_it(world: World) {
    let calls = charged_members(world).await;
    calls.active_car(1, "NEW1A23", json!({"diaVencimento": 10})).await;
    let join = "UPDATE benefits SET joined_on = $2 WHERE tenant = $1 AND code = $3";
    for (benefit, day) in [(CAR, "2026-01-10"), (5, "2026-11-10")] {
        calls.alter(calls.world.here, join, vec![day.into(), benefit.into()]).await;
    }
    let sheet = "CPF;Tipo;Valor;Emissão;Vencimento;Código\n".to_owned();
    let sheet = format!("{sheet}{};1;301,20;05/11/2026;10/12/2026;A\n", cpf(1));
    import_titles(&calls, &sheet).await;
    // The same when they are claimed by a run.
    let freed = "DELETE FROM charged_months WHERE tenant = $1";
    for when in ["at once", "late"] {
        let prepared = calls.prepare(run_of("2026-12")).await;
        let run = prepared.run.code;
        assert_eq!(reason_of(&calls, run, CAR).await, Some(NotChargedReason::TitleOutsideRuns), "{when}");
        assert_eq!(reason_of(&calls, run, 5).await, None, "{when}");
        calls.alter(calls.world.here, freed, Vec::new()).await;
    }
}

/// It is issued in the month of joining, for a month that such a benefit is not charged yet.
#[both_engines]
async fn a_title_without_benefits_charges_none_before_its_first_month(world: World) {
    let calls = charged_members(world).await;
    let join = "UPDATE benefits SET joined_on = $2 WHERE tenant = $1 AND code = $3";
    calls.alter(calls.world.here, join, vec!["2026-11-14".into(), CAR.into()]).await;
    calls.issue_managed(json!({"vencimento": "2026-11-20"})).await;
    let claimed = "SELECT COUNT(*) AS n FROM charged_months WHERE tenant = $1 AND benefit = 1";
    assert_eq!(calls.numbers(claimed).await, [0]);
    calls.issue_managed(json!({"vencimento": "2026-12-20"})).await;
    assert_eq!(calls.numbers(claimed).await, [1]);
}

/// An agreement on an old debt is no contribution.
#[both_engines]
async fn instalments_by_hand_charge_no_month(world: World) {
    let calls = charged_members(world).await;
    calls.issue_managed(json!({"codBeneficios": [CAR], "parcelas": 3, "vencimento": "2026-12-10"})).await;
    let prepared = calls.prepare(run_of("2026-12")).await;
    assert_eq!(reason_of(&calls, prepared.run.code, CAR).await, None);
}

/// A program issued another title for the month meanwhile.
#[both_engines]
async fn a_revision_replaces_a_title_beside_one_by_hand(world: World) {
    let calls = charged_members(world).await;
    calls.issue_run(run_of("2026-12")).await;
    calls.issue(json!({"vencimento": "2026-12-20"})).await;
    calls.change_due_day(CAR, 15).await;
    let revised = calls.revise(CAR).await;
    assert_eq!(revised["emitidos"].as_array().unwrap().len(), 1, "{revised}");
    calls.check_books("a title was replaced").await;
    let again = calls.prepare(run_of("2026-12")).await;
    assert_eq!(reason_of(&calls, again.run.code, CAR).await, Some(NotChargedReason::AlreadyCharged));
}

/// The benefit leaves and takes the run's title with it; the one by hand still charges the month.
#[both_engines]
async fn a_revision_leaves_the_month_to_the_title_by_hand(world: World) {
    let calls = charged_members(world).await;
    calls.issue_run(run_of("2026-12")).await;
    let by_hand = calls.issue(json!({"vencimento": "2026-12-20"})).await;
    assert_eq!(calls.cancel(&calls.operator, &json!(CAR), "").await.status, 200);
    calls.revise(CAR).await;
    calls.check_books("the benefit has left").await;
    let charging =
        calls.numbers("SELECT title AS n FROM charged_months WHERE tenant = $1 AND benefit = 1").await;
    assert_eq!(json!(charging), json!([by_hand["codTitulo"]]));
}

/// From now on the rule charges by titles of the second type.
async fn adopt_second_type(calls: &Calls) {
    let rule = "UPDATE charging_rules SET title_type = 2 WHERE tenant = $1";
    calls.alter(calls.world.here, rule, Vec::new()).await;
}

/// The other association has the same titles, and its rule stays as it is.
#[both_engines]
async fn titles_of_a_sheet_charge_their_month_once_a_rule_uses_their_type(world: World) {
    let calls = charged_members(world).await;
    calls.active_car(1, "NEW1A23", json!({"diaVencimento": 10})).await;
    let sheet = format!("CPF;Tipo;Valor;Vencimento;Código\n{};2;301,20;10/12/2026;A\n", cpf(1));
    import_titles(&calls, &sheet).await;
    let there = calls.server().token("admin@ali.example").await;
    import_titles_as(&calls, &there, &sheet).await;
    let before = calls.prepare(run_of("2026-12")).await;
    assert_eq!(reason_of(&calls, before.run.code, CAR).await, None);
    adopt_second_type(&calls).await;
    calls.approve(before.run.code).await;
    calls.work().await;
    let after = calls.prepare(run_of("2026-12")).await;
    for (run, when) in [(before.run.code, "prepared before"), (after.run.code, "prepared after")] {
        calls.check_run(&calls.read_run(run).await).await;
        for benefit in [CAR, 5] {
            let reason = reason_of(&calls, run, benefit).await;
            assert_eq!(reason, Some(NotChargedReason::TitleOutsideRuns), "{when}: {benefit}");
        }
    }
    assert_eq!(reason_of(&calls, before.run.code, SECOND_CAR).await, None);
    let elsewhere = "SELECT COUNT(*) AS n FROM charged_months WHERE tenant <> $1";
    assert_eq!(calls.numbers(elsewhere).await, [0]);
}

/// The process that claims the first of them is gone then.
#[both_engines]
async fn months_of_many_titles_are_claimed_in_portions(world: World) {
    let calls = charged_members(world).await;
    let mut sheet = "CPF;Tipo;Valor;Vencimento;Código\n".to_owned();
    for number in 1..=finance::CLAIMED_TITLES_PER_UNIT {
        writeln!(sheet, "{};2;{number},00;10/12/2026;D{number}", cpf(1)).unwrap();
    }
    writeln!(sheet, "{};2;150,00;10/01/2027;J", cpf(1)).unwrap();
    import_titles(&calls, &sheet).await;
    adopt_second_type(&calls).await;
    let run = calls.begin_run(run_of("2027-01")).await;
    let app = calls.world.app();
    assert!(charging::run_charging_at(app, small_steps(Some(1))).await.unwrap());
    let claimed = "SELECT COUNT(*) AS n FROM charged_months WHERE tenant = $1 AND benefit = 1";
    assert_eq!(calls.numbers(claimed).await, [1], "December");
    calls.world.clock.pass(std::time::Duration::from_secs(31));
    calls.work().await;
    assert_eq!(calls.numbers(claimed).await, [2]);
    let prepared = calls.read_run(run).await;
    assert_eq!(prepared.run.state, ChargingRunState::Prepared);
    calls.check_run(&prepared).await;
    assert_eq!(reason_of(&calls, run, CAR).await, Some(NotChargedReason::TitleOutsideRuns));
    assert_eq!(reason_of(&calls, run, FAR_CAR).await, None);
}

/// A program issued them before the association had a rule for their type. Instalments and other months are left out.
#[both_engines]
async fn titles_by_hand_charge_their_month_once_a_rule_uses_their_type(world: World) {
    let calls = charged_members(world).await;
    let title = calls.issue(json!({"codTipoTitulo": 2, "vencimento": "2026-12-15"})).await;
    calls.issue(json!({"codTipoTitulo": 2, "vencimento": "2027-02-15"})).await;
    let parts = json!({"codPessoa": 2, "codBeneficios": [SECOND_CAR], "codTipoTitulo": 2, "parcelas": 2,
        "vencimento": "2026-12-10"});
    calls.issue_managed(parts).await;
    adopt_second_type(&calls).await;
    let prepared = calls.prepare(run_of("2026-12")).await;
    let reason = reason_of(&calls, prepared.run.code, CAR).await;
    assert_eq!(reason, Some(NotChargedReason::TitleOutsideRuns));
    assert_eq!(reason_of(&calls, prepared.run.code, SECOND_CAR).await, None);
    let charging = "SELECT title AS n FROM charged_months WHERE tenant = $1";
    assert_eq!(json!(calls.numbers(charging).await), json!([title["codTitulo"]]));
    assert_eq!(calls.numbers("SELECT run AS n FROM charged_months WHERE tenant = $1").await, [0], "by hand");
}

/// Ninety titles are less than a unit, but not for six vehicles each.
#[both_engines]
async fn a_unit_of_claims_ends_after_so_many_benefits(world: World) {
    let calls = charged_members(world).await;
    for number in 1..=5 {
        calls.active_car(1, &format!("NEW1A2{number}"), json!({"diaVencimento": 10})).await;
    }
    let mut sheet = "CPF;Tipo;Valor;Vencimento;Código\n".to_owned();
    for number in 1..=90 {
        writeln!(sheet, "{};2;{number},00;10/12/2026;D{number}", cpf(1)).unwrap();
    }
    writeln!(sheet, "{};2;150,00;10/01/2027;J", cpf(1)).unwrap();
    import_titles(&calls, &sheet).await;
    adopt_second_type(&calls).await;
    let run = calls.begin_run(run_of("2027-01")).await;
    assert!(charging::run_charging_at(calls.world.app(), small_steps(Some(1))).await.unwrap());
    let claimed = "SELECT COUNT(*) AS n FROM charged_months WHERE tenant = $1 AND benefit = 1";
    assert_eq!(calls.numbers(claimed).await, [1], "December");
    calls.world.clock.pass(std::time::Duration::from_secs(31));
    calls.work().await;
    assert_eq!(calls.numbers(claimed).await, [2]);
    assert_eq!(reason_of(&calls, run, CAR).await, Some(NotChargedReason::TitleOutsideRuns));
}

/// The other system charged the joining fee, whichever of its two titles is left.
#[both_engines]
async fn a_month_that_passes_to_an_imported_title_stays_one_of_the_other_system(world: World) {
    let calls = charged_members(world).await;
    let fee = "UPDATE plans SET joining_fee = 5000 WHERE tenant = $1 AND code = 1";
    calls.alter(calls.world.here, fee, Vec::new()).await;
    let rows = [("101,20", "A"), ("99,00", "B")]
        .map(|(amount, key)| format!("{};{PLATE};1;{amount};10/12/2026;{key}", cpf(1)));
    import_titles(&calls, &format!("CPF;Placa;Tipo;Valor;Vencimento;Código\n{}\n", rows.join("\n"))).await;
    let charging = "SELECT title AS n FROM charged_months WHERE tenant = $1 AND benefit = 1";
    let first = calls.numbers(charging).await[0];
    let title = json!({"codTitulo": first});
    let reply = calls.put_managed(&title, "/cancelar", json!({"motivo": "veio em dobro"})).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    calls.check_books("one of two is left").await;
    assert_ne!(calls.numbers(charging).await, [first]);
    let origin = "SELECT run AS n FROM charged_months WHERE tenant = $1 AND benefit = 1";
    assert_eq!(calls.numbers(origin).await, [-1]);
    calls.issue_run(in_branch(run_of("2027-01"), 2)).await;
    assert_eq!(calls.numbers(JOINING_FEES).await, [0]);
}

/// A title is for the month in which it was due at first.
#[both_engines]
async fn a_month_passes_to_a_title_that_is_due_later_now(world: World) {
    let calls = charged_members(world).await;
    let first = calls.issue(json!({"vencimento": "2026-12-10"})).await;
    let moved = calls.issue(json!({"vencimento": "2026-12-15", "valor": 90})).await;
    calls.issue(json!({"vencimento": "2027-01-15", "valor": 80})).await;
    let later = json!({"vencimento": "2027-01-05", "motivo": "acordo por telefone"});
    let reply = calls.put_managed(&moved, "/vencimento", later).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    let reply = calls.put_managed(&first, "/cancelar", json!({"motivo": "valor errado"})).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    calls.check_books("one of December is left").await;
    let charging =
        "SELECT title AS n FROM charged_months WHERE tenant = $1 AND benefit = 1 AND month = '2026-12'";
    assert_eq!(json!(calls.numbers(charging).await), json!([moved["codTitulo"]]));
    let origin =
        "SELECT run AS n FROM charged_months WHERE tenant = $1 AND benefit = 1 AND month = '2026-12'";
    assert_eq!(calls.numbers(origin).await, [0], "by hand");
}

/// Three thousand titles of another month.
const OTHER_TITLES: &str = "INSERT INTO titles (tenant, code, person, branch, protection_group, title_type, launch_kind,
         description, issued_on, due_on, original_due_on, effective_due_on, instalment, instalments, fine, monthly_interest,
         shortfall, amount, open_amount, settled_total, situation, version, created_at, updated_at)
     WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 3000)
     SELECT t.tenant, 100000 + n.number, t.person, t.branch, t.protection_group, t.title_type, t.launch_kind,
         t.description, '2026-01-05', '2026-01-10', '2026-01-10', '2026-01-12', 1, 1, t.fine, t.monthly_interest,
         t.shortfall, 100, 0, 100, 3, 1, 0, 0
     FROM titles t CROSS JOIN numbers n WHERE t.tenant = $1 AND t.code = $2";

/// However many titles of other months the person has. The embedded engine counts its steps.
#[both_engines]
async fn a_month_passes_on_without_a_look_at_other_months(world: World) {
    let calls = charged_members(world).await;
    let steps = Arc::new(AtomicI64::new(0));
    let counted = Arc::clone(&steps);
    let watch = StatementWatch::new(move |executed| {
        if executed.text.starts_with("UPDATE charged_months") {
            counted.fetch_max(executed.cost.steps.into(), Ordering::Relaxed);
        }
    });
    let options = DatabaseOptions { watch: Some(watch), ..DatabaseOptions::default() };
    let db = calls.world.database.open_with(&options).await;
    let app = app::App { db, ..calls.world.processes()[0].clone() };
    let boss = calls.boss().await;
    let cancel = async |title: i64| {
        let input = (TitleCode::new(i32::try_from(title).unwrap()), "valor errado".to_owned());
        finance::cancel_title(&app, &boss, input, IdempotentWrite::without_key()).await.unwrap();
        steps.swap(0, Ordering::Relaxed)
    };
    let first = calls.issue(json!({"vencimento": "2026-12-10"})).await["codTitulo"].as_i64().unwrap();
    let second = calls.issue(json!({"vencimento": "2026-12-11"})).await["codTitulo"].as_i64().unwrap();
    let with_few = cancel(first).await;
    calls.alter(calls.world.here, OTHER_TITLES, vec![SqlScalar::Int(second)]).await;
    let third = calls.issue(json!({"vencimento": "2026-12-12"})).await["codTitulo"].as_i64().unwrap();
    let with_many = cancel(second).await;
    assert!(with_many <= 2 * with_few, "{with_few} steps, then {with_many}");
    let charging = "SELECT title AS n FROM charged_months WHERE tenant = $1 AND benefit = 1";
    assert_eq!(calls.numbers(charging).await, [third]);
    app.db.close().await;
}

/// The branch first, then the due day: two vehicles are in both, and one is charged again after its title was cancelled.
#[both_engines]
async fn benefits_of_overlapping_runs_count_once_in_the_month_before(world: World) {
    let calls = charged_members(world).await;
    let one = calls.issue_run(in_branch(run_of("2026-12"), 2)).await.run;
    let title = titles_of(&calls, MEMBER).await[0].clone();
    let reply = calls.put_managed(&title, "/cancelar", json!({"motivo": "cobrado de novo"})).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    let of_day = NewChargingRun { due_day: Some(10), ..run_of("2026-12") };
    let other = calls.issue_run(of_day).await.run;
    assert_eq!((one.counts.charged, other.counts.charged), (2, 2));
    let next = calls.prepare(run_of("2027-01")).await;
    let before = next.previous.unwrap();
    assert_eq!(before.run, other.code);
    assert_eq!((before.counts.benefits, before.counts.charged), (next.run.counts.benefits, 3));
    assert_eq!(before.counts.charged_amount, next.run.counts.charged_amount);
    assert_eq!(before.counts.titles, one.counts.titles + other.counts.titles - 1);
    assert_eq!(before.counts.titles_amount, before.counts.charged_amount);
}
