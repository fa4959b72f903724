//! An association whose benefits change, receivers that are told, and the engine between them under a clock that is moved by
//! hand.

use app::access;
use app::benefits::{self, BenefitWriteInput, SavedBenefit};
use app::idempotency::{IdempotentWrite, WriteOutcome};
use app::session::Session;
use app::triggers::receivers::{
    self, DEFAULT_CONCURRENCY, ReceiverChangeRequest, RequestedReceiver, TenantActor,
};
use app::triggers::{self, DeliveryWithAttempts, LeaseHolder};
use app::upkeep::presence;
use app::{App, Vault, members};
use delivery::triggers::{
    address_guard::AddressGuard, dispatch_handle::DispatchHandle, dispatch_settings::DispatchSettings,
    post::HttpPoster,
};
use domain::RetryPolicy;
use domain::{BenefitCode, Clock, Entity, HistoryCode, Moment, ReceiverAddress, ReceiverCode, SigningSecret};
use std::sync::Arc;
use std::time::Duration;
use storage::{QueryWeight, sql};
use testkit::{Receiver, World, until};
use wire::read::read_body;

pub const SECOND: Duration = Duration::from_secs(1);
pub const MINUTE: Duration = Duration::from_mins(1);
pub const HOUR: Duration = Duration::from_hours(1);
pub const DAY: Duration = Duration::from_hours(24);

/// What decision 21 says.
pub const WAITS: [Duration; 9] = [
    Duration::from_secs(5),
    Duration::from_mins(5),
    Duration::from_mins(30),
    Duration::from_hours(2),
    Duration::from_hours(5),
    Duration::from_hours(10),
    Duration::from_hours(14),
    Duration::from_hours(20),
    Duration::from_hours(24),
];

pub fn settings() -> DispatchSettings {
    let policy = RetryPolicy { waits: WAITS.to_vec(), probe: 30 * SECOND, pause_after: 5 * DAY };
    DispatchSettings {
        interval: Duration::from_millis(2),
        timeout: 15 * SECOND,
        lease: MINUTE,
        policy: Arc::new(policy),
        guard: AddressGuard::new(["127.0.0.1".to_owned()]),
        most: 1024,
    }
}

pub fn vault() -> Vault {
    Vault::new(&testkit::SERVER_KEY).unwrap()
}

/// Somebody who changes situations.
#[derive(Clone)]
pub struct Office {
    pub app: App,
    pub caller: Arc<Session>,
}

/// A valid CPF for each number.
fn cpf(number: usize) -> String {
    let mut digits: Vec<usize> =
        format!("{number:09}").bytes().map(|sign| usize::from(sign - b'0')).collect();
    for _ in 0..2 {
        let weight = digits.len() + 1;
        let sum: usize = digits.iter().enumerate().map(|(at, digit)| digit * (weight - at)).sum();
        digits.push((sum * 10 % 11) % 10);
    }
    digits.iter().map(ToString::to_string).collect()
}

fn now<T>(done: Result<WriteOutcome<T>, app::Error>) -> T {
    done.unwrap().into_fresh().unwrap()
}

impl Office {
    pub async fn of(app: &App, email: &str) -> Office {
        let address = std::net::IpAddr::from([127, 0, 0, 1]).into();
        let entered = access::log_in_program(app, email, testkit::PASSWORD, address).await.unwrap();
        let caller = app::session::load_session(app, &entered.token).await.unwrap();
        Office { app: app.clone(), caller }
    }

