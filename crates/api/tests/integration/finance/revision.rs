//! Titles that are not yet due, after their benefit has changed.

use crate::calls::{Calls, array, items, with};
use crate::finance::charging_lines::JOINING_FEES;
use crate::finance::charging_scene::run_of;
use crate::finance::scene::{CAR, FAR_CAR, MEMBER, SECOND_CAR, charged_members, late_title};
use domain::{BenefitCode, SituationCode};
use finance::charging::NewChargingRun;
use finance::charging::revision::{RevisedTitle, TitleRevisionOutcome, preview_revisions};
use serde_json::{Value, json};
use storage::SqlScalar;
use testkit::{Reply, World, both_engines};

pub const REVISIONS: &str = "/gestao/financeiro/revisao";
/// What is seen of a revision that cancels and issues nothing.
pub const REVISION_OF_NOTHING: &str = "e3b0c44298fc1c14";
/// A second vehicle of the member, with the same due day as the first: both are in one title.
const OTHER_CAR: i32 = 5;

/// Both vehicles of the member are charged for December in one title, and so is everybody else.
async fn charged_december(world: World) -> Calls {
    let calls = charged_members(world).await;
    calls.active_car(1, "OUT1A23", json!({"diaVencimento": 10})).await;
    calls.issue_run(run_of("2026-12")).await;
    assert_eq!(waiting(&calls).await, Vec::<Value>::new());
    calls
}

/// The benefits that wait, as the administrator sees them.
async fn waiting(calls: &Calls) -> Vec<Value> {
    items(&calls.read(&calls.administrator, REVISIONS, &[]).await)
}

impl Calls {
    /// What a revision would do, as the operator sees it.
    pub async fn revision(&self, benefit: i32) -> Value {
        self.read(&self.operator, &format!("{REVISIONS}/{benefit}"), &[]).await
    }

    pub async fn apply(&self, token: &str, revision: &Value) -> Reply {
        self.put(
            token,
            &format!("{REVISIONS}/{}/aplicar", revision["codBeneficio"]),
            &what_was_seen(revision),
        )
        .await
    }

    /// Applies the revision of a benefit as it is shown.
    pub async fn revise(&self, benefit: i32) -> Value {
        let revision = self.revision(benefit).await;
        let applied = self.apply(&self.operator, &revision).await;
        assert_eq!(applied.status, 200, "{revision}: {applied:?}");
        applied.json()
    }

    pub async fn change_due_day(&self, benefit: i32, day: i32) {
        self.change_benefit(benefit, json!({"diaVencimento": day})).await;
    }

    async fn change_benefit(&self, benefit: i32, change: Value) {
        let path = format!("/gestao/beneficio/{benefit}");
        let version = self.read(&self.administrator, &path, &[]).await["versao"].clone();
        let change = with(change, json!({"versao": version}));
        let changed = self.put(&self.administrator, &path, &change).await;
        assert_eq!(changed.status, 200, "{change}: {changed:?}");
    }
}

fn what_was_seen(revision: &Value) -> Value {
    json!({"conferencia": revision["conferencia"]})
}

fn field<'v>(records: &'v [Value], name: &str) -> Vec<&'v Value> {
    records.iter().map(|record| &record[name]).collect()
}

/// The titles that are open of the operator's member.
async fn open_titles(calls: &Calls) -> Vec<Value> {
    let person = MEMBER.to_string();
    calls.titles(&[("codPessoa", &person), ("situacao", "Aberto")]).await
}

#[both_engines]
async fn a_cancelled_benefit_leaves_the_title_of_the_others(world: World) {
    let calls = charged_december(world).await;
    let before = open_titles(&calls).await;
    assert_eq!(field(&before, "valor"), [301.1], "both vehicles are in one title");
    assert_eq!(calls.cancel(&calls.operator, &json!(CAR), "").await.status, 200);
    let listed = waiting(&calls).await;
    assert_eq!(field(&listed, "codBeneficio"), [CAR]);
    assert_eq!((&listed[0]["titulos"], &listed[0]["valor"]), (&json!(1), &json!(301.1)), "{listed:?}");
    let revision = calls.revision(CAR).await;
    let [title] = &array(&revision["titulos"])[..] else { panic!("{revision}") };
    assert_eq!(
        (&title["resultado"], &title["motivo"], &title["novos"][0]["valor"]),
        (&json!("SUBSTITUIDO"), &json!("SAIU"), &json!(150.55)),
        "{revision}"
    );
    let applied = calls.revise(CAR).await;
    assert_eq!(applied["cancelados"], json!([before[0]["codTitulo"]]), "{applied}");
    calls.check_books("a revision").await;
    let after = open_titles(&calls).await;
    assert_eq!(field(&after, "valor"), [150.55]);
    assert_eq!(after[0]["dataVencimento"], before[0]["dataVencimento"]);
    assert_eq!(waiting(&calls).await, Vec::<Value>::new());
    // The run of the month knows the new title: it is undone with the others.
    let runs = calls.numbers("SELECT code AS n FROM charging_runs WHERE tenant = $1").await;
    calls.undo(domain::ChargingRunCode::new(i32::try_from(runs[0]).unwrap())).await;
    assert_eq!(open_titles(&calls).await, Vec::<Value>::new());
    let again = calls.issue_run(run_of("2026-12")).await;
    assert!(again.run.counts.charged > 0);
}

