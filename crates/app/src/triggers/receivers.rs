//! Receivers of triggers: the address that gets situation changes, its headers and signing secrets.

pub use super::receiver_secrets::{DeliveryTarget, load_delivery_target};
use super::receiver_secrets::{ReceiverSecretBundle, locate_secret, open_secret_bundle};
pub use super::rotate_secret::{OLD_SECRET_SIGNS_FOR, rotate_secret};
use crate::idempotency::{self, IdempotentWrite, WriteOutcome};
use crate::register_snapshot::load_registers;
use crate::{App, Error};
use domain::{
    AuditedAction, AuditedChange, AuditedOperation, AuditedRecordKind, Entity, InputField, Moment,
    RandomSource, ReceiverAddress, ReceiverCode, Rejection, SecretOwnerKind, SigningSecret, TenantId,
    TimeZone, UserCode, find_bad_headers,
};
use std::sync::Arc;
use storage::history::audit;
use storage::server::counters::{self, Counter};
use storage::server::secrets;
use storage::server::versions;
use storage::triggers::queues;
use storage::triggers::receivers::{self, NewReceiverRow};
pub use storage::triggers::receivers::{DeliveryHealth, PauseReason, StoredReceiver};
use storage::{Tx, WriteLane};
use vault::Vault;
use wire::field_differences::FieldDifference;
use wire::record_version::{CurrentVersion, refuse_old_version};

/// Default number of concurrent deliveries; the maximum follows.
pub const DEFAULT_CONCURRENCY: i32 = 8;
const LARGEST_CONCURRENCY: i32 = 64;
/// Maximum number of active receivers of an association: every change is written once for each.
pub const RECEIVERS_PER_TENANT: usize = 100;

/// The actor of a receiver change.
#[derive(Clone, Copy, Debug)]
pub struct TenantActor {
    pub tenant: TenantId,
    /// `None` from the command line.
    pub user: Option<UserCode>,
}

impl TenantActor {
    pub(super) fn audit_entry(
        self,
        at: Moment,
        operation: AuditedOperation,
        change: AuditedChange,
    ) -> audit::AuditEntry {
        audit::AuditEntry { tenant: self.tenant, at, user: self.user, operation, person: None, change }
    }
}

/// A requested receiver. Has no `Debug`, since header values are secret.
#[derive(Clone)]
pub struct RequestedReceiver {
    pub address: ReceiverAddress,
    pub entities: Vec<Entity>,
    /// Sent with every message, such as an API key the receiver requires.
    pub headers: Vec<(String, String)>,
    pub concurrency: i32,
}

impl RequestedReceiver {
    /// Rejects the receiver with every problem found.
    fn validate(&self) -> Result<(), Error> {
        let mut problems = Vec::new();
        if self.entities.is_empty() {
            problems.push(Rejection::NoEntity);
        }
        if !(1..=LARGEST_CONCURRENCY).contains(&self.concurrency) {
            problems.push(Rejection::BadConcurrency);
        }
        problems.extend(find_bad_headers(&self.headers));
        if problems.is_empty() { Ok(()) } else { Err(Error::Refused(problems)) }
    }
}

/// A new receiver with its secret, which is shown only once.
#[derive(Clone, Debug)]
pub struct CreatedReceiver {
    pub code: ReceiverCode,
    pub secret: SigningSecret,
    pub receiver: RedactedReceiver,
}

/// A receiver change: who makes it, its input, and the means to seal secrets. Not a `WriteCommand`: a receiver is also
/// changed from the command line, without a session, and is not validated against the registers.
pub(crate) struct ReceiverChangeContext<I> {
    pub(crate) actor: TenantActor,
    pub(super) input: I,
    pub(super) vault: Vault,
    /// Random source for encryption.
    pub(super) chance: Arc<dyn RandomSource>,
    pub(super) now: Moment,
}

impl<I> ReceiverChangeContext<I> {
    pub(crate) fn new(app: &App, vault: &Vault, actor: TenantActor, input: I) -> ReceiverChangeContext<I> {
        ReceiverChangeContext {
            actor,
            input,
            vault: vault.clone(),
            chance: Arc::clone(&app.random_source),
            now: app.now(),
        }
    }

    pub(super) async fn store_secrets(
        &self,
        tx: &mut Tx,
        code: ReceiverCode,
        sealed: &ReceiverSecretBundle,
    ) -> Result<(), Error> {
        let tenant = self.actor.tenant;
        let sealed = sealed.seal(&self.vault, &*self.chance, locate_secret(tenant, code))?;
        secrets::upsert_secret(tx, tenant, SecretOwnerKind::Receiver, code.get(), &sealed).await?;
        // Situation changes must see the new receivers from the next transaction on.
        versions::raise_registers_version(tx, tenant).await?;
        Ok(())
    }

