//! Titles: what is open there is open here, once, and follows what becomes of it.

mod charged_months;
mod codes;
mod sheets;
mod source_lists;

use super::{count, mirroring_held, served};
use crate::source::{Odd, Source, asked, no_sleep, run};
use mirror::{MirrorOptions, ProgressUpdate};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use testkit::{Server, World, books, both_engines};

const TITLES: &str = "/ext/financeiro/titulo";
const MANAGED: &str = "/gestao/financeiro/titulo";
/// Of the open ones.
const KEYS: &str = "SELECT COUNT(*) AS count FROM imported_titles i
    JOIN titles t ON t.tenant = i.tenant AND t.code = i.title WHERE i.tenant = $1 AND t.situation = 2";
const OPEN_CENTS: &str =
    "SELECT CAST(COALESCE(SUM(open_amount), 0) AS BIGINT) AS count FROM titles WHERE tenant = $1";

/// As the list shows it, and as it is fetched by code.
struct ShownTitle {
    row: Json,
    full: Json,
}

impl ShownTitle {
    fn open_cents(&self) -> i64 {
        let paid = self.full["liquidacoes"].as_array().unwrap().iter();
        let in_force = paid.filter(|one| one["nomeEstornador"].is_null());
        cents(&self.full["valor"]) - in_force.map(|one| cents(&one["valor"])).sum::<i64>()
    }

    /// What both servers tell alike.
    fn describe(&self) -> String {
        let row = [
            "codTitulo",
            "codPessoa",
            "cpfCnpjPessoa",
            "nomeDevedorCredor",
            "nomeLoja",
            "dataEmissao",
            "dataVencimento",
            "descricao",
            "sequencialBeneficio",
            "situacao",
            "tipo",
            "valor",
        ]
        .map(|name| self.row[name].to_string());
        let full = ["codTipoTitulo", "nomeTipoTitulo", "codLoja", "observacao"];
        let full = full.map(|name| self.full[name].to_string());
        format!("{row:?} {full:?} {}", self.open_cents())
    }

    /// The same without its code.
    fn describe_terms(&self) -> String {
        let row =
            ["codPessoa", "dataVencimento", "descricao", "valor"].map(|name| self.row[name].to_string());
        format!("{row:?} {}", self.open_cents())
    }
}

fn cents(json: &Json) -> i64 {
    (json.as_f64().unwrap() * 100.0).round() as i64
}

async fn read(server: &Server, token: &str, path: &str) -> Json {
    let reply = server.read(path, token).await;
    assert_eq!(reply.status, 200, "{path}: {reply:?}");
    reply.json()
}

async fn post(server: &Server, token: &str, path: &str, body: Json) -> Json {
    let reply = server.write(path, token, &body.to_string()).await;
    assert_eq!(reply.status, 200, "{path} {body}: {reply:?}");
    reply.json()
}

async fn put(server: &Server, token: &str, path: &str, body: Json) {
    let reply = server.put(path, token, &body.to_string()).await;
    assert_eq!(reply.status, 200, "{path} {body}: {reply:?}");
}

async fn list_open(server: &Server, token: &str) -> BTreeMap<i64, ShownTitle> {
    let mut open = BTreeMap::new();
    for kind in ["credito", "debito"] {
        let mut offset = 0;
        loop {
            let path = format!("{TITLES}?tipo={kind}&situacao=aberto&inicio={offset}");
            let page = read(server, token, &path).await;
            let rows = page["itens"].as_array().unwrap();
            if rows.is_empty() {
                break;
            }
            offset += rows.len();
            for row in rows {
                let code = row["codTitulo"].as_i64().unwrap();
                let full = read(server, token, &format!("{TITLES}/{code}")).await;
                open.insert(code, ShownTitle { row: row.clone(), full });
            }
        }
    }
    open
}

fn describe_all(titles: &BTreeMap<i64, ShownTitle>) -> Vec<String> {
    titles.values().map(ShownTitle::describe).collect()
}

fn describe_all_terms(titles: &BTreeMap<i64, ShownTitle>) -> Vec<String> {
    let mut all: Vec<String> = titles.values().map(ShownTitle::describe_terms).collect();
    all.sort();
    all
}

