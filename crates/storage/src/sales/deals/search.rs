//! The search for open deals. The driving criterion yields keys in steps; the deals are then read by code. The other
//! criteria are checked row by row, in a form that no index serves.

use super::parse_deal_row;
use crate::{Error, QueryWeight, ReadSource, Row, Statement, Tx, sql};
use domain::{
    BranchCode, Date, Deal, DealCode, DealCriteria, DealState, FunnelCode, LeadCode, Moment, Money,
    PersonCode, Scope, StageCode, UserCode,
};

/// Keys per step.
pub const STEP: usize = 1_000;

/// The criterion that drives a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DrivingDealCriterion {
    Sequence(i32),
    Leads(Vec<LeadCode>),
    Responsible(UserCode),
    Opening,
    Branch(BranchCode),
}

/// A deal, the name that orders the list, and its opening date, after which the next step starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DealOrderKey {
    pub code: DealCode,
    pub name: String,
    pub opened_on: Date,
}

/// The next open deals after the previous step, at most [`STEP`].
#[boxed::future]
pub async fn list_deal_keys(
    source: impl Into<ReadSource<'_>>,
    scope: &Scope,
    driver: &DrivingDealCriterion,
    criteria: &DealCriteria,
    after: Option<&DealOrderKey>,
) -> Result<Vec<DealOrderKey>, Error> {
    let head = sql("SELECT d.code, l.name, d.opened_on FROM deals d CROSS JOIN leads l
         WHERE l.tenant = d.tenant AND l.code = d.lead AND d.tenant = $1")
    .arg(scope.tenant());
    let filtered = match driver {
        DrivingDealCriterion::Sequence(number) => head.append("AND d.sequence = ?", [*number]),
        DrivingDealCriterion::Leads(leads) => head.filter_in("d.lead", leads.iter().copied()),
        DrivingDealCriterion::Responsible(user) => head.append("AND d.responsible = ?", [*user]),
        DrivingDealCriterion::Opening => head
            .append_if_some("AND d.opened_on >= ?", criteria.opened_from)
            .append_if_some("AND d.opened_on <= ?", criteria.opened_to),
        DrivingDealCriterion::Branch(branch) => head.append("AND d.branch = ?", [*branch]),
    };
    // A literal, so that the partial indexes of open deals are used.
    let open = format!("AND d.situation = {}", DealState::Open.number());
    let others = append_checks(filtered.append_text(&open), driver, scope, criteria);
    let last = after.map_or(0, |after| after.code.get());
    let statement = match (driver, after) {
        (DrivingDealCriterion::Opening, None) => others,
        (DrivingDealCriterion::Opening, Some(after)) => others
            .append("AND (d.opened_on, d.code) >", [] as [i32; 0])
            .append("(?,", [after.opened_on])
            .append("?)", [last]),
        _ => others.append("AND d.code > ?", [last]),
    };
    let order = if *driver == DrivingDealCriterion::Opening { "d.opened_on, d.code" } else { "d.code" };
    let statement = statement.append(&format!("ORDER BY {order} LIMIT ?"), [STEP as i64]);
    let rows = source.fetch_all(QueryWeight::Search, statement).await?;
    rows.iter()
        .map(|row| {
            Ok(DealOrderKey {
                code: row.get("code")?,
                name: row.get("name")?,
                opened_on: row.get("opened_on")?,
            })
        })
        .collect()
}

/// Appends every criterion except the driving one.
fn append_checks(
    statement: Statement,
    driver: &DrivingDealCriterion,
    scope: &Scope,
    criteria: &DealCriteria,
) -> Statement {
    let responsible =
        criteria.responsible.filter(|_| !matches!(driver, DrivingDealCriterion::Responsible(_)));
    let opening_drives = *driver == DrivingDealCriterion::Opening;
    statement
        .filter_branches("d.branch + 0", scope.branches())
        .append_if_some("AND d.lead + 0 = ?", criteria.lead)
        .append_if_some("AND d.responsible + 0 = ?", responsible)
        .append_if_some("AND d.opened_on || '' >= ?", criteria.opened_from.filter(|_| !opening_drives))
        .append_if_some("AND d.opened_on || '' <= ?", criteria.opened_to.filter(|_| !opening_drives))
}

/// A deal as returned by searches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundDeal {
    pub code: DealCode,
    pub deal: Deal,
    pub person: PersonCode,
    pub name: String,
    pub document: Option<String>,
    pub mobile: Option<String>,
    pub email: Option<String>,
    pub responsible_name: Option<String>,
}

