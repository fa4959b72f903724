//! The user or command that acts on imports, and what they may do.

use app::Error;
use app::session::Session;
use domain::{ImportKind, MoneyRight, MoneyRights, Role, Scope, TenantId, UserCode};

/// The user or command that acts on imports.
#[derive(Clone, Debug)]
pub struct ImportCaller {
    pub scope: Scope,
    /// `None` for a command.
    pub user: Option<UserCode>,
    pub role: Role,
    pub money_rights: MoneyRights,
}

impl ImportCaller {
    pub fn from_session(caller: &Session) -> ImportCaller {
        ImportCaller {
            scope: caller.scope.clone(),
            user: Some(caller.user),
            role: caller.role,
            money_rights: caller.money_rights,
        }
    }

    /// A command, which may do everything.
    pub fn for_command(tenant: TenantId) -> ImportCaller {
        ImportCaller {
            scope: Scope::for_tenant(tenant),
            user: None,
            role: Role::Administrator,
            money_rights: MoneyRights::ALL,
        }
    }

    pub(super) fn tenant(&self) -> TenantId {
        self.scope.tenant()
    }

    /// Restricts non-administrators to their own imports.
    pub(super) fn owner_filter(&self) -> Option<UserCode> {
        if self.role == Role::Administrator { None } else { self.user.or(Some(UserCode::new(0))) }
    }

    pub fn authorize_import(&self, kind: ImportKind) -> Result<(), Error> {
        let is_allowed = match kind {
            ImportKind::Titles | ImportKind::OpeningBalances => self.may_settle_titles(),
            ImportKind::Members | ImportKind::Vehicles | ImportKind::Dependents | ImportKind::Leads => true,
            // Registers.
            _ => self.role == Role::Administrator,
        };
        match self.role {
            Role::Administrator | Role::Operator if is_allowed => Ok(()),
            _ => Err(Error::Forbidden),
        }
    }

    fn may_settle_titles(&self) -> bool {
        let rights = self.money_rights;
        rights.contains(MoneyRight::SeeMoney) && rights.contains(MoneyRight::SettleTitles)
    }
}
