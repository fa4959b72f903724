//! `amparo export` and `amparo bring`: exports a tenant into one archive file, and restores it on another server.

use super::output::{build_spinner, join_first};
use crate::fatal::FatalError;
use crate::settings::ServerSettings;
use app::{App, Vault};
use clap::ArgMatches;
use exchange::archive::{self, RestoreOptions, RestoreOutcome, RestoreStep, TenantExportOutcome};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use storage::{DatabaseAddress, DatabaseOptions, SchemaPolicy};

/// The snapshot of an export lasts as long as the export.
const PATIENCE: Duration = Duration::from_hours(24);

/// How many codes a message lists.
const MOST_NAMED: usize = 50;

pub async fn export_archive(
    settings: &ServerSettings,
    arguments: &ArgMatches,
) -> Result<ExitCode, FatalError> {
    let to = read_path_argument(arguments, "to")?;
    let (app, vault) = open_app_without_limits(settings).await?;
    let tenant = super::resolve_tenant(&app, arguments).await?;
    let started = app.now();
    let bar = build_spinner("{spinner} {pos} registros exportados");
    let exported = archive::export_archive(&app, vault, tenant, &to, env!("CARGO_PKG_VERSION"), {
        let bar = bar.clone();
        move |rows| bar.set_position(rows)
    })
    .await;
    bar.finish_and_clear();
    let took = app.now().duration_since(started);
    app.db.close().await;
    let TenantExportOutcome { manifest, bytes, missing } = exported?;
    let (rows, tables, files) =
        (manifest.row_count(), manifest.tables().count(), manifest.attachment_count());
    super::print_line(&format!(
        "Base {tenant} ({}) exportada para {}: {rows} registros em {tables} tabelas e {files} arquivos anexados (com as miniaturas), {} MiB{}.\n\
         Guarde bem este arquivo: ele contém os dados pessoais de todos os associados, as senhas (cifradas) dos usuários e, \
         abertos, os segredos dos receptores e dos segundos fatores. Só o dono dele pode lê-lo.\n\
         Para trazê-la a outro servidor: amparo bring --from {}",
        manifest.name,
        to.display(),
        bytes.div_ceil(1 << 20),
        describe_speed(rows, took),
        to.display(),
    ));
    if !missing.is_empty() {
        super::print_line(&format!(
            "Atenção: {} arquivos anexados não estavam onde deveriam (seção [files] da configuração) e não foram exportados. \
             Os códigos deles: {}.",
            missing.len(),
            join_first(&missing, MOST_NAMED),
        ));
    }
    Ok(ExitCode::SUCCESS)
}

