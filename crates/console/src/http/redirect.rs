//! Redirects within the console, and the paths they may lead to.

use app::App;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

/// Path of the public URL, which links need behind a proxy that adds a path.
pub fn derive_root_path(app: &App) -> String {
    let rest = app.public_url.split_once("://").map_or("", |(_, rest)| rest);
    rest.find('/').map_or("", |at| rest[at..].trim_end_matches('/')).to_owned()
}

pub fn redirect_to(to: &str) -> Response {
    let location = HeaderValue::from_str(to).unwrap_or(HeaderValue::from_static("/console"));
    (
        StatusCode::SEE_OTHER,
        [(header::LOCATION, location), (header::CACHE_CONTROL, HeaderValue::from_static("no-store"))],
    )
        .into_response()
}

/// Accepts only paths of the console, so that a crafted link cannot redirect elsewhere.
pub fn sanitize_return_path(to: &str) -> &str {
    let is_ours = to == "/console" || to.starts_with("/console/") || to.starts_with("/console?");
    if is_ours && !to.contains(['\\', '\r', '\n']) { to } else { "/console" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_sent_to_another_site() {
        for elsewhere in
            ["https://evil.example", "//evil.example", "/consoles", "/console\r\nX: y", "", "/\\evil"]
        {
            assert_eq!(sanitize_return_path(elsewhere), "/console", "{elsewhere}");
        }
        assert_eq!(sanitize_return_path("/console/associados?nome=x"), "/console/associados?nome=x");
    }
}
