//! Sends a test message to a receiver.

use super::receivers;
use super::receivers::TenantActor;
use super::trigger_messages::{OutgoingMessage, ReceiverAnswer};
use crate::idempotency::{self, IdempotentWrite, WriteOutcome};
use crate::register_snapshot::load_registers;
use crate::{App, Error, Vault};
use domain::{AuditedAction, AuditedChange, AuditedOperation, AuditedRecordKind, Entity, ReceiverCode};
use storage::WriteLane;
use storage::history::audit;

/// The answer to a test message, or the reason why there is none.
pub type TestMessageOutcome = Result<ReceiverAnswer, String>;

/// Sends a message without personal data, to test a receiver.
#[boxed::future]
pub async fn send_test_message(
    app: &App,
    vault: &Vault,
    actor: TenantActor,
    (code, entity): (ReceiverCode, Option<Entity>),
    once: IdempotentWrite<TestMessageOutcome>,
) -> Result<WriteOutcome<TestMessageOutcome>, Error> {
    let tenant = actor.tenant;
    let receiver = receivers::read_receiver(app, vault, tenant, code).await?.receiver;
    if once.is_dry_run {
        return Ok(WriteOutcome::Checked);
    }
    let keys = receivers::load_delivery_target(app, vault, tenant, code).await?;
    let entity = entity.or(receiver.entities.first().copied()).unwrap_or(Entity::Benefit);
    let (now, zone) = (app.now(), &load_registers(app, tenant).await?.zone);
    let body = wire::trigger::render_sample(entity, wire::trigger::ExampleCodes::NOBODYS, now, zone)
        .map_err(|error| Error::Defect(error.to_string()))?;
    let id = format!("msg_{tenant}_teste_{}", now.millis());
    let tried = app.message_sender.post(&keys, OutgoingMessage { id: &id, entity, body: &body, now }).await;
    let input = (actor, code, tried, app.now());
    idempotency::write_idempotently(
        app,
        WriteLane::foreground(tenant),
        once,
        input,
        |tx, (actor, code, tried, now)| {
            Box::pin(async move {
                let operation = AuditedOperation::TestReceiver;
                let change =
                    AuditedChange::new(AuditedAction::TestReceiver, AuditedRecordKind::Receiver, code.get());
                let entry = actor.audit_entry(*now, operation, change);
                audit::append_audit_entry(tx, &entry).await?;
                Ok(tried.clone())
            })
        },
    )
    .await
}
