//! Secrets that must be read again, encrypted with the server's key.

use crate::{Error, Source, Tx, sql};
use domain::TenantId;

/// Whose secret it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Receiver,
    /// Of a user's second factor.
    SecondFactor,
    /// What a payment gateway knows a credit card by.
    CreditCard,
}

impl Kind {
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Receiver => "receiver",
            Kind::SecondFactor => "second_factor",
            Kind::CreditCard => "credit_card",
        }
    }

    pub fn from_name(name: &str) -> Option<Kind> {
        [Kind::Receiver, Kind::SecondFactor, Kind::CreditCard].into_iter().find(|kind| kind.name() == name)
    }
}

/// Whether anything was encrypted with the server's key, so that losing it would lose something.
#[boxed::future]
pub async fn any(from: impl Into<Source<'_>>) -> Result<bool, Error> {
    Ok(from.one(sql("SELECT code FROM secrets LIMIT 1")).await?.is_some())
}

/// Keeps a secret in place of the one that was there.
#[boxed::future]
pub async fn keep(tx: &mut Tx, tenant: TenantId, kind: Kind, code: i32, sealed: &[u8]) -> Result<(), Error> {
    let statement = sql("INSERT INTO secrets (tenant, kind, code, sealed) VALUES ($1, $2, $3, $4)
         ON CONFLICT (tenant, kind, code) DO UPDATE SET sealed = excluded.sealed");
    tx.execute(statement.arg(tenant).arg(kind.name()).arg(code).arg(sealed)).await.map(drop)
}

#[boxed::future]
pub async fn find(
    from: impl Into<Source<'_>>,
    tenant: TenantId,
    kind: Kind,
    code: i32,
) -> Result<Option<Vec<u8>>, Error> {
    let statement = sql("SELECT sealed FROM secrets WHERE tenant = $1 AND kind = $2 AND code = $3");
    let row = from.one(statement.arg(tenant).arg(kind.name()).arg(code)).await?;
    row.map(|row| row.get("sealed")).transpose()
}

/// Forgets a secret.
#[boxed::future]
pub async fn forget(tx: &mut Tx, tenant: TenantId, kind: Kind, code: i32) -> Result<(), Error> {
    let statement = sql("DELETE FROM secrets WHERE tenant = $1 AND kind = $2 AND code = $3");
    tx.execute(statement.arg(tenant).arg(kind.name()).arg(code)).await.map(drop)
}
