//! Users: creation, listing, disabling, passwords and ending sessions. Every change that ends a session raises the
//! tenant's access version in its transaction, and this process adopts it at once. Operations of administrators on a
//! user by code are in `manage.rs`.

mod create;
mod disable;
mod manage;
mod replace_password;

pub use create::{
    BY_ADMINISTRATOR, InitialPassword, NewUserInput, UserCreationContext, check_branches, create_user,
    create_user_as, create_user_once,
};
pub(crate) use create::{PreparedUser, check_chosen_password, insert_user, prepare_user};
pub use disable::{disable_user, end_sessions_by_email};
pub use manage::{
    ChangeUser, ChangeUserOutcome, UserSearchQuery, change_user, end_user_sessions, list_user_page,
    read_user, send_new_password,
};
pub(crate) use replace_password::{replace_password, reset_password_as};
pub use replace_password::{resend_password, reset_password};

use crate::session::Session;
use crate::{App, Error};
use domain::{Email, Moment, Rejection, Role, Scope, TenantId, User, UserCode};
use std::collections::HashMap;
use storage::Tx;
use storage::access::logins;
use storage::access::users;

/// Account activity shown to administrators.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AccountActivity {
    /// `None` if there was no login for thirty days.
    pub last_entered: Option<Moment>,
    pub second_factor_since: Option<Moment>,
}

/// Account activity of the users of the caller's association; users without any are absent.
#[boxed::future]
pub async fn list_account_activity(
    app: &App,
    caller: &Session,
) -> Result<HashMap<UserCode, AccountActivity>, Error> {
    caller.require_role(&Role::ADMINISTRATORS)?;
    let tenant = caller.scope.tenant();
    let mut habits: HashMap<UserCode, AccountActivity> = HashMap::new();
    for (user, at) in logins::list_last_sign_ins(&app.db, tenant).await? {
        habits.entry(user).or_default().last_entered = Some(at);
    }
    for (user, since) in storage::access::second_factors::list_confirmed_factors(&app.db, tenant).await? {
        habits.entry(user).or_default().second_factor_since = Some(since);
    }
    Ok(habits)
}

/// The users visible to the scope, by code.
#[boxed::future]
pub async fn list_users(app: &App, scope: &Scope) -> Result<Vec<User>, Error> {
    Ok(users::list_visible_users(&app.db, scope).await?)
}

/// A user of another tenant gives the same answer as an unknown user.
pub(crate) async fn load_user_by_email(tx: &mut Tx, tenant: TenantId, email: &Email) -> Result<User, Error> {
    let unknown = || Rejection::UnknownUser(email.to_string());
    let (owner, code) = users::find_login_owner(&mut *tx, email).await?.ok_or_else(unknown)?;
    if owner != tenant {
        return Err(unknown().into());
    }
    Ok(users::find_user(&mut *tx, tenant, code).await?.ok_or_else(unknown)?)
}
