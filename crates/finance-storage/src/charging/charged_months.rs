//! The months of benefits that are charged. A row is removed again when its title is cancelled.

use domain::finance::{ChargedMonth, NotChargedReason, TitleSituation};
use domain::{BenefitCode, ChargingRunCode, Date, TenantId, TitleCode};
use storage::{Error, Row, SqlScalar, Statement, Tx, build_inserts, sql};

/// Where the title comes from that charges a month.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChargedMonthOrigin {
    Run(ChargingRunCode),
    /// It was issued by hand.
    Hand,
    /// It came from another system, which had charged the months before, too.
    Import,
}

impl ChargedMonthOrigin {
    const HAND: i32 = 0;
    const IMPORT: i32 = -1;

    pub fn run(self) -> Option<ChargingRunCode> {
        match self {
            ChargedMonthOrigin::Run(run) => Some(run),
            ChargedMonthOrigin::Hand | ChargedMonthOrigin::Import => None,
        }
    }

    /// What the column `run` holds.
    fn number(self) -> i32 {
        match self {
            ChargedMonthOrigin::Run(run) => run.get(),
            ChargedMonthOrigin::Hand => ChargedMonthOrigin::HAND,
            ChargedMonthOrigin::Import => ChargedMonthOrigin::IMPORT,
        }
    }

