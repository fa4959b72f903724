//! The second factor: a code from an authenticator besides the password, voluntary or required by the association.
//! Programs still log in with the password alone, but then only reach `/ext`. Users switch it on with their password
//! and off with a code; another administrator or a command can remove it. The secret is encrypted with the server key,
//! and recovery codes are stored as hashes.

mod enrol;
pub(crate) mod recovery_codes;
mod remove;

use super::sessions::ConsoleUser;
use crate::access::{self, SignInPurpose};
use crate::{App, Error};
use domain::{AuditedOperation, CallerAddress, InputField, Moment, TenantId, UserCode};
pub use enrol::{EnrolmentSecret, begin_enrolment, confirm_enrolment, find_enrolment_secret};
pub use recovery_codes::renew_recovery_codes;
pub(crate) use remove::remove_all_factors;
pub use remove::{remove_factor_by_email, remove_factor_of_user, switch_off_factor};
use storage::Tx;
use storage::access::second_factors;
use vault::Vault;

const OWN: AuditedOperation = AuditedOperation::ManageOwnSecondFactor;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecondFactorState {
    Off,
    /// A secret exists, but no code has confirmed it yet.
    Unconfirmed,
    On {
        since: Moment,
        recovery_left: i64,
    },
}

#[boxed::future]
pub async fn read_factor_state(
    app: &App,
    tenant: TenantId,
    user: UserCode,
) -> Result<SecondFactorState, Error> {
    let factor = second_factors::find_second_factor(&app.db, tenant, user).await?;
    Ok(match factor.map(|factor| factor.confirmed_at) {
        None => SecondFactorState::Off,
        Some(None) => SecondFactorState::Unconfirmed,
        Some(Some(since)) => {
            let recovery_left = second_factors::count_recovery_codes(&app.db, tenant, user).await?;
            SecondFactorState::On { since, recovery_left }
        }
    })
}

struct FactorCommand<W> {
    vault: Option<Vault>,
    tenant: TenantId,
    user: UserCode,
    what: W,
    now: Moment,
}

fn build_own_command<W>(app: &App, visitor: &ConsoleUser, what: W) -> Result<FactorCommand<W>, Error> {
    let (tenant, user) = (visitor.session.scope.tenant(), visitor.session.user);
    Ok(FactorCommand { vault: Some(app.vault()?.clone()), tenant, user, what, now: app.now() })
}

async fn load_factor_owner(tx: &mut Tx, tenant: TenantId, user: UserCode) -> Result<domain::User, Error> {
    let found = storage::access::users::find_user(&mut *tx, tenant, user).await?;
    found.ok_or(Error::NotFound { field: InputField::User, code: user.get() })
}

/// Checks a code of the signed-in user and uses it up. The password is not accepted: it alone must not remove the
/// second factor.
async fn has_valid_code(
    app: &App,
    visitor: &ConsoleUser,
    code: &str,
    address: CallerAddress,
) -> Result<bool, Error> {
    let account = (visitor.session.scope.tenant(), visitor.session.user);
    access::check_code(app, account, code, (OWN, address)).await
}

async fn has_valid_password(
    app: &App,
    visitor: &ConsoleUser,
    password: &str,
    address: CallerAddress,
) -> Result<bool, Error> {
    match access::sign_in_for_purpose(
        app,
        SignInPurpose::PasswordCheck(OWN),
        (&visitor.email, password),
        address.into(),
    )
    .await
    {
        Ok(_) => Ok(true),
        Err(Error::Credential) => Ok(false),
        Err(error) => Err(error),
    }
}
