//! Counting failed logins, by account and by address, where every process sees the count. Whoever validates benefits
//! without a credential is counted beside them (`crate::validations`).

use super::login_audit::{self, LoginTarget};
use crate::server_key::encode_hex;
use crate::{App, Error};
use domain::{CallerAddress, Moment, TenantId, UserCode};
use sha2::{Digest, Sha256};
use std::time::Duration;
use storage::access::logins::{self, LoginFailureCount};
use storage::{Tx, WriteLane};

/// How many failures are let pass in a window of time.
#[derive(Clone, Copy, Debug)]
pub struct Throttle {
    pub by_account: u32,
    pub by_address: u32,
    /// Validations without a credential that found nothing, of one address.
    pub misses: u32,
    /// All of them, also those that found something.
    pub lookups: u32,
    /// Those that name one record, of all addresses together.
    pub record_lookups: u32,
    /// Those that give a document of nobody, of a whole association and all addresses together.
    pub document_misses: u32,
    pub window: Duration,
}

impl Default for Throttle {
    fn default() -> Throttle {
        let window = Duration::from_secs(15 * 60);
        Throttle {
            by_account: 10,
            by_address: 50,
            misses: 20,
            lookups: 200,
            record_lookups: 60,
            document_misses: 300,
            window,
        }
    }
}

/// What the failures of one attempt are counted under.
pub(super) struct FailureSubjects {
    account: String,
    address: String,
}

impl FailureSubjects {
    /// Whatever was typed as a login has an account's count, so that having one says nothing about existing.
    pub fn for_login(login: &str, address: CallerAddress) -> FailureSubjects {
        let account = format!("account {}", encode_hex(&Sha256::digest(login.as_bytes())[..16]));
        FailureSubjects { account, address: format!("address {address}") }
    }

    /// The count of wrong codes is one of its own, and binds every address: whoever is counted here has the password,
    /// and nobody without it can keep the owner out.
    pub fn for_codes(tenant: TenantId, user: UserCode, address: CallerAddress) -> FailureSubjects {
        FailureSubjects { account: format!("codes {tenant} {user}"), address: format!("address {address}") }
    }

    fn names(&self) -> [&str; 2] {
        [&self.account, &self.address]
    }
}

impl Throttle {
    /// Refuses an attempt that too many failures came before. The account's count does not bind an address from which
    /// it was entered correctly.
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

    /// How long whoever failed too often has to wait.
    pub(crate) fn remaining_wait(
        &self,
        failures: Option<LoginFailureCount>,
        most: u32,
        now: Moment,
    ) -> Option<Duration> {
        let failures = failures.filter(|failures| failures.count >= i64::from(most))?;
        Some(failures.since.plus(self.window).duration_since(now))
    }

    /// Counts a failure, before the next attempt can be made in its place.
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
