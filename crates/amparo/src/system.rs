//! The one place where the machine's clock and its randomness are read, and where the process sets its own limits. Everything
//! else is given them.
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
        // Without randomness no secret is safe; there is nothing sensible to go on with.
        getrandom::fill(bytes).expect("the operating system gives random bytes");
    }
}

/// Keeps what is in memory (keys, passwords, people's data) out of core dumps, and other processes of the same user from
/// reading it. Where the system refuses, the process goes on as before.
pub fn protect_memory() {
    let none = Rlimit { current: Some(0), maximum: Some(0) };
    let _ = setrlimit(Resource::Core, none);
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
}

/// How many files and connections the process may have open; `None` where there is no limit.
pub fn read_open_files_limit() -> Option<u64> {
    getrlimit(Resource::Nofile).maximum
}

/// Takes as many open files as the system lets the process have: the usual first limit is for programs of long ago.
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
