//! Users, tokens, failed logins, second factors and password resets.

pub mod logins;
pub mod password_resets;
pub mod second_factors;
pub mod tokens;
pub mod users;