    pub(super) async fn append_audit(
        &self,
        tx: &mut Tx,
        operation: AuditedOperation,
        change: AuditedChange,
    ) -> Result<(), Error> {
        let entry = self.actor.audit_entry(self.now, operation, change);
        Ok(audit::append_audit_entry(tx, &entry).await?)
    }
}

/// Creates a receiver, which gets all changes from now on.
#[boxed::future]
pub async fn create_receiver(
    app: &App,
    vault: &Vault,
    actor: TenantActor,
    request: RequestedReceiver,
    once: IdempotentWrite<CreatedReceiver>,
) -> Result<WriteOutcome<CreatedReceiver>, Error> {
    let secret = SigningSecret::generate(&*app.random_source);
    let context = ReceiverChangeContext::new(app, vault, actor, (request, secret));
    idempotency::write_idempotently(app, WriteLane::foreground(actor.tenant), once, context, |tx, context| {
        Box::pin(insert_receiver(tx, context))
    })
    .await
}

async fn insert_receiver(
    tx: &mut Tx,
    context: &ReceiverChangeContext<(RequestedReceiver, SigningSecret)>,
) -> Result<CreatedReceiver, Error> {
    let ((request, secret), tenant) = (&context.input, context.actor.tenant);
    request.validate()?;
    check_receiver_room(tx, tenant).await?;
    let code = ReceiverCode::new(counters::reserve_number(tx, tenant, Counter::Receiver).await?);
    let address = request.address.to_string();
    receivers::insert_receiver(tx, tenant, &build_receiver_row(code, &address, request), context.now).await?;
    let headers = request.headers.clone();
    context
        .store_secrets(
            tx,
            code,
            &ReceiverSecretBundle { secret: secret.expose().to_owned(), previous: Vec::new(), headers },
        )
        .await?;
    context
        .append_audit(tx, AuditedOperation::CreateReceiver, build_change(AuditedAction::Create, code))
        .await?;
    let receiver =
        receivers::find_receiver(&mut *tx, tenant, code).await?.ok_or(reject_unknown_receiver(code))?;
    Ok(CreatedReceiver {
        code,
        secret: secret.clone(),
        receiver: redact_receiver(receiver, &request.headers),
    })
}

/// Enforces the maximum number of active receivers.
async fn check_receiver_room(tx: &mut Tx, tenant: TenantId) -> Result<(), Error> {
    match receivers::list_active_receivers(&mut *tx, tenant).await?.len() < RECEIVERS_PER_TENANT {
        true => Ok(()),
        false => Err(Rejection::TooManyReceivers { most: RECEIVERS_PER_TENANT }.into()),
    }
}

fn build_receiver_row<'w>(
    code: ReceiverCode,
    address: &'w str,
    request: &'w RequestedReceiver,
) -> NewReceiverRow<'w> {
    NewReceiverRow { code, address, entities: &request.entities, concurrency: request.concurrency }
}

/// A receiver with the names of its headers, but not their secret values.
#[derive(Clone, Debug)]
pub struct RedactedReceiver {
    pub receiver: StoredReceiver,
    pub headers: Vec<String>,
}

fn redact_receiver(receiver: StoredReceiver, headers: &[(String, String)]) -> RedactedReceiver {
    RedactedReceiver { receiver, headers: headers.iter().map(|(name, _)| name.clone()).collect() }
}

/// The receivers of a tenant, by code.
#[boxed::future]
pub async fn list_receivers(
    app: &App,
    vault: &Vault,
    tenant: TenantId,
) -> Result<Vec<RedactedReceiver>, Error> {
    app.db
        .read((tenant, vault.clone()), |tx, (tenant, vault)| {
            Box::pin(async move {
                let mut all = Vec::new();
                for receiver in receivers::list_receivers(&mut *tx, *tenant).await? {
                    let sealed = open_secret_bundle(tx, vault, *tenant, receiver.code).await?;
                    all.push(redact_receiver(receiver, &sealed.headers));
                }
                Ok(all)
            })
        })
        .await
}

#[boxed::future]
pub async fn read_receiver(
    app: &App,
    vault: &Vault,
    tenant: TenantId,
    code: ReceiverCode,
) -> Result<RedactedReceiver, Error> {
    app.db
        .read((tenant, vault.clone(), code), |tx, (tenant, vault, code)| {
            Box::pin(load_receiver(tx, vault, *tenant, *code))
        })
        .await
}

