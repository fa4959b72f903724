//! Receivers: who is told of changes of situation, by which address, and what the messages are signed with.

use crate::vault::{Place, Vault};
use crate::{App, Error};
use domain::{
    Chance, Entity, Field, Moment, ReceiverAddress, ReceiverCode, Rejection, SigningSecret, TenantId,
    UserCode,
};
use serde::{Deserialize, Serialize};
use std::time::Duration;
use storage::counters::{self, Counter};
use storage::receivers::{self, NewReceiver, Pause};
pub use storage::receivers::{Health, Pause as Why, Registered};
use storage::secrets::{self, Kind};
use storage::{Lane, Tx, audit, versions};

/// How long messages are signed with the old secret too.
pub const BOTH_FOR: Duration = Duration::from_secs(24 * 3600);
/// Deliveries under way at once where nobody says otherwise, and at most.
pub const AT_ONCE: i32 = 8;
const MOST_AT_ONCE: i32 = 64;
const MOST_HEADERS: usize = 20;

/// Who registers or changes a receiver.
#[derive(Clone, Copy, Debug)]
pub struct By {
    pub tenant: TenantId,
    /// None by command.
    pub user: Option<UserCode>,
}

/// A receiver as it is to be.
#[derive(Clone, Debug)]
pub struct Wanted {
    pub address: ReceiverAddress,
    pub entities: Vec<Entity>,
    /// Sent with every message: a key that the receiver asks for.
    pub headers: Vec<(String, String)>,
    pub concurrency: i32,
}

impl Wanted {
    /// Every problem with it.
    fn problems(&self) -> Vec<Rejection> {
        let mut problems = Vec::new();
        if self.entities.is_empty() {
            problems.push(Rejection::NoEntity);
        }
        if !(1..=MOST_AT_ONCE).contains(&self.concurrency) {
            problems.push(Rejection::BadConcurrency);
        }
        let bad = self.headers.iter().filter(|(name, value)| !is_header(name, value));
        problems.extend(bad.map(|(name, _)| Rejection::BadHeader(name.clone())));
        if self.headers.len() > MOST_HEADERS {
            problems.push(Rejection::BadHeader(format!("{} cabeçalhos", self.headers.len())));
        }
        problems
    }
}

/// Headers that the message itself or the connection has.
const OURS: [&str; 9] = [
    "connection",
    "content-length",
    "content-type",
    "host",
    "transfer-encoding",
    "webhook-id",
    "webhook-signature",
    "webhook-timestamp",
    "expect",
];

fn is_header(name: &str, value: &str) -> bool {
    let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !name.is_empty()
        && name.len() <= 100
        && name.bytes().all(is_sign)
        && !OURS.contains(&name.to_ascii_lowercase().as_str())
        && value.len() <= 4000
        && value.bytes().all(|byte| (32..127).contains(&byte))
}

/// What of a receiver nobody may read.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Sealed {
    secret: String,
    /// The one before, and until when it signs too.
    previous: Option<(String, i64)>,
    headers: Vec<(String, String)>,
}

impl Sealed {
    fn seal(&self, vault: &Vault, chance: &dyn Chance, place: Place) -> Result<Vec<u8>, Error> {
        let text = serde_json::to_vec(self).map_err(|error| Error::Text(error.to_string()))?;
        vault.seal(chance, place, &text)
    }

    fn open(vault: &Vault, place: Place, sealed: &[u8]) -> Result<Sealed, Error> {
        serde_json::from_slice(&vault.open(place, sealed)?).map_err(|error| Error::Text(error.to_string()))
    }
}

fn place(tenant: TenantId, code: ReceiverCode) -> Place {
    Place { tenant, kind: Kind::Receiver, code: code.get() }
}

/// A receiver with its secret, which is told here and never again.
#[derive(Clone, Debug)]
pub struct Added {
    pub code: ReceiverCode,
    pub secret: SigningSecret,
}

/// Registers a receiver. What changes from now on is told to it.
pub async fn add(app: &App, vault: &Vault, by: By, wanted: Wanted) -> Result<Added, Error> {
    let problems = wanted.problems();
    if !problems.is_empty() {
        return Err(Error::Refused(problems));
    }
    let secret = SigningSecret::generated(&*app.chance);
    let input = (by, wanted, secret, vault.clone(), app.chance.clone(), app.now());
    app.db
        .write(Lane::of(by.tenant), input, |tx, (by, wanted, secret, vault, chance, now)| {
            Box::pin(async move {
                let code = ReceiverCode::new(counters::next(tx, by.tenant, Counter::Receiver).await?);
                let address = wanted.address.to_string();
                receivers::insert(tx, by.tenant, &new(code, &address, wanted), *now).await?;
                let headers = wanted.headers.clone();
                let sealed = Sealed { secret: secret.expose().to_owned(), previous: None, headers };
                keep(tx, by.tenant, code, &sealed.seal(vault, &**chance, place(by.tenant, code))?).await?;
                tell(tx, by, "POST /gestao/receptor", format!("receptor {code} criado"), *now).await?;
                Ok(Added { code, secret: secret.clone() })
            })
        })
        .await
}

