//! The signed-in user of a request. The session token travels in a cookie that scripts cannot read and other sites
//! cannot send.

use crate::widgets::form::SubmittedForm;
use crate::widgets::frame::ColourTheme;
use crate::widgets::notice::PageNotice;
use crate::widgets::page::Refusal;
use app::access::sessions::{self, ConsoleUser};
use app::session::Session;
use app::{App, Error};
use axum::extract::{ConnectInfo, FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use domain::{CallerAddress, Role};
use std::net::SocketAddr;
use std::sync::Arc;

/// Browsers accept a cookie with this prefix only from its own host, over HTTPS or on localhost.
const SESSION: &str = "__Host-amparo";
/// Between password and second factor: it gives access only to the page that asks for the code.
const HALF: &str = "__Host-amparo-meio";
/// Page that enables the second factor.
const FACTOR: &str = "/console/conta/segundo-fator";

/// A user with a session who may use the console.
pub struct SignedInUser {
    pub visitor: ConsoleUser,
    pub token: String,
    pub theme: Option<ColourTheme>,
    /// Notice from the previous page.
    pub notice: Option<PageNotice>,
    /// Path and query of the request.
    pub path: String,
}

impl SignedInUser {
    pub fn session(&self) -> &Arc<Session> {
        &self.visitor.session
    }

    pub fn is_admin(&self) -> bool {
        self.visitor.session.role == Role::Administrator
    }
}

/// Why a user cannot open a page; decides where they are redirected.
pub enum PageAccessProblem {
    /// Not signed in: after signing in, the user continues at `to`.
    SignInRequired {
        root: String,
        to: String,
    },
    /// The user must first replace a password that somebody else set.
    PasswordChangeRequired {
        root: String,
    },
    /// The tenant requires a second factor of this user.
    SecondFactorRequired {
        root: String,
    },
    Refusal(Refusal),
}

impl From<Error> for PageAccessProblem {
    fn from(error: Error) -> PageAccessProblem {
        PageAccessProblem::Refusal(error.into())
    }
}

impl IntoResponse for PageAccessProblem {
    fn into_response(self) -> Response {
        match self {
            PageAccessProblem::SignInRequired { root, to } => {
                let to: String = form_urlencoded::byte_serialize(to.as_bytes()).collect();
                redirect_to(&format!("{root}/console/entrar?para={to}"))
            }
            PageAccessProblem::PasswordChangeRequired { root } => {
                redirect_to(&format!("{root}/console/conta/senha"))
            }
            PageAccessProblem::SecondFactorRequired { root } => redirect_to(&format!("{root}{FACTOR}")),
            PageAccessProblem::Refusal(refusal) => refusal.into_response(),
        }
    }
}

impl FromRequestParts<App> for SignedInUser {
    type Rejection = PageAccessProblem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<SignedInUser, PageAccessProblem> {
        let root = derive_root_path(app);
        let path = parts.uri.path_and_query().map_or("/console", |all| all.as_str()).to_owned();
        let sign_in_required = || PageAccessProblem::SignInRequired { root: root.clone(), to: path.clone() };
        let token = find_session_token(&parts.headers).ok_or_else(sign_in_required)?.to_owned();
        let mut visitor = match sessions::load_console_user(app, &token).await {
            Err(Error::Credential) => return Err(sign_in_required()),
            visitor => visitor?,
        };
        app.request_limit.count_request(&visitor.session, app.now())?;
        if visitor.session.role == Role::Integration {
            return Err(PageAccessProblem::Refusal(Refusal::ForPeople));
        }
        let is_password_page = parts.uri.path().starts_with("/console/conta/senha");
        if visitor.must_change_password && !is_password_page {
            return Err(PageAccessProblem::PasswordChangeRequired { root });
        }
        let path_only = parts.uri.path();
        if visitor.session.owes_factor() && path_only != FACTOR && !is_password_page {
            return Err(PageAccessProblem::SecondFactorRequired { root });
        }
        if !is_passive_request(parts) {
            sessions::record_activity(app, &visitor).await?;
        }
        if let Some(peer) = parts.extensions.get::<ConnectInfo<SocketAddr>>() {
            visitor.session = Arc::new(visitor.session.with_address(peer.0.ip().into()));
        }
        let notice = parts.extensions.get::<PageNotice>().cloned();
        Ok(SignedInUser { visitor, token, theme: ColourTheme::from_cookie(&parts.headers), notice, path })
    }
}

/// Whether a script sent the request on its own: such requests do not extend the session.
fn is_passive_request(parts: &Parts) -> bool {
    parts.headers.contains_key("x-passivo")
        || (parts.method == Method::GET && parts.headers.contains_key("x-quadro"))
}

/// Path of the public URL, which links need behind a proxy that adds a path.
pub fn derive_root_path(app: &App) -> String {
    let rest = app.public_url.split_once("://").map_or("", |(_, rest)| rest);
    rest.find('/').map_or("", |at| rest[at..].trim_end_matches('/')).to_owned()
}

pub fn find_cookie<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let all = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = all.flat_map(|text| text.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(known, _)| *known == name).map(|(_, value)| value)
}

