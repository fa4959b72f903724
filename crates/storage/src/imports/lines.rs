//! The lines of an import, what became of each, and what is wrong with it.

use crate::statement::inserts;
use crate::{Error, Source, Statement, Tx, Value, Weight, sql};
use domain::{ImportCode, ImportOutcome, TenantId};

/// How many rows travel in one statement.
const ROWS: usize = 100;

/// Writes lines of a file as they came.
pub fn add_lines(
    tenant: TenantId,
    import: ImportCode,
    lines: impl IntoIterator<Item = (i32, String)>,
) -> Vec<Statement> {
    let rows = lines
        .into_iter()
        .map(|(line, cells)| -> [Value; 4] { [tenant.into(), import.into(), line.into(), cells.into()] });
    inserts("INSERT INTO import_lines (tenant, import, line, cells) VALUES", ROWS, rows)
}

/// The next lines behind one, with their cells.
#[boxed::future]
pub async fn lines(
    from: impl Into<Source<'_>>,
    tenant: TenantId,
    import: ImportCode,
    (after, limit): (i32, i64),
) -> Result<Vec<(i32, String)>, Error> {
    let statement =
        sql("SELECT line, cells FROM import_lines WHERE tenant = $1 AND import = $2 AND line > $3
         ORDER BY line LIMIT $4")
        .arg(tenant)
        .arg(import)
        .arg(after)
        .arg(limit);
    let rows = from.all(Weight::Point, statement).await?;
    rows.iter().map(|row| Ok((row.get("line")?, row.get("cells")?))).collect()
}

/// The cells of these lines.
#[boxed::future]
pub async fn cells_at(
    from: impl Into<Source<'_>>,
    tenant: TenantId,
    import: ImportCode,
    lines: &[i32],
) -> Result<Vec<(i32, String)>, Error> {
    let statement = sql("SELECT line, cells FROM import_lines WHERE tenant = $1 AND import = $2")
        .arg(tenant)
        .arg(import)
        .within("line", lines.iter().copied())
        .ending("ORDER BY line");
    let rows = from.all(Weight::Point, statement).await?;
    rows.iter().map(|row| Ok((row.get("line")?, row.get("cells")?))).collect()
}

/// What became of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineResult {
    pub line: i32,
    pub outcome: ImportOutcome,
    pub record: Option<i32>,
    pub before: Option<String>,
    pub version: Option<i64>,
}

pub fn add_results(tenant: TenantId, import: ImportCode, results: &[LineResult]) -> Vec<Statement> {
    let rows = results.iter().map(|one| -> [Value; 7] {
        [
            tenant.into(),
            import.into(),
            one.line.into(),
            one.outcome.into(),
            one.record.into(),
            one.before.as_deref().into(),
            one.version.into(),
        ]
    });
    let head = "INSERT INTO import_results (tenant, import, line, outcome, record, before, version) VALUES";
    inserts(head, ROWS, rows)
}

/// The last results before a line that left something to undo, the latest first.
#[boxed::future]
pub async fn results_before(
    from: impl Into<Source<'_>>,
    tenant: TenantId,
    import: ImportCode,
    (before, limit): (i32, i64),
) -> Result<Vec<LineResult>, Error> {
    let statement = sql("SELECT line, outcome, record, before, version FROM import_results
         WHERE tenant = $1 AND import = $2 AND line < $3")
    .arg(tenant)
    .arg(import)
    .arg(before)
    .within("outcome", [ImportOutcome::Created, ImportOutcome::Changed])
    .then("ORDER BY line DESC LIMIT ?", [limit]);
    let rows = from.all(Weight::Point, statement).await?;
    rows.iter()
        .map(|row| {
            Ok(LineResult {
                line: row.get("line")?,
                outcome: row.get("outcome")?,
                record: row.get("record")?,
                before: row.get("before")?,
                version: row.get("version")?,
            })
        })
        .collect()
}

/// The records that lines behind one meant, up to another, each with its line.
#[boxed::future]
pub async fn records(
    from: impl Into<Source<'_>>,
    tenant: TenantId,
    import: ImportCode,
    (after, last): (i32, i32),
) -> Result<Vec<(i32, i32)>, Error> {
    let statement = sql(
        "SELECT record, line FROM import_results
         WHERE tenant = $1 AND import = $2 AND line > $3 AND line <= $4 AND record IS NOT NULL ORDER BY line",
    )
    .arg(tenant)
    .arg(import)
    .arg(after)
    .arg(last);
    let rows = from.all(Weight::Point, statement).await?;
    rows.iter().map(|row| Ok((row.get("record")?, row.get("line")?))).collect()
}

/// Something that undoing left as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    pub line: i32,
    pub record: Option<i32>,
    pub because: String,
}

pub fn keep_because(tenant: TenantId, import: ImportCode, line: i32, because: &str) -> Statement {
    sql("UPDATE import_results SET kept_because = $4 WHERE tenant = $1 AND import = $2 AND line = $3")
        .arg(tenant)
        .arg(import)
        .arg(line)
        .arg(because)
}

