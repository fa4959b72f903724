//! A fresh database for one test: a file in a folder of its own, or a copy of the template on the run's server.

use crate::Fixture;
use std::sync::atomic::{AtomicU32, Ordering};
use storage::{Address, Db, Options, Schema};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    Sqlite,
    Postgres,
}

/// The database that each test's own is copied from.
pub const TEMPLATE: &str = "amparo_template";

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
    pub async fn fresh(engine: Engine) -> Database {
        match engine {
            Engine::Sqlite => {
                let folder = tempfile::tempdir().unwrap();
                let address = format!("sqlite:{}", folder.path().join("amparo.db").display());
                Database { engine, address, place: Place::Folder(folder) }
            }
            Engine::Postgres => {
                let server = std::env::var("AMPARO_TEST_POSTGRES")
                    .expect("a test on PostgreSQL runs under ./test or with-postgres (CONTRIBUTING.md)");
                Database::on_server(server, TEMPLATE).await
            }
        }
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
            Place::Folder(folder) => {
                let copy = Database::fresh(Engine::Sqlite).await;
                let file = |folder: &std::path::Path| folder.join("amparo.db");
                std::fs::copy(file(folder.path()), file(copy.folder().unwrap())).unwrap();
                copy
            }
            Place::Server { server, name } => Database::on_server(server.clone(), name).await,
        }
    }

    pub fn address(&self) -> Address {
        Address::parse(&self.address).unwrap()
    }

    pub fn address_text(&self) -> &str {
        &self.address
    }

    /// Opens it, migrated.
    pub async fn open(&self) -> Db {
        self.open_with(&Options::default()).await
    }

    pub async fn open_with(&self, options: &Options) -> Db {
        storage::open(&self.address(), options, Schema::Migrate).await.unwrap().0
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
