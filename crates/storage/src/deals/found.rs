//! The search for open deals. What leads it gives keys, step by step; the deals themselves are read by their codes. What
//! does not lead is looked at row by row, and written so that neither engine takes it for a better driver.

use super::{Deal, deal};
use crate::{Error, Row, Source, Statement, Tx, Weight, sql};
use domain::{
    BranchCode, DealCode, DealCriteria, DealState, FunnelCode, LeadCode, Moment, PersonCode, Scope,
    StageCode, UserCode,
};

/// Keys that are read at once.
pub const STEP: usize = 1_000;

/// What leads a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum By {
    Sequence(i32),
    /// Those of some leads.
    Leads(Vec<LeadCode>),
    Responsible(UserCode),
    Opening,
    Branch(BranchCode),
}

/// A deal and the name by which a list orders it; and the day it was opened, behind which the next step begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    pub code: DealCode,
    pub name: String,
    pub opened_on: String,
}

/// The open deals behind the last of the step before, no more than [`STEP`].
#[boxed::future]
pub async fn keys(
    from: impl Into<Source<'_>>,
    scope: &Scope,
    by: &By,
    criteria: &DealCriteria,
    after: Option<&Key>,
) -> Result<Vec<Key>, Error> {
    let head = sql("SELECT d.code, l.name, d.opened_on FROM deals d CROSS JOIN leads l
         WHERE l.tenant = d.tenant AND l.code = d.lead AND d.tenant = $1")
    .arg(scope.tenant());
    let iso = |day: Option<domain::Date>| day.map(domain::Date::to_iso);
    let days = (iso(criteria.opened_from), iso(criteria.opened_to));
    let led = match by {
        By::Sequence(number) => head.then("AND d.sequence = ?", [*number]),
        By::Leads(leads) => head.within("d.lead", leads.iter().copied()),
        By::Responsible(user) => head.then("AND d.responsible = ?", [*user]),
        By::Opening => {
            head.when("AND d.opened_on >= ?", days.0.clone()).when("AND d.opened_on <= ?", days.1.clone())
        }
        By::Branch(branch) => head.then("AND d.branch = ?", [*branch]),
    };
    // A number of its own, so that the partial indexes of open deals serve.
    let open = format!("AND d.situation = {}", DealState::Open.number());
    let others = check(led.ending(&open), by, scope, criteria, days);
    let last = after.map_or(0, |after| after.code.get());
    let statement = match (by, after) {
        (By::Opening, None) => others,
        (By::Opening, Some(after)) => others
            .then("AND (d.opened_on, d.code) >", [] as [i32; 0])
            .then("(?,", [after.opened_on.as_str()])
            .then("?)", [last]),
        _ => others.then("AND d.code > ?", [last]),
    };
    let order = if *by == By::Opening { "d.opened_on, d.code" } else { "d.code" };
    let statement = statement.then(&format!("ORDER BY {order} LIMIT ?"), [STEP as i64]);
    let rows = from.all(Weight::Search, statement).await?;
    rows.iter()
        .map(|row| {
            Ok(Key { code: row.get("code")?, name: row.get("name")?, opened_on: row.get("opened_on")? })
        })
        .collect()
}

/// Appends everything that is asked for but what leads.
fn check(
    statement: Statement,
    by: &By,
    scope: &Scope,
    criteria: &DealCriteria,
    (from, to): (Option<String>, Option<String>),
) -> Statement {
    let responsible = criteria.responsible.filter(|_| !matches!(by, By::Responsible(_)));
    let is_led = *by == By::Opening;
    statement
        .scoped("d.branch + 0", scope.branches())
        .when("AND d.lead + 0 = ?", criteria.lead)
        .when("AND d.responsible + 0 = ?", responsible)
        .when("AND d.opened_on || '' >= ?", from.filter(|_| !is_led))
        .when("AND d.opened_on || '' <= ?", to.filter(|_| !is_led))
}

/// A deal as searches tell it.
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

/// The deals of these codes that the scope sees, by code; only those that are open, or in whatever situation.
#[boxed::future]
pub async fn at(
    from: impl Into<Source<'_>>,
    scope: &Scope,
    codes: &[DealCode],
    only_open: bool,
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
        .within("d.code", codes.iter().copied())
        .when("AND d.situation + 0 = ?", only_open.then_some(DealState::Open))
        .scoped("d.branch + 0", scope.branches())
        .ending("ORDER BY d.code");
    from.all(Weight::Search, statement).await?.iter().map(found).collect()
}

fn found(row: &Row) -> Result<FoundDeal, Error> {
    Ok(FoundDeal {
        code: row.get("code")?,
        deal: deal(row)?,
        person: row.get("person")?,
        name: row.get("name")?,
        document: row.get("document")?,
        mobile: row.get("mobile")?,
        email: row.get("email")?,
        responsible_name: row.get("responsible_name")?,
    })
}

/// Which deals are asked for, in whatever situation; what is empty asks for nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    pub funnel: Option<FunnelCode>,
    pub stage: Option<StageCode>,
    pub state: Option<DealState>,
    pub responsible: Option<UserCode>,
    /// In their stage since this moment or longer.
    pub since: Option<Moment>,
}

