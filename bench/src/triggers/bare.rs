//! What is compared with: the same bytes posted over as many connections, by tasks that do nothing else; and the same
//! with one row for each post, or with all that the engine keeps of a message, written in batches by the raw driver.

use super::base::{Base, Place};
use super::receivers::Receiver;
use super::{AT_ONCE, Failure};
use crate::executor::{connect, connection};
use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use std::sync::Arc;
use std::time::Instant;
use storage::DatabaseOptions;
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// Rows that are written together at most, as the engine does it.
const TOGETHER: usize = 128;
/// The raw side writes for a tenant of its own.
const TENANT: i64 = 9;
const ATTEMPT: &str = "INSERT INTO attempts (tenant, receiver, history_code, number, tried_at, status, millis, answer, failure)";
const ENDED: &str =
    "INSERT INTO deliveries (tenant, receiver, history_code, state, tries, ended_at, status, millis)";

/// An attempt at a message.
#[derive(Clone, Copy)]
struct Row {
    receiver: i64,
    code: i64,
    status: i64,
    millis: i64,
}

/// Posts so many messages to the receivers; gives posts a second.
pub async fn posts(base: &Base, body: &Bytes, count: u64) -> Result<f64, Failure> {
    let begun = Instant::now();
    let (rows, mut read) = mpsc::unbounded_channel();
    let forgotten = tokio::spawn(async move { while read.recv().await.is_some() {} });
    post(&base.receivers, body, count, rows).await?;
    forgotten.await?;
    Ok(count as f64 / begun.elapsed().as_secs_f64())
}

/// What is written for each post.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Rows {
    /// One row: the attempt.
    Attempt,
    /// What the engine writes of a message that arrives: its delivery, which is pending no more.
    All,
}

/// The same, with rows for each. `number` tells the rounds apart.
pub async fn posts_with_rows(
    base: &Base,
    body: &Bytes,
    count: u64,
    (rows, number): (Rows, i64),
) -> Result<f64, Failure> {
    let first = number * i64::from(u32::MAX);
    if rows == Rows::All {
        lay_up(base, count, first).await?;
    }
    let (sent, read) = mpsc::unbounded_channel();
    let begun = Instant::now();
    let writing: tokio::task::JoinHandle<Result<(), String>> = match &base.place {
        Place::Sqlite(path) => {
            let path = path.clone();
            let told = |error: rusqlite::Error| error.to_string();
            tokio::task::spawn_blocking(move || {
                write_sqlite(&path, read, rows, (first, number)).map_err(told)
            })
        }
        Place::Postgres(config) => {
            let config = config.clone();
            let told = |error: tokio_postgres::Error| error.to_string();
            tokio::spawn(
                async move { write_postgres(&config, read, rows, (first, number)).await.map_err(told) },
            )
        }
    };
    post(&base.receivers, body, count, sent).await?;
    writing.await??;
    Ok(count as f64 / begun.elapsed().as_secs_f64())
}

/// Deliveries that wait, as changes lay them up.
async fn lay_up(base: &Base, count: u64, first: i64) -> Result<(), Failure> {
    let receivers = base.receivers.len() as i64;
    let outbox = format!(
        "WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < {count})
         INSERT INTO outbox (tenant, receiver, history_code, entity, record, created_at)
         SELECT {TENANT}, i % {receivers} + 1, {first} + i, 1, {first} + i, i FROM n"
    );
    match &base.place {
        Place::Sqlite(path) => {
            let path = path.clone();
            let write = move || connection(&path, &DatabaseOptions::default())?.execute_batch(&outbox);
            tokio::task::spawn_blocking(write).await??;
        }
        Place::Postgres(config) => {
            let client = connect(config).await?;
            client.batch_execute(&outbox).await?;
            // As it does by itself on a server that runs.
            client.batch_execute("ANALYZE outbox").await?;
        }
    }
    Ok(())
}

async fn post(
    receivers: &[Arc<Receiver>],
    body: &Bytes,
    count: u64,
    rows: mpsc::UnboundedSender<Row>,
) -> Result<(), Failure> {
    let mut tasks: JoinSet<Result<(), String>> = JoinSet::new();
    let places = receivers.len() as u64 * AT_ONCE as u64;
    for at in 0..places {
        let which = at as usize % receivers.len();
        let (address, body, rows) = (receivers[which].address, body.clone(), rows.clone());
        let codes: Vec<i64> = (at..count).step_by(places as usize).map(|code| code as i64).collect();
        tasks.spawn(async move {
            let stream = TcpStream::connect(address).await.map_err(|error| error.to_string())?;
            stream.set_nodelay(true).map_err(|error| error.to_string())?;
            let (mut sender, connection) =
                http1::handshake(TokioIo::new(stream)).await.map_err(|error| error.to_string())?;
            tokio::spawn(connection);
            for code in codes {
                let begun = Instant::now();
                let status = one(&mut sender, &body).await.map_err(|error| error.to_string())?;
                let millis = begun.elapsed().as_millis() as i64;
                let _ = rows.send(Row { receiver: which as i64 + 1, code, status, millis });
            }
            Ok(())
        });
    }
    drop(rows);
    while let Some(done) = tasks.join_next().await {
        done??;
    }
    Ok(())
}

