//! `amparo backup create | list | verify | restore`.

use super::output::{build_spinner, join_first};
use super::{build_app, open_bucket_store, open_file_store, print_line, resolve_key_file};
use crate::fatal::FatalError;
use crate::settings::{BackupSettings, ServerSettings, StoreKind};
use crate::system::{SystemClock, SystemRandomSource};
use app::upkeep::database_life::{self, DatabaseLifeWatch};
use backup::{
    CreatedBackup, DestinationListing, DestinationPlace, DestinationPlan, DestinationStore, OperatorSecret,
    ProgressReport, ProgressStep, RestoreOptions, ServerInstallation, SnapshotManifest,
};
use clap::ArgMatches;
use domain::Clock;
use indicatif::ProgressBar;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use storage::{DatabaseAddress, DatabaseOptions, SchemaPolicy};
use vault::KeyFileState;

/// How many names a message lists.
const MOST_NAMED: usize = 20;
/// A backup may take long, and nobody waits for it.
const PATIENCE: Duration = Duration::from_hours(24);

pub async fn create_backup(
    settings: &ServerSettings,
    arguments: &ArgMatches,
) -> Result<ExitCode, FatalError> {
    let named = read_folder_argument(arguments, "to");
    let described = describe_place(&settings.backup, named.as_deref());
    let place = find_place(&settings.backup, named, PlacePurpose::Create)?;
    let plan = build_plan(&settings.backup, place)?;
    let installation = describe_installation(settings)?;
    let options = build_patient_options(settings);
    let (db, _) = storage::open_database(&installation.address, &options, SchemaPolicy::Inspect).await?;
    let app = build_app(db, "")?;
    let bar = build_spinner("{spinner} {msg}");
    let started = SystemClock.now();
    let created = async {
        // A backup without its key, or with another, would be noticed on the day of the loss.
        let state = vault::inspect_server_key(app.key_context(), &installation.key_file).await?;
        let created = backup::create_backup(plan, &installation, &app.db, report_to(&bar)).await?;
        Ok::<_, FatalError>((created, state))
    };
    let created = created.await;
    bar.finish_and_clear();
    app.db.close().await;
    let (CreatedBackup { manifest, is_encrypted, pruned }, key_state) = created?;
    let took = SystemClock.now().duration_since(started);
    print_line(&format!(
        "Cópia {} pronta em {described}, em {}: {}.",
        manifest.name,
        format_duration(took),
        describe_content(&manifest)
    ));
    if key_state == KeyFileState::Absent {
        print_line("Ela não traz uma chave, porque este servidor ainda não tem nenhuma.");
    }
    if !is_encrypted {
        let key = if key_state == KeyFileState::Absent { "" } else { " e a chave do servidor" };
        print_line(&format!(
            "Ela não é cifrada: contém os dados pessoais de todos{key}. Guarde-a bem, ou escolha uma frase \
             (AMPARO_BACKUP_PASSPHRASE) e outra pasta."
        ));
    }
    match pruned {
        Ok(pruned) if pruned.backups.is_empty() => {}
        Ok(pruned) => print_line(&format!("Cópias antigas apagadas: {}.", pruned.backups.join(", "))),
        Err(error) => print_line(&format!(
            "Atenção: as cópias antigas não puderam ser apagadas. {}",
            FatalError::from(error).sentence()
        )),
    }
    let missing = &manifest.attachments.missing;
    if !missing.is_empty() {
        print_line(&format!(
            "Atenção: {} arquivos anexados não estavam onde deveriam (seção [files] da configuração), ou não puderam ser lidos, \
             e não foram copiados: {}.",
            missing.len(),
            join_first(missing, MOST_NAMED)
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// What the settings say of backups to this place.
pub fn build_plan(settings: &BackupSettings, place: DestinationPlace) -> Result<DestinationPlan, FatalError> {
    Ok(DestinationPlan {
        place,
        secret: read_secret(settings)?,
        retention: settings.retention,
        random: Arc::new(SystemRandomSource),
        clock: Arc::new(SystemClock),
    })
}

pub async fn list_backups(settings: &ServerSettings, arguments: &ArgMatches) -> Result<ExitCode, FatalError> {
    let destination = open_destination(settings, arguments).await?;
    let DestinationListing { finished, unusable, .. } = backup::list_backups(&destination).await?;
    if finished.is_empty() {
        print_line("Ainda não há cópias aqui.");
    }
    for listed in finished {
        print_line(&format!("{}  {}", listed.manifest.name, describe_content(&listed.manifest)));
    }
    for name in unusable {
        print_line(&format!(
            "{name}  danificada, ou de uma versão mais nova do Amparo: o manifesto não se lê"
        ));
    }
    Ok(ExitCode::SUCCESS)
}

pub async fn verify_backup(
    settings: &ServerSettings,
    arguments: &ArgMatches,
) -> Result<ExitCode, FatalError> {
    let destination = open_destination(settings, arguments).await?;
    let manifest =
        backup::find_backup(&destination, read_name_argument(arguments), SystemClock.now()).await?;
    let bar = build_spinner("{spinner} {msg}");
    let verified = backup::verify_backup(&destination, &manifest, report_to(&bar)).await;
    bar.finish_and_clear();
    let verified = verified?;
    if !verified.damaged.is_empty() {
        return Err(FatalError::new(format!(
            "A cópia {} está danificada; {} dos arquivos dela não se leem: {}.",
            manifest.name,
            verified.damaged.len(),
            join_first(&verified.damaged, MOST_NAMED)
        )));
    }
    print_line(&format!(
        "A cópia {} está boa: {} partes e {} arquivos anexados lidos até o fim.",
        manifest.name, verified.parts, verified.attachments
    ));
    let missing = &manifest.attachments.missing;
    if !missing.is_empty() {
        print_line(&format!(
            "Atenção: {} arquivos anexados já faltavam quando ela foi feita: {}.",
            missing.len(),
            join_first(missing, MOST_NAMED)
        ));
    }
    Ok(ExitCode::SUCCESS)
}

pub async fn restore_backup(
    settings: &ServerSettings,
    arguments: &ArgMatches,
) -> Result<ExitCode, FatalError> {
    let installation = describe_installation(settings)?;
    let destination = open_destination(settings, arguments).await?;
    let manifest =
        backup::find_backup(&destination, read_name_argument(arguments), SystemClock.now()).await?;
    let _lock = storage::lock_for_server(&installation.address)?;
    let started = SystemClock.now();
    let options = RestoreOptions {
        replace: arguments.get_flag("replace"),
        aside_ending: format!("antes-{}", backup::format_backup_name(started)),
    };
    let bar = build_spinner("{spinner} {msg}");
    let restored =
        backup::restore_backup(&destination, &manifest, &installation, &options, report_to(&bar)).await;
    bar.finish_and_clear();
    let restored = restored?;
    begin_new_life(settings, &installation.address).await?;
    let took = SystemClock.now().duration_since(started);
    print_line(&format!(
        "O servidor voltou à cópia {} em {}: {}. Arquivos anexados gravados: {}; os outros já estavam no lugar.",
        manifest.name,
        format_duration(took),
        describe_content(&manifest),
        restored.attachments
    ));
    if !restored.aside.is_empty() {
        let names: Vec<String> = restored.aside.iter().map(|path| path.display().to_string()).collect();
        print_line(&format!(
            "O que estava no lugar foi posto de lado; apague quando não precisar mais: {}.",
            names.join(", ")
        ));
    }
    if !restored.missing.is_empty() {
        print_line(&format!(
            "Atenção: {} arquivos anexados não estão na cópia, ou estão danificados nela: {}.",
            restored.missing.len(),
            join_first(&restored.missing, MOST_NAMED)
        ));
    }
    if !settings.backup.times.is_empty() {
        print_line(
            "Se isto é um ensaio, tire `times` da seção [backup] antes de iniciar: senão este servidor também grava cópias no mesmo \
             lugar, e apaga as do outro.",
        );
    }
    print_line(
        "Todas as sessões foram encerradas: cada um entra de novo. Confira com `amparo doctor` e inicie com `amparo serve`.",
    );
    Ok(ExitCode::SUCCESS)
}

/// A restored database must not revive what ended after the backup was made.
async fn begin_new_life(settings: &ServerSettings, address: &DatabaseAddress) -> Result<(), FatalError> {
    let options = settings.storage.options();
    let (db, _) = storage::open_database(address, &options, SchemaPolicy::Migrate).await?;
    let app = build_app(db, "")?;
    let begun = database_life::begin_new_life(&app, &DatabaseLifeWatch::new(address.mark_path())).await;
    app.db.close().await;
    Ok(begun?)
}

/// What a backup of this server takes.
pub fn describe_installation(settings: &ServerSettings) -> Result<ServerInstallation, FatalError> {
    let address = DatabaseAddress::parse(&settings.database)?;
    let attachments = open_file_store(settings, &address)?.object_store()?;
    Ok(ServerInstallation {
        key_file: resolve_key_file(settings, &address)?,
        ca_file: settings.storage.options().ca_file,
        address,
        attachments,
        program: env!("CARGO_PKG_VERSION"),
    })
}

fn build_patient_options(settings: &ServerSettings) -> DatabaseOptions {
    DatabaseOptions { search_timeout: PATIENCE, ..settings.storage.options() }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum PlacePurpose {
    /// A missing folder is created.
    Create,
    /// A missing folder is an error.
    Read,
}

/// Where the backups are: in the folder of the command, or where the settings say.
pub fn find_place(
    settings: &BackupSettings,
    named: Option<PathBuf>,
    purpose: PlacePurpose,
) -> Result<DestinationPlace, FatalError> {
    let folder = match (named, settings.place) {
        (Some(folder), _) => folder,
        (None, StoreKind::Bucket) => {
            return Ok(DestinationPlace::bucket(open_bucket_store(&settings.bucket, "As cópias ficam")?));
        }
        (None, StoreKind::Folder) => settings.folder.clone().ok_or_else(|| {
            FatalError::new(
                "Falta dizer onde ficam as cópias: com --to PASTA (ou --from PASTA), ou na seção [backup] da configuração.",
            )
        })?,
    };
    Ok(match purpose {
        PlacePurpose::Create => DestinationPlace::create_folder(&folder)?,
        PlacePurpose::Read => DestinationPlace::open_folder(&folder)?,
    })
}

fn describe_place(settings: &BackupSettings, named: Option<&Path>) -> String {
    let folder = match settings.place {
        StoreKind::Folder => named.or(settings.folder.as_deref()),
        StoreKind::Bucket => named,
    };
    folder.map_or_else(|| format!("s3:{}", settings.bucket.name), |folder| folder.display().to_string())
}

/// The secret that encrypts the backups, if the settings say one.
pub fn read_secret(settings: &BackupSettings) -> Result<Option<OperatorSecret>, FatalError> {
    const SHORTEST_KEY: usize = 32;
    if let Some(text) = &settings.passphrase {
        return Ok(Some(OperatorSecret::Passphrase(text.clone())));
    }
    let Some(path) = &settings.key_file else { return Ok(None) };
    let bytes = std::fs::read(path).map_err(|error| {
        let cause = crate::fatal::describe_cause(&error.to_string());
        FatalError::new(format!("A chave das cópias, {}, não pôde ser lida: {cause}.", path.display()))
    })?;
    if bytes.len() < SHORTEST_KEY {
        return Err(FatalError::new(format!(
            "A chave das cópias, {}, tem menos de {SHORTEST_KEY} bytes; faça uma com `head -c 32 /dev/urandom`.",
            path.display()
        )));
    }
    Ok(Some(OperatorSecret::KeyFile(bytes)))
}

async fn open_destination(
    settings: &ServerSettings,
    arguments: &ArgMatches,
) -> Result<DestinationStore, FatalError> {
    let place = find_place(&settings.backup, read_folder_argument(arguments, "from"), PlacePurpose::Read)?;
    let secret = read_secret(&settings.backup)?;
    Ok(DestinationStore::open(place, secret, Arc::new(SystemRandomSource)).await?)
}

fn read_folder_argument(arguments: &ArgMatches, name: &str) -> Option<PathBuf> {
    arguments.get_one::<String>(name).filter(|text| !text.is_empty()).map(PathBuf::from)
}

fn read_name_argument(arguments: &ArgMatches) -> Option<&str> {
    arguments.get_one::<String>("name").map(String::as_str)
}

/// `banco SQLite de 3 MiB (1 MiB guardados), esquema 41, 12 arquivos anexados (5 novos)`
fn describe_content(manifest: &SnapshotManifest) -> String {
    let engine = match manifest.engine {
        backup::DatabaseEngine::Sqlite => "SQLite",
        backup::DatabaseEngine::Postgres => "PostgreSQL",
    };
    format!(
        "banco {engine} de {} ({} guardados), versão {} do esquema, {} arquivos anexados ({} novos), feita pelo Amparo {}",
        format_size(manifest.original_bytes()),
        format_size(manifest.stored_bytes()),
        manifest.schema,
        manifest.attachments.files,
        manifest.attachments.copied,
        manifest.program
    )
}

fn format_size(bytes: u64) -> String {
    format!("{} MiB", bytes.div_ceil(1 << 20))
}

fn format_duration(took: Duration) -> String {
    let seconds = took.as_secs();
    format!("{} min {} s", seconds / 60, seconds % 60)
}

fn report_to(bar: &ProgressBar) -> ProgressReport {
    let bar = bar.clone();
    ProgressReport::new(move |step, bytes| {
        let what = match step {
            ProgressStep::Database => "banco de dados",
            ProgressStep::Attachments => "arquivos anexados",
        };
        bar.set_message(format!("{what}: {}", format_size(bytes)));
        bar.tick();
    })
}
