//! Who is calling: the session of a token, with the caller's scope and rights. Every function that acts for a caller
//! takes a session or its scope, so that a missing check does not compile. Logins, which begin sessions, are in
//! `crate::access`.

mod caller_slot;
mod load;
mod token;

pub use caller_slot::CallerSlot;
pub use load::load_session;
pub(crate) use load::{CachedSessions, record_session_activity};
pub use token::{TOKEN_LIFE, TokenLookupKey};
pub(crate) use token::{generate_token, parse_token_key};

use crate::Error;
use domain::{
    AuditedChange, AuditedOperation, CallerAddress, Moment, MoneyRight, MoneyRights, Role, Scope, TenantId,
    UserCode,
};
use std::time::Duration;
use storage::Tx;
use storage::access::tokens::StoredTokenHolder;
use storage::history::audit::{self, AccountActionResult, AccountAuditEntry};

/// An authenticated caller.
#[derive(Clone, Debug)]
pub struct Session {
    pub user: UserCode,
    pub role: Role,
    pub scope: Scope,
    pub money_rights: MoneyRights,
    /// The member search answers with a bare array.
    pub gets_old_search_answer: bool,
    expires_at: Moment,
    /// The tenant's access version the session was cached under.
    version: i64,
    /// The operation that nested reads are logged under, in place of their own.
    pub(crate) within: Option<AuditedOperation>,
    pub(crate) key: TokenLookupKey,
    is_console: bool,
    active_at: Option<Moment>,
    has_code: bool,
    has_factor: bool,
    needs_factor: bool,
    /// The client address of this request.
    address: Option<CallerAddress>,
}

impl Session {
    /// A copy whose reads are logged under the given operation.
    pub fn within_operation(&self, operation: AuditedOperation) -> Session {
        Session { within: Some(operation), ..self.clone() }
    }

    fn from_token_holder(key: TokenLookupKey, holder: StoredTokenHolder, version: i64) -> Session {
        Session {
            user: holder.user,
            role: holder.role,
            scope: Scope::for_role(key.tenant, holder.role, holder.branches),
            money_rights: MoneyRights::for_role(holder.role, holder.money_rights),
            gets_old_search_answer: holder.gets_old_search_answer,
            expires_at: holder.expires_at,
            version,
            within: None,
            key,
            is_console: holder.is_console,
            active_at: holder.active_at,
            has_code: holder.has_code,
            has_factor: holder.has_factor,
            needs_factor: holder.needs_factor,
            address: None,
        }
    }

    /// A copy for a request from this address.
    pub fn with_address(&self, address: CallerAddress) -> Session {
        Session { address: Some(address), ..self.clone() }
    }

    /// The client address of this request, if known.
    pub(crate) fn address(&self) -> Option<CallerAddress> {
        self.address
    }

    /// The session's user as the actor of an account change.
    pub fn actor(&self, operation: AuditedOperation) -> AccountActor {
        AccountActor { user: Some(self.user), operation, address: self.address }
    }

    /// Whether the session began with a console login, including its second factor if one is set.
    pub fn is_console(&self) -> bool {
        self.is_console
    }

    /// Whether the association requires a second factor from the user, who has none.
    pub fn owes_factor(&self) -> bool {
        self.needs_factor && !self.has_factor
    }

    /// Rejects a session that only reaches `/ext`.
    pub fn require_management(&self) -> Result<(), Error> {
        if self.owes_factor() {
            return Err(Error::FactorDemanded);
        }
        if self.has_factor && !self.is_console && !self.has_code {
            return Err(Error::CodeNotGiven);
        }
        Ok(())
    }

    /// `limit` is `access.console_idle`.
    fn is_idle(&self, limit: Option<Duration>, now: Moment) -> bool {
        let (true, Some(limit), Some(active_at)) = (self.is_console, limit, self.active_at) else {
            return false;
        };
        now.duration_since(active_at) >= limit
    }

    pub fn require_role(&self, roles: &[Role]) -> Result<(), Error> {
        if roles.contains(&self.role) { Ok(()) } else { Err(Error::Forbidden) }
    }

    /// Every right about money needs that to see it: what is done answers with what it was done to.
    pub fn require_money_right(&self, right: MoneyRight) -> Result<(), Error> {
        let rights = self.money_rights;
        let is_allowed = rights.contains(MoneyRight::SeeMoney) && rights.contains(right);
        if is_allowed { Ok(()) } else { Err(Error::Forbidden) }
    }
}

/// The actor of an account change: user, operation and address.
#[derive(Clone, Copy, Debug)]
pub struct AccountActor {
    pub user: Option<UserCode>,
    /// Method and route, or the command.
    pub operation: AuditedOperation,
    pub address: Option<CallerAddress>,
}

impl AccountActor {
    /// An operator at the command line.
    pub const fn for_command(operation: AuditedOperation) -> AccountActor {
        AccountActor { user: None, operation, address: None }
    }

    /// Writes the audit entry of a success, in the transaction of the change.
    pub(crate) async fn record(
        &self,
        tx: &mut Tx,
        tenant: TenantId,
        change: AuditedChange,
        at: Moment,
    ) -> Result<i32, Error> {
        let entry = AccountAuditEntry {
            tenant,
            at,
            user: self.user,
            operation: self.operation,
            change,
            address: self.address.map(|address| address.to_string()),
            result: AccountActionResult::Success,
            times: 1,
        };
        Ok(audit::append_account_entry(tx, &entry).await?)
    }
}
