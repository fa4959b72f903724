//! The description at `/openapi.json`, and pages to read and try it at `/docs`, all from inside the binary.

use crate::failure::Failure;
use crate::openapi;
use axum::Router;
use axum::body::Body;
use axum::extract::RawPathParams;
use axum::extract::rejection::RawPathParamsRejection;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::borrow::Cow;
use std::io::Write;
use std::sync::{Arc, LazyLock};
use utoipa_swagger_ui::{Config, SwaggerFile};

pub fn router<S: Clone + Send + Sync + 'static>() -> Router<S> {
    Router::new()
        .route("/openapi.json", get(document))
        .route("/docs", get(to_docs))
        .route("/docs/", get(index))
        .route("/docs/{*file}", get(any_file))
}

/// Marks an answer that is compressed already or not worth it: compressing the same megabyte for everybody who asks
/// would leave no time for anything else.
#[derive(Clone)]
pub(crate) struct AsItIs;

/// The document as text; it never changes while the program runs.
pub fn text() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        // Written without a panic: what cannot be described is an empty document, and a test looks at it.
        openapi::document().to_pretty_json().unwrap_or_default()
    });
    &TEXT
}

async fn document(headers: HeaderMap) -> Response {
    static SMALL: LazyLock<Vec<u8>> = LazyLock::new(|| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        let _ = encoder.write_all(text().as_bytes());
        encoder.finish().unwrap_or_default()
    });
    let takes_gzip = headers.get(header::ACCEPT_ENCODING).is_some_and(|value| {
        value.to_str().is_ok_and(|text| text.split(',').any(|one| one.trim().starts_with("gzip")))
    });
    let no_cache = [(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"))];
    let kind = HeaderValue::from_static("application/json");
    match takes_gzip {
        true => (no_cache, sent(kind, Body::from(SMALL.as_slice()), true)).into_response(),
        false => (no_cache, sent(kind, Body::from(text()), false)).into_response(),
    }
}

/// Relative, so that it holds behind a prefix too.
async fn to_docs() -> Response {
    (StatusCode::SEE_OTHER, [(header::LOCATION, HeaderValue::from_static("docs/"))]).into_response()
}

async fn index() -> Response {
    let kind = HeaderValue::from_static("text/html; charset=utf-8");
    sent(kind, Body::from(include_str!("docs.html")), false)
}

async fn any_file(params: Result<RawPathParams, RawPathParamsRejection>) -> Response {
    static CONFIG: LazyLock<Arc<Config<'static>>> = LazyLock::new(|| {
        let config = Config::new(["../openapi.json"])
            .try_it_out_enabled(true)
            .persist_authorization(false)
            .display_request_duration(true)
            .doc_expansion("list")
            .default_models_expand_depth(0)
            .use_base_layout();
        Arc::new(config)
    });
    let Ok(params) = params else { return Failure::NoSuchPath.into_response() };
    let path = params.iter().next().map_or("", |(_, path)| path);
    match utoipa_swagger_ui::serve(path, Arc::clone(&CONFIG)) {
        Ok(Some(found)) if path != "index.html" => file(found),
        Ok(_) => Failure::NoSuchPath.into_response(),
        Err(error) => {
            tracing::error!(%error, "a file of the documentation could not be made");
            Failure::Internal.into_response()
        }
    }
}

/// The large ones lie compressed in the binary, and every browser takes them so.
fn file(found: SwaggerFile<'static>) -> Response {
    let kind = HeaderValue::try_from(found.content_type).unwrap_or(HeaderValue::from_static("text/plain"));
    let body = match found.bytes {
        Cow::Borrowed(bytes) => Body::from(bytes),
        Cow::Owned(bytes) => Body::from(bytes),
    };
    sent(kind, body, found.gzpipped)
}

/// Scripts and styles of our own alone; the pages set styles by script, so those may stand inline.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
    connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

fn sent(kind: HeaderValue, body: Body, is_gzip: bool) -> Response {
    let headers = [
        (header::CONTENT_TYPE, kind),
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY)),
        (header::CACHE_CONTROL, HeaderValue::from_static("max-age=3600")),
    ];
    let mut response = (headers, body).into_response();
    if is_gzip {
        response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        response.headers_mut().insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    }
    response.extensions_mut().insert(AsItIs);
    response
}