#[both_engines]
async fn another_due_day_gets_a_title_of_its_own(world: World) {
    let calls = charged_december(world).await;
    calls.change_due_day(CAR, 15).await;
    calls.revise(CAR).await;
    let mut after = open_titles(&calls).await;
    after.sort_by_key(|title| title["dataVencimento"].as_str().unwrap().to_owned());
    assert_eq!(field(&after, "dataVencimento"), ["10/12/2026", "15/12/2026"]);
    assert_eq!(field(&after, "valor"), [150.55, 150.55]);
    calls.check_books("another due day").await;
    // And back again: what is alike is not joined, but nothing is charged twice.
    calls.change_due_day(CAR, 10).await;
    calls.revise(CAR).await;
    let after = open_titles(&calls).await;
    assert_eq!(field(&after, "dataVencimento"), ["10/12/2026", "10/12/2026"]);
    assert_eq!(field(&after, "valor"), [150.55, 150.55]);
    calls.check_books("back again").await;
    let next = calls.prepare(run_of("2026-12")).await;
    assert_eq!(next.run.counts.charged, 0, "the month is charged");
}

#[both_engines]
async fn a_change_that_leaves_the_charge_alike_leaves_the_title(world: World) {
    let calls = charged_december(world).await;
    let path = format!("/gestao/beneficio/{CAR}/situacao");
    let suspended = calls.put(&calls.operator, &path, &json!({"situacao": "SUSPENSO"})).await;
    assert_eq!(suspended.status, 200, "{suspended:?}");
    assert_eq!(field(&waiting(&calls).await, "codBeneficio"), [CAR]);
    let revision = calls.revision(CAR).await;
    assert_eq!(revision["titulos"][0]["resultado"], "MANTIDO", "{revision}");
    let applied = calls.revise(CAR).await;
    assert_eq!((&applied["cancelados"], &applied["emitidos"]), (&json!([]), &json!([])));
    assert_eq!(waiting(&calls).await, Vec::<Value>::new());
    // A change of nothing that is charged does not wait at all.
    calls.change_benefit(CAR, json!({"observacao": "Nota"})).await;
    assert_eq!(waiting(&calls).await, Vec::<Value>::new());
}

#[both_engines]
async fn what_is_paid_or_overdue_stays(world: World) {
    let mut calls = charged_members(world).await;
    calls.issue_run(NewChargingRun { instalments: 3, ..run_of("2026-12") }).await;
    let open = open_titles(&calls).await;
    assert_eq!(open.len(), 3);
    calls.settle(&open[1], 10.0).await;
    calls.pass_days(40).await;
    assert_eq!(calls.cancel(&calls.operator, &json!(CAR), "").await.status, 200);
    let revision = calls.revision(CAR).await;
    let titles = array(&revision["titulos"]);
    assert_eq!(field(&titles, "mes"), ["01/2027", "02/2027"], "December is overdue");
    assert_eq!(field(&titles, "resultado"), ["PAGO", "CANCELADO"]);
    calls.revise(CAR).await;
    calls.check_books("a revision of a booklet").await;
    let left = open_titles(&calls).await;
    assert_eq!(field(&left, "codTitulo"), field(&open[..2], "codTitulo"));
}

