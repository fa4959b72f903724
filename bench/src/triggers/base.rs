//! A base with receivers in this process, and messages that wait for them.

use super::receivers::Receiver;
use super::{AT_ONCE, Failure};
use crate::executor::connect;
use app::access::{self, Session};
use app::demo::{self, Demo};
use app::once::Once;
use app::receivers::{self, By, Wanted};
use app::triggers::{Holder, Policy};
use app::{App, Cost, Passwords, Vault};
use delivery::triggers::guard::Guard;
use delivery::triggers::post::Poster;
use delivery::triggers::{Settings, Triggers};
use domain::{
    BranchCode, Chance, Clock, Entity, Moment, ReceiverAddress, ReceiverCode, SituationCode, TenantId,
};
use hyper::body::Bytes;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use storage::history::{self, Change};
use storage::{Address, Lane, Options, Schema, Weight, sql};

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
impl Chance for Dice {
    #[allow(clippy::disallowed_methods, reason = "a measured server needs real secrets")]
    fn fill(&self, bytes: &mut [u8]) {
        getrandom::fill(bytes).expect("the operating system gives random bytes");
    }
}

impl Base {
    /// A demonstration with so many members, and so many receivers.
    pub async fn make(place: Place, members: u32, count: usize) -> Result<Base, Failure> {
        let address = match &place {
            Place::Sqlite(path) => Address::Sqlite(path.clone()),
            Place::Postgres(config) => Address::Postgres(config.clone()),
        };
        let (db, _) = storage::open(&address, &Options::default(), Schema::Migrate).await?;
        let app = App::new(db, Arc::new(Now), Arc::new(Dice), Passwords::new(Cost::CHEAPEST, 2, &Dice)?);
        let demo = Demo { members, seed: 1, password: demo::PASSWORD.to_owned() };
        demo::load(&app, &demo, &mut |_| {}).await?;
        let here = std::net::IpAddr::from([127, 0, 0, 1]).into();
        let entered = access::login(&app, demo::ADMINISTRATOR, demo::PASSWORD, here).await?;
        let session = access::enter(&app, &entered.token).await?;
        let body = sql("SELECT body FROM history WHERE tenant = 1 AND entity = 1 ORDER BY code LIMIT 1");
        let body: String = app.db.query(Weight::Search, body).await?[0].get("body")?;
        let vault = Vault::new(&[7; 32])?;
        let mut receivers = Vec::new();
        for _ in 0..count {
            let receiver = Receiver::listen().await?;
            let wanted = Wanted {
                address: ReceiverAddress::parse(&format!("http://{}", receiver.address))
                    .map_err(|error| format!("{error:?}"))?,
                entities: vec![Entity::Benefit],
                headers: Vec::new(),
                concurrency: AT_ONCE,
            };
            receivers::add(&app, &vault, By { tenant: HERE, user: None }, wanted, Once::each_time()).await?;
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
                .write(Lane::of(HERE), input, |tx, (first, count, receivers, body, at)| {
                    Box::pin(async move {
                        for record in *first..*first + *count {
                            let change = change(record, *at);
                            history::append(tx, &change, receivers, |_| body.to_string()).await?;
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

    pub fn deliver(&self, timeout: Duration) -> Result<Triggers, Failure> {
        let guard = Guard::new(["127.0.0.1".to_owned()]);
        let settings = Settings {
            interval: Duration::from_millis(200),
            timeout,
            lease: Duration::from_secs(60),
            policy: Arc::new(Policy {
                waits: vec![Duration::from_secs(5), Duration::from_secs(300)],
                probe: Duration::from_secs(30),
                pause_after: Duration::from_secs(5 * 24 * 3600),
            }),
            guard: guard.clone(),
            most: 16_384,
        };
        let process = app::presence::name(&self.app);
        let holder = Holder { process, place: "bench".to_owned(), lease: settings.lease };
        let poster = Poster::new(guard, timeout)?;
        Ok(Triggers::start(self.app.clone(), self.vault.clone(), holder, poster, settings))
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
            if begun.elapsed() > Duration::from_secs(120) {
                return Err(format!("only {} of {count} arrived", taken() - before).into());
            }
        }
        let left = "SELECT record FROM outbox WHERE tenant = 1 AND receiver <= $1 LIMIT 1";
        while !self.app.db.query(Weight::Search, sql(left).arg(receivers as i64)).await?.is_empty() {
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
            .write(Lane::of(HERE), receiver, |tx, receiver| {
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

fn change(record: i32, at: Moment) -> Change {
    Change {
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
