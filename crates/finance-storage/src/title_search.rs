//! The search for titles, by due day. A criterion that names few titles drives it, and they are sorted; without one, each
//! situation (and each branch of a limited caller) is read in the order of its index, and the parts are merged.

use crate::settlements::RECEIVED_HERE;
use domain::finance::{LaunchKind, LedgerAccountKind, TitleSituation};
use domain::{BenefitCode, BranchCode, Date, PersonCode, Scope, TenantId, TitleCode, VisibleBranches};
use storage::{Error, QueryWeight, ReadSource, SqlScalar, Statement, sql};

/// What is searched. `None` and empty lists do not restrict, except `situations`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TitleCriteria {
    pub launch_kinds: Vec<LaunchKind>,
    /// `None`: every situation. An empty list matches nothing.
    pub situations: Option<Vec<TitleSituation>>,
    /// Also open titles whose effective due day is before this day.
    pub overdue_before: Option<Date>,
    pub code: Option<TitleCode>,
    pub person: Option<PersonCode>,
    /// Titles of any of these benefits.
    pub benefits: Option<Vec<BenefitCode>>,
    pub branch: Option<BranchCode>,
    /// The value, in cents.
    pub amount: Option<i64>,
    pub issued: DayRange,
    pub due: DayRange,
    pub settled: DayRange,
    /// Days on which money came that was not reversed. What a credit paid came earlier.
    pub paid: DayRange,
    /// Only titles whose effective due day is not before this day.
    pub overdue_since: Option<Date>,
    /// Only titles with a slip.
    pub has_slip: bool,
    /// The last due day comes first.
    pub latest_first: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DayRange {
    pub from: Option<Date>,
    pub to: Option<Date>,
}

impl DayRange {
    pub fn is_set(self) -> bool {
        self.from.is_some() || self.to.is_some()
    }

    /// Whether so few days are meant that their titles are found first and sorted then.
    fn is_short(self) -> bool {
        let (Some(from), Some(to)) = (self.from, self.to) else { return false };
        to.days_since(from) <= LONGEST_SORTED_RANGE
    }
}

/// The titles of this many days are sorted.
const LONGEST_SORTED_RANGE: i32 = 100;

/// The criterion that drives a search of titles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DrivingTitleCriterion {
    /// The code, the person, the benefits or the days of payments.
    Key,
    /// The value, unless only few titles are in the situations that are searched.
    Amount,
    SettledDay,
    IssueDay,
    /// The order of the results.
    DueDay,
}

fn choose_driver(criteria: &TitleCriteria) -> DrivingTitleCriterion {
    let has_settled = list_situations(criteria).contains(&TitleSituation::Settled);
    if criteria.code.is_some()
        || criteria.person.is_some()
        || criteria.benefits.is_some()
        || criteria.paid.is_set()
    {
        DrivingTitleCriterion::Key
    } else if criteria.amount.is_some() && has_settled {
        DrivingTitleCriterion::Amount
    } else if criteria.settled.is_short() {
        DrivingTitleCriterion::SettledDay
    } else if criteria.issued.is_short() {
        DrivingTitleCriterion::IssueDay
    } else {
        DrivingTitleCriterion::DueDay
    }
}

/// A part of the titles that one index holds in the order of the search.
#[derive(Clone, Copy)]
struct OrderedPart {
    launch_kind: LaunchKind,
    situation: TitleSituation,
    branch: Option<BranchCode>,
    overdue_before: Option<Date>,
}

/// More branches than this are filtered row by row.
const MOST_SEPARATE_BRANCHES: usize = 16;

/// The codes of a page of titles, ordered by due day and code.
#[boxed::future]
pub async fn list_title_codes(
    source: impl Into<ReadSource<'_>>,
    scope: &Scope,
    criteria: &TitleCriteria,
    (offset, limit): (i64, i64),
) -> Result<Vec<TitleCode>, Error> {
    let driver = choose_driver(criteria);
    let order = if criteria.latest_first { "due_on DESC, code DESC" } else { "due_on, code" };
    let statement = if driver == DrivingTitleCriterion::DueDay {
        let parts = list_ordered_parts(scope, criteria);
        if parts.is_empty() {
            return Ok(Vec::new());
        }
        let mut statement = sql("SELECT code, due_on FROM (");
        for (at, part) in parts.iter().enumerate() {
            let union = if at == 0 { "" } else { "UNION ALL " };
            let head =
                statement.append_text(&format!("{union}SELECT * FROM (SELECT code, due_on FROM titles"));
            statement = filter_part(head, scope, criteria, *part)
                .append(&format!("ORDER BY {order} LIMIT ?) AS part"), [offset + limit]);
        }
        statement.append(&format!(") AS parts ORDER BY {order} LIMIT ? OFFSET ?"), [limit, offset])
    } else {
        let head = join_payments(sql("SELECT code, due_on FROM titles"), scope, criteria);
        filter_titles(head, scope, criteria, driver)
            .append(&format!("ORDER BY {order} LIMIT ? OFFSET ?"), [limit, offset])
    };
    let rows = source.fetch_all(QueryWeight::Search, statement).await?;
    rows.iter().map(|row| row.get("code")).collect()
}

