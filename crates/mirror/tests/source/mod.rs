//! Servers to mirror: a demonstration, one behind rude manners, and one with odd data. And what compares two of them.

mod rude;

pub use rude::{Odd, Rude};

use demo::DemoLoadOptions;
use domain::TimeZone;
use futures_util::future::BoxFuture;
use mirror::{MirrorError, MirrorOptions, MirrorRunReport, RequestPace, SleepFunction};
use serde_json::{Value as Json, json};
use std::sync::Arc;
use std::time::Duration;
use testkit::{Database, Server, World, app_on};

pub const LOGIN: &str = "admin@demo.example";
pub const PASSWORD: &str = "amparo-demo";

pub struct Source {
    pub server: Server,
    pub token: String,
    // Last, so that it goes when nobody uses it any more.
    _database: Database,
}

/// The greatest codes of a source.
pub struct Highest {
    pub person: i64,
    pub benefit: i64,
    pub sequence: i64,
}

impl Source {
    /// A demonstration on the same engine, at the same time.
    pub async fn demo(world: &World, members: u32) -> Source {
        let database = Database::fresh(world.database.engine).await;
        let app = app_on(database.open().await, Arc::clone(&world.clock), 77);
        let demo = DemoLoadOptions { members, seed: 7, password: PASSWORD.to_owned(), months: Some(1) };
        demo::load_demo(&app, &demo, &mut |_| {}).await.unwrap();
        let server = Server::start(app).await;
        let entered = server.enter(LOGIN, PASSWORD).await;
        let token = entered.json()["authorizationToken"].as_str().unwrap().to_owned();
        Source { server, token, _database: database }
    }

    pub fn address(&self) -> String {
        format!("http://{}", self.server.address)
    }

    pub async fn read(&self, path: &str) -> Json {
        let reply = self.server.read(path, &self.token).await;
        assert_eq!(reply.status, 200, "{path}: {reply:?}");
        reply.json()
    }

    async fn pages(&self, path: &str) -> Vec<Json> {
        let mut all = Vec::new();
        for number in 1.. {
            let mark = if path.contains('?') { '&' } else { '?' };
            let page = self.read(&format!("{path}{mark}pagina={number}")).await;
            all.extend(page["itens"].as_array().unwrap().clone());
            if page["proximaPagina"] == false {
                break;
            }
        }
        all
    }

    pub async fn highest_codes(&self) -> Highest {
        let rows = self.pages("/ext/associado?situacaoBeneficio=Todos").await;
        let most = |name: &str| rows.iter().filter_map(|row| row[name].as_i64()).max().unwrap();
        Highest { person: most("codPessoa"), benefit: most("codBeneficio"), sequence: most("sequencial") }
    }

    /// A plan of a kind, by the number of the kind: those of the demonstration are known.
    pub fn plan_of(&self, kind: usize) -> i32 {
        [1, 5, 8, 10, 12][kind]
    }

