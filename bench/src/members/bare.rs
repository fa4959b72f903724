//! The servers that ours is compared with: an axum router of one route and nothing around it, which answers a record
//! that it has, or asks the database by the driver alone. Each runs in a process of its own.

use super::record::{Names, from_answer, from_row};
use super::{ADMINISTRATOR, Failure};
use crate::executor::connection;
use axum::Router;
use axum::extract::State;
use axum::http::{Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use domain::{Email, MemberCriteria, PAGE_SIZE, Scope, TenantId, parse_plate_key};
use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use rusqlite::{Connection, params};
use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use storage::search::members::{LeadingMemberCriterion, build_key_search};
use storage::{DatabaseAddress, DatabaseOptions, SchemaPolicy, Statement};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use wire::records::{ListPage, PesquisaAssociadoOutputTO};

/// As many as the server measured has on the machines of these figures.
const WORKERS: usize = 2;

/// What a search by a plate asks the database.
pub fn by_plate(tenant: TenantId, plate_key: &str) -> Statement {
    let criteria = MemberCriteria { plate_key: Some(plate_key.to_owned()), ..MemberCriteria::default() };
    build_key_search(&Scope::for_tenant(tenant), &criteria, LeadingMemberCriterion::Plate, 0)
}

/// Answers the record of an answer over and over.
pub fn json(answer: &Path) -> Result<(), Failure> {
    let page = Arc::new(from_answer(&std::fs::read_to_string(answer)?)?);
    let answer = |State(page): State<Arc<ListPage<PesquisaAssociadoOutputTO>>>| async move { written(&page) };
    serve(&runtime()?, Router::new().route("/ext/associado", get(answer)).with_state(page))
}

struct Search {
    path: PathBuf,
    tenant: TenantId,
    text: String,
    names: Names,
}

/// Answers a search by a plate as the driver alone allows: on the thread that took the request.
pub fn sqlite(url: &str) -> Result<(), Failure> {
    let address = DatabaseAddress::parse(url)?;
    let DatabaseAddress::Sqlite(path) = &address else { return Err("no file of SQLite".into()) };
    let runtime = runtime()?;
    let (tenant, names) = runtime.block_on(async {
        let (db, _) =
            storage::open_database(&address, &DatabaseOptions::default(), SchemaPolicy::Inspect).await?;
        let login = Email::parse(ADMINISTRATOR).map_err(|_| "no login")?;
        let (tenant, _) =
            storage::access::users::find_login_owner(&db, &login).await?.ok_or("no demonstration")?;
        let names = Names::read(&db, tenant).await?;
        db.close().await;
        Ok::<_, Failure>((tenant, names))
    })?;
    let text = by_plate(tenant, "").text().replace('$', "?");
    let search = Arc::new(Search { path: path.clone(), tenant, text, names });
    let answer = |State(search): State<Arc<Search>>, uri: Uri| async move { search.answer(&uri) };
    serve(&runtime, Router::new().route("/ext/associado", get(answer)).with_state(search))
}

impl Search {
    fn answer(&self, uri: &Uri) -> Response {
        thread_local! { static MINE: OnceCell<Connection> = const { OnceCell::new() } }
        let plate = uri.query().and_then(|query| query.strip_prefix("placa=")).and_then(parse_plate_key);
        let rows = MINE.with(|mine| {
            let connection = mine.get_or_init(|| {
                connection(&self.path, &DatabaseOptions::default()).expect("the database can be opened")
            });
            self.rows(connection, plate.as_deref().unwrap_or_default())
        });
        let rows = rows.expect("a search succeeds");
        let total = rows.len() as i64;
        written(&ListPage::new(rows, 1, total))
    }

    fn rows(&self, db: &Connection, plate: &str) -> rusqlite::Result<Vec<PesquisaAssociadoOutputTO>> {
        let mut statement = db.prepare_cached(&self.text)?;
        let values = params![self.tenant.get(), plate, PAGE_SIZE, 0];
        statement.query_map(values, |row| from_row(&self.names, row))?.collect()
    }
}

fn written(page: &ListPage<PesquisaAssociadoOutputTO>) -> Response {
    let body = serde_json::to_vec(page).expect("a record can be written");
    ([(header::CONTENT_TYPE, "application/json")], body).into_response()
}

fn runtime() -> Result<Runtime, std::io::Error> {
    tokio::runtime::Builder::new_multi_thread().worker_threads(WORKERS).enable_all().build()
}

/// Says where it serves, and serves until it is killed.
fn serve(runtime: &Runtime, router: Router) -> Result<(), Failure> {
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        println!("http://{}", listener.local_addr()?);
        loop {
            let (stream, _) = listener.accept().await?;
            stream.set_nodelay(true)?;
            let service = TowerToHyperService::new(router.clone());
            tokio::spawn(async move {
                drop(http1::Builder::new().serve_connection(TokioIo::new(stream), service).await);
            });
        }
    })
}
