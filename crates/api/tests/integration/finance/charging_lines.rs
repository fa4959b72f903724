//! What a charging run charges a benefit: prices, fees, discounts and one-off charges.

use crate::calls::Calls;
use crate::finance::charging_scene::{code, reason_of, run_of};
use crate::finance::scene::{CAR, MEMBER, SECOND_CAR, charged_members};
use domain::finance::NotChargedReason;
use finance::charging::{self, ChargeSource, RunBenefitFilter};
use serde_json::json;
use storage::SqlScalar;
use testkit::{World, both_engines};

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

/// The member's car joined on a day, and its plan has a joining fee.
async fn charged_joiner(world: World, joined_on: &str) -> Calls {
    let calls = charged_members(world).await;
    let here = calls.world.here;
    calls.alter(here, "UPDATE plans SET joining_fee = 5000 WHERE tenant = $1 AND code = 1", Vec::new()).await;
    let join = "UPDATE benefits SET joined_on = $2 WHERE tenant = $1 AND code = $3";
    calls.alter(here, join, vec![joined_on.into(), CAR.into()]).await;
    calls
}

/// How many joining fees titles in force charge the member's car.
pub const JOINING_FEES: &str =
    "SELECT COUNT(*) AS n FROM title_lines l JOIN titles t ON t.tenant = l.tenant AND t.code = l.title
     JOIN charge_items i ON i.tenant = l.tenant AND i.code = l.charge_item
     WHERE l.tenant = $1 AND COALESCE(l.benefit, 1) = 1 AND i.kind = 4 AND t.situation <> 4";

/// Whatever the order in which months are charged.
#[both_engines]
async fn the_joining_fee_is_charged_once(world: World) {
    let calls = charged_joiner(world, "2026-11-20").await;
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
async fn the_joining_fee_is_charged_once_by_runs_prepared_together(world: World) {
    let calls = charged_joiner(world, "2026-11-20").await;
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

/// Somebody wrote the fee down before the first run.
#[both_engines]
async fn a_joining_fee_that_waits_as_a_one_off_charge_is_charged_once(world: World) {
    let calls = charged_joiner(world, "2026-11-10").await;
    let fee = calls.numbers("SELECT code AS n FROM charge_items WHERE tenant = $1 AND kind = 4").await[0];
    let charge = json!({"codPessoa": MEMBER, "codBeneficio": CAR, "codItemCobranca": fee, "valor": 30});
    calls.saved(&calls.operator, "/gestao/financeiro/lancamento", &charge).await;
    let issued = calls.issue_run(run_of("2026-12")).await;
    assert_eq!(calls.numbers(JOINING_FEES).await, [1]);
    let charged = calls.list_benefits(issued.run.code, RunBenefitFilter::Charged).await;
    let car = charged.iter().find(|one| one.row.benefit == code(CAR)).unwrap();
    assert_eq!(car.row.amount, 15_055 + 3_000);
    let next = calls.prepare(run_of("2027-01")).await;
    let charged = calls.list_benefits(next.run.code, RunBenefitFilter::Charged).await;
    assert_eq!(charged.iter().find(|one| one.row.benefit == code(CAR)).unwrap().row.amount, 15_055);
}

/// Of a person whose benefits are charged no more.
#[both_engines]
async fn a_one_off_charge_that_no_benefit_takes_is_told(world: World) {
    let calls = charged_members(world).await;
    for person in [MEMBER, 2] {
        let charge = json!({"codPessoa": person, "codItemCobranca": 5, "valor": 7});
        calls.saved(&calls.operator, "/gestao/financeiro/lancamento", &charge).await;
    }
    assert_eq!(calls.cancel(&calls.operator, &json!(SECOND_CAR), "").await.status, 200);
    let prepared = calls.prepare(run_of("2026-12")).await;
    let left = prepared.left_charges;
    assert_eq!((left.charges, left.amount), (1, 700), "the other is taken");
    let listed =
        charging::list_left_charges(calls.world.app(), &*calls.boss().await, prepared.run.code, 20).await;
    assert_eq!(listed.unwrap().iter().map(|one| one.person.get()).collect::<Vec<_>>(), [2]);
    calls.approve(prepared.run.code).await;
    calls.work().await;
    let issued = calls.read_run(prepared.run.code).await;
    assert_eq!((issued.left_charges.charges, issued.left_charges.amount), (1, 700));
    let path = format!("/gestao/financeiro/cobranca/{}", issued.run.code);
    let shown = calls.read(&calls.administrator, &path, &[]).await;
    assert_eq!(shown["lancamentosDeFora"], json!({"quantidade": 1, "valor": 7}));
}

/// The first contribution was charged by hand at the sale; the fee was not.
#[both_engines]
async fn a_contribution_by_hand_takes_no_joining_fee_away(world: World) {
    let calls = charged_joiner(world, "2026-11-10").await;
    calls.issue(json!({"vencimento": "2026-12-10"})).await;
    let december = calls.issue_run(run_of("2026-12")).await;
    assert_eq!(reason_of(&calls, december.run.code, CAR).await, Some(NotChargedReason::TitleOutsideRuns));
    assert_eq!(calls.numbers(JOINING_FEES).await, [0]);
    calls.issue_run(run_of("2027-01")).await;
    assert_eq!(calls.numbers(JOINING_FEES).await, [1]);
}

/// One fee that was written down for the person is for one of two benefits.
#[both_engines]
async fn a_joining_fee_that_waits_is_for_one_benefit(world: World) {
    let calls = charged_members(world).await;
    let here = calls.world.here;
    calls.active_car(1, "NEW1A23", json!({"diaVencimento": 10})).await;
    calls.alter(here, "UPDATE plans SET joining_fee = 5000 WHERE tenant = $1 AND code = 1", Vec::new()).await;
    let join = "UPDATE benefits SET joined_on = $2 WHERE tenant = $1 AND person = $3";
    calls.alter(here, join, vec!["2026-11-10".into(), MEMBER.into()]).await;
    let fee = calls.numbers("SELECT code AS n FROM charge_items WHERE tenant = $1 AND kind = 4").await[0];
    let charge = json!({"codPessoa": MEMBER, "codItemCobranca": fee, "valor": 50});
    calls.saved(&calls.operator, "/gestao/financeiro/lancamento", &charge).await;
    let issued = calls.issue_run(run_of("2026-12")).await;
    let charged = calls.list_benefits(issued.run.code, RunBenefitFilter::Charged).await;
    let of_member = charged.iter().filter(|one| one.row.person.get() == MEMBER);
    assert_eq!(of_member.map(|one| one.row.amount).sum::<i64>(), 2 * (15_055 + 5_000));
}
