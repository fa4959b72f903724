//! What is true of the server engine alone: it can go away and come back, and an answer can be lost on the way.

use crate::gate::{mark, marks, scratch};
use storage::{DatabaseAddress, DatabaseOptions, Error, SchemaPolicy, WriteLane};
use testkit::{Cluster, Database, Engine};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UnixStream};

fn lane() -> WriteLane {
    WriteLane::foreground(domain::TenantId::new(7))
}

mod a_server_that_was_restarted_is_used_again {
    use super::*;

    #[testkit::postgres_test]
    async fn postgres() {
        let cluster = Cluster::start(true);
        let address = DatabaseAddress::parse(&cluster.address()).unwrap();
        let (db, _) =
            storage::open_database(&address, &testkit::options(), SchemaPolicy::Migrate).await.unwrap();
        let scratch =
            "CREATE TABLE marks (mark BIGINT PRIMARY KEY, place BIGINT NOT NULL, touched BIGINT NOT NULL)";
        Database::statement(&cluster.address(), scratch).await;
        mark(&db, lane(), 1).await.unwrap();
        cluster.crash();
        assert!(matches!(db.ping().await, Err(Error::Unavailable(_))));
        assert!(matches!(mark(&db, lane(), 2).await, Err(Error::Unavailable(_))));
        cluster.resume();
        mark(&db, lane(), 3).await.unwrap();
        db.ping().await.unwrap();
        assert_eq!(marks(&db).await, [1, 3]);
        // Ended by the administrator while nothing is under way: nobody notices.
        let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'amparo'";
        Database::statement(&cluster.address(), end).await;
        mark(&db, lane(), 4).await.unwrap();
        assert_eq!(marks(&db).await, [1, 3, 4]);
        db.close().await;
    }
}

mod a_commit_whose_answer_is_lost_is_unknown_and_never_repeated {
    use super::*;

    #[testkit::postgres_test]
    async fn postgres() {
        let database = Database::fresh(Engine::Postgres).await;
        let direct = scratch(&database).await;
        let address = through_a_cutter(database.address_text()).await;
        let options = DatabaseOptions { points: 1, ..DatabaseOptions::default() };
        let (db, _) = storage::open_database(
            &DatabaseAddress::parse(&address).unwrap(),
            &options,
            SchemaPolicy::Inspect,
        )
        .await
        .unwrap();
        let lost = mark(&db, lane(), 1).await;
        assert!(matches!(lost, Err(Error::Unknown)), "{lost:?}");
        testkit::until("the server has committed", || async { marks(&direct).await == [1] }).await;
        direct.close().await;
    }
}

/// A way to the server that passes everything on until a COMMIT has gone by, and then falls silent for good.
async fn through_a_cutter(address: &str) -> String {
    let config: tokio_postgres::Config = address.parse().unwrap();
    let tokio_postgres::config::Host::Unix(folder) = &config.get_hosts()[0] else { panic!("a socket") };
    let socket = folder.join(".s.PGSQL.5432");
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((near, _)) = listener.accept().await {
            let far = UnixStream::connect(&socket).await.unwrap();
            tokio::spawn(pass_on(near, far));
        }
    });
    format!("postgres://amparo@127.0.0.1:{port}/{}", config.get_dbname().unwrap())
}

async fn pass_on(mut near: TcpStream, mut far: UnixStream) {
    let (mut up, mut down) = (vec![0; 65536], vec![0; 65536]);
    loop {
        tokio::select! {
            read = near.read(&mut up) => {
                let Ok(length @ 1..) = read else { return };
                far.write_all(&up[..length]).await.unwrap();
                if up[..length].windows(7).any(|bytes| bytes == b"COMMIT\0") {
                    // Nothing of the answer gets through; the server still does its work.
                    drop(near);
                    let _ = far.read_to_end(&mut Vec::new()).await;
                    return;
                }
            }
            read = far.read(&mut down) => {
                let Ok(length @ 1..) = read else { return };
                if near.write_all(&down[..length]).await.is_err() {
                    return;
                }
            }
        }
    }
}

mod another_processs_lock_is_waited_for_and_not_for_ever {
    use super::*;

    #[testkit::postgres_test]
    async fn postgres() {
        let database = Database::fresh(Engine::Postgres).await;
        scratch(&database).await.close().await;
        let options =
            DatabaseOptions { unit_timeout: std::time::Duration::from_secs(5), ..testkit::options() };
        let db = database.open_with(&options).await;
        let (client, connection) =
            tokio_postgres::connect(database.address_text(), tokio_postgres::NoTls).await.unwrap();
        tokio::spawn(connection);
        client.batch_execute("BEGIN; SELECT pg_advisory_xact_lock(1634562145, 7)").await.unwrap();
        let refused = mark(&db, lane(), 1).await;
        assert!(matches!(refused, Err(Error::Unavailable(_) | Error::TooSlow)), "{refused:?}");
        // Another tenant is none of its business.
        mark(&db, WriteLane::foreground(domain::TenantId::new(8)), 2).await.unwrap();
        client.batch_execute("COMMIT").await.unwrap();
        mark(&db, lane(), 3).await.unwrap();
        assert_eq!(marks(&db).await, [2, 3]);
    }
}
