//! The browser that sends a request: its cookies, the signed-in user, and the notice that one page leaves for the next.

pub(crate) mod colour_theme;
pub(crate) mod cookies;
pub(crate) mod notice;
pub(crate) mod signed_in_user;
pub(crate) mod undo_form;