/// A member with a benefit: both codes.
async fn find_holder(source: &Source) -> (Json, Json) {
    let page = source.read("/ext/associado?situacaoBeneficio=Todos&pagina=1").await;
    let rows = page["itens"].as_array().unwrap();
    let row = rows.iter().find(|row| row["codBeneficio"].is_i64()).unwrap();
    (row["codPessoa"].clone(), row["codBeneficio"].clone())
}

/// Issues a title of nothing but a person, due on a day, at the source. Its code.
async fn issue(source: &Source, person: &Json, due: &str, amount: f64) -> i64 {
    let body = json!({"codPessoa": person, "codTipoTitulo": 1, "valor": amount, "vencimento": due,
        "dataEmissao": "2026-10-01", "descricao": format!("Avulso {amount}")});
    let issued = post(&source.server, &source.token, MANAGED, body).await;
    issued[0]["codTitulo"].as_i64().unwrap()
}

async fn receive(server: &Server, token: &str, title: i64, amount: f64) -> Json {
    let body = json!({"valorPago": amount, "codTipoLiquidacao": 1});
    post(server, token, &format!("{MANAGED}/{title}/receber"), body).await
}

async fn cancel(source: &Source, title: i64) {
    let path = format!("{MANAGED}/{title}/cancelar");
    put(&source.server, &source.token, &path, json!({"motivo": "cobrado em dobro"})).await;
}

async fn move_due_day(server: &Server, token: &str, title: i64, due: &str) {
    let body = json!({"vencimento": due, "motivo": "pedido"});
    put(server, token, &format!("{MANAGED}/{title}/vencimento"), body).await;
}

#[both_engines]
async fn open_titles_come_with_what_was_paid_of_them(world: World) {
    let source = Source::demo(&world, 40).await;
    let (person, benefit) = find_holder(&source).await;
    let (server, token) = (&source.server, &source.token);
    let new_type = json!({"nome": "Carnê antigo", "tipoLancamento": "CREDITO", "codItemCobranca": 4});
    let new_type = post(server, token, "/gestao/tipoTitulo", new_type).await;
    let of_benefit = json!({"codBeneficio": benefit, "codPessoa": person, "valor": 150.55, "vencimento": "2026-12-10",
        "codTipoTitulo": new_type["codTipoTitulo"], "descricao": "Do benefício", "observacao": "Por telefone."});
    post(server, token, TITLES, of_benefit).await;
    let instalments = json!({"codPessoa": person, "codTipoTitulo": 1, "valor": 900, "parcelas": 3,
        "vencimento": "2026-10-20", "dataEmissao": "2026-10-01"});
    post(server, token, MANAGED, instalments).await;
    let late = issue(&source, &person, "2026-10-13", 200.0).await;
    receive(server, token, late, 50.0).await;
    let paid = issue(&source, &person, "2026-11-30", 70.0).await;
    receive(server, token, paid, 70.0).await;
    let paid_before = issue(&source, &person, "2026-10-30", 75.0).await;
    receive(server, token, paid_before, 90.0).await;
    let cancelled = issue(&source, &person, "2026-11-30", 80.0).await;
    cancel(&source, cancelled).await;

    let report = run(&world, &asked(&source.address())).await.unwrap();
    assert!(report.unread.is_empty(), "{:?}", report.unread);
    let (mirrored, here) = served(&world, &report).await;
    let there = list_open(server, token).await;
    assert!(there.len() > 5 && there.contains_key(&late) && !there.contains_key(&paid));
    assert_eq!(describe_all(&there), describe_all(&list_open(&mirrored, &here).await));
    let tenant = report.mirror.tenant;
    let open: i64 = there.values().map(ShownTitle::open_cents).sum();
    assert_eq!(count(&world, OPEN_CENTS, tenant).await, open);
    assert_eq!(count(&world, KEYS, tenant).await, there.len() as i64);
    assert_eq!(read(&mirrored, &here, &format!("{TITLES}/{paid}")).await["situacao"], "LIQUIDADO");
    assert_eq!(mirrored.read(&format!("{TITLES}/{paid_before}"), &here).await.status, 404);
    books::check(world.db(), tenant, "mirrored").await;
    let cash = "SELECT COUNT(*) AS count FROM ledger_accounts WHERE tenant = $1 AND kind = 2";
    assert_eq!(count(&world, cash, tenant).await, 0, "no money came here");
    assert!(report.uncarried_titles.settled > 0, "{report:?}");
    assert!(report.render().contains("Títulos da origem que não são trazidos"), "{}", report.render());

    let again = run(&world, &asked(&source.address())).await.unwrap();
    assert_eq!(again.written, 0, "{again:?}");
    let whole = MirrorOptions { is_full: true, ..asked(&source.address()) };
    assert_eq!(run(&world, &whole).await.unwrap().written, 0);
    assert_eq!(describe_all(&there), describe_all(&list_open(&mirrored, &here).await));
}

