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
use storage::Options;
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// Rows that are written together at most, as the engine does it.
const TOGETHER: usize = 128;
/// The raw side writes for a tenant of its own.
const TENANT: i64 = 9;
const INSERT: &str = "INSERT INTO attempts (tenant, receiver, history_code, number, tried_at, status, millis, answer, failure)";

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
    /// What the engine writes of a message: its queue is taken in hand; then the attempt, the end of the delivery, and the
    /// end of the queue.
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

/// Deliveries and queues that wait, as changes lay them up.
async fn lay_up(base: &Base, count: u64, first: i64) -> Result<(), Failure> {
    let receivers = base.receivers.len() as i64;
    let numbers =
        format!("WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < {count})");
    let outbox = format!(
        "{numbers} INSERT INTO outbox (tenant, receiver, history_code, entity, record, created_at)
         SELECT {TENANT}, i % {receivers} + 1, {first} + i, 1, {first} + i, i FROM n"
    );
    let queues = format!(
        "{numbers} INSERT INTO queues (tenant, receiver, entity, record, head, tries, due_at)
         SELECT {TENANT}, i % {receivers} + 1, 1, {first} + i, {first} + i, 0, i FROM n"
    );
    match &base.place {
        Place::Sqlite(path) => {
            let path = path.clone();
            let write = move || -> rusqlite::Result<()> {
                let connection = connection(&path, &Options::default())?;
                connection.execute_batch(&outbox)?;
                connection.execute_batch(&queues)
            };
            tokio::task::spawn_blocking(write).await??;
        }
        Place::Postgres(config) => {
            let client = connect(config).await?;
            client.batch_execute(&outbox).await?;
            client.batch_execute(&queues).await?;
            // As it does by itself on a server that runs.
            client.batch_execute("ANALYZE outbox, queues").await?;
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
    let mut connection = connection(path, &Options::default())?;
    let mut some = Vec::with_capacity(TOGETHER);
    let key = format!("tenant = {TENANT} AND receiver = ?1 AND entity = 1 AND record = ?2");
    let take = format!("UPDATE queues SET lease = ?3, holder = 'bench', due_at = 60000 WHERE {key}");
    let end = format!(
        "UPDATE outbox SET state = 2, tries = tries + 1, ended_at = ?3
         WHERE tenant = {TENANT} AND receiver = ?1 AND history_code = ?2"
    );
    let empty = format!("DELETE FROM queues WHERE {key} AND lease = ?3");
    while rows.blocking_recv_many(&mut some, TOGETHER) > 0 {
        if what == Rows::All {
            let transaction = connection.transaction()?;
            for row in &some {
                transaction.prepare_cached(&take)?.execute([row.receiver, first + row.code, number])?;
            }
            transaction.commit()?;
        }
        let transaction = connection.transaction()?;
        {
            let mut insert =
                transaction.prepare_cached(&format!("{INSERT} VALUES (?, ?, ?, ?, ?, ?, ?, NULL, NULL)"))?;
            for row in &some {
                insert.execute([
                    TENANT,
                    row.receiver,
                    first + row.code,
                    number,
                    0,
                    row.status,
                    row.millis,
                ])?;
            }
            for row in some.drain(..).filter(|_| what == Rows::All) {
                let one = [row.receiver, first + row.code, number];
                transaction.prepare_cached(&end)?.execute(one)?;
                transaction.prepare_cached(&empty)?.execute(one)?;
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
    let text = format!(
        "{INSERT} SELECT {TENANT}, r, c, $1, 0, s, m, NULL, NULL
         FROM UNNEST($2::BIGINT[], $3::BIGINT[], $4::BIGINT[], $5::BIGINT[]) AS t (r, c, s, m)"
    );
    let insert = client.prepare(&text).await?;
    let given = "UNNEST($2::BIGINT[], $3::BIGINT[]) AS t (r, c)";
    let key = format!("q.tenant = {TENANT} AND q.receiver = t.r AND q.entity = 1 AND q.record = t.c");
    let take =
        format!("UPDATE queues q SET lease = $1, holder = 'bench', due_at = 60000 FROM {given} WHERE {key}");
    let take = client.prepare(&take).await?;
    let end = format!(
        "UPDATE outbox o SET state = 2, tries = o.tries + 1, ended_at = $1 FROM {given}
         WHERE o.tenant = {TENANT} AND o.receiver = t.r AND o.history_code = t.c"
    );
    let end = client.prepare(&end).await?;
    let empty = format!("DELETE FROM queues q USING {given} WHERE {key} AND q.lease = $1");
    let empty = client.prepare(&empty).await?;
    let mut some = Vec::with_capacity(TOGETHER);
    while rows.recv_many(&mut some, TOGETHER).await > 0 {
        let column = |part: fn(&Row) -> i64| some.iter().map(part).collect::<Vec<i64>>();
        let receivers = column(|row| row.receiver);
        let codes: Vec<i64> = some.iter().map(|row| first + row.code).collect();
        let (statuses, millis) = (column(|row| row.status), column(|row| row.millis));
        if what == Rows::All {
            client.execute(&take, &[&number, &receivers, &codes]).await?;
            client.batch_execute("BEGIN").await?;
        }
        client.execute(&insert, &[&number, &receivers, &codes, &statuses, &millis]).await?;
        if what == Rows::All {
            client.execute(&end, &[&number, &receivers, &codes]).await?;
            client.execute(&empty, &[&number, &receivers, &codes]).await?;
            client.batch_execute("COMMIT").await?;
        }
        some.clear();
    }
    Ok(())
}