pub async fn restore_archive(
    settings: &ServerSettings,
    arguments: &ArgMatches,
) -> Result<ExitCode, FatalError> {
    if arguments.get_flag("discard") {
        return discard_partial_restore(settings).await;
    }
    let path = read_path_argument(arguments, "from")?;
    let options = RestoreOptions {
        paused: arguments.get_flag("paused"),
        with_hosts: arguments.get_flag("with-hosts"),
        with_mails: arguments.get_flag("with-mails"),
    };
    let (mut app, vault) = super::open_app_with_vault(settings).await?;
    app.files = super::open_file_store(settings, &DatabaseAddress::parse(&settings.database)?)?;
    let started = app.now();
    let bar = build_spinner("{spinner} {msg}");
    let outcome = archive::restore_archive(&app, vault, &path, options, {
        let bar = bar.clone();
        move |step, rows| {
            bar.set_message(match step {
                RestoreStep::Checking => format!("{rows} registros conferidos"),
                RestoreStep::Validating => format!("{rows} registros examinados"),
                RestoreStep::Writing => format!("{rows} registros gravados"),
                RestoreStep::Attaching => format!("{rows} arquivos anexados gravados"),
                RestoreStep::Indexing => "indexando os nomes".to_owned(),
            });
        }
    })
    .await;
    bar.finish_and_clear();
    let took = app.now().duration_since(started);
    app.db.close().await;
    let RestoreOutcome { manifest, before, is_default, held_mails } = outcome?;
    let rows = manifest.row_count();
    let resumed = match before {
        0 => String::new(),
        before => format!(" ({before} já estavam aqui, de uma vez anterior)"),
    };
    let default = if is_default { ", a base padrão deste servidor" } else { "" };
    super::print_line(&format!(
        "Base {} ({}) trazida{default}: {rows} registros{resumed}, como eram em {}{}.\n\
         Os usuários entram com as senhas de sempre; quem estava logado entra de novo. Os segredos dos receptores e dos segundos \
         fatores foram cifrados com a chave deste servidor.",
        manifest.base,
        manifest.name,
        manifest.moment,
        describe_speed(rows - before, took),
    ));
    super::print_line(if options.paused {
        "Os receptores estão pausados e nenhum e-mail que esperava será enviado: esta é uma cópia."
    } else {
        "Daqui em diante este servidor entrega os gatilhos que faltavam: não deixe o antigo no ar ao mesmo tempo."
    });
    if held_mails > 0 && !options.paused {
        super::print_line(&format!(
            "E-mails que esperavam no outro servidor e não serão enviados daqui: {held_mails}. Com --with-mails eles seriam."
        ));
    }
    if !options.with_hosts {
        super::print_line(
            "Os nomes de servidor do arquivo não foram tomados; acrescente os que valem aqui com `amparo tenant host add`.",
        );
    }
    Ok(ExitCode::SUCCESS)
}

/// `amparo bring --discard`
async fn discard_partial_restore(settings: &ServerSettings) -> Result<ExitCode, FatalError> {
    let mut app = super::open_app(settings).await?;
    app.files = super::open_file_store(settings, &DatabaseAddress::parse(&settings.database)?)?;
    let bar = build_spinner("{spinner} {pos} registros apagados");
    let discarded = archive::discard_unfinished_restore(&app, {
        let bar = bar.clone();
        move |rows| bar.set_position(rows)
    })
    .await;
    bar.finish_and_clear();
    app.db.close().await;
    let discarded = discarded?;
    super::print_line(&format!(
        "A base {}, que ficou pela metade, foi descartada: {} registros apagados, com os arquivos anexados dela.",
        discarded.tenant, discarded.rows
    ));
    Ok(ExitCode::SUCCESS)
}

fn read_path_argument(arguments: &ArgMatches, name: &str) -> Result<PathBuf, FatalError> {
    let path = arguments.get_one::<String>(name).filter(|text| !text.is_empty());
    path.map(PathBuf::from).ok_or_else(|| FatalError::new(format!("Falta o arquivo: --{name} ARQUIVO.")))
}

/// Like every command that handles secrets, but without a time limit on its single long read.
async fn open_app_without_limits(settings: &ServerSettings) -> Result<(App, Vault), FatalError> {
    let address = DatabaseAddress::parse(&settings.database)?;
    let key_file = super::resolve_key_file(settings, &address)?;
    // The file is read once from start to end, so it need not stay in the cache.
    let patient = DatabaseOptions {
        search_timeout: PATIENCE,
        unit_timeout: PATIENCE,
        mmap_mib: 0,
        ..settings.storage.options()
    };
    let (db, _) = storage::open_database(&address, &patient, SchemaPolicy::Expect).await?;
    let mut app = super::build_app(db, "")?;
    app.files = super::open_file_store(settings, &address)?;
    let vault = super::open_vault(&app, &key_file).await?;
    Ok((app, vault))
}

fn describe_speed(rows: u64, took: Duration) -> String {
    let millis = u64::try_from(took.as_millis()).unwrap_or(u64::MAX).max(1);
    let seconds = took.as_secs();
    format!(", em {} min {} s, {} por segundo", seconds / 60, seconds % 60, rows * 1000 / millis)
}
