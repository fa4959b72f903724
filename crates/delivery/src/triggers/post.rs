//! One delivery attempt: posts the message and reads the start of the response. Redirects are not followed, and only
//! the status decides the outcome.

use super::address_guard::AddressGuard;
use super::connect::{ConnectionRefusal, GuardedConnector};
use super::delivery_outcome::may_request_delay;
use super::sign;
use app::triggers::receivers::DeliveryTarget;
use app::triggers::{MessageSender, OutgoingMessage, ReceiverAnswer};
use domain::Moment;
use futures_util::future::BoxFuture;
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1::{self, SendRequest};
use hyper::header::{CONTENT_TYPE, HOST, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER, USER_AGENT};
use hyper::{Method, Request, Response, Uri};
use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

#[derive(Clone)]
pub struct HttpPoster {
    connector: GuardedConnector,
    timeout: Duration,
}

/// A keep-alive connection to a receiver; empty before the first message.
#[derive(Default)]
pub struct ReceiverConnection(Option<SendRequest<Full<Bytes>>>);

impl ReceiverConnection {
    pub fn is_open(&self) -> bool {
        self.0.as_ref().is_some_and(|sender| !sender.is_closed())
    }
}

impl MessageSender for HttpPoster {
    fn post<'a>(
        &'a self,
        target: &'a DeliveryTarget,
        message: OutgoingMessage<'a>,
    ) -> BoxFuture<'a, Result<ReceiverAnswer, String>> {
        Box::pin(async move {
            self.post_message(target, message, self.timeout, &mut ReceiverConnection::default()).await
        })
    }
}

/// Bytes of the response that are stored, and bytes that are read before the connection is closed.
const STORED_ANSWER_BYTES: usize = 500;
const READ_ANSWER_BYTES: usize = 64 * 1024;
/// How long to wait for the response body once the status is known.
const BODY_TIMEOUT: Duration = Duration::from_secs(2);
const AGENT: HeaderValue = HeaderValue::from_static(concat!("Amparo/", env!("CARGO_PKG_VERSION")));

impl HttpPoster {
    pub fn new(guard: AddressGuard, timeout: Duration) -> Result<HttpPoster, rustls::Error> {
        Ok(HttpPoster { connector: GuardedConnector::new(Arc::new(guard))?, timeout })
    }

    /// Posts a message with a timeout and reuses the connection where possible.
    #[boxed::future]
    pub async fn post_message(
        &self,
        target: &DeliveryTarget,
        message: OutgoingMessage<'_>,
        timeout: Duration,
        connection: &mut ReceiverConnection,
    ) -> Result<ReceiverAnswer, String> {
        let uri = target.address.join_path(wire::entity_path(message.entity));
        let uri = Uri::try_from(uri).map_err(|error| error.to_string())?;
        let request = build_request(target, &message, &uri)?;
        let started_at = Instant::now();
        let Ok(answer) = tokio::time::timeout(timeout, self.send_request(connection, uri, request)).await
        else {
            return Err(format!("não houve resposta em {} ms", timeout.as_millis()));
        };
        let left = timeout.saturating_sub(started_at.elapsed()).min(BODY_TIMEOUT);
        Ok(read_answer(answer?, connection, message.now, left).await)
    }

    /// Returns once the response head has arrived. The connection is kept only then: cancelling earlier closes it.
    async fn send_request(
        &self,
        connection: &mut ReceiverConnection,
        uri: Uri,
        mut request: Request<Full<Bytes>>,
    ) -> Result<Response<Incoming>, String> {
        if let Some(mut reused) = connection.0.take()
            && reused.ready().await.is_ok()
        {
            match reused.try_send_request(request).await {
                Ok(response) => {
                    connection.0 = Some(reused);
                    return Ok(response);
                }
                // The receiver closed the connection meanwhile: an unsent request goes over a new one.
                Err(mut error) => match error.take_message() {
                    Some(unsent) => request = unsent,
                    None => return Err(describe_failure(&error.into_error())),
                },
            }
        }
        let wire = self.connector.clone().connect(uri).await.map_err(|error| describe_failure(&error))?;
        let (mut sender, driver) = http1::handshake(wire).await.map_err(|error| describe_failure(&error))?;
        // The task ends when the connection is dropped or the receiver closes it.
        tokio::spawn(driver);
        let response = sender.send_request(request).await.map_err(|error| describe_failure(&error))?;
        connection.0 = Some(sender);
        Ok(response)
    }
}

