//! What is compared with: the same bytes posted over as many connections, by tasks that do nothing else; and the same
//! with one row for each post, written in batches by the raw driver.

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

/// The same, with a row for each. `number` tells the rounds apart.
pub async fn posts_with_rows(base: &Base, body: &Bytes, count: u64, number: i64) -> Result<f64, Failure> {
    let (rows, read) = mpsc::unbounded_channel();
    let begun = Instant::now();
    let writing: tokio::task::JoinHandle<Result<(), String>> = match &base.place {
        Place::Sqlite(path) => {
            let path = path.clone();
            let told = |error: rusqlite::Error| error.to_string();
            tokio::task::spawn_blocking(move || write_sqlite(&path, read, number).map_err(told))
        }
        Place::Postgres(config) => {
            let config = config.clone();
            let told = |error: tokio_postgres::Error| error.to_string();
            tokio::spawn(async move { write_postgres(&config, read, number).await.map_err(told) })
        }
    };
    post(&base.receivers, body, count, rows).await?;
    writing.await??;
    Ok(count as f64 / begun.elapsed().as_secs_f64())
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
    number: i64,
) -> rusqlite::Result<()> {
    let mut connection = connection(path, &Options::default())?;
    let mut some = Vec::with_capacity(TOGETHER);
    while rows.blocking_recv_many(&mut some, TOGETHER) > 0 {
        let transaction = connection.transaction()?;
        {
            let mut insert =
                transaction.prepare_cached(&format!("{INSERT} VALUES (?, ?, ?, ?, ?, ?, ?, NULL, NULL)"))?;
            for row in some.drain(..) {
                insert.execute([TENANT, row.receiver, row.code, number, 0, row.status, row.millis])?;
            }
        }
        transaction.commit()?;
    }
    Ok(())
}

async fn write_postgres(
    config: &tokio_postgres::Config,
    mut rows: mpsc::UnboundedReceiver<Row>,
    number: i64,
) -> Result<(), tokio_postgres::Error> {
    let client = connect(config).await?;
    let text = format!(
        "{INSERT} SELECT {TENANT}, r, c, $1, 0, s, m, NULL, NULL
         FROM UNNEST($2::BIGINT[], $3::BIGINT[], $4::BIGINT[], $5::BIGINT[]) AS t (r, c, s, m)"
    );
    let insert = client.prepare(&text).await?;
    let mut some = Vec::with_capacity(TOGETHER);
    while rows.recv_many(&mut some, TOGETHER).await > 0 {
        let column = |part: fn(&Row) -> i64| some.iter().map(part).collect::<Vec<i64>>();
        let receivers = column(|row| row.receiver);
        let (codes, statuses, millis) =
            (column(|row| row.code), column(|row| row.status), column(|row| row.millis));
        client.execute(&insert, &[&number, &receivers, &codes, &statuses, &millis]).await?;
        some.clear();
    }
    Ok(())
}
