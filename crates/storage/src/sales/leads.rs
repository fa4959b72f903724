//! Leads: people who may become members. Writing a lead also updates the name index.

use crate::executor::statement::build_inserts;
use crate::name_index;
use crate::{Error, QueryWeight, ReadSource, Row, SqlScalar, Statement, Tx, sql};
use domain::{
    BranchCode, DealState, Document, Email, Lead, LeadCode, LeadKey, Phone, Rejection, Scope, TenantId,
};
use std::slice::from_ref;

/// A lead as returned by searches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundLead {
    pub code: LeadCode,
    pub lead: Lead,
    /// Only those that the caller may see.
    pub open_deals: i64,
}

const COLUMNS: &str =
    "l.person, l.branch, l.name, l.document, l.email, l.mobile, l.landline, l.company, l.city, l.state,
     l.message, l.origin, l.consultant, l.active, l.version, l.created_at, l.updated_at";

const ROWS_PER_STATEMENT: usize = 100;

/// Inserts leads and their names.
pub fn insert_leads<'l>(
    tenant: TenantId,
    leads: impl IntoIterator<Item = (LeadCode, &'l Lead)> + Clone,
) -> Vec<Statement> {
    let rows = leads.clone().into_iter().map(|(code, lead)| encode_lead_values(tenant, code, lead));
    let mut statements = build_inserts(INSERT, ROWS_PER_STATEMENT, rows);
    let named = leads.into_iter().map(|(code, lead)| (code.get(), lead.branch, lead.name.as_str()));
    statements.extend(name_index::insert_names(name_index::NameIndexKind::Leads, tenant, named));
    statements
}

pub fn update_lead(tenant: TenantId, code: LeadCode, before: &Lead, lead: &Lead) -> Vec<Statement> {
    let statement = sql("UPDATE leads SET person = $3, branch = $4, name = $5, document = $6, email = $7, mobile = $8,
             landline = $9, company = $10, city = $11, state = $12, message = $13, origin = $14, consultant = $15,
             active = $16, version = version + $17, created_at = $18, updated_at = $19
         WHERE tenant = $1 AND code = $2");
    let mut statements =
        vec![encode_lead_values(tenant, code, lead).into_iter().fold(statement, Statement::arg)];
    if before.name != lead.name || before.branch != lead.branch {
        statements.push(name_index::delete_name(name_index::NameIndexKind::Leads, tenant, code.get()));
        statements.extend(name_index::insert_names(
            name_index::NameIndexKind::Leads,
            tenant,
            [(code.get(), lead.branch, lead.name.as_str())],
        ));
    }
    statements
}

/// Encodes a lead as a text snapshot.
pub fn encode_lead_snapshot(one: &Lead) -> String {
    crate::exchange::record_snapshot::encode_snapshot(
        INSERT,
        encode_lead_values(TenantId::SERVER, LeadCode::new(0), one),
    )
}

pub fn parse_lead_snapshot(text: &str) -> Result<Lead, Error> {
    parse_lead_row(&crate::exchange::record_snapshot::parse_snapshot_row(text)?)
}

/// Deletes a lead that nothing references.
pub fn delete_lead(tenant: TenantId, code: LeadCode) -> Vec<Statement> {
    vec![
        sql("DELETE FROM leads WHERE tenant = $1 AND code = $2").arg(tenant).arg(code),
        name_index::delete_name(name_index::NameIndexKind::Leads, tenant, code.get()),
        crate::exchange::imports::removed_codes::insert_removed_code(tenant, "lead", code.get()),
    ]
}

#[boxed::future]
pub async fn has_deal(tx: &mut Tx, tenant: TenantId, code: LeadCode) -> Result<bool, Error> {
    let statement = sql("SELECT 1 AS one FROM deals WHERE tenant = $1 AND lead = $2 LIMIT 1");
    Ok(tx.fetch_optional(statement.arg(tenant).arg(code)).await?.is_some())
}

/// The lead of this code, regardless of scope.
#[boxed::future]
pub async fn find_lead(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    code: LeadCode,
) -> Result<Option<Lead>, Error> {
    let statement = sql("SELECT")
        .append_text(COLUMNS)
        .append_text("FROM leads l WHERE l.tenant = $1 AND l.code = $2")
        .arg(tenant)
        .arg(code);
    source.fetch_optional(statement).await?.map(|row| parse_lead_row(&row)).transpose()
}

/// The first active lead in the scope with this contact, unless it has another document. Names are not searched.
#[boxed::future]
pub async fn find_active_lead_by_contact(
    tx: &mut Tx,
    scope: &Scope,
    contact: &LeadKey,
    document: Option<&Document>,
) -> Result<Option<(LeadCode, Lead)>, Error> {
    let head = sql("SELECT l.code,").append_text(COLUMNS);
    let Some(filtered) = filter_by_contact(head, scope.tenant(), contact) else { return Ok(None) };
    let statement = filtered
        .append_text("AND l.active")
        .append_if_some("AND (l.document IS NULL OR l.document || '' = ?)", document.map(Document::as_str))
        .filter_branches("l.branch + 0", scope.branches())
        .append_text("ORDER BY l.code LIMIT 1");
    tx.fetch_optional(statement).await?.map(|row| Ok((row.get("code")?, parse_lead_row(&row)?))).transpose()
}

/// The active leads in the scope with this contact, unless they have another document, with their names, ordered by code.
/// Names are not searched.
#[boxed::future]
pub async fn list_active_leads_by_contact(
    tx: &mut Tx,
    scope: &Scope,
    contact: &LeadKey,
    document: Option<&Document>,
) -> Result<Vec<(LeadCode, String)>, Error> {
    let head = sql("SELECT l.code, l.name");
    let Some(filtered) = filter_by_contact(head, scope.tenant(), contact) else { return Ok(Vec::new()) };
    let statement = filtered
        .append_text("AND l.active")
        .append_if_some("AND (l.document IS NULL OR l.document || '' = ?)", document.map(Document::as_str))
        .filter_branches("l.branch + 0", scope.branches())
        .append_text("ORDER BY l.code");
    tx.fetch_all(statement).await?.iter().map(|row| Ok((row.get("code")?, row.get("name")?))).collect()
}

/// Appends the filter of a contact; `None` for names.
fn filter_by_contact(head: Statement, tenant: TenantId, contact: &LeadKey) -> Option<Statement> {
    let (column, texts) = match contact {
        LeadKey::Words(_) => return None,
        LeadKey::Document(text) => ("l.document", from_ref(text)),
        LeadKey::Email(text) => ("l.email", from_ref(text)),
        LeadKey::Mobile(numbers) => ("l.mobile", &numbers[..]),
        LeadKey::Landline(numbers) => ("l.landline", &numbers[..]),
        LeadKey::Further(numbers) => ("t.number", &numbers[..]),
    };
    let from_clause = match contact {
        // Only telephones of people who are not members.
        LeadKey::Further(_) => {
            "FROM phones t CROSS JOIN people p CROSS JOIN leads l
                 WHERE t.tenant = $1 AND p.tenant = t.tenant AND p.code = t.person AND NOT p.is_member
                 AND l.tenant = t.tenant AND l.person = t.person"
        }
        _ => "FROM leads l WHERE l.tenant = $1",
    };
    Some(head.append_text(from_clause).arg(tenant).filter_in(column, texts.iter().map(String::as_str)))
}

/// Keys per step.
pub const STEP: usize = 1_000;

/// A lead, and the name that orders the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeadSortKey {
    pub code: LeadCode,
    pub name: String,
    pub active: bool,
}

