//! Tokens of users, of which only the hash is kept.

use crate::{Error, Tx, sql};
use domain::{TenantId, UserCode};

/// Ends every token of a user; says how many there were.
pub async fn end_all(tx: &mut Tx, tenant: TenantId, user: UserCode) -> Result<u64, Error> {
    tx.execute(sql("DELETE FROM tokens WHERE tenant = $1 AND user_code = $2").arg(tenant).arg(user)).await
}
