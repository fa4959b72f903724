//! The fields that an association adds to the benefits of one kind, and the options of those that are lists.

use crate::{Error, Tx, sql};
use domain::{BenefitKind, FieldCode, FieldKind, Moment, Name, TenantId, fold};

pub struct NewField<'f> {
    pub code: FieldCode,
    pub benefit_kind: BenefitKind,
    pub name: &'f Name,
    pub kind: FieldKind,
    pub required: bool,
    /// The most characters that a text may have.
    pub longest: Option<i32>,
    /// What a list offers, in its order.
    pub options: &'f [&'f str],
}

pub async fn insert(tx: &mut Tx, tenant: TenantId, field: &NewField<'_>, now: Moment) -> Result<(), Error> {
    let mut statements = vec![
        sql("INSERT INTO additional_fields (tenant, code, benefit_kind, name, folded_name, kind, required, longest,
                 active, version, created_at, updated_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, TRUE, 1, $9, $9)")
        .arg(tenant)
        .arg(field.code)
        .arg(field.benefit_kind)
        .arg(field.name.as_str())
        .arg(fold(field.name.as_str()))
        .arg(field.kind)
        .arg(field.required)
        .arg(field.longest)
        .arg(now),
    ];
    statements.extend((1..).zip(field.options).map(|(position, name): (i32, _)| {
        sql("INSERT INTO additional_field_options (tenant, field, position, name) VALUES ($1, $2, $3, $4)")
            .arg(tenant)
            .arg(field.code)
            .arg(position)
            .arg(*name)
    }));
    tx.batch(statements).await
}
