//! The codes of titles, their benefits and their people.

use super::source_lists::{build_page, build_row, credits_path};
use super::{MANAGED, find_holder, issue, list_open, move_due_day, post};
use crate::source::{Odd, Source, asked, run};
use crate::{count, served};
use mirror::{MirrorOptions, MirrorRunReport};
use serde_json::json;
use testkit::{World, books, both_engines};

const OPEN_BENEFITS: &str = "SELECT COUNT(*) AS count FROM title_benefits b
    JOIN titles t ON t.tenant = b.tenant AND t.code = b.title WHERE b.tenant = $1 AND t.situation = 2";
const TITLES_HERE: &str = "SELECT COUNT(*) AS count FROM titles WHERE tenant = $1";

fn has_title_notes(report: &MirrorRunReport) -> bool {
    report.noted.iter().any(|note| note.kind == "titulo")
}

#[both_engines]
async fn a_title_issued_again_takes_no_code_of_the_source(world: World) {
    let source = Source::demo(&world, 5).await;
    let (person, _) = find_holder(&source).await;
    let (server, token) = (&source.server, &source.token);
    let moved = issue(&source, &person, "2026-12-15", 30.0).await;
    let report = run(&world, &asked(&source.address())).await.unwrap();
    let (mirrored, here) = served(&world, &report).await;
    move_due_day(server, token, moved, "2026-12-28").await;
    let later = [
        issue(&source, &person, "2026-12-16", 40.0).await,
        issue(&source, &person, "2026-12-17", 50.0).await,
    ];
    run(&world, &asked(&source.address())).await.unwrap();
    let (there, ours) = (list_open(server, token).await, list_open(&mirrored, &here).await);
    for code in later {
        assert_eq!(there[&code].describe(), ours[&code].describe());
    }
    let replaced: Vec<&i64> = ours.keys().filter(|code| !there.contains_key(*code)).collect();
    assert_eq!(replaced, [&1_000_000_000]);
    let body = json!({"codPessoa": person, "codTipoTitulo": 1, "valor": 60, "vencimento": "2026-12-18"});
    let issued_here = post(&mirrored, &here, MANAGED, body).await;
    assert_eq!(issued_here[0]["codTitulo"], 1_000_000_001);
    let last = issue(&source, &person, "2026-12-19", 70.0).await;
    run(&world, &asked(&source.address())).await.unwrap();
    assert!(list_open(&mirrored, &here).await.contains_key(&last));
    books::check(world.db(), report.mirror.tenant, "codes").await;
}

#[both_engines]
async fn a_title_gets_the_benefit_that_was_unknown_when_it_came(world: World) {
    let odd = Odd::start().await;
    let row = build_row(940, json!({"sequencialBeneficio": [10, 50]}));
    odd.says(&credits_path(0), &build_page(&[row], 1));
    let report = run(&world, &asked(&odd.address)).await.unwrap();
    let tenant = report.mirror.tenant;
    for _ in 0..2 {
        let report = run(&world, &asked(&odd.address)).await.unwrap();
        assert!(report.written == 0 && has_title_notes(&report), "{report:?}");
    }
    assert_eq!(count(&world, OPEN_BENEFITS, tenant).await, 1);
    let members = json!({"quantidade": 2, "proximaPagina": false, "itens": [
        {"codPessoa": 1, "codBeneficio": 1, "sequencial": 10, "nomePessoa": "Ana", "cpfCnpj": "52998224725", "codLoja": 4,
         "situacao": "VIGENTE", "tipoBeneficio": "Veicular"},
        {"codPessoa": 1, "codBeneficio": 9, "sequencial": 50, "nomePessoa": "Ana", "cpfCnpj": "52998224725", "codLoja": 4,
         "situacao": "VIGENTE", "tipoBeneficio": "Veicular", "placa": "XYZ1D23"}]});
    odd.says("/ext/associado?situacaoBeneficio=Todos&pagina=1", &members.to_string());
    let whole = MirrorOptions { is_full: true, ..asked(&odd.address) };
    let report = run(&world, &whole).await.unwrap();
    assert!(!has_title_notes(&report), "{report:?}");
    assert_eq!(count(&world, OPEN_BENEFITS, tenant).await, 2);
    books::check(world.db(), tenant, "benefits").await;
    assert_eq!(run(&world, &asked(&odd.address)).await.unwrap().written, 0);
}

#[both_engines]
async fn somebody_else_under_the_code_of_a_person_gets_no_title(world: World) {
    let odd = Odd::start().await;
    let supplier = |code: i32, document: &str| {
        build_row(code, json!({"codPessoa": 777, "nomeDevedorCredor": "Oficina", "cpfCnpjPessoa": document}))
    };
    let rows = [
        build_row(930, json!({"codPessoa": 888, "dataVencimento": "01/01/1900"})),
        supplier(931, "11.222.333/0001-81"),
        supplier(932, "111.444.777-35"),
    ];
    odd.says(&credits_path(0), &build_page(&rows, 3));
    let report = run(&world, &asked(&odd.address)).await.unwrap();
    let tenant = report.mirror.tenant;
    assert_eq!(count(&world, TITLES_HERE, tenant).await, 1);
    let told = report.render();
    assert!(told.contains("titulo 932, codPessoa: o código da pessoa é de outra aqui"), "{told}");
    let people = "SELECT COUNT(*) AS count FROM people WHERE tenant = $1 AND code = 888";
    assert_eq!(count(&world, people, tenant).await, 0);
}
