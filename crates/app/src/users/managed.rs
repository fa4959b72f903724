//! Users as administrators see and change them. Whatever changes rights is seen at once by this process and within two seconds
//! by every other: sessions are asked for anew, and those of somebody who was disabled end.

use super::{Secret, User, bad_branches, end, generated, give_password, own_branches, refuse_last};
use crate::access::{Actor, Session};
use crate::base::{Registers, registers};
use crate::differences::{Difference, Fields, Present, between, named, refuse_old};
use crate::mail::{self, Addressee, Message};
use crate::once::{self, Done, Once};
use crate::searches::Page;
use crate::{App, Error};
use domain::{
    BranchCode, CallerAddress, Email, Field, Moment, Name, Rejection, Role, TenantId, TimeZone, UserCode,
    begins_words, fold, name_words,
};
use std::sync::Arc;
use storage::users;
use storage::versions::{self, Versions};
use storage::{Lane, Tx, password_resets};

const CHANGE: &str = "PUT /gestao/usuario/{codUsuario}";
const PASSWORD: &str = "POST /gestao/usuario/{codUsuario}/senha";
const END: &str = "POST /gestao/usuario/{codUsuario}/encerrarSessoes";

/// Which users are asked for; what is empty asks for nothing.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// The beginnings of words of the name, or of the address.
    pub filter: Option<String>,
    pub active: Option<bool>,
    pub role: Option<Role>,
    pub branch: Option<BranchCode>,
    /// From 1.
    pub page: i32,
}

impl Wanted {
    fn fits(&self, user: &User) -> bool {
        let is_meant = |text: &String| {
            let words = name_words(text);
            fold(&user.email).starts_with(&fold(text.trim()))
                || (!words.is_empty() && begins_words(&words, &user.name))
        };
        self.filter.as_ref().is_none_or(is_meant)
            && self.active.is_none_or(|active| user.active == active)
            && self.role.is_none_or(|role| user.role == role)
            && self.branch.is_none_or(|one| user.role.has_every_branch() || user.branches.contains(&one))
    }
}

/// Users a page.
const PAGE: usize = 100;

/// A page of the users that were asked for; by name, then code. An association has hundreds of them at most, so they are read
/// whole, and what must ignore case and accents is compared here.
#[boxed::future]
pub async fn page(app: &App, caller: &Session, wanted: Wanted) -> Result<Page<User>, Error> {
    let registers = registers(app, caller.scope.tenant()).await?;
    let mut all = users::visible(&app.db, &caller.scope).await?;
    all.retain(|user| wanted.fits(user));
    all.sort_by_cached_key(|user| (fold(&user.name), user.code));
    let total = all.len() as i64;
    let skip = usize::try_from(wanted.page - 1).unwrap_or_default().saturating_mul(PAGE);
    let rows = all.into_iter().skip(skip).take(PAGE).collect();
    Ok(Page { rows, number: wanted.page, total, registers })
}

/// The user of this code.
#[boxed::future]
pub async fn one(app: &App, caller: &Session, code: UserCode) -> Result<User, Error> {
    let found = users::find(&app.db, caller.scope.tenant(), code).await?;
    found.ok_or(Error::NoSuch { field: Field::User, code: code.get() })
}

/// What of a user is to be another; what is absent stays.
#[derive(Clone, Debug)]
pub struct Changes {
    pub version: i64,
    pub name: Option<Name>,
    pub email: Option<Email>,
    pub role: Option<Role>,
    pub branches: Option<Vec<BranchCode>>,
    pub active: Option<bool>,
}

/// A user as he is now, and what is no longer trusted because of it.
#[derive(Clone, Debug)]
pub struct Changed {
    pub user: User,
    raised: Option<Versions>,
}

struct Doing<W> {
    tenant: TenantId,
    by: UserCode,
    address: Option<CallerAddress>,
    code: UserCode,
    what: W,
    zone: TimeZone,
    server: Arc<str>,
    now: Moment,
}