/// The active leads of a branch after a code, ordered by code, at most [`STEP`].
#[boxed::future]
pub async fn list_active_leads_of_branch(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    branch: BranchCode,
    after: LeadCode,
) -> Result<Vec<LeadSortKey>, Error> {
    let statement = sql("SELECT l.code, l.name, l.active FROM leads l
         WHERE l.tenant = $1 AND l.branch = $2 AND l.active AND l.code > $3 ORDER BY l.code LIMIT $4")
    .arg(tenant)
    .arg(branch)
    .arg(after)
    .arg(STEP as i64);
    parse_sort_key_rows(&source.fetch_all(QueryWeight::Search, statement).await?)
}

/// The leads in the scope with a contact other than a name, active or not, after a code, ordered by code, at most
/// [`STEP`].
#[boxed::future]
pub async fn list_leads_by_contact(
    source: impl Into<ReadSource<'_>>,
    scope: &Scope,
    contact: &LeadKey,
    after: LeadCode,
) -> Result<Vec<LeadSortKey>, Error> {
    let head = sql("SELECT l.code, l.name, l.active");
    let Some(filtered) = filter_by_contact(head, scope.tenant(), contact) else { return Ok(Vec::new()) };
    let statement = filtered
        .append("AND l.code > ?", [after])
        .filter_branches("l.branch + 0", scope.branches())
        .append("ORDER BY l.code LIMIT ?", [STEP as i64]);
    parse_sort_key_rows(&source.fetch_all(QueryWeight::Search, statement).await?)
}

/// The codes of all leads in the scope whose names match these words. Both engines collect every match of a prefix
/// first, so they are queried once and not in steps.
#[boxed::future]
pub async fn list_lead_codes_by_words(
    source: impl Into<ReadSource<'_>>,
    scope: &Scope,
    words: &[String],
) -> Result<Vec<LeadCode>, Error> {
    let statement =
        sql("SELECT NAME_ORDER AS place FROM name_index_leads n WHERE MATCHES_NAME(CAST($1 AS TEXT))")
            .arg(name_index::build_prefix_query(scope, words));
    let rows = source.fetch_all(QueryWeight::Search, statement).await?;
    rows.iter().map(|row| Ok(LeadCode::new(name_index::extract_slot(row.get("place")?)))).collect()
}

/// The sort keys of these leads, at most [`STEP`].
#[boxed::future]
pub async fn list_lead_sort_keys(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    codes: &[LeadCode],
) -> Result<Vec<LeadSortKey>, Error> {
    let statement = sql("SELECT l.code, l.name, l.active FROM leads l WHERE l.tenant = $1")
        .arg(tenant)
        .filter_in("l.code", codes.iter().copied());
    parse_sort_key_rows(&source.fetch_all(QueryWeight::Search, statement).await?)
}

fn parse_sort_key_rows(rows: &[Row]) -> Result<Vec<LeadSortKey>, Error> {
    let key = |row: &Row| {
        Ok(LeadSortKey { code: row.get("code")?, name: row.get("name")?, active: row.get("active")? })
    };
    rows.iter().map(key).collect()
}

/// The leads of these codes, ordered by code, with the number of open deals in the scope.
#[boxed::future]
pub async fn list_found_leads(
    source: impl Into<ReadSource<'_>>,
    scope: &Scope,
    codes: &[LeadCode],
) -> Result<Vec<FoundLead>, Error> {
    if codes.is_empty() {
        return Ok(Vec::new());
    }
    let statement = sql("SELECT l.code,")
        .append_text(COLUMNS)
        .append_text(", (SELECT COUNT(*) FROM deals d WHERE d.tenant = $1 AND d.lead = l.code")
        .arg(scope.tenant())
        .append("AND d.situation = ?", [DealState::Open])
        .filter_branches("d.branch + 0", scope.branches())
        .append_text(") AS open_deals FROM leads l WHERE l.tenant = $1")
        .filter_in("l.code", codes.iter().copied())
        .append_text("ORDER BY l.code");
    let rows = source.fetch_all(QueryWeight::Search, statement).await?;
    rows.iter()
        .map(|row| {
            let code = row.get("code")?;
            Ok(FoundLead { code, lead: parse_lead_row(row)?, open_deals: row.get("open_deals")? })
        })
        .collect()
}

/// A page of leads in the scope, active or inactive, latest first, and the total.
#[boxed::future]
pub async fn list_lead_code_page(
    tx: &mut Tx,
    scope: &Scope,
    active: Option<bool>,
    (take, skip): (i64, i64),
) -> Result<(Vec<LeadCode>, i64), Error> {
    let filter_leads = |head: Statement| {
        let all = head.append_text("FROM leads l WHERE l.tenant = $1").arg(scope.tenant());
        all.append_if_some("AND l.active = ?", active).filter_branches("l.branch", scope.branches())
    };
    let count = tx.fetch_optional(filter_leads(sql("SELECT COUNT(*) AS count"))).await?;
    let total = count.map_or(Ok(0), |row| row.get("count"))?;
    let codes =
        filter_leads(sql("SELECT l.code")).append("ORDER BY l.code DESC LIMIT ? OFFSET ?", [take, skip]);
    let rows = tx.fetch_all(codes).await?;
    Ok((rows.iter().map(|row| row.get("code")).collect::<Result<_, _>>()?, total))
}

/// Stored values were validated on input; one that no longer parses is a bug and is reported as an error. The error
/// omits the value, which is personal data.
fn parse_stored_column<T>(
    row: &Row,
    column: &'static str,
    parse: impl Fn(&str) -> Result<T, Rejection>,
) -> Result<Option<T>, Error> {
    let broken = |_| Error::Broken(format!("a lead is kept with a {column} that is none"));
    row.get::<Option<String>>(column)?.map(|text| parse(&text).map_err(broken)).transpose()
}

fn parse_lead_row(row: &Row) -> Result<Lead, Error> {
    Ok(Lead {
        person: row.get("person")?,
        branch: row.get("branch")?,
        name: row.get("name")?,
        document: parse_stored_column(row, "document", Document::parse)?,
        email: parse_stored_column(row, "email", Email::parse)?,
        mobile: parse_stored_column(row, "mobile", Phone::parse)?,
        landline: parse_stored_column(row, "landline", Phone::parse)?,
        company: row.get("company")?,
        city: row.get("city")?,
        state: row.get("state")?,
        message: row.get("message")?,
        origin: row.get("origin")?,
        consultant: row.get("consultant")?,
        active: row.get("active")?,
        version: row.get("version")?,
        created_at: row.get("created_at")?,
        updated_at: row.get("updated_at")?,
    })
}

const INSERT: &str =
    "INSERT INTO leads (tenant, code, person, branch, name, document, email, mobile, landline, company,
     city, state, message, origin, consultant, active, version, created_at, updated_at) VALUES";

fn encode_lead_values(tenant: TenantId, code: LeadCode, lead: &Lead) -> [SqlScalar; 19] {
    [
        tenant.into(),
        code.into(),
        lead.person.into(),
        lead.branch.into(),
        lead.name.as_str().into(),
        lead.document.as_ref().map(Document::as_str).into(),
        lead.email.as_ref().map(Email::as_str).into(),
        lead.mobile.as_ref().map(Phone::as_str).into(),
        lead.landline.as_ref().map(Phone::as_str).into(),
        lead.company.as_deref().into(),
        lead.city.as_deref().into(),
        lead.state.as_deref().into(),
        lead.message.as_deref().into(),
        lead.origin.as_deref().into(),
        lead.consultant.into(),
        lead.active.into(),
        1.into(),
        lead.created_at.into(),
        lead.updated_at.into(),
    ]
}
