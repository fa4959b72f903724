//! Extractors for handlers. axum's own refuse in English; these refuse with our texts, or not at all.

use crate::failure::{CredentialChallenge, RequestFailure};
use app::session::Session;
use axum::extract::{ConnectInfo, FromRequestParts, MatchedPath, RawPathParams};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Uri, header};
use base64::Engine;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use base64::{alphabet, engine::DecodePaddingMode};
use domain::{CallerAddress, Rejection, TenantId};
use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use wire::read::{self, InputProblems, InputRecord, JsonInput, PartialInput};

/// The route template (`/ext/beneficio/{codBeneficio}`), for logs and metrics: the path itself may contain personal
/// data and is never logged.
pub struct RouteTemplate(Option<MatchedPath>);

impl RouteTemplate {
    pub fn as_str(&self) -> &str {
        self.template().unwrap_or("none")
    }

    /// `None` if no route matches the path.
    pub fn template(&self) -> Option<&str> {
        self.0.as_ref().map(MatchedPath::as_str)
    }
}

impl<S: Sync> FromRequestParts<S> for RouteTemplate {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<RouteTemplate, Infallible> {
        Ok(RouteTemplate(parts.extensions.get::<MatchedPath>().cloned()))
    }
}

/// The caller of an operation that requires a credential; `authorization.rs` has already checked it.
pub struct AuthenticatedCaller(pub Arc<Session>);

impl<S: Sync> FromRequestParts<S> for AuthenticatedCaller {
    type Rejection = RequestFailure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<AuthenticatedCaller, RequestFailure> {
        parts
            .extensions
            .get::<Arc<Session>>()
            .cloned()
            .map(AuthenticatedCaller)
            .ok_or_else(|| report_missing_extension("a caller"))
    }
}

/// The caller of an open operation, if a token was sent.
pub struct OptionalCaller(pub Option<Arc<Session>>);

impl<S: Sync> FromRequestParts<S> for OptionalCaller {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<OptionalCaller, Infallible> {
        Ok(OptionalCaller(parts.extensions.get::<Arc<Session>>().cloned()))
    }
}

/// The tenant of an open operation.
#[derive(Clone, Copy)]
pub struct RequestedTenant(pub TenantId);

impl<S: Sync> FromRequestParts<S> for RequestedTenant {
    type Rejection = RequestFailure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<RequestedTenant, RequestFailure> {
        parts.extensions.get::<RequestedTenant>().copied().ok_or_else(|| report_missing_extension("a base"))
    }
}

fn report_missing_extension(what: &'static str) -> RequestFailure {
    tracing::error!(what, "an operation asks for what its line in the route table does not provide");
    RequestFailure::Internal
}

/// The client address, as far as it can be trusted.
#[derive(Clone, Copy)]
pub struct ClientAddress(pub IpAddr);

impl ClientAddress {
    /// The address by which callers are told apart.
    pub fn address(self) -> CallerAddress {
        self.0.into()
    }
}

impl<S: Sync> FromRequestParts<S> for ClientAddress {
    type Rejection = RequestFailure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<ClientAddress, RequestFailure> {
        let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>();
        peer.map(|peer| ClientAddress(peer.0.ip())).ok_or_else(|| report_missing_extension("an address"))
    }
}

/// The origin of a sign-in attempt.
pub struct SignInOrigin(pub app::access::CallerOrigin);

impl<S: Sync> FromRequestParts<S> for SignInOrigin {
    type Rejection = RequestFailure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<SignInOrigin, RequestFailure> {
        let address = ClientAddress::from_request_parts(parts, state).await?.address();
        let host = find_requested_host(&parts.uri, &parts.headers).map(str::to_owned);
        Ok(SignInOrigin(app::access::CallerOrigin { address, host }))
    }
}

/// The pairs of a query. A text that is not UTF-8 is Latin-1, as older programs write `Cr%E9dito`.
fn parse_query_pairs(query: &str) -> impl Iterator<Item = (String, String)> {
    query.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
        let (name, text) = pair.split_once('=').unwrap_or((pair, ""));
        (decode_query_text(name), decode_query_text(text))
    })
}

fn decode_query_text(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, others)) = rest.split_first() {
        let escaped = if *first == b'%' { others.split_at_checked(2) } else { None };
        let escaped = escaped.and_then(|(digits, after)| Some((parse_hex_pair(digits)?, after)));
        let (byte, after) = escaped.unwrap_or((if *first == b'+' { b' ' } else { *first }, others));
        bytes.push(byte);
        rest = after;
    }
    decode_text(bytes)
}

