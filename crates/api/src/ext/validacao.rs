//! `POST /ext/beneficio/validacao`: whether somebody has a benefit. Anybody may ask; who shows a token sees more.

use crate::State;
use crate::answer::Answer;
use crate::extract::{AnyCaller, Base, From};
use crate::failure::Failure;
use crate::write::Write;
use app::access::Session;
use app::validations::{self, Validated};
use axum::extract::{self, FromRequestParts};
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use domain::{CardNumber, SituationKind, TenantId, fold, shown};
use std::sync::Arc;
use wire::names;
use wire::read;
use wire::records::{PlanoAcessoTO, ValidacaoBeneficioInput, ValidacaoBeneficioOutputTO};

/// Who asks, and of which association. Who shows no token is refused where the association wants one, before the body is
/// looked at.
pub struct ValidationCaller {
    caller: Option<Arc<Session>>,
    base: TenantId,
}

impl FromRequestParts<State> for ValidationCaller {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &State) -> Result<ValidationCaller, Failure> {
        let Ok(AnyCaller(caller)) = AnyCaller::from_request_parts(parts, state).await;
        let Base(base) = Base::from_request_parts(parts, state).await?;
        if caller.is_none() {
            validations::must_be_open(&state.app, base).await?;
        }
        Ok(ValidationCaller { caller, base })
    }
}

pub async fn validate(
    extract::State(state): extract::State<State>,
    ValidationCaller { caller, base }: ValidationCaller,
    from: From,
    write: Write,
) -> Result<Response, Failure> {
    let Some(caller) = caller else {
        let input = write.of_anybody(read::body)?;
        let validated = validations::of_anybody(&state.app, base, from.address(), input).await?;
        return Ok(Answer(record(&validated)).into_response());
    };
    let act = |input: ValidacaoBeneficioInput, once| validations::of_caller(&state.app, &caller, input, once);
    write.answer(&state, &caller, read::body, act, record).await
}

fn record(validated: &Validated) -> ValidacaoBeneficioOutputTO {
    let Validated { found, registers, is_whole } = validated;
    let benefit = &found.benefit;
    let (document, card) = (found.document.as_deref(), benefit.card.as_ref().map(CardNumber::as_str));
    let is_active = validated.kind() == Some(SituationKind::Active);
    ValidacaoBeneficioOutputTO {
        status: if is_active { "ativo" } else { "inativo" },
        situacao: registers
            .situation(benefit.situation)
            .map_or_else(String::new, |one| one.name.to_uppercase()),
        nome: found.name.clone(),
        cpf: match is_whole {
            true => document.map(shown::document),
            false => document.and_then(shown::veiled_document),
        },
        cod_beneficio: found.code.get(),
        sequencial: benefit.sequence,
        numero_cartao_desconto: match is_whole {
            true => card.map(shown::card),
            false => card.and_then(shown::veiled_card),
        },
        tipo_beneficio: names::benefit_kind(benefit.kind),
        planos: plans(validated),
        data_adesao: benefit.joined_on.as_deref().map(shown::day),
    }
}

/// By name, then code.
fn plans(validated: &Validated) -> Vec<PlanoAcessoTO> {
    let name = |code| validated.registers.plan(code).map_or_else(String::new, |plan| plan.name.clone());
    let mut plans: Vec<PlanoAcessoTO> =
        validated.plans().map(|code| PlanoAcessoTO { cod_plano: code.get(), nome: name(code) }).collect();
    plans.sort_by_cached_key(|plan| (fold(&plan.nome), plan.cod_plano));
    plans
}