    fn from_number(number: i32) -> ChargedMonthOrigin {
        match number {
            ChargedMonthOrigin::HAND => ChargedMonthOrigin::Hand,
            ChargedMonthOrigin::IMPORT => ChargedMonthOrigin::Import,
            run => ChargedMonthOrigin::Run(ChargingRunCode::new(run)),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredChargedMonth {
    pub benefit: BenefitCode,
    pub month: ChargedMonth,
    pub title: TitleCode,
    pub origin: ChargedMonthOrigin,
    /// One of several instalments that were issued at once.
    pub is_booklet: bool,
}

impl StoredChargedMonth {
    /// Why a run does not charge the month again.
    pub fn find_reason(&self) -> NotChargedReason {
        match (self.is_booklet, self.origin.run()) {
            (true, _) => NotChargedReason::CoveredByBooklet,
            (false, Some(_)) => NotChargedReason::AlreadyCharged,
            (false, None) => NotChargedReason::TitleOutsideRuns,
        }
    }
}

/// The charged months of the benefits after a code, up to another, between two months.
#[boxed::future]
pub async fn list_months_of_range(
    tx: &mut Tx,
    tenant: TenantId,
    (after, until): (i32, BenefitCode),
    (from, through): (ChargedMonth, ChargedMonth),
) -> Result<Vec<StoredChargedMonth>, Error> {
    let statement = sql("SELECT benefit, month, title, run, is_booklet FROM charged_months
         WHERE tenant = $1 AND benefit > $2 AND benefit <= $3 AND month >= $4 AND month <= $5
         ORDER BY benefit, month")
    .arg(tenant)
    .arg(after)
    .arg(until)
    .arg(from)
    .arg(through);
    tx.fetch_all(statement).await?.iter().map(parse_month_row).collect()
}

/// The charged months of these benefits between two months.
#[boxed::future]
pub async fn list_months_of_benefits(
    tx: &mut Tx,
    tenant: TenantId,
    benefits: impl IntoIterator<Item = BenefitCode>,
    (from, through): (ChargedMonth, ChargedMonth),
) -> Result<Vec<StoredChargedMonth>, Error> {
    let statement =
        sql("SELECT benefit, month, title, run, is_booklet FROM charged_months WHERE tenant = $1")
            .arg(tenant)
            .filter_in("benefit", benefits)
            .append("AND month >= ? AND month <= ?", [from, through])
            .append_text("ORDER BY benefit, month");
    tx.fetch_all(statement).await?.iter().map(parse_month_row).collect()
}

/// The months of a benefit that are charged by open titles not yet due. A debt that was overdue before its due day was moved
/// is none of them.
#[boxed::future]
pub async fn list_months_not_due(
    tx: &mut Tx,
    (tenant, benefit): (TenantId, BenefitCode),
    today: Date,
) -> Result<Vec<StoredChargedMonth>, Error> {
    let statement = sql("SELECT m.benefit, m.month, m.title, m.run, m.is_booklet FROM charged_months m
         JOIN titles t ON t.tenant = m.tenant AND t.code = m.title
         WHERE m.tenant = $1 AND m.benefit = $2 AND t.situation + 0 = $3 AND t.effective_due_on >= $4
             AND (t.due_on = t.original_due_on OR t.original_due_on >= $4)
         ORDER BY m.month")
    .arg(tenant)
    .arg(benefit)
    .arg(TitleSituation::Open)
    .arg(today);
    tx.fetch_all(statement).await?.iter().map(parse_month_row).collect()
}

fn parse_month_row(row: &Row) -> Result<StoredChargedMonth, Error> {
    Ok(StoredChargedMonth {
        benefit: row.get("benefit")?,
        month: row.get("month")?,
        title: row.get("title")?,
        origin: ChargedMonthOrigin::from_number(row.get("run")?),
        is_booklet: row.get("is_booklet")?,
    })
}

/// Claims months. A month that is charged already breaks the unit of work, so the caller looks first.
pub fn insert_charged_months(tenant: TenantId, months: &[StoredChargedMonth]) -> Vec<Statement> {
    let rows = months.iter().map(|one| -> [SqlScalar; 6] {
        [
            tenant.into(),
            one.benefit.into(),
            one.month.into(),
            one.title.into(),
            one.origin.number().into(),
            one.is_booklet.into(),
        ]
    });
    build_inserts(
        "INSERT INTO charged_months (tenant, benefit, month, title, run, is_booklet) VALUES",
        100,
        rows,
    )
}

/// Claims the month of a title's benefits, where nothing else has charged it.
pub fn claim_free_month(
    tenant: TenantId,
    (title, month, origin): (TitleCode, ChargedMonth, ChargedMonthOrigin),
    benefits: &[BenefitCode],
) -> Vec<Statement> {
    let rows = benefits.iter().map(|benefit| -> [SqlScalar; 6] {
        [tenant.into(), (*benefit).into(), month.into(), title.into(), origin.number().into(), false.into()]
    });
    let inserts = build_inserts(
        "INSERT INTO charged_months (tenant, benefit, month, title, run, is_booklet) VALUES",
        100,
        rows,
    );
    let keep_others = "ON CONFLICT (tenant, benefit, month) DO NOTHING";
    inserts.into_iter().map(|insert| insert.append_text(keep_others)).collect()
}

/// Frees the months that these titles charged. One for which another title outside runs is in force is charged by that from
/// now on. The titles are cancelled in the same unit of work, before.
pub fn release_months(tenant: TenantId, titles: &[TitleCode]) -> [Statement; 2] {
    let chosen = || titles.iter().copied();
    let hand_over = sql("UPDATE charged_months SET is_booklet = $4, run = CASE WHEN EXISTS (
             SELECT 1 FROM imported_titles k WHERE k.tenant = charged_months.tenant AND k.title = (")
    .arg(tenant)
    .arg(ChargedMonthOrigin::Import.number())
    .arg(ChargedMonthOrigin::Hand.number())
    .arg(false)
    .arg(TitleSituation::Cancelled)
    .append_text(SELECT_OTHER_TITLE)
    .append_text(")) THEN CAST($2 AS BIGINT) ELSE CAST($3 AS BIGINT) END, title = (")
    .append_text(SELECT_OTHER_TITLE)
    .append_text(") WHERE tenant = $1 AND (")
    .append_text(SELECT_OTHER_TITLE)
    .append_text(") IS NOT NULL")
    .filter_in("title", chosen());
    [hand_over, sql("DELETE FROM charged_months WHERE tenant = $1").arg(tenant).filter_in("title", chosen())]
}

/// Frees the months of benefits that a title charged, for the title that takes its place.
pub fn delete_months_of_benefits(
    tenant: TenantId,
    title: TitleCode,
    benefits: impl IntoIterator<Item = BenefitCode>,
) -> Statement {
    sql("DELETE FROM charged_months WHERE tenant = $1 AND title = $2")
        .arg(tenant)
        .arg(title)
        .filter_in("benefit", benefits)
}

/// The first other title outside runs of the same person, type and place that is for the month and the benefit of a row. The
/// person and the month lead to it, so that the other months of a person are not read. The title of a one-off charge is for
/// no month.
const SELECT_OTHER_TITLE: &str = "SELECT MIN(t.code) FROM titles c
     JOIN titles t ON t.tenant = c.tenant AND t.person = c.person AND t.title_type = c.title_type
         AND t.protection_group = c.protection_group AND t.branch + 0 = c.branch
     WHERE c.tenant = charged_months.tenant AND c.code = charged_months.title AND t.situation + 0 <> $5
         AND t.original_due_on >= (charged_months.month || '-01')
         AND t.original_due_on <= (charged_months.month || '-31')
         AND (t.instalments = 1 OR EXISTS (
             SELECT 1 FROM imported_titles i WHERE i.tenant = t.tenant AND i.title = t.code))
         AND (EXISTS (SELECT 1 FROM title_benefits b WHERE b.tenant = t.tenant AND b.title = t.code
                 AND b.benefit = charged_months.benefit)
             OR NOT EXISTS (SELECT 1 FROM title_benefits b WHERE b.tenant = t.tenant AND b.title = t.code)
             AND NOT EXISTS (SELECT 1 FROM imported_titles u WHERE u.tenant = t.tenant AND u.title = t.code
                 AND u.has_only_unknown_benefits))
         AND NOT EXISTS (SELECT 1 FROM pending_charges p WHERE p.tenant = t.tenant AND p.title = t.code)
         AND NOT EXISTS (SELECT 1 FROM charged_months o WHERE o.tenant = t.tenant AND o.title = t.code AND o.run > 0)";
