//! The rows that the member and benefit searches return.

use crate::benefits::{benefit_columns, parse_benefit_row, parse_field_values, parse_priced_plans};
use crate::members;
use crate::{Error, Row, Statement, sql};
use domain::{
    AdditionalFieldValues, Benefit, BenefitCode, BenefitKind, BranchCode, CivilState, Date, Money,
    PersonCode, PlanCode, PostalAddress, SellerCode, Sex, SituationCode,
};

/// A row of the member search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundMemberRow {
    pub slot: i32,
    pub person: FoundPerson,
    pub branch: BranchCode,
    pub consultant: Option<SellerCode>,
    pub representative: Option<SellerCode>,
    pub registered_on: Date,
    pub updated_on: Date,
    pub benefit: Option<FoundMemberBenefit>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundPerson {
    pub code: PersonCode,
    pub name: String,
    pub document: Option<String>,
    pub born_on: Option<Date>,
    pub sex: Option<Sex>,
    pub email: Option<String>,
    pub mobile: Option<String>,
    pub landline: Option<String>,
    pub address: PostalAddress,
    pub mother: Option<String>,
    pub civil_state: Option<CivilState>,
    pub company: Option<String>,
    pub identity_number: Option<String>,
    pub cnh_number: Option<String>,
    pub cnh_category: Option<String>,
    pub spouse: Option<String>,
    pub payer_document: Option<String>,
    pub payer_address: PostalAddress,
}

/// The benefit of a member row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundMemberBenefit {
    pub code: BenefitCode,
    pub kind: BenefitKind,
    pub situation: SituationCode,
    pub sequence: i32,
    pub card: Option<String>,
    pub joined_on: Option<Date>,
    pub activated_on: Option<Date>,
    pub plans: Vec<(PlanCode, Money)>,
    pub fields: AdditionalFieldValues,
    pub plate: Option<String>,
    pub chassis: Option<String>,
}

/// A benefit, as returned by the benefit search and list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundBenefit {
    pub code: BenefitCode,
    pub benefit: Benefit,
    /// The holder's name.
    pub name: String,
    pub document: Option<String>,
    /// Of the benefit; if it has none, of the holder.
    pub consultant: Option<SellerCode>,
    pub representative: Option<SellerCode>,
}

/// The start of a member search: columns and tables. `append_conditions` appends the conditions, with the tenant as
/// the first value.
pub fn build_member_search(append_conditions: impl FnOnce(Statement) -> Statement) -> Statement {
    append_conditions(sql("SELECT l.slot, l.person, l.branch, l.consultant, l.representative, l.registered_on, l.updated_on,
             p.name, p.document, p.born_on, p.sex, p.email, p.mobile, p.landline,
             p.address_kind, p.street_kind, p.street, p.street_number, p.complement, p.district, p.city, p.state, p.cep,
             p.mother, p.civil_state, p.company, p.identity_number, p.cnh_number, p.cnh_category,
             p.spouse, p.payer_document, p.payer_address,
             l.benefit, l.situation, b.kind, b.sequence, b.card, b.joined_on, b.activated_on, b.plans, b.field_values,
             b.plate, b.chassis
         FROM listing l JOIN people p ON p.tenant = l.tenant AND p.code = l.person
         LEFT JOIN benefits b ON b.tenant = l.tenant AND b.code = l.benefit"))
}

/// The start of a benefit search, driven by the search rows (`l`) or by the benefits themselves.
pub fn build_benefit_search(by_listing: bool) -> Statement {
    let from_clause = match by_listing {
        true => "FROM listing l CROSS JOIN benefits b",
        false => "FROM benefits b",
    };
    sql(concat!(
        "SELECT b.code, ",
        benefit_columns!(),
        ", p.name, p.document, COALESCE(b.consultant, p.consultant) AS row_consultant,
             COALESCE(b.representative, p.representative) AS row_representative"
    ))
    .append_text(from_clause)
    .append_text("JOIN people p ON p.tenant = b.tenant AND p.code = b.person")
}

pub fn parse_found_members(rows: Vec<Row>) -> Result<Vec<FoundMemberRow>, Error> {
    rows.iter().map(parse_found_member).collect()
}

pub fn parse_found_benefits(rows: Vec<Row>) -> Result<Vec<FoundBenefit>, Error> {
    rows.iter().map(parse_found_benefit).collect()
}

fn parse_found_member(row: &Row) -> Result<FoundMemberRow, Error> {
    let (slot, person) = (row.get("slot")?, row.get("person")?);
    Ok(FoundMemberRow {
        slot,
        branch: row.get("branch")?,
        consultant: row.get("consultant")?,
        representative: row.get("representative")?,
        registered_on: row.get("registered_on")?,
        updated_on: row.get("updated_on")?,
        person: FoundPerson {
            code: person,
            name: row.get("name")?,
            document: row.get("document")?,
            born_on: row.get("born_on")?,
            sex: row.get("sex")?,
            email: row.get("email")?,
            mobile: row.get("mobile")?,
            landline: row.get("landline")?,
            address: members::parse_address_with_kind(row)?,
            mother: row.get("mother")?,
            civil_state: row.get("civil_state")?,
            company: row.get("company")?,
            identity_number: row.get("identity_number")?,
            cnh_number: row.get("cnh_number")?,
            cnh_category: row.get("cnh_category")?,
            spouse: row.get("spouse")?,
            payer_document: row.get("payer_document")?,
            payer_address: members::parse_payer_address(row.get("payer_address")?)?,
        },
        benefit: match row.get::<Option<BenefitCode>>("benefit")? {
            Some(code) => Some(parse_found_member_benefit(code, row)?),
            None => None,
        },
    })
}

fn parse_found_member_benefit(code: BenefitCode, row: &Row) -> Result<FoundMemberBenefit, Error> {
    Ok(FoundMemberBenefit {
        code,
        situation: row.get("situation")?,
        kind: row.get("kind")?,
        sequence: row.get("sequence")?,
        card: row.get("card")?,
        joined_on: row.get("joined_on")?,
        activated_on: row.get("activated_on")?,
        plans: parse_priced_plans(row.get_text("plans")?)?,
        fields: parse_field_values(row.get_text("field_values")?)?,
        plate: row.get("plate")?,
        chassis: row.get("chassis")?,
    })
}

fn parse_found_benefit(row: &Row) -> Result<FoundBenefit, Error> {
    Ok(FoundBenefit {
        code: row.get("code")?,
        benefit: parse_benefit_row(row)?,
        name: row.get("name")?,
        document: row.get("document")?,
        consultant: row.get("row_consultant")?,
        representative: row.get("row_representative")?,
    })
}
