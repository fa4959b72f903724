//! A new link, for the batch that writes its document.

use app::App;
use domain::{LinkPurpose, LinkToken, Moment, PersonCode, TenantId, UserCode};
use storage::document_links::DocumentLink;

/// What a link leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkedSubject {
    pub tenant: TenantId,
    pub purpose: LinkPurpose,
    /// The code of the document, among those of its purpose.
    pub code: i32,
    /// Whose document it is. Without a person, an opening is not logged.
    pub person: Option<PersonCode>,
}

/// Draws the token of a link, which opens before `expires_at`; nothing is stored. `user` is who has the document made, and
/// `None` for the server itself.
pub fn create_link(
    app: &App,
    subject: LinkedSubject,
    expires_at: Moment,
    (user, now): (Option<UserCode>, Moment),
) -> DocumentLink {
    DocumentLink {
        token: LinkToken::draw(subject.tenant, &*app.random_source),
        purpose: subject.purpose,
        subject: subject.code,
        person: subject.person,
        expires_at,
        revoked_at: None,
        user,
        created_at: now,
    }
}
