//! `POST /ext/beneficio/validacao`: whether a person has a benefit. Open to any caller; a token shows more.

use crate::ServerState;
use crate::answer::JsonAnswer;
use crate::extract::{ClientAddress, OptionalCaller, RequestedTenant};
use crate::failure::RequestFailure;
use crate::write::IncomingWrite;
use app::members::validation::{self, ValidatedBenefit};
use app::session::Session;
use axum::extract::{self, FromRequestParts};
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use domain::{CardNumber, Date, SituationKind, TenantId, display, fold_text};
use std::sync::Arc;
use wire::read;
use wire::records::{PlanoAcessoTO, ValidacaoBeneficioInput, ValidacaoBeneficioOutputTO};
use wire::set_names;

/// The caller and the tenant. Callers without a token are refused before the body is read if the tenant requires one.
pub struct ValidationCaller {
    caller: Option<Arc<Session>>,
    base: TenantId,
}

impl FromRequestParts<ServerState> for ValidationCaller {
    type Rejection = RequestFailure;

    async fn from_request_parts(
        parts: &mut Parts,
        state: &ServerState,
    ) -> Result<ValidationCaller, RequestFailure> {
        let Ok(OptionalCaller(caller)) = OptionalCaller::from_request_parts(parts, state).await;
        let RequestedTenant(base) = RequestedTenant::from_request_parts(parts, state).await?;
        if caller.is_none() {
            validation::require_open_validation(&state.app, base).await?;
        }
        Ok(ValidationCaller { caller, base })
    }
}

pub async fn validate_benefit(
    extract::State(state): extract::State<ServerState>,
    ValidationCaller { caller, base }: ValidationCaller,
    client: ClientAddress,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let Some(caller) = caller else {
        let input = write.read_anonymous(read::read_body)?;
        let validated =
            validation::validate_benefit_anonymously(&state.app, base, client.address(), input).await?;
        return Ok(JsonAnswer(render_validation(&validated)).into_response());
    };
    let act = |input: ValidacaoBeneficioInput, once| {
        validation::validate_benefit_as_caller(&state.app, &caller, input, once)
    };
    write.answer(&state, &caller, read::read_body, act, render_validation).await
}

fn render_validation(validated: &ValidatedBenefit) -> ValidacaoBeneficioOutputTO {
    let ValidatedBenefit { found_benefit: found, registers, is_unmasked } = validated;
    let benefit = &found.benefit;
    let (document, card) = (found.document.as_deref(), benefit.card.as_ref().map(CardNumber::as_str));
    let is_active = validated.situation_kind() == Some(SituationKind::Active);
    ValidacaoBeneficioOutputTO {
        status: if is_active { "ativo" } else { "inativo" },
        situacao: registers
            .situation(benefit.situation)
            .map_or_else(String::new, |one| one.name.to_uppercase()),
        nome: found.name.clone(),
        cpf: match is_unmasked {
            true => document.map(display::format_document),
            false => document.and_then(display::mask_document),
        },
        cod_beneficio: found.code.get(),
        sequencial: benefit.sequence,
        numero_cartao_desconto: match is_unmasked {
            true => card.map(display::format_card),
            false => card.and_then(display::mask_card),
        },
        tipo_beneficio: set_names::benefit_kind(benefit.kind),
        planos: render_plan_names(validated),
        data_adesao: benefit.joined_on.map(Date::to_br),
    }
}

/// Ordered by name, then code.
fn render_plan_names(validated: &ValidatedBenefit) -> Vec<PlanoAcessoTO> {
    let name = |code| validated.registers.plan(code).map_or_else(String::new, |plan| plan.name.clone());
    let mut plans: Vec<PlanoAcessoTO> =
        validated.plans().map(|code| PlanoAcessoTO { cod_plano: code.get(), nome: name(code) }).collect();
    plans.sort_by_cached_key(|plan| (fold_text(&plan.nome), plan.cod_plano));
    plans
}
