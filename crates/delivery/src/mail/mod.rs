//! Mail delivery: lists due mails, leases and sends each one, and records the outcome. If a process dies between
//! sending and recording, its lease expires and another process resends the mail with the same `Message-ID`.

mod message;
mod schedule;
mod transport;

pub use message::SenderAddress;
pub use transport::{InvalidSmtpUrl, MailTransport, SmtpServer};

use app::{App, Error};
use std::sync::Arc;
use std::time::Duration;
use storage::server::mails::{DueMail, LeasedMail};
use tokio::task::{JoinError, JoinSet};
use tokio::time::MissedTickBehavior;
use transport::SendFailure;

/// Due mails read per query.
const BATCH: i64 = 32;
/// Mails sent concurrently. Kept low so that the mail server is not flooded.
const AT_ONCE: usize = 4;
/// Timeout for sending one mail.
const LONGEST: Duration = Duration::from_secs(60);
/// Lease duration: longer than `LONGEST`, with time left to record the outcome.
const LEASE: Duration = Duration::from_secs(120);
/// Stored failure messages are cut to this length.
const FAILURE_CHARACTERS: usize = 200;

/// The sender address and the transport.
pub struct OutboxMailer {
    pub sender: SenderAddress,
    pub transport: MailTransport,
}

/// Sends due mails in an endless loop. Cancel-safe.
#[boxed::future]
pub async fn run_mail_delivery(app: App, post: OutboxMailer, every: Duration) {
    if let MailTransport::Folder(folder) = &post.transport {
        tracing::info!(folder = %folder.display(), "no mail server: mails become files");
    }
    let post = Arc::new(post);
    let mut ticks = tokio::time::interval(every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        if let Err(error) = send_due_mails(&app, &post).await {
            tracing::warn!(%error, "mail could not be looked after; it is tried again");
        }
    }
}

/// Sends every mail that is due now. Returns how many were leased, whatever their outcome.
#[boxed::future]
pub async fn send_due_mails(app: &App, post: &Arc<OutboxMailer>) -> Result<usize, Error> {
    let mut claimed = 0;
    loop {
        let due = app::mail::list_due_mail(app, BATCH).await?;
        let mut fresh = 0;
        let mut tasks = JoinSet::new();
        for one in due {
            if tasks.len() >= AT_ONCE {
                fresh += tasks.join_next().await.map_or(0, count_send_result);
            }
            tasks.spawn(claim_and_send(app.clone(), Arc::clone(post), one));
        }
        while let Some(result) = tasks.join_next().await {
            fresh += count_send_result(result);
        }
        claimed += fresh;
        // Another process leased all of them, or none was due.
        if fresh == 0 {
            return Ok(claimed);
        }
    }
}

/// One failure does not stop the others; the mail is due again when its lease expires.
fn count_send_result(result: Result<Result<bool, Error>, JoinError>) -> usize {
    match result {
        Ok(Ok(was_leased)) => usize::from(was_leased),
        Ok(Err(error)) => {
            tracing::warn!(%error, "what became of a mail could not be recorded");
            0
        }
        Err(error) => {
            tracing::error!(%error, "sending a mail panicked");
            0
        }
    }
}

/// Leases one mail and sends it; `false` if another process holds the lease.
async fn claim_and_send(app: App, post: Arc<OutboxMailer>, due: DueMail) -> Result<bool, Error> {
    let Some(mail) = app::mail::lease_mail(&app, due, LEASE).await? else { return Ok(false) };
    let sending = post.send(&mail);
    let result =
        tokio::time::timeout(LONGEST, sending).await.unwrap_or_else(|_| Err(SendFailure::from_timeout()));
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
            tracing::warn!(%tenant, %code, tries, why = failure.log_summary(), "a mail did not go; it is tried again");
        }
        None => {
            metrics::counter!("amparo_mails_total", "result" => "given_up").increment(1);
            tracing::error!(%tenant, %code, tries, why = failure.log_summary(), "a mail was given up");
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
