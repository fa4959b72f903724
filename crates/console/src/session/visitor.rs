//! Who looks at a page. The token of the console travels in a cookie that no script reads and no other site sends.

use crate::widgets::form::SubmittedForm;
use crate::widgets::frame::ColourTheme;
use crate::widgets::notice::PageNotice;
use crate::widgets::page::Refusal;
use app::access::Session;
use app::access::sessions::{self, ConsoleUser};
use app::{App, Error};
use axum::extract::{ConnectInfo, FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use domain::{CallerAddress, Role};
use std::net::SocketAddr;
use std::sync::Arc;

/// Browsers take a cookie of this name only from its own host, over HTTPS or on this machine.
const SESSION: &str = "__Host-amparo";
/// Between the password and the code: it opens nothing but the page that asks for the code.
const HALF: &str = "__Host-amparo-meio";
/// Where a second factor is switched on.
const FACTOR: &str = "/console/conta/segundo-fator";

/// Somebody who has entered and may use the console.
pub struct SignedInUser {
    pub visitor: ConsoleUser,
    pub token: String,
    pub theme: Option<ColourTheme>,
    /// What the page before has to say.
    pub notice: Option<PageNotice>,
    /// What he asked for, from the path on.
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

/// Where somebody is sent who may not see a page.
pub enum PageAccessProblem {
    /// He has not entered: after he has, he goes where he wanted.
    SignInRequired {
        root: String,
        to: String,
    },
    /// His password is not his own yet.
    PasswordChangeRequired {
        root: String,
    },
    /// His association demands a second factor of him.
    SecondFactorRequired {
        root: String,
    },
    /// The console is not for programs.
    ProgramUser,
    Refusal(Refusal),
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
            PageAccessProblem::ProgramUser => Refusal::ForPeople.into_response(),
            PageAccessProblem::Refusal(refusal) => refusal.into_response(),
        }
    }
}

impl FromRequestParts<App> for SignedInUser {
    type Rejection = PageAccessProblem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<SignedInUser, PageAccessProblem> {
        let root = derive_root_path(app);
        let path = parts.uri.path_and_query().map_or("/console", |all| all.as_str()).to_owned();
        let away = || PageAccessProblem::SignInRequired { root: root.clone(), to: path.clone() };
        let token = find_session_token(&parts.headers).ok_or_else(away)?.to_owned();
        let mut visitor = match sessions::load_console_user(app, &token).await {
            Ok(visitor) => visitor,
            Err(Error::Credential) => return Err(away()),
            Err(error) => return Err(PageAccessProblem::Refusal(Refusal::from(&error))),
        };
        if let Err(error) = app.request_limit.count_request(&visitor.session, app.now()) {
            return Err(PageAccessProblem::Refusal(Refusal::from(&error)));
        }
        if visitor.session.role == Role::Integration {
            return Err(PageAccessProblem::ProgramUser);
        }
        let keeps_here = parts.uri.path().starts_with("/console/conta/senha");
        if visitor.must_change_password && !keeps_here {
            return Err(PageAccessProblem::PasswordChangeRequired { root });
        }
        let path_alone = parts.uri.path();
        if visitor.session.owes_factor() && path_alone != FACTOR && !keeps_here {
            return Err(PageAccessProblem::SecondFactorRequired { root });
        }
        if !is_passive_request(parts) {
            let noted = sessions::record_activity(app, &visitor).await;
            noted.map_err(|error| PageAccessProblem::Refusal(Refusal::from(&error)))?;
        }
        if let Some(peer) = parts.extensions.get::<ConnectInfo<SocketAddr>>() {
            visitor.session = Arc::new(visitor.session.with_address(peer.0.ip().into()));
        }
        let notice = parts.extensions.get::<PageNotice>().cloned();
        Ok(SignedInUser { visitor, token, theme: ColourTheme::from_cookie(&parts.headers), notice, path })
    }
}

/// Whether a script asks by itself, and nobody need sit before it: such a request keeps no session going.
fn is_passive_request(parts: &Parts) -> bool {
    parts.headers.contains_key("x-passivo")
        || (parts.method == Method::GET && parts.headers.contains_key("x-quadro"))
}

/// The path under which people find this server: links lead there, also behind a proxy that adds a path of its own.
pub fn derive_root_path(app: &App) -> String {
    let rest = app.public_url.split_once("://").map_or("", |(_, rest)| rest);
    rest.find('/').map_or("", |at| rest[at..].trim_end_matches('/')).to_owned()
}