    /// Somebody works at the source: people, benefits, dependents, leads, deals, registers.
    pub async fn change(&self) {
        let rows = self.pages("/ext/associado?situacaoBeneficio=Todos").await;
        let with = rows.iter().filter(|row| row["codBeneficio"].is_i64()).collect::<Vec<_>>();
        let alone = rows.iter().find(|row| row["codBeneficio"].is_null()).unwrap();
        let post = async |path: &str, body: Json| {
            let reply = self.server.write(path, &self.token, &body.to_string()).await;
            assert_eq!(reply.status, 200, "{path} {body}: {reply:?}");
            reply.json()
        };
        let person = with[3];
        let changed = json!({"cpfCnpj": person["cpfCnpj"], "nomePessoa": "Outro Nome da Silva", "email": "outro@exemplo.example",
            "telefones": [{"numero": "11912345678"}], "dataNascimento": "02/03/1980"});
        post("/ext/associado", changed).await;
        let reply = self
            .server
            .put(&format!("/ext/beneficio/{}/cancelar", with[5]["codBeneficio"]), &self.token, "")
            .await;
        assert!(matches!(reply.status, 200), "{reply:?}");
        let benefit = json!({"cpfCnpj": alone["cpfCnpj"], "codPlano": 5, "ativo": true, "diaVencimento": 10});
        let added = post("/ext/beneficio", benefit).await;
        let dependent = json!({"codBeneficio": added["codBeneficio"], "nome": "Filha Nova", "parentesco": "FILHO",
            "dataNascimento": "10/10/2015", "planos": [5]});
        post("/ext/beneficio/dependente", dependent).await;
        let new = json!({"cpfCnpj": "111.444.777-35", "nomePessoa": "Gente Nova", "codLoja": 2});
        post("/ext/associado", new).await;
        let vehicle = json!({"cpfCnpj": "11144477735", "codPlano": 1, "placa": "ZZZ0A11", "marca": "FIAT", "modelo": "ARGO",
            "situacao": "PENDENTE", "valorVeiculo": 50000});
        let vehicle = post("/ext/beneficio/veicular", vehicle).await;
        post(
            &format!("/ext/beneficio/{}/itens", vehicle["codBeneficio"]),
            json!({"codPlano": 12, "valor": 9.9}),
        )
        .await;
        let lead = post("/ext/crm/lead", json!({"nome": "Lead Novo", "telefone": "11987654321"})).await;
        let deal = json!({"codLead": lead["codLead"], "titulo": "Carro novo", "valor": 120.5, "planos": [1]});
        let deal = post("/ext/crm/negocio", deal).await;
        let path = format!("/ext/crm/negocio/{}", deal["codNegocio"]);
        let lost = json!({"situacao": "Perdido", "motivoPerda": "Preço"}).to_string();
        let open = self.read("/ext/crm/negocio").await;
        let other = format!("/ext/crm/negocio/{}", open[0]["codNegocio"]);
        assert_eq!(self.server.put(&path, &self.token, r#"{"valor": 99}"#).await.status, 200);
        assert_eq!(self.server.put(&other, &self.token, &lost).await.status, 200);
        post("/gestao/vendedor", json!({"nome": "Vendedor Novo", "tipo": "Consultor", "codLoja": 1})).await;
    }
}

/// How a test mirrors: as fast as it goes.
pub fn asked(from: &str) -> MirrorOptions {
    MirrorOptions {
        from: from.to_owned(),
        login: LOGIN.to_owned(),
        password: PASSWORD.to_owned(),
        into: None,
        name: None,
        time_zone: TimeZone::DEFAULT.to_owned(),
        pace: RequestPace { per_second: 0, at_once: 4 },
        is_full: false,
    }
}

/// Nobody waits in a test.
pub fn no_sleep() -> SleepFunction {
    Arc::new(|_: Duration| -> BoxFuture<'static, ()> { Box::pin(tokio::task::yield_now()) })
}

pub async fn run(world: &World, asked: &MirrorOptions) -> Result<MirrorRunReport, MirrorError> {
    let app = world.app().clone();
    mirror::run_mirror(&app, asked, no_sleep(), &mut |_| {}).await
}

/// Every reading operation answers the same on both, byte for byte, page for page.
pub async fn alike(source: &Source, mirrored: &Server, token: &str) {
    let rows = source.pages("/ext/associado?situacaoBeneficio=Todos").await;
    let listed = source.pages("/ext/beneficio/lista").await;
    let mut paths: Vec<String> = [
        "/ext/administracao/loja",
        "/ext/administracao/vendedor",
        "/ext/administracao/vendedor?tipo=Consultor&uf=SP",
        "/ext/beneficio/situacaoBeneficio",
        "/ext/beneficio/tipoVeiculo",
        "/ext/beneficio/vencimento",
        "/ext/crm/funil",
        "/ext/crm/lead",
        "/ext/crm/lead?filtro=maria",
        "/ext/crm/negocio",
        "/ext/crm/negocio?codLoja=2",
        "/ext/evento",
        "/ext/evento?pagina=1",
        "/ext/evento?envolvido=Terceiro",
        "/ext/evento?dataAberturaInicial=01%2F01%2F2020&dataAberturaFinal=31%2F12%2F2025",
        "/ext/associado?nome=silva",
        "/ext/associado?situacaoBeneficio=ATIVO",
        "/ext/associado?situacaoBeneficio=Todos&codLoja=2",
        "/ext/associado?situacaoBeneficio=Todos&uf=SP",
        "/ext/associado?situacaoBeneficio=Todos&codPlano=1",
        "/ext/associado?situacaoBeneficio=Todos&codConsultor=1",
        "/ext/associado?situacaoBeneficio=Todos&dataAtualizacao=01%2F01%2F2026",
        "/ext/associado?dataCadastroInicial=01%2F01%2F2018&dataCadastroFinal=31%2F12%2F2022",
        "/ext/beneficio/dependente?nome=a",
        "/ext/beneficio/dependente?nome=m",
    ]
    .map(str::to_owned)
    .to_vec();
    paths.extend((0..=5).map(|kind| format!("/ext/administracao/campos/{kind}")));
    paths.extend((1..=12).map(|code| format!("/ext/administracao/fornecedor/{code}")));
    let pages = |count: usize, path: &str| {
        let mark = if path.contains('?') { '&' } else { '?' };
        (1..=count / 100 + 2).map(|page| format!("{path}{mark}pagina={page}")).collect::<Vec<_>>()
    };
    paths.extend(pages(rows.len(), "/ext/associado?situacaoBeneficio=Todos"));
    paths.extend(pages(listed.len(), "/ext/beneficio/lista"));
    for row in &rows {
        paths.push(format!("/ext/associado?codPessoa={}", row["codPessoa"]));
        paths.push(format!("/ext/associado/{}/cartaoCredito", row["codPessoa"]));
        if let Some(plate) = row["placa"].as_str() {
            paths.push(format!("/ext/associado?placa={plate}"));
        }
    }
    for benefit in &listed {
        let code = &benefit["codBeneficio"];
        paths.extend(
            ["dependentes", "itens", "equipamentos"].map(|what| format!("/ext/beneficio/{code}/{what}")),
        );
        paths.push(format!("/ext/beneficio?sequencial={}", benefit["sequencial"]));
    }
    let claims = source.read("/ext/evento").await;
    let claims = claims.as_array().unwrap().iter().map(|one| one["codEvento"].as_i64().unwrap()).max();
    paths.extend((1..=claims.unwrap_or(0) + 1).map(|code| format!("/ext/evento/{code}")));
    let deals = source.read("/ext/crm/negocio").await;
    let deals = deals.as_array().unwrap().iter().map(|one| one["codNegocio"].as_i64().unwrap()).max();
    paths.extend((1..=deals.unwrap_or(0) + 1).map(|code| format!("/ext/crm/negocio/{code}")));
    for path in paths {
        let there = source.server.read(&path, &source.token).await;
        let here = mirrored.read(&path, token).await;
        assert_eq!((there.status, &there.body), (here.status, &here.body), "{path}");
    }
}
