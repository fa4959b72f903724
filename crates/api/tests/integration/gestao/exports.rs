//! Lists as files: everything that the caller sees of them, once, as a spreadsheet takes it, and the audit knows.

use crate::calls::{Calls, cpf, items};
use crate::gestao::case_scene::scene;
use exchange::export::{self, ListExportError};
use serde_json::json;
use std::collections::BTreeSet;
use testkit::{Reply, World, both_engines};

const EXPORT: &str = "/gestao/exportacao";

async fn exported(calls: &Calls, token: &str, list: &str, query: &[(&str, &str)]) -> Reply {
    let reply = calls.get(token, &format!("{EXPORT}/{list}"), query).await;
    assert_eq!(reply.status, 200, "{list}: {reply:?}");
    assert!(reply.header("content-disposition").unwrap().starts_with("attachment; filename=\""), "{reply:?}");
    reply
}

fn lines(reply: &Reply) -> Vec<String> {
    let text = reply.body.strip_prefix('\u{feff}').expect("a mark by which a spreadsheet knows UTF-8");
    text.split("\r\n").filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

#[both_engines]
async fn a_list_leaves_whole_and_as_it_is_filtered(world: World) {
    let calls = scene(world).await;
    for number in 10..240 {
        calls.member(number).await;
    }
    let formula = json!({"nomePessoa": "=HYPERLINK(\"http://x\")", "cpfCnpj": cpf(300)});
    calls.saved(&calls.operator, "/ext/associado", &formula).await;
    let reply = exported(&calls, &calls.operator, "associado", &[("colunas", "codigo,nome,documento")]).await;
    assert_eq!(reply.header("content-type"), Some("text/csv; charset=utf-8"));
    let all = lines(&reply);
    assert_eq!(all[0], "Código;Nome;CPF ou CNPJ");
    let codes: BTreeSet<&str> = all[1..].iter().map(|line| line.split(';').next().unwrap()).collect();
    assert_eq!((all.len() - 1, codes.len()), (233, 233), "everybody of his branch, once");
    assert!(!reply.body.contains("Pessoa Longe") && !reply.body.contains("Alguém Ali"));
    assert!(all.iter().any(|line| line.contains("\"'=HYPERLINK(\"\"http://x\"\")\"")), "{all:?}");
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    let document = |line: &String| line.rsplit(';').next().unwrap().to_owned();
    let tenth = all.iter().map(document).find(|one| digits(one) == digits(&cpf(10))).unwrap();
    assert_eq!((&tenth[3..4], &tenth[11..12]), (".", "-"), "written so that it keeps its zeros");

    let filtered = exported(&calls, &calls.operator, "associado", &[("nome", "Pessoa 17")]).await;
    assert_eq!(lines(&filtered).len(), 1 + 11, "Pessoa 17 and 170 to 179");
    let far = exported(&calls, &calls.administrator, "beneficio", &[("codLoja", "1")]).await;
    assert_eq!(lines(&far).len(), 2);
    assert_eq!(lines(&exported(&calls, &calls.operator, "beneficio", &[("codLoja", "1")]).await).len(), 1);

    let audit = calls.read(&calls.administrator, "/gestao/auditoria", &[]).await;
    let told = items(&audit).iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    assert!(audit["temMais"] == json!(true) || told.contains("exportou"), "{told}");
}

/// What the audit says of exports, page by page.
async fn audited(calls: &Calls) -> Vec<String> {
    let (mut all, mut after) = (Vec::new(), "0".to_owned());
    loop {
        let page = calls.read(&calls.administrator, "/gestao/auditoria", &[("apos", &after)]).await;
        all.extend(items(&page).iter().map(ToString::to_string).filter(|one| one.contains("export")));
        after = page["proximo"].as_str().unwrap().to_owned();
        if page["temMais"] != json!(true) {
            return all;
        }
    }
}

#[both_engines]
async fn every_list_leaves_and_is_audited(world: World) {
    let calls = scene(world).await;
    let receiver = json!({"endereco": "https://erp.example/x", "entidades": ["todos"]});
    calls.saved(&calls.administrator, "/gestao/receptor", &receiver).await;
    for list in export::list_exportable_lists() {
        let filter: &[(&str, &str)] = match list.name {
            "entrega" => &[("codReceptor", "1")],
            "instalacao" => &[("codBeneficio", "1")],
            "cartaoCredito" => &[("codPessoa", "1")],
            _ => &[],
        };
        let reply = exported(&calls, &calls.administrator, list.name, filter).await;
        let titles: Vec<&str> = list.headings().iter().map(|one| one.title).collect();
        assert_eq!(lines(&reply)[0], titles.join(";"), "{}", list.name);
    }
    testkit::until("the end of each is audited", async || {
        let all = audited(&calls).await;
        export::list_exportable_lists().all(|list| {
            let has = |text: String| all.iter().any(|one| one.contains(&text));
            has(format!("exportou a lista {} em csv, ", list.name))
                && has(format!("terminou de exportar a lista {}, ", list.name))
        })
    })
    .await;
    // Nobody opened the pages of these lists.
    for app in calls.world.processes() {
        app::audit::access_log::flush_access_log(app).await.unwrap();
    }
    let looks = storage::sql("SELECT DISTINCT operation FROM sightings ORDER BY operation");
    let looks =
        calls.world.db().activity().unwrap().query(storage::QueryWeight::Search, looks).await.unwrap();
    let looks: Vec<String> = looks.iter().map(|row| row.get("operation").unwrap()).collect();
    assert!(looks.iter().any(|one| one == "GET /gestao/exportacao"), "{looks:?}");
    for page in ["/ext/beneficio/lista", "/gestao/negocio", "/gestao/lead", "/gestao/historico"] {
        assert!(!looks.contains(&format!("GET {page}")), "{looks:?}");
    }
    let named = exported(&calls, &calls.operator, "associado", &[("nome", "Fulano"), ("codLoja", "2")]).await;
    assert_eq!(lines(&named).len(), 1);
    let all = audited(&calls).await.join("\n");
    assert!(all.contains("com os filtros nome, codLoja=2") && !all.contains("Fulano"), "{all}");
}

#[both_engines]
async fn what_is_wrong_is_told_before_anything_leaves(world: World) {
    let calls = scene(world).await;
    let bad = calls.get(&calls.operator, &format!("{EXPORT}/associado"), &[("formato", "pdf")]).await;
    assert!(bad.refuses(400).contains("formato"), "{bad:?}");
    let bad =
        calls.get(&calls.operator, &format!("{EXPORT}/evento"), &[("dataAberturaInicial", "ontem")]).await;
    assert!(bad.refuses(400).contains("dataAberturaInicial"), "{bad:?}");
    calls.get(&calls.operator, &format!("{EXPORT}/usuario"), &[]).await.refuses(403);
    calls.get(&calls.integration, &format!("{EXPORT}/plano"), &[]).await.refuses(403);
    calls.get(&calls.administrator, &format!("{EXPORT}/nada"), &[]).await.refuses(404);
}

#[both_engines]
async fn a_spreadsheet_is_put_together_and_whoever_goes_away_stops_it(world: World) {
    let calls = scene(world).await;
    for number in 10..150 {
        calls.member(number).await;
    }
    let app = &calls.world.processes()[0];
    let caller = app::session::load_session(app, &calls.operator).await.unwrap();
    let list = export::find_list_by_name("associado").unwrap();
    let pairs = |format: &str| vec![("formato".to_owned(), format.to_owned())];
    let mut export = match export::start_list_export(app, &caller, list, pairs("xlsx")).await {
        Ok(export) => export,
        Err(ListExportError::App(error)) => panic!("{error}"),
        Err(ListExportError::InvalidQuery(_)) => panic!("not understood"),
    };
    assert!(export.file_name.ends_with(".xlsx"));
    let mut bytes = Vec::new();
    while let Some(piece) = export.bytes.recv().await {
        bytes.extend(piece.unwrap());
    }
    assert!(bytes.starts_with(b"PK") && bytes.len() > 5_000);

    let Ok(export) = export::start_list_export(app, &caller, list, pairs("csv")).await else {
        panic!("not opened")
    };
    drop(export);
    testkit::until("its end is audited", async || {
        audited(&calls).await.iter().any(|one| one.contains("parou de exportar") || one.contains("em csv"))
    })
    .await;
}

/// Letters of which no two runs are alike, so that a workbook of them is as large as they are.
fn noise(number: u64) -> String {
    let mut state = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut letter = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        char::from(b'a' + (state % 26) as u8)
    };
    (0..4000).map(|_| letter()).collect()
}

