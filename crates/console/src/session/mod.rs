//! Signing in and out, second factor, password reset, first set-up.

pub(crate) mod cookies;
pub(crate) mod foreign_site;
pub(crate) mod parameters;
pub(crate) mod password_reset;
pub(crate) mod redirect;
pub(crate) mod second_factor;
pub(crate) mod setup;
pub(crate) mod sign_in;
pub(crate) mod signed_in_user;
