//! The log of accesses to personal data.

pub mod access_log;
