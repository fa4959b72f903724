//! The check in front of every operation: it enforces the access rule of the route table before any other part of the
//! request is read.

use crate::ServerState;
use crate::extract::{RequestedTenant, find_credential, find_requested_host, has_credential};
use crate::failure::{CredentialChallenge, RequestFailure};
use app::session::{self, CallerSlot, Session};
use axum::extract::{self, ConnectInfo, Request};
use axum::http::HeaderMap;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use domain::{MoneyRight, Role};
use std::net::SocketAddr;
use std::sync::Arc;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AllowedCallers {
    /// Any caller, for the tenant that the request selects.
    Open,
    /// User and password.
    Login,
    /// Any valid token, whatever its reach.
    AnyToken,
    /// A token of a user with one of these roles.
    Roles(&'static [Role]),
}

impl AllowedCallers {
    pub const ADMINISTRATORS: AllowedCallers = AllowedCallers::Roles(&Role::ADMINISTRATORS);
    pub const STAFF: AllowedCallers = AllowedCallers::Roles(&Role::STAFF);
    pub const ANY_ROLE: AllowedCallers = AllowedCallers::Roles(&Role::ALL);
}

/// The access rule of an operation.
#[derive(Clone, Copy)]
pub struct AccessRequirement {
    pub access: AllowedCallers,
    /// A management operation: tokens limited to `/ext` are refused.
    pub is_management: bool,
    /// What the user must be allowed to do with money.
    pub money_right: Option<MoneyRight>,
}

pub async fn guard_operation(
    extract::State((state, needed)): extract::State<(ServerState, AccessRequirement)>,
    mut request: Request,
    next: Next,
) -> Response {
    match admit_caller(&state, needed, &mut request).await {
        Ok(()) => next.run(request).await,
        Err(failure) => failure.into_response(),
    }
}

async fn admit_caller(
    state: &ServerState,
    needed: AccessRequirement,
    request: &mut Request,
) -> Result<(), RequestFailure> {
    // For the log of requests.
    let caller = request.extensions().get::<CallerSlot>().cloned().unwrap_or_default();
    match needed.access {
        AllowedCallers::Login => {}
        AllowedCallers::AnyToken => {
            let session = authenticate_bearer(state, request.headers(), &caller).await?;
            request.extensions_mut().insert(session);
        }
        AllowedCallers::Roles(roles) => {
            let mut session = authenticate_bearer(state, request.headers(), &caller).await?;
            session.require_role(roles)?;
            needed.money_right.map_or(Ok(()), |right| session.require_money_right(right))?;
            if needed.is_management {
                session.require_management()?;
                // Account changes are audited with the caller's address.
                let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
                session =
                    peer.map_or(session.clone(), |peer| Arc::new(session.with_address(peer.0.ip().into())));
            }
            request.extensions_mut().insert(session);
        }
        AllowedCallers::Open => {
            // A token sent to an open operation selects the tenant; an invalid one is refused.
            let base = if has_credential(request.headers(), "bearer") {
                let session = authenticate_bearer(state, request.headers(), &caller).await?;
                let tenant = session.scope.tenant();
                request.extensions_mut().insert(session);
                tenant
            } else {
                app::tenant_of_request::resolve_tenant_by_host(
                    &state.app,
                    find_requested_host(request.uri(), request.headers()),
                )
                .await?
            };
            caller.fill(base, None);
            request.extensions_mut().insert(RequestedTenant(base));
        }
    }
    Ok(())
}

async fn authenticate_bearer(
    state: &ServerState,
    headers: &HeaderMap,
    caller: &CallerSlot,
) -> Result<Arc<Session>, RequestFailure> {
    let token =
        find_credential(headers, "bearer").ok_or(RequestFailure::Credential(CredentialChallenge::Bearer))?;
    let session = session::load_session(&state.app, token).await?;
    caller.fill(session.scope.tenant(), Some(session.user));
    state.app.request_limit.count_request(&session, state.app.now())?;
    Ok(session)
}
