//! What time makes useless, removed a few rows at a time so that nobody waits long behind it.

use crate::{Error, Statement, Tx, sql};
use domain::{Moment, TenantId};

/// What is swept. Each looks only at rows of one tenant that are older than a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sweep {
    ExpiredTokens,
    ExpiredResets,
    /// Those who never gave the code that they owed.
    ExpiredEntrances,
    IdempotencyKeys,
    /// The bodies of sent mail; that it was sent stays known.
    SentMailBodies,
    Attempts,
    /// Addresses from which an account was not entered for long.
    KnownAddresses,
    LoginFailures,
}

impl Sweep {
    pub const ALL: &[Sweep] = &[
        Sweep::ExpiredTokens,
        Sweep::ExpiredResets,
        Sweep::ExpiredEntrances,
        Sweep::IdempotencyKeys,
        Sweep::SentMailBodies,
        Sweep::Attempts,
        Sweep::KnownAddresses,
        Sweep::LoginFailures,
    ];

    /// For logs and metrics.
    pub fn name(self) -> &'static str {
        match self {
            Sweep::ExpiredTokens => "expired_tokens",
            Sweep::ExpiredResets => "expired_resets",
            Sweep::ExpiredEntrances => "expired_entrances",
            Sweep::IdempotencyKeys => "idempotency_keys",
            Sweep::SentMailBodies => "sent_mail_bodies",
            Sweep::Attempts => "attempts",
            Sweep::KnownAddresses => "known_addresses",
            Sweep::LoginFailures => "login_failures",
        }
    }

    fn statement(self) -> Statement {
        match self {
            Sweep::ExpiredTokens => sql("DELETE FROM tokens WHERE tenant = $1 AND hash IN
                 (SELECT hash FROM tokens WHERE tenant = $1 AND expires_at < $2 ORDER BY expires_at, hash LIMIT $3)"),
            Sweep::ExpiredResets => sql("DELETE FROM password_resets WHERE tenant = $1 AND hash IN
                 (SELECT hash FROM password_resets WHERE tenant = $1 AND expires_at < $2
                  ORDER BY expires_at, hash LIMIT $3)"),
            Sweep::ExpiredEntrances => sql("DELETE FROM entrances WHERE tenant = $1 AND hash IN
                 (SELECT hash FROM entrances WHERE tenant = $1 AND expires_at < $2 ORDER BY expires_at, hash LIMIT $3)"),
            Sweep::IdempotencyKeys => sql("DELETE FROM idempotency_keys WHERE tenant = $1
                 AND (user_code, operation, key) IN
                 (SELECT user_code, operation, key FROM idempotency_keys WHERE tenant = $1 AND created_at < $2
                  ORDER BY created_at, user_code, operation, key LIMIT $3)"),
            Sweep::SentMailBodies => sql("UPDATE mails SET text_body = NULL, html_body = NULL
                 WHERE tenant = $1 AND code IN
                 (SELECT code FROM mails WHERE tenant = $1 AND sent_at < $2 AND text_body IS NOT NULL
                  ORDER BY sent_at, code LIMIT $3)"),
            Sweep::Attempts => sql("DELETE FROM attempts WHERE tenant = $1 AND (receiver, history_code, number) IN
                 (SELECT receiver, history_code, number FROM attempts WHERE tenant = $1 AND tried_at < $2
                  ORDER BY tried_at, receiver, history_code, number LIMIT $3)"),
            Sweep::KnownAddresses => sql("DELETE FROM known_addresses WHERE tenant = $1 AND (user_code, address) IN
                 (SELECT user_code, address FROM known_addresses WHERE tenant = $1 AND seen_at < $2
                  ORDER BY seen_at, user_code, address LIMIT $3)"),
            Sweep::LoginFailures => sql("DELETE FROM login_failures WHERE tenant = $1 AND subject IN
                 (SELECT subject FROM login_failures WHERE tenant = $1 AND since < $2
                  ORDER BY since, subject LIMIT $3)"),
        }
    }
}

/// Sweeps at most `limit` rows of a tenant; says how many there were.
pub async fn sweep(
    tx: &mut Tx,
    sweep: Sweep,
    tenant: TenantId,
    before: Moment,
    limit: i64,
) -> Result<u64, Error> {
    tx.execute(sweep.statement().arg(tenant).arg(before).arg(limit)).await
}
