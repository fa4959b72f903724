//! Who may be responsible for a case or a deal.

use crate::Error;
use domain::{BranchCode, TenantId, User, UserCode};
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
    let has_branch = |user: &User| branch.is_none_or(|branch| user.has_branch(branch));
    Ok(found.is_some_and(|user| user.active && has_branch(&user)))
}
