//! Mirrors from one server to another: both answer alike, whatever came in between.
#![allow(clippy::unwrap_used, reason = "a test fails loudly")]

extern crate amparo_mirror as mirror;

mod source;
mod titles;

use app::access::users::{self, InitialPassword, NewUserInput};
use domain::{DisplayName, Email, InputField, MoneyRights, Password, Role, TenantId};
use exchange::mirror_store;
use mirror::{MirrorError, MirrorRunReport, ProgressUpdate};
use serde_json::json;
use source::{Odd, Rude, Source, alike, asked, run};
use std::sync::Arc;
use std::time::Duration;
use storage::{QueryWeight, sql};
use testkit::{PASSWORD, Server, World, both_engines};

/// Somebody who may see everything in a base.
async fn administrator(world: &World, tenant: TenantId) -> String {
    let email = format!("admin-{tenant}@espelho.example");
    let new = NewUserInput {
        tenant,
        name: DisplayName::parse(InputField::Name, "Quem confere").unwrap(),
        email: Email::parse(&email).unwrap(),
        role: Role::Administrator,
        branches: Vec::new(),
        money_rights: MoneyRights::SEE_AND_SETTLE,
        gets_old_search_answer: false,
        password: InitialPassword::Chosen(Password::parse(PASSWORD).unwrap()),
    };
    users::create_user(world.app(), new).await.unwrap();
    email
}

/// Mirrors, and gives the server that serves the mirror with a token for it.
async fn served(world: &World, report: &MirrorRunReport) -> (Server, String) {
    let email = administrator(world, report.mirror.tenant).await;
    let server = Server::start(world.app().clone()).await;
    let token = server.token(&email).await;
    (server, token)
}

async fn count(world: &World, text: &'static str, tenant: TenantId) -> i64 {
    let rows = world.db().query(QueryWeight::Search, sql(text).arg(tenant)).await.unwrap();
    rows[0].get("count").unwrap()
}

#[both_engines]
async fn the_two_answer_alike_and_nobody_is_told(world: World) {
    let source = Source::demo(&world, 120).await;
    let report = run(&world, &asked(&source.address())).await.unwrap();
    assert!(report.is_new && report.unread.is_empty(), "{:?}", report.unread);
    let tenant = report.mirror.tenant;
    let (mirrored, token) = served(&world, &report).await;
    alike(&source, &mirrored, &token).await;

    assert_eq!(count(&world, "SELECT COUNT(*) AS count FROM outbox WHERE tenant = $1", tenant).await, 0);
    let others = "SELECT COUNT(*) AS count FROM history WHERE tenant = $1 AND origin <> 'espelho'";
    assert_eq!(count(&world, others, tenant).await, 0);
    assert!(count(&world, "SELECT COUNT(*) AS count FROM history WHERE tenant = $1", tenant).await > 100);
    assert_eq!(
        count(&world, "SELECT COUNT(*) AS count FROM mirror_staged WHERE tenant = $1", tenant).await,
        0
    );

    // Nothing changed: nothing is written, and no second base comes to be.
    let again = run(&world, &asked(&source.address())).await.unwrap();
    assert_eq!((again.is_new, again.mirror.tenant, again.written), (false, tenant, 0), "{again:?}");
    assert!(again.requests < report.requests / 2, "{} of {}", again.requests, report.requests);
    let mut whole = asked(&source.address());
    whole.is_full = true;
    let whole = run(&world, &whole).await.unwrap();
    assert_eq!((whole.mirror.tenant, whole.written), (tenant, 0));
    alike(&source, &mirrored, &token).await;
}

