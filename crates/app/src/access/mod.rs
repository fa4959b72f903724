//! Logins and accounts. A caller logs in once with user name and password (`login.rs`) and gets a token valid for 12
//! hours; each further request presents it and is turned into a session (`crate::session`).
//!
//! Guarantees: an ended token is refused at once by the process that ended it, and within two seconds by every other
//! (`crate::cache`). A user with a second factor gets no console token for a password alone (`login_code.rs`). A
//! program's token never opens the console, and reaches only `/ext` if its owner has a second factor and gave no code.
//! Idle console sessions expire. Every event is audited (`login_audit.rs`). A known and an unknown user cost the same
//! time. Failures are counted by account and by address (`throttle.rs`); failures elsewhere cannot lock users out of
//! an address from which they logged in before.

pub mod password_hash;
pub mod password_reset;
pub(crate) mod request_limit;
pub mod second_factor;
pub mod sessions;
pub mod users;

mod login;
mod login_audit;
mod login_code;
mod throttle;

pub use login::{
    CHALLENGE_LIFETIME, CallerOrigin, SignInGrant, SignInOutcome, log_in_program, log_in_program_from,
    log_in_with_code,
};
pub(crate) use login::{RememberedLogins, SignInPurpose, sign_in_for_purpose};
pub use login_audit::LoginTrail;
pub(crate) use login_audit::flush_login_trail;
pub use login_code::{SignInCodeOutcome, has_open_challenge, submit_sign_in_code};
pub(crate) use login_code::{check_code, find_factor_secret, locate_factor_secret};
pub use throttle::{KNOWN_FOR, Throttle};

use std::time::Duration;

/// Default idle timeout of a console session (`access.console_idle`): the value NIST SP 800-63B gives for two-factor
/// logins.
pub const IDLE_LIMIT: Duration = Duration::from_hours(1);
