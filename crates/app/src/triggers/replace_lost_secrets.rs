//! Gives every receiver of a tenant a new secret after the server key was lost. It is paused until somebody has given
//! its owner the new one.

use super::receiver_secrets::ReceiverSecretBundle;
use super::receivers::{PauseReason, ReceiverChangeContext, build_change};
use crate::Error;
use domain::{AuditedAction, AuditedOperation, ReceiverCode, SigningSecret};
use storage::Tx;
use storage::triggers::receivers;

/// The codes of the receivers, whose headers are lost, too.
pub(crate) async fn replace_lost_secrets(
    tx: &mut Tx,
    context: &ReceiverChangeContext<()>,
) -> Result<Vec<ReceiverCode>, Error> {
    let tenant = context.actor.tenant;
    let mut replaced = Vec::new();
    for receiver in receivers::list_receivers(&mut *tx, tenant).await? {
        let secret = SigningSecret::generate(&*context.chance).expose().to_owned();
        let bundle = ReceiverSecretBundle { secret, previous: Vec::new(), headers: Vec::new() };
        context.store_secrets(tx, receiver.code, &bundle).await?;
        let pause =
            receivers::update_receiver_pause(tenant, receiver.code, Some(PauseReason::ByHand), context.now);
        tx.execute(pause).await?;
        for action in [AuditedAction::RotateSecret, AuditedAction::PauseReceiver] {
            let change = build_change(action, receiver.code);
            context.append_audit(tx, AuditedOperation::KeyReplaceCommand, change).await?;
        }
        replaced.push(receiver.code);
    }
    Ok(replaced)
}
