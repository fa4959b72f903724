//! Who did what to whom, and who looked at whom.

use crate::counters::{self, Counter};
use crate::{Error, Tx, sql};
use domain::{Moment, PersonCode, TenantId, UserCode};

/// One entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub tenant: TenantId,
    pub at: Moment,
    pub user: Option<UserCode>,
    /// Method and route: `POST /ext/associado`.
    pub operation: &'static str,
    pub person: Option<PersonCode>,
    /// What was changed, by name and never by value.
    pub detail: Option<String>,
}

/// Writes an entry in the unit of what it tells of.
pub async fn append(tx: &mut Tx, entry: &Entry) -> Result<(), Error> {
    let code = counters::next(tx, entry.tenant, Counter::Audit).await?;
    let statement = sql("INSERT INTO audit (tenant, code, happened_at, user_code, operation, person, detail)
         VALUES ($1, $2, $3, $4, $5, $6, $7)")
    .arg(entry.tenant)
    .arg(code)
    .arg(entry.at)
    .arg(entry.user)
    .arg(entry.operation)
    .arg(entry.person)
    .arg(entry.detail.as_deref());
    tx.execute(statement).await.map(drop)
}
