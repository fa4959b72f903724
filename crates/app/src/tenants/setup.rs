//! Setup of an empty server in the browser: the operator gets a link, valid for a day and until the first
//! administrator exists.

use super::create::{NewTenantInput, ParsedTenant, insert_tenant, parse_new_tenant};
use super::find_default_tenant;
use crate::access::users::{self, InitialPassword, NewUserInput};
use crate::session::{AccountActor, Session};
use crate::{App, Error, collect_problem};
use domain::{
    AuditedOperation, DisplayName, Email, InputField, Moment, MoneyRights, Password, Rejection, Role,
    TenantId, User, UserCode, encode_hex,
};
use sha2::{Digest, Sha256};
use std::time::Duration;
use storage::access::users as stored;
use storage::server::counters::{self, Counter};
use storage::server::settings::{self, ServerSetting};
use storage::{Tx, WriteLane};

const RANDOM_BYTES: usize = 16;
/// The founder of an association has no account yet.
const FOUNDING: AccountActor =
    AccountActor { user: None, operation: AuditedOperation::CompleteSetup, address: None };
/// A code that no user has.
const NOBODY: UserCode = UserCode::new(0);

fn digest_setup_code(code: &str) -> String {
    encode_hex(&Sha256::digest(code.as_bytes()))
}

/// Whether the server has no administrator yet.
async fn is_server_empty(tx: &mut Tx) -> Result<bool, Error> {
    match find_default_tenant(&mut *tx).await? {
        Some(tenant) => Ok(!stored::has_other_administrator(tx, tenant, NOBODY).await?),
        None => Ok(true),
    }
}

/// How long a setup link is valid; a restart issues another.
pub const SETUP_CODE_LIFETIME: Duration = Duration::from_hours(24);

/// A new code if the server is still empty; invalidates the previous one.
#[boxed::future]
pub async fn issue_setup_code(app: &App) -> Result<Option<String>, Error> {
    if !app.db.read((), |tx, ()| Box::pin(is_server_empty(tx))).await? {
        return Ok(None);
    }
    let mut random = [0; RANDOM_BYTES];
    app.random_source.fill(&mut random);
    let code = encode_hex(&random);
    let stored = format!("{} {}", digest_setup_code(&code), app.now().plus(SETUP_CODE_LIFETIME).millis());
    app.db
        .write(WriteLane::foreground(TenantId::SERVER), stored, |tx, stored| {
            Box::pin(async move { settings::upsert_setting(tx, ServerSetting::SetupCode, stored).await })
        })
        .await?;
    Ok(Some(code))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetupLinkState {
    /// The link opens the setup page.
    Open,
    /// The server is set up already.
    Done,
    /// The server is not set up, but this link is not valid.
    Expired,
}

#[boxed::future]
pub async fn check_setup_link(app: &App, code: &str) -> Result<SetupLinkState, Error> {
    app.db.read((digest_setup_code(code), app.now()), |tx, query| Box::pin(read_link_state(tx, query))).await
}

async fn read_link_state(tx: &mut Tx, (digest, now): &(String, Moment)) -> Result<SetupLinkState, Error> {
    if !is_server_empty(tx).await? {
        return Ok(SetupLinkState::Done);
    }
    let stored = settings::find_setting(tx, ServerSetting::SetupCode).await?;
    // The digest of the code issued last, and when it expires.
    let stored = stored.as_deref().and_then(|stored| stored.split_once(' '));
    let is_good = stored.is_some_and(|(known, ends_at)| {
        known == digest && ends_at.parse().is_ok_and(|millis| *now < Moment::from_millis(millis))
    });
    Ok(if is_good { SetupLinkState::Open } else { SetupLinkState::Expired })
}

/// The input of the setup page.
#[derive(Clone, Debug)]
pub struct ServerSetupRequest {
    pub association: String,
    pub branch: String,
    pub name: String,
    pub email: String,
    pub password: String,
}

/// The input of the setup transaction.
struct ServerSetupWrite {
    /// The digest of the link's code, and when it was submitted.
    link: (String, Moment),
    tenant: ParsedTenant,
    administrator: users::PreparedUser,
}

/// Creates the association with its first branch and administrator, and uses up the link, in one transaction: of
/// several concurrent submissions one succeeds, and the others learn that setup is done.
#[boxed::future]
pub async fn set_up_server(app: &App, code: &str, request: &ServerSetupRequest) -> Result<User, Error> {
    let new = NewTenantInput {
        name: request.association.clone(),
        branch: request.branch.clone(),
        time_zone: domain::TimeZone::DEFAULT.to_owned(),
        hosts: Vec::new(),
        make_default: true,
    };
    let mut problems = Vec::new();
    let tenant = parse_new_tenant(&new, app.now()).map_err(|error| {
        if let Error::Refused(found) = error {
            problems.extend(found);
        }
    });
    let name = collect_problem(&mut problems, DisplayName::parse(InputField::PersonName, &request.name));
    let email = collect_problem(&mut problems, Email::parse(&request.email));
    let password = collect_problem(&mut problems, Password::parse(&request.password));
    let (Ok(tenant), Some(name), Some(email), Some(password), []) =
        (tenant, name, email, password, &problems[..])
    else {
        return Err(Error::Refused(problems));
    };
    let administrator = NewUserInput {
        // Replaced inside the transaction.
        tenant: TenantId::SERVER,
        name,
        email,
        role: Role::Administrator,
        branches: Vec::new(),
        money_rights: MoneyRights::SEE_AND_SETTLE,
        gets_old_search_answer: false,
        password: InitialPassword::Chosen(password),
    };
    let administrator =
        users::prepare_user(app, administrator, users::UserCreationContext { code: None, by: FOUNDING })
            .await?;
    let founding = ServerSetupWrite { link: (digest_setup_code(code), app.now()), tenant, administrator };
    let lane = WriteLane::foreground(TenantId::SERVER);
    app.db.write(lane, founding, |tx, founding| Box::pin(write_server_setup(tx, founding))).await
}

async fn write_server_setup(tx: &mut Tx, founding: &ServerSetupWrite) -> Result<User, Error> {
    if read_link_state(tx, &founding.link).await? != SetupLinkState::Open {
        return Err(Rejection::BadSetupLink.into());
    }
    // A command may have created the association already, without users.
    let tenant = match find_default_tenant(&mut *tx).await? {
        Some(tenant) => tenant,
        None => insert_tenant(tx, &founding.tenant).await?.tenant,
    };
    let administrator = founding.administrator.clone().with_tenant(tenant);
    let user = users::insert_user(tx, &administrator).await?;
    settings::delete_setting(tx, ServerSetting::SetupCode).await?;
    Ok(user)
}

/// Whether the caller's association ever had a person.
#[boxed::future]
pub async fn has_people(app: &App, caller: &Session) -> Result<bool, Error> {
    Ok(counters::load_last_number(&app.db, caller.scope.tenant(), Counter::Person).await? > 0)
}
