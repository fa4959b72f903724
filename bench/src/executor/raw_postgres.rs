//! tokio-postgres as one would write it by hand: a few connections, prepared statements, pipelining.

use super::ours::{CALLERS, callers};
use super::tables::{CREATE, PAGE, POINT, RANGE, Sheet, TENANT, tables};
use super::units::{BATCH, COUNTER, HISTORY, OUTBOX, RECEIVER, body, change};
use crate::measure::{Keys, Side};
use futures_util::future::{join_all, try_join};
use futures_util::{SinkExt, pin_mut};
use std::fmt::Write as _;
use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use storage::SqlScalar;
use tokio::runtime::Runtime;
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::{Client, Config, Error, NoTls, Statement};

pub async fn connect(config: &Config) -> Result<Client, Error> {
    let (client, connection) = config.connect(NoTls).await?;
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            eprintln!("bench: a connection ended: {error}");
        }
    });
    client.batch_execute("SET jit = off").await?;
    Ok(client)
}

/// Makes the tables that are read, and fills them.
pub async fn fill(config: &Config, rows: i64) -> Result<(), Error> {
    let client = connect(config).await?;
    client.batch_execute(CREATE).await?;
    for (table, _, count, row) in tables(rows) {
        let copy = format!("COPY {table} FROM STDIN");
        let sink = client.copy_in::<_, BytesMut>(&copy).await?;
        pin_mut!(sink);
        let mut text = String::new();
        for code in 1..=count {
            line(&mut text, &row(code));
            if text.len() > 1 << 16 || code == count {
                sink.send(text.as_bytes().into()).await?;
                text.clear();
            }
        }
        sink.finish().await?;
    }
    client.batch_execute("VACUUM ANALYZE").await
}

fn line(out: &mut String, values: &[SqlScalar]) {
    for (at, value) in values.iter().enumerate() {
        let end = if at + 1 == values.len() { '\n' } else { '\t' };
        let _ = match value {
            SqlScalar::Null | SqlScalar::Bytes(_) => write!(out, "\\N{end}"),
            SqlScalar::Int(number) => write!(out, "{number}{end}"),
            SqlScalar::Bool(flag) => write!(out, "{flag}{end}"),
            SqlScalar::Text(text) => write!(out, "{text}{end}"),
        };
    }
}

/// Connections shared by all callers, each with the statement prepared.
pub struct Shared {
    each: Arc<Vec<(Client, Statement)>>,
    rows: i64,
}

impl Shared {
    pub async fn points(config: &Config, count: usize, rows: i64) -> Result<Shared, Error> {
        Shared::open(config, count, rows, POINT).await
    }

    pub async fn ranges(config: &Config, count: usize, rows: i64) -> Result<Shared, Error> {
        Shared::open(config, count, rows, RANGE).await
    }

    async fn open(config: &Config, count: usize, rows: i64, text: &str) -> Result<Shared, Error> {
        let mut each = Vec::new();
        for _ in 0..count {
            let client = connect(config).await?;
            let statement = client.prepare(text).await?;
            each.push((client, statement));
        }
        Ok(Shared { each: Arc::new(each), rows })
    }

