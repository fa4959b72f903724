//! `amparo mirror`: copies a tenant of another server through its API, with the same codes.

use super::output::build_spinner;
use crate::fatal::FatalError;
use crate::settings::{MIRROR_PASSWORD_VARIABLE, ServerSettings};
use clap::ArgMatches;
use domain::TenantId;
use exchange::mirror_store;
use mirror::{MirrorError, MirrorOptions, ProgressUpdate, RequestPace};
use std::io::IsTerminal;
use std::process::ExitCode;

pub async fn run_mirror(settings: &ServerSettings, arguments: &ArgMatches) -> Result<ExitCode, FatalError> {
    if arguments.get_flag("list-problems") {
        return list_mirror_problems(settings, arguments).await;
    }
    let options = build_mirror_request(arguments)?;
    let app = super::open_app(settings).await?;
    let bar = build_spinner("{spinner} {elapsed_precise} {msg}");
    let mut report_progress = |stage: ProgressUpdate| {
        let total = stage.of.map_or_else(String::new, |total| format!(" de {total}"));
        let done = stage.of.map_or(stage.done, |total| stage.done.min(total));
        bar.set_message(format!("{}: {done}{total} ({} requisições)", stage.what, stage.requests));
        bar.tick();
    };
    let done =
        Box::pin(mirror::run_mirror(&app, &options, mirror::build_runtime_sleep(), &mut report_progress))
            .await;
    bar.finish_and_clear();
    app.db.close().await;
    let report = done.map_err(convert_mirror_error)?;
    super::print_line(&report.render());
    Ok(ExitCode::SUCCESS)
}

fn convert_mirror_error(error: MirrorError) -> FatalError {
    match error {
        MirrorError::App(error) => FatalError::from(error),
        MirrorError::Trouble(trouble) => FatalError::new(format!(
            "O espelhamento parou: {trouble}. O que foi lido está guardado; o mesmo comando continua de onde parou."
        )),
        lost @ MirrorError::Lost => {
            FatalError::new(format!("O espelhamento parou: {lost}, que continua de onde este parou."))
        }
        missing @ MirrorError::Missing(..) => FatalError::new(format!("O espelhamento parou: {missing}.")),
        other @ (MirrorError::NoMirror(_) | MirrorError::OtherSource(..) | MirrorError::Busy(_)) => {
            FatalError::new(format!("O espelhamento não começou: {other}."))
        }
    }
}

fn read_text_argument(arguments: &ArgMatches, name: &str) -> Option<String> {
    arguments.get_one::<String>(name).cloned().filter(|text| !text.is_empty())
}

fn build_mirror_request(arguments: &ArgMatches) -> Result<MirrorOptions, FatalError> {
    let address = parse_source_address(
        &read_text_argument(arguments, "from").unwrap_or_default(),
        arguments.get_flag("without-tls"),
    )?;
    Ok(MirrorOptions {
        from: address,
        login: read_text_argument(arguments, "user").unwrap_or_default(),
        password: read_source_password(arguments)?,
        into: arguments.get_one::<i32>("base").copied().map(TenantId::new),
        name: read_text_argument(arguments, "name"),
        time_zone: read_text_argument(arguments, "time-zone")
            .unwrap_or_else(|| domain::TimeZone::DEFAULT.to_owned()),
        pace: RequestPace {
            per_second: arguments.get_one("rate").copied().unwrap_or(10),
            at_once: arguments.get_one::<u16>("parallel").copied().map_or(4, usize::from),
        },
        is_full: arguments.get_flag("whole"),
    })
}

