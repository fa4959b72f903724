//! HTTP client for the source: limits the request rate, retries transient errors, and reports permanent ones.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use domain::{Clock, Moment};
use futures_util::future::BoxFuture;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::Bytes;
use hyper::header::{ACCEPT, AUTHORIZATION, CONTENT_LENGTH, HeaderMap, RETRY_AFTER, USER_AGENT};
use hyper::{Method, Request, StatusCode};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client as Http;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use serde_json::Value as Json;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::{Mutex, RwLock, Semaphore};
use tokio::time::Instant;

/// Sleeps for a duration. Replaced in tests.
pub type SleepFunction = Arc<dyn Fn(Duration) -> BoxFuture<'static, ()> + Send + Sync>;

pub fn build_runtime_sleep() -> SleepFunction {
    Arc::new(|span| Box::pin(tokio::time::sleep(span)))
}

/// Limits of the request rate.
#[derive(Clone, Copy, Debug)]
pub struct RequestPace {
    /// 0 means unlimited.
    pub per_second: u32,
    /// Concurrent requests.
    pub at_once: usize,
}

#[derive(Clone, Debug)]
pub enum SourceAnswer {
    Json {
        body: Json,
        /// `X-Total-Count`, if present: the list is paginated.
        total: Option<i64>,
    },
    /// 404.
    Absent,
    /// Any other refusal, with the start of its text.
    Refused(u16, String),
}

#[derive(Clone, Debug, thiserror::Error)]
pub enum SourceError {
    /// Nothing more can be read.
    #[error("{0}")]
    Fatal(String),
    /// Only this request failed; others may succeed.
    #[error("{0}")]
    Single(String),
}

/// Maximum attempts after a transient error, and maximum waits requested by the source.
const REQUEST_ATTEMPTS: u32 = 6;
const MOST_REQUESTED_WAITS: u32 = 200;
/// After this many consecutive failed requests the source counts as down.
const FAILURES_UNTIL_DOWN: u32 = 25;
const REQUEST_TIMEOUT: Duration = Duration::from_mins(2);
const LONGEST_WAIT: Duration = Duration::from_hours(1);
/// Response limits, larger than any record and any list of an association.
const LARGEST_RECORD: usize = 16 * 1024 * 1024;
const LARGEST_LIST: usize = 512 * 1024 * 1024;
const AGENT: &str = concat!("Amparo/", env!("CARGO_PKG_VERSION"), " (espelho)");

pub struct SourceClient {
    http: Http<HttpsConnector<HttpConnector>, Full<Bytes>>,
    base: String,
    basic: String,
    pace: RequestPace,
    places: Semaphore,
    /// When the next request may start.
    next: Mutex<Instant>,
    /// The generation of the token, and the token.
    token: RwLock<(u64, String)>,
    /// Serializes sign-ins, because some sources revoke the previous token with each new one.
    entering: Mutex<()>,
    clock: Arc<dyn Clock>,
    sleep: SleepFunction,
    request_count: AtomicU64,
    unread: AtomicU32,
}

/// A response that was not evaluated yet.
struct RawResponse {
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
}

impl SourceClient {
    pub fn new(
        base: &str,
        (login, password): (&str, &str),
        pace: RequestPace,
        clock: Arc<dyn Clock>,
        sleep: SleepFunction,
    ) -> Result<SourceClient, SourceError> {
        let provider = rustls::crypto::ring::default_provider();
        let connector = HttpsConnectorBuilder::new()
            .with_provider_and_native_roots(provider)
            .map_err(|error| {
                SourceError::Fatal(format!("os certificados do sistema não puderam ser lidos: {error}"))
            })?
            .https_or_http()
            .enable_http1()
            .build();
        let http = Http::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(Duration::from_secs(30))
            .build(connector);
        Ok(SourceClient {
            http,
            base: base.to_owned(),
            basic: format!("Basic {}", STANDARD.encode(format!("{login}:{password}"))),
            places: Semaphore::new(pace.at_once.max(1)),
            pace,
            next: Mutex::new(Instant::now()),
            token: RwLock::default(),
            entering: Mutex::default(),
            clock,
            sleep,
            request_count: AtomicU64::new(0),
            unread: AtomicU32::new(0),
        })
    }

    pub fn request_count(&self) -> u64 {
        self.request_count.load(Ordering::Relaxed)
    }

    pub fn concurrency(&self) -> usize {
        self.pace.at_once.max(1)
    }

