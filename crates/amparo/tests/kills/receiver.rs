//! A receiver that writes down whatever arrives, and does not make it easy: it refuses some messages once, some always, and
//! answers some late or too late.

use super::{Shared, TIMEOUT};
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use delivery::triggers::sign;
use domain::SigningSecret;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::watch;

/// One message at the door.
#[derive(Clone, Debug)]
pub struct Arrival {
    pub id: String,
    pub path: String,
    pub body: Bytes,
    pub is_signed: bool,
    /// When it came, and when it was taken, in the order of all that happened here.
    pub came: usize,
    pub taken: Option<usize>,
}

#[derive(Default)]
struct Book {
    arrivals: Vec<Arrival>,
    /// How often each message came.
    times: BTreeMap<String, usize>,
    happened: usize,
    secret: Option<SigningSecret>,
}

#[derive(Clone)]
pub struct Receiver {
    pub address: SocketAddr,
    book: Shared<Book>,
    events: watch::Sender<u64>,
}

impl Receiver {
    pub async fn listen(events: watch::Sender<u64>) -> Receiver {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let receiver = Receiver { address: listener.local_addr().unwrap(), book: Arc::default(), events };
        let router = Router::new().fallback(axum::routing::post(take)).with_state(receiver.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        receiver
    }

    /// What messages are signed with.
    pub fn knows(&self, secret: SigningSecret) {
        self.book.lock().unwrap().secret = Some(secret);
    }

    pub fn arrivals(&self) -> Vec<Arrival> {
        self.book.lock().unwrap().arrivals.clone()
    }

    pub fn count(&self) -> usize {
        self.book.lock().unwrap().arrivals.len()
    }

    /// Writes an arrival down; gives its place in the book and how often the message came before.
    fn write(&self, uri: &Uri, headers: &HeaderMap, body: Bytes) -> (usize, usize) {
        let header = |name: &str| headers.get(name).map_or("", |value| value.to_str().unwrap());
        let (id, at) = (header("webhook-id").to_owned(), header("webhook-timestamp").parse().unwrap());
        let mut book = self.book.lock().unwrap();
        let text = std::str::from_utf8(&body).unwrap();
        let is_signed = book.secret.as_ref().is_some_and(|secret| {
            sign::is_signature_valid(header("webhook-signature"), &id, at, text, secret)
        });
        book.happened += 1;
        let times = book.times.entry(id.clone()).or_default();
        let before = *times;
        *times += 1;
        let came = book.happened;
        book.arrivals.push(Arrival { id, path: uri.path().to_owned(), body, is_signed, came, taken: None });
        (book.arrivals.len() - 1, before)
    }
}

async fn take(State(receiver): State<Receiver>, uri: Uri, headers: HeaderMap, body: Bytes) -> StatusCode {
    let (place, before) = receiver.write(&uri, &headers, body);
    receiver.events.send_modify(|count| *count += 1);
    let id = receiver.book.lock().unwrap().arrivals[place].id.clone();
    let number = history_code(&id).unwrap_or_else(|| panic!("{id}"));
    let throw = number * 31 + before * 17;
    let wait = match throw % 200 {
        3 => TIMEOUT * 3 / 2,
        at if at % 20 == 1 => Duration::from_millis(30),
        _ => Duration::ZERO,
    };
    tokio::time::sleep(wait).await;
    if is_refused_always(number) || throw.is_multiple_of(10) {
        return StatusCode::INTERNAL_SERVER_ERROR;
    }
    let mut book = receiver.book.lock().unwrap();
    book.happened += 1;
    book.arrivals[place].taken = Some(book.happened);
    StatusCode::NO_CONTENT
}

/// The change of the first base that this `webhook-id` (`msg_{base}_{codHistorico}_{digest}`) tells of.
pub fn history_code(id: &str) -> Option<usize> {
    id.strip_prefix("msg_1_")?.split_once('_')?.0.parse().ok()
}

/// Nobody takes these.
pub fn is_refused_always(number: usize) -> bool {
    number % 50 == 7
}
