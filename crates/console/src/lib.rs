//! The people's side of Amparo: pages rendered on the server, from templates inside the binary.

use askama::Template;
use axum::Router;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;

/// The pages.
pub fn router() -> Router {
    Router::new().route("/", get(welcome)).route("/estilo.css", get(style))
}

/// Nothing runs, and nothing is loaded but our own style.
const POLICY: (HeaderName, HeaderValue) = (
    header::CONTENT_SECURITY_POLICY,
    HeaderValue::from_static(
        "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
);

#[derive(Template)]
#[template(path = "welcome.html")]
struct Welcome {
    version: &'static str,
}

/// What a browser finds at the server's address.
async fn welcome() -> Response {
    match (Welcome { version: env!("CARGO_PKG_VERSION") }).render() {
        Ok(page) => ([POLICY], Html(page)).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

async fn style() -> impl IntoResponse {
    let kind = HeaderValue::from_static("text/css; charset=utf-8");
    ([(header::CONTENT_TYPE, kind)], include_str!("../templates/estilo.css"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_welcome_page_names_the_version_and_carries_no_script() {
        let page = Welcome { version: "9.8.7" }.render().unwrap();
        assert!(page.contains("9.8.7") && page.contains("lang=\"pt-BR\""));
        assert!(!page.contains("<script") && !page.contains("style=\""));
    }
}