fn parse_hex_pair(digits: &[u8]) -> Option<u8> {
    let text = str::from_utf8(digits).ok().filter(|text| !text.starts_with('+'))?;
    u8::from_str_radix(text, 16).ok()
}

/// Older programs send Latin-1, in which every byte is a character.
fn decode_text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| error.as_bytes().iter().map(|byte| char::from(*byte)).collect())
}

/// A record read from the query.
pub struct QueryRecord<T>(pub T);

impl<S: Sync, T: InputRecord> FromRequestParts<S> for QueryRecord<T> {
    type Rejection = RequestFailure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<QueryRecord<T>, RequestFailure> {
        let text = parts.uri.query().unwrap_or_default();
        Ok(QueryRecord(read::read_query(parse_query_pairs(text))?))
    }
}

/// A record read from the query of a search with its own rule on required fields.
pub struct DeferredQuery<T>(Result<T, PartialInput<T>>);

impl<T> DeferredQuery<T> {
    /// Returns the record. If it cannot be read, the search's own rule is applied to the rest as well.
    pub fn validate(self, rule: impl FnOnce(&T) -> Result<(), Rejection>) -> Result<T, RequestFailure> {
        self.0.map_err(|unread| {
            let broken = unread.rest.as_deref().and_then(|rest| rule(rest).err());
            unread.collect_problems(broken.as_slice()).into()
        })
    }
}

impl<S: Sync, T: InputRecord> FromRequestParts<S> for DeferredQuery<T> {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<DeferredQuery<T>, Infallible> {
        let text = parts.uri.query().unwrap_or_default();
        Ok(DeferredQuery(read::read_query_partially(parse_query_pairs(text))))
    }
}

/// The raw pairs of the query, for parameters defined by a register description.
pub struct RawQueryPairs(pub Vec<(String, String)>);

impl<S: Sync> FromRequestParts<S> for RawQueryPairs {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<RawQueryPairs, Infallible> {
        let text = parts.uri.query().unwrap_or_default();
        Ok(RawQueryPairs(parse_query_pairs(text).collect()))
    }
}

/// The single code in the path. An invalid code is reported only when it is used: the size and type of the body,
/// extracted after it, are checked first.
pub struct PathCode<T>(Result<T, InputProblems>);

impl<T> PathCode<T> {
    pub fn get(self) -> Result<T, RequestFailure> {
        Ok(self.0?)
    }

    /// The code and the body, or the problems of both.
    pub fn join_body<I>(self, body: Result<I, PartialInput<I>>) -> Result<(T, I), PartialInput<(T, I)>> {
        read::combine_code_and_body(self.0, body)
    }
}

impl<S: Send + Sync, T: JsonInput> FromRequestParts<S> for PathCode<T> {
    type Rejection = RequestFailure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<PathCode<T>, RequestFailure> {
        Ok(PathCode(parse_path_code(0, parts, state).await?))
    }
}

/// The two codes in a path with two.
pub struct PathCodePair<A, B>(pub PathCode<(A, B)>);

impl<S: Send + Sync, A: JsonInput + Send, B: JsonInput> FromRequestParts<S> for PathCodePair<A, B> {
    type Rejection = RequestFailure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<PathCodePair<A, B>, RequestFailure> {
        let first: Result<A, InputProblems> = parse_path_code(0, parts, state).await?;
        let second: Result<B, InputProblems> = parse_path_code(1, parts, state).await?;
        let both = match (first, second) {
            (Ok(first), Ok(second)) => Ok((first, second)),
            (Err(mut problems), Err(others)) => {
                problems.merge(others);
                Err(problems)
            }
            (Err(problems), Ok(_)) | (Ok(_), Err(problems)) => Err(problems),
        };
        Ok(PathCodePair(PathCode(both)))
    }
}

/// The parameter names of a path: `codBeneficio` in `/ext/beneficio/{codBeneficio}/cancelar`.
pub(crate) fn list_path_codes(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
}

