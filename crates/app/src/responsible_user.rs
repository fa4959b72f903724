//! Who may be responsible for a case or a deal.

use crate::Error;
use domain::{BranchCode, TenantId, UserCode};
use storage::Tx;
use storage::access::users;

/// The responsible user must be active and have access to the branch. The present one may stay in any case.
#[boxed::future]
pub(crate) async fn may_become_responsible(
    tx: &mut Tx,
    tenant: TenantId,
    user: UserCode,
    present: Option<UserCode>,
    branch: Option<BranchCode>,
) -> Result<bool, Error> {
    if present == Some(user) {
        return Ok(true);
    }
    let found = users::find_user(&mut *tx, tenant, user).await?;
    Ok(found.is_some_and(|user| user.may_be_responsible(branch)))
}