async fn load_receiver(
    tx: &mut Tx,
    vault: &Vault,
    tenant: TenantId,
    code: ReceiverCode,
) -> Result<RedactedReceiver, Error> {
    let receiver =
        receivers::find_receiver(&mut *tx, tenant, code).await?.ok_or(reject_unknown_receiver(code))?;
    let sealed = open_secret_bundle(tx, vault, tenant, code).await?;
    Ok(redact_receiver(receiver, &sealed.headers))
}

pub(super) fn reject_unknown_receiver(code: ReceiverCode) -> Error {
    Error::NotFound { field: InputField::Receiver, code: code.get() }
}

/// Fields to change; absent ones stay.
#[derive(Clone)]
pub struct ReceiverChangeRequest {
    /// The version the change is based on.
    pub version: i64,
    pub address: Option<ReceiverAddress>,
    pub entities: Option<Vec<Entity>>,
    pub headers: Option<Vec<(String, String)>>,
    pub concurrency: Option<i32>,
    /// False deactivates it: it gets no further changes.
    pub active: Option<bool>,
}

#[derive(Clone, Debug)]
pub struct ChangedReceiver {
    pub receiver: RedactedReceiver,
    /// Set if the address now leads to another server; shown only once.
    pub secret: Option<SigningSecret>,
}

struct UpdateReceiver {
    code: ReceiverCode,
    changes: ReceiverChangeRequest,
    zone: TimeZone,
    /// Used if the address leads to another server.
    new_secret: SigningSecret,
}

/// Changes a receiver. If its address leads to another server, that server must not get the old secrets: header values
/// not sent again are deleted, and only a new secret signs.
#[boxed::future]
pub async fn change_receiver(
    app: &App,
    vault: &Vault,
    actor: TenantActor,
    (code, changes): (ReceiverCode, ReceiverChangeRequest),
    once: IdempotentWrite<ChangedReceiver>,
) -> Result<WriteOutcome<ChangedReceiver>, Error> {
    let zone = load_registers(app, actor.tenant).await?.zone.clone();
    let new_secret = SigningSecret::generate(&*app.random_source);
    let context =
        ReceiverChangeContext::new(app, vault, actor, UpdateReceiver { code, changes, zone, new_secret });
    idempotency::write_idempotently(app, WriteLane::foreground(actor.tenant), once, context, |tx, context| {
        Box::pin(update_receiver(tx, context))
    })
    .await
}

async fn update_receiver(
    tx: &mut Tx,
    context: &ReceiverChangeContext<UpdateReceiver>,
) -> Result<ChangedReceiver, Error> {
    let (UpdateReceiver { code, changes, zone, new_secret }, tenant) = (&context.input, context.actor.tenant);
    let code = *code;
    let stored =
        receivers::find_receiver(&mut *tx, tenant, code).await?.ok_or(reject_unknown_receiver(code))?;
    let mut sealed = open_secret_bundle(tx, &context.vault, tenant, code).await?;
    let present = CurrentVersion { version: stored.version, since: stored.updated_at };
    let differences = compare_receiver(changes, &redact_receiver(stored.clone(), &sealed.headers));
    if let Some(old) = refuse_old_version(changes.version, present, zone, &differences) {
        return Err(old.into());
    }
    let moves = is_server_change(&stored.address, changes.address.as_ref());
    if moves {
        let secret = new_secret.expose().to_owned();
        sealed = ReceiverSecretBundle { secret, previous: Vec::new(), headers: Vec::new() };
    }
    if let Some(headers) = &changes.headers {
        sealed.headers.clone_from(headers);
    }
    let updated = RequestedReceiver {
        address: changes.address.clone().map_or_else(|| ReceiverAddress::parse(&stored.address), Ok)?,
        entities: changes.entities.clone().unwrap_or_else(|| stored.entities.clone()),
        headers: sealed.headers.clone(),
        concurrency: changes.concurrency.unwrap_or(stored.concurrency),
    };
    updated.validate()?;
    let address = updated.address.to_string();
    let active = changes.active.unwrap_or(stored.active);
    if active && !stored.active {
        check_receiver_room(tx, tenant).await?;
    }
    receivers::update_receiver(
        tx,
        tenant,
        &build_receiver_row(code, &address, &updated),
        active,
        context.now,
    )
    .await?;
    context.store_secrets(tx, code, &sealed).await?;
    let action = if moves { AuditedAction::MoveReceiver } else { AuditedAction::Change };
    context.append_audit(tx, AuditedOperation::ChangeReceiver, build_change(action, code)).await?;
    let receiver = load_receiver(tx, &context.vault, tenant, code).await?;
    Ok(ChangedReceiver { receiver, secret: moves.then(|| new_secret.clone()) })
}

