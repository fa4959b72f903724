//! Who looks at a page. The token of the console travels in a cookie that no script reads and no other site sends.

use crate::form::Form;
use crate::frame::Theme;
use crate::notice::Notice;
use crate::page::Refusal;
use app::access::Session;
use app::visits::{self, Visitor};
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
pub struct Guest {
    pub visitor: Visitor,
    pub token: String,
    pub theme: Option<Theme>,
    /// What the page before has to say.
    pub notice: Option<Notice>,
    /// What he asked for, from the path on.
    pub path: String,
}

impl Guest {
    pub fn session(&self) -> &Arc<Session> {
        &self.visitor.session
    }

    pub fn is_admin(&self) -> bool {
        self.visitor.session.role == Role::Administrator
    }
}

/// Where somebody is sent who may not see a page.
pub enum Turned {
    /// He has not entered: after he has, he goes where he wanted.
    Away {
        root: String,
        to: String,
    },
    /// His password is not his own yet.
    ToPassword {
        root: String,
    },
    /// His association demands a second factor of him.
    ToFactor {
        root: String,
    },
    /// The console is not for programs.
    Program,
    Refused(Refusal),
}

impl IntoResponse for Turned {
    fn into_response(self) -> Response {
        match self {
            Turned::Away { root, to } => {
                let to: String = form_urlencoded::byte_serialize(to.as_bytes()).collect();
                redirect(&format!("{root}/console/entrar?para={to}"))
            }
            Turned::ToPassword { root } => redirect(&format!("{root}/console/conta/senha")),
            Turned::ToFactor { root } => redirect(&format!("{root}{FACTOR}")),
            Turned::Program => Refusal::ForPeople.into_response(),
            Turned::Refused(refusal) => refusal.into_response(),
        }
    }
}

impl FromRequestParts<App> for Guest {
    type Rejection = Turned;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Guest, Turned> {
        let root = root(app);
        let path = parts.uri.path_and_query().map_or("/console", |all| all.as_str()).to_owned();
        let away = || Turned::Away { root: root.clone(), to: path.clone() };
        let token = token(&parts.headers).ok_or_else(away)?.to_owned();
        let mut visitor = match visits::visitor(app, &token).await {
            Ok(visitor) => visitor,
            Err(Error::Credential) => return Err(away()),
            Err(error) => return Err(Turned::Refused(Refusal::from(&error))),
        };
        if let Err(error) = app.request_limit.count(&visitor.session, app.now()) {
            return Err(Turned::Refused(Refusal::from(&error)));
        }
        if visitor.session.role == Role::Integration {
            return Err(Turned::Program);
        }
        let keeps_here = parts.uri.path().starts_with("/console/conta/senha");
        if visitor.must_change_password && !keeps_here {
            return Err(Turned::ToPassword { root });
        }
        let path_alone = parts.uri.path();
        if visitor.session.owes_factor() && path_alone != FACTOR && !keeps_here {
            return Err(Turned::ToFactor { root });
        }
        if !is_passive(parts) {
            let noted = visits::note_activity(app, &visitor).await;
            noted.map_err(|error| Turned::Refused(Refusal::from(&error)))?;
        }
        if let Some(peer) = parts.extensions.get::<ConnectInfo<SocketAddr>>() {
            visitor.session = Arc::new(visitor.session.at(peer.0.ip().into()));
        }
        let notice = parts.extensions.get::<Notice>().cloned();
        Ok(Guest { visitor, token, theme: Theme::chosen(&parts.headers), notice, path })
    }
}

/// Whether a script asks by itself, and nobody need sit before it: such a request keeps no session going.
fn is_passive(parts: &Parts) -> bool {
    parts.headers.contains_key("x-passivo")
        || (parts.method == Method::GET && parts.headers.contains_key("x-quadro"))
}

/// The path under which people find this server: links lead there, also behind a proxy that adds a path of its own.
pub fn root(app: &App) -> String {
    let rest = app.public_url.split_once("://").map_or("", |(_, rest)| rest);
    rest.find('/').map_or("", |at| rest[at..].trim_end_matches('/')).to_owned()
}

pub fn cookie<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let all = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = all.flat_map(|text| text.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(known, _)| *known == name).map(|(_, value)| value)
}

/// The token that a browser shows.
pub fn token(headers: &HeaderMap) -> Option<&str> {
    cookie(headers, SESSION).filter(|token| !token.is_empty())
}

pub fn redirect(to: &str) -> Response {
    let place = HeaderValue::from_str(to).unwrap_or(HeaderValue::from_static("/console"));
    (
        StatusCode::SEE_OTHER,
        [(header::LOCATION, place), (header::CACHE_CONTROL, HeaderValue::from_static("no-store"))],
    )
        .into_response()
}

/// Only a page of the console: nobody is sent elsewhere by a link that somebody else wrote.
pub fn inside(to: &str) -> &str {
    let is_ours = to == "/console" || to.starts_with("/console/") || to.starts_with("/console?");
    if is_ours && !to.contains(['\\', '\r', '\n']) { to } else { "/console" }
}

/// The session that an answer begins; what it says on the next page is for that one.
#[derive(Clone)]
pub struct NewSession(pub String);

