//! The description at `/openapi.json`, and pages to read and try it at `/docs`, all from inside the binary.

use crate::failure::Failure;
use crate::openapi;
use axum::Router;
use axum::body::Body;
use axum::extract::RawPathParams;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use std::borrow::Cow;
use std::sync::{Arc, LazyLock};
use utoipa_swagger_ui::{Config, SwaggerFile};

pub fn router<S: Clone + Send + Sync + 'static>() -> Router<S> {
    Router::new()
        .route("/openapi.json", get(document))
        .route("/docs", get(to_docs))
        .route("/docs/", get(|| async { file("index.html") }))
        .route("/docs/{*file}", get(any_file))
}

/// The document as text; it never changes while the program runs.
pub fn text() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        // Written without a panic: what cannot be described is an empty document, and a test looks at it.
        openapi::document().to_pretty_json().unwrap_or_default()
    });
    &TEXT
}

async fn document() -> ([(HeaderName, HeaderValue); 2], &'static str) {
    let kind = HeaderValue::from_static("application/json");
    ([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, HeaderValue::from_static("no-cache"))], text())
}

/// Relative, so that it holds behind a prefix too.
async fn to_docs() -> Response {
    (StatusCode::SEE_OTHER, [(header::LOCATION, HeaderValue::from_static("docs/"))]).into_response()
}

async fn any_file(params: RawPathParams) -> Response {
    file(params.iter().next().map_or("", |(_, path)| path))
}

/// Scripts and styles of our own alone; the pages set styles by script, so those may stand inline.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
    connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

fn file(path: &str) -> Response {
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
    match utoipa_swagger_ui::serve(path, Arc::clone(&CONFIG)) {
        Ok(Some(found)) => page(path, found),
        Ok(None) => Failure::NoSuchPath.into_response(),
        Err(error) => {
            tracing::error!(%error, "a page of the documentation could not be made");
            Failure::Internal.into_response()
        }
    }
}

fn page(path: &str, found: SwaggerFile<'static>) -> Response {
    let body =
        match (path, found.bytes) {
            ("index.html", bytes) => {
                let page = String::from_utf8_lossy(&bytes);
                let page = page.replace("<html lang=\"en\">", "<html lang=\"pt-BR\">");
                Body::from(page.replace(
                    "<title>Swagger UI</title>",
                    "<title>Amparo: documentação da integração</title>",
                ))
            }
            (_, Cow::Borrowed(bytes)) => Body::from(bytes),
            (_, Cow::Owned(bytes)) => Body::from(bytes),
        };
    let kind = HeaderValue::try_from(found.content_type).unwrap_or(HeaderValue::from_static("text/plain"));
    let headers = [
        (header::CONTENT_TYPE, kind),
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY)),
        (header::CACHE_CONTROL, HeaderValue::from_static("max-age=3600")),
    ];
    (headers, body).into_response()
}