/// The deals of these codes in the scope, in any state, ordered by code.
#[boxed::future]
pub async fn list_found_deals(
    source: impl Into<ReadSource<'_>>,
    scope: &Scope,
    codes: &[DealCode],
) -> Result<Vec<FoundDeal>, Error> {
    fetch_found_deals(source, scope, codes, None).await
}

/// As [`list_found_deals`], without the deals that were won or lost.
#[boxed::future]
pub async fn list_found_open_deals(
    source: impl Into<ReadSource<'_>>,
    scope: &Scope,
    codes: &[DealCode],
) -> Result<Vec<FoundDeal>, Error> {
    fetch_found_deals(source, scope, codes, Some(DealState::Open)).await
}

async fn fetch_found_deals(
    source: ReadSource<'_>,
    scope: &Scope,
    codes: &[DealCode],
    state: Option<DealState>,
) -> Result<Vec<FoundDeal>, Error> {
    if codes.is_empty() {
        return Ok(Vec::new());
    }
    let head = sql(concat!(
        "SELECT d.code, ",
        super::deal_columns!(),
        ", l.person, l.name, l.document, l.mobile, l.email, u.name AS responsible_name
             FROM deals d JOIN leads l ON l.tenant = d.tenant AND l.code = d.lead
             LEFT JOIN users u ON u.tenant = d.tenant AND u.code = d.responsible WHERE d.tenant = $1"
    ));
    let statement = head
        .arg(scope.tenant())
        .filter_in("d.code", codes.iter().copied())
        .append_if_some("AND d.situation + 0 = ?", state)
        .filter_branches("d.branch + 0", scope.branches())
        .append_text("ORDER BY d.code");
    source.fetch_all(QueryWeight::Search, statement).await?.iter().map(parse_found_deal).collect()
}

fn parse_found_deal(row: &Row) -> Result<FoundDeal, Error> {
    Ok(FoundDeal {
        code: row.get("code")?,
        deal: parse_deal_row(row)?,
        person: row.get("person")?,
        name: row.get("name")?,
        document: row.get("document")?,
        mobile: row.get("mobile")?,
        email: row.get("email")?,
        responsible_name: row.get("responsible_name")?,
    })
}

/// Filters of deals in any situation; `None` matches all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DealListCriteria {
    pub funnel: Option<FunnelCode>,
    pub stage: Option<StageCode>,
    pub state: Option<DealState>,
    pub responsible: Option<UserCode>,
    /// In their stage since this moment or earlier.
    pub since: Option<Moment>,
}

fn append_list_criteria(head: Statement, scope: &Scope, criteria: &DealListCriteria) -> Statement {
    head.append_text("FROM deals d WHERE d.tenant = $1")
        .arg(scope.tenant())
        .append_if_some("AND d.stage = ?", criteria.stage)
        .append_if_some("AND d.situation = ?", criteria.state)
        .append_if_some("AND d.responsible = ?", criteria.responsible)
        .append_if_some("AND d.funnel + 0 = ?", criteria.funnel)
        .append_if_some("AND d.stage_since + 0 <= ?", criteria.since)
        .filter_branches("d.branch", scope.branches())
}

/// A page of the matching deals, latest first, and the total.
#[boxed::future]
pub async fn list_deal_page(
    tx: &mut Tx,
    scope: &Scope,
    criteria: &DealListCriteria,
    (take, skip): (i64, i64),
) -> Result<(Vec<DealCode>, i64), Error> {
    let count =
        tx.fetch_optional(append_list_criteria(sql("SELECT COUNT(*) AS count"), scope, criteria)).await?;
    let total = count.map_or(Ok(0), |row| row.get("count"))?;
    let codes = append_list_criteria(sql("SELECT d.code"), scope, criteria)
        .append("ORDER BY d.code DESC LIMIT ? OFFSET ?", [take, skip]);
    let rows = tx.fetch_all(codes).await?;
    Ok((rows.iter().map(|row| row.get("code")).collect::<Result<_, _>>()?, total))
}

