//! Titles outside runs that charge no month though they may be for one.

use domain::finance::{ChargedMonth, LaunchKind, TitleSituation};
use domain::{Date, GroupCode, SituationCode, TenantId, TitleCode, TitleTypeCode};
use storage::{Error, QueryWeight, ReadSource, Row, Statement, sql};

/// A title of credit in force that charges no month.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnclaimedTitle {
    pub code: TitleCode,
    pub group: GroupCode,
    pub title_type: TitleTypeCode,
}

/// Which titles may be for a month that a run charges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnclaimedTitleFilter {
    pub title_types: Vec<TitleTypeCode>,
    /// A title without benefits is for those of its person in one of these.
    pub charged_situations: Vec<SituationCode>,
    /// For imported titles.
    pub due_from: Date,
}

/// The last of so many imported titles after a code; `None` if there are fewer.
#[boxed::future]
pub async fn find_end_of_portion(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    (after, titles): (TitleCode, i64),
) -> Result<Option<TitleCode>, Error> {
    let statement = sql("SELECT title FROM imported_titles WHERE tenant = $1 AND title > $2
         ORDER BY title LIMIT 1 OFFSET $3")
    .arg(tenant)
    .arg(after)
    .arg(titles - 1);
    source.fetch_optional(statement).await?.map(|row| row.get("title")).transpose()
}

/// The unclaimed imported titles after a code, up to another, by code. They lead, whatever else the tenant has.
#[boxed::future]
pub async fn list_unclaimed_titles(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    (after, until): (TitleCode, TitleCode),
    filter: &UnclaimedTitleFilter,
) -> Result<Vec<UnclaimedTitle>, Error> {
    let statement = sql("SELECT t.code, t.protection_group, t.title_type
         FROM imported_titles i CROSS JOIN titles t
         WHERE i.tenant = $1 AND i.title > $2 AND i.title <= $3 AND NOT i.has_only_unknown_benefits
             AND t.tenant = i.tenant AND t.code = i.title AND t.original_due_on >= $4 AND t.launch_kind + 0 = $5
             AND t.situation + 0 IN ($6, $7)")
    .arg(tenant)
    .arg(after)
    .arg(until)
    .arg(filter.due_from)
    .arg(LaunchKind::Credit)
    .arg(TitleSituation::Open)
    .arg(TitleSituation::Settled);
    let statement = filter_unclaimed(statement, filter).append_text("ORDER BY i.title");
    let rows = source.fetch_all(QueryWeight::Search, statement).await?;
    rows.iter().map(parse_title_row).collect()
}

/// Months after those of a run up to which the due day of a title may have been moved.
const MONTHS_MOVED: i32 = 3;

/// The titles by hand, in one piece, that were due in these months at first and charge none. The index of due days bounds
/// them: a title whose due day was moved to before these months, or far after them, is not found.
#[boxed::future]
pub async fn list_unclaimed_titles_by_hand(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    (from, through): (ChargedMonth, ChargedMonth),
    filter: &UnclaimedTitleFilter,
) -> Result<Vec<UnclaimedTitle>, Error> {
    let statement = sql(
        "SELECT t.code, t.protection_group, t.title_type FROM titles t
         WHERE t.tenant = $1 AND t.launch_kind = $2 AND t.situation IN ($3, $4)
             AND t.due_on >= $5 AND t.due_on <= $6 AND t.original_due_on >= $5 AND t.original_due_on <= $7
             AND t.instalments = 1
             AND NOT EXISTS (SELECT 1 FROM imported_titles i WHERE i.tenant = t.tenant AND i.title = t.code)
             AND NOT EXISTS (SELECT 1 FROM pending_charges p WHERE p.tenant = t.tenant AND p.title = t.code)",
    )
    .arg(tenant)
    .arg(LaunchKind::Credit)
    .arg(TitleSituation::Open)
    .arg(TitleSituation::Settled)
    .arg(from.first_day())
    .arg(through.plus_months(MONTHS_MOVED).last_day())
    .arg(through.last_day());
    let rows = source.fetch_all(QueryWeight::Search, filter_unclaimed(statement, filter)).await?;
    rows.iter().map(parse_title_row).collect()
}

/// Those of the titles `t` that charge no month, and may be for a benefit that is charged. A title of a run charges one.
fn filter_unclaimed(statement: Statement, filter: &UnclaimedTitleFilter) -> Statement {
    statement
        .append_text(
            "AND NOT EXISTS (SELECT 1 FROM charged_months m WHERE m.tenant = t.tenant AND m.title = t.code)
             AND (EXISTS (SELECT 1 FROM title_benefits tb WHERE tb.tenant = t.tenant AND tb.title = t.code)
                 OR EXISTS (SELECT 1 FROM benefits b WHERE b.tenant = t.tenant AND b.person = t.person
                     AND b.branch + 0 = t.branch AND (b.joined_on IS NULL OR b.joined_on <= t.issued_on)",
        )
        .filter_in("b.situation + 0", filter.charged_situations.iter().copied())
        .append_text("))")
        .filter_in("t.title_type + 0", filter.title_types.iter().copied())
}

fn parse_title_row(row: &Row) -> Result<UnclaimedTitle, Error> {
    let (code, group, title_type) = (row.get("code")?, row.get("protection_group")?, row.get("title_type")?);
    Ok(UnclaimedTitle { code, group, title_type })
}
