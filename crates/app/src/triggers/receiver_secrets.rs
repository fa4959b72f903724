//! What is needed to send to a receiver, and stored encrypted: its signing secrets and its headers.

use super::receivers::reject_unknown_receiver;
use crate::{App, Error};
use domain::{
    Moment, RandomSource, ReceiverAddress, ReceiverCode, SealedSecret, SecretOwnerKind, SigningSecret,
    TenantId,
};
use serde::{Deserialize, Serialize};
use storage::Tx;
use storage::server::secrets;
use storage::triggers::receivers;
use vault::{SecretLocation, Vault};

/// The secrets of a receiver, stored encrypted.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct ReceiverSecretBundle {
    pub secret: String,
    /// Previous secrets, and until when each still signs.
    pub previous: Vec<(String, i64)>,
    pub headers: Vec<(String, String)>,
}

impl ReceiverSecretBundle {
    pub fn seal(
        &self,
        vault: &Vault,
        chance: &dyn RandomSource,
        place: SecretLocation,
    ) -> Result<SealedSecret, Error> {
        let text = serde_json::to_vec(self).map_err(|error| Error::Defect(error.to_string()))?;
        Ok(vault.seal(chance, place, &text)?)
    }

    fn open(vault: &Vault, place: SecretLocation, sealed: &[u8]) -> Result<ReceiverSecretBundle, Error> {
        serde_json::from_slice(&vault.open(place, sealed)?).map_err(|error| Error::Defect(error.to_string()))
    }
}

pub(super) fn locate_secret(tenant: TenantId, code: ReceiverCode) -> SecretLocation {
    SecretLocation { tenant, kind: SecretOwnerKind::Receiver, code: code.get() }
}

pub(super) async fn open_secret_bundle(
    tx: &mut Tx,
    vault: &Vault,
    tenant: TenantId,
    code: ReceiverCode,
) -> Result<ReceiverSecretBundle, Error> {
    let lost = || storage::Error::Broken(format!("receiver {code} has no secret"));
    let sealed = secrets::find_secret(&mut *tx, tenant, SecretOwnerKind::Receiver, code.get())
        .await?
        .ok_or_else(lost)?;
    ReceiverSecretBundle::open(vault, locate_secret(tenant, code), &sealed)
}

/// The data needed to send to a receiver.
#[derive(Clone)]
pub struct DeliveryTarget {
    pub address: ReceiverAddress,
    pub headers: Vec<(String, String)>,
    pub secret: SigningSecret,
    pub previous: Vec<(SigningSecret, Moment)>,
    pub concurrency: i32,
    pub version: i64,
}

impl DeliveryTarget {
    /// The secrets that sign at this moment.
    pub fn signing_secrets(&self, now: Moment) -> impl Iterator<Item = &SigningSecret> {
        let previous = self.previous.iter().filter(move |(_, until)| now < *until).map(|(secret, _)| secret);
        std::iter::once(&self.secret).chain(previous)
    }
}

#[boxed::future]
pub async fn load_delivery_target(
    app: &App,
    vault: &Vault,
    tenant: TenantId,
    code: ReceiverCode,
) -> Result<DeliveryTarget, Error> {
    let input = (tenant, code, vault.clone());
    app.db
        .read(input, |tx, (tenant, code, vault)| {
            Box::pin(async move {
                let stored = receivers::find_receiver(&mut *tx, *tenant, *code)
                    .await?
                    .ok_or(reject_unknown_receiver(*code))?;
                let sealed = open_secret_bundle(tx, vault, *tenant, *code).await?;
                let restore_secret =
                    |(text, until)| (SigningSecret::from_stored(text), Moment::from_millis(until));
                Ok(DeliveryTarget {
                    address: ReceiverAddress::parse(&stored.address)?,
                    headers: sealed.headers,
                    secret: SigningSecret::from_stored(sealed.secret),
                    previous: sealed.previous.into_iter().map(restore_secret).collect(),
                    concurrency: stored.concurrency,
                    version: stored.version,
                })
            })
        })
        .await
}