/// What undoing left behind a line.
#[boxed::future]
pub async fn kept(
    from: impl Into<Source<'_>>,
    tenant: TenantId,
    import: ImportCode,
    (after, limit): (i32, i64),
) -> Result<Vec<Kept>, Error> {
    let statement = sql(
        "SELECT line, record, kept_because FROM import_results
         WHERE tenant = $1 AND import = $2 AND line > $3 AND kept_because IS NOT NULL ORDER BY line LIMIT $4",
    )
    .arg(tenant)
    .arg(import)
    .arg(after)
    .arg(limit);
    let rows = from.all(Weight::Point, statement).await?;
    rows.iter()
        .map(|row| {
            Ok(Kept { line: row.get("line")?, record: row.get("record")?, because: row.get("kept_because")? })
        })
        .collect()
}

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub line: i32,
    /// The name of the column, where it is the matter of one.
    pub header: Option<String>,
    pub text: String,
}

pub fn add_problems(tenant: TenantId, import: ImportCode, problems: &[Problem]) -> Vec<Statement> {
    let (mut last, mut number) = (0, 0);
    let rows = problems.iter().map(|one| -> [Value; 6] {
        number = if one.line == last { number + 1 } else { 1 };
        last = one.line;
        let (header, text) = (one.header.as_deref(), one.text.as_str());
        [tenant.into(), import.into(), one.line.into(), number.into(), header.into(), text.into()]
    });
    let head = "INSERT INTO import_problems (tenant, import, line, number, header, text) VALUES";
    inserts(head, ROWS, rows)
}

/// Forgets what a stage found before it begins anew, some at a time; says how many it forgot.
#[boxed::future]
pub async fn clear_problems(
    tx: &mut Tx,
    tenant: TenantId,
    import: ImportCode,
    limit: i64,
) -> Result<u64, Error> {
    let statement = sql("DELETE FROM import_problems WHERE tenant = $1 AND import = $2 AND line IN
         (SELECT DISTINCT line FROM import_problems WHERE tenant = $1 AND import = $2 ORDER BY line LIMIT $3)")
    .arg(tenant)
    .arg(import)
    .arg(limit);
    tx.execute(statement).await
}

/// The problems behind one, by line and number.
#[boxed::future]
pub async fn problems(
    from: impl Into<Source<'_>>,
    tenant: TenantId,
    import: ImportCode,
    (after, limit): (i32, i64),
) -> Result<Vec<Problem>, Error> {
    let statement = sql("SELECT line, header, text FROM import_problems
         WHERE tenant = $1 AND import = $2 AND line > $3 ORDER BY line, number LIMIT $4")
    .arg(tenant)
    .arg(import)
    .arg(after)
    .arg(limit);
    let rows = from.all(Weight::Point, statement).await?;
    rows.iter()
        .map(|row| Ok(Problem { line: row.get("line")?, header: row.get("header")?, text: row.get("text")? }))
        .collect()
}

/// The problems of these lines, by line and number.
#[boxed::future]
pub async fn problems_at(
    from: impl Into<Source<'_>>,
    tenant: TenantId,
    import: ImportCode,
    lines: &[i32],
) -> Result<Vec<Problem>, Error> {
    let statement = sql("SELECT line, header, text FROM import_problems WHERE tenant = $1 AND import = $2")
        .arg(tenant)
        .arg(import)
        .within("line", lines.iter().copied())
        .ending("ORDER BY line, number");
    let rows = from.all(Weight::Point, statement).await?;
    rows.iter()
        .map(|row| Ok(Problem { line: row.get("line")?, header: row.get("header")?, text: row.get("text")? }))
        .collect()
}

/// The next lines behind one that have problems.
#[boxed::future]
pub async fn problem_lines(
    from: impl Into<Source<'_>>,
    tenant: TenantId,
    import: ImportCode,
    (after, limit): (i32, i64),
) -> Result<Vec<i32>, Error> {
    let statement =
        sql("SELECT DISTINCT line FROM import_problems WHERE tenant = $1 AND import = $2 AND line > $3
         ORDER BY line LIMIT $4")
        .arg(tenant)
        .arg(import)
        .arg(after)
        .arg(limit);
    let rows = from.all(Weight::Point, statement).await?;
    rows.iter().map(|row| row.get("line")).collect()
}

/// Notes that a code was given to something that is no longer there.
pub fn remove_code(tenant: TenantId, kind: &'static str, code: i32) -> Statement {
    sql("INSERT INTO removed_codes (tenant, kind, code) VALUES ($1, $2, $3) ON CONFLICT (tenant, kind, code) DO NOTHING")
        .arg(tenant)
        .arg(kind)
        .arg(code)
}

/// Which of these codes were given to something that is no longer there.
#[boxed::future]
pub async fn removed(
    from: impl Into<Source<'_>>,
    tenant: TenantId,
    kind: &'static str,
    codes: &[i32],
) -> Result<Vec<i32>, Error> {
    if codes.is_empty() {
        return Ok(Vec::new());
    }
    let statement = sql("SELECT code FROM removed_codes WHERE tenant = $1 AND kind = $2")
        .arg(tenant)
        .arg(kind)
        .within("code", codes.iter().copied());
    let rows = from.all(Weight::Point, statement).await?;
    rows.iter().map(|row| row.get("code")).collect()
}
