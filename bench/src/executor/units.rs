//! The unit of work that both sides write: a code from the counter, a row of history, a row of the outbox.

use domain::{BranchCode, Entity, Moment, ReceiverCode, SituationCode, TenantId};
use storage::history::situation_changes::NewHistoryRow;

/// As many units share a commit at most, on both sides.
pub const BATCH: usize = 32;

pub const COUNTER: &str = "INSERT INTO counters (tenant, kind, last) VALUES ($1, $2, $3)
    ON CONFLICT (tenant, kind) DO UPDATE SET last = counters.last + excluded.last RETURNING last";
pub const HISTORY: &str =
    "INSERT INTO history (tenant, code, entity, record, branch, happened_at, from_situation,
        to_situation, user_code, reason, origin, body)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)";
pub const OUTBOX: &str = "INSERT INTO outbox (tenant, receiver, history_code, entity, record, created_at)
    VALUES ($1, $2, $3, $4, $5, $6)";
pub const RECEIVER: ReceiverCode = ReceiverCode::new(1);

pub fn change(tenant: i32, record: i64) -> NewHistoryRow {
    NewHistoryRow {
        tenant: TenantId::new(tenant),
        entity: Entity::Benefit,
        record: i32::try_from(record).unwrap_or(1),
        branch: BranchCode::new(1),
        from: Some(SituationCode::new(1)),
        to: SituationCode::new(2),
        user: None,
        reason: Some("Pagamento em atraso".to_owned()),
        origin: "api",
        at: Moment::from_millis(1_700_000_000_000 + record),
    }
}

/// What a trigger carries: about 300 bytes.
pub fn body(change: &NewHistoryRow, code: i32) -> String {
    format!(
        "{{\"evento\":\"situacao_alterada\",\"codigo\":{code},\"entidade\":\"beneficio\",\"registro\":{},\
         \"regional\":{{\"codigo\":1,\"nome\":\"Regional Centro\"}},\"situacao_anterior\":{{\"codigo\":1,\"nome\":\"Ativo\"}},\
         \"situacao_atual\":{{\"codigo\":2,\"nome\":\"Inadimplente\"}},\"motivo\":\"Pagamento em atraso\",\
         \"usuario\":null,\"origem\":\"api\",\"momento\":\"2026-01-15T12:34:56.789Z\"}}",
        change.record
    )
}