fn is_server_change(stored: &str, requested: Option<&ReceiverAddress>) -> bool {
    let stored = ReceiverAddress::parse(stored);
    requested.is_some_and(|requested| !stored.is_ok_and(|stored| stored.is_same_server(requested)))
}

/// The sent fields compared with the current ones.
fn compare_receiver(changes: &ReceiverChangeRequest, now: &RedactedReceiver) -> Vec<FieldDifference> {
    let stored = &now.receiver;
    let entities =
        |all: &[Entity]| all.iter().map(|one| wire::entity_path(*one)).collect::<Vec<_>>().join(", ");
    let address =
        changes.address.as_ref().map(|requested| ("endereco", requested.to_string(), stored.address.clone()));
    let hears = changes
        .entities
        .as_ref()
        .map(|requested| ("entidades", entities(requested), entities(&stored.entities)));
    // Only header names: the values are secret.
    let named = |requested: &Vec<(String, String)>| {
        let names: Vec<&str> = requested.iter().map(|(name, _)| name.as_str()).collect();
        ("cabecalhos", names.join(", "), now.headers.join(", "))
    };
    let headers = changes.headers.as_ref().map(named);
    let at_once = |requested: i32| ("simultaneas", requested.to_string(), stored.concurrency.to_string());
    let active = |requested: bool| ("ativo", requested.to_string(), stored.active.to_string());
    let fields = [address, hears, headers, changes.concurrency.map(at_once), changes.active.map(active)];
    let differing = fields.into_iter().flatten().filter(|(_, requested, now)| requested != now);
    let text = |text: String| Some(text).filter(|text| !text.is_empty());
    differing
        .map(|(field, requested, now)| FieldDifference { field, before: text(now), after: text(requested) })
        .collect()
}

/// Pauses a receiver, so that changes wait, or resumes it with reset failure counts.
#[boxed::future]
pub async fn pause_or_resume_receiver(
    app: &App,
    vault: &Vault,
    actor: TenantActor,
    (code, paused, reason): (ReceiverCode, bool, Option<String>),
    once: IdempotentWrite<RedactedReceiver>,
) -> Result<WriteOutcome<RedactedReceiver>, Error> {
    let context = ReceiverChangeContext::new(app, vault, actor, (code, paused, reason));
    idempotency::write_idempotently(app, WriteLane::foreground(actor.tenant), once, context, |tx, context| {
        Box::pin(write_receiver_pause(tx, context))
    })
    .await
}

async fn write_receiver_pause(
    tx: &mut Tx,
    context: &ReceiverChangeContext<(ReceiverCode, bool, Option<String>)>,
) -> Result<RedactedReceiver, Error> {
    let ((code, paused, reason), tenant) = (&context.input, context.actor.tenant);
    let (code, paused) = (*code, *paused);
    let stored =
        receivers::find_receiver(&mut *tx, tenant, code).await?.ok_or(reject_unknown_receiver(code))?;
    if stored.paused.is_some() != paused {
        let why = paused.then_some(PauseReason::ByHand);
        tx.execute(receivers::update_receiver_pause(tenant, code, why, context.now)).await?;
        if !paused {
            let DeliveryHealth { tried_at, succeeded_at, .. } = stored.health;
            let clean = DeliveryHealth { tried_at, succeeded_at, ..DeliveryHealth::default() };
            tx.execute(receivers::upsert_receiver_health(tenant, code, &clean)).await?;
            // Waiting messages become due: resuming implies that the receiver works again.
            tx.execute(queues::make_waits_due(tenant, code, context.now)).await?;
        }
        let (operation, action) = match paused {
            true => (AuditedOperation::PauseReceiver, AuditedAction::PauseReceiver),
            false => (AuditedOperation::ResumeReceiver, AuditedAction::ResumeReceiver),
        };
        let change = build_change(action, code).with_reason(reason.as_deref());
        context.append_audit(tx, operation, change).await?;
    }
    load_receiver(tx, &context.vault, tenant, code).await
}

pub(super) fn build_change(action: AuditedAction, code: ReceiverCode) -> AuditedChange {
    AuditedChange::new(action, AuditedRecordKind::Receiver, code.get())
}
