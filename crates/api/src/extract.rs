//! What handlers take from a request. axum's own extractors refuse in English; these refuse in our words, or not at all.

use crate::failure::{Challenge, Failure};
use app::access::Session;
use axum::extract::{ConnectInfo, FromRequestParts, MatchedPath};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use base64::Engine;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use base64::{alphabet, engine::DecodePaddingMode};
use domain::{CallerAddress, TenantId};
use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

/// The template of the route (`/ext/beneficio/{codBeneficio}`), for logs and metrics: the path itself may carry
/// personal data and is never written down.
pub struct Route(Option<MatchedPath>);

impl Route {
    pub fn as_str(&self) -> &str {
        self.0.as_ref().map_or("none", MatchedPath::as_str)
    }
}

impl<S: Sync> FromRequestParts<S> for Route {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Route, Infallible> {
        Ok(Route(parts.extensions.get::<MatchedPath>().cloned()))
    }
}

/// Who calls. The route table says which operations need somebody, and its guard (`guard.rs`) has let him in.
pub struct Caller(pub Arc<Session>);

impl<S: Sync> FromRequestParts<S> for Caller {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Caller, Failure> {
        parts.extensions.get::<Arc<Session>>().cloned().map(Caller).ok_or_else(|| unguarded("a caller"))
    }
}

/// The association that an operation without a credential is meant for.
#[derive(Clone, Copy)]
pub struct Base(pub TenantId);

impl<S: Sync> FromRequestParts<S> for Base {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Base, Failure> {
        parts.extensions.get::<Base>().copied().ok_or_else(|| unguarded("a base"))
    }
}

fn unguarded(what: &'static str) -> Failure {
    tracing::error!(what, "an operation asks for what its line in the route table does not provide");
    Failure::Internal
}

/// From where the call comes, as far as we can believe it.
#[derive(Clone, Copy)]
pub struct From(pub IpAddr);

impl From {
    /// As far as it matters for telling callers apart.
    pub fn address(self) -> CallerAddress {
        self.0.into()
    }
}

impl<S: Sync> FromRequestParts<S> for From {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<From, Failure> {
        let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>();
        peer.map(|peer| From(peer.0.ip())).ok_or_else(|| unguarded("an address"))
    }
}

/// User and password of `Authorization: Basic`.
pub struct Basic {
    pub login: String,
    pub password: String,
}

/// Some programs leave the padding out.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

impl<S: Sync> FromRequestParts<S> for Basic {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Basic, Failure> {
        basic(&parts.headers).ok_or(Failure::Credential(Challenge::Basic))
    }
}

fn basic(headers: &HeaderMap) -> Option<Basic> {
    let bytes = BASE64.decode(credential(headers, "basic")?.as_bytes()).ok()?;
    // Older programs write Latin-1, where every byte is a character.
    let text = String::from_utf8(bytes)
        .unwrap_or_else(|error| error.as_bytes().iter().map(|byte| char::from(*byte)).collect());
    let (login, password) = text.split_once(':')?;
    Some(Basic { login: login.to_owned(), password: password.to_owned() })
}

/// What follows the scheme in the Authorization header; `None` where there is none, or more than one.
pub(crate) fn credential<'h>(headers: &'h HeaderMap, scheme: &str) -> Option<&'h str> {
    let mut all = headers.get_all(header::AUTHORIZATION).iter();
    let only = all.next().filter(|_| all.next().is_none())?;
    let (named, rest) = only.to_str().ok()?.trim().split_once([' ', '\t'])?;
    named.eq_ignore_ascii_case(scheme).then(|| rest.trim())
}

/// Whether the call shows a credential of this scheme at all, good or bad.
pub(crate) fn shows(headers: &HeaderMap, scheme: &str) -> bool {
    headers.get_all(header::AUTHORIZATION).iter().any(|value| {
        let first = value.as_bytes().split(|byte| matches!(byte, b' ' | b'\t')).next().unwrap_or_default();
        first.eq_ignore_ascii_case(scheme.as_bytes())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(values: &[&[u8]]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(header::AUTHORIZATION, axum::http::HeaderValue::from_bytes(value).unwrap());
        }
        headers
    }

    #[test]
    fn user_and_password_are_read_as_programs_write_them() {
        let read = |text: &[u8]| basic(&with(&[text])).map(|both| (both.login, both.password));
        let ana = Some(("ana@x".to_owned(), "a:b".to_owned()));
        assert_eq!(read(b"Basic YW5hQHg6YTpi"), ana);
        assert_eq!(read(b"basic  YW5hQHg6YTpi "), ana);
        assert_eq!(read(b"Basic YW5hOnNlbmhhMQ").unwrap().1, "senha1", "without padding");
        assert_eq!(read(b"Basic YW5hOmHn4w==").unwrap().1, "açã", "Latin-1");
        for bad in [&b"Basic"[..], b"Basic ", b"Basic !!!!", b"Basic YW5h", b"Bearer YW5hOmI=", b"\xff\xfe"] {
            assert_eq!(read(bad), None);
        }
        assert!(basic(&HeaderMap::new()).is_none());
    }

    #[test]
    fn two_credentials_are_none() {
        assert_eq!(credential(&with(&[b"Bearer a", b"Bearer a"]), "bearer"), None);
        assert!(shows(&with(&[b"Basic x", b"BEARER"]), "bearer"));
        assert!(!shows(&with(&[b"Basic x"]), "bearer"));
    }
}
