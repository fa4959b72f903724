//! What handlers read from a request (forms, uploads, parameters), and answers that need no page: redirects, refusals.

pub(crate) mod foreign_site;
pub(crate) mod form;
pub(crate) mod parameters;
pub(crate) mod redirect;
pub(crate) mod refusal;
pub(crate) mod security_headers;
pub(crate) mod upload;
