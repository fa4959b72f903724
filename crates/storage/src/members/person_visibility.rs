//! Whether a caller sees a person: by the person's own branch, or by that of one of their benefits.

use crate::{Error, Tx, benefits, sql};
use domain::{PersonCode, PersonProfile, Scope};

#[boxed::future]
pub async fn is_person_visible(tx: &mut Tx, scope: &Scope, code: PersonCode) -> Result<bool, Error> {
    let statement = sql("SELECT branch FROM people WHERE tenant = $1 AND code = $2");
    match tx.fetch_optional(statement.arg(scope.tenant()).arg(code)).await? {
        None => Ok(false),
        Some(row) if scope.can_see(row.get("branch")?) => Ok(true),
        Some(_) => benefits::has_visible_benefit(tx, scope, code).await,
    }
}

/// As [`is_person_visible`], for a person whose profile was read already.
#[boxed::future]
pub async fn is_profile_visible(
    tx: &mut Tx,
    scope: &Scope,
    (code, profile): (PersonCode, &PersonProfile),
) -> Result<bool, Error> {
    Ok(scope.can_see(profile.branch) || benefits::has_visible_benefit(tx, scope, code).await?)
}
