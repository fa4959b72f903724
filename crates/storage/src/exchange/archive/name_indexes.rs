//! Rebuilds the name indexes, which are not transferred.

use super::tables::ROWS_PER_READ;
use crate::name_index::{self, NameIndexKind};
use crate::{Error, Tx, sql};
use domain::{BranchCode, TenantId};

/// The name indexes, which are engine-specific: they are rebuilt, not transferred.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArchiveNameIndex {
    Rows,
    Dependents,
    Leads,
}

impl ArchiveNameIndex {
    pub const ALL: [ArchiveNameIndex; 3] =
        [ArchiveNameIndex::Rows, ArchiveNameIndex::Dependents, ArchiveNameIndex::Leads];

    pub const fn name(self) -> &'static str {
        self.kind().table()
    }

    const fn kind(self) -> NameIndexKind {
        match self {
            ArchiveNameIndex::Rows => NameIndexKind::Rows,
            ArchiveNameIndex::Dependents => NameIndexKind::Dependents,
            ArchiveNameIndex::Leads => NameIndexKind::Leads,
        }
    }
}

/// Indexes the names of the next page of rows; returns the key of the last row, or `None` if there was none.
#[boxed::future]
pub async fn index_names(
    tx: &mut Tx,
    tenant: TenantId,
    names: ArchiveNameIndex,
    after: i64,
) -> Result<Option<i64>, Error> {
    let next = match names {
        ArchiveNameIndex::Rows => {
            "SELECT l.slot AS place, l.branch AS branch, p.name AS name FROM listing l
             JOIN people p ON p.tenant = l.tenant AND p.code = l.person
             WHERE l.tenant = $1 AND l.slot > $2 ORDER BY l.slot LIMIT $3"
        }
        ArchiveNameIndex::Dependents => {
            "SELECT code AS place, CAST(NULL AS BIGINT) AS branch, name FROM dependents
             WHERE tenant = $1 AND code > $2 ORDER BY code LIMIT $3"
        }
        ArchiveNameIndex::Leads => {
            "SELECT code AS place, branch, name FROM leads
             WHERE tenant = $1 AND code > $2 ORDER BY code LIMIT $3"
        }
    };
    let rows = tx.fetch_all(sql(next).arg(tenant).arg(after).arg(ROWS_PER_READ)).await?;
    let rows: Vec<(i32, Option<BranchCode>, String)> = rows
        .iter()
        .map(|row| Ok((row.get("place")?, row.get("branch")?, row.get("name")?)))
        .collect::<Result<_, Error>>()?;
    let named = rows.iter().map(|(place, branch, name)| (*place, *branch, name.as_str()));
    tx.execute_batch(name_index::insert_index_rows(names.kind(), tenant, named)).await?;
    Ok(rows.last().map(|(place, ..)| i64::from(*place)))
}
