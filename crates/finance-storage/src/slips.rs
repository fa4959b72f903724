//! Slips of titles; they are only inserted. The last one of a title is in force while the title is open.

use domain::{Date, Moment, MoneyAccountCode, SlipCode, TenantId, TitleCode, UserCode};
use storage::{Error, QueryWeight, ReadSource, Row, SqlScalar, Statement, Tx, build_inserts, sql};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredSlip {
    pub code: SlipCode,
    pub title: TitleCode,
    /// Counts the slips of the title, from 1.
    pub number: i32,
    pub account: MoneyAccountCode,
    /// Counts the slips of the account.
    pub sequence: i64,
    /// By which the bank tells what was paid.
    pub our_number: String,
    pub barcode: String,
    pub issued_on: Date,
    pub due_on: Date,
    /// In cents.
    pub amount: i64,
    pub user: Option<UserCode>,
    pub created_at: Moment,
}

const COLUMNS: &str =
    "s.code, s.title, s.number, s.money_account, s.sequence, s.our_number, s.barcode, s.issued_on,
    s.due_on, s.amount, s.user_code, s.created_at";

const ROWS_PER_STATEMENT: usize = 50;

fn parse_slip_row(row: &Row) -> Result<StoredSlip, Error> {
    Ok(StoredSlip {
        code: row.get("code")?,
        title: row.get("title")?,
        number: row.get("number")?,
        account: row.get("money_account")?,
        sequence: row.get("sequence")?,
        our_number: row.get("our_number")?,
        barcode: row.get("barcode")?,
        issued_on: row.get("issued_on")?,
        due_on: row.get("due_on")?,
        amount: row.get("amount")?,
        user: row.get("user_code")?,
        created_at: row.get("created_at")?,
    })
}

pub fn insert_slips(tenant: TenantId, slips: &[StoredSlip]) -> Vec<Statement> {
    let rows = slips.iter().map(|one| -> [SqlScalar; 13] {
        [
            tenant.into(),
            one.code.into(),
            one.title.into(),
            one.number.into(),
            one.account.into(),
            one.sequence.into(),
            one.our_number.as_str().into(),
            one.barcode.as_str().into(),
            one.issued_on.into(),
            one.due_on.into(),
            one.amount.into(),
            one.user.into(),
            one.created_at.into(),
        ]
    });
    let head = "INSERT INTO slips (tenant, code, title, number, money_account, sequence, our_number, barcode, issued_on,
         due_on, amount, user_code, created_at) VALUES";
    build_inserts(head, ROWS_PER_STATEMENT, rows)
}

/// The last slip of each of these titles that has one, in force or not.
#[boxed::future]
pub async fn list_last_slips(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    titles: &[TitleCode],
) -> Result<Vec<StoredSlip>, Error> {
    let statement = sql("SELECT")
        .append_text(COLUMNS)
        .append("FROM slips s WHERE s.tenant = ?", [tenant])
        .filter_in("s.title", titles.iter().copied())
        .append_text(
            "AND NOT EXISTS (SELECT 1 FROM slips later WHERE later.tenant = s.tenant AND later.title = s.title
                 AND later.number > s.number)",
        );
    source.fetch_all(QueryWeight::Point, statement).await?.iter().map(parse_slip_row).collect()
}

/// A slip, regardless of scope.
#[boxed::future]
pub async fn find_slip(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    code: SlipCode,
) -> Result<Option<StoredSlip>, Error> {
    let statement = sql("SELECT").append_text(COLUMNS);
    let statement =
        statement.append("FROM slips s WHERE s.tenant = ?", [tenant]).append("AND s.code = ?", [code]);
    source.fetch_optional(statement).await?.map(|row| parse_slip_row(&row)).transpose()
}

/// The title of a slip with this barcode, regardless of scope.
#[boxed::future]
pub async fn find_title_by_barcode(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    barcode: &str,
) -> Result<Option<TitleCode>, Error> {
    let statement =
        sql("SELECT title FROM slips WHERE tenant = $1 AND barcode = $2 ORDER BY code DESC LIMIT 1")
            .arg(tenant)
            .arg(barcode);
    source.fetch_optional(statement).await?.map(|row| row.get("title")).transpose()
}

/// The highest sequence among the slips of an account; 0 without any.
#[boxed::future]
pub async fn find_last_sequence(
    tx: &mut Tx,
    tenant: TenantId,
    account: MoneyAccountCode,
) -> Result<i64, Error> {
    let statement = sql("SELECT sequence FROM slips WHERE tenant = $1 AND money_account = $2
         ORDER BY sequence DESC LIMIT 1")
    .arg(tenant)
    .arg(account);
    tx.fetch_optional(statement).await?.map_or(Ok(0), |row| row.get("sequence"))
}
