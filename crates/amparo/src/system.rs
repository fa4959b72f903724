//! The one place where the machine's clock and its randomness are read. Everything else is given them.
#![allow(clippy::disallowed_methods, reason = "this is the replacement that the lint names")]

use domain::{Chance, Clock, Moment};

pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Moment {
        Moment::from_millis(jiff::Timestamp::now().as_millisecond())
    }
}

pub struct SystemChance;

impl Chance for SystemChance {
    fn fill(&self, bytes: &mut [u8]) {
        // Without randomness no secret is safe; there is nothing sensible to go on with.
        getrandom::fill(bytes).expect("the operating system gives random bytes");
    }
}
