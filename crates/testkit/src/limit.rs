//! A test that never ends is told by name, and ends the process: what waits for it would wait for ever.

use std::io::Write;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// Watches over a test until it is dropped.
pub struct Limit {
    _ended: Sender<()>,
}

impl Limit {
    pub fn start(name: &'static str) -> Limit {
        let minutes = std::env::var("AMPARO_TEST_MINUTES").map_or(15, |text| text.parse().unwrap());
        let (ended, end) = channel::<()>();
        std::thread::spawn(move || {
            if end.recv_timeout(Duration::from_secs(60 * minutes)) == Err(RecvTimeoutError::Timeout) {
                // Not `eprintln!`: what a test prints is kept until it ends.
                let _ = writeln!(std::io::stderr(), "\n{name} has not ended after {minutes} minutes");
                std::process::exit(101);
            }
        });
        Limit { _ended: ended }
    }
}
