//! The mail outbox: a mail is written in the transaction that causes it; the crate `delivery` reads it from here,
//! sends it outside any transaction, and records the outcome.

use crate::session::Session;
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

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum MailDeliveryMethod {
    /// No mail is sent.
    #[default]
    None,
    /// Through a mail server, from this sender address.
    Smtp { host: String, from: String },
    /// Each mail becomes a file.
    Folder(PathBuf),
}

pub(crate) struct Addressee<'a> {
    pub tenant: TenantId,
    pub name: &'a str,
    pub email: &'a str,
}

/// The content of a mail to a user.
#[derive(Clone, Copy)]
pub(crate) enum UserNotice<'m> {
    FirstPassword(&'m Password),
    ResetLink {
        link: &'m str,
        minutes: u64,
        requested_from: Option<&'m str>,
    },
    PasswordChanged,
    /// To the former address of the account.
    EmailLeft,
    /// To the new address of the account.
    EmailTaken,
    SecondFactorOn,
    SecondFactorOff,
    /// Only confirms that mail arrives.
    Test,
    ReceiverPaused {
        code: ReceiverCode,
        address: &'m str,
        gone: bool,
    },
    /// Messages to a receiver ran out of attempts.
    TriggersExhausted {
        code: ReceiverCode,
        address: &'m str,
    },
}

impl UserNotice<'_> {
    /// Whether the mail gives access to the account.
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

/// Enqueues a mail to a user, in the transaction that causes it. `server` is the public base URL of this server.
pub(crate) async fn enqueue_mail(
    tx: &mut Tx,
    server: &str,
    to: Addressee<'_>,
    message: UserNotice<'_>,
    now: Moment,
) -> Result<MailCode, Error> {
    let missing_tenant = || storage::Error::Broken("a user without a tenant".to_owned());
    let association = tenants::find_tenant(&mut *tx, to.tenant).await?.ok_or_else(missing_tenant)?.name;
    let head = RecipientContext { association: &association, server, name: to.name, email: to.email };
    let letter = match message {
        UserNotice::FirstPassword(password) => mail::render_first_password(head, password.expose()),
        UserNotice::ResetLink { link, minutes, requested_from } => {
            mail::render_reset_link(head, link, minutes, requested_from)
        }
        UserNotice::PasswordChanged => mail::render_password_changed(head),
        UserNotice::EmailLeft => mail::render_email_changed(head, false),
        UserNotice::EmailTaken => mail::render_email_changed(head, true),
        UserNotice::SecondFactorOn => mail::render_second_factor_on(head),
        UserNotice::SecondFactorOff => mail::render_second_factor_off(head),
        UserNotice::Test => mail::render_test_mail(head),
        UserNotice::ReceiverPaused { code, address, gone: is_gone } => {
            mail::render_receiver_paused(head, code.get(), address, is_gone)
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

/// The mails due now, of every tenant.
#[boxed::future]
pub async fn list_due_mail(app: &App, limit: i64) -> Result<Vec<DueMail>, Error> {
    Ok(mails::list_due_mails(&app.db, app.now(), limit).await?)
}

/// Leases a mail; `None` if another process leased it first.
#[boxed::future]
pub async fn lease_mail(app: &App, due: DueMail, lease: Duration) -> Result<Option<LeasedMail>, Error> {
    let input = (due, app.now().plus(lease));
    let lane = WriteLane::background(due.tenant);
    Ok(app.db.write(lane, input, |tx, (due, until)| Box::pin(mails::lease_mail(tx, due, *until))).await?)
}

/// Marks a mail as sent; `false` if its lease was lost meanwhile.
#[boxed::future]
pub async fn record_sent_mail(app: &App, mail: LeasedMail) -> Result<bool, Error> {
    let (lane, input) = (WriteLane::background(mail.tenant), (mail, app.now()));
    Ok(app.db.write(lane, input, |tx, (mail, now)| Box::pin(mails::record_mail_sent(tx, mail, *now))).await?)
}

/// Schedules a retry, or gives up after the last one.
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

/// The mails of the caller's association before this code, newest first; for administrators.
#[boxed::future]
pub async fn list_outbox_mail(app: &App, caller: &Session, before: i32) -> Result<Vec<OutboxMail>, Error> {
    caller.require_role(&domain::Role::ADMINISTRATORS)?;
    Ok(mails::list_outbox_mails(&app.db, caller.scope.tenant(), before, 100).await?)
}

/// Sends the caller a mail that only confirms that mail arrives; for administrators.
#[boxed::future]
pub async fn send_test_mail(app: &App, caller: &Session) -> Result<String, Error> {
    caller.require_role(&domain::Role::ADMINISTRATORS)?;
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
