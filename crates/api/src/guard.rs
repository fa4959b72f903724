//! The guard in front of every operation: it asks for what the route table says is needed, before anything else of the
//! request is looked at.

use crate::State;
use crate::extract::{Base, credential, shows};
use crate::failure::{Challenge, Failure};
use crate::operation::Access;
use app::access;
use axum::extract::{self, Request};
use axum::http::{HeaderMap, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

pub async fn guard(
    extract::State((state, needed)): extract::State<(State, Access)>,
    mut request: Request,
    next: Next,
) -> Response {
    match admit(&state, needed, &mut request).await {
        Ok(()) => next.run(request).await,
        Err(failure) => failure.into_response(),
    }
}

async fn admit(state: &State, needed: Access, request: &mut Request) -> Result<(), Failure> {
    match needed {
        Access::Login => {}
        Access::Roles(roles) => {
            let session = bearer(state, request.headers()).await?;
            session.must_be(roles)?;
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
                app::base::meant(&state.app, host(request)).await?
            };
            request.extensions_mut().insert(Base(base));
        }
    }
    Ok(())
}

async fn bearer(state: &State, headers: &HeaderMap) -> Result<std::sync::Arc<access::Session>, Failure> {
    let token = credential(headers, "bearer").ok_or(Failure::Credential(Challenge::Bearer))?;
    let session = access::enter(&state.app, token).await?;
    state.app.request_limit.count(&session, state.app.now())?;
    Ok(session)
}

/// The host that the caller asked for, with its port.
fn host(request: &Request) -> Option<&str> {
    let header = request.headers().get(header::HOST).and_then(|host| host.to_str().ok());
    request.uri().authority().map(axum::http::uri::Authority::as_str).or(header)
}
