//! The disk: free space and file permissions.

use super::CheckFinding;
use crate::commands::{resolve_attachments_folder, resolve_key_file, resolve_mail_folder, tls};
use crate::settings::ServerSettings;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use storage::DatabaseAddress;

const MIB: u64 = 1024 * 1024;
/// Below the first limit writes may fail at any moment; below the second the operator is warned.
const TOO_LITTLE: u64 = 64 * MIB;
const LITTLE: u64 = 1024 * MIB;

/// The free space of the database and of the attachments, if they are on a local disk.
pub fn check_space(settings: &ServerSettings, address: &DatabaseAddress) -> Vec<CheckFinding> {
    let attachments = resolve_attachments_folder(settings, address).ok().flatten();
    let places =
        [("disco do banco", address.folder().map(Path::to_owned)), ("disco dos anexos", attachments)];
    places.into_iter().filter_map(|(what, folder)| measure_space(what, &folder?)).collect()
}

fn measure_space(what: &'static str, folder: &Path) -> Option<CheckFinding> {
    let free = app::upkeep::health::measure_free_space(folder)?;
    let text = format!("{} MiB livres em {}", free / MIB, folder.display());
    Some(match free {
        ..TOO_LITTLE => {
            CheckFinding::fault(what, format!("só {text}; libere espaço já, pois nada mais se grava."))
        }
        TOO_LITTLE..LITTLE => CheckFinding::warning(what, format!("só {text}; libere espaço.")),
        LITTLE.. => CheckFinding::ok(what, format!("{text}.")),
    })
}

/// Whether other users of the machine can read the data or the keys.
pub fn check_modes(settings: &ServerSettings, address: &DatabaseAddress) -> Vec<CheckFinding> {
    const WHAT: &str = "permissões";
    let mut found: Vec<CheckFinding> = list_exposed_files(settings, address)
        .into_iter()
        .map(|(path, mode)| {
            let path = path.display();
            CheckFinding::warning(
                WHAT,
                format!("{path} pode ser lido por outros; rode `chmod {mode} {path}`."),
            )
        })
        .collect();
    if found.is_empty() {
        found.push(CheckFinding::ok(WHAT, "o banco, as chaves e os arquivos só são lidos pelo dono."));
    }
    found
}

/// The files that others can read, and the mode that each should have.
fn list_exposed_files(settings: &ServerSettings, address: &DatabaseAddress) -> Vec<(PathBuf, &'static str)> {
    let beside = |file: &Path, suffix: &str| {
        let mut name = file.as_os_str().to_owned();
        name.push(suffix);
        PathBuf::from(name)
    };
    let suffixes = ["", "-wal", "-shm", ".activity", ".activity-wal", ".activity-shm"];
    let database = address.file_path().map(|file| suffixes.map(|suffix| beside(file, suffix)));
    let server_key = resolve_key_file(settings, address).ok();
    let own_tls = server_key.as_deref().map(|key| tls::locate_self_signed_files(key).1);
    let keys = [server_key, settings.tls.key_file.clone(), own_tls];
    let attachments = resolve_attachments_folder(settings, address).ok().flatten();
    let folders = [attachments, resolve_mail_folder(settings, address).ok()];
    let readable_database =
        database.into_iter().flatten().filter(|file| has_mode(file, 0o044) && is_reachable(file));
    let readable_keys = keys.into_iter().flatten().filter(|file| has_mode(file, 0o077));
    let open_folders =
        folders.into_iter().flatten().filter(|folder| has_mode(folder, 0o055) && is_reachable(folder));
    let with = |mode: &'static str| move |path: PathBuf| (path, mode);
    readable_database.chain(readable_keys).map(with("600")).chain(open_folders.map(with("700"))).collect()
}

fn has_mode(path: &Path, bits: u32) -> bool {
    std::fs::metadata(path).is_ok_and(|file| file.permissions().mode() & bits != 0)
}

/// Whether others can enter the folder: if not, the modes of its files do not matter.
fn is_reachable(path: &Path) -> bool {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    has_mode(folder, 0o011)
}
