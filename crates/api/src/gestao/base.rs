//! `/gestao/base`: the association itself, for its administrators.

use crate::State;
use crate::answer::Answer;
use crate::extract::Caller;
use crate::failure::Failure;
use crate::write::Write;
use app::tenants::{self, Changed, Changes, Own};
use axum::extract;
use axum::response::Response;
use domain::ValidationPartner;
use wire::read::Given;
use wire::records::{BaseInput, BaseTO, ParceiroValidacaoInput, ParceiroValidacaoTO, base_body};

/// `GET /gestao/base`
pub async fn own(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
) -> Result<Answer<BaseTO>, Failure> {
    Ok(Answer(record(&tenants::own(&state.app, &caller).await?)))
}

/// `PUT /gestao/base`
pub async fn change(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    write: Write,
) -> Result<Response, Failure> {
    let act = |input: BaseInput, once| {
        let changes = Changes {
            version: input.version.get().into(),
            name: input.name.set(),
            time_zone: input.time_zone.set(),
            colour: input.colour,
            second_colour: input.second_colour,
            open_validation: input.open_validation.set(),
            validation_partners: partners_given(input.validation_partners),
            second_factor_roles: input.second_factor_roles,
        };
        tenants::change(&state.app, &caller, changes, once)
    };
    write.answer(&state, &caller, base_body, act, |changed: &Changed| record(&changed.own)).await
}

fn partners_given(given: Given<Vec<ParceiroValidacaoInput>>) -> Given<Vec<ValidationPartner>> {
    let partner = |one: ParceiroValidacaoInput| ValidationPartner {
        network: one.network,
        lookups: one.lookups.get().unsigned_abs(),
    };
    match given {
        Given::Set(partners) => Given::Set(partners.into_iter().map(partner).collect()),
        Given::Clear => Given::Clear,
        Given::Keep => Given::Keep,
    }
}

fn partner_record(partner: &ValidationPartner) -> ParceiroValidacaoTO {
    ParceiroValidacaoTO { rede: partner.network.to_string(), consultas: partner.lookups }
}

fn record(Own { tenant, hosts }: &Own) -> BaseTO {
    BaseTO {
        cod_cliente_sistema: tenant.id.get(),
        nome: tenant.name.clone(),
        hosts: hosts.clone(),
        fuso: tenant.time_zone.clone(),
        cor: tenant.colour.clone(),
        cor_secundaria: tenant.second_colour.clone(),
        validacao_aberta: tenant.open_validation,
        parceiros_validacao: tenants::partners(tenant).iter().map(partner_record).collect(),
        segundo_fator_obrigatorio: tenant.second_factor_roles.iter().map(|role| wire::role(*role)).collect(),
        versao: tenant.version,
    }
}
