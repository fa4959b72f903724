//! `amparo config`: the values in force, and where each came from.

use crate::fatal::Fatal;
use crate::settings::Settings;
use std::process::ExitCode;

pub fn run(settings: &Settings) -> Result<ExitCode, Fatal> {
    super::say(settings.print().trim_end());
    Ok(ExitCode::SUCCESS)
}
