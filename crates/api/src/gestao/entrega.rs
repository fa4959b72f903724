//! `/gestao/entrega`: what was sent to receivers, for administrators.

use crate::State;
use crate::answer::Answer;
use crate::extract::{Caller, Query};
use crate::failure::Failure;
use crate::write::Write;
use app::base::registers;
use app::receivers::By;
use app::triggers::{self, Replay, Told};
use axum::extract;
use axum::response::Response;
use domain::{HistoryCode, Rejection, TenantId, TimeZone};
use wire::read::{self, Given};
use wire::records::{EntregaQuery, EntregaTO, EntregasTO, ReenvioInput, ReenvioTO, TentativaTO};

/// `GET /gestao/entrega`
pub async fn list(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    Query(query): Query<EntregaQuery>,
) -> Result<Answer<EntregasTO>, Failure> {
    let tenant = caller.scope.tenant();
    let zone = &registers(&state.app, tenant).await?.zone;
    let after = query.after.set().map_or(0, read::Between::get);
    let page = triggers::page(&state.app, tenant, query.receiver, query.state.set(), HistoryCode::new(after))
        .await?;
    Ok(Answer(EntregasTO {
        proximo: page.last().map_or(after, |told| told.delivery.history.get()),
        tem_mais: page.len() as i64 == triggers::PAGE,
        itens: page.into_iter().map(|told| record(tenant, zone, told)).collect(),
    }))
}

/// `POST /gestao/entrega/reenviar`
pub async fn send_again(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    write: Write,
) -> Result<Response, Failure> {
    let tenant = caller.scope.tenant();
    let zone = registers(&state.app, tenant).await?.zone.clone();
    let (app, zone, by) = (&state.app, &zone, By { tenant, user: Some(caller.user) });
    let act = |input: ReenvioInput, once| async move {
        let what = match (&input.first, &input.since) {
            (Given::Set(first), Given::Keep | Given::Clear) => {
                Replay::Stretch(*first, input.last.clone().set().unwrap_or(*first))
            }
            (Given::Keep | Given::Clear, Given::Set(since)) => Replay::MissedSince(since.moment_in(zone)),
            _ => return Err(Rejection::NothingToSendAgain.into()),
        };
        triggers::replay(app, by, (input.receiver, what), once).await
    };
    write.answer(&state, &caller, read::body, act, |count: &u64| ReenvioTO { reenviadas: *count }).await
}

fn record(tenant: TenantId, zone: &TimeZone, told: Told) -> EntregaTO {
    let one = told.delivery;
    EntregaTO {
        cod_receptor: one.receiver.get(),
        cod_historico: one.history.get(),
        webhook_id: triggers::message_id(tenant, &triggers::mark_of(&one)),
        entidade: wire::entity_path(one.entity),
        codigo: one.record,
        estado: wire::delivery_state(one.state),
        tentativas: one.tries,
        data_criacao: one.created_at.to_offset_iso(zone),
        data_fim: one.ended_at.map(|at| at.to_offset_iso(zone)),
        proxima_tentativa: one.due_at.map(|at| at.to_offset_iso(zone)),
        historico: told
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