#[both_engines]
async fn one_off_charges_stay_with_their_benefit_or_wait(world: World) {
    let calls = charged_members(world).await;
    calls.active_car(1, "OUT1A23", json!({"diaVencimento": 10})).await;
    for (benefit, amount) in [(CAR, 7.0), (OTHER_CAR, 9.0)] {
        let charge =
            json!({"codPessoa": MEMBER, "codBeneficio": benefit, "codItemCobranca": 5, "valor": amount});
        calls.saved(&calls.operator, "/gestao/financeiro/lancamento", &charge).await;
    }
    calls.issue_run(run_of("2026-12")).await;
    assert_eq!(field(&open_titles(&calls).await, "valor"), [317.1]);
    calls.change_due_day(CAR, 15).await;
    calls.revise(CAR).await;
    let mut after = open_titles(&calls).await;
    after.sort_by_key(|title| title["dataVencimento"].as_str().unwrap().to_owned());
    assert_eq!(field(&after, "valor"), [159.55, 157.55]);
    assert_eq!(calls.cancel(&calls.operator, &json!(OTHER_CAR), "").await.status, 200);
    calls.revise(OTHER_CAR).await;
    assert_eq!(field(&open_titles(&calls).await, "valor"), [157.55]);
    let situations = "SELECT situation AS n FROM pending_charges WHERE tenant = $1 ORDER BY code";
    assert_eq!(calls.numbers(situations).await, [2, 1], "the one of the cancelled benefit waits");
    calls.check_books("one-off charges").await;
}

#[both_engines]
async fn only_what_was_seen_is_done_and_only_once(world: World) {
    let calls = charged_december(world).await;
    calls.change_due_day(CAR, 15).await;
    let seen = calls.revision(CAR).await;
    // Somebody receives a payment meanwhile.
    let title = open_titles(&calls).await.remove(0);
    calls.settle(&title, 5.0).await;
    let refused = calls.apply(&calls.operator, &seen).await;
    refused.refuses(409);
    assert!(refused.body.contains("confira de novo"), "{refused:?}");
    let reversed = calls.reverse(&calls.managed(&title).await).await;
    assert_eq!(reversed.status, 200, "{reversed:?}");
    // As much is cancelled and issued, with another due date.
    let seen = calls.revision(CAR).await;
    calls.change_due_day(CAR, 20).await;
    calls.apply(&calls.operator, &seen).await.refuses(409);
    let seen = calls.revision(CAR).await;
    let path = format!("{REVISIONS}/{CAR}/aplicar");
    let body = what_was_seen(&calls.revision(CAR).await).to_string();
    let another = calls.servers().last().unwrap().put(&path, &calls.administrator, &body);
    let (one, other) = tokio::join!(calls.apply(&calls.operator, &seen), another);
    let mut statuses = [one.status, other.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409], "{one:?} {other:?}");
    assert_eq!(open_titles(&calls).await.len(), 2);
    calls.check_books("two at once").await;
    // Bad input is refused at its field.
    calls.put(&calls.operator, &path, &json!({})).await.refuses(400);
    calls.put(&calls.operator, &format!("{REVISIONS}/{CAR}/manter"), &json!({})).await.refuses(400);
}

#[both_engines]
async fn titles_can_be_kept_as_they_are(world: World) {
    let calls = charged_december(world).await;
    calls.change_due_day(CAR, 15).await;
    let before = open_titles(&calls).await;
    let kept = calls
        .put(&calls.operator, &format!("{REVISIONS}/{CAR}/manter"), &json!({"motivo": "pediu para manter"}))
        .await;
    assert_eq!(kept.status, 200, "{kept:?}");
    assert_eq!(waiting(&calls).await, Vec::<Value>::new());
    assert_eq!(open_titles(&calls).await, before);
    calls.change_due_day(CAR, 20).await;
    assert_eq!(field(&waiting(&calls).await, "codBeneficio"), [CAR], "until it changes again");
}

/// The price table looks at them.
#[both_engines]
async fn another_value_of_the_vehicle_asks_for_a_revision(world: World) {
    let calls = charged_december(world).await;
    calls.change_benefit(CAR, json!({"valorProtegido": 90_000})).await;
    assert_eq!(field(&waiting(&calls).await, "codBeneficio"), [CAR]);
}

/// A title that is issued after the change charges what it should.
#[both_engines]
async fn what_changed_before_the_issue_waits_no_longer(world: World) {
    let mut calls = charged_december(world).await;
    calls.change_due_day(CAR, 15).await;
    assert_eq!(field(&waiting(&calls).await, "codBeneficio"), [CAR]);
    // The title of December is overdue by now.
    calls.pass_days(40).await;
    assert_eq!(waiting(&calls).await, Vec::<Value>::new());
    calls.issue_run(run_of("2027-01")).await;
    assert_eq!(waiting(&calls).await, Vec::<Value>::new());
    calls.change_due_day(CAR, 20).await;
    assert_eq!(field(&waiting(&calls).await, "codBeneficio"), [CAR]);
}

