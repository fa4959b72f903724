//! Leads: who may become a member, with what he told. Whoever writes one here also puts his name into the index of names.

use crate::statement::inserts;
use crate::{Error, Row, Source, Statement, Tx, Value, Weight, names, sql};
use domain::{
    BranchCode, Contact, DealState, Document, Email, LeadCode, Moment, PersonCode, Phone, Rejection, Scope,
    SellerCode, TenantId,
};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lead {
    pub person: PersonCode,
    pub branch: BranchCode,
    pub name: String,
    pub document: Option<Document>,
    pub email: Option<Email>,
    pub mobile: Option<Phone>,
    pub landline: Option<Phone>,
    pub company: Option<String>,
    pub city: Option<String>,
    pub state: Option<String>,
    pub message: Option<String>,
    pub origin: Option<String>,
    pub consultant: Option<SellerCode>,
    pub active: bool,
    pub version: i64,
    pub created_at: Moment,
    pub updated_at: Moment,
}

/// A lead as searches tell it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundLead {
    pub code: LeadCode,
    pub lead: Lead,
    /// That the caller may see.
    pub open_deals: i64,
}

const COLUMNS: &str =
    "l.person, l.branch, l.name, l.document, l.email, l.mobile, l.landline, l.company, l.city, l.state,
     l.message, l.origin, l.consultant, l.active, l.version, l.created_at, l.updated_at";

/// How many rows travel in one statement.
const ROWS: usize = 100;

/// Writes leads that are not there yet, each with its code.
pub fn insert<'l>(
    tenant: TenantId,
    leads: impl IntoIterator<Item = (LeadCode, &'l Lead)> + Clone,
) -> Vec<Statement> {
    let rows = leads.clone().into_iter().map(|(code, lead)| values(tenant, code, lead));
    let mut statements = inserts(INSERT, ROWS, rows);
    let named = leads.into_iter().map(|(code, lead)| (code.get(), lead.branch, lead.name.as_str()));
    statements.extend(names::insert(names::Index::Leads, tenant, named));
    statements
}