pub fn set_session(response: &mut Response, token: &str, seconds: u64) {
    response.extensions_mut().insert(NewSession(token.to_owned()));
    put(response, &format!("{SESSION}={token}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age={seconds}"));
}

/// The ticket that a browser shows when it gives a code.
pub fn half(headers: &HeaderMap) -> Option<&str> {
    cookie(headers, HALF).filter(|ticket| !ticket.is_empty())
}

pub fn set_half(response: &mut Response, ticket: &str, seconds: u64) {
    put(response, &format!("{HALF}={ticket}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age={seconds}"));
}

pub fn set_theme(response: &mut Response, theme: &str) {
    put(
        response,
        &format!("{}={theme}; Path=/; HttpOnly; SameSite=Lax; Max-Age=31536000", crate::frame::THEME),
    );
}

pub fn put(response: &mut Response, cookie: &str) {
    if let Ok(value) = HeaderValue::from_str(cookie) {
        response.headers_mut().append(header::SET_COOKIE, value);
    }
}

/// From where a request comes, and what the browser calls itself.
pub struct Sender {
    pub address: CallerAddress,
    pub agent: Option<String>,
    /// The host that was asked.
    pub host: Option<String>,
}

impl FromRequestParts<App> for Sender {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Sender, Refusal> {
        let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>().ok_or(Refusal::Broken)?;
        let agent = parts.headers.get(header::USER_AGENT).and_then(|value| value.to_str().ok());
        let host = parts.headers.get(header::HOST).and_then(|value| value.to_str().ok());
        let host = parts.uri.authority().map(axum::http::uri::Authority::as_str).or(host).map(str::to_owned);
        Ok(Sender { address: peer.0.ip().into(), agent: agent.map(str::to_owned), host })
    }
}

/// What stands behind the question mark, or in a form that asks for the same.
pub struct Query(Vec<(String, String)>);

impl Query {
    /// A parameter's text without blanks around it; empty where it is absent.
    pub fn text(&self, name: &str) -> &str {
        self.0.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value.trim())
    }

    /// Everything that stands there.
    pub fn pairs(&self) -> Vec<(String, String)> {
        self.0.clone()
    }

    /// The names and texts of what is filtered.
    pub fn each(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.trim()))
    }

    /// What a form asks for that is not to stand in an address.
    pub fn of_form(form: &Form) -> Query {
        Query(form.pairs().to_vec())
    }

    /// What a text says behind the question mark.
    pub fn read(text: &str) -> Query {
        Query(form_urlencoded::parse(text.as_bytes()).into_owned().collect())
    }

    /// What is asked for, whatever page of it: in one order, without what is empty.
    pub fn filters(&self) -> String {
        self.kept(|_| true)
    }

    /// The same question without one of its parts.
    pub fn without(&self, name: &str) -> String {
        format!("?{}", self.kept(|known| known != name))
    }

    fn kept(&self, is_wanted: impl Fn(&str) -> bool) -> String {
        let mut kept: Vec<(&str, &str)> =
            self.0.iter().map(|(name, value)| (name.as_str(), value.trim())).collect();
        kept.retain(|(name, value)| *name != "pagina" && !value.is_empty() && is_wanted(name));
        kept.sort_unstable();
        form_urlencoded::Serializer::new(String::new()).extend_pairs(kept).finish()
    }

    /// The page asked for, from 1.
    pub fn page(&self) -> i32 {
        self.text("pagina").parse().ok().filter(|page| *page > 0).unwrap_or(1)
    }

    /// The same question for another page.
    pub fn with_page(&self, page: i32) -> String {
        self.with("pagina", &page.to_string())
    }

    /// The same question with another value of one parameter, or without it where the value is empty.
    pub fn with(&self, name: &str, value: &str) -> String {
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

impl<S: Sync> FromRequestParts<S> for Query {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Query, Self::Rejection> {
        let text = parts.uri.query().unwrap_or_default();
        Ok(Query(form_urlencoded::parse(text.as_bytes()).into_owned().collect()))
    }
}

/// The code in the path; what is no number leads nowhere.
pub struct Number(pub i32);

impl<S: Send + Sync> FromRequestParts<S> for Number {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Number, Refusal> {
        number(parts, state, "codigo").await.map(Number)
    }
}

/// The code in the path, and that of a part of what it names.
pub struct Part(pub i32, pub i32);

impl<S: Send + Sync> FromRequestParts<S> for Part {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Part, Refusal> {
        Ok(Part(number(parts, state, "codigo").await?, number(parts, state, "parte").await?))
    }
}

async fn number<S: Send + Sync>(parts: &mut Parts, state: &S, name: &str) -> Result<i32, Refusal> {
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
        assert_eq!(cookie(&headers, SESSION), Some("amp_1_x"));
        assert_eq!(cookie(&headers, "c"), None);
    }

    #[test]
    fn nobody_is_sent_to_another_site() {
        for elsewhere in
            ["https://evil.example", "//evil.example", "/consoles", "/console\r\nX: y", "", "/\\evil"]
        {
            assert_eq!(inside(elsewhere), "/console", "{elsewhere}");
        }
        assert_eq!(inside("/console/associados?nome=x"), "/console/associados?nome=x");
    }
}
