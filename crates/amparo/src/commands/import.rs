//! `amparo import`: imports a file from the command line, with or without a running server.

use crate::fatal::FatalError;
use crate::settings::ServerSettings;
use app::App;
use app::idempotency::IdempotentWrite;
use clap::ArgMatches;
use domain::{BranchCode, ImportCode, ImportState, TenantId};
use exchange::import::{self, ColumnMapping, ImportCaller, StoredImportRun};
use indicatif::{ProgressBar, ProgressStyle};
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;
use storage::DatabaseAddress;
use wire::read::FieldPatch;

/// Problems printed; the rest is in the error file.
const SHOWN: i64 = 20;
/// How often the state is polled while another process runs the import.
const LOOK: Duration = Duration::from_millis(300);

pub async fn run_import(settings: &ServerSettings, arguments: &ArgMatches) -> Result<ExitCode, FatalError> {
    let app = super::open_app(settings).await?;
    // A server that starts meanwhile leaves the lease of this process alone.
    let _lock = storage::lock_for_import(&DatabaseAddress::parse(&settings.database)?)?;
    let tenant = super::resolve_tenant(&app, arguments).await?;
    let caller = ImportCaller::for_command(tenant);
    let number = |name| arguments.get_one::<i32>(name).copied().map(ImportCode::new);
    let ended = match (number("undo"), number("resume")) {
        (Some(code), _) => {
            import::undo_import(&app, &caller, code, IdempotentWrite::without_key()).await?;
            complete_import_run(&app, tenant, code).await?
        }
        (None, Some(code)) => {
            let import = import::load_import(&app, &caller, code).await?;
            // An import that never started cannot be resumed, which is reported; one that is running is waited for.
            if matches!(import.state, ImportState::Paused | ImportState::Reading | ImportState::Ready) {
                import::resume_import(&app, &caller, code, IdempotentWrite::without_key()).await?;
            }
            complete_import_run(&app, tenant, code).await?
        }
        (None, None) => import_file(&app, &caller, arguments).await?,
    };
    let exit = report_import_outcome(&app, &caller, &ended, arguments).await?;
    app.db.close().await;
    Ok(exit)
}

/// Reads the file, then runs a dry run or the import.
async fn import_file(
    app: &App,
    caller: &ImportCaller,
    arguments: &ArgMatches,
) -> Result<StoredImportRun, FatalError> {
    let text = |name| arguments.get_one::<String>(name).map(String::as_str);
    let (Some(path), Some(kind)) =
        (text("file"), text("kind").and_then(wire::import_sheet::parse_import_kind))
    else {
        return Err(FatalError::new(format!(
            "Diga o que importar, por exemplo `amparo import ARQUIVO --kind associados`. O tipo é {}.",
            wire::import_sheet::join_import_kinds()
        )));
    };
    let mut columns = Vec::new();
    for pair in arguments.get_many::<String>("map").into_iter().flatten() {
        let Some((column, field)) = pair.rsplit_once('=') else {
            return Err(FatalError::new(format!(
                "Em --map use COLUNA=CAMPO, como \"Nº doc=cpfCnpj\"; veio \"{pair}\"."
            )));
        };
        columns.push((column.trim().to_owned(), field.trim().to_owned()));
    }
    let file = File::open(path)
        .map_err(|error| FatalError::new(format!("O arquivo {path} não pôde ser aberto: {error}.")))?;
    let name = Path::new(path).file_name().map(|name| name.to_string_lossy().into_owned());
    let import = import::receive_local_file(
        app,
        caller,
        kind,
        &name.unwrap_or_default(),
        file,
        IdempotentWrite::without_key(),
    )
    .await?
    .into_fresh()?;
    let code = import.code;
    let branch = arguments.get_one::<i32>("branch").copied().map(BranchCode::new);
    let mapping = ColumnMapping { columns, branch: branch.map_or(FieldPatch::Keep, FieldPatch::Set) };
    let import = import::map_import_columns(app, caller, code, mapping, IdempotentWrite::without_key())
        .await?
        .into_fresh()?;
    print_columns(&import);
    match arguments.get_flag("dry-run") {
        true => import::start_dry_run(app, caller, code, IdempotentWrite::without_key()).await?,
        false => {
            import::start_import(
                app,
                caller,
                code,
                arguments.get_flag("triggers"),
                IdempotentWrite::without_key(),
            )
            .await?
        }
    };
    complete_import_run(app, caller.scope.tenant(), code).await
}

