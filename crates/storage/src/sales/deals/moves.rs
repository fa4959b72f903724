//! The moves of deals between stages.

use crate::executor::statement::build_inserts;
use crate::{Error, QueryWeight, ReadSource, SqlScalar, Statement, sql};
use domain::{DealCode, DealState, Moment, StageCode, TenantId, UserCode};

/// A move to a stage: where, when and by whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DealStageMove {
    pub number: i32,
    pub at: Moment,
    pub stage: StageCode,
    pub state: DealState,
    pub user: Option<UserCode>,
    pub user_name: Option<String>,
}

/// The moves of a deal, in order.
#[boxed::future]
pub async fn list_deal_moves(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    deal: DealCode,
) -> Result<Vec<DealStageMove>, Error> {
    let statement = sql("SELECT m.number, m.moved_at, m.stage, m.situation, m.user_code, u.name AS user_name
         FROM deal_moves m LEFT JOIN users u ON u.tenant = m.tenant AND u.code = m.user_code
         WHERE m.tenant = $1 AND m.deal = $2 ORDER BY m.number")
    .arg(tenant)
    .arg(deal);
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter()
        .map(|row| {
            let (number, at) = (row.get("number")?, row.get("moved_at")?);
            let (stage, state) = (row.get("stage")?, row.get("situation")?);
            Ok(DealStageMove {
                number,
                at,
                stage,
                state,
                user: row.get("user_code")?,
                user_name: row.get("user_name")?,
            })
        })
        .collect()
}

#[boxed::future]
pub async fn load_last_move_number(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    deal: DealCode,
) -> Result<i32, Error> {
    let statement = sql("SELECT number FROM deal_moves WHERE tenant = $1 AND deal = $2
         ORDER BY number DESC LIMIT 1");
    let row = source.fetch_optional(statement.arg(tenant).arg(deal)).await?;
    row.map_or(Ok(0), |row| row.get("number"))
}

pub fn insert_deal_moves<'m>(
    tenant: TenantId,
    moves: impl IntoIterator<Item = (DealCode, &'m DealStageMove)>,
) -> Vec<Statement> {
    let rows = moves.into_iter().map(|(deal, one)| -> [SqlScalar; 7] {
        let (stage, state) = (one.stage.into(), one.state.into());
        [tenant.into(), deal.into(), one.number.into(), one.at.into(), stage, state, one.user.into()]
    });
    let head = "INSERT INTO deal_moves (tenant, deal, number, moved_at, stage, situation, user_code) VALUES";
    build_inserts(head, 100, rows)
}

pub fn delete_deal_moves(tenant: TenantId, deal: DealCode) -> Statement {
    sql("DELETE FROM deal_moves WHERE tenant = $1 AND deal = $2").arg(tenant).arg(deal)
}
