//! `/ext/beneficio/{codBeneficio}/itens` and `…/dadosAdicionais`: what hangs on one benefit.

use super::fields;
use crate::State;
use crate::answer::Answer;
use crate::extract::{Caller, Code};
use crate::failure::Failure;
use crate::write::Write;
use app::benefits::{self, Added, Additional, Item, Plan};
use axum::extract;
use axum::response::Response;
use domain::{BenefitCode, Money, shown};
use wire::names;
use wire::read;
use wire::records::{
    CampoAdicionalInput, CampoAdicionalValorTO, ItemBeneficioInput, ItemBeneficioOutputTO, Valor,
};

/// `GET /ext/beneficio/{codBeneficio}/itens`
pub async fn list(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    code: Code<BenefitCode>,
) -> Result<Answer<Vec<ItemBeneficioOutputTO>>, Failure> {
    let found = benefits::list_items(&state.app, &caller, code.get()?).await?;
    let records = found.items.iter().map(|item| record(item, found.registers.plan(item.plan)));
    Ok(Answer(records.collect()))
}

/// `POST /ext/beneficio/{codBeneficio}/itens`
pub async fn add(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    code: Code<BenefitCode>,
    write: Write,
) -> Result<Response, Failure> {
    let read = |body: &[u8]| code.and(read::body(body));
    let act = |(code, input): (BenefitCode, ItemBeneficioInput), once| {
        benefits::add_item(&state.app, &caller, code, input, once)
    };
    let record = |added: &Added| record(&added.item, Some(&added.plan));
    write.answer(&state, &caller, read, act, record).await
}

pub fn record(item: &Item, plan: Option<&Plan>) -> ItemBeneficioOutputTO {
    ItemBeneficioOutputTO {
        cod_item: item.code.get(),
        cod_plano: item.plan.get(),
        nome: plan.map_or_else(String::new, |plan| plan.name.clone()),
        tipo_beneficio: plan.map(|plan| names::benefit_kind(plan.kind)),
        valor: Money::from_cents(item.price).map(Valor),
        data_inclusao: shown::day(&item.included_on),
        ativo: item.active,
    }
}

/// `PUT /ext/beneficio/{codBeneficio}/dadosAdicionais`
pub async fn save_fields(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    code: Code<BenefitCode>,
    write: Write,
) -> Result<Response, Failure> {
    let read = |body: &[u8]| code.and(read::list_body("dadosAdicionais", body));
    let act = |(code, input): (BenefitCode, Vec<CampoAdicionalInput>), once| {
        benefits::save_fields(&state.app, &caller, code, input, once)
    };
    write.answer(&state, &caller, read, act, values).await
}

fn values(written: &Additional) -> Vec<CampoAdicionalValorTO> {
    fields(&written.registers, &written.values)
}