/// The base URL before `/ext`. It receives the user and password, so it must be encrypted except on this machine.
fn parse_source_address(text: &str, without_tls: bool) -> Result<String, FatalError> {
    let bare = text.trim().trim_end_matches('/');
    let bare = bare.strip_suffix("/ext").unwrap_or(bare);
    let host = |rest: &str| rest.split(['/', '?']).next().unwrap_or_default().to_owned();
    // Text before an `@` is not the host, even if it looks like one.
    let is_host = |rest: &str| !host(rest).is_empty() && !host(rest).contains('@');
    if let Some(rest) = bare.strip_prefix("https://")
        && is_host(rest)
    {
        return Ok(bare.to_owned());
    }
    let Some(rest) = bare.strip_prefix("http://").filter(|rest| is_host(rest)) else {
        return Err(FatalError::new(format!(
            "O endereço \"{text}\" não serve para --from; use um como https://sistema.exemplo.com.br."
        )));
    };
    let host = host(rest);
    let name = host.rsplit_once(':').map_or(host.as_str(), |(name, _)| name);
    if without_tls || ["localhost", "127.0.0.1", "[::1]"].contains(&name) {
        return Ok(bare.to_owned());
    }
    Err(FatalError::new(
        "Por http:// o usuário, a senha e os dados viajariam abertos; use https://, ou --without-tls numa rede em que isso não importe.",
    ))
}

/// Never taken from the command line, where every user of the machine could read it.
fn read_source_password(arguments: &ArgMatches) -> Result<String, FatalError> {
    let password = std::env::var(MIRROR_PASSWORD_VARIABLE).ok().filter(|text| !text.is_empty());
    if let Some(password) = password.filter(|_| !arguments.get_flag("password-stdin")) {
        return Ok(password);
    }
    let mut line = String::new();
    let read = match (std::io::stdin().is_terminal(), arguments.get_flag("password-stdin")) {
        (true, _) => {
            rpassword::prompt_password("Digite a senha da origem e tecle Enter: ").map(|typed| line = typed)
        }
        (false, true) => std::io::stdin().read_line(&mut line).map(drop),
        (false, false) => {
            return Err(FatalError::new(format!(
                "Falta a senha da origem: dê-a pela variável {MIRROR_PASSWORD_VARIABLE}, ou por --password-stdin."
            )));
        }
    };
    read.map_err(|error| FatalError::new(format!("A senha não pôde ser lida da entrada padrão: {error}.")))?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}

/// One line for each record that could not be copied, for a spreadsheet or another program.
async fn list_mirror_problems(
    settings: &ServerSettings,
    arguments: &ArgMatches,
) -> Result<ExitCode, FatalError> {
    let app = super::open_app(settings).await?;
    let named = arguments.get_one::<i32>("base").copied().map(TenantId::new);
    let tenant = app::tenants::resolve_tenant(&app, named).await?.id;
    if mirror_store::find_mirror(&app, tenant).await?.is_none() {
        return Err(FatalError::new(format!(
            "A base {tenant} não é o espelho de outra; diga qual em --base."
        )));
    }
    let (mut kind, mut record, mut field) = (String::new(), 0, String::new());
    loop {
        let notes = mirror_store::list_notes_after(&app, tenant, (&kind, record, &field)).await?;
        for (kind, record, field, reason) in &notes {
            super::print_line(&format!("{kind}\t{record}\t{field}\t{reason}"));
        }
        let Some((last_kind, last, last_field, _)) = notes.into_iter().next_back() else { break };
        (kind, record, field) = (last_kind, last, last_field);
    }
    app.db.close().await;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_encrypted_but_on_this_machine() {
        let accepted = |text| parse_source_address(text, false).ok();
        assert_eq!(accepted("https://a.example/api/ext/"), Some("https://a.example/api".to_owned()));
        assert_eq!(accepted("http://127.0.0.1:8080"), Some("http://127.0.0.1:8080".to_owned()));
        assert_eq!(accepted("http://localhost/"), Some("http://localhost".to_owned()));
        for bad in [
            "http://localhost:80@evil.example",
            "https://a:b@evil.example",
            "http://a.example",
            "http://127.0.0.1.example",
            "a.example",
            "ftp://a",
            "https://",
            "",
        ] {
            assert_eq!(accepted(bad), None, "{bad}");
        }
        assert!(parse_source_address("http://a.example", true).is_ok());
    }
}
