//! Lines that the next charge takes: by hand, or fine and interest that a payment left.

use crate::calls::{Calls, items, told_about, with};
use crate::finance::charging_scene::run_of;
use crate::finance::scene::{
    CAR, FAR_CAR, FAR_MEMBER, MEMBER, SECOND_CAR, SECOND_MEMBER, TITLES, charged_members, late_title, parts,
    scene,
};
use domain::{Clock, PendingChargeCode, PersonCode, TitleCode};
use finance_storage::pending_charges::{list_waiting_charges, take_pending_charges};
use serde_json::{Value, json};
use storage::WriteLane;
use testkit::{World, both_engines};

const PENDING: &str = "/gestao/financeiro/lancamento";

fn inspection(more: Value) -> Value {
    with(json!({"codItemCobranca": 5, "valor": 80.5}), more)
}

async fn listed(calls: &Calls, query: &[(&str, &str)]) -> Vec<Value> {
    let page = calls.read(&calls.operator, PENDING, query).await;
    let items = items(&page);
    assert_eq!(page["quantidade"], json!(items.len()));
    items
}

async fn cancel(calls: &Calls, code: &Value) -> testkit::Reply {
    let path = format!("{PENDING}/{code}/cancelar");
    calls.put(&calls.operator, &path, &json!({"motivo": "lançado por engano"})).await
}

/// As a charging run does: the title takes what waits for the person.
async fn take(calls: &Calls, person: i32, title: &Value) {
    let title = TitleCode::new(i32::try_from(title["codTitulo"].as_i64().unwrap()).unwrap());
    let (tenant, now) = (calls.world.here, calls.world.clock.now());
    let input = (tenant, title, PersonCode::new(person), now);
    let unit =
        calls.world.db().write(WriteLane::foreground(tenant), input, |tx, (tenant, title, person, now)| {
            Box::pin(async move {
                let waiting = list_waiting_charges(&mut *tx, *tenant, [*person]).await?;
                assert!(!waiting.is_empty());
                let codes: Vec<PendingChargeCode> = waiting.iter().map(|one| one.code).collect();
                tx.execute_batch(vec![take_pending_charges(*tenant, *title, codes, *now)]).await
            })
        });
    let done: Result<_, storage::Error> = unit.await;
    done.unwrap();
}

#[both_engines]
async fn a_line_waits_for_the_next_charge_of_a_person_or_benefit(world: World) {
    let calls = scene(world).await;
    let (by, entries) = (&calls.operator, calls.count("ledger_entries").await);
    let made =
        calls.saved(by, PENDING, &inspection(json!({"codPessoa": MEMBER, "descricao": "Segunda"}))).await;
    let wanted = json!({"codLancamento": 1, "codPessoa": MEMBER, "nomePessoa": made["nomePessoa"],
        "codBeneficio": null, "codLoja": made["codLoja"], "codItemCobranca": 5,
        "nomeItemCobranca": "Taxa de vistoria", "valor": 80.5, "descricao": "Segunda", "origem": "MANUAL",
        "codLiquidacao": null, "situacao": "AGUARDANDO", "codTitulo": null, "dataCancelamento": null,
        "motivoCancelamento": null, "dataCadastro": made["dataCadastro"]});
    assert_eq!(made, wanted);
    let of_benefit = calls.saved(by, PENDING, &inspection(json!({"codBeneficio": SECOND_CAR}))).await;
    assert_eq!(of_benefit["codPessoa"], SECOND_MEMBER);
    assert_eq!(listed(&calls, &[]).await, [of_benefit.clone(), made.clone()]);
    assert_eq!(listed(&calls, &[("codPessoa", "1")]).await, std::slice::from_ref(&made));
    assert_eq!(listed(&calls, &[("codBeneficio", "3")]).await, [of_benefit]);
    assert_eq!(calls.count("ledger_entries").await, entries, "nothing is owed yet");
    let cancelled = cancel(&calls, &made["codLancamento"]).await.json();
    let fields = ["situacao", "dataCancelamento", "motivoCancelamento"];
    assert_eq!(
        parts(&cancelled, fields),
        [json!("CANCELADO"), json!("14/11/2026"), json!("lançado por engano")]
    );
    assert_eq!(cancel(&calls, &made["codLancamento"]).await.json(), cancelled);
    assert_eq!(listed(&calls, &[("situacao", "AGUARDANDO")]).await.len(), 1);
}