fn wanted(head: Statement, scope: &Scope, wanted: &Wanted) -> Statement {
    head.ending("FROM deals d WHERE d.tenant = $1")
        .arg(scope.tenant())
        .when("AND d.stage = ?", wanted.stage)
        .when("AND d.situation = ?", wanted.state)
        .when("AND d.responsible = ?", wanted.responsible)
        .when("AND d.funnel + 0 = ?", wanted.funnel)
        .when("AND d.stage_since + 0 <= ?", wanted.since)
        .scoped("d.branch", scope.branches())
}

/// A page of the deals that were asked for, the last one first, and how many they are.
#[boxed::future]
pub async fn page(
    tx: &mut Tx,
    scope: &Scope,
    asked: &Wanted,
    (take, skip): (i64, i64),
) -> Result<(Vec<DealCode>, i64), Error> {
    let count = tx.one(wanted(sql("SELECT COUNT(*) AS count"), scope, asked)).await?;
    let total = count.map_or(Ok(0), |row| row.get("count"))?;
    let codes = wanted(sql("SELECT d.code"), scope, asked)
        .then("ORDER BY d.code DESC LIMIT ? OFFSET ?", [take, skip]);
    let rows = tx.all(codes).await?;
    Ok((rows.iter().map(|row| row.get("code")).collect::<Result<_, _>>()?, total))
}

/// Those of some leads, or with a sequence number.
#[boxed::future]
pub async fn of_some(
    tx: &mut Tx,
    scope: &Scope,
    asked: &Wanted,
    (leads, sequence): (&[LeadCode], Option<i32>),
) -> Result<Vec<DealCode>, Error> {
    let mut codes = Vec::new();
    for some in leads.chunks(LEADS) {
        let of_leads = wanted(sql("SELECT d.code"), scope, asked).within("d.lead", some.iter().copied());
        codes.extend(tx.all(of_leads.ending("ORDER BY d.code")).await?);
    }
    if let Some(sequence) = sequence {
        let numbered = wanted(sql("SELECT d.code"), scope, asked).then("AND d.sequence = ?", [sequence]);
        codes.extend(tx.all(numbered).await?);
    }
    codes.iter().map(|row| row.get("code")).collect()
}

/// The deals of somebody, in whatever situation, the last one first.
#[boxed::future]
pub async fn of_person(
    from: impl Into<Source<'_>>,
    scope: &Scope,
    person: PersonCode,
    limit: i64,
) -> Result<Vec<DealCode>, Error> {
    let statement = sql("SELECT d.code FROM leads l JOIN deals d ON d.tenant = l.tenant AND d.lead = l.code
         WHERE l.tenant = $1 AND l.person = $2")
    .arg(scope.tenant())
    .arg(person)
    .scoped("d.branch + 0", scope.branches())
    .then("ORDER BY d.code DESC LIMIT ?", [limit]);
    let rows = from.all(Weight::Point, statement).await?;
    rows.iter().map(|row| row.get("code")).collect()
}

/// Leads whose deals are asked for at once.
const LEADS: usize = 256;

/// What stands in a stage of the board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InStage {
    pub stage: StageCode,
    pub count: i64,
    /// In cents.
    pub total: i64,
    /// The first of them.
    pub first: Vec<DealCode>,
}

/// The deals that changed at a moment or after it, the first first.
#[boxed::future]
pub async fn changed(tx: &mut Tx, scope: &Scope, since: Moment, limit: i64) -> Result<Vec<DealCode>, Error> {
    let statement = sql("SELECT d.code FROM deals d WHERE d.tenant = $1 AND d.updated_at >= $2")
        .arg(scope.tenant())
        .arg(since)
        .scoped("d.branch + 0", scope.branches())
        .then("ORDER BY d.updated_at, d.code LIMIT ?", [limit]);
    tx.all(statement).await?.iter().map(|row| row.get("code")).collect()
}

/// The open deals in each of these stages, as far as they are asked for; the first of them, or those behind one.
#[boxed::future]
pub async fn in_stages(
    tx: &mut Tx,
    scope: &Scope,
    stages: &[StageCode],
    responsible: Option<UserCode>,
    (behind, cards): (Option<DealCode>, i64),
) -> Result<Vec<InStage>, Error> {
    let mut all = Vec::new();
    for stage in stages {
        let asked = Wanted {
            stage: Some(*stage),
            state: Some(DealState::Open),
            responsible: None,
            ..Wanted::default()
        };
        let own =
            |head: Statement| wanted(head, scope, &asked).when("AND d.responsible + 0 = ?", responsible);
        let sums = own(sql("SELECT COUNT(*) AS count, CAST(COALESCE(SUM(d.price), 0) AS BIGINT) AS total"));
        let first = own(sql("SELECT d.code")).when("AND d.code > ?", behind);
        let first = first.then("ORDER BY d.code LIMIT ?", [cards]);
        let [sums, first] = tx.several([sums, first]).await?;
        let sums = sums.first().ok_or_else(|| Error::Broken("a count gave nothing".to_owned()))?;
        all.push(InStage {
            stage: *stage,
            count: sums.get("count")?,
            total: sums.get("total")?,
            first: first.iter().map(|row| row.get("code")).collect::<Result<_, _>>()?,
        });
    }
    Ok(all)
}
