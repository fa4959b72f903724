//! Lists of titles as sources give them: whole, repeated, cut off, miscounted, refused.

use super::{KEYS, OPEN_CENTS, TITLES};
use crate::count;
use crate::source::{Odd, asked, run};
use mirror::MirrorRunReport;
use serde_json::{Value as Json, json};
use testkit::{World, books, both_engines};

pub fn credits_path(offset: usize) -> String {
    format!("{TITLES}?tipo=Cr%C3%A9dito&situacao=ABERTO&inicio={offset}")
}

fn debits_path(offset: usize) -> String {
    format!("{TITLES}?tipo=D%C3%A9bito&situacao=ABERTO&inicio={offset}")
}

/// An open credit title of 100, but for these fields.
pub fn build_row(code: i32, fields: Json) -> Json {
    let mut row = json!({"codTitulo": code, "codPessoa": 1, "dataVencimento": "10/12/2026", "situacao": "ABERTO",
        "tipo": "Crédito", "valor": 100});
    for (name, value) in fields.as_object().unwrap() {
        row[name] = value.clone();
    }
    row
}

pub fn build_page(rows: &[Json], total: usize) -> String {
    json!({"quantidade": total, "itens": rows}).to_string()
}

fn describe_title_notes(report: &MirrorRunReport) -> Vec<String> {
    let of_titles = report.noted.iter().filter(|note| note.kind == "titulo");
    of_titles.map(|note| format!("{}: {}", note.field, note.reason)).collect()
}

#[both_engines]
async fn a_list_that_comes_whole_and_again_is_read_once(world: World) {
    let odd = Odd::start().await;
    let rows: Vec<Json> = (901..=1_150).map(|code| build_row(code, json!({}))).collect();
    for offset in [0, 250] {
        odd.says(&credits_path(offset), &build_page(&rows, 250));
    }
    let report = run(&world, &asked(&odd.address)).await.unwrap();
    assert_eq!(count(&world, KEYS, report.mirror.tenant).await, 250);
    assert!(!report.render().contains("vieram"), "{report:?}");
    assert_eq!(run(&world, &asked(&odd.address)).await.unwrap().written, 0);
}

#[both_engines]
async fn titles_that_the_source_counts_but_does_not_list_are_told(world: World) {
    let odd = Odd::start().await;
    let [one, two, three] = [901, 902, 903].map(|code| build_row(code, json!({})));
    let say = |total: usize| {
        odd.says(&credits_path(0), &build_page(&[one.clone(), two.clone()], total));
        odd.says(&credits_path(2), &build_page(&[two.clone(), three.clone()], total));
        odd.says(&credits_path(4), &build_page(&[], total));
    };
    // How many are on the page.
    say(2);
    let report = run(&world, &asked(&odd.address)).await.unwrap();
    assert_eq!(count(&world, KEYS, report.mirror.tenant).await, 3);
    assert!(!report.render().contains("vieram"), "{report:?}");
    say(4);
    let report = run(&world, &asked(&odd.address)).await.unwrap();
    assert!(report.render().contains("em Crédito vieram 3 dos 4 títulos"), "{report:?}");
}

#[both_engines]
async fn a_title_that_is_not_shown_alone_is_not_settled_by_its_row(world: World) {
    let odd = Odd::start().await;
    let list = |received: i32| {
        let rows = [build_row(910, json!({"valorLiquidado": received})), build_row(911, json!({}))];
        odd.says(&credits_path(0), &build_page(&rows, 2));
    };
    let (shown, other) = (format!("{TITLES}/910"), format!("{TITLES}/911"));
    list(50);
    odd.says(&shown, &build_row(910, json!({})).to_string());
    odd.says(&other, &build_row(911, json!({"liquidacoes": []})).to_string());
    let report = run(&world, &asked(&odd.address)).await.unwrap();
    let tenant = report.mirror.tenant;
    assert_eq!(count(&world, OPEN_CENTS, tenant).await, 5_000 + 10_000);
    assert_eq!(
        describe_title_notes(&report),
        ["liquidacoes: a origem não as mostra; o que foi pago é o que a lista diz"]
    );

    list(80);
    odd.refuses(&shown);
    let report = run(&world, &asked(&odd.address)).await.unwrap();
    assert_eq!((report.written, count(&world, OPEN_CENTS, tenant).await), (0, 15_000), "{report:?}");
    assert_eq!(
        describe_title_notes(&report),
        ["leitura: a origem lista o título, mas não o mostra; ficou como estava"]
    );

    let paid = json!({"liquidacoes": [{"valor": 80, "total": 80, "dataLiquidacao": "12/11/2026"}]});
    odd.says(&shown, &build_row(910, paid).to_string());
    let report = run(&world, &asked(&odd.address)).await.unwrap();
    assert_eq!(count(&world, OPEN_CENTS, tenant).await, 2_000 + 10_000);
    assert!(describe_title_notes(&report).is_empty(), "{report:?}");
    books::check(world.db(), tenant, "paid at last").await;
}

#[both_engines]
async fn a_listed_title_is_never_said_to_be_gone(world: World) {
    let odd = Odd::start().await;
    let list = |due: Json| {
        let rows = [build_row(911, json!({})), build_row(912, json!({"dataVencimento": due}))];
        odd.says(&credits_path(0), &build_page(&rows, 2));
    };
    odd.says(&format!("{TITLES}/911"), &build_row(911, json!({"liquidacoes": []})).to_string());
    list(Json::Null);
    for _ in 0..2 {
        let report = run(&world, &asked(&odd.address)).await.unwrap();
        let notes = describe_title_notes(&report);
        assert_eq!(notes, ["dataVencimento: veio sem vencimento e não foi espelhado"]);
    }
    list(json!("10/12/2026"));
    let report = run(&world, &asked(&odd.address)).await.unwrap();
    assert!(describe_title_notes(&report).is_empty(), "{report:?}");
    assert_eq!(count(&world, KEYS, report.mirror.tenant).await, 2);
}

#[both_engines]
async fn one_kind_is_read_though_the_other_is_refused(world: World) {
    let odd = Odd::start().await;
    let debit = |fields: Json| {
        let mut row = build_row(921, json!({"tipo": "Débito"}));
        row.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        row
    };
    odd.says(&credits_path(0), &build_page(&[build_row(920, json!({}))], 1));
    odd.says(&debits_path(0), &build_page(&[debit(json!({}))], 1));
    let report = run(&world, &asked(&odd.address)).await.unwrap();
    let tenant = report.mirror.tenant;
    assert_eq!(count(&world, KEYS, tenant).await, 2);

    odd.refuses(&credits_path(0));
    odd.says(&debits_path(0), &build_page(&[], 0));
    let settled = debit(json!({"situacao": "LIQUIDADO", "liquidacoes": []}));
    odd.says(&format!("{TITLES}/921"), &settled.to_string());
    let report = run(&world, &asked(&odd.address)).await.unwrap();
    assert_eq!((report.written, count(&world, KEYS, tenant).await), (1, 1), "{report:?}");
    assert!(describe_title_notes(&report).is_empty(), "{report:?}");
    assert!(report.render().contains("a origem recusou (403)"), "{report:?}");
    books::check(world.db(), tenant, "one kind").await;
}
