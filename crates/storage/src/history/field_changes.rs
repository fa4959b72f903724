//! Changes of fields by users: who, when, before and after, in readable form.

use crate::executor::statement::build_inserts;
use crate::{Error, QueryWeight, ReadSource, SqlScalar, Statement, sql};
use domain::{Moment, TenantId, UserCode};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldChange {
    /// The field name in the API.
    pub field: String,
    pub before: Option<String>,
    pub after: Option<String>,
}

/// The record, the user and the time of the changes.
#[derive(Clone, Copy, Debug)]
pub struct FieldChangeContext {
    pub tenant: TenantId,
    /// `claim`, `person`, `deal`.
    pub subject: &'static str,
    pub record: i32,
    pub user: Option<UserCode>,
    pub at: Moment,
}

/// Inserts changes, numbered from `first` on.
pub fn insert_field_changes<'c>(
    context: FieldChangeContext,
    first: i32,
    changes: impl IntoIterator<Item = &'c FieldChange>,
) -> Vec<Statement> {
    let rows = (first..).zip(changes).map(|(number, change)| -> [SqlScalar; 9] {
        [
            context.tenant.into(),
            context.subject.into(),
            context.record.into(),
            number.into(),
            context.at.into(),
            context.user.into(),
            change.field.as_str().into(),
            change.before.as_deref().into(),
            change.after.as_deref().into(),
        ]
    });
    let head = "INSERT INTO field_changes (tenant, subject, record, number, changed_at, user_code, field, before, after)
         VALUES";
    build_inserts(head, ROWS_PER_STATEMENT, rows)
}

const ROWS_PER_STATEMENT: usize = 50;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredFieldChange {
    pub at: Moment,
    pub user: Option<UserCode>,
    pub user_name: Option<String>,
    pub change: FieldChange,
}

/// The changes of a record, in order.
#[boxed::future]
pub async fn list_field_changes(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    (subject, record): (&'static str, i32),
) -> Result<Vec<StoredFieldChange>, Error> {
    let statement = sql("SELECT f.changed_at, f.user_code, f.field, f.before, f.after, u.name AS user_name
         FROM field_changes f LEFT JOIN users u ON u.tenant = f.tenant AND u.code = f.user_code
         WHERE f.tenant = $1 AND f.subject = $2 AND f.record = $3 ORDER BY f.number")
    .arg(tenant)
    .arg(subject)
    .arg(record);
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter()
        .map(|row| {
            let change = FieldChange {
                field: row.get("field")?,
                before: row.get("before")?,
                after: row.get("after")?,
            };
            Ok(StoredFieldChange {
                at: row.get("changed_at")?,
                user: row.get("user_code")?,
                user_name: row.get("user_name")?,
                change,
            })
        })
        .collect()
}
