//! What stands between us and the server, or holds its locks, is told in a sentence instead of waited for.

use std::sync::Arc;
use std::time::Duration;
use storage::{DatabaseAddress, DatabaseOptions, OpenError, SchemaPolicy};
use testkit::{Database, Engine};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::sync::Mutex;

mod a_lock_that_nobody_lets_go_of_is_not_waited_for_for_ever {
    use super::*;

    #[testkit::postgres_test]
    async fn postgres() {
        let database = Database::fresh(Engine::Postgres).await;
        let (client, connection) =
            tokio_postgres::connect(database.address_text(), tokio_postgres::NoTls).await.unwrap();
        tokio::spawn(connection);
        client.batch_execute("SET application_name = 'esquecido'").await.unwrap();
        client.batch_execute("SELECT pg_advisory_lock(1634562145, -1)").await.unwrap();
        let options = DatabaseOptions {
            migration_lock_timeout: Duration::from_millis(1),
            ..DatabaseOptions::default()
        };
        let refused =
            storage::open_database(&database.address(), &options, SchemaPolicy::Migrate).await.err();
        let Some(OpenError::MigrationLocked { holder, .. }) = &refused else { panic!("{refused:?}") };
        assert!(holder.contains("esquecido") && holder.contains("idle"), "{holder}");
        client.batch_execute("SELECT pg_advisory_unlock(1634562145, -1)").await.unwrap();
        storage::open_database(&database.address(), &options, SchemaPolicy::Migrate)
            .await
            .unwrap()
            .0
            .close()
            .await;
    }
}

mod a_pooler_that_hands_transactions_to_other_sessions_is_refused {
    use super::*;

    #[testkit::postgres_test]
    async fn postgres() {
        let database = Database::fresh(Engine::Postgres).await;
        let address = through_a_transaction_pooler(&database).await;
        let address = DatabaseAddress::parse(&address).unwrap();
        let refused =
            storage::open_database(&address, &DatabaseOptions::default(), SchemaPolicy::Migrate).await.err();
        assert!(matches!(refused, Some(OpenError::TransactionPooler { .. })), "{refused:?}");
        // It left no lock behind.
        database.open().await.close().await;
    }
}

/// Serves every client by one session of the server, a transaction at a time.
async fn through_a_transaction_pooler(database: &Database) -> String {
    let config: tokio_postgres::Config = database.address_text().parse().unwrap();
    let tokio_postgres::config::Host::Unix(folder) = &config.get_hosts()[0] else { panic!("a socket") };
    let name = config.get_dbname().unwrap();
    let mut server = UnixStream::connect(folder.join(".s.PGSQL.5432")).await.unwrap();
    let startup = format!("\0\x03\0\0user\0amparo\0database\0{name}\0\0");
    server.write_u32(startup.len() as u32 + 4).await.unwrap();
    server.write_all(startup.as_bytes()).await.unwrap();
    let greeting = until_ready(&mut server).await.0;
    let server = Arc::new(Mutex::new(server));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            tokio::spawn(serve(client, Arc::clone(&server), greeting.clone()));
        }
    });
    format!("postgres://amparo@127.0.0.1:{port}/{name}?sslmode=disable")
}

async fn serve(mut client: TcpStream, server: Arc<Mutex<UnixStream>>, greeting: Vec<u8>) {
    let Ok(length) = client.read_u32().await else { return };
    let mut startup = vec![0; length as usize - 4];
    client.read_exact(&mut startup).await.unwrap();
    client.write_all(&greeting).await.unwrap();
    while let Some(mut asked) = until_asked(&mut client).await {
        let mut server = server.lock().await;
        loop {
            server.write_all(&asked).await.unwrap();
            let (answer, is_idle) = until_ready(&mut server).await;
            if client.write_all(&answer).await.is_err() {
                return;
            }
            if is_idle {
                break;
            }
            let Some(next) = until_asked(&mut client).await else { return };
            asked = next;
        }
    }
}

/// What a client says until it waits for an answer: a query, or a Sync.
async fn until_asked(client: &mut TcpStream) -> Option<Vec<u8>> {
    let mut asked = Vec::new();
    loop {
        let (kind, message) = message(client).await?;
        asked.extend(message);
        match kind {
            b'Q' | b'S' => return Some(asked),
            b'X' => return None,
            _ => {}
        }
    }
}

/// What the server says until it is ready again, and whether no transaction is open then.
async fn until_ready(server: &mut UnixStream) -> (Vec<u8>, bool) {
    let mut answer = Vec::new();
    loop {
        let (kind, message) = message(server).await.unwrap();
        let is_idle = message.last() == Some(&b'I');
        answer.extend(message);
        if kind == b'Z' {
            return (answer, is_idle);
        }
    }
}

async fn message(stream: &mut (impl tokio::io::AsyncRead + Unpin)) -> Option<(u8, Vec<u8>)> {
    let mut head = [0; 5];
    stream.read_exact(&mut head).await.ok()?;
    let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize;
    let mut message = head.to_vec();
    message.resize(length + 1, 0);
    stream.read_exact(&mut message[5..]).await.ok()?;
    Some((head[0], message))
}
