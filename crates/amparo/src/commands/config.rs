//! `amparo config`: prints the effective settings and the origin of each.

use crate::fatal::FatalError;
use crate::settings::ServerSettings;
use std::process::ExitCode;

pub fn show_config(settings: &ServerSettings) -> Result<ExitCode, FatalError> {
    super::print_line(settings.render_toml().trim_end());
    Ok(ExitCode::SUCCESS)
}
