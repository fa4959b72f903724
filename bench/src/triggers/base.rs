//! A base with receivers in this process, and messages that wait for them.

use super::receivers::Receiver;
use super::{AT_ONCE, Failure};
use crate::executor::connect;
use app::access;
use app::idempotency::IdempotentWrite;
use app::session::{self, Session};
use app::triggers::LeaseHolder;
use app::triggers::receivers::{self, RequestedReceiver, TenantActor};
use app::{App, HashCost, PasswordHasher, Vault};
use delivery::triggers::address_guard::AddressGuard;
use delivery::triggers::dispatch_handle::DispatchHandle;
use delivery::triggers::dispatch_settings::DispatchSettings;
use delivery::triggers::post::HttpPoster;
use demo::DemoLoadOptions;
use domain::RetryPolicy;
use domain::{
    BranchCode, Clock, Entity, HistoryCode, Moment, RandomSource, ReceiverAddress, ReceiverCode,
    SituationCode, TenantId,
};
use hyper::body::Bytes;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use storage::history::situation_changes::{NewHistoryRow, insert_history_entry};
use storage::server::counters::{self, Counter};
use storage::{DatabaseAddress, DatabaseOptions, QueryWeight, SchemaPolicy, WriteLane, sql};

pub const HERE: TenantId = TenantId::new(1);
/// Changes that are written in one unit while messages are laid up.
const TOGETHER: usize = 200;
/// Their records are nobody else's.
const FIRST_RECORD: i32 = 10_000_000;

pub enum Place {
    Sqlite(PathBuf),
    Postgres(Box<tokio_postgres::Config>),
}

pub struct Base {
    pub app: App,
    pub place: Place,
    pub receivers: Vec<Arc<Receiver>>,
    /// A trigger as the demonstration's history holds it.
    pub body: Bytes,
    pub session: Arc<Session>,
    vault: Vault,
    next: std::sync::atomic::AtomicI32,
}

struct Now;

#[allow(clippy::disallowed_methods, reason = "deliveries are due by the machine's clock")]
impl Clock for Now {
    fn now(&self) -> Moment {
        Moment::from_millis(jiff::Timestamp::now().as_millisecond())
    }
}

struct Dice;

#[allow(clippy::disallowed_methods, reason = "nothing here has to repeat itself")]
impl RandomSource for Dice {
    #[allow(clippy::disallowed_methods, reason = "a measured server needs real secrets")]
    fn fill(&self, bytes: &mut [u8]) {
        getrandom::fill(bytes).expect("the operating system gives random bytes");
    }
}

impl Base {
    /// A demonstration with so many members, and so many receivers.
    pub async fn make(place: Place, members: u32, count: usize) -> Result<Base, Failure> {
        let address = match &place {
            Place::Sqlite(path) => DatabaseAddress::Sqlite(path.clone()),
            Place::Postgres(config) => DatabaseAddress::Postgres(config.clone()),
        };
        let (db, _) =
            storage::open_database(&address, &DatabaseOptions::default(), SchemaPolicy::Migrate).await?;
        let app =
            App::new(db, Arc::new(Now), Arc::new(Dice), PasswordHasher::new(HashCost::CHEAPEST, 2, &Dice)?);
        let demo = DemoLoadOptions { members, seed: 1, password: demo::PASSWORD.to_owned(), months: Some(0) };
        demo::load_demo(&app, &demo, &mut |_| {}).await?;
        let here = std::net::IpAddr::from([127, 0, 0, 1]).into();
        let entered = access::log_in_program(&app, demo::ADMINISTRATOR, demo::PASSWORD, here).await?;
        let session = session::load_session(&app, &entered.token).await?;
        let body = sql("SELECT body FROM history WHERE tenant = 1 AND entity = 1 ORDER BY code LIMIT 1");
        let body: String = app.db.query(QueryWeight::Search, body).await?[0].get("body")?;
        let vault = Vault::new(&[7; 32])?;
        let mut receivers = Vec::new();
        for _ in 0..count {
            let receiver = Receiver::listen().await?;
            let wanted = RequestedReceiver {
                address: ReceiverAddress::parse(&format!("http://{}", receiver.address))
                    .map_err(|error| format!("{error:?}"))?,
                entities: vec![Entity::Benefit],
                headers: Vec::new(),
                concurrency: AT_ONCE,
            };
            receivers::create_receiver(
                &app,
                &vault,
                TenantActor { tenant: HERE, user: None },
                wanted,
                IdempotentWrite::without_key(),
            )
            .await?;
            receivers.push(receiver);
        }
        let next = FIRST_RECORD.into();
        Ok(Base { app, place, receivers, body: body.into(), session, vault, next })
    }