#[both_engines]
async fn what_becomes_of_a_title_there_becomes_of_it_here(world: World) {
    let source = Source::demo(&world, 10).await;
    let (person, _) = find_holder(&source).await;
    let (server, token) = (&source.server, &source.token);
    let mut titles = Vec::new();
    for amount in [10.0, 20.0, 30.0, 40.0, 50.0, 60.0] {
        titles.push(issue(&source, &person, "2026-12-15", amount).await);
    }
    let [settled, parted, cancelled, moved, returned, reopened] = titles[..] else { panic!("{titles:?}") };
    let part = receive(server, token, returned, 15.0).await;
    let whole = receive(server, token, reopened, 20.0).await;
    let first = run(&world, &asked(&source.address())).await.unwrap();
    let (mirrored, here) = served(&world, &first).await;
    let take_back = async |payment: &Json| {
        let code = &payment["liquidacoes"][0]["codLiquidacao"];
        let path = format!("/gestao/financeiro/liquidacao/{code}/estornar");
        put(server, token, &path, json!({"motivo": "devolvido"})).await;
    };
    receive(server, token, settled, 10.0).await;
    receive(server, token, parted, 5.0).await;
    cancel(&source, cancelled).await;
    move_due_day(server, token, moved, "2026-12-28").await;
    take_back(&part).await;
    receive(server, token, reopened, 40.0).await;
    let second = run(&world, &asked(&source.address())).await.unwrap();
    assert!(second.written >= 6, "{second:?}");
    let there = list_open(server, token).await;
    assert_eq!(describe_all_terms(&there), describe_all_terms(&list_open(&mirrored, &here).await));
    for (title, situation) in [(settled, "LIQUIDADO"), (cancelled, "CANCELADO"), (reopened, "LIQUIDADO")] {
        assert_eq!(read(&mirrored, &here, &format!("{TITLES}/{title}")).await["situacao"], situation);
    }
    let tenant = first.mirror.tenant;
    books::check(world.db(), tenant, "followed").await;

    take_back(&whole).await;
    run(&world, &asked(&source.address())).await.unwrap();
    let there = list_open(server, token).await;
    assert!(there.contains_key(&reopened));
    assert_eq!(describe_all_terms(&there), describe_all_terms(&list_open(&mirrored, &here).await));
    assert_eq!(run(&world, &asked(&source.address())).await.unwrap().written, 0);
    books::check(world.db(), tenant, "reopened").await;
}

#[both_engines]
async fn what_was_changed_here_stays_and_is_told(world: World) {
    let source = Source::demo(&world, 5).await;
    let (person, _) = find_holder(&source).await;
    let (server, token) = (&source.server, &source.token);
    let paid = issue(&source, &person, "2026-12-15", 30.0).await;
    let moved = issue(&source, &person, "2026-12-15", 40.0).await;
    let report = run(&world, &asked(&source.address())).await.unwrap();
    let (mirrored, here) = served(&world, &report).await;
    receive(&mirrored, &here, paid, 12.0).await;
    move_due_day(&mirrored, &here, moved, "2026-12-18").await;
    let quiet = run(&world, &asked(&source.address())).await.unwrap();
    assert!(quiet.written == 0 && quiet.noted.iter().all(|note| note.kind != "titulo"), "{quiet:?}");

    cancel(&source, paid).await;
    move_due_day(server, token, moved, "2026-12-28").await;
    for _ in 0..2 {
        let report = run(&world, &asked(&source.address())).await.unwrap();
        assert_eq!(report.written, 0, "{report:?}");
        let told = report.render();
        assert!(told.contains("2 × titulo") && told.contains("mudou na origem e também aqui"), "{told}");
    }
    for (title, due) in [(paid, "15/12/2026"), (moved, "18/12/2026")] {
        let shown = read(&mirrored, &here, &format!("{TITLES}/{title}")).await;
        assert_eq!((&shown["situacao"], &shown["dataVencimento"]), (&json!("ABERTO"), &json!(due)));
    }
    books::check(world.db(), report.mirror.tenant, "changed here").await;
}

