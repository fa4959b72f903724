//! Logs (`log`, `log_level`, `storage.slow_statement`).

use crate::fatal::FatalError;
use crate::settings::{LogFormat, ServerSettings};
use std::io::IsTerminal;
use std::time::Duration;
use storage::StatementWatch;
use tracing::Level;
use tracing_subscriber::filter::{LevelFilter, ParseError, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, fmt, registry};

/// Debug logs of these crates contain values: passwords in statements, addresses in mails. They are never enabled.
const QUIET: [&str; 5] = ["tokio_postgres", "rustls", "lettre", "hyper", "hyper_util"];

/// Logs go to standard error; standard output is for the command's result.
pub fn start_logging(settings: &ServerSettings) -> Result<(), FatalError> {
    let filter = parse_log_filter(&settings.log_level).map_err(|error| {
        FatalError::new(format!(
            "log_level: \"{}\" não é um filtro de registro: {error}.",
            settings.log_level
        ))
    })?;
    // A line that cannot be written (a full disk) is dropped: reporting it on the same stream would panic.
    let lines =
        fmt::layer().with_writer(std::io::stderr).with_ansi(can_show_colours()).log_internal_errors(false);
    match settings.log {
        LogFormat::Text => registry().with(lines.with_filter(filter)).init(),
        LogFormat::Json => registry().with(lines.json().flatten_event(true).with_filter(filter)).init(),
    }
    Ok(())
}

/// Colours only at a terminal, not in files or pipes.
fn can_show_colours() -> bool {
    let is_unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    std::io::stderr().is_terminal() && !is_unwanted
}

fn parse_log_filter(level: &str) -> Result<Targets, ParseError> {
    let filter: Targets = level.parse()?;
    // Crates that are already quieter stay so.
    let louder = |name: &&&str| filter.would_enable(name, &Level::DEBUG);
    Ok(filter.clone().with_targets(QUIET.iter().filter(louder).map(|&name| (name, LevelFilter::INFO))))
}

/// Enough of a statement's text to identify it.
const LONGEST_TEXT: usize = 500;

/// Logs every statement that takes at least this long: its text, never its values, which may be personal data.
pub fn watch_slow_statements(limit: Duration) -> StatementWatch {
    StatementWatch::new(move |executed| {
        let cost = executed.cost;
        if cost.took >= limit {
            let statement = collapse_to_line(executed.text);
            let millis = u64::try_from(cost.took.as_millis()).unwrap_or(u64::MAX);
            tracing::warn!(statement, millis, rows = cost.rows, "slow statement");
        }
    })
}

fn collapse_to_line(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(LONGEST_TEXT) {
        Some((end, _)) => format!("{}…", &words[..end]),
        None => words,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_other_crates_say_in_detail_is_never_logged() {
        for level in ["trace", "debug,hyper=trace", "warn,lettre=debug"] {
            let filter = parse_log_filter(level).unwrap();
            assert!(QUIET.iter().all(|name| !filter.would_enable(name, &Level::DEBUG)), "{level}");
        }
        assert!(parse_log_filter("debug").unwrap().would_enable("app::members", &Level::DEBUG));
        assert!(parse_log_filter("debug").unwrap().would_enable("hyper", &Level::INFO));
        assert!(!parse_log_filter("warn").unwrap().would_enable("hyper", &Level::INFO));
        assert!(parse_log_filter("app=loud").is_err());
    }

    #[test]
    fn a_statement_is_logged_on_one_line_of_bearable_length() {
        assert_eq!(collapse_to_line("SELECT code\n     FROM plans"), "SELECT code FROM plans");
        let long = collapse_to_line(&"é ".repeat(LONGEST_TEXT));
        assert_eq!(long.chars().count(), LONGEST_TEXT + 1);
        assert!(long.ends_with('…'));
    }
}
