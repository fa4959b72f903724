//! Counts of failed logins by account and by address, shared by all processes. Benefit validations without a
//! credential are counted here too (`crate::members::validation`).

use super::login_audit::{self, LoginTarget};
use crate::{App, Error};
use domain::{CallerAddress, Moment, TenantId, UserCode, encode_hex};
use sha2::{Digest, Sha256};
use std::time::Duration;
use storage::access::logins::{self, LoginFailureCount};
use storage::{Tx, WriteLane};

/// How long an address stays known for an account after a successful login.
pub const KNOWN_FOR: Duration = Duration::from_hours(720);

/// Whether the account logged in successfully from this address within [`KNOWN_FOR`].
pub(super) fn is_known_address(known_since: Option<Moment>, now: Moment) -> bool {
    known_since.is_some_and(|since| since > now.minus(KNOWN_FOR))
}

/// Limits per time window.
#[derive(Clone, Copy, Debug)]
pub struct Throttle {
    /// Failed logins of an account (`access.account_failures`).
    pub by_account: u32,
    /// Failed logins of an address (`access.address_failures`).
    pub by_address: u32,
    /// Validations without a credential that found nothing, per address (`access.validation_misses`).
    pub misses: u32,
    /// All validations without a credential, per address (`access.validation_lookups`).
    pub lookups: u32,
    /// Validations without a credential that name the same record, over all addresses
    /// (`access.validation_record_lookups`).
    pub record_lookups: u32,
    /// Validations without a credential with an unknown document, per association over all addresses
    /// (`access.validation_document_misses`).
    pub document_misses: u32,
    /// Openings of document links with an unknown token, per address (`access.link_misses`).
    pub link_misses: u32,
    /// All openings of document links, per address (`access.link_openings`).
    pub link_openings: u32,
    /// `access.failure_window`.
    pub window: Duration,
}

impl Default for Throttle {
    fn default() -> Throttle {
        let window = Duration::from_mins(15);
        Throttle {
            by_account: 10,
            by_address: 50,
            misses: 20,
            lookups: 200,
            record_lookups: 60,
            document_misses: 300,
            link_misses: 60,
            link_openings: 20_000,
            window,
        }
    }
}

/// The counters of one attempt.
pub(super) struct FailureSubjects {
    account: String,
    address: String,
}

impl FailureSubjects {
    /// Any user name gets a counter, so that a counter does not reveal whether the account exists.
    pub fn for_login(login: &str, address: CallerAddress) -> FailureSubjects {
        let account = format!("account {}", encode_hex(&Sha256::digest(login.as_bytes())[..16]));
        FailureSubjects { account, address: format!("address {address}") }
    }

    /// Wrong codes have a separate counter that applies to every address: only someone with the password can raise it,
    /// so it cannot be used to lock the owner out.
    pub fn for_codes(tenant: TenantId, user: UserCode, address: CallerAddress) -> FailureSubjects {
        FailureSubjects { account: format!("codes {tenant} {user}"), address: format!("address {address}") }
    }

    fn names(&self) -> [&str; 2] {
        [&self.account, &self.address]
    }
}

impl Throttle {
    /// Rejects an attempt after too many failures. The account counter does not apply to an address from which the
    /// account logged in successfully.
    pub(super) async fn check(
        &self,
        app: &App,
        subjects: &FailureSubjects,
        now: Moment,
        (address_is_known, target): (bool, &LoginTarget),
    ) -> Result<(), Error> {
        let [account, address] =
            logins::list_login_failures(&app.db, subjects.names(), now.minus(self.window)).await?;
        let account = account.filter(|_| !address_is_known);
        let counted = [
            (subjects.account.as_str(), account, self.by_account),
            (subjects.address.as_str(), address, self.by_address),
        ];
        let waits = counted.into_iter().filter_map(|(subject, failures, most)| {
            let wait = self.remaining_wait(failures, most, now)?;
            failures.map(|failures| (wait, subject, failures.since))
        });
        match waits.max() {
            Some((wait, subject, since)) => {
                login_audit::record_throttled_login(app, target, (subject, since));
                Err(Error::TooManyFailures(wait))
            }
            None => Ok(()),
        }
    }

    /// How long the caller must wait; `None` below the limit.
    pub(crate) fn remaining_wait(
        &self,
        failures: Option<LoginFailureCount>,
        most: u32,
        now: Moment,
    ) -> Option<Duration> {
        let failures = failures.filter(|failures| failures.count >= i64::from(most))?;
        Some(failures.since.plus(self.window).duration_since(now))
    }

    /// Counts a failure before the next attempt can start.
    pub(super) async fn count(&self, app: &App, subjects: FailureSubjects, now: Moment) -> Result<(), Error> {
        let input = (subjects, now, now.minus(self.window));
        let lane = WriteLane::foreground(TenantId::SERVER);
        app.db.write(lane, input, |tx, input| Box::pin(count_login_failure(tx, input))).await
    }
}

async fn count_login_failure(
    tx: &mut Tx,
    (subjects, now, after): &(FailureSubjects, Moment, Moment),
) -> Result<(), Error> {
    Ok(logins::record_login_failure(tx, subjects.names(), *now, *after).await?)
}
