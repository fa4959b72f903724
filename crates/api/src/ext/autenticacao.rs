//! `POST /ext/autenticacao`: exchanges user and password for a token. Body and content type are ignored.

use crate::ServerState;
use crate::answer::JsonAnswer;
use crate::extract::{BasicCredentials, SignInOrigin};
use crate::failure::{CredentialChallenge, RequestFailure};
use app::access::{self, SignInGrant};
use axum::extract;
use wire::records::{AcessoTO, LojaPermitidaTO, PlanoAcessoTO};

pub async fn sign_in(
    extract::State(state): extract::State<ServerState>,
    SignInOrigin(origin): SignInOrigin,
    basic: BasicCredentials,
) -> Result<JsonAnswer<AcessoTO>, RequestFailure> {
    let entered = match access::log_in_program_from(&state.app, &basic.login, &basic.password, origin).await {
        Err(app::Error::Credential) => return Err(RequestFailure::Credential(CredentialChallenge::Basic)),
        other => other?,
    };
    Ok(JsonAnswer(render_sign_in(entered)))
}

/// The answer to a successful sign-in.
pub fn render_sign_in(entered: SignInGrant) -> AcessoTO {
    let branches = entered.registers.usable_branches(&entered.scope);
    let plans = entered.registers.plans.iter().filter(|plan| plan.active);
    AcessoTO {
        authorization_token: entered.token,
        authorization_type: "Bearer",
        cod_cliente_sistema: entered.tenant.get(),
        nome_cliente_sistema: entered.tenant_name,
        cod_usuario: entered.user.get(),
        nome_usuario: entered.user_name,
        permissao_loja: branches
            .map(|branch| LojaPermitidaTO { cod_loja: branch.code.get(), nome: branch.name.clone() })
            .collect(),
        plano: plans
            .map(|plan| PlanoAcessoTO { cod_plano: plan.code.get(), nome: plan.name.clone() })
            .collect(),
    }
}