/// Writes everything that is known of a lead anew.
pub fn update(tenant: TenantId, code: LeadCode, before: &Lead, lead: &Lead) -> Vec<Statement> {
    let statement = sql("UPDATE leads SET person = $3, branch = $4, name = $5, document = $6, email = $7, mobile = $8,
             landline = $9, company = $10, city = $11, state = $12, message = $13, origin = $14, consultant = $15,
             active = $16, version = version + $17, created_at = $18, updated_at = $19
         WHERE tenant = $1 AND code = $2");
    let mut statements = vec![values(tenant, code, lead).into_iter().fold(statement, Statement::arg)];
    if before.name != lead.name || before.branch != lead.branch {
        statements.push(names::remove(names::Index::Leads, tenant, code.get()));
        statements.extend(names::insert(
            names::Index::Leads,
            tenant,
            [(code.get(), lead.branch, lead.name.as_str())],
        ));
    }
    statements
}

/// A lead as one text, and back.
pub fn snapshot(one: &Lead) -> String {
    crate::snapshot::text(INSERT, values(TenantId::SERVER, LeadCode::new(0), one))
}

pub fn from_snapshot(text: &str) -> Result<Lead, Error> {
    lead(&crate::snapshot::row(text)?)
}

/// Removes a lead to whom nothing refers.
pub fn remove(tenant: TenantId, code: LeadCode) -> Vec<Statement> {
    vec![
        sql("DELETE FROM leads WHERE tenant = $1 AND code = $2").arg(tenant).arg(code),
        names::remove(names::Index::Leads, tenant, code.get()),
        crate::imports::remove_code(tenant, "lead", code.get()),
    ]
}

/// Whether there is a deal with a lead.
#[boxed::future]
pub async fn has_deal(tx: &mut Tx, tenant: TenantId, code: LeadCode) -> Result<bool, Error> {
    let statement = sql("SELECT 1 AS one FROM deals WHERE tenant = $1 AND lead = $2 LIMIT 1");
    Ok(tx.one(statement.arg(tenant).arg(code)).await?.is_some())
}

/// The lead of this code, whoever may see it.
#[boxed::future]
pub async fn by_code(
    from: impl Into<Source<'_>>,
    tenant: TenantId,
    code: LeadCode,
) -> Result<Option<Lead>, Error> {
    let statement = sql("SELECT")
        .ending(COLUMNS)
        .ending("FROM leads l WHERE l.tenant = $1 AND l.code = $2")
        .arg(tenant)
        .arg(code);
    from.one(statement).await?.map(|row| lead(&row)).transpose()
}

/// The first active lead in the scope that is known by this, unless it has another document. Names are not asked for.
#[boxed::future]
pub async fn known_by(
    tx: &mut Tx,
    scope: &Scope,
    contact: &Contact,
    document: Option<&Document>,
) -> Result<Option<(LeadCode, Lead)>, Error> {
    let head = sql("SELECT l.code,").ending(COLUMNS);
    let Some(led) = led_by(head, scope.tenant(), contact) else { return Ok(None) };
    let statement = led
        .ending("AND l.active")
        .when("AND (l.document IS NULL OR l.document || '' = ?)", document.map(Document::as_str))
        .scoped("l.branch + 0", scope.branches())
        .ending("ORDER BY l.code LIMIT 1");
    tx.one(statement).await?.map(|row| Ok((row.get("code")?, lead(&row)?))).transpose()
}

/// Appends where a contact leads, but for names.
fn led_by(head: Statement, tenant: TenantId, contact: &Contact) -> Option<Statement> {
    let (column, text) = match contact {
        Contact::Words(_) => return None,
        Contact::Document(text) => ("l.document", text),
        Contact::Email(text) => ("l.email", text),
        Contact::Mobile(text) => ("l.mobile", text),
        Contact::Landline(text) => ("l.landline", text),
        Contact::Further(text) => ("t.number", text),
    };
    let from = match contact {
        // Those of a member are his own affair.
        Contact::Further(_) => {
            "FROM phones t CROSS JOIN people p CROSS JOIN leads l
                 WHERE t.tenant = $1 AND p.tenant = t.tenant AND p.code = t.person AND NOT p.is_member
                 AND l.tenant = t.tenant AND l.person = t.person"
        }
        _ => "FROM leads l WHERE l.tenant = $1",
    };
    Some(head.ending(from).arg(tenant).then(&format!("AND {column} = ?"), [text.as_str()]))
}

/// Keys that are read at once.
pub const STEP: usize = 1_000;

/// A lead, and the name by which a list orders it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    pub code: LeadCode,
    pub name: String,
    pub active: bool,
}

