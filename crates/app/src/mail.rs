//! The outbox of mail: what is to be said to a user is written in the unit that causes it; `delivery` takes it from
//! here, sends it outside every unit, and tells what came of it.

use crate::access::Session;
use crate::{App, Error};
use domain::{MailCode, Moment, Password, ReceiverCode, TenantId, UserCode};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
pub use storage::mails::Listed;
use storage::mails::{self, Claimed, Due, NewMail};
use storage::{Lane, Tx, tenants};
use wire::mail::{self, Head};

/// How mail leaves the server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Way {
    /// Nobody here sends any.
    #[default]
    None,
    /// By a mail server, under a name.
    Smtp { host: String, from: String },
    /// Each becomes a file.
    Folder(PathBuf),
}

/// Who is written to.
pub(crate) struct Addressee<'a> {
    pub tenant: TenantId,
    pub name: &'a str,
    pub email: &'a str,
}

/// What he is told.
#[derive(Clone, Copy)]
pub(crate) enum Message<'m> {
    FirstPassword(&'m Password),
    ResetLink {
        link: &'m str,
        minutes: u64,
        asked_from: Option<&'m str>,
    },
    PasswordChanged,
    /// To the address by which the account was entered until now.
    EmailLeft,
    /// To the address by which it is entered from now on.
    EmailTaken,
    SecondFactorOn,
    SecondFactorOff,
    /// Nothing but that mail arrives.
    Test,
    ReceiverPaused {
        code: ReceiverCode,
        address: &'m str,
        gone: bool,
    },
    /// Messages to a receiver were tried for the last time.
    TriggersExhausted {
        code: ReceiverCode,
        address: &'m str,
    },
}

impl Message<'_> {
    /// Who reads it can enter.
    fn is_confidential(&self) -> bool {
        match self {
            Message::FirstPassword(_) | Message::ResetLink { .. } => true,
            Message::PasswordChanged
            | Message::EmailLeft
            | Message::EmailTaken
            | Message::SecondFactorOn
            | Message::SecondFactorOff
            | Message::Test
            | Message::ReceiverPaused { .. }
            | Message::TriggersExhausted { .. } => false,
        }
    }
}

/// Writes to a user, in the unit that gives the reason. `server` is the address under which people find this server.
pub(crate) async fn write(
    tx: &mut Tx,
    server: &str,
    to: Addressee<'_>,
    message: Message<'_>,
    now: Moment,
) -> Result<MailCode, Error> {
    let gone = || storage::Error::Broken("a user without a tenant".to_owned());
    let association = tenants::find(&mut *tx, to.tenant).await?.ok_or_else(gone)?.name;
    let head = Head { association: &association, server, name: to.name, email: to.email };
    let letter = match message {
        Message::FirstPassword(password) => mail::first_password(head, password.expose()),
        Message::ResetLink { link, minutes, asked_from } => mail::reset_link(head, link, minutes, asked_from),
        Message::PasswordChanged => mail::password_changed(head),
        Message::EmailLeft => mail::email_changed(head, false),
        Message::EmailTaken => mail::email_changed(head, true),
        Message::SecondFactorOn => mail::second_factor_on(head),
        Message::SecondFactorOff => mail::second_factor_off(head),
        Message::Test => mail::test(head),
        Message::ReceiverPaused { code, address, gone } => {
            mail::receiver_paused(head, code.get(), address, gone)
        }
        Message::TriggersExhausted { code, address } => mail::triggers_exhausted(head, code.get(), address),
    };
    let letter = letter.map_err(|error| Error::Text(error.to_string()))?;
    let new = NewMail {
        recipient: to.email,
        subject: &letter.subject,
        text: &letter.text,
        html: Some(&letter.html),
        confidential: message.is_confidential(),
    };
    Ok(mails::enqueue(tx, to.tenant, &new, now).await?)
}

/// What is to be sent now, of every tenant.
#[boxed::future]
pub async fn due(app: &App, limit: i64) -> Result<Vec<Due>, Error> {
    Ok(mails::due(&app.db, app.now(), limit).await?)
}

/// Takes a mail for `lease`; `None` where another was faster.
#[boxed::future]
pub async fn claim(app: &App, due: Due, lease: Duration) -> Result<Option<Claimed>, Error> {
    let input = (due, app.now().plus(lease));
    let lane = Lane::background(due.tenant);
    Ok(app.db.write(lane, input, |tx, (due, until)| Box::pin(mails::claim(tx, due, *until))).await?)
}

/// It went. `false` where it was taken over meanwhile.
#[boxed::future]
pub async fn sent(app: &App, mail: Claimed) -> Result<bool, Error> {
    let (lane, input) = (Lane::background(mail.tenant), (mail, app.now()));
    Ok(app.db.write(lane, input, |tx, (mail, now)| Box::pin(mails::record_sent(tx, mail, *now))).await?)
}

/// It did not go: tried again after a while, or given up.
#[boxed::future]
pub async fn failed(
    app: &App,
    mail: Claimed,
    failure: String,
    again_after: Option<Duration>,
) -> Result<bool, Error> {
    let next = again_after.map(|wait| app.now().plus(wait));
    let (lane, input) = (Lane::background(mail.tenant), (mail, failure, next));
    Ok(app.db.write(lane, input, |tx, input| Box::pin(record_failure(tx, input))).await?)
}

async fn record_failure(
    tx: &mut Tx,
    (mail, failure, next): &(Claimed, String, Option<Moment>),
) -> Result<bool, storage::Error> {
    match next {
        Some(next) => mails::record_failure(tx, mail, failure, *next).await,
        None => mails::give_up(tx, mail, failure).await,
    }
}

/// The mails of the caller's association before this code, the newest first; for administrators.
#[boxed::future]
pub async fn listed(app: &App, caller: &Session, before: i32) -> Result<Vec<Listed>, Error> {
    caller.must_be(&[domain::Role::Administrator])?;
    Ok(mails::listed(&app.db, caller.scope.tenant(), before, 100).await?)
}

/// Sends the caller a mail that says nothing but that mail arrives; for administrators.
#[boxed::future]
pub async fn send_test(app: &App, caller: &Session) -> Result<String, Error> {
    caller.must_be(&[domain::Role::Administrator])?;
    let tenant = caller.scope.tenant();
    let input = (tenant, caller.user, Arc::clone(&app.public_url), app.now());
    app.db.write(Lane::of(tenant), input, |tx, input| Box::pin(write_test(tx, input))).await
}

async fn write_test(
    tx: &mut Tx,
    (tenant, user, server, now): &(TenantId, UserCode, Arc<str>, Moment),
) -> Result<String, Error> {
    let user = storage::users::find(&mut *tx, *tenant, *user).await?.ok_or(Error::Credential)?;
    let to = Addressee { tenant: *tenant, name: &user.name, email: &user.email };
    write(tx, server, to, Message::Test, *now).await?;
    Ok(user.email)
}