fn new<'w>(code: ReceiverCode, address: &'w str, wanted: &'w Wanted) -> NewReceiver<'w> {
    NewReceiver { code, address, entities: &wanted.entities, concurrency: wanted.concurrency }
}

async fn keep(tx: &mut Tx, tenant: TenantId, code: ReceiverCode, sealed: &[u8]) -> Result<(), Error> {
    secrets::keep(tx, tenant, Kind::Receiver, code.get(), sealed).await?;
    versions::raise_registers(tx, tenant).await?;
    Ok(())
}

async fn tell(
    tx: &mut Tx,
    by: &By,
    operation: &'static str,
    detail: String,
    now: Moment,
) -> Result<(), Error> {
    let entry = audit::Entry {
        tenant: by.tenant,
        at: now,
        user: by.user,
        operation,
        person: None,
        detail: Some(detail),
    };
    Ok(audit::append(tx, &entry).await?)
}

/// The receivers of a tenant, by code.
pub async fn all(app: &App, tenant: TenantId) -> Result<Vec<Registered>, Error> {
    Ok(receivers::all(&app.db, tenant).await?)
}

pub async fn find(app: &App, tenant: TenantId, code: ReceiverCode) -> Result<Registered, Error> {
    receivers::find(&app.db, tenant, code).await?.ok_or(unknown(code))
}

fn unknown(code: ReceiverCode) -> Error {
    Error::NoSuch { field: Field::Receiver, code: code.get() }
}

/// What is to change of a receiver; what is absent stays.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    pub address: Option<ReceiverAddress>,
    pub entities: Option<Vec<Entity>>,
    pub headers: Option<Vec<(String, String)>>,
    pub concurrency: Option<i32>,
    /// False retires it: it is told of nothing any more.
    pub active: Option<bool>,
}

pub async fn change(
    app: &App,
    vault: &Vault,
    by: By,
    code: ReceiverCode,
    changes: Changes,
) -> Result<Registered, Error> {
    let input = (by, code, changes, vault.clone(), app.chance.clone(), app.now());
    app.db
        .write(Lane::of(by.tenant), input, |tx, (by, code, changes, vault, chance, now)| {
            Box::pin(async move {
                let (tenant, code) = (by.tenant, *code);
                let had = receivers::find(&mut *tx, tenant, code).await?.ok_or(unknown(code))?;
                let mut sealed = open(tx, vault, tenant, code).await?;
                if let Some(headers) = &changes.headers {
                    sealed.headers.clone_from(headers);
                }
                let address =
                    changes.address.clone().map_or_else(|| ReceiverAddress::parse(&had.address), Ok)?;
                let wanted = Wanted {
                    address,
                    entities: changes.entities.clone().unwrap_or_else(|| had.entities.clone()),
                    headers: sealed.headers.clone(),
                    concurrency: changes.concurrency.unwrap_or(had.concurrency),
                };
                let problems = wanted.problems();
                if !problems.is_empty() {
                    return Err(Error::Refused(problems));
                }
                let address = wanted.address.to_string();
                let active = changes.active.unwrap_or(had.active);
                receivers::update(tx, tenant, &new(code, &address, &wanted), active, *now).await?;
                keep(tx, tenant, code, &sealed.seal(vault, &**chance, place(tenant, code))?).await?;
                let operation = "PUT /gestao/receptor/{codReceptor}";
                tell(tx, by, operation, format!("receptor {code} alterado"), *now).await?;
                receivers::find(&mut *tx, tenant, code).await?.ok_or(unknown(code))
            })
        })
        .await
}

async fn open(tx: &mut Tx, vault: &Vault, tenant: TenantId, code: ReceiverCode) -> Result<Sealed, Error> {
    let lost = || storage::Error::Broken(format!("receiver {code} has no secret"));
    let sealed = secrets::find(&mut *tx, tenant, Kind::Receiver, code.get()).await?.ok_or_else(lost)?;
    Sealed::open(vault, place(tenant, code), &sealed)
}

