//! `POST /ext/autenticacao`: user and password for a token. Body and content type are never looked at.

use crate::State;
use crate::answer::Answer;
use crate::extract::{Basic, Origin};
use crate::failure::{Challenge, Failure};
use app::access::{self, Entered};
use axum::extract;
use wire::records::{AcessoTO, LojaPermitidaTO, PlanoAcessoTO};

pub async fn enter(
    extract::State(state): extract::State<State>,
    Origin(origin): Origin,
    basic: Basic,
) -> Result<Answer<AcessoTO>, Failure> {
    let entered = match access::login_from(&state.app, &basic.login, &basic.password, origin).await {
        Err(app::Error::Credential) => return Err(Failure::Credential(Challenge::Basic)),
        other => other?,
    };
    Ok(Answer(record(entered)))
}

/// What somebody who has entered is told.
pub fn record(entered: Entered) -> AcessoTO {
    let branches = entered.registers.branches_of(&entered.scope);
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
