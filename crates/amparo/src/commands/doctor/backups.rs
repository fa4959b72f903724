//! The backups: whether there are any, and how old the newest is.

use super::CheckFinding;
use crate::commands::backup::{PlacePurpose, find_place, read_secret};
use crate::fatal::FatalError;
use crate::settings::ServerSettings;
use crate::system::{SystemClock, SystemRandomSource};
use backup::{DestinationStore, ListedBackup};
use domain::Clock;
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
                "nenhuma está marcada; diga onde (backup.folder) e quando (backup.at).",
            ),
        };
    }
    match find_newest(settings).await {
        Ok(Some(newest)) => judge_age(settings, &newest),
        Ok(None) => CheckFinding::warning(WHAT, "ainda não há nenhuma; faça uma com `amparo backup create`."),
        Err(error) => CheckFinding::from_error(WHAT, error),
    }
}

async fn find_newest(settings: &ServerSettings) -> Result<Option<ListedBackup>, FatalError> {
    let place = find_place(&settings.backup, None, PlacePurpose::Read)?;
    let secret = read_secret(&settings.backup)?;
    match DestinationStore::open(place, secret, Arc::new(SystemRandomSource)).await {
        Ok(destination) => Ok(backup::list_backups(&destination).await?.pop()),
        Err(backup::BackupActionError::NoBackup) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn judge_age(settings: &ServerSettings, newest: &ListedBackup) -> CheckFinding {
    let age = SystemClock.now().duration_since(newest.began_at);
    let hours = age.as_secs() / HOUR.as_secs();
    let text = format!("a mais nova, {}, é de {hours} horas atrás", newest.manifest.name);
    let missing = newest.manifest.attachments.missing.len();
    if age > OLD_AFTER {
        let advice = match settings.backup.times.is_empty() {
            true => "marque-as com backup.at",
            false => "veja no registro por que as seguintes falharam",
        };
        return CheckFinding::warning(WHAT, format!("{text}; {advice}."));
    }
    if missing > 0 {
        return CheckFinding::warning(WHAT, format!("{text}, e {missing} arquivos anexados faltam nela."));
    }
    CheckFinding::ok(WHAT, format!("{text}."))
}