pub fn find_cookie<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let all = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = all.flat_map(|text| text.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(known, _)| *known == name).map(|(_, value)| value)
}

/// The token that a browser shows.
pub fn find_session_token(headers: &HeaderMap) -> Option<&str> {
    find_cookie(headers, SESSION).filter(|token| !token.is_empty())
}

pub fn redirect_to(to: &str) -> Response {
    let place = HeaderValue::from_str(to).unwrap_or(HeaderValue::from_static("/console"));
    (
        StatusCode::SEE_OTHER,
        [(header::LOCATION, place), (header::CACHE_CONTROL, HeaderValue::from_static("no-store"))],
    )
        .into_response()
}

/// Only a page of the console: nobody is sent elsewhere by a link that somebody else wrote.
pub fn sanitize_return_path(to: &str) -> &str {
    let is_ours = to == "/console" || to.starts_with("/console/") || to.starts_with("/console?");
    if is_ours && !to.contains(['\\', '\r', '\n']) { to } else { "/console" }
}

/// The session that an answer begins; what it says on the next page is for that one.
#[derive(Clone)]
pub struct NewSessionToken(pub String);

pub fn set_session_cookie(response: &mut Response, token: &str, seconds: u64) {
    response.extensions_mut().insert(NewSessionToken(token.to_owned()));
    append_cookie(
        response,
        &format!("{SESSION}={token}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age={seconds}"),
    );
}

/// The ticket that a browser shows when it gives a code.
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

/// From where a request comes, and what the browser calls itself.
pub struct BrowserOrigin {
    pub address: CallerAddress,
    pub agent: Option<String>,
    /// The host that was asked.
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

/// What stands behind the question mark, or in a form that asks for the same.
pub struct QueryParams(Vec<(String, String)>);

impl QueryParams {
    /// A parameter's text without blanks around it; empty where it is absent.
    pub fn text(&self, name: &str) -> &str {
        self.0.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value.trim())
    }

    /// Everything that stands there.
    pub fn pairs(&self) -> Vec<(String, String)> {
        self.0.clone()
    }

    /// The names and texts of what is filtered.
    pub fn trimmed_pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.trim()))
    }

    /// What a form asks for that is not to stand in an address.
    pub fn from_form(form: &SubmittedForm) -> QueryParams {
        QueryParams(form.pairs().to_vec())
    }

    /// What a text says behind the question mark.
    pub fn parse(text: &str) -> QueryParams {
        QueryParams(form_urlencoded::parse(text.as_bytes()).into_owned().collect())
    }

    /// What is asked for, whatever page of it: in one order, without what is empty.
    pub fn canonical_filters(&self) -> String {
        self.serialize_where(|_| true)
    }

    /// The same question without one of its parts.
    pub fn without_parameter(&self, name: &str) -> String {
        format!("?{}", self.serialize_where(|known| known != name))
    }

    fn serialize_where(&self, is_wanted: impl Fn(&str) -> bool) -> String {
        let mut kept: Vec<(&str, &str)> =
            self.0.iter().map(|(name, value)| (name.as_str(), value.trim())).collect();
        kept.retain(|(name, value)| *name != "pagina" && !value.is_empty() && is_wanted(name));
        kept.sort_unstable();
        form_urlencoded::Serializer::new(String::new()).extend_pairs(kept).finish()
    }

    /// The page asked for, from 1.
    pub fn page_number(&self) -> i32 {
        self.text("pagina").parse().ok().filter(|page| *page > 0).unwrap_or(1)
    }

    /// The same question for another page.
    pub fn with_page(&self, page: i32) -> String {
        self.with_parameter("pagina", &page.to_string())
    }

    /// The same question with another value of one parameter, or without it where the value is empty.
    pub fn with_parameter(&self, name: &str, value: &str) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        for (known, kept) in self.0.iter().filter(|(known, kept)| known != name && !kept.is_empty()) {
            query.append_pair(known, kept);
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

/// The code in the path; what is no number leads nowhere.
pub struct PathNumber(pub i32);

impl<S: Send + Sync> FromRequestParts<S> for PathNumber {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<PathNumber, Refusal> {
        parse_path_number(parts, state, "codigo").await.map(PathNumber)
    }
}

/// The code in the path, and that of a part of what it names.
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
