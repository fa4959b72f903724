//! When a title is due that does not say so, and what a due day may be.

use crate::calls::told_about;
use crate::finance::scene::{CAR, HEALTH, TITLES, parts, scene, title};
use serde_json::json;
use testkit::{World, both_engines};

#[both_engines]
async fn without_a_due_day_it_is_the_benefits_next_one_or_five_bank_days(world: World) {
    let mut calls = scene(world).await;
    assert_eq!(calls.issue(json!({})).await["dataVencimento"], "10/12/2026");
    // From Saturday: Monday 16 to Thursday 19, then Friday 20 is a holiday.
    let health = calls.issue(json!({"codBeneficio": HEALTH})).await;
    assert_eq!(health["dataVencimento"], "23/11/2026");
    for (day, wanted) in [(15, "15/11/2026"), (5, "05/12/2026"), (30, "30/11/2026")] {
        let body = json!({"codBeneficio": CAR, "cpfCnpj": crate::calls::cpf(1), "diaVencimento": day});
        calls.saved(&calls.operator, "/ext/beneficio/veicular", &body).await;
        assert_eq!(calls.issue(json!({"vencimento": null})).await["dataVencimento"], wanted);
    }
    // The next one is after today, also where today is one.
    calls.pass_days(16).await;
    let today = calls.issue(json!({})).await;
    assert_eq!(parts(&today, ["dataEmissao", "dataVencimento"]), ["30/11/2026", "30/12/2026"]);
    calls.pass_days(62).await;
    let february = calls.issue(json!({})).await;
    assert_eq!(parts(&february, ["dataEmissao", "dataVencimento"]), ["31/01/2027", "28/02/2027"]);
}

#[both_engines]
async fn both_ways_to_write_a_day_are_read(world: World) {
    let calls = scene(world).await;
    for (issued, due) in
        [("2026-10-01", "2026-12-24"), ("01/10/2026", "24/12/2026"), ("2026-10-01", "24/12/2026")]
    {
        let made = calls.issue(json!({"dataEmissao": issued, "vencimento": due})).await;
        let days = parts(&made, ["dataEmissao", "dataVencimento", "dataLancamento"]);
        assert_eq!(days, ["01/10/2026", "24/12/2026", "01/10/2026"]);
    }
    for field in ["vencimento", "dataEmissao"] {
        for bad in [json!("2026-02-30"), json!("30/02/2026"), json!("amanhã"), json!(20_261_224)] {
            let refused = calls.refused(TITLES, &title(json!({field: bad}))).await;
            assert!(told_about(&refused, field), "{field} {bad}: {refused}");
        }
    }
}

#[both_engines]
async fn a_title_is_not_due_before_it_is_issued(world: World) {
    let calls = scene(world).await;
    let late = calls.refused(TITLES, &title(json!({"vencimento": "2026-11-13"}))).await;
    assert!(told_about(&late, "vencimento"), "{late}");
    let body = title(json!({"dataEmissao": "2026-10-02", "vencimento": "2026-10-01"}));
    assert!(told_about(&calls.refused(TITLES, &body).await, "vencimento"));
    let future = calls.refused(TITLES, &title(json!({"dataEmissao": "2026-11-15"}))).await;
    assert!(told_about(&future, "dataEmissao"), "{future}");
    let same = calls.issue(json!({"dataEmissao": "2026-11-13", "vencimento": "2026-11-13"})).await;
    assert_eq!(parts(&same, ["dataVencimento", "situacao"]), ["13/11/2026", "ABERTO"]);
    assert_eq!(calls.count("titles").await, 2);
}