    /// Exchanges the user and password for a token; returns the access record.
    #[boxed::future]
    pub async fn sign_in(&self) -> Result<Json, SourceError> {
        let generation = self.token.read().await.0;
        let basic = self.basic.clone();
        let answer = self
            .request_with_retry(Method::POST, "/ext/autenticacao", LARGEST_RECORD, |_| basic.clone(), false)
            .await?;
        let record = match answer {
            SourceAnswer::Json { body, .. } => body,
            SourceAnswer::Refused(401, _) => {
                return Err(SourceError::Fatal("a origem não aceitou o usuário e a senha".to_owned()));
            }
            SourceAnswer::Absent => {
                return Err(SourceError::Fatal(
                    "o endereço não leva a esta interface: não há /ext/autenticacao".to_owned(),
                ));
            }
            SourceAnswer::Refused(status, text) => {
                return Err(SourceError::Fatal(format!("a origem recusou a entrada ({status}): {text}")));
            }
        };
        let Some(token) = record["authorizationToken"].as_str().filter(|text| !text.is_empty()) else {
            return Err(SourceError::Fatal("a origem não deu um token".to_owned()));
        };
        *self.token.write().await = (generation + 1, token.to_owned());
        Ok(record)
    }

    /// Whether the token differs from the rejected one: renewed by another request, or by this one, which may do so
    /// only once.
    async fn renew_token(&self, generation: u64, has_signed_in: &mut bool) -> Result<bool, SourceError> {
        let _entering = self.entering.lock().await;
        if self.token.read().await.0 != generation {
            return Ok(true);
        }
        if std::mem::replace(has_signed_in, true) {
            return Ok(false);
        }
        Box::pin(self.sign_in()).await?;
        Ok(true)
    }

    /// A record, or the child records of one.
    #[boxed::future]
    pub async fn get(&self, path: &str) -> Result<SourceAnswer, SourceError> {
        self.request_with_retry(Method::GET, path, LARGEST_RECORD, |token| format!("Bearer {token}"), true)
            .await
    }

    /// A list, which may come complete even if a page was requested. Lists are never requested concurrently.
    #[boxed::future]
    pub async fn get_list(&self, path: &str) -> Result<SourceAnswer, SourceError> {
        self.request_with_retry(Method::GET, path, LARGEST_LIST, |token| format!("Bearer {token}"), true)
            .await
    }

    async fn request_with_retry(
        &self,
        method: Method,
        path: &str,
        largest: usize,
        authorization: impl Fn(&str) -> String,
        enters: bool,
    ) -> Result<SourceAnswer, SourceError> {
        let (mut tries, mut waits, mut has_signed_in) = (0, 0, false);
        loop {
            let (generation, token) = self.token.read().await.clone();
            let failed = match self.send_request(&method, path, largest, authorization(&token)).await {
                Ok(raw) => match self.judge_response(&raw) {
                    ResponseVerdict::Answer(answer) => {
                        self.unread.store(0, Ordering::Relaxed);
                        return Ok(answer);
                    }
                    ResponseVerdict::SignIn
                        if enters && self.renew_token(generation, &mut has_signed_in).await? =>
                    {
                        continue;
                    }
                    // Some servers answer 401 if the user lacks the permission for this operation.
                    ResponseVerdict::SignIn => {
                        return Ok(SourceAnswer::Refused(401, "o token não serve".to_owned()));
                    }
                    ResponseVerdict::Wait(span) if waits < MOST_REQUESTED_WAITS => {
                        // The token may expire while waiting.
                        (waits, has_signed_in) = (waits + 1, false);
                        self.pause_requests(span.unwrap_or_else(|| compute_backoff(waits))).await;
                        continue;
                    }
                    ResponseVerdict::Wait(_) => {
                        AttemptFailure::Unusable("pediu paciência vezes demais".to_owned())
                    }
                    ResponseVerdict::Retry(reason) => AttemptFailure::Unusable(reason),
                },
                Err(failed) => failed,
            };
            (tries, has_signed_in) = (tries + 1, false);
            tracing::debug!(tries, reason = failed.reason(), "a request to the source failed");
            if tries >= REQUEST_ATTEMPTS {
                return Err(self.give_up(failed));
            }
            (self.sleep)(compute_backoff(tries)).await;
        }
    }

    fn give_up(&self, failed: AttemptFailure) -> SourceError {
        match failed {
            AttemptFailure::Unreached(reason) => {
                SourceError::Fatal(format!("a origem não pôde ser alcançada: {reason}"))
            }
            AttemptFailure::Unusable(reason)
                if self.unread.fetch_add(1, Ordering::Relaxed) + 1 >= FAILURES_UNTIL_DOWN =>
            {
                SourceError::Fatal(format!(
                    "a origem não responde como deve, {FAILURES_UNTIL_DOWN} vezes seguidas: {reason}"
                ))
            }
            AttemptFailure::Unusable(reason) => SourceError::Single(reason),
        }
    }

