//! `/gestao/base`: the tenant itself, for its administrators.

use crate::ServerState;
use crate::answer::JsonAnswer;
use crate::extract::AuthenticatedCaller;
use crate::failure::RequestFailure;
use crate::write::IncomingWrite;
use app::tenants::{self, ChangeTenant, ChangeTenantOutcome, OwnTenant};
use axum::extract;
use axum::response::Response;
use domain::ValidationPartner;
use wire::read::FieldPatch;
use wire::records::{BaseInput, BaseTO, ParceiroValidacaoInput, ParceiroValidacaoTO, read_base_body};

/// `GET /gestao/base`
pub async fn show_tenant(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
) -> Result<JsonAnswer<BaseTO>, RequestFailure> {
    Ok(JsonAnswer(render_tenant(&tenants::read_own_tenant(&state.app, &caller).await?)))
}

/// `PUT /gestao/base`
pub async fn change_tenant(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let act = |input: BaseInput, once| {
        let changes = ChangeTenant {
            version: input.version.get().into(),
            name: input.name.into_set(),
            time_zone: input.time_zone.into_set(),
            colour: input.colour,
            second_colour: input.second_colour,
            open_validation: input.open_validation.into_set(),
            validation_partners: convert_partners(input.validation_partners),
            second_factor_roles: input.second_factor_roles,
        };
        tenants::change_own_tenant(&state.app, &caller, changes, once)
    };
    write
        .answer(&state, &caller, read_base_body, act, |changed: &ChangeTenantOutcome| {
            render_tenant(&changed.tenant)
        })
        .await
}

fn convert_partners(input: FieldPatch<Vec<ParceiroValidacaoInput>>) -> FieldPatch<Vec<ValidationPartner>> {
    let partner = |one: ParceiroValidacaoInput| ValidationPartner {
        network: one.network,
        lookups: one.lookups.get().unsigned_abs(),
    };
    match input {
        FieldPatch::Set(partners) => FieldPatch::Set(partners.into_iter().map(partner).collect()),
        FieldPatch::Clear => FieldPatch::Clear,
        FieldPatch::Keep => FieldPatch::Keep,
    }
}

fn render_partner(partner: &ValidationPartner) -> ParceiroValidacaoTO {
    ParceiroValidacaoTO { rede: partner.network.to_string(), consultas: partner.lookups }
}

fn render_tenant(OwnTenant { tenant, hosts }: &OwnTenant) -> BaseTO {
    BaseTO {
        cod_cliente_sistema: tenant.id.get(),
        nome: tenant.name.clone(),
        hosts: hosts.clone(),
        fuso: tenant.time_zone.clone(),
        cor: tenant.colour.clone(),
        cor_secundaria: tenant.second_colour.clone(),
        validacao_aberta: tenant.open_validation,
        parceiros_validacao: app::register_snapshot::parse_partners(tenant)
            .iter()
            .map(render_partner)
            .collect(),
        segundo_fator_obrigatorio: tenant.second_factor_roles.iter().map(|role| wire::role(*role)).collect(),
        versao: tenant.version,
    }
}
