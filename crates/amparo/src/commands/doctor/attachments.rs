//! Attachments: the store works, and the stored files are present.

use super::CheckFinding;
use crate::commands::{open_file_store, probe_file_store, resolve_attachments_folder};
use crate::settings::ServerSettings;
use app::App;
use app::upkeep::checkup;
use domain::{FileCode, TenantId};
use storage::DatabaseAddress;

const WHAT: &str = "anexos";
const MOST_NAMED: usize = 5;

/// Writes, reads and removes a test file, and checks a sample of the files that should exist.
pub async fn check_attachments(
    settings: &ServerSettings,
    address: &DatabaseAddress,
    app: &App,
) -> CheckFinding {
    let opened = match open_file_store(settings, address) {
        Ok(opened) => opened,
        Err(error) => return CheckFinding::from_error(WHAT, error),
    };
    if let Err(error) = probe_file_store(&opened).await {
        return CheckFinding::from_error(WHAT, error);
    }
    let sample = match checkup::sample_attachments(app, &opened).await {
        Ok(sample) => sample,
        Err(error) => return CheckFinding::from_error(WHAT, error),
    };
    let (looked_at, place) = (sample.looked_at, describe_place(settings, address));
    if sample.missing.is_empty() && sample.damaged.is_empty() {
        return CheckFinding::ok(
            WHAT,
            format!("gravados e lidos em {place}; {looked_at} conferidos, todos lá."),
        );
    }
    let mut problems = Vec::new();
    if !sample.missing.is_empty() {
        problems.push(format!("{} faltam ({})", sample.missing.len(), format_file_names(&sample.missing)));
    }
    if !sample.damaged.is_empty() {
        problems.push(format!(
            "{} têm outro tamanho ({})",
            sample.damaged.len(),
            format_file_names(&sample.damaged)
        ));
    }
    let problems = problems.join(" e ");
    CheckFinding::fault(
        WHAT,
        format!(
            "de {looked_at} conferidos em {place}, {problems}; traga-os de volta da sua cópia de segurança."
        ),
    )
}

fn describe_place(settings: &ServerSettings, address: &DatabaseAddress) -> String {
    let bucket = &settings.files.bucket;
    match resolve_attachments_folder(settings, address) {
        Ok(Some(folder)) => folder.display().to_string(),
        _ if bucket.prefix.is_empty() => format!("s3://{}", bucket.name),
        _ => format!("s3://{}/{}", bucket.name, bucket.prefix),
    }
}

fn format_file_names(files: &[(TenantId, FileCode)]) -> String {
    let mut names: Vec<String> =
        files.iter().take(MOST_NAMED).map(|(tenant, code)| format!("base {tenant} arquivo {code}")).collect();
    if files.len() > MOST_NAMED {
        names.push("…".to_owned());
    }
    names.join(", ")
}