#[both_engines]
async fn a_line_is_refused_by_name_and_by_branch(world: World) {
    let calls = scene(world).await;
    for (field, bad) in [
        ("codPessoa", json!({})),
        ("codPessoa", json!({"codPessoa": 999})),
        ("codPessoa", json!({"codPessoa": FAR_MEMBER})),
        ("codBeneficio", json!({"codBeneficio": FAR_CAR})),
        ("codBeneficio", json!({"codPessoa": MEMBER, "codBeneficio": SECOND_CAR})),
        ("valor", json!({"codPessoa": MEMBER, "valor": 0})),
        ("valor", json!({"codPessoa": MEMBER, "valor": -1})),
        ("codItemCobranca", json!({"codPessoa": MEMBER, "codItemCobranca": 999})),
        ("codItemCobranca", json!({"codPessoa": MEMBER, "codItemCobranca": 11})),
    ] {
        let refused = calls.refused(PENDING, &inspection(bad)).await;
        assert!(told_about(&refused, field), "{refused}");
    }
    let far = calls.saved(&calls.administrator, PENDING, &inspection(json!({"codPessoa": FAR_MEMBER}))).await;
    assert_eq!(listed(&calls, &[]).await, Vec::<Value>::new());
    cancel(&calls, &far["codLancamento"]).await.refuses(404);
}

#[both_engines]
async fn a_line_gets_a_title_of_its_own(world: World) {
    let calls = charged_members(world).await;
    let line = inspection(json!({"codBeneficio": CAR, "descricao": "Rastreador não devolvido"}));
    let charge = calls.saved(&calls.operator, PENDING, &line).await["codLancamento"].clone();
    assert_eq!(calls.cancel(&calls.operator, &json!(CAR), "").await.status, 200);
    let path = format!("{PENDING}/{charge}/emitir");
    let late = calls.post(&calls.operator, &path, &json!({"vencimento": "2026-11-13"})).await;
    assert!(told_about(late.refuses(400), "vencimento"), "{late:?}");
    calls.post(&calls.stranger, &path, &json!({})).await.refuses(404);
    let title = calls.post(&calls.operator, &path, &json!({"vencimento": "2026-11-30"})).await.json();
    let wanted = [json!(80.5), json!("ABERTO"), json!("Rastreador não devolvido"), json!("30/11/2026")];
    assert_eq!(parts(&title, ["valor", "situacao", "descricao", "dataVencimento"]), wanted);
    assert_eq!(title["beneficios"][0]["codBeneficio"], CAR, "{title}");
    let found = listed(&calls, &[]).await.remove(0);
    let codes = [json!("COBRADO"), title["codTitulo"].clone()];
    assert_eq!(parts(&found, ["situacao", "codTitulo"]), codes);
    calls.post(&calls.operator, &path, &json!({})).await.refuses(409);
    calls.check_books("a title of a line").await;
    let cancelled = calls.put_managed(&title, "/cancelar", json!({"motivo": "prova"})).await;
    assert_eq!(cancelled.status, 200, "{cancelled:?}");
    assert_eq!(listed(&calls, &[("situacao", "AGUARDANDO")]).await.len(), 1, "it waits again");
    // Without a day it is due five bank days from Saturday, 14 November: the 20th is a holiday.
    let again = calls.post(&calls.operator, &path, &json!({})).await.json();
    assert_eq!(again["dataVencimento"], "23/11/2026", "{again}");
}

