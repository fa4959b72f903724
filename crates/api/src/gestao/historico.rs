//! `/gestao/historico`: the feed of situation changes.

use crate::State;
use crate::answer::Answer;
use crate::extract::{Caller, Query};
use crate::failure::Failure;
use app::base::Registers;
use app::feed::{self, Entry};
use axum::extract;
use domain::{HistoryCursor, SituationCode};
use serde_json::value::RawValue;
use wire::names;
use wire::records::{HistoricoQuery, HistoricoTO, MudancaTO};

/// `GET /gestao/historico`
pub async fn page(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    Query(query): Query<HistoricoQuery>,
) -> Result<Answer<HistoricoTO>, Failure> {
    let after = query.after.set().unwrap_or(HistoryCursor::START);
    let page = feed::page(&state.app, &caller, query.entity.set(), after).await?;
    let next = page.next.to_string();
    let items = page.entries.into_iter().map(|entry| change(&page.registers, entry));
    let items = items.collect::<Result<Vec<MudancaTO>, Failure>>()?;
    Ok(Answer(HistoricoTO { itens: items, proximo: next, tem_mais: page.has_more }))
}

fn change(registers: &Registers, entry: Entry) -> Result<MudancaTO, Failure> {
    let name = |code: SituationCode| registers.situation(code).map(|one| one.name.to_uppercase());
    let body = RawValue::from_string(entry.body).map_err(|error| {
        tracing::error!(%error, code = entry.code.get(), "a trigger is kept that is no JSON");
        Failure::Internal
    })?;
    Ok(MudancaTO {
        cod_historico: entry.code.get(),
        data_historico: entry.at.to_offset_iso(&registers.zone),
        entidade: names::entity(entry.entity),
        codigo: entry.record,
        cod_loja: entry.branch.get(),
        cod_situacao_anterior: entry.from.map(SituationCode::get),
        situacao_anterior: entry.from.and_then(name),
        cod_situacao: entry.to.get(),
        situacao: name(entry.to),
        cod_usuario: entry.user.map(domain::UserCode::get),
        motivo: entry.reason,
        origem: entry.origin,
        gatilho: body,
    })
}