/// Pauses a receiver: what changes waits for it. Or lets it go on, with a clean record.
pub async fn pause(app: &App, by: By, code: ReceiverCode, paused: bool) -> Result<Registered, Error> {
    let input = (by, code, paused, app.now());
    let done = app
        .db
        .write(Lane::of(by.tenant), input, |tx, (by, code, paused, now)| {
            Box::pin(async move {
                let had = receivers::find(&mut *tx, by.tenant, *code).await?.ok_or(unknown(*code))?;
                if had.paused.is_some() == *paused {
                    return Ok(had);
                }
                tx.execute(receivers::pause(by.tenant, *code, paused.then_some(Pause::ByHand), *now)).await?;
                if !paused {
                    let fresh = Health {
                        tried_at: had.health.tried_at,
                        succeeded_at: had.health.succeeded_at,
                        ..Health::default()
                    };
                    tx.execute(receivers::tell_health(by.tenant, *code, &fresh)).await?;
                }
                let (operation, done) = match paused {
                    true => ("POST /gestao/receptor/{codReceptor}/pausar", "pausado"),
                    false => ("POST /gestao/receptor/{codReceptor}/retomar", "retomado"),
                };
                tell(tx, by, operation, format!("receptor {code} {done}"), *now).await?;
                receivers::find(&mut *tx, by.tenant, *code).await?.ok_or(unknown(*code))
            })
        })
        .await?;
    app.changed.notify_one();
    Ok(done)
}

/// A new secret. Messages are signed with the old one too for a day, so that the receiver has time to change.
pub async fn rotate(app: &App, vault: &Vault, by: By, code: ReceiverCode) -> Result<SigningSecret, Error> {
    let secret = SigningSecret::generated(&*app.chance);
    let input = (by, code, secret, vault.clone(), app.chance.clone(), app.now());
    app.db
        .write(Lane::of(by.tenant), input, |tx, (by, code, secret, vault, chance, now)| {
            Box::pin(async move {
                let (tenant, code) = (by.tenant, *code);
                let had = receivers::find(&mut *tx, tenant, code).await?.ok_or(unknown(code))?;
                let old = open(tx, vault, tenant, code).await?;
                let until = now.plus(BOTH_FOR).millis();
                let sealed = Sealed {
                    secret: secret.expose().to_owned(),
                    previous: Some((old.secret, until)),
                    headers: old.headers,
                };
                let address = ReceiverAddress::parse(&had.address)?.to_string();
                let same = NewReceiver {
                    code,
                    address: &address,
                    entities: &had.entities,
                    concurrency: had.concurrency,
                };
                // Whoever remembers the old secret sees by the version that there is a new one.
                receivers::update(tx, tenant, &same, had.active, *now).await?;
                keep(tx, tenant, code, &sealed.seal(vault, &**chance, place(tenant, code))?).await?;
                let operation = "POST /gestao/receptor/{codReceptor}/segredo";
                tell(tx, by, operation, format!("segredo do receptor {code} trocado"), *now).await?;
                Ok(secret.clone())
            })
        })
        .await
}

/// Everything that sending to a receiver needs.
#[derive(Clone, Debug)]
pub struct Keys {
    pub address: ReceiverAddress,
    pub headers: Vec<(String, String)>,
    pub secret: SigningSecret,
    pub previous: Option<(SigningSecret, Moment)>,
    pub concurrency: i32,
    pub version: i64,
}

impl Keys {
    /// The secrets that sign at this moment.
    pub fn secrets(&self, now: Moment) -> impl Iterator<Item = &SigningSecret> {
        let previous = self.previous.iter().filter(move |(_, until)| now < *until).map(|(secret, _)| secret);
        std::iter::once(&self.secret).chain(previous)
    }
}

pub async fn keys(app: &App, vault: &Vault, tenant: TenantId, code: ReceiverCode) -> Result<Keys, Error> {
    let input = (tenant, code, vault.clone());
    app.db
        .read(input, |tx, (tenant, code, vault)| {
            Box::pin(async move {
                let had = receivers::find(&mut *tx, *tenant, *code).await?.ok_or(unknown(*code))?;
                let sealed = open(tx, vault, *tenant, *code).await?;
                let kept = |(text, until)| (SigningSecret::kept(text), Moment::from_millis(until));
                Ok(Keys {
                    address: ReceiverAddress::parse(&had.address)?,
                    headers: sealed.headers,
                    secret: SigningSecret::kept(sealed.secret),
                    previous: sealed.previous.map(kept),
                    concurrency: had.concurrency,
                    version: had.version,
                })
            })
        })
        .await
}

/// The names of the headers that a receiver gets; their values are nobody's to read.
pub async fn header_names(
    app: &App,
    vault: &Vault,
    tenant: TenantId,
    code: ReceiverCode,
) -> Result<Vec<String>, Error> {
    let keys = keys(app, vault, tenant, code).await?;
    Ok(keys.headers.into_iter().map(|(name, _)| name).collect())
}