/// One of the codes in the path, by its index.
async fn parse_path_code<S: Send + Sync, T: JsonInput>(
    at: usize,
    parts: &mut Parts,
    state: &S,
) -> Result<Result<T, InputProblems>, RequestFailure> {
    let params = RawPathParams::from_request_parts(parts, state).await;
    let template = parts.extensions.get::<MatchedPath>().map_or("", MatchedPath::as_str);
    let name = list_path_codes(template).nth(at).ok_or_else(|| report_missing_extension("a code"))?;
    // Bytes that are not UTF-8 are not a number either.
    let pairs = params.iter().flatten();
    let text = pairs.into_iter().find(|(known, _)| *known == name).map_or("", |(_, text)| text);
    Ok(read::read_path_code(name, text))
}

/// The user and password of `Authorization: Basic`.
pub struct BasicCredentials {
    pub login: String,
    pub password: String,
}

/// Some programs omit the padding.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

impl<S: Sync> FromRequestParts<S> for BasicCredentials {
    type Rejection = RequestFailure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<BasicCredentials, RequestFailure> {
        parse_basic_credentials(&parts.headers).ok_or(RequestFailure::Credential(CredentialChallenge::Basic))
    }
}

fn parse_basic_credentials(headers: &HeaderMap) -> Option<BasicCredentials> {
    let bytes = BASE64.decode(find_credential(headers, "basic")?.as_bytes()).ok()?;
    let text = decode_text(bytes);
    let (login, password) = text.split_once(':')?;
    Some(BasicCredentials { login: login.to_owned(), password: password.to_owned() })
}

/// The value after the scheme in the Authorization header; `None` if there is not exactly one.
pub(crate) fn find_credential<'h>(headers: &'h HeaderMap, scheme: &str) -> Option<&'h str> {
    let mut all = headers.get_all(header::AUTHORIZATION).iter();
    let only = all.next().filter(|_| all.next().is_none())?;
    let (named, rest) = only.to_str().ok()?.trim().split_once([' ', '\t'])?;
    named.eq_ignore_ascii_case(scheme).then(|| rest.trim())
}

/// Whether the request has a credential of this scheme, valid or not.
pub(crate) fn has_credential(headers: &HeaderMap, scheme: &str) -> bool {
    headers.get_all(header::AUTHORIZATION).iter().any(|value| {
        let first = value.as_bytes().split(|byte| matches!(byte, b' ' | b'\t')).next().unwrap_or_default();
        first.eq_ignore_ascii_case(scheme.as_bytes())
    })
}

