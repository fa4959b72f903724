//! The situations that each tenant defined for its entities.

use crate::{Error, QueryWeight, ReadSource, Row, Statement, Tx, sql};
use domain::{Colour, Entity, Moment, SituationCode, SituationKind, TenantId, fold_text};
use registers::InitialSituation;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredSituation {
    pub entity: Entity,
    pub code: SituationCode,
    pub name: String,
    pub kind: SituationKind,
    pub colour: Colour,
    /// The default situation of its type.
    pub is_default: bool,
    /// Benefits in it are charged; always false for other records.
    pub is_charged: bool,
    /// After this many hours in it a record is overdue.
    pub limit_hours: Option<i32>,
    /// Its display position.
    pub position: i32,
    /// The allowed next situations; empty allows any.
    pub next: Vec<SituationCode>,
    pub active: bool,
}

/// Every situation of every entity, ordered by code.
#[boxed::future]
pub async fn list_situations(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
) -> Result<Vec<StoredSituation>, Error> {
    let statement = sql(
        "SELECT s.entity, s.code, s.name, s.kind, s.colour, s.is_default, s.limit_hours, s.position, s.active,
             s.is_charged, m.next
         FROM situations s LEFT JOIN situation_moves m ON m.tenant = s.tenant AND m.situation = s.code
         WHERE s.tenant = $1 ORDER BY s.code, m.next",
    )
    .arg(tenant);
    let mut all: Vec<StoredSituation> = Vec::new();
    for row in source.fetch_all(QueryWeight::Point, statement).await? {
        let next: Option<SituationCode> = row.get("next")?;
        let code: SituationCode = row.get("code")?;
        match all.last_mut().filter(|last| last.code == code) {
            Some(same) => same.next.extend(next),
            None => all.push(parse_situation_row(&row, code, next)?),
        }
    }
    Ok(all)
}

fn parse_situation_row(
    row: &Row,
    code: SituationCode,
    next: Option<SituationCode>,
) -> Result<StoredSituation, Error> {
    let colour: String = row.get("colour")?;
    Ok(StoredSituation {
        entity: row.get("entity")?,
        code,
        name: row.get("name")?,
        kind: row.get("kind")?,
        colour: Colour::parse(&colour)
            .map_err(|_| Error::Broken(format!("{colour:?} is kept as a colour")))?,
        is_default: row.get("is_default")?,
        is_charged: row.get("is_charged")?,
        limit_hours: row.get("limit_hours")?,
        position: row.get("position")?,
        next: next.into_iter().collect(),
        active: row.get("active")?,
    })
}

/// Inserts situations with consecutive codes from `first` on.
#[boxed::future]
pub async fn insert_default_situations(
    tx: &mut Tx,
    tenant: TenantId,
    first: i32,
    initial_situations: &[InitialSituation],
    now: Moment,
) -> Result<(), Error> {
    let insert = |(code, initial): (i32, &InitialSituation)| {
        sql("INSERT INTO situations (tenant, entity, code, name, folded_name, kind, colour, is_default, position,
                 active, version, created_at, updated_at, is_charged)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $3, TRUE, 1, $9, $9, $10)")
        .arg(tenant)
        .arg(initial.entity)
        .arg(code)
        .arg(initial.name)
        .arg(fold_text(initial.name))
        .arg(initial.kind)
        .arg(initial.colour.to_string())
        .arg(initial.is_default)
        .arg(now)
        .arg(initial.entity.is_charged_while(initial.kind))
    };
    tx.execute_batch((first..).zip(initial_situations).map(insert).collect()).await
}

/// Sets how long a record may stay in a situation before it is overdue.
pub fn update_situation_limit(tenant: TenantId, code: SituationCode, hours: i32) -> Statement {
    sql("UPDATE situations SET limit_hours = $3 WHERE tenant = $1 AND code = $2")
        .arg(tenant)
        .arg(code)
        .arg(hours)
}
