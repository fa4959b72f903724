//! The user or command that acts on imports, and what they may do.

use app::Error;
use app::session::Session;
use domain::{ImportKind, Role, Scope, TenantId, UserCode};

/// The user or command that acts on imports.
#[derive(Clone, Debug)]
pub struct ImportCaller {
    pub scope: Scope,
    /// `None` for a command.
    pub user: Option<UserCode>,
    pub role: Role,
}

impl ImportCaller {
    pub fn from_session(caller: &Session) -> ImportCaller {
        ImportCaller { scope: caller.scope.clone(), user: Some(caller.user), role: caller.role }
    }

    /// A command, which may do everything.
    pub fn for_command(tenant: TenantId) -> ImportCaller {
        ImportCaller { scope: Scope::for_tenant(tenant), user: None, role: Role::Administrator }
    }

    pub(super) fn tenant(&self) -> TenantId {
        self.scope.tenant()
    }

    /// Restricts non-administrators to their own imports.
    pub(super) fn owner_filter(&self) -> Option<UserCode> {
        if self.role == Role::Administrator { None } else { self.user.or(Some(UserCode::new(0))) }
    }

    pub fn authorize_import(&self, kind: ImportKind) -> Result<(), Error> {
        let registers = matches!(kind, ImportKind::Plans | ImportKind::Sellers);
        match self.role {
            Role::Administrator => Ok(()),
            Role::Operator if !registers => Ok(()),
            _ => Err(Error::Forbidden),
        }
    }
}