async fn doing<W>(app: &App, caller: &Session, code: UserCode, what: W) -> Result<Doing<W>, Error> {
    let tenant = caller.scope.tenant();
    let registers: Arc<Registers> = registers(app, tenant).await?;
    let (zone, server) = (registers.zone.clone(), Arc::clone(&app.public_url));
    let address = caller.address();
    Ok(Doing { tenant, by: caller.user, address, code, what, zone, server, now: app.now() })
}

impl<W> Doing<W> {
    async fn found(&self, tx: &mut Tx) -> Result<User, Error> {
        let found = users::find(&mut *tx, self.tenant, self.code).await?;
        found.ok_or(Error::NoSuch { field: Field::User, code: self.code.get() })
    }

    async fn tell(&self, tx: &mut Tx, operation: &'static str, done: String) -> Result<(), Error> {
        let by = Actor { user: Some(self.by), operation, address: self.address };
        by.record(tx, self.tenant, format!("usuário {} {done}", self.code), self.now).await.map(drop)
    }
}

/// Takes over what this process itself has just raised.
fn known(app: &App, caller: &Session, done: Done<Changed>) -> Done<Changed> {
    if let Done::Now(Changed { raised: Some(raised), .. }) = &done {
        app.memory.raise(caller.scope.tenant(), *raised);
    }
    done
}

/// Changes a user.
#[boxed::future]
pub async fn change(
    app: &App,
    caller: &Session,
    code: UserCode,
    changes: Changes,
    once: Once<Changed>,
) -> Result<Done<Changed>, Error> {
    let doing = doing(app, caller, code, changes).await?;
    let lane = Lane::of(doing.tenant);
    let done = once::write(app, lane, once, doing, |tx, doing| Box::pin(write(tx, doing))).await?;
    Ok(known(app, caller, done))
}

async fn write(tx: &mut Tx, doing: &Doing<Changes>) -> Result<Changed, Error> {
    let (tenant, changes) = (doing.tenant, &doing.what);
    let before = users::find(&mut *tx, tenant, doing.code).await?;
    let had = before.as_ref().map_or(&[][..], |before| &before.branches);
    // What was sent is judged before the code in the path.
    let anybody = if changes.branches.is_some() { Role::Operator } else { Role::Administrator };
    let role = changes.role.or(before.as_ref().map(|before| before.role)).unwrap_or(anybody);
    let wanted = own_branches(role, changes.branches.clone().unwrap_or_else(|| had.to_vec()));
    let problems = bad_branches(tx, tenant, (role, &wanted), had).await?;
    if !problems.is_empty() {
        return Err(Error::Refused(problems));
    }
    let before = before.ok_or(Error::NoSuch { field: Field::User, code: doing.code.get() })?;
    let after = User {
        name: changes.name.as_ref().map_or(before.name.clone(), ToString::to_string),
        email: changes.email.as_ref().map_or(before.email.clone(), ToString::to_string),
        role,
        active: changes.active.unwrap_or(before.active),
        branches: wanted,
        ..before.clone()
    };
    let differences = between(fields(&before), fields(&after));
    let present = Present { version: before.version, since: before.updated_at };
    if let Some(old) = refuse_old(changes.version, present, &doing.zone, &differences) {
        return Err(old.into());
    }
    if differences.is_empty() {
        return Ok(Changed { user: before, raised: None });
    }
    Box::pin(store(tx, doing, before, after, &differences)).await
}