    /// A member with a benefit; its first situation is its first change.
    pub async fn benefit(&self, number: usize) -> BenefitCode {
        let document = cpf(number);
        let text = format!(r#"{{"nomePessoa": "Pessoa {number}", "cpfCnpj": "{document}"}}"#);
        now(members::save_person(
            &self.app,
            &self.caller,
            read_body(text.as_bytes()).unwrap(),
            IdempotentWrite::without_key(),
        )
        .await);
        let text = format!(r#"{{"cpfCnpj": "{document}", "codPlano": 2, "ativo": true}}"#);
        self.save(&text).await.code
    }

    pub async fn benefits(&self, count: usize) -> Vec<BenefitCode> {
        let mut all = Vec::new();
        for number in 1..=count {
            all.push(self.benefit(number).await);
        }
        all
    }

    /// Moves a benefit to a situation, by its name; says whether it was in another.
    pub async fn set(&self, code: BenefitCode, number: usize, situation: &str) -> bool {
        let document = cpf(number);
        let text =
            format!(r#"{{"codBeneficio": {code}, "cpfCnpj": "{document}", "situacao": "{situation}"}}"#);
        self.save(&text).await.changed
    }

    async fn save(&self, text: &str) -> SavedBenefit {
        let input = BenefitWriteInput::Basic(Box::new(read_body(text.as_bytes()).unwrap()));
        now(benefits::save_benefit(&self.app, &self.caller, input, IdempotentWrite::without_key()).await)
    }
}

pub struct Scene {
    pub office: Office,
    pub app: App,
    pub world: World,
}

impl Scene {
    pub async fn of(world: World) -> Scene {
        let app = world.processes()[0].clone();
        Scene { office: Office::of(&app, &world.operator.email).await, app, world }
    }

    pub fn by(&self) -> TenantActor {
        TenantActor { tenant: self.world.here, user: None }
    }

    pub fn now(&self) -> Moment {
        self.world.clock.now()
    }

    pub fn pass(&self, span: Duration) {
        self.world.clock.pass(span);
    }

    pub async fn add(&self, receiver: &Receiver) -> (ReceiverCode, SigningSecret) {
        self.add_with(&receiver.url, Vec::new(), DEFAULT_CONCURRENCY).await
    }

    pub async fn add_with(
        &self,
        url: &str,
        headers: Vec<(String, String)>,
        concurrency: i32,
    ) -> (ReceiverCode, SigningSecret) {
        let wanted = RequestedReceiver {
            address: ReceiverAddress::parse(url).unwrap(),
            entities: Entity::ALL.to_vec(),
            headers,
            concurrency,
        };
        let added = now(receivers::create_receiver(
            &self.app,
            &vault(),
            self.by(),
            wanted,
            IdempotentWrite::without_key(),
        )
        .await);
        (added.code, added.secret)
    }

    pub async fn pause(&self, code: ReceiverCode, paused: bool) {
        let what = (code, paused, None);
        now(receivers::pause_or_resume_receiver(
            &self.app,
            &vault(),
            self.by(),
            what,
            IdempotentWrite::without_key(),
        )
        .await);
    }

    /// Changes what is registered of a receiver, whatever its version.
    pub async fn change(&self, code: ReceiverCode, how: impl FnOnce(&mut ReceiverChangeRequest)) {
        let version = self.receiver(code).await.version;
        let mut changes = ReceiverChangeRequest {
            version,
            address: None,
            entities: None,
            headers: None,
            concurrency: None,
            active: None,
        };
        how(&mut changes);
        now(receivers::change_receiver(
            &self.app,
            &vault(),
            self.by(),
            (code, changes),
            IdempotentWrite::without_key(),
        )
        .await);
    }

    pub async fn receiver(&self, code: ReceiverCode) -> receivers::StoredReceiver {
        receivers::read_receiver(&self.app, &vault(), self.world.here, code).await.unwrap().receiver
    }

    /// The engine, as it is set up by default.
    pub async fn engine(&self) -> DispatchHandle {
        self.engine_with(settings()).await
    }

    pub async fn engine_with(&self, settings: DispatchSettings) -> DispatchHandle {
        engine(&self.app, "here", settings).await
    }

    /// Every delivery to a receiver.
    pub async fn deliveries(&self, code: ReceiverCode) -> Vec<DeliveryWithAttempts> {
        deliveries(&self.app, &self.world, code).await
    }

    /// Its first delivery.
    pub async fn first(&self, code: ReceiverCode) -> DeliveryWithAttempts {
        self.deliveries(code).await.remove(0)
    }

    /// Waits until so many attempts at everything are written down.
    pub async fn tried(&self, code: ReceiverCode, count: usize) {
        until(&format!("{count} attempts"), || async {
            self.deliveries(code).await.iter().map(|told| told.attempts.len()).sum::<usize>() >= count
        })
        .await;
        let all: usize = self.deliveries(code).await.iter().map(|told| told.attempts.len()).sum();
        assert_eq!(all, count);
    }

    /// Whether something may be sent at this moment, to receivers that may be sent to.
    pub async fn is_due(&self) -> bool {
        let now = self.now();
        let due = triggers::list_due_receivers(&self.app).await.unwrap();
        let in_order = sql("SELECT o.receiver FROM outbox o WHERE NOT EXISTS (SELECT 1 FROM queues q
             WHERE q.tenant = o.tenant AND q.receiver = o.receiver AND q.entity = o.entity AND q.record = o.record)");
        let in_order = self.world.db().query(QueryWeight::Search, in_order).await.unwrap();
        let in_order: Vec<ReceiverCode> = in_order.iter().map(|row| row.get("receiver").unwrap()).collect();
        due.iter().any(|due| due.first_wait.is_some_and(|at| at <= now) || in_order.contains(&due.receiver))
    }

    /// Recipients and texts of the mails that were written.
    pub async fn mails(&self) -> Vec<(String, String)> {
        let all = sql("SELECT recipient, text_body FROM mails ORDER BY code");
        let rows = self.world.db().query(QueryWeight::Search, all).await.unwrap();
        rows.iter().map(|row| (row.get("recipient").unwrap(), row.get("text_body").unwrap())).collect()
    }
}

pub async fn deliveries(app: &App, world: &World, code: ReceiverCode) -> Vec<DeliveryWithAttempts> {
    let (mut all, mut after) = (Vec::new(), HistoryCode::new(0));
    loop {
        let page = triggers::list_deliveries(app, world.here, code, None, after).await.unwrap();
        let is_last = (page.len() as i64) < domain::PAGE_SIZE;
        after = page.last().map_or(after, |told| told.delivery.history);
        all.extend(page);
        if is_last {
            return all;
        }
    }
}

/// Begins to deliver, as a process at a place.
pub async fn engine(app: &App, place: &str, settings: DispatchSettings) -> DispatchHandle {
    let process = presence::generate_process_name(app);
    presence::record_heartbeat(app, &process, "0").await.unwrap();
    let holder = LeaseHolder { process, place: place.to_owned(), lease: settings.lease };
    let poster = HttpPoster::new(settings.guard.clone(), settings.timeout).unwrap();
    DispatchHandle::start(app.clone(), vault(), holder, poster, settings)
}
