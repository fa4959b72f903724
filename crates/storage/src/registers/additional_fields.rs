//! Additional fields of a benefit kind, defined by the tenant, and the options of list fields.

use crate::{Error, Statement, Tx, sql};
use domain::{BenefitKind, DisplayName, FieldCode, FieldKind, Moment, TenantId, fold_text};

/// A field with the options of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredAdditionalField {
    pub code: FieldCode,
    pub benefit_kind: BenefitKind,
    pub name: String,
    pub kind: FieldKind,
    pub required: bool,
    pub longest: Option<i32>,
    pub options: Vec<String>,
    pub active: bool,
}

/// Every field, including inactive ones, ordered by code.
#[boxed::future]
pub async fn list_additional_fields(
    tx: &mut Tx,
    tenant: TenantId,
) -> Result<Vec<StoredAdditionalField>, Error> {
    let options =
        sql("SELECT field, name FROM additional_field_options WHERE tenant = $1 ORDER BY field, position");
    let options = tx.fetch_all(options.arg(tenant)).await?;
    let fields =
        sql("SELECT code, benefit_kind, name, kind, required, longest, active FROM additional_fields
         WHERE tenant = $1 ORDER BY code");
    let mut all = Vec::new();
    for row in tx.fetch_all(fields.arg(tenant)).await? {
        let code: FieldCode = row.get("code")?;
        let mut option_names = Vec::new();
        for option in &options {
            if option.get::<FieldCode>("field")? == code {
                option_names.push(option.get("name")?);
            }
        }
        all.push(StoredAdditionalField {
            code,
            benefit_kind: row.get("benefit_kind")?,
            name: row.get("name")?,
            kind: row.get("kind")?,
            required: row.get("required")?,
            longest: row.get("longest")?,
            options: option_names,
            active: row.get("active")?,
        });
    }
    Ok(all)
}

pub struct NewAdditionalFieldRow {
    pub code: FieldCode,
    pub benefit_kind: BenefitKind,
    pub name: DisplayName,
    pub kind: FieldKind,
    pub required: bool,
    /// The maximum length of a text.
    pub longest: Option<i32>,
    /// The options of a list, in order.
    pub options: Vec<String>,
}

#[boxed::future]
pub async fn insert_additional_fields(
    tx: &mut Tx,
    tenant: TenantId,
    fields: &[NewAdditionalFieldRow],
    now: Moment,
) -> Result<(), Error> {
    tx.execute_batch(fields.iter().flat_map(|field| build_field_inserts(tenant, field, now)).collect()).await
}

fn build_field_inserts(
    tenant: TenantId,
    field: &NewAdditionalFieldRow,
    now: Moment,
) -> impl Iterator<Item = Statement> {
    let insert =
        sql("INSERT INTO additional_fields (tenant, code, benefit_kind, name, folded_name, kind, required, longest,
                 active, version, created_at, updated_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, TRUE, 1, $9, $9)")
        .arg(tenant)
        .arg(field.code)
        .arg(field.benefit_kind)
        .arg(field.name.as_str())
        .arg(fold_text(field.name.as_str()))
        .arg(field.kind)
        .arg(field.required)
        .arg(field.longest)
        .arg(now);
    let options = (1..).zip(&field.options).map(move |(position, name): (i32, _)| {
        sql("INSERT INTO additional_field_options (tenant, field, position, name) VALUES ($1, $2, $3, $4)")
            .arg(tenant)
            .arg(field.code)
            .arg(position)
            .arg(name.as_str())
    });
    std::iter::once(insert).chain(options)
}