#[both_engines]
async fn slow_readers_of_spreadsheets_keep_nobody_elses_from_being_made(world: World) {
    let calls = scene(world).await;
    let rows: Vec<_> = (1000..1300)
        .map(|code: i64| {
            storage::sql("INSERT INTO plans (tenant, code, name, benefit_kind, price, active, version, created_at, updated_at)
                 VALUES ($1, $2, $3, 1, 100, $4, 1, 0, 0)")
            .arg(calls.world.here)
            .arg(code)
            .arg(noise(code.unsigned_abs()))
            .arg(true)
        })
        .collect();
    let lane = storage::WriteLane::foreground(calls.world.here);
    calls.world.db().write(lane, rows, |tx, rows| Box::pin(tx.execute_batch(rows.clone()))).await.unwrap();

    // One process: the places are its own.
    let app = &calls.world.processes()[0];
    let places = &app.heavy_work;
    let open = async |token: &str, list: &str| {
        let caller = app::session::load_session(app, token).await.unwrap();
        loop {
            let pairs = vec![("formato".to_owned(), "xlsx".to_owned())];
            match export::start_list_export(app, &caller, export::find_list_by_name(list).unwrap(), pairs)
                .await
            {
                Ok(export) => break export,
                // On a busy machine those before it are still being made.
                Err(ListExportError::App(app::Error::NoPlace(_))) => {}
                Err(ListExportError::App(error)) => panic!("{list}: {error}"),
                Err(ListExportError::InvalidQuery(_)) => panic!("{list}: not understood"),
            }
        }
    };
    let mut unread = Vec::new();
    for _ in 0..3 {
        unread.push(open(&calls.administrator, "plano").await);
    }
    testkit::until("all of them are made, and none has left", async || {
        places.workbook_exports.held_count() == 0 && places.leaving_workbooks.held_count() == 3
    })
    .await;
    let mut other = open(&calls.stranger, "associado").await;
    assert!(other.bytes.recv().await.unwrap().unwrap().starts_with(b"PK"));
    drop((other, unread));
    testkit::until("they have gone", async || places.leaving_workbooks.held_count() == 0).await;

    let here = calls.world.here;
    let processes = calls.world.processes().iter();
    let held: Vec<_> = processes
        .flat_map(|app| std::iter::from_fn(|| app.heavy_work.leaving_workbooks.try_acquire(here)))
        .collect();
    assert!(!held.is_empty());
    let full = calls.get(&calls.administrator, &format!("{EXPORT}/plano"), &[("formato", "xlsx")]).await;
    assert!(full.refuses(503).contains("exportações demais"), "{full:?}");
    assert_eq!(full.header("retry-after"), Some("5"));
    assert!(open(&calls.stranger, "associado").await.bytes.recv().await.unwrap().is_ok());
}