/// The matching deals of some leads, plus those with a sequence number.
#[boxed::future]
pub async fn list_deals_by_leads_or_sequence(
    tx: &mut Tx,
    scope: &Scope,
    criteria: &DealListCriteria,
    (leads, sequence): (&[LeadCode], Option<i32>),
) -> Result<Vec<DealCode>, Error> {
    let mut codes = Vec::new();
    for chunk in leads.chunks(LEADS_PER_STATEMENT) {
        let of_leads = append_list_criteria(sql("SELECT d.code"), scope, criteria)
            .filter_in("d.lead", chunk.iter().copied());
        codes.extend(tx.fetch_all(of_leads.append_text("ORDER BY d.code")).await?);
    }
    if let Some(sequence) = sequence {
        let numbered = append_list_criteria(sql("SELECT d.code"), scope, criteria)
            .append("AND d.sequence = ?", [sequence]);
        codes.extend(tx.fetch_all(numbered).await?);
    }
    codes.iter().map(|row| row.get("code")).collect()
}

/// The deals of a person, in any situation, latest first.
#[boxed::future]
pub async fn list_deals_of_person(
    source: impl Into<ReadSource<'_>>,
    scope: &Scope,
    person: PersonCode,
    limit: i64,
) -> Result<Vec<DealCode>, Error> {
    let statement = sql("SELECT d.code FROM leads l JOIN deals d ON d.tenant = l.tenant AND d.lead = l.code
         WHERE l.tenant = $1 AND l.person = $2")
    .arg(scope.tenant())
    .arg(person)
    .filter_branches("d.branch + 0", scope.branches())
    .append("ORDER BY d.code DESC LIMIT ?", [limit]);
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter().map(|row| row.get("code")).collect()
}

/// Leads per statement.
const LEADS_PER_STATEMENT: usize = 256;

/// The deals in a stage of the board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageSummary {
    pub stage: StageCode,
    pub count: i64,
    pub total: Money,
    /// The codes of the first deals.
    pub first: Vec<DealCode>,
}

/// The deals changed at or after a moment, oldest change first.
#[boxed::future]
pub async fn list_changed_deals(
    tx: &mut Tx,
    scope: &Scope,
    since: Moment,
    limit: i64,
) -> Result<Vec<DealCode>, Error> {
    let statement = sql("SELECT d.code FROM deals d WHERE d.tenant = $1 AND d.updated_at >= $2")
        .arg(scope.tenant())
        .arg(since)
        .filter_branches("d.branch + 0", scope.branches())
        .append("ORDER BY d.updated_at, d.code LIMIT ?", [limit]);
    tx.fetch_all(statement).await?.iter().map(|row| row.get("code")).collect()
}

/// Summaries of the open deals in each of these stages, with the first deals, or those after a given one.
#[boxed::future]
pub async fn list_stage_summaries(
    tx: &mut Tx,
    scope: &Scope,
    stages: &[StageCode],
    responsible: Option<UserCode>,
    (after, cards): (Option<DealCode>, i64),
) -> Result<Vec<StageSummary>, Error> {
    let mut all = Vec::new();
    for stage in stages {
        let criteria = DealListCriteria {
            stage: Some(*stage),
            state: Some(DealState::Open),
            responsible: None,
            ..DealListCriteria::default()
        };
        let append_filters = |head: Statement| {
            append_list_criteria(head, scope, &criteria)
                .append_if_some("AND d.responsible + 0 = ?", responsible)
        };
        let sums = append_filters(sql(
            "SELECT COUNT(*) AS count, CAST(COALESCE(SUM(d.price), 0) AS BIGINT) AS total",
        ));
        let first = append_filters(sql("SELECT d.code")).append_if_some("AND d.code > ?", after);
        let first = first.append("ORDER BY d.code LIMIT ?", [cards]);
        let [sums, first] = tx.fetch_several([sums, first]).await?;
        let sums = sums.first().ok_or_else(|| Error::Broken("a count gave nothing".to_owned()))?;
        all.push(StageSummary {
            stage: *stage,
            count: sums.get("count")?,
            total: sums.get("total")?,
            first: first.iter().map(|row| row.get("code")).collect::<Result<_, _>>()?,
        });
    }
    Ok(all)
}
