//! The backups: whether there are any, and how old the newest is.

use super::CheckFinding;
use crate::commands::backup::{PlacePurpose, find_place, read_secret};
use crate::fatal::FatalError;
use crate::settings::{ServerSettings, StoreKind};
use crate::system::{SystemClock, SystemRandomSource};
use backup::{DestinationListing, DestinationStore};
use domain::Clock;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use storage::DatabaseAddress;

const WHAT: &str = "cópias";
/// Every day has a backup; some hours are left to those that take long or are tried again.
const OLD_AFTER: Duration = Duration::from_hours(30);
const HOUR: Duration = Duration::from_hours(1);

pub async fn check_backups(settings: &ServerSettings, address: &DatabaseAddress) -> CheckFinding {
    if !settings.backup.has_destination() {
        return match address.is_shared() {
            // A database server usually has backups of its own.
            true => CheckFinding::ok(
                WHAT,
                "o Amparo não faz nenhuma (seção [backup]); faça as do próprio PostgreSQL.",
            ),
            false => CheckFinding::warning(
                WHAT,
                "nenhuma está marcada; diga onde (backup.folder) e quando (backup.times).",
            ),
        };
    }
    if let Some(folder) = find_open_folder(settings) {
        let folder = folder.display();
        return CheckFinding::warning(
            WHAT,
            format!("outros usuários da máquina leem as cópias em {folder}; rode `chmod -R go= {folder}`."),
        );
    }
    match list_backups(settings).await {
        Ok(listing) if !listing.unusable.is_empty() => CheckFinding::warning(
            WHAT,
            format!("o manifesto de {} não se lê; confira o destino.", listing.unusable.join(", ")),
        ),
        Ok(listing) if listing.find_newest(SystemClock.now()).is_some() => judge_age(settings, &listing),
        Ok(_) => CheckFinding::warning(WHAT, "ainda não há nenhuma; faça uma com `amparo backup create`."),
        Err(error) => CheckFinding::from_error(WHAT, error),
    }
}

/// The folder of the backups, if others can read what is in it.
fn find_open_folder(settings: &ServerSettings) -> Option<PathBuf> {
    use std::os::unix::fs::PermissionsExt;
    let root = settings.backup.folder.clone().filter(|_| settings.backup.place == StoreKind::Folder)?;
    let is_open = |folder: &PathBuf| {
        std::fs::metadata(folder).is_ok_and(|found| found.permissions().mode() & 0o077 != 0)
    };
    ["copias", "anexos"]
        .map(|name| root.join(name))
        .into_iter()
        .find(|folder| is_open(folder) && is_open(&root))
}

async fn list_backups(settings: &ServerSettings) -> Result<DestinationListing, FatalError> {
    let place = find_place(&settings.backup, None, PlacePurpose::Read)?;
    let secret = read_secret(&settings.backup)?;
    match DestinationStore::open(place, secret, Arc::new(SystemRandomSource)).await {
        Ok(destination) => Ok(backup::list_backups(&destination).await?),
        Err(backup::BackupActionError::NoBackup) => Ok(DestinationListing::default()),
        Err(error) => Err(error.into()),
    }
}

fn judge_age(settings: &ServerSettings, listing: &DestinationListing) -> CheckFinding {
    let now = SystemClock.now();
    let Some(newest) = listing.find_newest(now) else {
        return CheckFinding::warning(WHAT, "nenhuma tem uma data que possa ser certa.");
    };
    let age = now.duration_since(newest.began_at);
    let hours = age.as_secs() / HOUR.as_secs();
    let text = format!("a mais nova, {}, é de {hours} horas atrás", newest.manifest.name);
    let missing = newest.manifest.attachments.missing.len();
    if age > OLD_AFTER {
        let advice = match settings.backup.times.is_empty() {
            true => "marque-as com backup.times",
            false => "veja no registro por que as seguintes falharam",
        };
        return CheckFinding::warning(WHAT, format!("{text}; {advice}."));
    }
    if missing > 0 {
        return CheckFinding::warning(WHAT, format!("{text}, e {missing} arquivos anexados faltam nela."));
    }
    CheckFinding::ok(WHAT, format!("{text}."))
}
