//! The guard in front of every operation: it asks for what the route table says is needed, before anything else of the
//! request is looked at.

use crate::State;
use crate::extract::{Base, credential, shows};
use crate::failure::{Challenge, Failure};
use crate::operation::Access;
use app::access;
use axum::extract::{self, ConnectInfo, Request};
use axum::http::{HeaderMap, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::net::SocketAddr;
use std::sync::Arc;

/// What an operation asks of its callers.
#[derive(Clone, Copy)]
pub struct Needed {
    pub access: Access,
    /// It is none of the interface's own: a token that reaches `/ext` at most is refused.
    pub is_management: bool,
}

pub async fn guard(
    extract::State((state, needed)): extract::State<(State, Needed)>,
    mut request: Request,
    next: Next,
) -> Response {
    match admit(&state, needed, &mut request).await {
        Ok(()) => next.run(request).await,
        Err(failure) => failure.into_response(),
    }
}

async fn admit(state: &State, needed: Needed, request: &mut Request) -> Result<(), Failure> {
    match needed.access {
        Access::Login => {}
        Access::AnyToken => {
            let session = bearer(state, request.headers()).await?;
            request.extensions_mut().insert(session);
        }
        Access::Roles(roles) => {
            let mut session = bearer(state, request.headers()).await?;
            session.must_be(roles)?;
            if needed.is_management {
                session.must_reach_management()?;
                // What is done to accounts is written down with the address.
                let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
                session = peer.map_or(session.clone(), |peer| Arc::new(session.at(peer.0.ip().into())));
            }
            request.extensions_mut().insert(session);
        }
        Access::Open => {
            // A token that comes anyway says which association is meant; a bad one is a mistake worth telling.
            let base = if shows(request.headers(), "bearer") {
                let session = bearer(state, request.headers()).await?;
                let tenant = session.scope.tenant();
                request.extensions_mut().insert(session);
                tenant
            } else {
                app::base::meant(&state.app, host(request.uri(), request.headers())).await?
            };
            request.extensions_mut().insert(Base(base));
        }
    }
    Ok(())
}

async fn bearer(state: &State, headers: &HeaderMap) -> Result<Arc<access::Session>, Failure> {
    let token = credential(headers, "bearer").ok_or(Failure::Credential(Challenge::Bearer))?;
    let session = access::enter(&state.app, token).await?;
    state.app.request_limit.count(&session, state.app.now())?;
    Ok(session)
}

/// The host that the caller asked for, with its port.
pub fn host<'r>(uri: &'r Uri, headers: &'r HeaderMap) -> Option<&'r str> {
    let header = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    uri.authority().map(axum::http::uri::Authority::as_str).or(header)
}
