//! Links that open a document without a credential: a slip is handed to a messenger, which fetches it.
//!
//! What makes a document creates its link in the batch that writes it ([`create_link`], [`insert_links`]), reads the tokens
//! of a list ([`list_link_tokens`]), and makes addresses of them ([`LinkAddressBase`]). `api` opens a link
//! ([`open_link`]) and renders what it leads to.
//!
//! # Adding a purpose
//! A member of [`domain::LinkPurpose`], its words in `wire::audit`, who may revoke it in `revoke_links.rs`, and its
//! renderer in `api/src/document_links.rs`.

mod create_link;
mod link_address;
mod open_link;
mod revoke_links;

pub use create_link::{LinkedSubject, create_link};
pub use link_address::LinkAddressBase;
pub use open_link::{LinkOpeningOutcome, open_link};
pub use revoke_links::{LinkRevocationRequest, revoke_links};
pub use storage::document_links::{
    DocumentLink, insert_links, list_link_tokens, list_links_of_subject, revoke_links_of_subject,
};
