//! Mirrors a tenant of another server with the same API: reads everything that the API exposes, at a limited pace, and
//! writes it here with the same codes (`exchange::mirror_store`).
//!
//! A run has phases ([`run_mirror`]), each of which can be interrupted and continued: the registers; the benefit list,
//! which is staged; the member search, in whose order members and benefits are written, merged with the staged list;
//! the details of each benefit and member; leads and deals; claims; open titles. A later run asks the search for changes since the
//! last completed run. Changes made during a run are picked up by the next one.
//!
//! Odd data never aborts a run: what cannot be taken over is noted (`lenient`) and reported at the end
//! ([`MirrorRunReport`]).

mod claims;
mod client;
mod details;
mod lenient;
mod lists;
mod members;
mod report;
mod run;
mod sales;
mod titles;
mod unregistered_references;

pub use client::{RequestPace, SleepFunction, build_runtime_sleep};
pub use report::{MirrorRunReport, NOT_MIRRORED, UncarriedTitleCounts};
pub use run::{MirrorError, MirrorOptions, ProgressUpdate, run_mirror};
