//! The files that people attach: the place works, and what was put there is there.

use super::Finding;
use crate::commands::{attachments_folder, file_place, probe_files};
use crate::settings::Settings;
use app::{App, checkup};
use domain::{FileCode, TenantId};
use storage::Address;

const WHAT: &str = "anexos";
const MOST_NAMED: usize = 5;

/// Writes, reads and removes something where files are kept, and looks at a sample of those that should be there.
pub async fn check(settings: &Settings, address: &Address, app: &App) -> Finding {
    let opened = match file_place(settings, address) {
        Ok(opened) => opened,
        Err(error) => return Finding::failed(WHAT, error),
    };
    if let Err(error) = probe_files(&opened).await {
        return Finding::failed(WHAT, error);
    }
    let sample = match checkup::sample_attachments(app, &opened).await {
        Ok(sample) => sample,
        Err(error) => return Finding::failed(WHAT, error),
    };
    let (looked_at, place) = (sample.looked_at, describe_place(settings, address));
    if sample.missing.is_empty() && sample.damaged.is_empty() {
        return Finding::fine(
            WHAT,
            format!("gravados e lidos em {place}; {looked_at} conferidos, todos lá."),
        );
    }
    let mut problems = Vec::new();
    if !sample.missing.is_empty() {
        problems.push(format!("{} faltam ({})", sample.missing.len(), named(&sample.missing)));
    }
    if !sample.damaged.is_empty() {
        problems.push(format!("{} têm outro tamanho ({})", sample.damaged.len(), named(&sample.damaged)));
    }
    let problems = problems.join(" e ");
    Finding::fault(
        WHAT,
        format!(
            "de {looked_at} conferidos em {place}, {problems}; traga-os de volta da sua cópia de segurança."
        ),
    )
}

fn describe_place(settings: &Settings, address: &Address) -> String {
    let bucket = &settings.files.bucket;
    match attachments_folder(settings, address) {
        Ok(Some(folder)) => folder.display().to_string(),
        _ if bucket.prefix.is_empty() => format!("s3://{}", bucket.name),
        _ => format!("s3://{}/{}", bucket.name, bucket.prefix),
    }
}

fn named(files: &[(TenantId, FileCode)]) -> String {
    let mut names: Vec<String> =
        files.iter().take(MOST_NAMED).map(|(tenant, code)| format!("base {tenant} arquivo {code}")).collect();
    if files.len() > MOST_NAMED {
        names.push("…".to_owned());
    }
    names.join(", ")
}
