//! Mail: whether it can be sent, and whether it is.

use super::CheckFinding;
use crate::commands::resolve_mail_folder;
use crate::fatal::describe_cause;
use crate::settings::ServerSettings;
use app::App;
use app::upkeep::checkup;
use domain::Moment;
use std::fs::{DirBuilder, File};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use storage::DatabaseAddress;

/// Connects to the mail server and signs in without sending anything, or checks that mail files can be written.
pub async fn check_transport(settings: &ServerSettings, address: &DatabaseAddress) -> CheckFinding {
    const WHAT: &str = "e-mail";
    let sender = &settings.mail.from;
    match (&settings.mail.smtp, resolve_mail_folder(settings, address)) {
        (Some(smtp), _) => match smtp.check_connection().await {
            Ok(()) => {
                CheckFinding::ok(WHAT, format!("sai por SMTP, pelo servidor {}, de {sender}.", smtp.host()))
            }
            Err(why) => CheckFinding::fault(
                WHAT,
                format!(
                    "não se pôde entrar no servidor SMTP {}: {}; confira mail.smtp. As mensagens esperam.",
                    smtp.host(),
                    describe_cause(&why)
                ),
            ),
        },
        (None, Ok(folder)) => match probe_folder(&folder) {
            Ok(()) => CheckFinding::warning(
                WHAT,
                format!(
                    "sem um servidor de e-mail (mail.smtp), cada mensagem vira um arquivo .eml em {}.",
                    folder.display()
                ),
            ),
            Err(error) => CheckFinding::fault(
                WHAT,
                format!(
                    "não se pode gravar em {}: {}; confira mail.folder e as permissões.",
                    folder.display(),
                    describe_cause(&error.to_string())
                ),
            ),
        },
        (None, Err(error)) => CheckFinding::from_error(WHAT, error),
    }
}

/// Writes and removes a file. A missing folder is created and removed again.
fn probe_folder(folder: &Path) -> std::io::Result<()> {
    let was_there = folder.exists();
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let probe = folder.join(format!(".doctor-{}", std::process::id()));
    let written = File::create(&probe).and_then(|file| file.sync_all());
    let _ = std::fs::remove_file(&probe);
    if !was_there {
        let _ = std::fs::remove_dir(folder);
    }
    written
}

/// Overdue mail, and mail that was given up.
pub async fn check_queue(app: &App) -> CheckFinding {
    const WHAT: &str = "fila de e-mail";
    let stuck = match checkup::find_stuck_mail(app).await {
        Ok(stuck) => stuck,
        Err(error) => return CheckFinding::from_error(WHAT, error),
    };
    match (stuck.waiting, stuck.oldest, stuck.given_up) {
        (0, _, 0) => CheckFinding::ok(WHAT, "nenhuma mensagem parada."),
        (0, _, given_up) => CheckFinding::warning(
            WHAT,
            format!("{given_up} mensagens recentes foram abandonadas; veja o motivo no console, em E-mails."),
        ),
        (waiting, oldest, _) => CheckFinding::warning(
            WHAT,
            format!(
                "{waiting} mensagens esperam, a mais antiga desde {}; confira o servidor de e-mail e se há um servidor no ar.",
                oldest.map(Moment::to_iso).unwrap_or_default()
            ),
        ),
    }
}
