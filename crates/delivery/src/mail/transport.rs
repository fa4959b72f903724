//! Mail transports: an SMTP server (`mail.smtp`), or a folder of `.eml` files (`mail.folder`).

use domain::describe_error_chain;
use lettre::transport::smtp::response::Category;
use lettre::{AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor, transport};
use std::fs::{DirBuilder, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;
use storage::server::mails::LeasedMail;

/// Timeout for each SMTP command.
const ANSWER: Duration = Duration::from_secs(20);

pub enum MailTransport {
    Smtp(SmtpServer),
    /// Writes each mail to its own `.eml` file, which mail programs can open.
    Folder(PathBuf),
}

#[derive(Clone)]
pub struct SmtpServer {
    host: String,
    transport: AsyncSmtpTransport<Tokio1Executor>,
}

/// The URL is not a valid SMTP URL. It is not included, because it may contain a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidSmtpUrl;

impl SmtpServer {
    /// `smtps://user:password@server:465` or `smtp://user:password@server:587?tls=required`.
    pub fn parse(url: &str) -> Result<SmtpServer, InvalidSmtpUrl> {
        let builder = AsyncSmtpTransport::<Tokio1Executor>::from_url(url).map_err(|_| InvalidSmtpUrl)?;
        let host = parse_host(url).ok_or(InvalidSmtpUrl)?;
        Ok(SmtpServer { host, transport: builder.timeout(Some(ANSWER)).build() })
    }

    /// Connects and logs in without sending a mail. The error is the reason of the failure.
    #[boxed::future]
    pub async fn check_connection(&self) -> Result<(), String> {
        match tokio::time::timeout(ANSWER, self.transport.test_connection()).await {
            Ok(Ok(true)) => Ok(()),
            Ok(Ok(false)) => Err("the mail server does not answer".to_owned()),
            Ok(Err(error)) => Err(describe_error_chain(&error)),
            Err(_) => Err("the mail server does not answer".to_owned()),
        }
    }

    /// The host name, without the login.
    pub fn host(&self) -> &str {
        &self.host
    }
}

fn parse_host(url: &str) -> Option<String> {
    let (_, rest) = url.split_once("://")?;
    let place = rest.split(['/', '?', '#']).next()?.rsplit('@').next()?;
    let host = match place.strip_prefix('[') {
        Some(bracketed) => bracketed.split(']').next()?,
        None => place.split(':').next()?,
    };
    Some(host.to_owned()).filter(|host| !host.is_empty())
}

pub(super) struct SendFailure {
    pub cause: String,
    /// A retry would fail in the same way.
    pub is_permanent: bool,
    /// The SMTP status without the server's text, which may repeat the recipient's address and must not be logged.
    status: Option<String>,
}

impl SendFailure {
    pub fn new_permanent(cause: String) -> SendFailure {
        SendFailure { cause, is_permanent: true, status: None }
    }

    pub fn new_transient(cause: String) -> SendFailure {
        SendFailure { cause, is_permanent: false, status: None }
    }

    /// The text that is safe to log.
    pub fn log_summary(&self) -> &str {
        self.status.as_deref().unwrap_or(&self.cause)
    }

    pub fn from_timeout() -> SendFailure {
        SendFailure::new_transient("the mail server took too long".to_owned())
    }
}

impl From<transport::smtp::Error> for SendFailure {
    fn from(error: transport::smtp::Error) -> SendFailure {
        // 53x is about the server's login, not about this mail. The administrator fixes it, and until then no mail is
        // lost.
        let about_us = error.status().is_some_and(|code| code.category == Category::Unspecified3);
        let status = error.status().map(|code| format!("smtp status {code}"));
        SendFailure {
            is_permanent: error.is_permanent() && !about_us,
            cause: describe_error_chain(&error),
            status,
        }
    }
}

impl MailTransport {
    pub(super) async fn send(&self, message: &Message, mail: &LeasedMail) -> Result<(), SendFailure> {
        match self {
            MailTransport::Smtp(smtp) => {
                smtp.transport.send_raw(message.envelope(), &message.formatted()).await?;
                tracing::info!(tenant = %mail.tenant, code = %mail.code, "mail sent");
            }
            MailTransport::Folder(folder) => {
                let (path, bytes) = (folder.join(build_file_name(mail)), message.formatted());
                let written =
                    tokio::task::spawn_blocking(move || write_file_atomically(&path, &bytes).map(|()| path))
                        .await;
                let written = written.map_err(|error| SendFailure::new_transient(error.to_string()))?;
                let path = written.map_err(|error| {
                    SendFailure::new_transient(format!("cannot write into {}: {error}", folder.display()))
                })?;
                tracing::info!(path = %path.display(), "mail written");
            }
        }
        Ok(())
    }
}

/// Starts with the creation time, so that files sort by age. A repeat gets the same name.
fn build_file_name(mail: &LeasedMail) -> String {
    let date = mail.created_at.to_iso().replace(':', "-");
    format!("{date}-{}-{}.eml", mail.tenant, mail.code)
}

/// Writes the file atomically, readable by its owner only: it may contain a password.
fn write_file_atomically(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let unfinished = path.with_extension("tmp");
    // Does not reuse a file left by a crashed process: it may have other permissions.
    let _ = std::fs::remove_file(&unfinished);
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&unfinished)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    std::fs::rename(&unfinished, path)?;
    // The directory entry must be durable too: a mail recorded as sent exists only in this file.
    std::fs::File::open(folder)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_named_without_its_login() {
        for (url, host) in [
            ("smtps://ana:se%40nha@mail.exemplo.com.br:465", "mail.exemplo.com.br"),
            ("smtp://ana:senha@mail.exemplo.com.br:587?tls=required", "mail.exemplo.com.br"),
            ("smtp://127.0.0.1:2525", "127.0.0.1"),
            ("smtp://[::1]:2525/meu.nome", "::1"),
        ] {
            assert_eq!(SmtpServer::parse(url).map(|smtp| smtp.host().to_owned()), Ok(host.to_owned()));
        }
        for bad in
            ["mail.exemplo.com.br:587", "http://a", "smtp://a?tls=talvez", "smtp://", "***", "smtp://a:b"]
        {
            assert!(SmtpServer::parse(bad).is_err(), "{bad}");
        }
    }
}