async fn one(sender: &mut http1::SendRequest<Full<Bytes>>, body: &Bytes) -> Result<i64, Failure> {
    let request = Request::post("/beneficio")
        .header("host", "127.0.0.1")
        .header("content-type", "application/json")
        .header("user-agent", "Amparo/0.1.0")
        .header("webhook-id", "msg_1_1000000")
        .header("webhook-timestamp", "1794663125")
        .header("webhook-signature", "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=")
        .body(Full::new(body.clone()))?;
    sender.ready().await?;
    let answer = sender.send_request(request).await?;
    let status = answer.status().as_u16();
    answer.into_body().collect().await?;
    Ok(status.into())
}

fn write_sqlite(
    path: &std::path::Path,
    mut rows: mpsc::UnboundedReceiver<Row>,
    what: Rows,
    (first, number): (i64, i64),
) -> rusqlite::Result<()> {
    let mut connection = connection(path, &DatabaseOptions::default())?;
    let mut some = Vec::with_capacity(TOGETHER);
    let insert = match what {
        Rows::Attempt => format!("{ATTEMPT} VALUES (?1, ?2, ?3, ?4, 0, ?5, ?6, NULL, NULL)"),
        Rows::All => format!("{ENDED} VALUES (?1, ?2, ?3, 2, 1, ?4, ?5, ?6)"),
    };
    let remove = "DELETE FROM outbox WHERE tenant = ?1 AND receiver = ?2 AND history_code = ?3";
    while rows.blocking_recv_many(&mut some, TOGETHER) > 0 {
        let transaction = connection.transaction()?;
        for row in some.drain(..) {
            let (receiver, code) = (row.receiver, first + row.code);
            let values = [TENANT, receiver, code, number, row.status, row.millis];
            transaction.prepare_cached(&insert)?.execute(values)?;
            if what == Rows::All {
                transaction.prepare_cached(remove)?.execute([TENANT, receiver, code])?;
            }
        }
        transaction.commit()?;
    }
    Ok(())
}

async fn write_postgres(
    config: &tokio_postgres::Config,
    mut rows: mpsc::UnboundedReceiver<Row>,
    what: Rows,
    (first, number): (i64, i64),
) -> Result<(), tokio_postgres::Error> {
    let client = connect(config).await?;
    let given = "FROM UNNEST($2::BIGINT[], $3::BIGINT[], $4::BIGINT[], $5::BIGINT[]) AS t (r, c, s, m)";
    let insert = match what {
        Rows::Attempt => format!("{ATTEMPT} SELECT {TENANT}, r, c, $1, 0, s, m, NULL, NULL {given}"),
        Rows::All => format!("{ENDED} SELECT {TENANT}, r, c, 2, 1, $1, s, m {given}"),
    };
    let insert = client.prepare(&insert).await?;
    let remove = format!(
        "DELETE FROM outbox o USING UNNEST($1::BIGINT[], $2::BIGINT[]) AS t (r, c)
         WHERE o.tenant = {TENANT} AND o.receiver = t.r AND o.history_code = t.c"
    );
    let remove = client.prepare(&remove).await?;
    let mut some = Vec::with_capacity(TOGETHER);
    while rows.recv_many(&mut some, TOGETHER).await > 0 {
        let column = |part: fn(&Row) -> i64| some.iter().map(part).collect::<Vec<i64>>();
        let receivers = column(|row| row.receiver);
        let codes: Vec<i64> = some.iter().map(|row| first + row.code).collect();
        let (statuses, millis) = (column(|row| row.status), column(|row| row.millis));
        if what == Rows::All {
            client.batch_execute("BEGIN").await?;
        }
        client.execute(&insert, &[&number, &receivers, &codes, &statuses, &millis]).await?;
        if what == Rows::All {
            client.execute(&remove, &[&receivers, &codes]).await?;
            client.batch_execute("COMMIT").await?;
        }
        some.clear();
    }
    Ok(())
}
