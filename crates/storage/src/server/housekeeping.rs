//! Deletes expired data a few rows at a time, so that other units of work do not wait long.

use crate::{Error, Statement, Tx, sql};
use domain::{Moment, TenantId};

/// What to delete: always rows of one tenant that are older than a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SweepTarget {
    ExpiredTokens,
    ExpiredResets,
    /// Sign-ins that never received their second factor.
    ExpiredEntrances,
    ExpiredLinks,
    IdempotencyKeys,
    /// The bodies of sent mails; the record of the mail stays.
    SentMailBodies,
    Attempts,
    /// Addresses without a recent sign-in.
    KnownAddresses,
    LoginFailures,
    /// The cells, problems and results of imports that can no longer be undone.
    ImportLines,
    ImportProblems,
    ImportResults,
    /// Imports whose file was never read completely.
    CutOffImports,
}

impl SweepTarget {
    pub const ALL: &[SweepTarget] = &[
        SweepTarget::ExpiredTokens,
        SweepTarget::ExpiredResets,
        SweepTarget::ExpiredEntrances,
        SweepTarget::ExpiredLinks,
        SweepTarget::IdempotencyKeys,
        SweepTarget::SentMailBodies,
        SweepTarget::Attempts,
        SweepTarget::KnownAddresses,
        SweepTarget::LoginFailures,
        SweepTarget::ImportLines,
        SweepTarget::ImportProblems,
        SweepTarget::ImportResults,
        SweepTarget::CutOffImports,
    ];

    /// For logs and metrics.
    pub fn name(self) -> &'static str {
        match self {
            SweepTarget::ExpiredTokens => "expired_tokens",
            SweepTarget::ExpiredResets => "expired_resets",
            SweepTarget::ExpiredEntrances => "expired_entrances",
            SweepTarget::ExpiredLinks => "expired_links",
            SweepTarget::IdempotencyKeys => "idempotency_keys",
            SweepTarget::SentMailBodies => "sent_mail_bodies",
            SweepTarget::Attempts => "attempts",
            SweepTarget::KnownAddresses => "known_addresses",
            SweepTarget::LoginFailures => "login_failures",
            SweepTarget::ImportLines => "import_lines",
            SweepTarget::ImportProblems => "import_problems",
            SweepTarget::ImportResults => "import_results",
            SweepTarget::CutOffImports => "cut_off_imports",
        }
    }

    fn to_statement(self) -> Statement {
        match self {
            SweepTarget::ExpiredTokens => sql("DELETE FROM tokens WHERE tenant = $1 AND hash IN
                 (SELECT hash FROM tokens WHERE tenant = $1 AND expires_at < $2 ORDER BY expires_at, hash LIMIT $3)"),
            SweepTarget::ExpiredResets => sql("DELETE FROM password_resets WHERE tenant = $1 AND hash IN
                 (SELECT hash FROM password_resets WHERE tenant = $1 AND expires_at < $2
                  ORDER BY expires_at, hash LIMIT $3)"),
            SweepTarget::ExpiredEntrances => sql("DELETE FROM entrances WHERE tenant = $1 AND hash IN
                 (SELECT hash FROM entrances WHERE tenant = $1 AND expires_at < $2 ORDER BY expires_at, hash LIMIT $3)"),
            SweepTarget::ExpiredLinks => sql("DELETE FROM document_links WHERE tenant = $1 AND token IN
                 (SELECT token FROM document_links WHERE tenant = $1 AND expires_at < $2
                  ORDER BY expires_at, token LIMIT $3)"),
            SweepTarget::IdempotencyKeys => sql("DELETE FROM idempotency_keys WHERE tenant = $1
                 AND (user_code, operation, key) IN
                 (SELECT user_code, operation, key FROM idempotency_keys WHERE tenant = $1 AND created_at < $2
                  ORDER BY created_at, user_code, operation, key LIMIT $3)"),
            SweepTarget::SentMailBodies => sql("UPDATE mails SET text_body = NULL, html_body = NULL
                 WHERE tenant = $1 AND code IN
                 (SELECT code FROM mails WHERE tenant = $1 AND sent_at < $2 AND text_body IS NOT NULL
                  ORDER BY sent_at, code LIMIT $3)"),
            SweepTarget::Attempts => sql("DELETE FROM attempts WHERE tenant = $1 AND (receiver, history_code, number) IN
                 (SELECT receiver, history_code, number FROM attempts WHERE tenant = $1 AND tried_at < $2
                  ORDER BY tried_at, receiver, history_code, number LIMIT $3)"),
            SweepTarget::KnownAddresses => sql("DELETE FROM known_addresses WHERE tenant = $1 AND (user_code, address) IN
                 (SELECT user_code, address FROM known_addresses WHERE tenant = $1 AND seen_at < $2
                  ORDER BY seen_at, user_code, address LIMIT $3)"),
            SweepTarget::LoginFailures => sql("DELETE FROM login_failures WHERE tenant = $1 AND subject IN
                 (SELECT subject FROM login_failures WHERE tenant = $1 AND since < $2
                  ORDER BY since, subject LIMIT $3)"),
            // Imports with work in progress (states 3, 5, 6, 8) are kept.
            SweepTarget::ImportLines => sql("DELETE FROM import_lines WHERE tenant = $1 AND (import, line) IN
                 (SELECT l.import, l.line FROM imports i JOIN import_lines l ON l.tenant = i.tenant AND l.import = i.code
                  WHERE i.tenant = $1 AND i.updated_at < $2 AND i.state NOT IN (3, 5, 6, 8)
                  ORDER BY l.import, l.line LIMIT $3)"),
            SweepTarget::ImportProblems => sql("DELETE FROM import_problems WHERE tenant = $1 AND (import, line, number) IN
                 (SELECT p.import, p.line, p.number FROM imports i
                  JOIN import_problems p ON p.tenant = i.tenant AND p.import = i.code
                  WHERE i.tenant = $1 AND i.updated_at < $2 AND i.state NOT IN (3, 5, 6, 8)
                  ORDER BY p.import, p.line, p.number LIMIT $3)"),
            SweepTarget::ImportResults => sql("DELETE FROM import_results WHERE tenant = $1 AND (import, line) IN
                 (SELECT r.import, r.line FROM imports i
                  JOIN import_results r ON r.tenant = i.tenant AND r.import = i.code
                  WHERE i.tenant = $1 AND i.updated_at < $2 AND i.state NOT IN (3, 5, 6, 8)
                  ORDER BY r.import, r.line LIMIT $3)"),
            SweepTarget::CutOffImports => sql("DELETE FROM imports WHERE tenant = $1 AND code IN
                 (SELECT i.code FROM imports i WHERE i.tenant = $1 AND i.state = 1 AND i.updated_at < $2
                  AND NOT EXISTS (SELECT 1 FROM import_lines l WHERE l.tenant = i.tenant AND l.import = i.code)
                  ORDER BY i.code LIMIT $3)"),
        }
    }
}

/// Deletes at most `limit` rows of a tenant; returns how many.
#[boxed::future]
pub async fn sweep_expired_rows(
    tx: &mut Tx,
    sweep: SweepTarget,
    tenant: TenantId,
    before: Moment,
    limit: i64,
) -> Result<u64, Error> {
    tx.execute(sweep.to_statement().arg(tenant).arg(before).arg(limit)).await
}
