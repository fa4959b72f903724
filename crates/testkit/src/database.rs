//! A database for one test: a file in a folder of its own, or a copy of a template on the run's server.

use crate::{Cluster, Fixture, world};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use storage::{DatabaseAddress, DatabaseOptions, Db, SchemaPolicy};
use tokio::sync::OnceCell;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    Sqlite,
    Postgres,
}

/// The databases on the run's server that those of tests are copied from: migrated and empty, and the hostile world.
const EMPTY: &str = "amparo_empty";
const HOSTILE: &str = "amparo_hostile";

/// Where the run's server is.
const SERVER: &str = "AMPARO_TEST_POSTGRES";

/// Whether tests on a server can run here: under `./test` or `with-postgres` (CONTRIBUTING.md).
pub fn has_server() -> bool {
    std::env::var_os(SERVER).is_some()
}

/// Few connections, for many tests run at once; and limits that a busy machine does not reach.
pub fn options() -> DatabaseOptions {
    let minute = Duration::from_mins(1);
    DatabaseOptions {
        readers: 2,
        writers: 2,
        points: 2,
        connect_timeout: minute,
        point_timeout: minute,
        search_timeout: minute,
        unit_timeout: minute,
        ..DatabaseOptions::default()
    }
}

/// Makes the databases that those of tests are copied from.
pub async fn make_templates(cluster: &Cluster) {
    for name in [EMPTY, HOSTILE] {
        Database::statement(&cluster.address(), &format!("CREATE DATABASE {name}")).await;
        let db = open(&cluster.address_of(name), &options()).await;
        if name == HOSTILE {
            world::fill(db.clone()).await;
        }
        db.close().await;
    }
}

async fn open(address: &str, options: &DatabaseOptions) -> Db {
    storage::open_database(&DatabaseAddress::parse(address).unwrap(), options, SchemaPolicy::Migrate)
        .await
        .unwrap()
        .0
}

pub struct Database {
    pub engine: Engine,
    address: String,
    place: Place,
}

enum Place {
    Folder(tempfile::TempDir),
    Server { server: String, name: String },
}

impl Fixture for Database {
    async fn make(engine: Engine) -> Database {
        Database::fresh(engine).await
    }
}

impl Database {
    /// An empty one.
    pub async fn fresh(engine: Engine) -> Database {
        match engine {
            Engine::Sqlite => Database::in_folder(),
            Engine::Postgres => Database::on_server(server(), EMPTY).await,
        }
    }

    /// One without even a schema.
    pub async fn without_schema(engine: Engine) -> Database {
        match engine {
            Engine::Sqlite => Database::in_folder(),
            Engine::Postgres => Database::on_server(server(), "template0").await,
        }
    }

    /// One with the hostile world in it.
    pub async fn hostile(engine: Engine) -> Database {
        static FILES: OnceCell<[Vec<u8>; 2]> = OnceCell::const_new();
        match engine {
            Engine::Sqlite => {
                let database = Database::in_folder();
                let contents = FILES.get_or_init(world_files).await;
                for (file, content) in database.files().iter().zip(contents) {
                    std::fs::write(file, content).unwrap();
                }
                database
            }
            Engine::Postgres => Database::on_server(server(), HOSTILE).await,
        }
    }

    fn in_folder() -> Database {
        let folder = tempfile::tempdir().unwrap();
        let address = format!("sqlite:{}", folder.path().join(FILE_NAMES[0]).display());
        Database { engine: Engine::Sqlite, address, place: Place::Folder(folder) }
    }

    /// The database itself, and its activity.
    fn files(&self) -> [std::path::PathBuf; 2] {
        FILE_NAMES.map(|name| self.folder().unwrap().join(name))
    }

    async fn on_server(server: String, template: &str) -> Database {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let next = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("test_{}_{next}", std::process::id());
        Database::statement(&server, &format!("CREATE DATABASE {name} TEMPLATE {template}")).await;
        let (base, _) = server.rsplit_once('/').unwrap();
        let address = format!("{base}/{name}");
        Database { engine: Engine::Postgres, address, place: Place::Server { server, name } }
    }

    /// Another database with the same rows. Nobody may be using this one.
    pub async fn copy(&self) -> Database {
        match &self.place {
            Place::Folder(_) => {
                let copy = Database::in_folder();
                for (from, to) in self.files().iter().zip(copy.files()) {
                    std::fs::copy(from, to).unwrap();
                }
                copy
            }
            Place::Server { server, name } => Database::on_server(server.clone(), name).await,
        }
    }

    pub fn address(&self) -> DatabaseAddress {
        DatabaseAddress::parse(&self.address).unwrap()
    }

    pub fn address_text(&self) -> &str {
        &self.address
    }

    /// Opens it, migrated.
    pub async fn open(&self) -> Db {
        self.open_with(&options()).await
    }

    pub async fn open_with(&self, options: &DatabaseOptions) -> Db {
        open(&self.address, options).await
    }

    /// Runs one statement at an address, outside everything.
    pub async fn statement(address: &str, text: &str) {
        let (client, connection) = tokio_postgres::connect(address, tokio_postgres::NoTls).await.unwrap();
        let connection = tokio::spawn(connection);
        client.batch_execute(text).await.unwrap();
        drop(client);
        connection.await.unwrap().unwrap();
    }

    /// The folder of the file, where there is one.
    pub fn folder(&self) -> Option<&std::path::Path> {
        match &self.place {
            Place::Folder(folder) => Some(folder.path()),
            Place::Server { .. } => None,
        }
    }
}

const FILE_NAMES: [&str; 2] = ["amparo.db", "amparo.db.activity"];

/// The files of a database with the hostile world in it.
async fn world_files() -> [Vec<u8>; 2] {
    let database = Database::in_folder();
    let db = database.open().await;
    world::fill(db.clone()).await;
    db.close().await;
    let files = std::fs::read_dir(database.folder().unwrap()).unwrap();
    assert_eq!(files.count(), 2, "all is in the two files");
    database.files().map(|file| std::fs::read(file).unwrap())
}

fn server() -> String {
    std::env::var(SERVER).expect("a test on PostgreSQL runs under ./test or with-postgres (CONTRIBUTING.md)")
}

impl Drop for Database {
    fn drop(&mut self) {
        let Place::Server { server, name } = &self.place else { return };
        let (server, text) = (server.clone(), format!("DROP DATABASE {name} WITH (FORCE)"));
        // A runtime of its own: this one may be ending.
        let dropping = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(Database::statement(&server, &text));
        });
        let _ = dropping.join();
    }
}
