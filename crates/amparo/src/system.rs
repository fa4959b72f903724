//! The only place that reads the system clock and randomness, and sets the process limits. All other code gets them as
//! arguments.
#![allow(clippy::disallowed_methods, reason = "this is the replacement that the lint names")]

use domain::{Clock, Moment, RandomSource};
use rustix::process::{DumpableBehavior, Resource, Rlimit, getrlimit, set_dumpable_behavior, setrlimit};

pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Moment {
        Moment::from_millis(jiff::Timestamp::now().as_millisecond())
    }
}

pub struct SystemRandomSource;

impl RandomSource for SystemRandomSource {
    fn fill(&self, bytes: &mut [u8]) {
        // Without randomness no secret is safe, so the process cannot continue.
        getrandom::fill(bytes).expect("the operating system gives random bytes");
    }
}

/// Keeps memory (keys, passwords, personal data) out of core dumps and unreadable for other processes of the same user.
/// If the system refuses, the process continues.
pub fn protect_memory() {
    let none = Rlimit { current: Some(0), maximum: Some(0) };
    let _ = setrlimit(Resource::Core, none);
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
}

/// The limit of open files and connections; `None` if there is none.
pub fn read_open_files_limit() -> Option<u64> {
    getrlimit(Resource::Nofile).maximum
}

/// Raises the soft limit of open files to the hard limit: the usual default is too low for a server.
pub fn raise_open_files_limit() {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_protected_process_cannot_be_read_or_dumped() {
        protect_memory();
        assert_eq!(rustix::process::dumpable_behavior().unwrap(), DumpableBehavior::NotDumpable);
        assert_eq!(getrlimit(Resource::Core).maximum, Some(0));
    }
}
