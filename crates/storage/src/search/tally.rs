//! Counts of the search rows per block, branch and situation. They give totals and the start of each page without
//! counting or skipping rows. Each ordering has blocks of two sizes: the coarse ones give the total and the
//! approximate position, the fine ones narrow it to a thousand rows.

use crate::executor::statement::build_inserts;
use crate::{Error, QueryWeight, ReadSource, SqlScalar, Statement, Tx, sql};
use domain::{BenefitCode, BranchCode, Scope, SituationCode, TenantId, VisibleBranches};
use std::collections::BTreeMap;

/// Positions per fine block.
pub const POSITIONS_PER_BLOCK: i64 = 1000;
/// Fine blocks per coarse block.
const BLOCKS_PER_COARSE_BLOCK: i64 = 32;

/// The order of the rows. Its number is that of the fine blocks; the coarse blocks have the next number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ListingOrdering {
    /// The member search.
    Slot = 1,
    /// The list of benefits, by branch and situation.
    Benefit = 3,
    /// The list of all benefits, counted without branch and situation: few rows for a caller who sees everything.
    AnyBenefit = 5,
}

/// The situation of a row without a benefit.
pub const NO_SITUATION: SituationCode = SituationCode::new(0);

/// The group a row is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BranchSituation {
    pub branch: BranchCode,
    pub situation: SituationCode,
}

impl BranchSituation {
    /// The group of everything.
    const ANY: BranchSituation = BranchSituation { branch: BranchCode::new(0), situation: NO_SITUATION };
}

/// The changes of the counts in one unit of work; opposite changes cancel out and are not written.
#[derive(Debug, Default)]
pub(crate) struct ListingTallyChanges(BTreeMap<(i64, BranchSituation, i64), i64>);

impl ListingTallyChanges {
    /// Adds a row, or subtracts it if `delta` is negative.
    pub fn count(&mut self, ordering: ListingOrdering, at: i32, counted: BranchSituation, delta: i64) {
        let (fine, block) = (ordering as i64, i64::from(at) / POSITIONS_PER_BLOCK);
        *self.0.entry((fine, counted, block)).or_default() += delta;
        *self.0.entry((fine + 1, counted, block / BLOCKS_PER_COARSE_BLOCK)).or_default() += delta;
        if ordering == ListingOrdering::Benefit {
            self.count(ListingOrdering::AnyBenefit, at, BranchSituation::ANY, delta);
        }
    }

    pub fn into_statements(self, tenant: TenantId) -> Vec<Statement> {
        let changed = self.0.into_iter().filter(|(_, delta)| *delta != 0);
        let rows = changed.map(|((ordering, counted, block), delta)| -> [SqlScalar; 6] {
            [
                tenant.into(),
                ordering.into(),
                counted.branch.into(),
                counted.situation.into(),
                block.into(),
                delta.into(),
            ]
        });
        // A row is counted in two places, or moves from two places to two others.
        build_inserts(
            "INSERT INTO listing_tally (tenant, ordering, branch, situation, block, rows) VALUES",
            4,
            rows,
        )
        .into_iter()
        .map(|insert| {
            insert.append_text(
                "ON CONFLICT (tenant, ordering, branch, situation, block)
                     DO UPDATE SET rows = listing_tally.rows + excluded.rows",
            )
        })
        .collect()
    }
}

/// Which rows are counted: of these branches, in these situations.
#[derive(Clone, Debug)]
pub struct RowCountQuery {
    pub tenant: TenantId,
    pub ordering: ListingOrdering,
    pub branches: Vec<BranchCode>,
    pub situations: Vec<SituationCode>,
}

/// A range of positions that contains a page, and how many rows to skip in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageRange {
    pub first: i64,
    pub last: i64,
    pub skip: i64,
}

