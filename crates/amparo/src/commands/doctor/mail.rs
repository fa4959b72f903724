//! Mail: whether it can leave, and whether it does.

use super::Finding;
use crate::commands::mail_folder;
use crate::fatal::plainly;
use crate::settings::Settings;
use app::{App, checkup};
use domain::Moment;
use std::fs::{DirBuilder, File};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use storage::Address;

/// Connects to the mail server and logs in, without sending anything; or looks whether files can be written.
pub async fn check_transport(settings: &Settings, address: &Address) -> Finding {
    const WHAT: &str = "e-mail";
    let from = &settings.mail.from;
    match (&settings.mail.smtp, mail_folder(settings, address)) {
        (Some(smtp), _) => match smtp.check().await {
            Ok(()) => Finding::fine(WHAT, format!("sai por SMTP, pelo servidor {}, de {from}.", smtp.host())),
            Err(why) => Finding::fault(
                WHAT,
                format!(
                    "não se pôde entrar no servidor SMTP {}: {}; confira mail.smtp. As mensagens esperam.",
                    smtp.host(),
                    plainly(&why)
                ),
            ),
        },
        (None, Ok(folder)) => match try_folder(&folder) {
            Ok(()) => Finding::warning(
                WHAT,
                format!(
                    "sem um servidor de e-mail (mail.smtp), cada mensagem vira um arquivo .eml em {}.",
                    folder.display()
                ),
            ),
            Err(error) => Finding::fault(
                WHAT,
                format!(
                    "não se pode gravar em {}: {}; confira mail.folder e as permissões.",
                    folder.display(),
                    plainly(&error.to_string())
                ),
            ),
        },
        (None, Err(error)) => Finding::failed(WHAT, error),
    }
}

/// Writes and removes a file there. A folder that is not there yet is made and removed again.
fn try_folder(folder: &Path) -> std::io::Result<()> {
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

/// Mail that waits for longer than it should, and what was given up.
pub async fn check_queue(app: &App) -> Finding {
    const WHAT: &str = "fila de e-mail";
    let stuck = match checkup::find_stuck_mail(app).await {
        Ok(stuck) => stuck,
        Err(error) => return Finding::failed(WHAT, error),
    };
    match (stuck.waiting, stuck.oldest, stuck.given_up) {
        (0, _, 0) => Finding::fine(WHAT, "nenhuma mensagem parada."),
        (0, _, given_up) => Finding::warning(
            WHAT,
            format!("{given_up} mensagens recentes foram abandonadas; veja o motivo no console, em E-mails."),
        ),
        (waiting, oldest, _) => Finding::warning(
            WHAT,
            format!(
                "{waiting} mensagens esperam, a mais antiga desde {}; confira o servidor de e-mail e se há um servidor no ar.",
                oldest.map(Moment::to_iso).unwrap_or_default()
            ),
        ),
    }
}
