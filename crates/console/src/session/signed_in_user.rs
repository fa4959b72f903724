//! The signed-in user of a request. The session token travels in a cookie that scripts cannot read and other sites
//! cannot send.

use super::colour_theme::ColourTheme;
use super::cookies::find_session_token;
use super::notice::PageNotice;
use crate::http::redirect::{derive_root_path, redirect_to};
use crate::http::refusal::Refusal;
use app::access::sessions::{self, ConsoleUser};
use app::session::{CallerSlot, Session};
use app::{App, Error};
use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::request::Parts;
use axum::http::{Method, header};
use axum::response::{IntoResponse, Response};
use domain::{CallerAddress, MoneyRight, Role};
use std::net::SocketAddr;
use std::sync::Arc;

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

    pub fn sees_money(&self) -> bool {
        self.may_with_money(MoneyRight::SeeMoney)
    }

    pub fn may_with_money(&self, right: MoneyRight) -> bool {
        self.visitor.session.money_rights.contains(right)
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
        if let Some(slot) = parts.extensions.get::<CallerSlot>() {
            slot.fill(visitor.session.scope.tenant(), Some(visitor.session.user));
        }
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
