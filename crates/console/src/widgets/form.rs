//! A small urlencoded form. axum's own extractor answers errors in English. `refuse_foreign_site` checks every request
//! that may change something before its handler runs.

use super::page::Refusal;
use app::App;
use axum::body::to_bytes;
use axum::extract::{ConnectInfo, FromRequest, Request, State};
use axum::http::{HeaderMap, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

/// Larger than any form of the console.
const LARGEST: usize = 256 * 1024;
/// Longer than any form of the console takes to arrive.
const PATIENCE: Duration = Duration::from_secs(30);
const KIND: &str = "application/x-www-form-urlencoded";

pub struct SubmittedForm {
    fields: Vec<(String, String)>,
    /// Peer address, if the server provides it.
    pub sent_from: Option<IpAddr>,
}

impl SubmittedForm {
    /// A field's value; empty if absent.
    pub fn text(&self, name: &str) -> &str {
        let found = self.fields.iter().find(|(known, _)| known == name);
        found.map_or("", |(_, value)| value)
    }

    /// The choice that a button sends. A form without it is refused, so that nothing is changed by omission.
    pub fn read_yes_or_no(&self, name: &str) -> Result<bool, Refusal> {
        match self.text(name) {
            "sim" => Ok(true),
            "nao" => Ok(false),
            _ => Err(Refusal::Unreadable),
        }
    }

    pub fn pairs(&self) -> &[(String, String)] {
        &self.fields
    }

    /// All values of a repeated field.
    pub fn all_texts<'f>(&'f self, name: &'f str) -> impl Iterator<Item = &'f str> {
        self.fields.iter().filter(move |(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

impl FromRequest<App> for SubmittedForm {
    type Rejection = Refusal;

    async fn from_request(request: Request, _: &App) -> Result<SubmittedForm, Refusal> {
        if !is_form_content(request.headers()) {
            return Err(Refusal::NotAForm);
        }
        let sent_from = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|peer| peer.0.ip());
        let declared_length =
            request.headers().get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok());
        if declared_length.and_then(|text| text.parse::<usize>().ok()).is_some_and(|length| length > LARGEST)
        {
            return Err(Refusal::TooLarge);
        }
        let received = tokio::time::timeout(PATIENCE, to_bytes(request.into_body(), LARGEST)).await;
        let body = received.map_err(|_| Refusal::Unreadable)?.map_err(|error| {
            // Either the body grew past the limit without announcing it, or the sender stopped midway.
            match std::error::Error::source(&error).is_some_and(|cause| cause.to_string().contains("limit")) {
                true => Refusal::TooLarge,
                false => Refusal::Unreadable,
            }
        })?;
        let fields = form_urlencoded::parse(&body);
        Ok(SubmittedForm {
            fields: fields.map(|(name, value)| (name.into_owned(), value.into_owned())).collect(),
            sent_from,
        })
    }
}

fn is_form_content(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let kind = kind.and_then(|text| text.split(';').next()).unwrap_or_default();
    kind.trim().eq_ignore_ascii_case(KIND)
}

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

    #[test]
    fn only_a_urlencoded_body_is_a_form() {
        assert!(is_form_content(&headers(&[(
            "content-type",
            "Application/X-WWW-Form-Urlencoded; charset=utf-8"
        )])));
        for other in ["application/json", "multipart/form-data", "text/plain", ""] {
            let mut headers = HeaderMap::new();
            headers.insert("content-type", HeaderValue::from_static(other));
            assert!(!is_form_content(&headers), "{other}");
        }
        assert!(!is_form_content(&HeaderMap::new()));
    }
}