/// The number of benefits per branch and situation.
#[boxed::future]
pub async fn sum_benefits_by_situation(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
) -> Result<Vec<(BranchSituation, i64)>, Error> {
    let statement = sql("SELECT branch, situation, CAST(SUM(rows) AS BIGINT) AS benefits FROM listing_tally
         WHERE tenant = $1 AND ordering = $2 GROUP BY branch, situation ORDER BY branch, situation")
    .arg(tenant)
    .arg(ListingOrdering::Benefit as i64 + 1);
    let rows = source.fetch_all(QueryWeight::Search, statement).await?;
    rows.iter()
        .map(|row| {
            Ok((
                BranchSituation { branch: row.get("branch")?, situation: row.get("situation")? },
                row.get("benefits")?,
            ))
        })
        .collect()
}

/// Computes the counts without branch and situation from the others, which archives of earlier versions lack.
#[boxed::future]
pub async fn rebuild_benefit_totals(tx: &mut Tx, tenant: TenantId) -> Result<(), Error> {
    let (counted, any) = (ListingOrdering::Benefit as i64, ListingOrdering::AnyBenefit as i64);
    let deletion = sql("DELETE FROM listing_tally WHERE tenant = $1 AND ordering IN ($2, $3)");
    let sums = sql("INSERT INTO listing_tally (tenant, ordering, branch, situation, block, rows)
             SELECT tenant, ordering + $4, 0, 0, block, CAST(SUM(rows) AS BIGINT) FROM listing_tally
             WHERE tenant = $1 AND ordering IN ($2, $3) GROUP BY tenant, ordering, block");
    let statements = vec![
        deletion.arg(tenant).arg(any).arg(any + 1),
        sums.arg(tenant).arg(counted).arg(counted + 1).arg(any - counted),
    ];
    tx.execute_batch(statements).await
}

impl RowCountQuery {
    /// Counts all benefits of a tenant.
    pub fn of_all_benefits(tenant: TenantId) -> RowCountQuery {
        let BranchSituation { branch, situation } = BranchSituation::ANY;
        RowCountQuery {
            tenant,
            ordering: ListingOrdering::AnyBenefit,
            branches: vec![branch],
            situations: vec![situation],
        }
    }

    /// The total, and the range of the page of `take` rows after the first `skip`; `None` past the end.
    #[boxed::future]
    pub async fn locate_page(
        &self,
        tx: &mut Tx,
        skip: i64,
        take: i64,
    ) -> Result<(i64, Option<PageRange>), Error> {
        let coarse = self.list_blocks(&mut *tx, self.ordering as i64 + 1, None).await?;
        let total = coarse.iter().map(|(_, rows)| rows).sum();
        if skip >= total {
            return Ok((total, None));
        }
        let (first, before) = find_block_of_row(&coarse, skip);
        let (last, _) = find_block_of_row(&coarse, (skip + take - 1).min(total - 1));
        let within = Some((
            first * BLOCKS_PER_COARSE_BLOCK,
            last * BLOCKS_PER_COARSE_BLOCK + BLOCKS_PER_COARSE_BLOCK - 1,
        ));
        let fine = self.list_blocks(&mut *tx, self.ordering as i64, within).await?;
        let skip = skip - before;
        let (first, before) = find_block_of_row(&fine, skip);
        let (last, _) = find_block_of_row(&fine, skip + take - 1);
        Ok((
            total,
            Some(PageRange {
                first: first * POSITIONS_PER_BLOCK,
                last: last * POSITIONS_PER_BLOCK + POSITIONS_PER_BLOCK - 1,
                skip: skip - before,
            }),
        ))
    }

    /// A range with the next `take` rows after a position, or all that are left. Stable for reading page by page
    /// while rows change.
    #[boxed::future]
    pub async fn locate_rows_after(&self, tx: &mut Tx, place: i64, take: i64) -> Result<PageRange, Error> {
        // It is unknown how many rows of its own block follow the position, so only later blocks count.
        let own_block = place / POSITIONS_PER_BLOCK;
        let coarse = Some((own_block / BLOCKS_PER_COARSE_BLOCK, i64::from(i32::MAX)));
        let coarse = self.list_blocks(&mut *tx, self.ordering as i64 + 1, coarse).await?;
        let last = find_sufficient_block(
            coarse.iter().filter(|(block, _)| *block > own_block / BLOCKS_PER_COARSE_BLOCK),
            take,
            own_block / BLOCKS_PER_COARSE_BLOCK,
        );
        let fine = Some((own_block + 1, last * BLOCKS_PER_COARSE_BLOCK + BLOCKS_PER_COARSE_BLOCK - 1));
        let fine = self.list_blocks(&mut *tx, self.ordering as i64, fine).await?;
        let last = find_sufficient_block(fine.iter(), take, own_block);
        Ok(PageRange {
            first: place + 1,
            last: last * POSITIONS_PER_BLOCK + POSITIONS_PER_BLOCK - 1,
            skip: 0,
        })
    }

    async fn list_blocks(
        &self,
        source: impl Into<ReadSource<'_>>,
        ordering: i64,
        within: Option<(i64, i64)>,
    ) -> Result<Vec<(i64, i64)>, Error> {
        let mut statement = sql("SELECT block, CAST(SUM(rows) AS BIGINT) AS rows FROM listing_tally
             WHERE tenant = $1 AND ordering = $2")
        .arg(self.tenant)
        .arg(ordering)
        .filter_in("branch", self.branches.iter().copied())
        .filter_in("situation", self.situations.iter().copied());
        if let Some((first, last)) = within {
            statement = statement.append("AND block >= ? AND block <= ?", [first, last]);
        }
        let statement = statement.append_text("GROUP BY block ORDER BY block");
        let rows = source.into().fetch_all(QueryWeight::Search, statement).await?;
        rows.iter().map(|row| Ok((row.get("block")?, row.get("rows")?))).collect()
    }
}

/// The first block with which there are enough rows, or the last block.
fn find_sufficient_block<'b>(blocks: impl Iterator<Item = &'b (i64, i64)>, take: i64, start: i64) -> i64 {
    let (mut rows, mut last) = (0, start);
    for (block, more) in blocks {
        if rows >= take {
            break;
        }
        (rows, last) = (rows + more, *block);
    }
    last
}

/// The block that contains the row after the first `skip`, and how many rows precede that block.
fn find_block_of_row(blocks: &[(i64, i64)], skip: i64) -> (i64, i64) {
    let mut before = 0;
    for (block, rows) in blocks {
        if before + rows > skip {
            return (*block, before);
        }
        before += rows;
    }
    // Past the end: the last block.
    blocks.last().map_or((0, 0), |(block, rows)| (*block, before - rows))
}

/// The codes of a page of all benefits, within a range.
#[boxed::future]
pub async fn list_benefit_codes(
    tx: &mut Tx,
    scope: &Scope,
    range: PageRange,
    take: i64,
) -> Result<Vec<BenefitCode>, Error> {
    let in_range = sql("SELECT code FROM benefits WHERE tenant = $1 AND code >= $2 AND code <= $3")
        .arg(scope.tenant())
        .arg(range.first)
        .arg(range.last);
    let limits = [take, range.skip];
    let statement = match scope.branches() {
        VisibleBranches::All => in_range.append("ORDER BY code LIMIT ? OFFSET ?", limits),
        // Disguised, so that the engines do not scan the entire range for the few rows of some branches.
        branches @ VisibleBranches::Only(_) => {
            in_range.filter_branches("branch", branches).append("ORDER BY code + 0 LIMIT ? OFFSET ?", limits)
        }
    };
    let rows = ReadSource::from(tx).fetch_all(QueryWeight::Search, statement).await?;
    rows.iter().map(|row| row.get("code")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_found_in_the_block_that_holds_it() {
        let blocks = [(0, 3), (2, 5), (7, 1)];
        let found: Vec<_> = (0..10).map(|skip| find_block_of_row(&blocks, skip)).collect();
        assert_eq!(found[..3], [(0, 0); 3]);
        assert_eq!(found[3..8], [(2, 3); 5]);
        assert_eq!(found[8..], [(7, 8); 2]);
    }

    #[test]
    fn there_are_enough_rows_with_the_block_that_holds_the_last() {
        let blocks = [(3, 60), (4, 0), (9, 60), (12, 60)];
        assert_eq!(find_sufficient_block(blocks.iter(), 100, 2), 9);
        assert_eq!(find_sufficient_block(blocks.iter(), 60, 2), 3);
        assert_eq!(find_sufficient_block(blocks.iter(), 1000, 2), 12);
        assert_eq!(find_sufficient_block([].iter(), 100, 2), 2);
    }

    #[test]
    fn what_cancels_out_is_not_written_and_a_benefit_counts_in_all_too() {
        let here = BranchSituation { branch: BranchCode::new(1), situation: SituationCode::new(2) };
        let there = BranchSituation { branch: BranchCode::new(2), ..here };
        let mut changes = ListingTallyChanges::default();
        changes.count(ListingOrdering::Slot, 77, here, -1);
        changes.count(ListingOrdering::Slot, 78, here, 1);
        changes.count(ListingOrdering::Benefit, 40_000, there, 1);
        let texts: Vec<_> = changes.into_statements(TenantId::new(7));
        let rows: Vec<&[SqlScalar]> = texts.iter().flat_map(|one| one.values().chunks(6)).collect();
        let row = |values: [i32; 5]| values.map(SqlScalar::from);
        let expected = [[3, 2, 2, 40, 1], [4, 2, 2, 1, 1], [5, 0, 0, 40, 1], [6, 0, 0, 1, 1]].map(row);
        assert_eq!(rows.iter().map(|values| &values[1..]).collect::<Vec<_>>(), expected);
    }
}