fn print_columns(import: &StoredImportRun) {
    super::print_line(&format!(
        "Importação {}: {} linhas em {}.",
        import.code, import.total, import.file_name
    ));
    for (header, field) in import.headers.iter().zip(&import.mapping) {
        match wire::import_sheet::find_import_field(import.kind, field) {
            Some(column) => super::print_line(&format!("  {header} → {} ({field})", column.label)),
            None => super::print_line(&format!("  {header} → ignorada")),
        }
    }
}

/// Runs the import here, or waits for the server that runs it.
async fn complete_import_run(
    app: &App,
    tenant: TenantId,
    code: ImportCode,
) -> Result<StoredImportRun, FatalError> {
    let style = ProgressStyle::with_template("{bar:40} {pos} de {len} linhas, faltam {eta}");
    let bar = ProgressBar::new(0).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    let show = |import: &StoredImportRun| {
        let (done, all) = import::measure_progress(import);
        bar.set_length(all.unsigned_abs());
        bar.set_position(done.unsigned_abs());
    };
    let caller = ImportCaller::for_command(tenant);
    let ended = loop {
        let import = match import::run_import(app, tenant, code, &mut |import| show(import)).await? {
            Some(import) => import,
            None => import::load_import(app, &caller, code).await?,
        };
        show(&import);
        match import.state {
            ImportState::Checking | ImportState::Running | ImportState::Undoing => {
                tokio::time::sleep(LOOK).await;
            }
            _ => break import,
        }
    };
    bar.finish_and_clear();
    Ok(ended)
}

/// Reports the outcome. The exit code is 2 if rows were refused, or could not be undone.
async fn report_import_outcome(
    app: &App,
    caller: &ImportCaller,
    import: &StoredImportRun,
    arguments: &ArgMatches,
) -> Result<ExitCode, FatalError> {
    let (code, counts) = (import.code, &import.counts);
    let summary = match import.state {
        ImportState::Undone => format!(
            "Importação {code} desfeita: {} removidos, {} restaurados, {} mantidos.",
            counts.removed, counts.restored, counts.kept
        ),
        ImportState::Checked => format!(
            "Conferência: {} seriam criados, {} alterados, {} já estão assim, {} linhas com erro. Nada foi gravado.",
            counts.created, counts.changed, counts.same, counts.refused
        ),
        ImportState::Paused => format!(
            "Importação {code} pausada em {} de {} linhas; retome com: amparo import --resume {code}",
            counts.processed_lines(),
            import.total
        ),
        ImportState::Reading | ImportState::Ready => {
            format!("Importação {code} ainda não começou; nada foi gravado.")
        }
        ImportState::Checking | ImportState::Running | ImportState::Undoing => {
            format!("Importação {code} em andamento.")
        }
        ImportState::Done => format!(
            "Importação {code} concluída: {} criados, {} alterados, {} sem mudança, {} recusados.",
            counts.created, counts.changed, counts.same, counts.refused
        ),
    };
    super::print_line(&summary);
    if import.state == ImportState::Undone {
        for one in import::list_kept_rows(app, caller, code, (0, SHOWN)).await? {
            let record = one.record.map(|record| format!(" (código {record})")).unwrap_or_default();
            super::print_line(&format!("  linha {}{record}: {}", one.line, one.because));
        }
        return Ok(if counts.kept == 0 { ExitCode::SUCCESS } else { ExitCode::from(2) });
    }
    for one in import::list_import_problems(app, caller, code, (0, SHOWN)).await? {
        let column = one.header.map(|header| format!(", {header}")).unwrap_or_default();
        super::print_line(&format!("  linha {}{column}: {}", one.line, one.text));
    }
    if counts.refused > SHOWN {
        super::print_line("  …");
    }
    if let Some(path) = arguments.get_one::<String>("errors").filter(|_| counts.refused > 0) {
        write_error_file(app, caller, import, path).await?;
        super::print_line(&format!("As linhas recusadas estão em {path}: corrija e importe de novo."));
    }
    if import.state == ImportState::Done {
        super::print_line(&format!("Por 7 dias pode ser desfeita: amparo import --undo {code}"));
    }
    Ok(if counts.refused == 0 { ExitCode::SUCCESS } else { ExitCode::from(2) })
}

async fn write_error_file(
    app: &App,
    caller: &ImportCaller,
    import: &StoredImportRun,
    path: &str,
) -> Result<(), FatalError> {
    let cannot =
        |error: std::io::Error| FatalError::new(format!("O arquivo {path} não pôde ser gravado: {error}."));
    let mut errors = import::open_error_file(app, caller, import).await?;
    let mut file = File::create(path).map_err(cannot)?;
    while let Some(piece) = errors.next().await? {
        file.write_all(&piece).map_err(cannot)?;
    }
    Ok(())
}
