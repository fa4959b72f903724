//! The `OpenAPI` document at `/openapi.json`, its viewer at `/docs`, and the guide, all embedded in the binary.

use crate::answer::CompressionExemption;
use crate::failure::RequestFailure;
use crate::{guide, openapi};
use axum::Router;
use axum::body::Body;
use axum::extract::RawPathParams;
use axum::extract::rejection::RawPathParamsRejection;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use erased_routes::get;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{Cursor, Read, Write};
use std::sync::LazyLock;
use utoipa_swagger_ui_vendored::SWAGGER_UI_VENDORED;
use zip::ZipArchive;
use zip::result::ZipError;

pub fn build_docs_router<S: Clone + Send + Sync + 'static>() -> Router<S> {
    Router::new()
        .route("/openapi.json", get(show_openapi_document))
        .route("/docs", get(redirect_to_docs))
        .route("/docs/", get(show_docs_index))
        .route("/docs/guia", get(show_integration_guide))
        .route("/docs/{*file}", get(show_docs_file))
}

/// The document as text; built once per process.
pub fn render_openapi_text() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        // Never panics: a document that cannot be serialized is empty, which a test detects.
        openapi::build_document().to_pretty_json().unwrap_or_default()
    });
    &TEXT
}

async fn show_openapi_document(headers: HeaderMap) -> Response {
    static SMALL: LazyLock<Vec<u8>> = LazyLock::new(|| gzip_bytes(render_openapi_text().as_bytes()));
    respond_with_static(
        &headers,
        HeaderValue::from_static("application/json"),
        render_openapi_text().as_bytes(),
        &SMALL,
    )
}

async fn show_integration_guide(headers: HeaderMap) -> Response {
    static PAGE: LazyLock<String> = LazyLock::new(guide::render_guide_page);
    static SMALL: LazyLock<Vec<u8>> = LazyLock::new(|| gzip_bytes(PAGE.as_bytes()));
    respond_with_static(
        &headers,
        HeaderValue::from_static("text/html; charset=utf-8"),
        PAGE.as_bytes(),
        &SMALL,
    )
}

fn gzip_bytes(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    let _ = encoder.write_all(text);
    encoder.finish().unwrap_or_default()
}

/// A constant text, sent gzipped if the caller accepts it.
fn respond_with_static(
    headers: &HeaderMap,
    kind: HeaderValue,
    text: &'static [u8],
    small: &'static [u8],
) -> Response {
    match may_send_gzip(headers) {
        true => build_docs_response(headers, kind, Body::from(small), true),
        false => build_docs_response(headers, kind, Body::from(text), false),
    }
}

/// Whether the caller accepts gzip and did not exclude it.
fn may_send_gzip(headers: &HeaderMap) -> bool {
    let named = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    named.flat_map(|text| text.split(',')).any(|one| {
        let mut parts = one.split(';').map(str::trim);
        let is_gzip = parts.next().is_some_and(|name| name.eq_ignore_ascii_case("gzip"));
        is_gzip && !parts.any(|weight| weight.strip_prefix("q=").is_some_and(|q| q.parse() == Ok(0.0)))
    })
}

/// A relative redirect, so that it works behind a prefix too.
async fn redirect_to_docs() -> Response {
    (StatusCode::SEE_OTHER, [(header::LOCATION, HeaderValue::from_static("docs/"))]).into_response()
}

async fn show_docs_index(headers: HeaderMap) -> Response {
    let kind = HeaderValue::from_static("text/html; charset=utf-8");
    build_docs_response(&headers, kind, Body::from(include_str!("docs.html")), false)
}

async fn show_docs_file(
    headers: HeaderMap,
    params: Result<RawPathParams, RawPathParamsRejection>,
) -> Response {
    static FILES: LazyLock<Result<BTreeMap<&'static str, ViewerFile>, ZipError>> =
        LazyLock::new(unpack_viewer_files);
    let Ok(params) = params else { return RequestFailure::NoSuchPath.into_response() };
    let path = params.iter().next().map_or("", |(_, path)| path);
    match &*FILES {
        Ok(files) => match files.get(path) {
            Some(file) => {
                respond_with_static(&headers, HeaderValue::from_static(file.kind), &file.plain, &file.packed)
            }
            None => RequestFailure::NoSuchPath.into_response(),
        },
        Err(error) => {
            tracing::error!(%error, "the files of the documentation could not be unpacked");
            RequestFailure::Internal.into_response()
        }
    }
}

/// A file of the documentation viewer.
struct ViewerFile {
    kind: &'static str,
    plain: Vec<u8>,
    packed: Vec<u8>,
}

/// The files used from the viewer package, with their media types.
const VIEWER: [(&str, &str); 5] = [
    ("favicon-32x32.png", "image/png"),
    ("index.css", "text/css; charset=utf-8"),
    ("swagger-ui-bundle.js", SCRIPT),
    ("swagger-ui-standalone-preset.js", SCRIPT),
    ("swagger-ui.css", "text/css; charset=utf-8"),
];

const SCRIPT: &str = "text/javascript; charset=utf-8";

/// Unpacks the viewer when the documentation is first opened.
fn unpack_viewer_files() -> Result<BTreeMap<&'static str, ViewerFile>, ZipError> {
    let mut package = ZipArchive::new(Cursor::new(SWAGGER_UI_VENDORED))?;
    let mut files = BTreeMap::new();
    for (name, kind) in VIEWER {
        let suffix = format!("/dist/{name}");
        let path = package.file_names().flatten().find(|path| path.ends_with(&suffix)).map(Cow::into_owned);
        let mut plain = Vec::new();
        package.by_name(&path.ok_or(ZipError::FileNotFound)?)?.read_to_end(&mut plain)?;
        files.insert(name, ViewerFile { kind, packed: gzip_bytes(&plain), plain });
    }
    let start = include_bytes!("docs.js").to_vec();
    files.insert("docs.js", ViewerFile { kind: SCRIPT, packed: gzip_bytes(&start), plain: start });
    Ok(files)
}

/// Allows only our own scripts and styles; the viewer sets styles by script, so inline styles are allowed.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
    connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Revalidated on every load and sent again only after an upgrade, so that a page never mixes files of two versions.
const TAG: &str = concat!("\"", env!("CARGO_PKG_VERSION"), "\"");

fn build_docs_response(
    request_headers: &HeaderMap,
    kind: HeaderValue,
    body: Body,
    is_gzip: bool,
) -> Response {
    let headers = [
        (header::CONTENT_TYPE, kind),
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY)),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
        (header::ETAG, HeaderValue::from_static(TAG)),
        (header::VARY, HeaderValue::from_static("accept-encoding")),
    ];
    if request_headers.get(header::IF_NONE_MATCH).is_some_and(|tag| tag.as_bytes() == TAG.as_bytes()) {
        return (StatusCode::NOT_MODIFIED, headers).into_response();
    }
    let mut response = (headers, body).into_response();
    if is_gzip {
        response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    response.extensions_mut().insert(CompressionExemption);
    response
}