/// The active leads of a branch behind a code, by code, no more than [`STEP`].
#[boxed::future]
pub async fn of_branch(
    from: impl Into<Source<'_>>,
    tenant: TenantId,
    branch: BranchCode,
    after: LeadCode,
) -> Result<Vec<Key>, Error> {
    let statement = sql("SELECT l.code, l.name, l.active FROM leads l
         WHERE l.tenant = $1 AND l.branch = $2 AND l.active AND l.code > $3 ORDER BY l.code LIMIT $4")
    .arg(tenant)
    .arg(branch)
    .arg(after)
    .arg(STEP as i64);
    keys(&from.all(Weight::Search, statement).await?)
}

/// The leads in the scope that a contact leads to, but for names, active or not, behind a code, by code, no more than
/// [`STEP`].
#[boxed::future]
pub async fn with(
    from: impl Into<Source<'_>>,
    scope: &Scope,
    contact: &Contact,
    after: LeadCode,
) -> Result<Vec<Key>, Error> {
    let head = sql("SELECT l.code, l.name, l.active");
    let Some(led) = led_by(head, scope.tenant(), contact) else { return Ok(Vec::new()) };
    let statement = led
        .then("AND l.code > ?", [after])
        .scoped("l.branch + 0", scope.branches())
        .then("ORDER BY l.code LIMIT ?", [STEP as i64]);
    keys(&from.all(Weight::Search, statement).await?)
}

/// The codes of all leads in the scope whose names have these words. For the beginning of a word both engines gather everybody
/// who has one, so they are asked once, and not step by step.
#[boxed::future]
pub async fn named(
    from: impl Into<Source<'_>>,
    scope: &Scope,
    words: &[String],
) -> Result<Vec<LeadCode>, Error> {
    let statement =
        sql("SELECT NAME_ORDER AS place FROM name_index_leads n WHERE MATCHES_NAME(CAST($1 AS TEXT))")
            .arg(names::query(scope, words));
    let rows = from.all(Weight::Search, statement).await?;
    rows.iter().map(|row| Ok(LeadCode::new(names::slot(row.get("place")?)))).collect()
}

/// The leads of these codes, no more than [`STEP`].
#[boxed::future]
pub async fn keys_of(
    from: impl Into<Source<'_>>,
    tenant: TenantId,
    codes: &[LeadCode],
) -> Result<Vec<Key>, Error> {
    let statement = sql("SELECT l.code, l.name, l.active FROM leads l WHERE l.tenant = $1")
        .arg(tenant)
        .within("l.code", codes.iter().copied());
    keys(&from.all(Weight::Search, statement).await?)
}

fn keys(rows: &[Row]) -> Result<Vec<Key>, Error> {
    let key =
        |row: &Row| Ok(Key { code: row.get("code")?, name: row.get("name")?, active: row.get("active")? });
    rows.iter().map(key).collect()
}

/// The leads of these codes, by code, with how many open deals the scope sees of each.
#[boxed::future]
pub async fn at(
    from: impl Into<Source<'_>>,
    scope: &Scope,
    codes: &[LeadCode],
) -> Result<Vec<FoundLead>, Error> {
    if codes.is_empty() {
        return Ok(Vec::new());
    }
    let statement = sql("SELECT l.code,")
        .ending(COLUMNS)
        .ending(", (SELECT COUNT(*) FROM deals d WHERE d.tenant = $1 AND d.lead = l.code")
        .arg(scope.tenant())
        .then("AND d.situation = ?", [DealState::Open])
        .scoped("d.branch + 0", scope.branches())
        .ending(") AS open_deals FROM leads l WHERE l.tenant = $1")
        .within("l.code", codes.iter().copied())
        .ending("ORDER BY l.code");
    let rows = from.all(Weight::Search, statement).await?;
    rows.iter()
        .map(|row| {
            let code = row.get("code")?;
            Ok(FoundLead { code, lead: lead(row)?, open_deals: row.get("open_deals")? })
        })
        .collect()
}

/// A page of leads in the scope, active or not as asked for, the last one first; and how many they are.
#[boxed::future]
pub async fn page(
    tx: &mut Tx,
    scope: &Scope,
    active: Option<bool>,
    (take, skip): (i64, i64),
) -> Result<(Vec<LeadCode>, i64), Error> {
    let asked = |head: Statement| {
        let all = head.ending("FROM leads l WHERE l.tenant = $1").arg(scope.tenant());
        all.when("AND l.active = ?", active).scoped("l.branch", scope.branches())
    };
    let count = tx.one(asked(sql("SELECT COUNT(*) AS count"))).await?;
    let total = count.map_or(Ok(0), |row| row.get("count"))?;
    let codes = asked(sql("SELECT l.code")).then("ORDER BY l.code DESC LIMIT ? OFFSET ?", [take, skip]);
    let rows = tx.all(codes).await?;
    Ok((rows.iter().map(|row| row.get("code")).collect::<Result<_, _>>()?, total))
}

/// What the database holds was checked when it came; what does not fit any more is a defect, and is told as one.
/// The value itself is somebody's, and stays out of the log.
fn kept<T>(
    row: &Row,
    column: &'static str,
    parse: impl Fn(&str) -> Result<T, Rejection>,
) -> Result<Option<T>, Error> {
    let broken = |_| Error::Broken(format!("a lead is kept with a {column} that is none"));
    row.get::<Option<String>>(column)?.map(|text| parse(&text).map_err(broken)).transpose()
}

fn lead(row: &Row) -> Result<Lead, Error> {
    Ok(Lead {
        person: row.get("person")?,
        branch: row.get("branch")?,
        name: row.get("name")?,
        document: kept(row, "document", Document::parse)?,
        email: kept(row, "email", Email::parse)?,
        mobile: kept(row, "mobile", Phone::parse)?,
        landline: kept(row, "landline", Phone::parse)?,
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

fn values(tenant: TenantId, code: LeadCode, lead: &Lead) -> [Value; 19] {
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
