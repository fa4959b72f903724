//! Mirrors a base of another server that speaks the interface: reads everything that its operations let one read, politely,
//! and has it written here with the same codes (`app::mirroring`).
//!
//! A run goes through phases ([`run_mirror`]), each of which may be cut off and gone on with: the registers; the list of benefits,
//! which is kept aside; the member search, in whose order members and benefits are written, each put together with what the
//! list told; then what hangs on each benefit and each member; leads and deals; events. A repeated run asks the search for
//! what changed since the last one that came to its end. What changes while it is read comes with the next run.
//!
//! Odd data never ends a run: what cannot be taken over is noted (`lenient`), and told at its end ([`MirrorRunReport`]).

mod claims;
mod client;
mod details;
mod lenient;
mod lists;
mod members;
mod missing;
mod report;
mod run;
mod sales;

pub use client::{RequestPace, SleepFunction, build_runtime_sleep};
pub use report::{MirrorRunReport, NOT_OFFERED};
pub use run::{MirrorError, MirrorOptions, ProgressUpdate, run_mirror};
