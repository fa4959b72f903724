//! The outbox of mail: what is to be said to a user is written in the unit that causes it; `delivery` takes it from
//! here, sends it outside every unit, and tells what came of it.

use crate::access::Session;
use crate::{App, Error};
use domain::{MailCode, Moment, Password, ReceiverCode, TenantId, UserCode};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
pub use storage::server::mails::OutboxMail;
use storage::server::mails::{self, DueMail, LeasedMail, NewMailRow};
use storage::server::tenants;
use storage::{Tx, WriteLane};
use wire::mail::{self, RecipientContext};

/// How mail leaves the server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum MailDeliveryMethod {
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
pub(crate) enum UserNotice<'m> {
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

impl UserNotice<'_> {
    /// Who reads it can enter.
    fn is_confidential(&self) -> bool {
        match self {
            UserNotice::FirstPassword(_) | UserNotice::ResetLink { .. } => true,
            UserNotice::PasswordChanged
            | UserNotice::EmailLeft
            | UserNotice::EmailTaken
            | UserNotice::SecondFactorOn
            | UserNotice::SecondFactorOff
            | UserNotice::Test
            | UserNotice::ReceiverPaused { .. }
            | UserNotice::TriggersExhausted { .. } => false,
        }
    }
}

/// Writes to a user, in the unit that gives the reason. `server` is the address under which people find this server.
pub(crate) async fn enqueue_mail(
    tx: &mut Tx,
    server: &str,
    to: Addressee<'_>,
    message: UserNotice<'_>,
    now: Moment,
) -> Result<MailCode, Error> {
    let gone = || storage::Error::Broken("a user without a tenant".to_owned());
    let association = tenants::find_tenant(&mut *tx, to.tenant).await?.ok_or_else(gone)?.name;
    let head = RecipientContext { association: &association, server, name: to.name, email: to.email };
    let letter = match message {
        UserNotice::FirstPassword(password) => mail::render_first_password(head, password.expose()),
        UserNotice::ResetLink { link, minutes, asked_from } => {
            mail::render_reset_link(head, link, minutes, asked_from)
        }
        UserNotice::PasswordChanged => mail::render_password_changed(head),
        UserNotice::EmailLeft => mail::render_email_changed(head, false),
        UserNotice::EmailTaken => mail::render_email_changed(head, true),
        UserNotice::SecondFactorOn => mail::render_second_factor_on(head),
        UserNotice::SecondFactorOff => mail::render_second_factor_off(head),
        UserNotice::Test => mail::render_test_mail(head),
        UserNotice::ReceiverPaused { code, address, gone } => {
            mail::render_receiver_paused(head, code.get(), address, gone)
        }
        UserNotice::TriggersExhausted { code, address } => {
            mail::render_triggers_exhausted(head, code.get(), address)
        }
    };
    let letter = letter.map_err(|error| Error::Defect(error.to_string()))?;
    let new = NewMailRow {
        recipient: to.email,
        subject: &letter.subject,
        text: &letter.text,
        html: Some(&letter.html),
        confidential: message.is_confidential(),
    };
    Ok(mails::enqueue_mail(tx, to.tenant, &new, now).await?)
}

/// What is to be sent now, of every tenant.
#[boxed::future]
pub async fn list_due_mail(app: &App, limit: i64) -> Result<Vec<DueMail>, Error> {
    Ok(mails::list_due_mails(&app.db, app.now(), limit).await?)
}

/// Takes a mail for `lease`; `None` where another was faster.
#[boxed::future]
pub async fn lease_mail(app: &App, due: DueMail, lease: Duration) -> Result<Option<LeasedMail>, Error> {
    let input = (due, app.now().plus(lease));
    let lane = WriteLane::background(due.tenant);
    Ok(app.db.write(lane, input, |tx, (due, until)| Box::pin(mails::lease_mail(tx, due, *until))).await?)
}

/// It went. `false` where it was taken over meanwhile.
#[boxed::future]
pub async fn record_sent_mail(app: &App, mail: LeasedMail) -> Result<bool, Error> {
    let (lane, input) = (WriteLane::background(mail.tenant), (mail, app.now()));
    Ok(app.db.write(lane, input, |tx, (mail, now)| Box::pin(mails::record_mail_sent(tx, mail, *now))).await?)
}

/// It did not go: tried again after a while, or given up.
#[boxed::future]
pub async fn record_failed_mail(
    app: &App,
    mail: LeasedMail,
    failure: String,
    again_after: Option<Duration>,
) -> Result<bool, Error> {
    let next = again_after.map(|wait| app.now().plus(wait));
    let (lane, input) = (WriteLane::background(mail.tenant), (mail, failure, next));
    Ok(app.db.write(lane, input, |tx, input| Box::pin(write_mail_failure(tx, input))).await?)
}

async fn write_mail_failure(
    tx: &mut Tx,
    (mail, failure, next): &(LeasedMail, String, Option<Moment>),
) -> Result<bool, storage::Error> {
    match next {
        Some(next) => mails::record_mail_failure(tx, mail, failure, *next).await,
        None => mails::give_up_mail(tx, mail, failure).await,
    }
}

/// The mails of the caller's association before this code, the newest first; for administrators.
#[boxed::future]
pub async fn list_outbox_mail(app: &App, caller: &Session, before: i32) -> Result<Vec<OutboxMail>, Error> {
    caller.require_role(&[domain::Role::Administrator])?;
    Ok(mails::list_outbox_mails(&app.db, caller.scope.tenant(), before, 100).await?)
}

/// Sends the caller a mail that says nothing but that mail arrives; for administrators.
#[boxed::future]
pub async fn send_test_mail(app: &App, caller: &Session) -> Result<String, Error> {
    caller.require_role(&[domain::Role::Administrator])?;
    let tenant = caller.scope.tenant();
    let input = (tenant, caller.user, Arc::clone(&app.public_url), app.now());
    app.db
        .write(WriteLane::foreground(tenant), input, |tx, input| Box::pin(enqueue_test_mail(tx, input)))
        .await
}

async fn enqueue_test_mail(
    tx: &mut Tx,
    (tenant, user, server, now): &(TenantId, UserCode, Arc<str>, Moment),
) -> Result<String, Error> {
    let user = storage::access::users::find_user(&mut *tx, *tenant, *user).await?.ok_or(Error::Credential)?;
    let to = Addressee { tenant: *tenant, name: &user.name, email: &user.email };
    enqueue_mail(tx, server, to, UserNotice::Test, *now).await?;
    Ok(user.email)
}
