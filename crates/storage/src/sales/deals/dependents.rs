//! The proposed dependents of a deal.

use super::{encode_plans, parse_plans};
use crate::executor::statement::build_inserts;
use crate::{Error, QueryWeight, ReadSource, Row, SqlScalar, Statement, sql};
use domain::{Cpf, DealCode, DependentCode, Email, Phone, ProposedDependent, Rejection, TenantId};

const SELECT: &str =
    "SELECT code, name, cpf, born_on, sex, kinship, plans, price, phone, email, created_at, updated_at
     FROM deal_dependents";

/// The dependents of a deal, ordered by code.
#[boxed::future]
pub async fn list_deal_dependents(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    deal: DealCode,
) -> Result<Vec<(DependentCode, ProposedDependent)>, Error> {
    let statement = sql(SELECT).append_text("WHERE tenant = $1 AND deal = $2 ORDER BY code");
    let rows = source.fetch_all(QueryWeight::Point, statement.arg(tenant).arg(deal)).await?;
    rows.iter().map(|row| Ok((row.get("code")?, parse_dependent_row(row)?))).collect()
}

#[boxed::future]
pub async fn find_deal_dependent(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    deal: DealCode,
    code: DependentCode,
) -> Result<Option<ProposedDependent>, Error> {
    let statement = sql(SELECT).append_text("WHERE tenant = $1 AND deal = $2 AND code = $3");
    let row = source.fetch_optional(statement.arg(tenant).arg(deal).arg(code)).await?;
    row.map(|row| parse_dependent_row(&row)).transpose()
}

pub fn insert_deal_dependents<'d>(
    tenant: TenantId,
    dependents: impl IntoIterator<Item = (DealCode, DependentCode, &'d ProposedDependent)>,
) -> Vec<Statement> {
    let head = "INSERT INTO deal_dependents (tenant, deal, code, name, cpf, born_on, sex, kinship, plans, price, phone,
         email, version, created_at, updated_at) VALUES";
    let rows = dependents.into_iter();
    build_inserts(
        head,
        50,
        rows.map(|(deal, code, dependent)| build_dependent_row(tenant, deal, code, dependent)),
    )
}

pub fn update_deal_dependent(
    tenant: TenantId,
    deal: DealCode,
    code: DependentCode,
    dependent: &ProposedDependent,
) -> Statement {
    let statement = sql("UPDATE deal_dependents SET name = $4, cpf = $5, born_on = $6, sex = $7, kinship = $8, plans = $9,
             price = $10, phone = $11, email = $12, version = version + $13, created_at = $14, updated_at = $15
         WHERE tenant = $1 AND deal = $2 AND code = $3");
    build_dependent_row(tenant, deal, code, dependent).into_iter().fold(statement, Statement::arg)
}

/// Errors omit the value, which is personal data and must not be logged.
fn parse_column<T>(
    row: &Row,
    column: &'static str,
    parse: impl Fn(&str) -> Result<T, Rejection>,
) -> Result<Option<T>, Error> {
    let broken = |_| Error::Broken(format!("a dependent of a deal is kept with a {column} that is none"));
    row.get::<Option<String>>(column)?.map(|text| parse(&text).map_err(broken)).transpose()
}

fn parse_dependent_row(row: &Row) -> Result<ProposedDependent, Error> {
    Ok(ProposedDependent {
        name: row.get("name")?,
        cpf: parse_column(row, "cpf", Cpf::parse)?,
        born_on: row.get("born_on")?,
        sex: row.get("sex")?,
        kinship: row.get("kinship")?,
        plans: parse_plans(&row.get::<String>("plans")?)?,
        price: row.get("price")?,
        phone: parse_column(row, "phone", Phone::parse)?,
        email: parse_column(row, "email", Email::parse)?,
        created_at: row.get("created_at")?,
        updated_at: row.get("updated_at")?,
    })
}

fn build_dependent_row(
    tenant: TenantId,
    deal: DealCode,
    code: DependentCode,
    one: &ProposedDependent,
) -> [SqlScalar; 15] {
    [
        tenant.into(),
        deal.into(),
        code.into(),
        one.name.as_str().into(),
        one.cpf.as_ref().map(Cpf::as_str).into(),
        one.born_on.into(),
        one.sex.into(),
        one.kinship.into(),
        encode_plans(&one.plans).into(),
        one.price.into(),
        one.phone.as_ref().map(Phone::as_str).into(),
        one.email.as_ref().map(Email::as_str).into(),
        1.into(),
        one.created_at.into(),
        one.updated_at.into(),
    ]
}
