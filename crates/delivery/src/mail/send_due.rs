//! Sends due mails, every `mail.interval`: leases each one, sends it, and records the outcome.

use super::message::SenderAddress;
use super::transport::{MailTransport, SendFailure};
use super::{message, schedule};
use app::{App, Error};
use std::sync::Arc;
use std::time::Duration;
use storage::server::mails::{DueMail, LeasedMail};
use tokio::task::{JoinError, JoinSet};
use tokio::time::MissedTickBehavior;

const MAILS_PER_QUERY: i64 = 32;

/// Mails sent concurrently. Kept low so that the mail server is not flooded.
const CONCURRENT_MAILS: usize = 4;

const SEND_TIMEOUT: Duration = Duration::from_mins(1);

/// Lease duration: longer than `SEND_TIMEOUT`, with time left to record the outcome.
const LEASE: Duration = Duration::from_mins(2);

/// Stored failure messages are cut to this length.
const FAILURE_CHARACTERS: usize = 200;

/// The sender address and the transport.
pub struct OutboxMailer {
    pub sender: SenderAddress,
    pub transport: MailTransport,
}

/// Sends due mails in an endless loop. Cancel-safe.
#[boxed::future]
pub async fn run_mail_delivery(app: App, mailer: OutboxMailer, every: Duration) {
    if let MailTransport::Folder(folder) = &mailer.transport {
        tracing::info!(folder = %folder.display(), "no mail server configured: mails are written to a folder");
    }
    let mailer = Arc::new(mailer);
    let mut ticks = tokio::time::interval(every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        if let Err(error) = send_due_mails(&app, &mailer).await {
            storage::warn_unless_outage!(error, "due mails could not be processed; retrying");
        }
    }
}

/// Sends every mail that is due now. Returns how many were leased, whatever their outcome.
#[boxed::future]
pub async fn send_due_mails(app: &App, mailer: &Arc<OutboxMailer>) -> Result<usize, Error> {
    let mut claimed = 0;
    loop {
        let due = app::mail::list_due_mail(app, MAILS_PER_QUERY).await?;
        let mut leased_now = 0;
        let mut tasks = JoinSet::new();
        for one in due {
            if tasks.len() >= CONCURRENT_MAILS {
                leased_now += tasks.join_next().await.map_or(0, count_send_result);
            }
            tasks.spawn(claim_and_send(app.clone(), Arc::clone(mailer), one));
        }
        while let Some(result) = tasks.join_next().await {
            leased_now += count_send_result(result);
        }
        claimed += leased_now;
        // Another process leased all of them, or none was due.
        if leased_now == 0 {
            return Ok(claimed);
        }
    }
}

/// One failure does not stop the others; the mail is due again when its lease expires.
fn count_send_result(result: Result<Result<bool, Error>, JoinError>) -> usize {
    match result {
        Ok(Ok(was_leased)) => usize::from(was_leased),
        Ok(Err(error)) => {
            storage::warn_unless_outage!(error, "the outcome of a mail could not be recorded");
            0
        }
        Err(error) => {
            tracing::error!(%error, "sending a mail panicked");
            0
        }
    }
}

/// Leases one mail and sends it; `false` if another process holds the lease.
async fn claim_and_send(app: App, mailer: Arc<OutboxMailer>, due: DueMail) -> Result<bool, Error> {
    let Some(mail) = app::mail::lease_mail(&app, due, LEASE).await? else { return Ok(false) };
    let sending = mailer.send(&mail);
    let result = tokio::time::timeout(SEND_TIMEOUT, sending)
        .await
        .unwrap_or_else(|_| Err(SendFailure::from_timeout()));
    match result {
        Ok(()) => {
            metrics::counter!("amparo_mails_total", "result" => "sent").increment(1);
            app::mail::record_sent_mail(&app, mail).await?;
        }
        Err(failure) => record_failure(&app, mail, &failure).await?,
    }
    Ok(true)
}

async fn record_failure(app: &App, mail: LeasedMail, failure: &SendFailure) -> Result<(), Error> {
    let wait = schedule::compute_retry_wait(mail.tries).filter(|_| !failure.is_permanent);
    let cause = shorten_cause(&failure.cause);
    let (tenant, code, tries) = (mail.tenant, mail.code, mail.tries);
    match wait {
        Some(_) => {
            metrics::counter!("amparo_mails_total", "result" => "failed").increment(1);
            tracing::warn!(%tenant, %code, tries, why = failure.log_summary(), "mail could not be sent; it will be retried");
        }
        None => {
            metrics::counter!("amparo_mails_total", "result" => "given_up").increment(1);
            tracing::error!(%tenant, %code, tries, why = failure.log_summary(), "mail could not be sent; retries are exhausted");
        }
    }
    app::mail::record_failed_mail(app, mail, cause, wait).await.map(drop)
}

/// Replaces control characters, so that the cause stays on one line, and truncates it.
fn shorten_cause(cause: &str) -> String {
    cause.chars().map(|c| if c.is_control() { ' ' } else { c }).take(FAILURE_CHARACTERS).collect()
}

impl OutboxMailer {
    async fn send(&self, mail: &LeasedMail) -> Result<(), SendFailure> {
        let message = message::build_message(&self.sender, mail).map_err(SendFailure::new_permanent)?;
        self.transport.send(&message, mail).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_kept_short_and_on_one_line() {
        assert_eq!(shorten_cause("a\r\nb"), "a  b");
        assert_eq!(shorten_cause(&"é".repeat(500)).chars().count(), 200);
    }
}