#[both_engines]
async fn what_changed_comes_with_the_next_run_and_new_codes_clash_with_none(world: World) {
    let source = Source::demo(&world, 60).await;
    let first = run(&world, &asked(&source.address())).await.unwrap();
    let (mirrored, token) = served(&world, &first).await;
    source.change().await;
    let second = run(&world, &asked(&source.address())).await.unwrap();
    assert!(second.written > 5 && second.mirror.since.is_some(), "{second:?}");
    alike(&source, &mirrored, &token).await;

    // What is added here, once people work here, takes codes that nothing mirrored has.
    let highest = source.highest_codes().await;
    let person = r#"{"nomePessoa": "Nova Pessoa", "cpfCnpj": "529.982.247-25", "codLoja": 1}"#;
    let saved = mirrored.write("/ext/associado", &token, person).await;
    assert_eq!(saved.status, 200, "{saved:?}");
    assert!(saved.json()["codPessoa"].as_i64().unwrap() > highest.person);
    let plan = source.plan_of(0);
    let benefit =
        format!(r#"{{"cpfCnpj": "52998224725", "codPlano": {plan}, "placa": "QQQ9Z99", "ativo": true}}"#);
    let saved = mirrored.write("/ext/beneficio/veicular", &token, &benefit).await;
    assert_eq!(saved.status, 200, "{saved:?}");
    assert!(saved.json()["codBeneficio"].as_i64().unwrap() > highest.benefit);
    assert!(saved.json()["sequencial"].as_i64().unwrap() > highest.sequence);
}

#[both_engines]
async fn a_run_that_is_cut_off_goes_on_where_it_was(world: World) {
    let source = Source::demo(&world, 110).await;
    let ask = asked(&source.address());
    for cut in [25, 50, 60, 150, 200] {
        let cut_off = Arc::new(tokio::sync::Notify::new());
        let noticed = Arc::clone(&cut_off);
        let mut first = None;
        let mut tell = move |stage: ProgressUpdate| {
            if stage.requests >= *first.get_or_insert(stage.requests) + cut {
                noticed.notify_one();
            }
        };
        let app = world.app().clone();
        tokio::select! {
            _ = mirror::run_mirror(&app, &ask, source::no_sleep(), &mut tell) => {}
            () = cut_off.notified() => {}
        }
        // Whoever had it is gone, and does not say so.
        world.clock.pass(mirroring_held());
    }
    let tenant = TenantId::new(world.there.get() + 1);
    let so_far = mirror_store::find_mirror(world.app(), tenant).await.unwrap().unwrap();
    assert!(so_far.phase >= 3 && so_far.place > 0 && so_far.finished_at.is_none(), "{so_far:?}");
    let report = run(&world, &ask).await.unwrap();
    assert_eq!(
        count(&world, "SELECT COUNT(*) AS count FROM mirrors WHERE tenant >= $1", TenantId::new(0)).await,
        1
    );
    let (mirrored, token) = served(&world, &report).await;
    alike(&source, &mirrored, &token).await;
}

fn mirroring_held() -> Duration {
    mirror_store::HELD_FOR + Duration::from_secs(1)
}

#[both_engines]
async fn two_do_not_mirror_the_same_at_once(world: World) {
    let source = Source::demo(&world, 5).await;
    let report = run(&world, &asked(&source.address())).await.unwrap();
    let hold = mirror_store::lease_mirror(world.app(), report.mirror.tenant).await.unwrap().unwrap();
    let refused = run(&world, &asked(&source.address())).await.unwrap_err();
    assert!(matches!(refused, MirrorError::Busy(_)), "{refused:?}");
    mirror_store::release_mirror_lease(world.app(), &hold).await.unwrap();
    run(&world, &asked(&source.address())).await.unwrap();
}

#[both_engines]
async fn a_rude_source_is_borne(world: World) {
    let source = Source::demo(&world, 40).await;
    let rude = Rude::before(&source).await;
    let slept = Arc::new(std::sync::Mutex::new(Vec::new()));
    let heard = Arc::clone(&slept);
    let sleep: mirror::SleepFunction = Arc::new(move |span| {
        heard.lock().unwrap().push(span);
        Box::pin(tokio::task::yield_now())
    });
    let app = world.app().clone();
    let report = mirror::run_mirror(&app, &asked(&rude.address), sleep, &mut |_| {}).await.unwrap();
    assert!(report.unread.is_empty(), "{:?}", report.unread);
    let spans = slept.lock().unwrap().clone();
    assert!(spans.contains(&Duration::from_secs(7)), "what 429 asked for: {spans:?}");
    assert!(spans.contains(&Duration::from_secs(1)), "what broke was tried again");
    let (mirrored, token) = served(&world, &report).await;
    alike(&source, &mirrored, &token).await;
}

#[both_engines]
async fn a_wrong_password_or_a_strange_address_is_told(world: World) {
    let source = Source::demo(&world, 3).await;
    let mut ask = asked(&source.address());
    ask.password = "outra".to_owned();
    let told = run(&world, &ask).await.unwrap_err().to_string();
    assert!(told.contains("usuário e a senha"), "{told}");
    let nobody = asked("http://127.0.0.1:1");
    let told = run(&world, &nobody).await.unwrap_err().to_string();
    assert!(told.contains("não pôde ser alcançada"), "{told}");
    let mut into = asked(&source.address());
    into.into = Some(world.here);
    let told = run(&world, &into).await.unwrap_err().to_string();
    assert!(told.contains("não é o espelho"), "{told}");
}

#[both_engines]
async fn odd_data_never_ends_a_run_and_is_told(world: World) {
    let odd = Odd::start().await;
    let report = run(&world, &asked(&odd.address)).await.unwrap();
    let (mirrored, token) = served(&world, &report).await;
    let page = mirrored.read("/ext/associado?situacaoBeneficio=Todos", &token).await.json();
    let names: Vec<&str> =
        page["itens"].as_array().unwrap().iter().map(|one| one["nomePessoa"].as_str().unwrap()).collect();
    assert_eq!(names, ["Ana", "Bia", "(sem nome)", "Duda", "Duda"], "{page}");
    let rows = page["itens"].as_array().unwrap();
    assert_eq!(
        (&rows[0]["cpfCnpj"], &rows[1]["cpfCnpj"]),
        (&"529.982.247-25".into(), &serde_json::Value::Null)
    );
    assert_eq!(
        (&rows[0]["situacao"], &rows[0]["tipoSituacao"]),
        (&"EM COBRANÇA ESPECIAL".into(), &"SUSPENSO".into())
    );
    assert_eq!(rows[0]["planos"][0]["nome"], "Plano Antigo");
    assert_eq!((&rows[3]["placa"], &rows[4]["placa"]), (&"ABC1D23".into(), &"ABC1D23".into()));
    assert_ne!(rows[3]["sequencial"], rows[4]["sequencial"]);
    let told = report.render();
    for part in [
        "associado 2, cpfCnpj: outra pessoa da origem",
        "associado 3, nomePessoa",
        "codPessoa: uma linha da pesquisa veio sem código",
        "beneficio 5, sequencial",
        "GET /ext/crm/lead: a origem não tem esta operação",
        "GET /ext/financeiro/titulo: a origem não tem esta operação",
        "GET /ext/administracao/vendedor: a origem respondeu 500",
        "negócio; recebeu um número desta base",
        "evento; recebeu um número desta base",
        "GET /ext/crm/negocio/",
        "O espelho não traz",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let again = run(&world, &asked(&odd.address)).await.unwrap();
    assert_eq!(again.written, 0, "{again:?}");
    let again = run(&world, &whole(&odd)).await.unwrap();
    assert_eq!(again.written, 0, "{again:?}");
    for (text, many) in [
        ("SELECT COUNT(*) AS count FROM deals WHERE tenant = $1 AND sequence > 0", 3),
        ("SELECT COUNT(*) AS count FROM deal_dependents WHERE tenant = $1", 1),
        ("SELECT COUNT(*) AS count FROM claims WHERE tenant = $1 AND protocol > 0", 3),
        (
            "SELECT COUNT(*) AS count FROM people WHERE tenant = $1 AND name = 'Ana' AND document IS NOT NULL",
            1,
        ),
    ] {
        assert_eq!(count(&world, text, report.mirror.tenant).await, many, "{text}");
    }
}

fn whole(odd: &Odd) -> mirror::MirrorOptions {
    mirror::MirrorOptions { is_full: true, ..asked(&odd.address) }
}

const MEMBERS: &str = "/ext/associado?situacaoBeneficio=Todos&pagina=";

#[both_engines]
async fn two_who_have_each_others_documents_now_change_them(world: World) {
    let odd = Odd::start().await;
    let couple = |one: &str, other: &str| {
        let person = |code: i32, document: &str| {
            json!({"codPessoa": code, "nomePessoa": format!("P{code}"), "codLoja": 4, "cpfCnpj": document,
                "dataCadastro": "01/02/2020", "dataAtualizacao": "01/02/2020"})
        };
        json!({"itens": [person(1, one), person(2, other)], "proximaPagina": false}).to_string()
    };
    odd.says(&format!("{MEMBERS}1"), &couple("52998224725", "11144477735"));
    run(&world, &asked(&odd.address)).await.unwrap();
    odd.says(&format!("{MEMBERS}1"), &couple("11144477735", "52998224725"));
    let report = run(&world, &whole(&odd)).await.unwrap();
    let text =
        "SELECT COUNT(*) AS count FROM people WHERE tenant = $1 AND code = 1 AND document = '11144477735'";
    assert_eq!(count(&world, text, report.mirror.tenant).await, 1);
}

#[both_engines]
async fn what_is_no_list_empties_nothing_and_is_asked_for_again(world: World) {
    let odd = Odd::start().await;
    odd.breaks("/ext/beneficio/1/itens");
    let report = run(&world, &asked(&odd.address)).await.unwrap();
    let tenant = report.mirror.tenant;
    let items = "SELECT COUNT(*) AS count FROM items WHERE tenant = $1 AND active";
    assert_eq!(count(&world, items, tenant).await, 0);
    odd.mends("/ext/beneficio/1/itens");
    let report = run(&world, &asked(&odd.address)).await.unwrap();
    assert!(report.mirror.since.is_some(), "{report:?}");
    assert_eq!(count(&world, items, tenant).await, 1);

    odd.says("/ext/beneficio/1/itens", "null");
    odd.says("/ext/beneficio/1/dependentes", r#"[{"nome": "Filho"}]"#);
    odd.says("/ext/associado/1/cartaoCredito", "{}");
    odd.says("/ext/beneficio/situacaoBeneficio", r#"[{"nome": "Vigente"}]"#);
    run(&world, &whole(&odd)).await.unwrap();
    for text in [
        items,
        "SELECT COUNT(*) AS count FROM dependents WHERE tenant = $1 AND active",
        "SELECT COUNT(*) AS count FROM credit_cards WHERE tenant = $1 AND active",
        "SELECT COUNT(*) AS count FROM situations WHERE tenant = $1 AND active AND code = 30",
    ] {
        assert_eq!(count(&world, text, tenant).await, 1, "{text}");
    }
}

#[both_engines]
async fn pages_are_read_to_the_end_where_none_is_told(world: World) {
    let odd = Odd::start().await;
    for number in 1..=3 {
        let row = json!([{"codPessoa": number, "nomePessoa": format!("P{number}"), "codLoja": 4}]);
        odd.says(&format!("{MEMBERS}{number}"), &row.to_string());
    }
    let last = json!({"itens": [{"codPessoa": 3}], "proximaPagina": "true", "quantidade": 5}).to_string();
    (4..20).for_each(|number| odd.says(&format!("{MEMBERS}{number}"), &last));
    let report = run(&world, &asked(&odd.address)).await.unwrap();
    let people = "SELECT COUNT(*) AS count FROM people WHERE tenant = $1 AND is_member";
    assert_eq!(count(&world, people, report.mirror.tenant).await, 3);

    // It tells of more than it gives: what changed since then is asked for again.
    let first = json!({"itens": [{"codPessoa": 1}], "proximaPagina": "false", "quantidade": 5}).to_string();
    odd.says(&format!("{MEMBERS}1"), &first);
    let before = report.mirror.complete_from;
    let report = run(&world, &whole(&odd)).await.unwrap();
    assert!(!report.mirror.has_all && report.mirror.complete_from == before, "{report:?}");
    assert!(report.render().contains("vieram 1 das 5 linhas"), "{}", report.render());
}

#[both_engines]
async fn bases_without_a_code_are_told_apart_by_who_reads_them(world: World) {
    let odd = Odd::start().await;
    odd.says("/ext/autenticacao", r#"{"authorizationToken": "t"}"#);
    let first = run(&world, &asked(&odd.address)).await.unwrap();
    let mut other = mirror::MirrorOptions { login: "outra@casa.example".to_owned(), ..asked(&odd.address) };
    let second = run(&world, &other).await.unwrap();
    assert_ne!(first.mirror.tenant, second.mirror.tenant);
    other.into = Some(first.mirror.tenant);
    let refused = run(&world, &other).await.unwrap_err();
    assert!(matches!(refused, MirrorError::OtherSource(..)), "{refused:?}");
    assert_eq!(run(&world, &asked(&odd.address)).await.unwrap().mirror.tenant, first.mirror.tenant);
}

#[both_engines]
async fn the_source_never_renames_who_works_here(world: World) {
    let odd = Odd::start().await;
    let report = run(&world, &asked(&odd.address)).await.unwrap();
    let tenant = report.mirror.tenant;
    administrator(&world, tenant).await;
    let deal = r#"{"codNegocio": 1, "sequencial": 1, "codFunil": 5, "codEtapa": 6, "codLoja": 4, "codUsuarioResponsavel": 1001,
        "nomeUsuarioResponsavel": "Outra de lá", "lead": {"codLead": 1, "codPessoa": 50, "nomePessoa": "Lia", "codLoja": 4}}"#;
    odd.says("/ext/crm/negocio/1", deal);
    run(&world, &asked(&odd.address)).await.unwrap();
    let own =
        "SELECT COUNT(*) AS count FROM users WHERE tenant = $1 AND code = 1001 AND name = 'Quem confere'";
    assert_eq!(count(&world, own, tenant).await, 1);
    let mapped =
        "SELECT COUNT(*) AS count FROM deals d JOIN users u ON u.tenant = d.tenant AND u.code = d.responsible
         WHERE d.tenant = $1 AND d.code = 1 AND u.name = 'Outra de lá' AND u.code > 1001";
    assert_eq!(count(&world, mapped, tenant).await, 1);
    assert_eq!(run(&world, &asked(&odd.address)).await.unwrap().written, 0);
}

/// Whoever lost a mirror writes no more of it: another may be elsewhere by now.
#[both_engines]
async fn a_run_that_was_taken_over_writes_nothing_more(world: World) {
    let source = Source::demo(&world, 5).await;
    let report = run(&world, &asked(&source.address())).await.unwrap();
    let tenant = report.mirror.tenant;
    let lost = mirror_store::lease_mirror(world.app(), tenant).await.unwrap().unwrap();
    world.clock.pass(mirroring_held());
    let taken = mirror_store::lease_mirror(world.app(), tenant).await.unwrap().unwrap();
    let refused = mirror_store::complete_mirror_run(world.app(), &report.mirror, &lost).await.unwrap_err();
    assert!(matches!(refused, app::Error::LeaseLost), "{refused:?}");
    let refused =
        mirror_store::stage_benefits(world.app(), &report.mirror, &lost, Vec::new()).await.unwrap_err();
    assert!(matches!(refused, app::Error::LeaseLost), "{refused:?}");
    mirror_store::complete_mirror_run(world.app(), &report.mirror, &taken).await.unwrap();
}

/// Of a world where others outnumber him, a user who is limited to two branches brings what he sees, and nothing of anybody
/// else's.
#[both_engines]
async fn a_mirror_has_what_its_user_may_see(world: World) {
    let source = Server::start(world.app().clone()).await;
    let all = source.token(&world.administrator.email).await;
    for number in 1..=12 {
        let document =
            domain::Cpf::with_check_digits([1, 2, 3, 4, 5, 6, 7, number / 10, number % 10]).unwrap();
        let (own, of_benefit) = (number % 3 + 1, (number / 2) % 3 + 1);
        let person =
            json!({"nomePessoa": format!("Pessoa {number}"), "cpfCnpj": document.as_str(), "codLoja": own});
        assert_eq!(source.write("/ext/associado", &all, &person.to_string()).await.status, 200);
        let benefit = json!({"cpfCnpj": document.as_str(), "codLoja": of_benefit, "codPlano": 2, "ativo": number % 2 == 0});
        if number % 4 > 0 {
            assert_eq!(source.write("/ext/beneficio", &all, &benefit.to_string()).await.status, 200);
        }
    }
    let target = World::hostile(world.database.engine).await;
    let mut ask = asked(&format!("http://{}", source.address));
    (ask.login, ask.password) = (world.integration.email.clone(), PASSWORD.to_owned());
    let report = run(&target, &ask).await.unwrap();
    assert!(report.unread.is_empty() && report.mirror.source_base == world.here.get(), "{report:?}");
    let (mirrored, token) = served(&target, &report).await;
    let seen = source.token(&world.integration.email).await;
    for path in [
        "/ext/administracao/loja",
        "/ext/administracao/vendedor",
        "/ext/administracao/campos/0",
        "/ext/beneficio/situacaoBeneficio",
        "/ext/beneficio/tipoVeiculo",
        "/ext/beneficio/vencimento",
        "/ext/crm/funil",
        "/ext/associado?situacaoBeneficio=Todos",
        "/ext/associado?nome=pessoa",
        "/ext/beneficio/lista",
    ] {
        let (there, here) = (source.read(path, &seen).await, mirrored.read(path, &token).await);
        assert_eq!((there.status, &there.body), (here.status, &here.body), "{path}");
    }
    let rows = mirrored.read("/ext/associado?situacaoBeneficio=Todos", &token).await.json();
    let rows = rows["quantidade"].as_i64().unwrap();
    assert!(0 < rows && rows < 12, "{rows}");
}