#[both_engines]
async fn revisions_are_of_those_who_see_the_branch_and_may_settle(world: World) {
    let calls = charged_december(world).await;
    for benefit in [CAR, FAR_CAR, SECOND_CAR] {
        calls.change_due_day(benefit, 15).await;
    }
    assert_eq!(field(&waiting(&calls).await, "codBeneficio"), [CAR, SECOND_CAR, FAR_CAR]);
    let seen = items(&calls.read(&calls.operator, REVISIONS, &[]).await);
    assert_eq!(field(&seen, "codBeneficio"), [CAR, SECOND_CAR]);
    calls.get(&calls.operator, &format!("{REVISIONS}/{FAR_CAR}"), &[]).await.refuses(404);
    let far = calls.read(&calls.administrator, &format!("{REVISIONS}/{FAR_CAR}"), &[]).await;
    calls.apply(&calls.operator, &far).await.refuses(404);
    let there = calls.server().token("admin@ali.example").await;
    assert_eq!(items(&calls.read(&there, REVISIONS, &[]).await), Vec::<Value>::new());
    // The other association has a benefit of this code, without a title.
    let other = calls.read(&there, &format!("{REVISIONS}/{CAR}"), &[]).await;
    assert_eq!(other["titulos"], json!([]));
    calls.apply(&there, &far).await.refuses(404);
    calls.check_books("calls of others").await;
}

#[both_engines]
async fn a_plan_of_another_group_is_charged_in_that_group(world: World) {
    let calls = charged_december(world).await;
    let moved = "UPDATE items SET plan = 6 WHERE tenant = $1 AND benefit = $2";
    calls.alter(calls.world.here, moved, vec![SqlScalar::Int(CAR.into())]).await;
    calls.revise(CAR).await;
    let groups = "SELECT protection_group AS n FROM titles WHERE tenant = $1 AND person = 1 AND situation = 2
         ORDER BY protection_group";
    assert_eq!(calls.numbers(groups).await, [1, 2]);
    calls.check_books("another group").await;
}

/// Fine and interest that a payment left stand in the next title. They are charged once, whatever is reversed and revised.
#[both_engines]
async fn late_charges_that_were_taken_are_never_charged_by_two_titles(world: World) {
    let calls = charged_members(world).await;
    let late = calls.issue(late_title()).await;
    let paid = calls.settle(&late, 101.20).await;
    let left = calls.issue_run(run_of("2026-12")).await;
    assert!(left.run.counts.titles > 0);
    let taken = "SELECT COUNT(*) AS n FROM pending_charges WHERE tenant = $1 AND title IS NOT NULL";
    assert_eq!(calls.numbers(taken).await, [1]);
    let charged = open_titles(&calls).await;
    assert_eq!(calls.reverse(&paid).await.status, 200);
    let due = calls.managed(&late).await["valorDevido"].clone();
    calls.change_due_day(CAR, 15).await;
    calls.revise(CAR).await;
    calls.check_books("late charges").await;
    assert_eq!(calls.numbers(taken).await, [1]);
    let after = open_titles(&calls).await;
    let sum = |titles: &[Value]| titles.iter().map(|one| one["valor"].as_f64().unwrap()).sum::<f64>();
    assert!((sum(&charged) + 101.20 - sum(&after)).abs() < 0.001, "{charged:?} {after:?}");
    assert_eq!(calls.managed(&late).await["valorDevido"], due, "the first title asks for no more");
}

#[both_engines]
async fn a_title_that_was_revised_shortly_before_it_is_due_keeps_its_day(world: World) {
    let mut calls = charged_december(world).await;
    calls.pass_days(25).await;
    assert_eq!(calls.cancel(&calls.operator, &json!(OTHER_CAR), "").await.status, 200);
    calls.revise(OTHER_CAR).await;
    let title = open_titles(&calls).await.remove(0);
    assert_eq!(title["dataVencimento"], "10/12/2026");
    let again = calls.revision(CAR).await;
    assert_eq!(again["titulos"][0]["resultado"], "MANTIDO", "{again}");
}

#[both_engines]
async fn a_one_off_charge_follows_its_benefit_to_another_branch(world: World) {
    let calls = charged_members(world).await;
    let charge = json!({"codPessoa": MEMBER, "codBeneficio": CAR, "codItemCobranca": 5, "valor": 7});
    calls.saved(&calls.operator, "/gestao/financeiro/lancamento", &charge).await;
    calls.change_benefit(CAR, json!({"codLoja": 1})).await;
    calls.issue_run(run_of("2026-12")).await;
    let amounts = "SELECT amount AS n FROM titles WHERE tenant = $1 AND person = 1";
    assert_eq!(calls.numbers(amounts).await, [15_755]);
}

