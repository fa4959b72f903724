//! A small urlencoded form. axum's own extractor answers errors in English. `foreign_site.rs` checks every request
//! that may change something before its handler runs.

use super::refusal::Refusal;
use app::App;
use axum::body::to_bytes;
use axum::extract::{ConnectInfo, FromRequest, Request};
use axum::http::{HeaderMap, header};
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

/// Larger than any form of the console.
const LARGEST_FORM: usize = 256 * 1024;

/// Longer than any form of the console takes to arrive.
const FORM_TIMEOUT: Duration = Duration::from_secs(30);

const FORM_CONTENT_TYPE: &str = "application/x-www-form-urlencoded";

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
        if declared_length
            .and_then(|text| text.parse::<usize>().ok())
            .is_some_and(|length| length > LARGEST_FORM)
        {
            return Err(Refusal::TooLarge);
        }
        let received = tokio::time::timeout(FORM_TIMEOUT, to_bytes(request.into_body(), LARGEST_FORM)).await;
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
    kind.trim().eq_ignore_ascii_case(FORM_CONTENT_TYPE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::{HeaderName, HeaderValue};

    fn headers(all: &[(&'static str, &'static str)]) -> HeaderMap {
        all.iter().map(|(n, v)| (HeaderName::from_static(n), HeaderValue::from_static(v))).collect()
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
