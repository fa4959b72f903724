//! `/gestao/historico`: the feed of situation changes.

use crate::ServerState;
use crate::answer::JsonAnswer;
use crate::extract::{AuthenticatedCaller, QueryRecord};
use crate::failure::RequestFailure;
use app::register_snapshot::TenantRegisters;
use app::triggers::feed::{self, HistoryFeedEntry};
use axum::extract;
use domain::{HistoryCursor, SituationCode};
use serde_json::value::RawValue;
use wire::records::{HistoricoQuery, HistoricoTO, MudancaTO};
use wire::set_names;

/// `GET /gestao/historico`
pub async fn list_situation_changes(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    QueryRecord(query): QueryRecord<HistoricoQuery>,
) -> Result<JsonAnswer<HistoricoTO>, RequestFailure> {
    let after = query.after.into_set().unwrap_or(HistoryCursor::START);
    let page = feed::read_feed_page(&state.app, &caller, query.entity.into_set(), after).await?;
    let next = page.next.to_string();
    let items = page.entries.into_iter().map(|entry| render_feed_entry(&page.registers, entry));
    let items = items.collect::<Result<Vec<MudancaTO>, RequestFailure>>()?;
    Ok(JsonAnswer(HistoricoTO { itens: items, proximo: next, tem_mais: page.has_more }))
}

fn render_feed_entry(
    registers: &TenantRegisters,
    entry: HistoryFeedEntry,
) -> Result<MudancaTO, RequestFailure> {
    let name = |code: SituationCode| registers.situation_name(entry.entity, code).map(str::to_uppercase);
    let body = RawValue::from_string(entry.body).map_err(|error| {
        tracing::error!(%error, code = entry.code.get(), "a stored trigger body is not valid JSON");
        RequestFailure::Internal
    })?;
    Ok(MudancaTO {
        cod_historico: entry.code.get(),
        data_historico: entry.at.to_offset_iso(&registers.zone),
        entidade: set_names::entity(entry.entity),
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