/// The requested host, with its port.
pub(crate) fn find_requested_host<'r>(uri: &'r Uri, headers: &'r HeaderMap) -> Option<&'r str> {
    let header = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    uri.authority().map(axum::http::uri::Authority::as_str).or(header)
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
    fn the_codes_of_a_path_are_named_in_their_order() {
        let named = |path| list_path_codes(path).collect::<Vec<_>>();
        assert_eq!(named("/ext/beneficio/{codBeneficio}/cancelar"), ["codBeneficio"]);
        assert_eq!(named("/ext/a/{codA}/b/{codB}"), ["codA", "codB"]);
        assert!(named("/ext/beneficio").is_empty());
    }

    #[test]
    fn user_and_password_are_read_as_programs_write_them() {
        let read =
            |text: &[u8]| parse_basic_credentials(&with(&[text])).map(|both| (both.login, both.password));
        let ana = Some(("ana@x".to_owned(), "a:b".to_owned()));
        assert_eq!(read(b"Basic YW5hQHg6YTpi"), ana);
        assert_eq!(read(b"basic  YW5hQHg6YTpi "), ana);
        assert_eq!(read(b"Basic YW5hOnNlbmhhMQ").unwrap().1, "senha1", "without padding");
        assert_eq!(read(b"Basic YW5hOmHn4w==").unwrap().1, "açã", "Latin-1");
        for bad in [&b"Basic"[..], b"Basic ", b"Basic !!!!", b"Basic YW5h", b"Bearer YW5hOmI=", b"\xff\xfe"] {
            assert_eq!(read(bad), None);
        }
        assert!(parse_basic_credentials(&HeaderMap::new()).is_none());
    }

    #[test]
    fn a_query_is_utf_8_or_latin_1() {
        let read = |query: &str| parse_query_pairs(query).collect::<Vec<_>>();
        let pair = |name: &str, text: &str| (name.to_owned(), text.to_owned());
        for (query, text) in [
            ("nome=Jo%C3%A3o+da%20Silva", "João da Silva"),
            ("nome=Jo%E3o", "João"),
            ("&nome=a%2Bb&", "a+b"),
            ("nome=50%25", "50%"),
            ("nome=50%", "50%"),
            ("nome=%zz%+1%4", "%zz% 1%4"),
            ("nome=a=b", "a=b"),
            ("nome", ""),
        ] {
            assert_eq!(read(query), [pair("nome", text)], "{query}");
        }
        assert_eq!(read("situa%E7%E3o=a&b=%FF"), [pair("situação", "a"), pair("b", "ÿ")]);
        assert!(read("").is_empty());
        for query in ["a=1&b=%20x%C3%A9+y&&c", "=x&%3D=%26", "a%00=%F0%9F%9A%97"] {
            let known: Vec<_> = form_urlencoded::parse(query.as_bytes()).into_owned().collect();
            assert_eq!(read(query), known, "{query}");
        }
    }

    #[test]
    fn two_credentials_are_none() {
        assert_eq!(find_credential(&with(&[b"Bearer a", b"Bearer a"]), "bearer"), None);
        assert!(has_credential(&with(&[b"Basic x", b"BEARER"]), "bearer"));
        assert!(!has_credential(&with(&[b"Basic x"]), "bearer"));
    }

    mod of_addresses {
        use crate::extract::{PathCode, QueryRecord};
        use crate::failure::RequestFailure;
        use axum::Router;
        use axum::body::Body;
        use axum::http::{Request, StatusCode};
        use axum::routing::get;
        use domain::BenefitCode;
        use http_body_util::BodyExt;
        use tower::ServiceExt;
        use wire::read::BoundedInt;
        use wire::records::PesquisaBeneficioQuery;

        async fn search(QueryRecord(query): QueryRecord<PesquisaBeneficioQuery>) -> String {
            format!("{:?} {:?}", query.plate.into_set(), query.sequence.into_set().map(BoundedInt::get))
        }

        async fn one(code: PathCode<BenefitCode>) -> Result<String, RequestFailure> {
            Ok(code.get()?.to_string())
        }

        async fn called(address: &str) -> (StatusCode, String) {
            let router = Router::new()
                .route("/beneficio", get(search))
                .route("/beneficio/{codBeneficio}", get(one))
                .route("/sem", get(one));
            let request = Request::get(address).body(Body::empty()).unwrap();
            let answer = router.oneshot(request).await.unwrap();
            let status = answer.status();
            let body = answer.into_body().collect().await.unwrap().to_bytes();
            (status, String::from_utf8(body.to_vec()).unwrap())
        }

        #[tokio::test]
        async fn a_query_is_read_by_its_record_and_refused_with_every_problem() {
            for (query, read) in [
                ("", "None None"),
                ("?", "None None"),
                ("?placa=ABC%201D23&sequencial=12&x=%ff", r#"Some("ABC 1D23") Some(12)"#),
                ("?placa=+&sequencial=&placa=B&placa=C", r#"Some("B") None"#),
                ("?placa=%C3%A7+1&&=&sequencial", r#"Some("ç 1") None"#),
            ] {
                let answer = called(&format!("/beneficio{query}")).await;
                assert_eq!(answer, (StatusCode::OK, read.to_owned()), "{query}");
            }
            let (status, text) = called("/beneficio?sequencial=-1&codPlano=x&numeroCartaoDesconto=1").await;
            let fields: Vec<&str> = text.lines().filter_map(|line| line.split(':').next()).collect();
            assert_eq!(status, StatusCode::BAD_REQUEST);
            assert_eq!(fields, ["sequencial", "numeroCartaoDesconto", "codPlano"], "{text}");
        }

        #[tokio::test]
        async fn a_code_is_an_int32_and_is_named_as_the_path_names_it() {
            for (path, code) in [("7", "7"), ("-2147483648", "-2147483648"), ("%37", "7")] {
                let answer = called(&format!("/beneficio/{path}?x=1")).await;
                assert_eq!(answer, (StatusCode::OK, code.to_owned()), "{path}");
            }
            let refused = "codBeneficio: deve ser um número inteiro, de -2147483648 a 2147483647.\n";
            for bad in ["x", "1.0", "%201", "+1", "2147483648", "%ff", "{codBeneficio}", "7%00"] {
                let answer = called(&format!("/beneficio/{bad}")).await;
                assert_eq!(answer, (StatusCode::BAD_REQUEST, refused.to_owned()), "{bad}");
            }
            assert_eq!(called("/sem").await.0, StatusCode::INTERNAL_SERVER_ERROR, "a defect of the table");
        }
    }
}
