//! `amparo doctor`: is everything in order, and if not, what to do. A list of checks; each says one line for what it looked
//! at, and changes nothing that stays.
//!
//! # Adding a check
//! A function that gives a [`Finding`] (or several), in the file of its subject, and a line in [`examine`] or
//! [`database::examine`].

mod attachments;
mod certificate;
mod database;
mod files;
mod installation;
mod mail;
mod receivers;

use crate::fatal::Fatal;
use crate::settings::Settings;
use std::process::ExitCode;
use storage::Address;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Fine,
    Warning,
    Fault,
}

impl Verdict {
    fn word(self) -> &'static str {
        match self {
            Verdict::Fine => "ok",
            Verdict::Warning => "aviso",
            Verdict::Fault => "erro",
        }
    }
}

/// What a check found: in order or not, what was looked at, and the rest in a sentence that says how to mend it.
struct Finding {
    verdict: Verdict,
    what: &'static str,
    text: String,
}

impl Finding {
    fn fine(what: &'static str, text: impl Into<String>) -> Finding {
        Finding { verdict: Verdict::Fine, what, text: text.into() }
    }

    fn warning(what: &'static str, text: impl Into<String>) -> Finding {
        Finding { verdict: Verdict::Warning, what, text: text.into() }
    }

    fn fault(what: &'static str, text: impl Into<String>) -> Finding {
        Finding { verdict: Verdict::Fault, what, text: text.into() }
    }

    /// A check that could not be made is a fault, too.
    fn failed(what: &'static str, error: impl Into<Fatal>) -> Finding {
        Finding::fault(what, error.into().sentence())
    }
}

/// Looks at everything; 1 where something is wrong. Warnings alone are 0.
pub async fn run(settings: &Settings, as_json: bool) -> Result<ExitCode, Fatal> {
    let findings = examine(settings).await;
    if as_json {
        super::say(&to_json(&findings));
    } else {
        for Finding { verdict, what, text } in &findings {
            super::say(&format!("{:<5}  {what:<16} {text}", verdict.word()));
        }
    }
    let is_healthy = findings.iter().all(|finding| finding.verdict != Verdict::Fault);
    Ok(if is_healthy { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn examine(settings: &Settings) -> Vec<Finding> {
    let mut findings =
        vec![installation::check_variables(settings), installation::check_open_files(settings)];
    match Address::parse(&settings.database) {
        Ok(address) => {
            findings.push(certificate::check(settings, &address));
            findings.push(mail::check_transport(settings, &address).await);
            findings.extend(files::check_space(settings, &address));
            findings.extend(files::check_modes(settings, &address));
            findings.extend(database::examine(settings, &address).await);
        }
        Err(error) => findings.push(Finding::failed("banco de dados", error)),
    }
    findings
}

fn to_json(findings: &[Finding]) -> String {
    let all: Vec<serde_json::Value> = findings
        .iter()
        .map(|Finding { verdict, what, text }| {
            serde_json::json!({ "conferencia": what, "resultado": verdict.word(), "texto": text })
        })
        .collect();
    serde_json::Value::Array(all).to_string()
}