#[both_engines]
async fn a_run_that_is_cut_off_among_titles_writes_each_once(world: World) {
    let source = Source::demo(&world, 10).await;
    let (person, _) = find_holder(&source).await;
    for _ in 0..2 {
        let booklet = json!({"codPessoa": person, "codTipoTitulo": 1, "valor": 600, "parcelas": 60});
        post(&source.server, &source.token, MANAGED, booklet).await;
    }
    let (cut_off, ask) = (Arc::new(tokio::sync::Notify::new()), asked(&source.address()));
    let noticed = Arc::clone(&cut_off);
    let mut tell = move |stage: ProgressUpdate| {
        if stage.what == "títulos em aberto" {
            noticed.notify_one();
        }
    };
    let app = world.app().clone();
    tokio::select! {
        _ = mirror::run_mirror(&app, &ask, no_sleep(), &mut tell) => {}
        () = cut_off.notified() => {}
    }
    world.clock.pass(mirroring_held());
    let report = run(&world, &ask).await.unwrap();
    let (mirrored, here) = served(&world, &report).await;
    let there = list_open(&source.server, &source.token).await;
    assert_eq!(describe_all(&there), describe_all(&list_open(&mirrored, &here).await));
    let tenant = report.mirror.tenant;
    assert_eq!(count(&world, KEYS, tenant).await, there.len() as i64);
    books::check(world.db(), tenant, "resumed").await;
}

const CREDITS: &str = "/ext/financeiro/titulo?tipo=Cr%C3%A9dito&situacao=ABERTO&inicio=0";

#[both_engines]
async fn titles_come_from_the_list_where_none_is_shown_alone(world: World) {
    let odd = Odd::start().await;
    odd.says(
        CREDITS,
        r#"{"quantidade": "4", "itens": [
        {"codTitulo": "900", "codPessoa": "1", "dataEmissao": "2026-10-01", "dataVencimento": "10/11/2026", "nomeLoja": "Única",
         "sequencialBeneficio": ["10"], "situacao": "Vencido", "tipo": "Crédito", "valor": "150,55", "valorLiquidado": 50},
        {"codTitulo": 901, "codPessoa": 777, "nomeDevedorCredor": "Oficina", "dataVencimento": "20/11/2026",
         "situacao": "aberto", "tipo": "CREDITO", "valor": 80},
        {"codTitulo": 902, "codPessoa": 1, "situacao": "ABERTO", "tipo": "Crédito", "valor": 10},
        {"codTitulo": 903, "codPessoa": 1, "dataVencimento": "01/01/1900", "situacao": "ABERTO", "tipo": "Crédito", "valor": 10}
        ]}"#,
    );
    let report = run(&world, &asked(&odd.address)).await.unwrap();
    let tenant = report.mirror.tenant;
    assert_eq!(count(&world, KEYS, tenant).await, 2);
    assert_eq!(count(&world, OPEN_CENTS, tenant).await, 10_055 + 8_000);
    let benefits =
        "SELECT COUNT(*) AS count FROM title_benefits WHERE tenant = $1 AND title = 900 AND benefit = 1";
    assert_eq!(count(&world, benefits, tenant).await, 1);
    let person = "SELECT COUNT(*) AS count FROM people WHERE tenant = $1 AND code = 777 AND name = 'Oficina'";
    assert_eq!(count(&world, person, tenant).await, 1);
    let told = report.render();
    for part in [
        "a origem não mostra um título",
        "titulo 902, dataVencimento: veio sem vencimento",
        "titulo 903, dataVencimento: o vencimento não pode estar certo",
        "GET /ext/financeiro/titulo: a origem não tem esta operação",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    books::check(world.db(), tenant, "from the list").await;
    assert_eq!(run(&world, &asked(&odd.address)).await.unwrap().written, 0);
}

#[both_engines]
async fn a_user_without_rights_to_money_mirrors_the_rest(world: World) {
    let odd = Odd::start().await;
    odd.refuses(CREDITS);
    let report = run(&world, &asked(&odd.address)).await.unwrap();
    assert!(report.mirror.finished_at.is_some(), "{report:?}");
    assert!(report.render().contains("GET /ext/financeiro/titulo: a origem recusou (403)"), "{report:?}");
}