/// The titles after a code, in the order of their codes. All pages together read the table once.
#[boxed::future]
pub async fn list_title_codes_after(
    source: impl Into<ReadSource<'_>>,
    scope: &Scope,
    criteria: &TitleCriteria,
    (after, limit): (TitleCode, i64),
) -> Result<Vec<TitleCode>, Error> {
    let head = filter_titles(sql("SELECT code FROM titles"), scope, criteria, DrivingTitleCriterion::Key);
    let statement = filter_paid_titles(head, scope, criteria)
        .append("AND code > ?", [after])
        .append("ORDER BY code LIMIT ?", [limit]);
    let rows = source.fetch_all(QueryWeight::Search, statement).await?;
    rows.iter().map(|row| row.get("code")).collect()
}

/// How many titles match, and the sums of their values and open amounts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TitleTotals {
    pub titles: i64,
    pub amount: i64,
    pub open_amount: i64,
    pub settled_total: i64,
    /// What came in on the days of [`TitleCriteria::paid`], if there are any.
    pub received: i64,
}

#[boxed::future]
pub async fn sum_titles(
    source: impl Into<ReadSource<'_>>,
    scope: &Scope,
    criteria: &TitleCriteria,
) -> Result<TitleTotals, Error> {
    let head = sql("SELECT COUNT(*) AS titles, CAST(COALESCE(SUM(amount), 0) AS BIGINT) AS amount,
         CAST(COALESCE(SUM(open_amount), 0) AS BIGINT) AS open_amount,
         CAST(COALESCE(SUM(settled_total), 0) AS BIGINT) AS settled_total,");
    let received = if criteria.paid.is_set() { "received" } else { "0" };
    let head =
        head.append_text(&format!("CAST(COALESCE(SUM({received}), 0) AS BIGINT) AS received FROM titles"));
    let head = join_payments(head, scope, criteria);
    let statement = filter_titles(head, scope, criteria, choose_driver(criteria));
    let Some(row) = source.fetch_optional(statement).await? else { return Ok(TitleTotals::default()) };
    Ok(TitleTotals {
        titles: row.get("titles")?,
        amount: row.get("amount")?,
        open_amount: row.get("open_amount")?,
        settled_total: row.get("settled_total")?,
        received: row.get("received")?,
    })
}

/// How many titles match.
#[boxed::future]
pub async fn count_titles(
    source: impl Into<ReadSource<'_>>,
    scope: &Scope,
    criteria: &TitleCriteria,
) -> Result<i64, Error> {
    let head = join_payments(sql("SELECT COUNT(*) AS titles FROM titles"), scope, criteria);
    let statement = filter_titles(head, scope, criteria, choose_driver(criteria));
    source.fetch_optional(statement).await?.map_or(Ok(0), |row| row.get("titles"))
}

/// Joins what was paid of each title on the days that are searched.
fn join_payments(head: Statement, scope: &Scope, criteria: &TitleCriteria) -> Statement {
    if !criteria.paid.is_set() {
        return head;
    }
    head.append_text(
        "JOIN (SELECT s.title AS paid_title, CAST(SUM(s.total + s.credit) AS BIGINT) AS received FROM settlements s",
    )
    .append("WHERE s.tenant = ?", [scope.tenant()])
    .append_if_some("AND s.paid_on >= ?", criteria.paid.from)
    .append_if_some("AND s.paid_on <= ?", criteria.paid.to)
    .append(RECEIVED_HERE, [LedgerAccountKind::OpeningBalance])
    .append_text("GROUP BY s.title) AS payments ON paid_title = code")
}

/// The same condition as of [`join_payments`], looked up title by title.
fn filter_paid_titles(head: Statement, scope: &Scope, criteria: &TitleCriteria) -> Statement {
    if !criteria.paid.is_set() {
        return head;
    }
    head.append("AND EXISTS (SELECT 1 FROM settlements s WHERE s.tenant = ?", [scope.tenant()])
        .append_text("AND s.title = titles.code")
        .append_if_some("AND s.paid_on >= ?", criteria.paid.from)
        .append_if_some("AND s.paid_on <= ?", criteria.paid.to)
        .append(RECEIVED_HERE, [LedgerAccountKind::OpeningBalance])
        .append_text(")")
}

/// Each once: a situation that is named twice must not list its titles twice.
fn list_situations(criteria: &TitleCriteria) -> Vec<TitleSituation> {
    let named = |one: &TitleSituation| criteria.situations.as_ref().is_none_or(|named| named.contains(one));
    TitleSituation::ALL.iter().copied().filter(named).collect()
}

fn list_launch_kinds(criteria: &TitleCriteria) -> Vec<LaunchKind> {
    let named = |one: &LaunchKind| criteria.launch_kinds.is_empty() || criteria.launch_kinds.contains(one);
    LaunchKind::ALL.iter().copied().filter(named).collect()
}

fn list_ordered_parts(scope: &Scope, criteria: &TitleCriteria) -> Vec<OrderedPart> {
    let branches: Vec<Option<BranchCode>> = match (criteria.branch, scope.branches()) {
        (Some(branch), _) => vec![Some(branch)],
        (None, VisibleBranches::Only(visible)) if visible.len() <= MOST_SEPARATE_BRANCHES => {
            visible.iter().copied().map(Some).collect()
        }
        (None, _) => vec![None],
    };
    let situations = list_situations(criteria);
    let mut states: Vec<(TitleSituation, Option<Date>)> =
        situations.iter().map(|situation| (*situation, None)).collect();
    if let Some(day) = criteria.overdue_before.filter(|_| !situations.contains(&TitleSituation::Open)) {
        states.push((TitleSituation::Open, Some(day)));
    }
    let mut parts = Vec::new();
    for launch_kind in list_launch_kinds(criteria) {
        for (situation, overdue_before) in &states {
            parts.extend(branches.iter().map(|branch| OrderedPart {
                launch_kind,
                situation: *situation,
                branch: *branch,
                overdue_before: *overdue_before,
            }));
        }
    }
    parts
}

fn filter_part(head: Statement, scope: &Scope, criteria: &TitleCriteria, part: OrderedPart) -> Statement {
    let head = head
        .append("WHERE tenant = ?", [scope.tenant()])
        .append("AND launch_kind = ?", [part.launch_kind])
        .append("AND situation = ?", [part.situation])
        .append_if_some("AND branch = ?", part.branch)
        .append_if_some("AND effective_due_on < ?", part.overdue_before)
        .append_if_some("AND effective_due_on >= ?", criteria.overdue_since)
        .append_if_some("AND due_on >= ?", criteria.due.from)
        .append_if_some("AND due_on <= ?", criteria.due.to);
    let head = filter_other_days(head, criteria, DrivingTitleCriterion::DueDay);
    let head = filter_titles_with_slips(head, criteria);
    head.append_if_some("AND amount = ?", criteria.amount).filter_branches("branch + 0", scope.branches())
}

/// Appends the days that do not drive the search, in a form that no index serves.
fn filter_other_days(head: Statement, criteria: &TitleCriteria, driver: DrivingTitleCriterion) -> Statement {
    let issued =
        if driver == DrivingTitleCriterion::IssueDay { DayRange::default() } else { criteria.issued };
    let settled =
        if driver == DrivingTitleCriterion::SettledDay { DayRange::default() } else { criteria.settled };
    head.append_if_some("AND issued_on || '' >= ?", issued.from)
        .append_if_some("AND issued_on || '' <= ?", issued.to)
        .append_if_some("AND settled_on || '' >= ?", settled.from)
        .append_if_some("AND settled_on || '' <= ?", settled.to)
}

/// All criteria in one statement; those that do not drive it are in a form that no index serves.
fn filter_titles(
    head: Statement,
    scope: &Scope,
    criteria: &TitleCriteria,
    driver: DrivingTitleCriterion,
) -> Statement {
    let head = head.append("WHERE tenant = ?", [scope.tenant()]);
    let by_due_day = driver == DrivingTitleCriterion::DueDay;
    let (kind, situation, branch, due_on) = match driver {
        DrivingTitleCriterion::Key => ("launch_kind + 0", "situation + 0", "branch + 0", "due_on || ''"),
        DrivingTitleCriterion::Amount => ("launch_kind + 0", "situation + 0", "branch + 0", "due_on"),
        DrivingTitleCriterion::SettledDay | DrivingTitleCriterion::IssueDay => {
            ("launch_kind", "situation + 0", "branch + 0", "due_on || ''")
        }
        DrivingTitleCriterion::DueDay => ("launch_kind", "situation", "branch", "due_on"),
    };
    // Every situation is named, so that the index by situation serves the sums.
    let head = head.filter_in(kind, list_launch_kinds(criteria));
    let head = match criteria.overdue_before {
        None if criteria.situations.is_none() && !by_due_day => head,
        None => head.filter_in(situation, list_situations(criteria)),
        Some(_) if list_situations(criteria).contains(&TitleSituation::Open) => {
            head.filter_in(situation, list_situations(criteria))
        }
        Some(day) => filter_situations_or_overdue(head, &list_situations(criteria), day),
    };
    let head =
        head.append_if_some("AND code = ?", criteria.code).append_if_some("AND person = ?", criteria.person);
    let head = match &criteria.benefits {
        None => head,
        Some(benefits) => head
            .append("AND code IN (SELECT title FROM title_benefits WHERE tenant = ?", [scope.tenant()])
            .filter_in("benefit", benefits.iter().copied())
            .append_text(")"),
    };
    let head = match driver {
        DrivingTitleCriterion::SettledDay => head
            .append_if_some("AND settled_on >= ?", criteria.settled.from)
            .append_if_some("AND settled_on <= ?", criteria.settled.to),
        DrivingTitleCriterion::IssueDay => head
            .append_if_some("AND issued_on >= ?", criteria.issued.from)
            .append_if_some("AND issued_on <= ?", criteria.issued.to),
        DrivingTitleCriterion::Key | DrivingTitleCriterion::Amount | DrivingTitleCriterion::DueDay => head,
    };
    let head = head
        .append_if_some(&format!("AND {branch} = ?"), criteria.branch)
        .append_if_some("AND amount = ?", criteria.amount)
        .append_if_some("AND effective_due_on >= ?", criteria.overdue_since)
        .append_if_some(&format!("AND {due_on} >= ?"), criteria.due.from)
        .append_if_some(&format!("AND {due_on} <= ?"), criteria.due.to);
    let head = filter_titles_with_slips(head, criteria);
    filter_other_days(head, criteria, driver).filter_branches(branch, scope.branches())
}

fn filter_titles_with_slips(head: Statement, criteria: &TitleCriteria) -> Statement {
    if !criteria.has_slip {
        return head;
    }
    head.append_text(
        "AND EXISTS (SELECT 1 FROM slips WHERE slips.tenant = titles.tenant AND slips.title = titles.code)",
    )
}

/// Titles in one of these situations, and open ones that are overdue.
fn filter_situations_or_overdue(head: Statement, situations: &[TitleSituation], day: Date) -> Statement {
    if situations.is_empty() {
        return head
            .append("AND situation = ?", [TitleSituation::Open])
            .append("AND effective_due_on < ?", [day]);
    }
    let numbers: Vec<String> = situations.iter().map(|one| one.number().to_string()).collect();
    head.append(
        &format!("AND (situation IN ({}) OR (situation = ? AND effective_due_on < ?))", numbers.join(", ")),
        [SqlScalar::from(TitleSituation::Open), day.into()],
    )
}

/// Who owes or is owed, as a list shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TitlePerson {
    pub code: PersonCode,
    pub name: String,
    pub document: Option<String>,
    pub mobile: Option<String>,
}

/// The people of titles.
#[boxed::future]
pub async fn list_title_people(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    codes: impl IntoIterator<Item = PersonCode>,
) -> Result<Vec<TitlePerson>, Error> {
    let statement = sql("SELECT code, name, document, mobile FROM people WHERE tenant = $1")
        .arg(tenant)
        .filter_in("code", codes);
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter()
        .map(|row| {
            Ok(TitlePerson {
                code: row.get("code")?,
                name: row.get("name")?,
                document: row.get("document")?,
                mobile: row.get("mobile")?,
            })
        })
        .collect()
}
