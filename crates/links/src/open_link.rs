//! Opens a link: somebody without a credential gets a document.
//!
//! Tokens must not be found by guessing, although 160 random bits need no help. Openings are counted per address in this
//! process, and an opening writes nothing but the access log: those with an unknown token under a narrow limit
//! (`access.link_misses`), all of them under a wide one (`access.link_openings`), since messengers fetch the links of many
//! people from few addresses. An expired or revoked token is no guess: whole towns share an address of a mobile network.

use crate::LinkedSubject;
use app::audit::access_log::record_anonymous_access;
use app::members::validation::quota::{LookupSubject, reserve_lookup};
use app::{App, Error};
use domain::{AuditedOperation, CallerAddress, LinkToken, Moment};
use storage::document_links::{DocumentLink, find_link};
use storage::history::access_log::AccessActor;

/// What became of an opening. Whoever opens learns of all but the first only that there is nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkOpeningOutcome {
    /// The access is logged; the document may be shown.
    Open(LinkedSubject),
    Unknown,
    Expired,
    Revoked,
}

/// Opens the link of a token for somebody at this address, or says how long to wait ([`Error::TooManyLookups`]).
#[boxed::future]
pub async fn open_link(app: &App, token: &str, address: CallerAddress) -> Result<LinkOpeningOutcome, Error> {
    // Not counted: it costs nothing, and a messenger may have cut it off.
    let Some(token) = LinkToken::parse(token) else { return Ok(LinkOpeningOutcome::Unknown) };
    reserve_lookup(app, LookupSubject::LinkOpenings(address), app.throttle.link_openings)?;
    // Only looks whether there is room: openings at the same moment must not take it from each other.
    let reserve_miss = || reserve_lookup(app, LookupSubject::LinkMisses(address), app.throttle.link_misses);
    reserve_miss()?.release();
    let Some(link) = find_link(&app.db, &token).await? else {
        let _counted = reserve_miss();
        return Ok(LinkOpeningOutcome::Unknown);
    };
    let outcome = judge_link(&link, app.now());
    if let LinkOpeningOutcome::Open(LinkedSubject { tenant, person: Some(person), .. }) = outcome {
        let actor = AccessActor { user: None, address: Some(address) };
        record_anonymous_access(app, (tenant, actor), AuditedOperation::OpenDocumentLink, person)?;
    }
    Ok(outcome)
}

fn judge_link(link: &DocumentLink, now: Moment) -> LinkOpeningOutcome {
    if link.revoked_at.is_some() {
        return LinkOpeningOutcome::Revoked;
    }
    if link.expires_at <= now {
        return LinkOpeningOutcome::Expired;
    }
    LinkOpeningOutcome::Open(LinkedSubject {
        tenant: link.token.tenant(),
        purpose: link.purpose,
        code: link.subject,
        person: link.person,
    })
}
