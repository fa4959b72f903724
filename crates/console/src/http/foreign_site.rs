//! Refuses a form that another site sends: the protection against forged requests.

use super::refusal::Refusal;
use app::App;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

/// Rejects requests from other sites before any handler, so that no handler can forget the check.
pub async fn refuse_foreign_site(State(app): State<App>, request: Request, next: Next) -> Response {
    let only_reads = matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    if !only_reads && !is_same_site(request.headers(), &app.public_url) {
        return Refusal::ForeignSite.into_response();
    }
    next.run(request).await
}

/// Whether the request comes from a page of this server or from a client that is no browser. `Sec-Fetch-Site` is set by
/// the browser, and no page can forge it. An `Origin` must match the requested host or the public URL (a proxy may
/// request another host). `null` is what browsers send for a page with our `no-referrer`.
fn is_same_site(headers: &HeaderMap, public_url: &str) -> bool {
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    if text("sec-fetch-site").is_some_and(|site| site != "same-origin" && site != "none") {
        return false;
    }
    match text("origin") {
        None | Some("null") => true,
        Some(origin) => {
            let authority = origin.split_once("://").map(|(_, authority)| authority);
            authority.is_some() && (authority == text("host") || authority == extract_authority(public_url))
        }
    }
}

fn extract_authority(url: &str) -> Option<&str> {
    url.split_once("://").and_then(|(_, rest)| rest.split('/').next())
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::{HeaderName, HeaderValue};

    fn headers(all: &[(&'static str, &'static str)]) -> HeaderMap {
        all.iter().map(|(n, v)| (HeaderName::from_static(n), HeaderValue::from_static(v))).collect()
    }

    #[test]
    fn a_form_from_another_site_is_known_by_what_the_browser_says() {
        let host = ("host", "localhost:8080");
        for fine in [
            &[host][..],
            &[host, ("sec-fetch-site", "same-origin"), ("origin", "null")],
            &[host, ("sec-fetch-site", "none")],
            &[host, ("origin", "http://localhost:8080")],
            &[host, ("origin", "https://amparo.example")],
            &[host, ("origin", "null")],
        ] {
            assert!(is_same_site(&headers(fine), "https://amparo.example/x"), "{fine:?}");
        }
        for foreign in [
            &[host, ("sec-fetch-site", "cross-site")][..],
            &[host, ("sec-fetch-site", "same-site"), ("origin", "http://localhost:8080")],
            &[host, ("sec-fetch-site", "cross-site"), ("origin", "null")],
            &[host, ("origin", "https://evil.example")],
            &[host, ("origin", "http://localhost:8081")],
            &[host, ("origin", "localhost:8080")],
            &[("origin", "https://evil.example")],
        ] {
            assert!(!is_same_site(&headers(foreign), "https://amparo.example"), "{foreign:?}");
        }
    }
}