/// A charge that names no benefit waits where the person's benefits are charged, so that a run takes it.
#[both_engines]
async fn a_line_of_a_person_is_charged_with_their_benefits(world: World) {
    let calls = charged_members(world).await;
    // The only vehicle is of the second group.
    let alone = calls.saved(&calls.operator, PENDING, &inspection(json!({"codPessoa": SECOND_MEMBER}))).await;
    calls.issue_run(run_of("2026-12")).await;
    let path = format!("{PENDING}?codPessoa={SECOND_MEMBER}");
    let charged = items(&calls.read(&calls.operator, &path, &[]).await).remove(0);
    assert_eq!(
        (&charged["codLancamento"], &charged["situacao"]),
        (&alone["codLancamento"], &json!("COBRADO"))
    );
    calls.active_car(1, "MOT1A23", json!({"codPlano": 6, "diaVencimento": 10})).await;
    let refused = calls.refused(PENDING, &inspection(json!({"codPessoa": MEMBER}))).await;
    assert!(told_about(&refused, "codBeneficio"), "{refused}");
}

#[both_engines]
async fn late_charges_that_were_left_are_a_line_until_their_payment_is_reversed(world: World) {
    let calls = scene(world).await;
    let late = calls.saved(&calls.operator, TITLES, &late_title()).await;
    let paid = calls.settle(&late, 101.2).await;
    let left = listed(&calls, &[("situacao", "AGUARDANDO")]).await;
    let fields = ["codPessoa", "codBeneficio", "codItemCobranca", "valor", "origem", "codLiquidacao"];
    let settlement = paid["liquidacoes"][0]["codLiquidacao"].clone();
    let wanted = [json!(MEMBER), json!(1), json!(10), json!(2.59), json!("MULTA_JUROS"), settlement];
    assert_eq!((left.len(), parts(&left[0], fields)), (1, wanted));
    assert_eq!(calls.reverse(&paid).await.status, 200);
    assert_eq!(listed(&calls, &[]).await[0]["situacao"], "CANCELADO");
    assert_eq!(calls.managed(&late).await["valorDevido"], 103.79);
    // Once more, and this time the next charge takes it before the payment is reversed.
    let paid = calls.settle(&late, 101.2).await;
    let next = calls.issue(json!({})).await;
    take(&calls, MEMBER, &next).await;
    let taken = listed(&calls, &[("situacao", "COBRADO")]).await;
    assert_eq!(taken[0]["codTitulo"], next["codTitulo"]);
    cancel(&calls, &taken[0]["codLancamento"]).await.refuses(409);
    assert_eq!(calls.reverse(&paid).await.status, 200);
    // The member owes fine and interest once: with the next title.
    assert_eq!(calls.managed(&late).await["valorDevido"], 101.2);
    calls.put_managed(&next, "/cancelar", json!({"motivo": "refeito"})).await;
    assert_eq!(calls.managed(&late).await["valorDevido"], 103.79);
    assert_eq!(listed(&calls, &[("situacao", "AGUARDANDO")]).await, Vec::<Value>::new());
}

#[both_engines]
async fn a_cancelled_title_gives_back_what_it_took_and_a_waiver_is_recorded(world: World) {
    let calls = scene(world).await;
    calls.saved(&calls.operator, PENDING, &inspection(json!({"codPessoa": MEMBER}))).await;
    let next = calls.issue(json!({})).await;
    take(&calls, MEMBER, &next).await;
    assert_eq!(listed(&calls, &[]).await[0]["situacao"], "COBRADO");
    calls.put_managed(&next, "/cancelar", json!({"motivo": "refeito"})).await;
    let back = listed(&calls, &[]).await;
    assert_eq!(parts(&back[0], ["situacao", "codTitulo"]), [json!("AGUARDANDO"), Value::Null]);
    let rule = json!({"versao": 1, "diferenca": "DISPENSA"});
    let changed = calls.put(&calls.administrator, "/gestao/regraEncargos/1", &rule).await;
    assert_eq!(changed.status, 200, "{changed:?}");
    let late = calls.saved(&calls.operator, TITLES, &late_title()).await;
    calls.settle(&late, 101.2).await;
    let waived = listed(&calls, &[("situacao", "DISPENSADO")]).await;
    assert_eq!(parts(&waived[0], ["valor", "origem"]), [json!(2.59), json!("MULTA_JUROS")]);
    cancel(&calls, &waived[0]["codLancamento"]).await.refuses(409);
}
