//! The funnels of the sales board and their stages.

use crate::{Error, QueryWeight, ReadSource, Statement, Tx, sql};
use domain::{Colour, FunnelCode, Moment, StageCode, TenantId};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredFunnel {
    pub code: FunnelCode,
    pub name: String,
    /// Its position among the funnels: the first is the default for new deals.
    pub position: i32,
    pub active: bool,
    /// In order, including inactive ones.
    pub stages: Vec<StoredStage>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredStage {
    pub code: StageCode,
    pub name: String,
    pub position: i32,
    pub colour: Colour,
    pub active: bool,
}

/// Every funnel with its stages, including inactive ones, ordered by code.
#[boxed::future]
pub async fn list_funnels(tx: &mut Tx, tenant: TenantId) -> Result<Vec<StoredFunnel>, Error> {
    let funnels = sql("SELECT code, name, position, active FROM funnels WHERE tenant = $1 ORDER BY code");
    let rows = ReadSource::from(&mut *tx).fetch_all(QueryWeight::Point, funnels.arg(tenant)).await?;
    let funnel = |row: &crate::Row| {
        let (code, name) = (row.get("code")?, row.get("name")?);
        Ok(StoredFunnel {
            code,
            name,
            position: row.get("position")?,
            active: row.get("active")?,
            stages: Vec::new(),
        })
    };
    let mut funnels = rows.iter().map(funnel).collect::<Result<Vec<StoredFunnel>, Error>>()?;
    let stages = sql("SELECT code, funnel, name, position, colour, active FROM stages WHERE tenant = $1
         ORDER BY position, code");
    for row in ReadSource::from(tx).fetch_all(QueryWeight::Point, stages.arg(tenant)).await? {
        let funnel_code: FunnelCode = row.get("funnel")?;
        let colour: String = row.get("colour")?;
        let stage = StoredStage {
            code: row.get("code")?,
            name: row.get("name")?,
            position: row.get("position")?,
            colour: Colour::parse(&colour)
                .map_err(|_| Error::Broken(format!("{colour:?} is kept as a colour")))?,
            active: row.get("active")?,
        };
        funnels
            .iter_mut()
            .filter(|one| one.code == funnel_code)
            .for_each(|one| one.stages.push(stage.clone()));
    }
    Ok(funnels)
}

/// Inserts a funnel, and its stages with codes from `first` on.
pub fn insert_funnel(
    tenant: TenantId,
    code: FunnelCode,
    name: &str,
    (first, stages): (i32, &[(&str, Colour)]),
    now: Moment,
) -> Vec<Statement> {
    let funnel =
        sql("INSERT INTO funnels (tenant, code, name, position, active, version, created_at, updated_at)
         VALUES ($1, $2, $3, $2, TRUE, 1, $4, $4)");
    let funnel = funnel.arg(tenant).arg(code).arg(name).arg(now);
    let stage = |(at, (name, colour)): (i32, &(&str, Colour))| {
        sql("INSERT INTO stages (tenant, code, funnel, name, position, colour, active, version, created_at,
                 updated_at)
             VALUES ($1, $2, $3, $4, $5, $6, TRUE, 1, $7, $7)")
        .arg(tenant)
        .arg(first + at)
        .arg(code)
        .arg(*name)
        .arg(at + 1)
        .arg(colour.to_string())
        .arg(now)
    };
    std::iter::once(funnel).chain((0..).zip(stages).map(stage)).collect()
}