    /// Lays up changes of records of their own, each for the first `receivers`.
    pub async fn lay_up(&self, changes: usize, receivers: usize) -> Result<(), Failure> {
        let receivers: Arc<[ReceiverCode]> = (1..=receivers as i32).map(ReceiverCode::new).collect();
        let body: Arc<str> = String::from_utf8_lossy(&self.body).into();
        let mut left = changes;
        while left > 0 {
            let count = left.min(TOGETHER);
            left -= count;
            let first = self.next.fetch_add(count as i32, Ordering::Relaxed);
            let input = (first, count as i32, Arc::clone(&receivers), Arc::clone(&body), self.app.now());
            self.app
                .db
                .write(WriteLane::foreground(HERE), input, |tx, (first, count, receivers, body, at)| {
                    Box::pin(async move {
                        for record in *first..*first + *count {
                            let change = change(record, *at);
                            let code = counters::reserve_number(tx, HERE, Counter::History).await?;
                            let code = HistoryCode::new(code);
                            let entry = insert_history_entry(&change, code, receivers, body.to_string());
                            tx.execute_batch(entry).await?;
                        }
                        Ok::<_, storage::Error>(())
                    })
                })
                .await?;
        }
        Ok(())
    }

    /// Lets PostgreSQL look at its tables, as it does by itself on a server that runs; the other engine asks nothing of it.
    pub async fn look(&self) -> Result<(), Failure> {
        if let Place::Postgres(config) = &self.place {
            connect(config).await?.batch_execute("VACUUM ANALYZE").await?;
        }
        Ok(())
    }

    pub fn deliver(&self, timeout: Duration) -> Result<DispatchHandle, Failure> {
        let guard = AddressGuard::new(["127.0.0.1".to_owned()]);
        let settings = DispatchSettings {
            interval: Duration::from_millis(200),
            timeout,
            lease: Duration::from_mins(1),
            policy: Arc::new(RetryPolicy {
                waits: vec![Duration::from_secs(5), Duration::from_mins(5)],
                probe: Duration::from_secs(30),
                pause_after: Duration::from_hours(120),
            }),
            guard: guard.clone(),
            most: 16_384,
        };
        let process = app::upkeep::presence::generate_process_name(&self.app);
        let holder = LeaseHolder { process, place: "bench".to_owned(), lease: settings.lease };
        let poster = HttpPoster::new(guard, timeout)?;
        Ok(DispatchHandle::start(self.app.clone(), self.vault.clone(), holder, poster, settings))
    }

    /// Delivers what was laid up, so many messages, and gives deliveries a second: until what came of the last one is
    /// written down. The first `receivers` count.
    pub async fn drain(&self, count: u64, receivers: usize, timeout: Duration) -> Result<f64, Failure> {
        let taken =
            || self.receivers[..receivers].iter().map(|one| one.taken.load(Ordering::Relaxed)).sum::<u64>();
        let before = taken();
        let begun = Instant::now();
        let triggers = self.deliver(timeout)?;
        while taken() < before + count {
            tokio::time::sleep(Duration::from_millis(2)).await;
            if begun.elapsed() > Duration::from_mins(2) {
                return Err(format!("only {} of {count} arrived", taken() - before).into());
            }
        }
        let left = "SELECT record FROM outbox WHERE tenant = 1 AND receiver <= $1 LIMIT 1";
        while !self.app.db.query(QueryWeight::Search, sql(left).arg(receivers as i64)).await?.is_empty() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        let rate = count as f64 / begun.elapsed().as_secs_f64();
        triggers.stop(Duration::ZERO).await;
        Ok(rate)
    }

    /// Forgets what a receiver did not take.
    pub async fn forget(&self, receiver: i64) -> Result<(), Failure> {
        self.app
            .db
            .write(WriteLane::foreground(HERE), receiver, |tx, receiver| {
                Box::pin(async move {
                    for text in [
                        "DELETE FROM queues WHERE tenant = 1 AND receiver = $1",
                        "DELETE FROM outbox WHERE tenant = 1 AND receiver = $1",
                        "DELETE FROM leases WHERE tenant = 1 AND receiver = $1",
                        "DELETE FROM receiver_health WHERE tenant = 1 AND receiver = $1",
                    ] {
                        tx.execute(sql(text).arg(*receiver)).await?;
                    }
                    Ok::<_, storage::Error>(())
                })
            })
            .await?;
        Ok(())
    }
}

fn change(record: i32, at: Moment) -> NewHistoryRow {
    NewHistoryRow {
        tenant: HERE,
        entity: Entity::Benefit,
        record,
        branch: BranchCode::new(1),
        from: Some(SituationCode::new(1)),
        to: SituationCode::new(2),
        user: None,
        reason: None,
        origin: "bench",
        at,
    }
}
