//! Gives a receiver a new signing secret. Which secrets sign a message: `receiver_secrets.rs`.

use super::receiver_secrets::{ReceiverSecretBundle, open_secret_bundle};
use super::receivers::{ReceiverChangeContext, TenantActor, build_change, reject_unknown_receiver};
use crate::idempotency::{self, IdempotentWrite, WriteOutcome};
use crate::{App, Error};
use domain::{AuditedAction, AuditedOperation, ReceiverCode, SigningSecret};
use std::time::Duration;
use storage::triggers::receivers::{self, NewReceiverRow};
use storage::{Tx, WriteLane};
use vault::Vault;

/// How long messages are also signed with the previous secret.
pub const OLD_SECRET_SIGNS_FOR: Duration = Duration::from_hours(24);
const MOST_OLD_SECRETS: usize = 4;

/// Rotates the secret. Messages are also signed with the old one for a day, so that the receiver has time to switch.
#[boxed::future]
pub async fn rotate_secret(
    app: &App,
    vault: &Vault,
    actor: TenantActor,
    (code, reason): (ReceiverCode, Option<String>),
    once: IdempotentWrite<SigningSecret>,
) -> Result<WriteOutcome<SigningSecret>, Error> {
    let context = ReceiverChangeContext::new(
        app,
        vault,
        actor,
        (code, SigningSecret::generate(&*app.random_source), reason),
    );
    idempotency::write_idempotently(app, WriteLane::foreground(actor.tenant), once, context, |tx, context| {
        Box::pin(write_new_secret(tx, context))
    })
    .await
}

async fn write_new_secret(
    tx: &mut Tx,
    context: &ReceiverChangeContext<(ReceiverCode, SigningSecret, Option<String>)>,
) -> Result<SigningSecret, Error> {
    let ((code, secret, reason), tenant) = (&context.input, context.actor.tenant);
    let stored =
        receivers::find_receiver(&mut *tx, tenant, *code).await?.ok_or(reject_unknown_receiver(*code))?;
    let old = open_secret_bundle(tx, &context.vault, tenant, *code).await?;
    // A second rotation within a day, after a lost answer, must not invalidate the secret in use.
    let mut previous = vec![(old.secret, context.now.plus(OLD_SECRET_SIGNS_FOR).millis())];
    previous.extend(old.previous.into_iter().filter(|(_, until)| context.now.millis() < *until));
    previous.truncate(MOST_OLD_SECRETS);
    let sealed = ReceiverSecretBundle { secret: secret.expose().to_owned(), previous, headers: old.headers };
    // The new version tells caches of the old secret that it changed.
    let same = NewReceiverRow {
        code: *code,
        address: &stored.address,
        entities: &stored.entities,
        concurrency: stored.concurrency,
    };
    receivers::update_receiver(tx, tenant, &same, stored.active, context.now).await?;
    context.store_secrets(tx, *code, &sealed).await?;
    let operation = AuditedOperation::RotateReceiverSecret;
    let change = build_change(AuditedAction::RotateSecret, *code).with_reason(reason.as_deref());
    context.append_audit(tx, operation, change).await?;
    Ok(secret.clone())
}
