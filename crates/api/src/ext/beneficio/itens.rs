//! `/ext/beneficio/{codBeneficio}/itens` and `…/dadosAdicionais`: the items and additional fields of a benefit.

use super::render_additional_fields;
use crate::ServerState;
use crate::answer::JsonAnswer;
use crate::extract::{AuthenticatedCaller, PathCode};
use crate::failure::RequestFailure;
use crate::write::IncomingWrite;
use app::benefits::{self, AddItemOutcome, SaveFieldsOutcome, StoredPlan};
use axum::extract;
use axum::response::Response;
use domain::{BenefitCode, BenefitItem};
use wire::read;
use wire::records::{
    CampoAdicionalInput, CampoAdicionalValorTO, ItemBeneficioInput, ItemBeneficioOutputTO, JsonAmount,
};
use wire::set_names;

/// `GET /ext/beneficio/{codBeneficio}/itens`
pub async fn list_benefit_items(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<BenefitCode>,
) -> Result<JsonAnswer<Vec<ItemBeneficioOutputTO>>, RequestFailure> {
    let found = benefits::list_items(&state.app, &caller, code.get()?).await?;
    let records = found.items.iter().map(|item| render_benefit_item(item, found.registers.plan(item.plan)));
    Ok(JsonAnswer(records.collect()))
}

/// `POST /ext/beneficio/{codBeneficio}/itens`
pub async fn add_benefit_item(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<BenefitCode>,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let read = |body: &[u8]| code.join_body(read::read_body(body));
    let act = |(code, input): (BenefitCode, ItemBeneficioInput), once| {
        benefits::add_item(&state.app, &caller, code, input, once)
    };
    let record = |added: &AddItemOutcome| render_benefit_item(&added.item, Some(&added.plan));
    write.answer(&state, &caller, read, act, record).await
}

pub fn render_benefit_item(item: &BenefitItem, plan: Option<&StoredPlan>) -> ItemBeneficioOutputTO {
    ItemBeneficioOutputTO {
        cod_item: item.code.get(),
        cod_plano: item.plan.get(),
        nome: plan.map_or_else(String::new, |plan| plan.name.clone()),
        tipo_beneficio: plan.map(|plan| set_names::benefit_kind(plan.kind)),
        valor: Some(JsonAmount(item.price)),
        data_inclusao: item.included_on.to_br(),
        ativo: item.active,
    }
}

/// `PUT /ext/beneficio/{codBeneficio}/dadosAdicionais`
pub async fn save_additional_fields(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<BenefitCode>,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let read = |body: &[u8]| code.join_body(read::read_list_body("dadosAdicionais", body));
    let act = |(code, input): (BenefitCode, Vec<CampoAdicionalInput>), once| {
        benefits::save_additional_fields(&state.app, &caller, code, input, once)
    };
    write.answer(&state, &caller, read, act, render_field_values).await
}

fn render_field_values(written: &SaveFieldsOutcome) -> Vec<CampoAdicionalValorTO> {
    render_additional_fields(&written.registers, &written.values)
}
