//! `/gestao/entrega`: trigger deliveries, for administrators.

use crate::ServerState;
use crate::answer::JsonAnswer;
use crate::extract::{AuthenticatedCaller, QueryRecord};
use crate::failure::RequestFailure;
use crate::write::IncomingWrite;
use app::register_snapshot::load_registers;
use app::triggers::receivers::TenantActor;
use app::triggers::{self, DeliveryWithAttempts, ReplaySelection};
use axum::extract;
use axum::response::Response;
use domain::{HistoryCode, PAGE_SIZE, Rejection, TenantId, TimeZone};
use wire::read::{self, FieldPatch};
use wire::records::{EntregaQuery, EntregaTO, EntregasTO, ReenvioInput, ReenvioTO, TentativaTO};

/// `GET /gestao/entrega`
pub async fn list_deliveries(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    QueryRecord(query): QueryRecord<EntregaQuery>,
) -> Result<JsonAnswer<EntregasTO>, RequestFailure> {
    let tenant = caller.scope.tenant();
    let zone = &load_registers(&state.app, tenant).await?.zone;
    let after = query.after.into_set().map_or(0, read::BoundedInt::get);
    let page = triggers::list_deliveries(
        &state.app,
        tenant,
        query.receiver,
        query.state.into_set(),
        HistoryCode::new(after),
    )
    .await?;
    Ok(JsonAnswer(EntregasTO {
        proximo: page.last().map_or(after, |entry| entry.delivery.history.get()),
        tem_mais: page.len() as i64 == PAGE_SIZE,
        itens: page.into_iter().map(|entry| render_delivery(tenant, zone, entry)).collect(),
    }))
}

/// `POST /gestao/entrega/reenviar`
pub async fn replay_deliveries(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let tenant = caller.scope.tenant();
    let zone = load_registers(&state.app, tenant).await?.zone.clone();
    let (app, zone, actor) = (&state.app, &zone, TenantActor { tenant, user: Some(caller.user) });
    let act = |input: ReenvioInput, once| async move {
        let what = match (&input.first, &input.since) {
            (FieldPatch::Set(first), FieldPatch::Keep | FieldPatch::Clear) => {
                ReplaySelection::HistoryRange(*first, input.last.clone().into_set().unwrap_or(*first))
            }
            (FieldPatch::Keep | FieldPatch::Clear, FieldPatch::Set(since)) => {
                ReplaySelection::MissedSince(since.moment_in(zone))
            }
            _ => return Err(Rejection::NothingToSendAgain.into()),
        };
        triggers::replay_deliveries(app, actor, (input.receiver, what), once).await
    };
    write.answer(&state, &caller, read::read_body, act, |count: &u64| ReenvioTO { reenviadas: *count }).await
}

fn render_delivery(tenant: TenantId, zone: &TimeZone, entry: DeliveryWithAttempts) -> EntregaTO {
    let one = entry.delivery;
    EntregaTO {
        cod_receptor: one.receiver.get(),
        cod_historico: one.history.get(),
        webhook_id: triggers::build_message_id(tenant, &triggers::build_delivery_mark(&one)),
        entidade: wire::entity_path(one.entity),
        codigo: one.record,
        estado: wire::delivery_state(one.state),
        tentativas: one.tries,
        data_criacao: one.created_at.to_offset_iso(zone),
        data_fim: one.ended_at.map(|at| at.to_offset_iso(zone)),
        proxima_tentativa: one.due_at.map(|at| at.to_offset_iso(zone)),
        historico: entry
            .attempts
            .into_iter()
            .map(|attempt| TentativaTO {
                data_hora: attempt.tried_at.to_offset_iso(zone),
                status: attempt.status,
                duracao_ms: attempt.millis,
                resposta: attempt.answer,
                erro: attempt.failure,
            })
            .collect(),
    }
}
