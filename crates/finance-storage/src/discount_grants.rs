//! The discounts of benefits: who has which, in which months and why. A grant that ended stays.

use domain::{BenefitCode, BenefitDiscountCode, DiscountCode, Moment, TenantId, UserCode};
use storage::{Error, QueryWeight, ReadSource, Row, Statement, Tx, sql};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredDiscountGrant {
    pub code: BenefitDiscountCode,
    pub benefit: BenefitCode,
    pub discount: DiscountCode,
    /// The first and the last month that it lowers: `2026-11`. Without a last one, until it is ended.
    pub from_month: String,
    pub until_month: Option<String>,
    pub reason: String,
    pub user: Option<UserCode>,
    pub created_at: Moment,
    /// Why and by whom it was ended before its time.
    pub ending: Option<DiscountEnding>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiscountEnding {
    pub reason: String,
    pub user: Option<UserCode>,
    pub at: Moment,
}

impl StoredDiscountGrant {
    /// Whether it lowers what is charged for this month: `2026-11`.
    pub fn is_for_month(&self, month: &str) -> bool {
        self.from_month.as_str() <= month && self.until_month.as_deref().is_none_or(|until| month <= until)
    }
}

const SELECT: &str = "SELECT code, benefit, discount, from_month, until_month, reason, user_code, created_at,
         ended_because, ended_by, ended_at
     FROM benefit_discounts";

fn parse_grant_row(row: &Row) -> Result<StoredDiscountGrant, Error> {
    let ended_at: Option<Moment> = row.get("ended_at")?;
    let ending = match ended_at {
        Some(at) => Some(DiscountEnding {
            reason: row.get::<Option<String>>("ended_because")?.unwrap_or_default(),
            user: row.get("ended_by")?,
            at,
        }),
        None => None,
    };
    Ok(StoredDiscountGrant {
        code: row.get("code")?,
        benefit: row.get("benefit")?,
        discount: row.get("discount")?,
        from_month: row.get("from_month")?,
        until_month: row.get("until_month")?,
        reason: row.get("reason")?,
        user: row.get("user_code")?,
        created_at: row.get("created_at")?,
        ending,
    })
}

/// All grants of a benefit, ordered by code.
#[boxed::future]
pub async fn list_benefit_grants(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    benefit: BenefitCode,
) -> Result<Vec<StoredDiscountGrant>, Error> {
    let statement =
        sql(SELECT).append("WHERE tenant = ?", [tenant]).append("AND benefit = ? ORDER BY code", [benefit]);
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter().map(parse_grant_row).collect()
}

/// What lowers the charges of a month (`2026-11`), of all benefits, ordered by benefit and code.
#[boxed::future]
pub async fn list_grants_of_month(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    month: &str,
) -> Result<Vec<StoredDiscountGrant>, Error> {
    let statement = sql(SELECT)
        .append("WHERE tenant = ?", [tenant])
        .append("AND from_month <= ?", [month])
        .append("AND (until_month IS NULL OR until_month >= ?) ORDER BY benefit, code", [month]);
    let rows = source.fetch_all(QueryWeight::Search, statement).await?;
    rows.iter().map(parse_grant_row).collect()
}

#[boxed::future]
pub async fn insert_grant(tx: &mut Tx, tenant: TenantId, grant: &StoredDiscountGrant) -> Result<(), Error> {
    let statement = sql(
        "INSERT INTO benefit_discounts (tenant, code, benefit, discount, from_month, until_month, reason,
             user_code, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
    )
    .arg(tenant)
    .arg(grant.code)
    .arg(grant.benefit)
    .arg(grant.discount)
    .arg(grant.from_month.as_str())
    .arg(grant.until_month.as_deref())
    .arg(grant.reason.as_str())
    .arg(grant.user)
    .arg(grant.created_at);
    tx.execute(statement).await.map(drop)
}

/// Ends a grant after its last month; the row stays.
pub fn end_grant(
    tenant: TenantId,
    code: BenefitDiscountCode,
    until_month: &str,
    ending: &DiscountEnding,
) -> Statement {
    sql("UPDATE benefit_discounts SET until_month = $3, ended_because = $4, ended_by = $5, ended_at = $6
         WHERE tenant = $1 AND code = $2")
    .arg(tenant)
    .arg(code)
    .arg(until_month)
    .arg(ending.reason.as_str())
    .arg(ending.user)
    .arg(ending.at)
}