async fn store(
    tx: &mut Tx,
    doing: &Doing<Changes>,
    before: User,
    mut after: User,
    differences: &[Difference],
) -> Result<Changed, Error> {
    let tenant = doing.tenant;
    let leaves = before.active
        && before.role == Role::Administrator
        && !(after.active && after.role == Role::Administrator);
    if leaves && doing.by == doing.code {
        return Err(Rejection::OwnRights.into());
    }
    if leaves {
        refuse_last(tx, tenant, &before).await?;
    }
    let email = doing.what.email.as_ref().filter(|email| email.as_str() != before.email);
    if let Some(email) = email
        && users::login(&mut *tx, email).await?.is_some()
    {
        return Err(Rejection::EmailTaken(email.to_string()).into());
    }
    after.updated_at = doing.now;
    users::update(tx, tenant, &after).await?;
    after.version += 1;
    if let Some(email) = email {
        users::free_login(tx, &before.email, tenant, doing.code).await?;
        if !users::claim_login(tx, email, tenant, doing.code).await? {
            return Err(Rejection::EmailTaken(email.to_string()).into());
        }
        // Whoever reads the old address must not set a password any more.
        password_resets::end_all(tx, tenant, doing.code).await?;
    }
    let is_disabled = before.active && !after.active;
    if is_disabled {
        password_resets::end_all(tx, tenant, doing.code).await?;
    }
    let raised = match is_disabled || email.is_some() {
        true => end(tx, tenant, doing.code).await?,
        false => versions::raise_access(tx, tenant).await?,
    };
    if email.is_some() {
        // Both are told: the owner of the account reads at least one of them.
        for (email, message) in [(&before.email, Message::EmailLeft), (&after.email, Message::EmailTaken)] {
            let to = Addressee { tenant, name: &after.name, email };
            mail::write(tx, &doing.server, to, message, doing.now).await?;
        }
    }
    doing.tell(tx, CHANGE, format!("alterado: {}", named(differences))).await?;
    Ok(Changed { user: after, raised: Some(raised) })
}

/// A user, field by field.
fn fields(user: &User) -> Fields {
    let branches: Vec<String> = user.branches.iter().map(ToString::to_string).collect();
    vec![
        ("nome", Some(user.name.clone())),
        ("email", Some(user.email.clone())),
        ("perfil", Some(wire::role(user.role).to_owned())),
        ("lojas", (!branches.is_empty()).then(|| branches.join(", "))),
        ("ativo", Some(user.active.to_string())),
    ]
}

/// Sends a user a new generated password, and ends his sessions and open links.
#[boxed::future]
pub async fn send_password(
    app: &App,
    caller: &Session,
    code: UserCode,
    reason: Option<String>,
    once: Once<Changed>,
) -> Result<Done<Changed>, Error> {
    let doing = doing(app, caller, code, (generated(app).await?, reason)).await?;
    let lane = Lane::of(doing.tenant);
    let done = once::write(app, lane, once, doing, |tx, doing| Box::pin(write_password(tx, doing))).await?;
    Ok(known(app, caller, done))
}

async fn write_password(tx: &mut Tx, doing: &Doing<(Secret, Option<String>)>) -> Result<Changed, Error> {
    let user = doing.found(tx).await?;
    let (secret, reason) = &doing.what;
    let raised = give_password(tx, doing.tenant, &user, secret, (&doing.server, doing.now)).await?;
    doing.tell(tx, PASSWORD, because("recebeu outra senha", reason.as_deref())).await?;
    Ok(Changed { user, raised: Some(raised) })
}

/// Ends the sessions of a user; he may begin others with the password he has.
#[boxed::future]
pub async fn end_sessions_of(
    app: &App,
    caller: &Session,
    code: UserCode,
    reason: Option<String>,
    once: Once<Changed>,
) -> Result<Done<Changed>, Error> {
    let doing = doing(app, caller, code, reason).await?;
    let lane = Lane::of(doing.tenant);
    let done = once::write(app, lane, once, doing, |tx, doing| Box::pin(write_end(tx, doing))).await?;
    Ok(known(app, caller, done))
}

async fn write_end(tx: &mut Tx, doing: &Doing<Option<String>>) -> Result<Changed, Error> {
    let user = doing.found(tx).await?;
    let raised = end(tx, doing.tenant, doing.code).await?;
    doing.tell(tx, END, because("teve as sessões encerradas", doing.what.as_deref())).await?;
    Ok(Changed { user, raised: Some(raised) })
}

fn because(done: &str, reason: Option<&str>) -> String {
    reason.map_or(done.to_owned(), |reason| format!("{done}: {reason}"))
}
