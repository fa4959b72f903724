//! A store on this machine that speaks as S3 does, as far as it is spoken to.

use axum::body::Bytes;
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Router, body};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

#[derive(Clone, Default)]
pub struct Store {
    pub objects: Arc<Mutex<BTreeMap<String, Bytes>>>,
    /// Uploads in parts, by their path.
    uploads: Arc<Mutex<BTreeMap<String, BTreeMap<u32, Bytes>>>>,
    /// Methods, in their order.
    pub asked: Arc<Mutex<Vec<String>>>,
}

impl Store {
    pub fn keys(&self) -> Vec<String> {
        self.objects.lock().unwrap().keys().cloned().collect()
    }

    /// The answer to a list: what begins with the prefix, with all below one more part as one.
    fn list(&self, bucket: &str, query: &BTreeMap<String, String>) -> String {
        let empty = String::new();
        let prefix = query.get("prefix").unwrap_or(&empty);
        let (mut contents, mut folders) = (String::new(), BTreeSet::new());
        for (path, content) in &*self.objects.lock().unwrap() {
            let Some(key) = path.strip_prefix(&format!("{bucket}/")) else { continue };
            let Some(rest) = key.strip_prefix(prefix.as_str()) else { continue };
            match rest.split_once('/').filter(|_| query.contains_key("delimiter")) {
                Some((folder, _)) => {
                    folders.insert(format!("{prefix}{folder}/"));
                }
                None => contents.push_str(&format!(
                    "<Contents><Key>{key}</Key><LastModified>2026-11-14T10:00:00.000Z</LastModified><ETag>\"e\"</ETag>\
                     <Size>{}</Size></Contents>",
                    content.len()
                )),
            }
        }
        let folders: String = folders
            .iter()
            .map(|folder| format!("<CommonPrefixes><Prefix>{folder}</Prefix></CommonPrefixes>"))
            .collect();
        format!("<ListBucketResult><IsTruncated>false</IsTruncated>{contents}{folders}</ListBucketResult>")
    }
}

fn parse_query(query: &str) -> BTreeMap<String, String> {
    let decode = |text: &str| text.replace("%2F", "/");
    query
        .split('&')
        .filter(|part| !part.is_empty())
        .map(|part| {
            part.split_once('=')
                .map_or((decode(part), String::new()), |(name, value)| (decode(name), decode(value)))
        })
        .collect()
}

async fn answer(State(store): State<Store>, request: Request) -> Response {
    let signed = request.headers().get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let is_ours = |text: &str| text.starts_with("AWS4-HMAC-SHA256 Credential=chave-de-teste/");
    if !signed.is_some_and(is_ours) {
        return StatusCode::FORBIDDEN.into_response();
    }
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let query = parse_query(request.uri().query().unwrap_or_default());
    store.asked.lock().unwrap().push(method.to_string());
    let (expected, absent) = {
        let headers = request.headers();
        let condition = |name| headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        (condition(header::IF_MATCH), condition(header::IF_NONE_MATCH))
    };
    let body = body::to_bytes(request.into_body(), 64 * 1024 * 1024).await.unwrap();
    if method == Method::GET && query.contains_key("list-type") {
        return store.list(path.trim_end_matches('/'), &query).into_response();
    }
    let mut objects = store.objects.lock().unwrap();
    let mark = |content: &[u8]| {
        format!("\"{:x}\"", content.iter().fold(7_u64, |sum, byte| sum.wrapping_mul(31) + u64::from(*byte)))
    };
    let present = objects.get(&path).map(|content| mark(content));
    if method == Method::PUT
        && (absent.is_some() && present.is_some() || expected.is_some() && expected != present)
    {
        return StatusCode::PRECONDITION_FAILED.into_response();
    }
    let content = if method == Method::PUT { Some(mark(&body)) } else { present };
    let dated = [
        (header::LAST_MODIFIED, "Sat, 14 Nov 2026 10:00:00 GMT".to_owned()),
        (header::ETAG, content.unwrap_or_default()),
    ];
    let mut uploads = store.uploads.lock().unwrap();
    match method {
        Method::POST if query.contains_key("uploads") => {
            uploads.insert(path, BTreeMap::new());
            "<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>"
                .into_response()
        }
        Method::PUT if query.contains_key("partNumber") => {
            let number = query["partNumber"].parse().unwrap();
            uploads.get_mut(&path).unwrap().insert(number, body);
            (dated, "").into_response()
        }
        Method::POST => {
            let parts = uploads.remove(&path).unwrap();
            let whole: Vec<u8> = parts.into_values().flat_map(|part| part.to_vec()).collect();
            objects.insert(path, whole.into());
            "<CompleteMultipartUploadResult><ETag>\"e\"</ETag></CompleteMultipartUploadResult>"
                .into_response()
        }
        Method::PUT => {
            objects.insert(path, body);
            (dated, "").into_response()
        }
        Method::GET | Method::HEAD => match objects.get(&path) {
            Some(found) => (dated, found.clone()).into_response(),
            None => (StatusCode::NOT_FOUND, "<Error><Code>NoSuchKey</Code></Error>").into_response(),
        },
        Method::DELETE => {
            objects.remove(&path);
            StatusCode::NO_CONTENT.into_response()
        }
        _ => StatusCode::METHOD_NOT_ALLOWED.into_response(),
    }
}

/// The store, and where it is.
pub async fn open_store() -> (Store, String) {
    let store = Store::default();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let router = Router::new().fallback(answer).with_state(store.clone());
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    (store, format!("http://{address}"))
}