/// A fee that was added by hand is not the plan's.
#[both_engines]
async fn a_revision_adds_no_joining_fee(world: World) {
    let calls = charged_members(world).await;
    let here = calls.world.here;
    calls.alter(here, "UPDATE plans SET joining_fee = 5000 WHERE tenant = $1 AND code = 1", Vec::new()).await;
    let join = "UPDATE benefits SET joined_on = $2 WHERE tenant = $1 AND code = $3";
    calls.alter(here, join, vec!["2020-01-10".into(), CAR.into()]).await;
    let charge = json!({"codPessoa": MEMBER, "codBeneficio": CAR, "codItemCobranca": 4, "valor": 30});
    calls.saved(&calls.operator, "/gestao/financeiro/lancamento", &charge).await;
    calls.issue_run(run_of("2026-12")).await;
    assert_eq!(field(&open_titles(&calls).await, "valor"), [180.55]);
    calls.change_due_day(CAR, 15).await;
    calls.revise(CAR).await;
    assert_eq!(field(&open_titles(&calls).await, "valor"), [180.55]);
}

/// What a revision would do with the December title in a situation; whether it stays, one by one.
async fn preview_stays(calls: &Calls, benefit: i32, situations: [i32; 2]) -> Vec<bool> {
    let situations = situations.map(SituationCode::new).to_vec();
    let caller = calls.session(&calls.operator).await;
    let benefit = BenefitCode::new(benefit);
    let previews = preview_revisions(calls.world.app(), &caller, benefit, situations).await.unwrap();
    let stays = |title: &RevisedTitle| title.outcome == TitleRevisionOutcome::Unchanged;
    previews
        .unwrap()
        .iter()
        .map(|one| one.revision.titles.len() == 1 && stays(&one.revision.titles[0]))
        .collect()
}

/// A title that no run issued falls away with the last of its benefits: in the preview as in the revision.
#[both_engines]
async fn a_preview_knows_what_becomes_of_a_title_by_hand(world: World) {
    const IN_FORCE: i32 = 1;
    const CANCELLED: i32 = 6;
    let calls = charged_members(world).await;
    calls.issue(json!({"vencimento": "2026-12-15"})).await;
    assert_eq!(preview_stays(&calls, CAR, [IN_FORCE, CANCELLED]).await, [true, false]);
    assert_eq!(calls.cancel(&calls.operator, &json!(CAR), "").await.status, 200);
    assert_eq!(preview_stays(&calls, CAR, [IN_FORCE, CANCELLED]).await, [true, false], "and back");
    // The title is of another benefit, too.
    calls.active_car(1, "OUT1A23", json!({"diaVencimento": 10})).await;
    let second =
        "INSERT INTO title_benefits (tenant, title, benefit) SELECT tenant, title, 5 FROM title_benefits
         WHERE tenant = $1";
    calls.alter(calls.world.here, second, Vec::new()).await;
    assert_eq!(preview_stays(&calls, CAR, [IN_FORCE, CANCELLED]).await, [true, true]);
    assert_eq!(calls.cancel(&calls.operator, &json!(OTHER_CAR), "").await.status, 200);
    assert_eq!(preview_stays(&calls, CAR, [IN_FORCE, CANCELLED]).await, [true, false]);
}

#[both_engines]
async fn the_joining_fee_of_a_month_that_falls_away_goes_to_the_next(world: World) {
    let calls = charged_members(world).await;
    let here = calls.world.here;
    calls.alter(here, "UPDATE plans SET joining_fee = 5000 WHERE tenant = $1 AND code = 1", Vec::new()).await;
    let join = "UPDATE benefits SET joined_on = $2 WHERE tenant = $1 AND code = $3";
    calls.alter(here, join, vec!["2026-11-20".into(), CAR.into()]).await;
    calls.issue_run(NewChargingRun { instalments: 2, ..run_of("2026-12") }).await;
    let mut before = open_titles(&calls).await;
    before.sort_by_key(|title| title["codTitulo"].as_i64());
    assert_eq!(field(&before, "valor"), [200.55, 150.55]);
    // After the cut-off day: December is not charged.
    calls.change_benefit(CAR, json!({"dataAdesao": "28/11/2026"})).await;
    calls.revise(CAR).await;
    assert_eq!(field(&open_titles(&calls).await, "valor"), [200.55]);
    assert_eq!(calls.numbers(JOINING_FEES).await, [1]);
}
