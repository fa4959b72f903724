//! The way on when the server key is lost: what only it opened is given up, and a new key takes its place. Everything else
//! in the database stays as it is.
//!
//! The file of the new key is written last, so that an interrupted replacement finds the key lost again and is repeated.

use crate::access::second_factor;
use crate::triggers::receivers::{ReceiverChangeContext, TenantActor};
use crate::triggers::replace_lost_secrets;
use crate::{App, Error};
use domain::{ReceiverCode, SecretOwnerKind, TenantId};
use std::path::Path;
use storage::server::{secrets, tenants};
use storage::{Tx, WriteLane};
use vault::{KeyError, KeyFileError, ServerKey, Vault};

/// Why a lost key was not replaced.
#[derive(Debug, thiserror::Error)]
pub enum LostKeyError {
    #[error(transparent)]
    Key(#[from] KeyError),
    #[error(transparent)]
    Secrets(#[from] Error),
}

impl From<KeyFileError> for LostKeyError {
    fn from(error: KeyFileError) -> LostKeyError {
        LostKeyError::Key(error.into())
    }
}

/// What must be entered again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LostSecrets {
    /// They have new secrets and no headers, and are paused.
    pub receivers: Vec<(TenantId, ReceiverCode)>,
    /// Users who sign in with their password alone until they enrol again.
    pub second_factors: u64,
    /// Credit cards whose token of the gateway is gone.
    pub credit_cards: i64,
}

/// Replaces a key that is lost. Refuses while the key is there, or a server runs.
#[boxed::future]
pub async fn replace_lost_key(app: &App, path: &Path) -> Result<LostSecrets, LostKeyError> {
    let key = ServerKey::generate(&*app.random_source);
    let vault = key.open_vault().map_err(Error::from)?;
    vault::register_replacement(app.key_context(), path, &key).await?;
    let mut lost = LostSecrets::default();
    for tenant in tenants::list_tenants(&app.db).await.map_err(Error::from)? {
        let of_tenant = give_up_secrets(app, &vault, tenant.id).await?;
        lost.receivers.extend(of_tenant.receivers);
        lost.second_factors += of_tenant.second_factors;
        lost.credit_cards += of_tenant.credit_cards;
    }
    key.create_file(path)?;
    Ok(lost)
}

async fn give_up_secrets(app: &App, vault: &Vault, tenant: TenantId) -> Result<LostSecrets, Error> {
    let second_factors = second_factor::remove_all_factors(app, tenant).await?;
    let context = ReceiverChangeContext::new(app, vault, TenantActor { tenant, user: None }, ());
    let lane = WriteLane::foreground(tenant);
    let replaced = app.db.write(lane, context, |tx, context| Box::pin(write_new_secrets(tx, context)));
    let (receivers, credit_cards) = replaced.await?;
    let receivers = receivers.into_iter().map(|code| (tenant, code)).collect();
    Ok(LostSecrets { receivers, second_factors, credit_cards })
}

async fn write_new_secrets(
    tx: &mut Tx,
    context: &ReceiverChangeContext<()>,
) -> Result<(Vec<ReceiverCode>, i64), Error> {
    let tenant = context.actor.tenant;
    let credit_cards = secrets::count_secrets(&mut *tx, tenant, SecretOwnerKind::CreditCard).await?;
    tx.execute(secrets::delete_all_secrets(tenant)).await?;
    Ok((replace_lost_secrets::replace_lost_secrets(tx, context).await?, credit_cards))
}
