//! `/gestao/base`: the association itself, for its administrators.

use crate::State;
use crate::answer::Answer;
use crate::extract::Caller;
use crate::failure::Failure;
use crate::write::Write;
use app::tenants::{self, Changed, Changes, Own};
use axum::extract;
use axum::response::Response;
use wire::read;
use wire::records::{BaseInput, BaseTO};

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
            hosts: input.hosts,
            time_zone: input.time_zone.set(),
            colour: input.colour,
            second_colour: input.second_colour,
            second_factor_roles: input.second_factor_roles,
        };
        tenants::change(&state.app, &caller, changes, once)
    };
    write.answer(&state, &caller, read::body, act, |changed: &Changed| record(&changed.own)).await
}

fn record(Own { tenant, hosts }: &Own) -> BaseTO {
    BaseTO {
        cod_cliente_sistema: tenant.id.get(),
        nome: tenant.name.clone(),
        hosts: hosts.clone(),
        fuso: tenant.time_zone.clone(),
        cor: tenant.colour.clone(),
        cor_secundaria: tenant.second_colour.clone(),
        segundo_fator_obrigatorio: tenant.second_factor_roles.iter().map(|role| wire::role(*role)).collect(),
        versao: tenant.version,
    }
}