    async fn send_request(
        &self,
        method: &Method,
        path: &str,
        largest: usize,
        authorization: String,
    ) -> Result<RawResponse, AttemptFailure> {
        let _place =
            self.places.acquire().await.map_err(|error| AttemptFailure::Unusable(error.to_string()))?;
        self.wait_turn().await;
        self.request_count.fetch_add(1, Ordering::Relaxed);
        let request = Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.base))
            .header(AUTHORIZATION, authorization)
            .header(ACCEPT, "application/json")
            .header(USER_AGENT, AGENT)
            .header(CONTENT_LENGTH, 0)
            .body(Full::default())
            .map_err(|error| AttemptFailure::Unreached(error.to_string()))?;
        let exchange = async {
            let response = self.http.request(request).await.map_err(|error| match error.is_connect() {
                true => AttemptFailure::Unreached(describe_cause(&error)),
                false => AttemptFailure::Unusable(describe_cause(&error)),
            })?;
            let (head, body) = response.into_parts();
            let body = Limited::new(body, largest).collect().await;
            let body = body.map_err(|error| match error.is::<LengthLimitError>() {
                true => {
                    AttemptFailure::Unusable(format!("a resposta passa de {} MiB", largest / 1024 / 1024))
                }
                false => AttemptFailure::Unusable(describe_cause(error.as_ref())),
            })?;
            Ok(RawResponse { status: head.status, headers: head.headers, body: body.to_bytes() })
        };
        let late =
            |_| AttemptFailure::Unusable(format!("não houve resposta em {} s", REQUEST_TIMEOUT.as_secs()));
        tokio::time::timeout(REQUEST_TIMEOUT, exchange).await.map_err(late)?
    }

    fn judge_response(&self, raw: &RawResponse) -> ResponseVerdict {
        // The text is shown on a terminal.
        let answer_text = || {
            let text = String::from_utf8_lossy(&raw.body).trim().chars().take(200).collect::<String>();
            text.replace(char::is_control, " ")
        };
        match raw.status {
            StatusCode::UNAUTHORIZED => ResponseVerdict::SignIn,
            StatusCode::NOT_FOUND => ResponseVerdict::Answer(SourceAnswer::Absent),
            StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => {
                ResponseVerdict::Wait(parse_retry_after(&raw.headers, self.clock.now()))
            }
            status if status.is_success() => match serde_json::from_slice(&raw.body) {
                Ok(body) => {
                    let total =
                        raw.headers.get("x-total-count").and_then(|text| text.to_str().ok()?.parse().ok());
                    ResponseVerdict::Answer(SourceAnswer::Json { body, total })
                }
                Err(_) => ResponseVerdict::Retry("a resposta não é JSON".to_owned()),
            },
            status if status.is_server_error() || status == StatusCode::REQUEST_TIMEOUT => {
                ResponseVerdict::Retry(format!("a origem respondeu {}", status.as_u16()))
            }
            status => ResponseVerdict::Answer(SourceAnswer::Refused(status.as_u16(), answer_text())),
        }
    }

    async fn wait_turn(&self) {
        let interval = match self.pace.per_second {
            0 => Duration::ZERO,
            many => Duration::from_secs(1) / many,
        };
        let at = {
            let mut next = self.next.lock().await;
            let at = (*next).max(Instant::now());
            *next = at + interval;
            at
        };
        let span = at.saturating_duration_since(Instant::now());
        if !span.is_zero() {
            (self.sleep)(span).await;
        }
    }

    /// Delays all requests.
    async fn pause_requests(&self, span: Duration) {
        let span = span.min(LONGEST_WAIT);
        {
            let mut next = self.next.lock().await;
            *next = (*next).max(Instant::now() + span);
        }
        (self.sleep)(span).await;
    }
}

enum ResponseVerdict {
    Answer(SourceAnswer),
    SignIn,
    Wait(Option<Duration>),
    Retry(String),
}

enum AttemptFailure {
    /// The source could not be reached.
    Unreached(String),
    /// There was no answer, or no usable one.
    Unusable(String),
}

impl AttemptFailure {
    fn reason(&self) -> &str {
        match self {
            AttemptFailure::Unreached(reason) | AttemptFailure::Unusable(reason) => reason,
        }
    }
}

/// Doubles each time: 1 s, 2 s, 4 s… up to a minute.
fn compute_backoff(tries: u32) -> Duration {
    Duration::from_secs(1 << (tries.saturating_sub(1)).min(6)).min(Duration::from_mins(1))
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

/// Uses the innermost cause, which is the most specific one.
fn describe_cause(error: &(dyn std::error::Error + 'static)) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    match cause.downcast_ref::<std::io::Error>().map(std::io::Error::kind) {
        Some(std::io::ErrorKind::ConnectionRefused) => "a conexão foi recusada".to_owned(),
        Some(std::io::ErrorKind::ConnectionReset) => "a conexão foi encerrada".to_owned(),
        _ => cause.to_string().replace(char::is_control, " ").chars().take(200).collect(),
    }
}

pub fn escape_query_value(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect()
}