    pub fn read_points(self, runtime: &Runtime) -> Side<'_> {
        Box::new(move |span| {
            callers(runtime, CALLERS, span, |at, stop| {
                let (each, rows, mut keys) = (Arc::clone(&self.each), self.rows, Keys::new(at));
                async move {
                    let mut done = 0;
                    while !stop.load(Ordering::Relaxed) {
                        let (client, statement) = &each[(at + done) % each.len()];
                        let found = client.query(statement, &[&TENANT, &keys.next(rows)]).await;
                        let found = found.expect("a point read succeeds");
                        black_box(Sheet::postgres(found.first().expect("every key is there")));
                        done += 1;
                    }
                    done as u64
                }
            })
        })
    }

    /// One caller for each connection, so that a search has it to itself, as the executor's have.
    pub fn read_ranges_alone(self, runtime: &Runtime) -> Side<'_> {
        let count = self.each.len();
        self.read_ranges_by(runtime, count)
    }

    pub fn read_ranges(self, runtime: &Runtime) -> Side<'_> {
        self.read_ranges_by(runtime, CALLERS)
    }

    fn read_ranges_by(self, runtime: &Runtime, count: usize) -> Side<'_> {
        Box::new(move |span| {
            callers(runtime, count, span, |at, stop| {
                let (each, rows, mut keys) = (Arc::clone(&self.each), self.rows, Keys::new(at));
                async move {
                    let mut done = 0;
                    while !stop.load(Ordering::Relaxed) {
                        let turn = if count == each.len() { at } else { at + done };
                        let (client, statement) = &each[turn % each.len()];
                        let first = keys.next(rows - PAGE);
                        let found = client.query(statement, &[&TENANT, &first, &(first + PAGE)]).await;
                        let found = found.expect("a search succeeds");
                        assert_eq!(found.len() as i64, PAGE, "every key is there");
                        black_box(found.iter().map(Sheet::postgres).collect::<Vec<_>>());
                        done += 1;
                    }
                    done as u64
                }
            })
        })
    }
}

/// One connection that writes a tenant's batches, without savepoints.
struct Writer {
    client: Client,
    counter: Statement,
    history: Statement,
    outbox: Statement,
    tenant: i32,
    keys: Keys,
}

/// A connection for each tenant, each writing batches in a loop.
pub fn batches<'s>(runtime: &'s Runtime, config: &Config, tenants: &[i32]) -> Result<Side<'s>, Error> {
    let mut writers = Vec::new();
    for tenant in tenants {
        writers.push(runtime.block_on(Writer::open(config, *tenant))?);
    }
    Ok(Box::new(move |span| {
        runtime.block_on(async {
            let begun = Instant::now();
            let running = writers.drain(..).map(|writer| tokio::spawn(writer.run(span)));
            let mut units = 0;
            for done in join_all(running).await {
                let (writer, done) = done.expect("a writer does not panic");
                writers.push(writer);
                units += done;
            }
            units as f64 / begun.elapsed().as_secs_f64()
        })
    }))
}

impl Writer {
    async fn open(config: &Config, tenant: i32) -> Result<Writer, Error> {
        let client = connect(config).await?;
        let counter = client.prepare(COUNTER).await?;
        let history = client.prepare(HISTORY).await?;
        let outbox = client.prepare(OUTBOX).await?;
        Ok(Writer { client, counter, history, outbox, tenant, keys: Keys::new(tenant as usize) })
    }

    async fn run(mut self, span: Duration) -> (Writer, usize) {
        let begun = Instant::now();
        let mut done = 0;
        while begun.elapsed() < span {
            self.batch().await.expect("a batch is committed");
            done += BATCH;
        }
        (self, done)
    }

    async fn batch(&mut self) -> Result<(), Error> {
        let tenant = i64::from(self.tenant);
        let begin = format!("BEGIN; SELECT pg_advisory_xact_lock(1, {tenant})");
        self.client.batch_execute(&begin).await?;
        for _ in 0..BATCH {
            let change = change(self.tenant, self.keys.next(1_000_000));
            let counted = self.client.query_one(&self.counter, &[&tenant, &"history", &1_i64]).await?;
            let code: i64 = counted.get(0);
            let (entity, record, at) = (change.entity.number(), i64::from(change.record), change.at.millis());
            let body = body(&change, i32::try_from(code).unwrap_or(0));
            let receiver = i64::from(RECEIVER.get());
            try_join(
                self.client.execute(
                    &self.history,
                    &[
                        &tenant,
                        &code,
                        &entity,
                        &record,
                        &i64::from(change.branch.get()),
                        &at,
                        &change.from.map(|from| i64::from(from.get())),
                        &i64::from(change.to.get()),
                        &None::<i64>,
                        &change.reason,
                        &change.origin,
                        &body,
                    ],
                ),
                self.client.execute(&self.outbox, &[&tenant, &receiver, &code, &entity, &record, &at]),
            )
            .await?;
        }
        self.client.batch_execute("COMMIT").await
    }
}