pub fn find_session_token(headers: &HeaderMap) -> Option<&str> {
    find_cookie(headers, SESSION).filter(|token| !token.is_empty())
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

/// Token of a session that the response starts; the response's notice is sealed for it.
#[derive(Clone)]
pub struct NewSessionToken(pub String);

pub fn set_session_cookie(response: &mut Response, token: &str, seconds: u64) {
    response.extensions_mut().insert(NewSessionToken(token.to_owned()));
    append_cookie(
        response,
        &format!("{SESSION}={token}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age={seconds}"),
    );
}

/// The ticket of a sign-in that still needs the second factor.
pub fn find_pending_sign_in(headers: &HeaderMap) -> Option<&str> {
    find_cookie(headers, HALF).filter(|ticket| !ticket.is_empty())
}

pub fn set_pending_sign_in(response: &mut Response, ticket: &str, seconds: u64) {
    append_cookie(
        response,
        &format!("{HALF}={ticket}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age={seconds}"),
    );
}

pub fn set_theme_cookie(response: &mut Response, theme: &str) {
    append_cookie(
        response,
        &format!(
            "{}={theme}; Path=/; HttpOnly; SameSite=Lax; Max-Age=31536000",
            crate::widgets::frame::THEME
        ),
    );
}

pub fn append_cookie(response: &mut Response, cookie: &str) {
    if let Ok(value) = HeaderValue::from_str(cookie) {
        response.headers_mut().append(header::SET_COOKIE, value);
    }
}

/// Client address, user agent and requested host.
pub struct BrowserOrigin {
    pub address: CallerAddress,
    pub agent: Option<String>,
    pub host: Option<String>,
}

impl FromRequestParts<App> for BrowserOrigin {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<BrowserOrigin, Refusal> {
        let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>().ok_or(Refusal::Broken)?;
        let agent = parts.headers.get(header::USER_AGENT).and_then(|value| value.to_str().ok());
        let host = parts.headers.get(header::HOST).and_then(|value| value.to_str().ok());
        let host = parts.uri.authority().map(axum::http::uri::Authority::as_str).or(host).map(str::to_owned);
        Ok(BrowserOrigin { address: peer.0.ip().into(), agent: agent.map(str::to_owned), host })
    }
}

/// The query parameters of a URL, or of a form with the same fields.
pub struct QueryParams(Vec<(String, String)>);

impl QueryParams {
    /// A trimmed value; empty if absent.
    pub fn text(&self, name: &str) -> &str {
        self.0.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value.trim())
    }

    pub fn pairs(&self) -> Vec<(String, String)> {
        self.0.clone()
    }

    pub fn trimmed_pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.trim()))
    }

    /// For filters that must not appear in a URL.
    pub fn from_form(form: &SubmittedForm) -> QueryParams {
        QueryParams(form.pairs().to_vec())
    }

    pub fn parse(text: &str) -> QueryParams {
        QueryParams(form_urlencoded::parse(text.as_bytes()).into_owned().collect())
    }

    /// All parameters but the page number, sorted, without empty values.
    pub fn canonical_filters(&self) -> String {
        self.serialize_where(|_| true)
    }

    pub fn without_parameter(&self, name: &str) -> String {
        format!("?{}", self.serialize_where(|known| known != name))
    }

    fn serialize_where(&self, is_included: impl Fn(&str) -> bool) -> String {
        let mut pairs: Vec<(&str, &str)> =
            self.0.iter().map(|(name, value)| (name.as_str(), value.trim())).collect();
        pairs.retain(|(name, value)| *name != "pagina" && !value.is_empty() && is_included(name));
        pairs.sort_unstable();
        form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish()
    }

    /// Starts at 1.
    pub fn page_number(&self) -> i32 {
        self.text("pagina").parse().ok().filter(|page| *page > 0).unwrap_or(1)
    }

    pub fn with_page(&self, page: i32) -> String {
        self.with_parameter("pagina", &page.to_string())
    }

    /// An empty value removes the parameter.
    pub fn with_parameter(&self, name: &str, value: &str) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        for (known, existing) in
            self.0.iter().filter(|(known, existing)| known != name && !existing.is_empty())
        {
            query.append_pair(known, existing);
        }
        if !value.is_empty() {
            query.append_pair(name, value);
        }
        format!("?{}", query.finish())
    }
}

impl<S: Sync> FromRequestParts<S> for QueryParams {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<QueryParams, Self::Rejection> {
        let text = parts.uri.query().unwrap_or_default();
        Ok(QueryParams(form_urlencoded::parse(text.as_bytes()).into_owned().collect()))
    }
}

/// The code in the path; anything but a number is not found.
pub struct PathNumber(pub i32);

impl<S: Send + Sync> FromRequestParts<S> for PathNumber {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<PathNumber, Refusal> {
        parse_path_number(parts, state, "codigo").await.map(PathNumber)
    }
}

/// The code in the path, and the code of a part of that record.
pub struct PathPartCodes(pub i32, pub i32);

impl<S: Send + Sync> FromRequestParts<S> for PathPartCodes {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<PathPartCodes, Refusal> {
        Ok(PathPartCodes(
            parse_path_number(parts, state, "codigo").await?,
            parse_path_number(parts, state, "parte").await?,
        ))
    }
}

async fn parse_path_number<S: Send + Sync>(parts: &mut Parts, state: &S, name: &str) -> Result<i32, Refusal> {
    let path = RawPathParams::from_request_parts(parts, state).await.map_err(|_| Refusal::NotThere)?;
    let found = path.iter().find(|(known, _)| *known == name).and_then(|(_, value)| value.parse().ok());
    found.ok_or(Refusal::NotThere)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_is_found_among_others() {
        let mut headers = HeaderMap::new();
        headers.append(header::COOKIE, HeaderValue::from_static("a=1; __Host-amparo=amp_1_x; b=2"));
        assert_eq!(find_cookie(&headers, SESSION), Some("amp_1_x"));
        assert_eq!(find_cookie(&headers, "c"), None);
    }

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
