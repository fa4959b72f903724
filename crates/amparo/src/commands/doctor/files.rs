//! The disk: how much of it is left, and who may read what is on it.

use super::Finding;
use crate::commands::{attachments_folder, key_file, mail_folder, tls};
use crate::settings::Settings;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use storage::Address;

const MIB: u64 = 1024 * 1024;
/// With less than this, writing may end at any moment; with less than the second, somebody should look.
const TOO_LITTLE: u64 = 64 * MIB;
const LITTLE: u64 = 1024 * MIB;

/// What is free where the database and the attachments lie, as far as that is a disk of this machine.
pub fn check_space(settings: &Settings, address: &Address) -> Vec<Finding> {
    let attachments = attachments_folder(settings, address).ok().flatten();
    let places =
        [("disco do banco", address.folder().map(Path::to_owned)), ("disco dos anexos", attachments)];
    places.into_iter().filter_map(|(what, folder)| space_at(what, &folder?)).collect()
}

fn space_at(what: &'static str, folder: &Path) -> Option<Finding> {
    let free = app::health::free(folder)?;
    let text = format!("{} MiB livres em {}", free / MIB, folder.display());
    Some(match free {
        ..TOO_LITTLE => {
            Finding::fault(what, format!("só {text}; libere espaço já, pois nada mais se grava."))
        }
        TOO_LITTLE..LITTLE => Finding::warning(what, format!("só {text}; libere espaço.")),
        LITTLE.. => Finding::fine(what, format!("{text}.")),
    })
}

/// Whether other users of the machine may read what holds everybody's data, or the keys to it.
pub fn check_modes(settings: &Settings, address: &Address) -> Vec<Finding> {
    const WHAT: &str = "permissões";
    let mut found: Vec<Finding> = exposed(settings, address)
        .into_iter()
        .map(|(path, mode)| {
            let path = path.display();
            Finding::warning(WHAT, format!("{path} pode ser lido por outros; rode `chmod {mode} {path}`."))
        })
        .collect();
    if found.is_empty() {
        found.push(Finding::fine(WHAT, "o banco, as chaves e os arquivos só são lidos pelo dono."));
    }
    found
}

/// What others may read, and the mode that it should have.
fn exposed(settings: &Settings, address: &Address) -> Vec<(PathBuf, &'static str)> {
    let beside = |file: &Path, suffix: &str| {
        let mut name = file.as_os_str().to_owned();
        name.push(suffix);
        PathBuf::from(name)
    };
    let database = address.file().map(|file| ["", "-wal", "-shm"].map(|suffix| beside(file, suffix)));
    let server_key = key_file(settings, address).ok();
    let own_tls = server_key.as_deref().map(|key| tls::own_files(key).1);
    let keys = [server_key, settings.tls.key_file.clone(), own_tls];
    let attachments = attachments_folder(settings, address).ok().flatten();
    let folders = [attachments, mail_folder(settings, address).ok()];
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

/// Whether others may enter the folder: if not, the modes of what is in it do not matter.
fn is_reachable(path: &Path) -> bool {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    has_mode(folder, 0o011)
}
