//! `amparo doctor`: checks the installation and says how to fix what is wrong. Each check prints one line per subject
//! and leaves no changes behind.
//!
//! # Adding a check
//! Add a function that returns a [`CheckFinding`] (or several) in the file of its subject, and a line in
//! `list_of_checks.rs`.

mod attachments;
mod backups;
mod certificate;
mod database;
mod files;
mod installation;
mod list_of_checks;
mod mail;
mod receivers;

use crate::fatal::FatalError;
use crate::settings::ServerSettings;
use std::process::ExitCode;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CheckVerdict {
    Fine,
    Warning,
    Fault,
}

impl CheckVerdict {
    fn word(self) -> &'static str {
        match self {
            CheckVerdict::Fine => "ok",
            CheckVerdict::Warning => "aviso",
            CheckVerdict::Fault => "erro",
        }
    }
}

/// The result of a check: its status, its subject, and a sentence that says how to fix it.
struct CheckFinding {
    verdict: CheckVerdict,
    what: &'static str,
    text: String,
}

impl CheckFinding {
    fn ok(what: &'static str, text: impl Into<String>) -> CheckFinding {
        CheckFinding { verdict: CheckVerdict::Fine, what, text: text.into() }
    }

    fn warning(what: &'static str, text: impl Into<String>) -> CheckFinding {
        CheckFinding { verdict: CheckVerdict::Warning, what, text: text.into() }
    }

    fn fault(what: &'static str, text: impl Into<String>) -> CheckFinding {
        CheckFinding { verdict: CheckVerdict::Fault, what, text: text.into() }
    }

    /// A check that could not run is a fault, too.
    fn from_error(what: &'static str, error: impl Into<FatalError>) -> CheckFinding {
        CheckFinding::fault(what, error.into().sentence())
    }
}

/// Runs all checks. The exit code is 1 if something is wrong; warnings alone are 0.
pub async fn run_doctor(settings: &ServerSettings, as_json: bool) -> Result<ExitCode, FatalError> {
    let findings = list_of_checks::examine_installation(settings).await;
    if as_json {
        super::print_line(&render_json(&findings));
    } else {
        for CheckFinding { verdict, what, text } in &findings {
            super::print_line(&format!("{:<5}  {what:<16} {text}", verdict.word()));
        }
    }
    let is_healthy = findings.iter().all(|finding| finding.verdict != CheckVerdict::Fault);
    Ok(if is_healthy { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn render_json(findings: &[CheckFinding]) -> String {
    let all: Vec<serde_json::Value> = findings
        .iter()
        .map(|CheckFinding { verdict, what, text }| {
            serde_json::json!({ "conferencia": what, "resultado": verdict.word(), "texto": text })
        })
        .collect();
    serde_json::Value::Array(all).to_string()
}
