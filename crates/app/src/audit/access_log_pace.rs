//! How often the buffer of accesses is written: every `access.audit_interval`, or up to twenty times as late while many
//! wait.

use super::access_log::flush_access_log;
use crate::{App, Error};

/// Above this size, waiting a little merges many accesses into one row.
const MERGED_WRITE_BYTES: usize = 16 << 10;
/// How many turns a write may be delayed.
const LONGEST_DELAY_TURNS: u32 = 20;

/// Decides on each turn whether to write the buffer. A few accesses are written at once; many are collected for some
/// turns, because those to the same people then share rows.
#[derive(Default)]
pub struct AccessLogPacer {
    waited: u32,
}

impl AccessLogPacer {
    /// Takes a turn: writes the buffer or waits.
    #[boxed::future]
    pub async fn flush_when_due(&mut self, app: &App) -> Result<(), Error> {
        self.waited += 1;
        let is_worth_waiting = app.access_log.bytes() > MERGED_WRITE_BYTES && !app.access_log.is_half_full();
        if is_worth_waiting && self.waited < LONGEST_DELAY_TURNS {
            return Ok(());
        }
        self.waited = 0;
        flush_access_log(app).await
    }
}
