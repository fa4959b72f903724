//! `/gestao/sessao`: signing in with a second factor, and ending the caller's own token.

use crate::ServerState;
use crate::answer::JsonAnswer;
use crate::ext::autenticacao;
use crate::extract::{AuthenticatedCaller, BasicCredentials, SignInOrigin};
use crate::failure::{CredentialChallenge, RequestFailure};
use app::access::{self, sessions};
use axum::extract;
use axum::http::HeaderMap;
use wire::records::{AcessoTO, SessaoEncerradaTO};

/// The header that carries the code. It is not a body, because a sign-in is never replayed and so has no idempotency
/// key, and because secrets stay together in the headers.
const CODE: &str = "x-codigo";

/// `POST /gestao/sessao`
pub async fn sign_in_with_code(
    extract::State(state): extract::State<ServerState>,
    SignInOrigin(origin): SignInOrigin,
    basic: BasicCredentials,
    headers: HeaderMap,
) -> Result<JsonAnswer<AcessoTO>, RequestFailure> {
    let code = headers.get(CODE).and_then(|value| value.to_str().ok()).map(str::trim);
    let credential = (basic.login.as_str(), basic.password.as_str(), code.filter(|code| !code.is_empty()));
    match access::log_in_with_code(&state.app, credential, origin).await {
        Ok(entered) => Ok(JsonAnswer(autenticacao::render_sign_in(entered))),
        Err(app::Error::Credential) => Err(RequestFailure::Credential(CredentialChallenge::Basic)),
        Err(error) => Err(error.into()),
    }
}

/// `DELETE /gestao/sessao`
pub async fn end_session(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
) -> Result<JsonAnswer<SessaoEncerradaTO>, RequestFailure> {
    sessions::end_own_session(&state.app, &caller).await?;
    Ok(JsonAnswer(SessaoEncerradaTO { encerrada: true }))
}
