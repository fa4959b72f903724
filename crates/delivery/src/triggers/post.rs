//! One attempt: the message is posted, and its answer read as far as it matters. Nothing is followed, and nothing is
//! believed but the status.

use super::connect::{Connector, Refused};
use super::guard::Guard;
use super::sign;
use app::receivers::Keys;
use app::triggers::{Answer, Message, Post};
use domain::Moment;
use futures_util::future::BoxFuture;
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER, USER_AGENT};
use hyper::{Method, Request, StatusCode};
use hyper_util::client::legacy::Client;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

/// Posts messages over connections that it keeps.
#[derive(Clone)]
pub struct Poster {
    client: Client<Connector, Full<Bytes>>,
    timeout: Duration,
}

impl Post for Poster {
    fn post<'a>(&'a self, keys: &'a Keys, message: Message<'a>) -> BoxFuture<'a, Result<Answer, String>> {
        Box::pin(self.send(keys, message, self.timeout))
    }
}

/// What is kept of an answer, and what is read of it before the connection is given up.
const KEPT: usize = 500;
const READ: usize = 64 * 1024;
/// How long the rest of an answer is waited for once its status is known, which is what counts.
const REST: Duration = Duration::from_secs(2);
const AGENT: HeaderValue = HeaderValue::from_static(concat!("Amparo/", env!("CARGO_PKG_VERSION")));

impl Poster {
    pub fn new(guard: Guard, timeout: Duration) -> Result<Poster, rustls::Error> {
        let connector = Connector::new(Arc::new(guard))?;
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(Duration::from_secs(30))
            .pool_max_idle_per_host(64)
            .build(connector);
        Ok(Poster { client, timeout })
    }

    /// Posts a message within a time.
    pub async fn send(&self, keys: &Keys, message: Message<'_>, timeout: Duration) -> Result<Answer, String> {
        let request = request(keys, &message)?;
        match tokio::time::timeout(timeout, self.exchange(request, message.now)).await {
            Ok(answered) => answered,
            Err(_) => Err(format!("não houve resposta em {} ms", timeout.as_millis())),
        }
    }

    async fn exchange(&self, request: Request<Full<Bytes>>, now: Moment) -> Result<Answer, String> {
        let response = self.client.request(request).await.map_err(|error| told(&error))?;
        let (head, body) = response.into_parts();
        let patience = match head.status {
            StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => patience(&head.headers, now),
            _ => None,
        };
        let status = head.status.as_u16();
        let text = match status {
            // What a receiver says to a message that it took is nobody's business.
            200..=204 => {
                let _ = tokio::time::timeout(REST, drain(body)).await;
                None
            }
            _ => Some(beginning(body).await).filter(|text| !text.is_empty()),
        };
        Ok(Answer { status, text, patience })
    }
}

fn request(keys: &Keys, message: &Message<'_>) -> Result<Request<Full<Bytes>>, String> {
    let seconds = message.now.millis() / 1000;
    let signature = sign::signature(message.id, seconds, message.body, keys.secrets(message.now));
    let mut request = Request::builder()
        .method(Method::POST)
        .uri(keys.address.with(wire::entity_path(message.entity)))
        .header(CONTENT_TYPE, HeaderValue::from_static("application/json"))
        .header(USER_AGENT, AGENT)
        .header("webhook-id", message.id)
        .header("webhook-timestamp", seconds)
        .header("webhook-signature", signature)
        .body(Full::new(Bytes::copy_from_slice(message.body.as_bytes())))
        .map_err(|error| error.to_string())?;
    for (name, value) in &keys.headers {
        let bad = || format!("o cabeçalho {name} não pode ser enviado");
        let known = HeaderName::try_from(name.as_str()).map_err(|_| bad())?;
        request.headers_mut().insert(known, HeaderValue::try_from(value.as_str()).map_err(|_| bad())?);
    }
    Ok(request)
}

/// Seconds, or a moment.
fn patience(headers: &HeaderMap, now: Moment) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let at = jiff::fmt::rfc2822::parse(text).ok()?.timestamp().as_millisecond();
    Some(Moment::from_millis(at).since(now))
}

/// Reads the rest of a short answer, so that its connection serves again; a long one is cut off.
async fn drain(mut body: Incoming) {
    let mut read = 0;
    while read < READ {
        match body.frame().await {
            Some(Ok(frame)) => read += frame.data_ref().map_or(0, Bytes::len),
            _ => return,
        }
    }
}

async fn beginning(body: Incoming) -> String {
    let mut kept = Vec::new();
    let _ = tokio::time::timeout(REST, keep(body, &mut kept)).await;
    let text = String::from_utf8_lossy(&kept);
    // A sign that was cut in the middle.
    let text = text.trim_end_matches(char::REPLACEMENT_CHARACTER);
    text.chars().map(|sign| if sign.is_control() { ' ' } else { sign }).collect::<String>().trim().to_owned()
}

async fn keep(mut body: Incoming, kept: &mut Vec<u8>) {
    let mut read = 0;
    while read < READ {
        let Some(Ok(frame)) = body.frame().await else { return };
        let Some(bytes) = frame.data_ref() else { continue };
        read += bytes.len();
        kept.extend(bytes.iter().take(KEPT - kept.len().min(KEPT)));
    }
}

/// The last cause, which is the one that says something.
fn told(error: &(dyn Error + 'static)) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    if let Some(inner) = cause.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref)
        && let Some(refused) = inner.downcast_ref::<Refused>()
    {
        return refused.to_string();
    }
    match cause.downcast_ref::<std::io::Error>().map(std::io::Error::kind) {
        Some(std::io::ErrorKind::ConnectionRefused) => "a conexão foi recusada".to_owned(),
        Some(std::io::ErrorKind::ConnectionReset) => "a conexão foi encerrada".to_owned(),
        _ => cause.to_string().chars().take(200).collect(),
    }
}
