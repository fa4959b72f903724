//! Receivers: who is told of changes of situation, by which address, and what the messages are signed with.

use crate::base::registers;
use crate::differences::{Difference, Present, refuse_old};
use crate::once::{self, Done, Once};
use crate::vault::{Place, Vault};
use crate::{App, Error};
use domain::{
    Chance, Entity, Field, Moment, ReceiverAddress, ReceiverCode, Rejection, SigningSecret, TenantId,
    TimeZone, UserCode,
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;
use storage::counters::{self, Counter};
use storage::receivers::{self, NewReceiver, Pause};
pub use storage::receivers::{Health, Pause as Why, Registered};
use storage::secrets::{self, Kind};
use storage::{Lane, Tx, audit, queues, versions};

/// How long messages are signed with the old secret too.
pub const BOTH_FOR: Duration = Duration::from_secs(24 * 3600);
/// Deliveries under way at once where nobody says otherwise, and at most.
pub const AT_ONCE: i32 = 8;
const MOST_AT_ONCE: i32 = 64;
const MOST_HEADERS: usize = 20;
const MOST_PREVIOUS: usize = 4;
/// Receivers in use of one association: every change is written once for each of them.
pub const MOST: usize = 100;

/// Who registers or changes a receiver.
#[derive(Clone, Copy, Debug)]
pub struct By {
    pub tenant: TenantId,
    /// None by command.
    pub user: Option<UserCode>,
}

/// A receiver as it is to be. Like whatever else holds the value of a header, it cannot be printed.
#[derive(Clone)]
pub struct Wanted {
    pub address: ReceiverAddress,
    pub entities: Vec<Entity>,
    /// Sent with every message: a key that the receiver asks for.
    pub headers: Vec<(String, String)>,
    pub concurrency: i32,
}

impl Wanted {
    /// Refuses it with every problem that it has.
    fn check(&self) -> Result<(), Error> {
        let mut problems = Vec::new();
        if self.entities.is_empty() {
            problems.push(Rejection::NoEntity);
        }
        if !(1..=MOST_AT_ONCE).contains(&self.concurrency) {
            problems.push(Rejection::BadConcurrency);
        }
        problems.extend(bad_headers(&self.headers));
        if problems.is_empty() { Ok(()) } else { Err(Error::Refused(problems)) }
    }
}

/// What is wrong with headers that somebody wants sent.
pub fn bad_headers(headers: &[(String, String)]) -> Vec<Rejection> {
    let bad = headers.iter().filter(|(name, value)| !is_header(name, value));
    let mut problems: Vec<Rejection> = bad.map(|(name, _)| Rejection::BadHeader(name.clone())).collect();
    if headers.len() > MOST_HEADERS {
        problems.push(Rejection::BadHeader(format!("{} cabeçalhos", headers.len())));
    }
    problems
}

/// Headers that the message itself or the connection has.
const OURS: [&str; 15] = [
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "expect",
    "host",
    "keep-alive",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "webhook-id",
    "webhook-signature",
    "webhook-timestamp",
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
#[derive(Clone, Serialize, Deserialize)]
struct Sealed {
    secret: String,
    /// Those before, and until when each signs too.
    previous: Vec<(String, i64)>,
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
    pub receiver: Told,
}

/// What is done to receivers, and with what.
struct Doing<W> {
    by: By,
    what: W,
    vault: Vault,
    /// Chance decides what a secret is sealed with.
    chance: Arc<dyn Chance>,
    now: Moment,
}

impl<W> Doing<W> {
    fn new(app: &App, vault: &Vault, by: By, what: W) -> Doing<W> {
        Doing { by, what, vault: vault.clone(), chance: Arc::clone(&app.chance), now: app.now() }
    }

    async fn keep(&self, tx: &mut Tx, code: ReceiverCode, sealed: &Sealed) -> Result<(), Error> {
        let tenant = self.by.tenant;
        let sealed = sealed.seal(&self.vault, &*self.chance, place(tenant, code))?;
        secrets::keep(tx, tenant, Kind::Receiver, code.get(), &sealed).await?;
        // Whoever changes situations must know of it before he changes the next one.
        versions::raise_registers(tx, tenant).await?;
        Ok(())
    }

    async fn tell(&self, tx: &mut Tx, operation: &'static str, detail: String) -> Result<(), Error> {
        let entry = audit::Entry {
            tenant: self.by.tenant,
            at: self.now,
            user: self.by.user,
            operation,
            person: None,
            detail: Some(detail),
        };
        Ok(audit::append(tx, &entry).await?)
    }
}

/// Registers a receiver. What changes from now on is told to it.
#[boxed::future]
pub async fn add(
    app: &App,
    vault: &Vault,
    by: By,
    wanted: Wanted,
    once: Once<Added>,
) -> Result<Done<Added>, Error> {
    let secret = SigningSecret::generated(&*app.chance);
    let doing = Doing::new(app, vault, by, (wanted, secret));
    once::write(app, Lane::of(by.tenant), once, doing, |tx, doing| Box::pin(insert(tx, doing))).await
}

async fn insert(tx: &mut Tx, doing: &Doing<(Wanted, SigningSecret)>) -> Result<Added, Error> {
    let ((wanted, secret), tenant) = (&doing.what, doing.by.tenant);
    wanted.check()?;
    check_room(tx, tenant).await?;
    let code = ReceiverCode::new(counters::next(tx, tenant, Counter::Receiver).await?);
    let address = wanted.address.to_string();
    receivers::insert(tx, tenant, &new(code, &address, wanted), doing.now).await?;
    let headers = wanted.headers.clone();
    doing
        .keep(tx, code, &Sealed { secret: secret.expose().to_owned(), previous: Vec::new(), headers })
        .await?;
    doing.tell(tx, "POST /gestao/receptor", format!("receptor {code} criado")).await?;
    let receiver = receivers::find(&mut *tx, tenant, code).await?.ok_or(unknown(code))?;
    Ok(Added { code, secret: secret.clone(), receiver: told(receiver, &wanted.headers) })
}

/// Refuses one more receiver in use than there may be.
async fn check_room(tx: &mut Tx, tenant: TenantId) -> Result<(), Error> {
    match receivers::active(&mut *tx, tenant).await?.len() < MOST {
        true => Ok(()),
        false => Err(Rejection::TooManyReceivers { most: MOST }.into()),
    }
}

fn new<'w>(code: ReceiverCode, address: &'w str, wanted: &'w Wanted) -> NewReceiver<'w> {
    NewReceiver { code, address, entities: &wanted.entities, concurrency: wanted.concurrency }
}

/// A receiver with the names of its headers, whose values are nobody's to read.
#[derive(Clone, Debug)]
pub struct Told {
    pub receiver: Registered,
    pub headers: Vec<String>,
}

fn told(receiver: Registered, headers: &[(String, String)]) -> Told {
    Told { receiver, headers: headers.iter().map(|(name, _)| name.clone()).collect() }
}

/// The receivers of a tenant, by code.
#[boxed::future]
pub async fn all(app: &App, vault: &Vault, tenant: TenantId) -> Result<Vec<Told>, Error> {
    app.db
        .read((tenant, vault.clone()), |tx, (tenant, vault)| {
            Box::pin(async move {
                let mut all = Vec::new();
                for receiver in receivers::all(&mut *tx, *tenant).await? {
                    let sealed = open(tx, vault, *tenant, receiver.code).await?;
                    all.push(told(receiver, &sealed.headers));
                }
                Ok(all)
            })
        })
        .await
}

#[boxed::future]
pub async fn find(app: &App, vault: &Vault, tenant: TenantId, code: ReceiverCode) -> Result<Told, Error> {
    app.db
        .read((tenant, vault.clone(), code), |tx, (tenant, vault, code)| {
            Box::pin(now(tx, vault, *tenant, *code))
        })
        .await
}

async fn now(tx: &mut Tx, vault: &Vault, tenant: TenantId, code: ReceiverCode) -> Result<Told, Error> {
    let receiver = receivers::find(&mut *tx, tenant, code).await?.ok_or(unknown(code))?;
    let sealed = open(tx, vault, tenant, code).await?;
    Ok(told(receiver, &sealed.headers))
}

fn unknown(code: ReceiverCode) -> Error {
    Error::NoSuch { field: Field::Receiver, code: code.get() }
}

/// What is to change of a receiver; what is absent stays.
#[derive(Clone)]
pub struct Changes {
    /// Of the receiver as whoever changes it knows it.
    pub version: i64,
    pub address: Option<ReceiverAddress>,
    pub entities: Option<Vec<Entity>>,
    pub headers: Option<Vec<(String, String)>>,
    pub concurrency: Option<i32>,
    /// False retires it: it is told of nothing any more.
    pub active: Option<bool>,
}

/// A receiver as it was changed.
#[derive(Clone, Debug)]
pub struct ChangedReceiver {
    pub receiver: Told,
    /// Where it leads to another server now: told here and never again.
    pub secret: Option<SigningSecret>,
}

/// What is done to a receiver that is changed.
struct ReceiverUpdate {
    code: ReceiverCode,
    changes: Changes,
    zone: TimeZone,
    /// Used where the address leads to another server.
    new_secret: SigningSecret,
}

/// Changes a receiver. Where its address leads to another server, what that one must not learn goes: values of headers that
/// were not sent anew are removed, and a new secret signs alone.
#[boxed::future]
pub async fn change(
    app: &App,
    vault: &Vault,
    by: By,
    (code, changes): (ReceiverCode, Changes),
    once: Once<ChangedReceiver>,
) -> Result<Done<ChangedReceiver>, Error> {
    let zone = registers(app, by.tenant).await?.zone.clone();
    let new_secret = SigningSecret::generated(&*app.chance);
    let doing = Doing::new(app, vault, by, ReceiverUpdate { code, changes, zone, new_secret });
    once::write(app, Lane::of(by.tenant), once, doing, |tx, doing| Box::pin(update(tx, doing))).await
}

async fn update(tx: &mut Tx, doing: &Doing<ReceiverUpdate>) -> Result<ChangedReceiver, Error> {
    let (ReceiverUpdate { code, changes, zone, new_secret }, tenant) = (&doing.what, doing.by.tenant);
    let code = *code;
    let had = receivers::find(&mut *tx, tenant, code).await?.ok_or(unknown(code))?;
    let mut sealed = open(tx, &doing.vault, tenant, code).await?;
    let present = Present { version: had.version, since: had.updated_at };
    let wanted = differences(changes, &told(had.clone(), &sealed.headers));
    if let Some(old) = refuse_old(changes.version, present, zone, &wanted) {
        return Err(old.into());
    }
    let moves = moves_to_another_server(&had.address, changes.address.as_ref());
    if moves {
        let secret = new_secret.expose().to_owned();
        sealed = Sealed { secret, previous: Vec::new(), headers: Vec::new() };
    }
    if let Some(headers) = &changes.headers {
        sealed.headers.clone_from(headers);
    }
    let wanted = Wanted {
        address: changes.address.clone().map_or_else(|| ReceiverAddress::parse(&had.address), Ok)?,
        entities: changes.entities.clone().unwrap_or_else(|| had.entities.clone()),
        headers: sealed.headers.clone(),
        concurrency: changes.concurrency.unwrap_or(had.concurrency),
    };
    wanted.check()?;
    let address = wanted.address.to_string();
    let active = changes.active.unwrap_or(had.active);
    if active && !had.active {
        check_room(tx, tenant).await?;
    }
    receivers::update(tx, tenant, &new(code, &address, &wanted), active, doing.now).await?;
    doing.keep(tx, code, &sealed).await?;
    let told = match moves {
        true => format!("receptor {code} alterado, para outro servidor, com segredo novo"),
        false => format!("receptor {code} alterado"),
    };
    doing.tell(tx, "PUT /gestao/receptor/{codReceptor}", told).await?;
    let receiver = now(tx, &doing.vault, tenant, code).await?;
    Ok(ChangedReceiver { receiver, secret: moves.then(|| new_secret.clone()) })
}

fn moves_to_another_server(had: &str, wanted: Option<&ReceiverAddress>) -> bool {
    let had = ReceiverAddress::parse(had);
    wanted.is_some_and(|wanted| !had.is_ok_and(|had| had.is_same_server(wanted)))
}

/// What was sent of a receiver, beside what stands now.
fn differences(changes: &Changes, now: &Told) -> Vec<Difference> {
    let had = &now.receiver;
    let entities =
        |all: &[Entity]| all.iter().map(|one| wire::entity_path(*one)).collect::<Vec<_>>().join(", ");
    let address = changes.address.as_ref().map(|sent| ("endereco", sent.to_string(), had.address.clone()));
    let hears = changes.entities.as_ref().map(|sent| ("entidades", entities(sent), entities(&had.entities)));
    // Their names alone: their values are nobody's to read.
    let named = |sent: &Vec<(String, String)>| {
        let sent: Vec<&str> = sent.iter().map(|(name, _)| name.as_str()).collect();
        ("cabecalhos", sent.join(", "), now.headers.join(", "))
    };
    let headers = changes.headers.as_ref().map(named);
    let at_once = |sent: i32| ("simultaneas", sent.to_string(), had.concurrency.to_string());
    let active = |sent: bool| ("ativo", sent.to_string(), had.active.to_string());
    let sent = [address, hears, headers, changes.concurrency.map(at_once), changes.active.map(active)];
    let differing = sent.into_iter().flatten().filter(|(_, sent, now)| sent != now);
    let text = |text: String| Some(text).filter(|text| !text.is_empty());
    differing.map(|(field, sent, now)| Difference { field, before: text(now), after: text(sent) }).collect()
}

async fn open(tx: &mut Tx, vault: &Vault, tenant: TenantId, code: ReceiverCode) -> Result<Sealed, Error> {
    let lost = || storage::Error::Broken(format!("receiver {code} has no secret"));
    let sealed = secrets::find(&mut *tx, tenant, Kind::Receiver, code.get()).await?.ok_or_else(lost)?;
    Sealed::open(vault, place(tenant, code), &sealed)
}

/// Pauses a receiver: what changes waits for it. Or lets it go on, with a clean record.
#[boxed::future]
pub async fn pause(
    app: &App,
    vault: &Vault,
    by: By,
    (code, paused, reason): (ReceiverCode, bool, Option<String>),
    once: Once<Told>,
) -> Result<Done<Told>, Error> {
    let doing = Doing::new(app, vault, by, (code, paused, reason));
    once::write(app, Lane::of(by.tenant), once, doing, |tx, doing| Box::pin(set_paused(tx, doing))).await
}

async fn set_paused(tx: &mut Tx, doing: &Doing<(ReceiverCode, bool, Option<String>)>) -> Result<Told, Error> {
    let ((code, paused, reason), tenant) = (&doing.what, doing.by.tenant);
    let (code, paused) = (*code, *paused);
    let had = receivers::find(&mut *tx, tenant, code).await?.ok_or(unknown(code))?;
    if had.paused.is_some() != paused {
        let why = paused.then_some(Pause::ByHand);
        tx.execute(receivers::pause(tenant, code, why, doing.now)).await?;
        if !paused {
            let Health { tried_at, succeeded_at, .. } = had.health;
            let clean = Health { tried_at, succeeded_at, ..Health::default() };
            tx.execute(receivers::tell_health(tenant, code, &clean)).await?;
            // What waited is sent now: whoever lets it go on knows that it is well again.
            tx.execute(queues::hasten(tenant, code, doing.now)).await?;
        }
        let (operation, done) = match paused {
            true => ("POST /gestao/receptor/{codReceptor}/pausar", "pausado"),
            false => ("POST /gestao/receptor/{codReceptor}/retomar", "retomado"),
        };
        doing.tell(tx, operation, because(format!("receptor {code} {done}"), reason.as_deref())).await?;
    }
    now(tx, &doing.vault, tenant, code).await
}

/// A new secret. Messages are signed with the old one too for a day, so that the receiver has time to change.
#[boxed::future]
pub async fn rotate(
    app: &App,
    vault: &Vault,
    by: By,
    (code, reason): (ReceiverCode, Option<String>),
    once: Once<SigningSecret>,
) -> Result<Done<SigningSecret>, Error> {
    let doing = Doing::new(app, vault, by, (code, SigningSecret::generated(&*app.chance), reason));
    once::write(app, Lane::of(by.tenant), once, doing, |tx, doing| Box::pin(set_secret(tx, doing))).await
}

async fn set_secret(
    tx: &mut Tx,
    doing: &Doing<(ReceiverCode, SigningSecret, Option<String>)>,
) -> Result<SigningSecret, Error> {
    let ((code, secret, reason), tenant) = (&doing.what, doing.by.tenant);
    let had = receivers::find(&mut *tx, tenant, *code).await?.ok_or(unknown(*code))?;
    let old = open(tx, &doing.vault, tenant, *code).await?;
    // Whoever changes it twice in a day, because the first answer was lost, must not cut off the one in use.
    let mut previous = vec![(old.secret, doing.now.plus(BOTH_FOR).millis())];
    previous.extend(old.previous.into_iter().filter(|(_, until)| doing.now.millis() < *until));
    previous.truncate(MOST_PREVIOUS);
    let sealed = Sealed { secret: secret.expose().to_owned(), previous, headers: old.headers };
    // Whoever remembers the old secret sees by the version that there is a new one.
    let same = NewReceiver {
        code: *code,
        address: &had.address,
        entities: &had.entities,
        concurrency: had.concurrency,
    };
    receivers::update(tx, tenant, &same, had.active, doing.now).await?;
    doing.keep(tx, *code, &sealed).await?;
    let operation = "POST /gestao/receptor/{codReceptor}/segredo";
    let told = because(format!("segredo do receptor {code} trocado"), reason.as_deref());
    doing.tell(tx, operation, told).await?;
    Ok(secret.clone())
}

fn because(done: String, reason: Option<&str>) -> String {
    reason.map_or(done.clone(), |reason| format!("{done}: {reason}"))
}

/// Everything that sending to a receiver needs.
#[derive(Clone)]
pub struct Keys {
    pub address: ReceiverAddress,
    pub headers: Vec<(String, String)>,
    pub secret: SigningSecret,
    pub previous: Vec<(SigningSecret, Moment)>,
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

#[boxed::future]
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
                    previous: sealed.previous.into_iter().map(kept).collect(),
                    concurrency: had.concurrency,
                    version: had.version,
                })
            })
        })
        .await
}