/// Reads the response, waiting at most `body_timeout` for its body.
async fn read_answer(
    response: Response<Incoming>,
    connection: &mut ReceiverConnection,
    now: Moment,
    body_timeout: Duration,
) -> ReceiverAnswer {
    let (head, body) = response.into_parts();
    let status = head.status.as_u16();
    let retry_after = may_request_delay(status).then(|| parse_retry_after(&head.headers, now)).flatten();
    let mut body_start = Vec::new();
    let is_over =
        tokio::time::timeout(body_timeout, read_body_start(body, &mut body_start)).await.unwrap_or(false);
    // The remainder of a long response is not read, so its connection cannot be reused.
    if !is_over {
        connection.0 = None;
    }
    let text = Some(clean_answer_text(&body_start)).filter(|text| !text.is_empty());
    ReceiverAnswer { status, text, retry_after }
}

const ID: HeaderName = HeaderName::from_static("webhook-id");
const TIMESTAMP: HeaderName = HeaderName::from_static("webhook-timestamp");
const SIGNATURE: HeaderName = HeaderName::from_static("webhook-signature");

fn build_request(
    target: &DeliveryTarget,
    message: &OutgoingMessage<'_>,
    uri: &Uri,
) -> Result<Request<Full<Bytes>>, String> {
    let seconds = message.now.millis() / 1000;
    let signature =
        sign::sign_message(message.id, seconds, message.body, target.signing_secrets(message.now));
    let mut request = Request::builder()
        .method(Method::POST)
        .uri(uri.path())
        .header(HOST, uri.authority().map_or("", |authority| authority.as_str()))
        .header(CONTENT_TYPE, HeaderValue::from_static("application/json"))
        .header(USER_AGENT, AGENT)
        .header(ID, message.id)
        .header(TIMESTAMP, seconds)
        .header(SIGNATURE, signature)
        .body(Full::new(Bytes::copy_from_slice(message.body.as_bytes())))
        .map_err(|error| error.to_string())?;
    for (name, value) in &target.headers {
        let bad_header = || format!("o cabeçalho {name} não pode ser enviado");
        let header_name = HeaderName::try_from(name.as_str()).map_err(|_| bad_header())?;
        request
            .headers_mut()
            .insert(header_name, HeaderValue::try_from(value.as_str()).map_err(|_| bad_header())?);
    }
    Ok(request)
}

/// `Retry-After` is either a number of seconds or a date.
fn parse_retry_after(headers: &HeaderMap, now: Moment) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let at = jiff::fmt::rfc2822::parse(text).ok()?.timestamp().as_millisecond();
    Some(Moment::from_millis(at).duration_since(now))
}

/// Reads the body up to a limit and keeps its start; returns whether that was the entire body.
async fn read_body_start(mut body: Incoming, start: &mut Vec<u8>) -> bool {
    let mut read = 0;
    while read < READ_ANSWER_BYTES {
        let bytes = match body.frame().await {
            None => return true,
            Some(Err(_)) => return false,
            Some(Ok(frame)) => frame.into_data().unwrap_or_default(),
        };
        read += bytes.len();
        start.extend(bytes.iter().take(STORED_ANSWER_BYTES - start.len().min(STORED_ANSWER_BYTES)));
    }
    false
}

fn clean_answer_text(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    // A character cut in the middle.
    let text = text.trim_end_matches(char::REPLACEMENT_CHARACTER);
    text.chars()
        .map(|character| if character.is_control() { ' ' } else { character })
        .collect::<String>()
        .trim()
        .to_owned()
}

/// Uses the innermost cause, which is the most specific one.
fn describe_failure(error: &(dyn Error + 'static)) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    if let Some(inner) = cause.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref)
        && let Some(refusal) = inner.downcast_ref::<ConnectionRefusal>()
    {
        return refusal.to_string();
    }
    if let Some(http_error) = cause.downcast_ref::<hyper::Error>()
        && let Some(sentence) = describe_http_failure(http_error)
    {
        return sentence.to_owned();
    }
    use std::io::ErrorKind::{
        ConnectionAborted, ConnectionRefused, ConnectionReset, HostUnreachable, NetworkUnreachable, TimedOut,
        UnexpectedEof,
    };
    let sentence = match cause.downcast_ref::<std::io::Error>().map(std::io::Error::kind) {
        Some(ConnectionRefused) => "a conexão foi recusada",
        Some(ConnectionReset | ConnectionAborted | UnexpectedEof) => "a conexão foi encerrada",
        Some(HostUnreachable | NetworkUnreachable) => "não há caminho até o endereço",
        Some(TimedOut) => "o endereço não responde",
        _ => return format!("a entrega falhou: {}", cause.to_string().chars().take(200).collect::<String>()),
    };
    sentence.to_owned()
}

fn describe_http_failure(error: &hyper::Error) -> Option<&'static str> {
    if error.is_incomplete_message() {
        Some("a conexão foi encerrada antes da resposta")
    } else if error.is_parse_too_large() {
        Some("os cabeçalhos da resposta são longos demais")
    } else if error.is_parse() {
        Some("a resposta não é HTTP")
    } else if error.is_canceled() || error.is_closed() {
        Some("a conexão foi encerrada")
    } else {
        None
    }
}
