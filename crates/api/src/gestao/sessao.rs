//! `/gestao/sessao`: entering with a second factor, and ending one's own token.

use crate::State;
use crate::answer::Answer;
use crate::ext::autenticacao;
use crate::extract::{Basic, Caller, Origin};
use crate::failure::{Challenge, Failure};
use app::{access, visits};
use axum::extract;
use axum::http::HeaderMap;
use wire::records::{AcessoTO, SessaoEncerradaTO};

/// The header that carries the code. A header and not a body: a login is answered anew each time, so it has no
/// idempotency key, and its secrets travel together.
const CODE: &str = "x-codigo";

/// `POST /gestao/sessao`
pub async fn enter(
    extract::State(state): extract::State<State>,
    Origin(origin): Origin,
    basic: Basic,
    headers: HeaderMap,
) -> Result<Answer<AcessoTO>, Failure> {
    let code = headers.get(CODE).and_then(|value| value.to_str().ok()).map(str::trim);
    let credential = (basic.login.as_str(), basic.password.as_str(), code.filter(|code| !code.is_empty()));
    match access::login_with_code(&state.app, credential, origin).await {
        Ok(entered) => Ok(Answer(autenticacao::record(entered))),
        Err(app::Error::Credential) => Err(Failure::Credential(Challenge::Basic)),
        Err(error) => Err(error.into()),
    }
}

/// `DELETE /gestao/sessao`
pub async fn end(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
) -> Result<Answer<SessaoEncerradaTO>, Failure> {
    visits::end_own(&state.app, &caller).await?;
    Ok(Answer(SessaoEncerradaTO { encerrada: true }))
}
