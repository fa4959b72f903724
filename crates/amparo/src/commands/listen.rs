//! `amparo listen`: a receiver for developers. It prints each trigger, checks its signature, and answers as configured
//! by its flags.

use crate::fatal::FatalError;
use crate::settings::ServerSettings;
use crate::system::SystemClock;
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::routing::post;
use clap::ArgMatches;
use delivery::triggers::sign;
use domain::{Clock, SigningSecret};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tokio::sync::Notify;

/// The largest clock difference in seconds, as Standard Webhooks recommends.
const TOLERANCE: i64 = 300;

struct TestReceiver {
    secret: Option<SigningSecret>,
    status: StatusCode,
    /// How many triggers are still to be refused.
    refused: AtomicU32,
    delay: Duration,
    /// How many triggers to wait for, if a number was given.
    awaited: Option<AtomicU32>,
    done: Notify,
}

pub async fn run_test_receiver(
    settings: &ServerSettings,
    arguments: &ArgMatches,
) -> Result<ExitCode, FatalError> {
    let delay = match arguments.get_one::<String>("delay") {
        Some(text) => crate::settings::parse_duration(text).ok_or_else(|| {
            FatalError::new(format!("\"{text}\" não é uma duração; use algo como 500ms ou 2s."))
        })?,
        None => Duration::ZERO,
    };
    let secret = match arguments.get_one::<String>("secret") {
        Some(text) => Some(SigningSecret::parse(text).ok_or_else(|| {
            FatalError::new("O segredo não serve; use o texto whsec_… que o cadastro do receptor mostrou.")
        })?),
        None => None,
    };
    let status = arguments.get_one::<u16>("status").and_then(|code| StatusCode::from_u16(*code).ok());
    let receiver = Arc::new(TestReceiver {
        secret,
        status: status.unwrap_or(StatusCode::NO_CONTENT),
        refused: AtomicU32::new(arguments.get_one::<u32>("fail").copied().unwrap_or(0)),
        delay,
        awaited: arguments.get_one::<u32>("count").copied().map(AtomicU32::new),
        done: Notify::new(),
    });
    let listener = tokio::net::TcpListener::bind(&settings.listen).await.map_err(|error| {
        FatalError::new(format!("Não foi possível escutar em {}: {error}.", settings.listen))
    })?;
    let at =
        listener.local_addr().map_err(|error| FatalError::new(format!("O endereço se perdeu: {error}.")))?;
    super::print_line(&format!("Escutando em http://{at}; os gatilhos que chegarem aparecem aqui."));
    let router = Router::new().fallback(post(receive_trigger)).with_state(Arc::clone(&receiver));
    axum::serve(listener, router)
        .with_graceful_shutdown(async move { receiver.done.notified().await })
        .await
        .map_err(|error| FatalError::new(format!("A escuta terminou: {error}.")))?;
    Ok(ExitCode::SUCCESS)
}

async fn receive_trigger(
    State(receiver): State<Arc<TestReceiver>>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> StatusCode {
    let text = String::from_utf8_lossy(&body);
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or("");
    let at: i64 = header("webhook-timestamp").parse().unwrap_or(0);
    let is_near = (SystemClock.now().millis() / 1000).abs_diff(at) <= TOLERANCE.unsigned_abs();
    let checked = receiver.secret.as_ref().map(|secret| {
        is_near
            && sign::is_signature_valid(header("webhook-signature"), header("webhook-id"), at, &text, secret)
    });
    let signed = match checked {
        None => "não conferida (use --secret)",
        Some(true) => "válida",
        Some(false) if !is_near => {
            "INVÁLIDA: o gatilho foi recusado; a hora dele difere da daqui em mais de 5 minutos"
        }
        Some(false) => "INVÁLIDA: o gatilho foi recusado; confira o segredo",
    };
    let left = receiver.refused.load(Ordering::Relaxed);
    let refuses = left > 0 && receiver.refused.fetch_sub(1, Ordering::Relaxed) > 0;
    let status = match checked {
        Some(false) => StatusCode::UNAUTHORIZED,
        _ if refuses => StatusCode::INTERNAL_SERVER_ERROR,
        _ => receiver.status,
    };
    super::print_line(&format!(
        "\nPOST {uri}\nwebhook-id: {}\nassinatura: {signed}\nresposta: {}\n{}",
        header("webhook-id"),
        status.as_u16(),
        format_body(&text)
    ));
    tokio::time::sleep(receiver.delay).await;
    if receiver.awaited.as_ref().is_some_and(|left| left.fetch_sub(1, Ordering::Relaxed) == 1) {
        receiver.done.notify_one();
    }
    status
}

/// The body with one field per line; a body that is not JSON is printed unchanged.
fn format_body(text: &str) -> String {
    let value: Result<serde_json::Value, _> = serde_json::from_str(text);
    value.ok().and_then(|value| serde_json::to_string_pretty(&value).ok()).unwrap_or_else(|| text.to_owned())
}
