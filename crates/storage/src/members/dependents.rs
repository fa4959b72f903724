//! The dependents of benefits. A dependent is visible exactly where its benefit is.

use crate::benefits::{select_card_holder, select_nothing};
use crate::executor::statement::build_inserts;
use crate::executor::stored_text::parse_stored_text;
use crate::name_index;
use crate::{Error, QueryWeight, ReadSource, Row, SqlScalar, Statement, Tx, sql};
use domain::{
    BenefitCode, CardNumber, Cpf, Dependent, DependentCode, Email, PersonCode, Phone, PlanCode, Scope,
    SituationCode, TenantId,
};

/// A dependent found by a search, with its benefit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundDependent {
    pub code: DependentCode,
    pub dependent: Dependent,
    pub holder: PersonCode,
    pub holder_name: String,
    pub sequence: i32,
    pub situation: SituationCode,
}

const ROWS_PER_STATEMENT: usize = 25;
const CODES_PER_STATEMENT: usize = 1_000;
const COLUMNS: usize = 17;

/// The columns read by [`parse_dependent_row`], of a table with the alias `d`.
macro_rules! columns {
    () => {
        "d.code, d.benefit, d.name, d.cpf, d.born_on, d.kinship, d.sex, d.identity_number, d.phone, d.email, d.card, d.plans,
             d.active, d.created_at, d.updated_at"
    };
}

const INSERT: &str =
    "INSERT INTO dependents (tenant, code, benefit, name, cpf, born_on, kinship, sex, identity_number, phone,
     email, card, plans, active, version, created_at, updated_at) VALUES";

/// Inserts dependents and the words of their names.
pub fn insert_dependents<'d>(
    tenant: TenantId,
    dependents: impl Iterator<Item = (DependentCode, &'d Dependent)> + Clone,
) -> Vec<Statement> {
    let rows = dependents.clone().map(|(code, one)| build_dependent_row(tenant, code, one));
    let mut statements = build_inserts(INSERT, ROWS_PER_STATEMENT, rows);
    let named = dependents.map(|(code, one)| (code.get(), None, one.name.as_str()));
    statements.extend(name_index::insert_names(name_index::NameIndexKind::Dependents, tenant, named));
    statements
}

pub fn update_dependent(
    tenant: TenantId,
    code: DependentCode,
    before: &Dependent,
    after: &Dependent,
) -> Vec<Statement> {
    let update =
        sql("UPDATE dependents SET benefit = $3, name = $4, cpf = $5, born_on = $6, kinship = $7, sex = $8,
             identity_number = $9, phone = $10, email = $11, card = $12, plans = $13, active = $14,
             version = version + $15, created_at = $16, updated_at = $17
         WHERE tenant = $1 AND code = $2");
    let mut statements =
        vec![build_dependent_row(tenant, code, after).into_iter().fold(update, Statement::arg)];
    if before.name != after.name {
        let index = name_index::NameIndexKind::Dependents;
        statements.push(name_index::delete_name(index, tenant, code.get()));
        statements.extend(name_index::insert_names(index, tenant, [(code.get(), None, after.name.as_str())]));
    }
    statements
}

/// The dependents of a benefit, ordered by code.
#[boxed::future]
pub async fn list_dependents(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    benefit: BenefitCode,
) -> Result<Vec<(DependentCode, Dependent)>, Error> {
    let statement = sql(concat!(
        "SELECT ",
        columns!(),
        " FROM dependents d WHERE d.tenant = $1 AND d.benefit = $2 ORDER BY d.code"
    ))
    .arg(tenant)
    .arg(benefit);
    source.fetch_all(QueryWeight::Point, statement).await?.iter().map(parse_coded_dependent).collect()
}

/// The dependents of these benefits plus those with these codes, ordered by code.
#[boxed::future]
pub async fn list_dependents_by_benefits_or_codes(
    tx: &mut Tx,
    tenant: TenantId,
    benefits: &[BenefitCode],
    codes: &[DependentCode],
) -> Result<Vec<(DependentCode, Dependent)>, Error> {
    let head = || sql(concat!("SELECT ", columns!(), " FROM dependents d WHERE d.tenant = $1")).arg(tenant);
    let by_benefit = head().filter_in("d.benefit", benefits.iter().copied()).append_text("ORDER BY d.code");
    let by_code = head().filter_in("d.code", codes.iter().copied()).append_text("ORDER BY d.code");
    let mut all = std::collections::BTreeMap::new();
    for statement in [by_benefit, by_code] {
        for row in tx.fetch_all(statement).await? {
            let (code, one) = parse_coded_dependent(&row)?;
            all.insert(code, one);
        }
    }
    Ok(all.into_iter().collect())
}

/// The number of active dependents of these benefits.
#[boxed::future]
pub async fn count_active_dependents(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    benefits: impl IntoIterator<Item = BenefitCode>,
) -> Result<i64, Error> {
    let statement = sql("SELECT COUNT(*) AS count FROM dependents WHERE tenant = $1 AND active")
        .arg(tenant)
        .filter_in("benefit", benefits);
    source.fetch_optional(statement).await?.map_or(Ok(0), |row| row.get("count"))
}

/// The dependent of this code, if it belongs to the benefit.
#[boxed::future]
pub async fn find_dependent_of_benefit(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    benefit: BenefitCode,
    code: DependentCode,
) -> Result<Option<Dependent>, Error> {
    let statement =
        sql(concat!("SELECT ", columns!(), " FROM dependents d WHERE d.tenant = $1 AND d.code = $2"))
            .arg(tenant)
            .arg(code);
    let found = source.fetch_optional(statement).await?.map(|row| parse_dependent_row(&row)).transpose()?;
    Ok(found.filter(|one| one.benefit == benefit))
}

/// The dependent of this code, of any benefit.
#[boxed::future]
pub async fn find_dependent_by_code(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    code: DependentCode,
) -> Result<Option<Dependent>, Error> {
    let statement =
        sql(concat!("SELECT ", columns!(), " FROM dependents d WHERE d.tenant = $1 AND d.code = $2"))
            .arg(tenant)
            .arg(code);
    source.fetch_optional(statement).await?.map(|row| parse_dependent_row(&row)).transpose()
}

/// Encodes a dependent as a text snapshot.
pub fn render_dependent_snapshot(one: &Dependent) -> String {
    crate::exchange::record_snapshot::encode_snapshot(
        INSERT,
        build_dependent_row(TenantId::SERVER, DependentCode::new(0), one),
    )
}

pub fn parse_dependent_snapshot(text: &str) -> Result<Dependent, Error> {
    parse_dependent_row(&crate::exchange::record_snapshot::parse_snapshot_row(text)?)
}

/// Deletes a dependent that nothing references.
pub fn delete_dependent(tenant: TenantId, code: DependentCode) -> Vec<Statement> {
    vec![
        sql("DELETE FROM dependents WHERE tenant = $1 AND code = $2").arg(tenant).arg(code),
        name_index::delete_name(name_index::NameIndexKind::Dependents, tenant, code.get()),
        crate::exchange::imports::removed_codes::insert_removed_code(tenant, "dependent", code.get()),
    ]
}

/// Whether an appointment is for a dependent of this benefit.
#[boxed::future]
pub async fn has_appointment(
    tx: &mut Tx,
    tenant: TenantId,
    benefit: BenefitCode,
    code: DependentCode,
) -> Result<bool, Error> {
    let statement = sql(
        "SELECT 1 AS one FROM appointments WHERE tenant = $1 AND benefit = $2 AND dependent = $3 LIMIT 1",
    );
    Ok(tx.fetch_optional(statement.arg(tenant).arg(benefit).arg(code)).await?.is_some())
}

/// The existing data that a dependent may conflict with.
#[derive(Clone, Debug, Default)]
pub struct DependentIdentityConflicts {
    /// The active dependents of the benefit with the same CPF.
    pub with_cpf: Vec<DependentCode>,
    pub card_holder: Option<PersonCode>,
}

/// Loads the possible conflicts of a dependent, in one round trip.
#[boxed::future]
pub async fn load_identity_conflicts(
    tx: &mut Tx,
    tenant: TenantId,
    benefit: BenefitCode,
    (cpf, card): (Option<&Cpf>, Option<&CardNumber>),
) -> Result<DependentIdentityConflicts, Error> {
    let by_cpf = |cpf: &Cpf| {
        sql("SELECT code FROM dependents WHERE tenant = $1 AND cpf = $2 AND benefit + 0 = $3 AND active ORDER BY code")
            .arg(tenant)
            .arg(cpf.as_str())
            .arg(benefit)
    };
    let queries = [
        cpf.map_or_else(select_nothing, by_cpf),
        card.map_or_else(select_nothing, |card| select_card_holder(tenant, card)),
    ];
    let [with_cpf, cards] = tx.fetch_several(queries).await?;
    Ok(DependentIdentityConflicts {
        with_cpf: with_cpf.iter().map(|row| row.get("code")).collect::<Result<_, _>>()?,
        card_holder: cards.first().map(|row| row.get("person")).transpose()?,
    })
}

/// The dependents with this CPF, this card, or both, in the branches of the scope; ordered by code.
#[boxed::future]
pub async fn list_dependents_by_cpf_or_card(
    source: impl Into<ReadSource<'_>>,
    scope: &Scope,
    (cpf, card): (Option<&str>, Option<&str>),
) -> Result<Vec<FoundDependent>, Error> {
    let head = select_found_dependents(scope);
    let statement = match (cpf, card) {
        (Some(cpf), card) => head.append("AND d.cpf = ?", [cpf]).append_if_some("AND d.card || '' = ?", card),
        (None, Some(card)) => head.append("AND d.card = ?", [card]),
        (None, None) => return Ok(Vec::new()),
    };
    let statement =
        statement.filter_branches("b.branch + 0", scope.branches()).append_text("ORDER BY d.code");
    source.fetch_all(QueryWeight::Point, statement).await?.iter().map(parse_found_dependent).collect()
}

/// The sort key of a search result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DependentNameKey {
    pub code: DependentCode,
    pub name: String,
}

/// The dependents with a word in their name for each of these prefixes, in the branches of the scope. There may be
/// very many, so only their names are read.
#[boxed::future]
pub async fn list_dependent_keys_by_name(
    tx: &mut Tx,
    scope: &Scope,
    words: &[String],
) -> Result<Vec<DependentNameKey>, Error> {
    // The index does not hold branches, because a benefit may move to another.
    let query = name_index::build_prefix_query(&Scope::for_tenant(scope.tenant()), words);
    let codes =
        sql("SELECT NAME_ORDER AS place FROM name_index_dependents n WHERE MATCHES_NAME(CAST($1 AS TEXT))
         ORDER BY NAME_ORDER");
    let rows = tx.fetch_all(codes.arg(query)).await?;
    let codes: Vec<i32> =
        rows.iter().map(|row| row.get("place").map(name_index::extract_slot)).collect::<Result<_, _>>()?;
    let mut all = Vec::with_capacity(codes.len());
    for chunk in codes.chunks(CODES_PER_STATEMENT) {
        let statement = sql("SELECT d.code, d.name FROM dependents d
             JOIN benefits b ON b.tenant = d.tenant AND b.code = d.benefit WHERE d.tenant = $1")
        .arg(scope.tenant())
        .filter_in("d.code", chunk.iter().copied())
        .filter_branches("b.branch + 0", scope.branches())
        .append_text("ORDER BY d.code");
        for row in tx.fetch_all(statement).await? {
            all.push(DependentNameKey { code: row.get("code")?, name: row.get("name")? });
        }
    }
    Ok(all)
}

/// The dependents of these codes in the scope, ordered by code.
#[boxed::future]
pub async fn list_found_dependents(
    source: impl Into<ReadSource<'_>>,
    scope: &Scope,
    codes: &[DependentCode],
) -> Result<Vec<FoundDependent>, Error> {
    let statement = select_found_dependents(scope)
        .filter_in("d.code", codes.iter().copied())
        .filter_branches("b.branch + 0", scope.branches())
        .append_text("ORDER BY d.code");
    source.fetch_all(QueryWeight::Search, statement).await?.iter().map(parse_found_dependent).collect()
}

/// The start of a search; its first value is the tenant.
fn select_found_dependents(scope: &Scope) -> Statement {
    sql(concat!(
        "SELECT ",
        columns!(),
        ", b.person, b.sequence, b.situation, p.name AS holder_name
         FROM dependents d JOIN benefits b ON b.tenant = d.tenant AND b.code = d.benefit
         JOIN people p ON p.tenant = b.tenant AND p.code = b.person WHERE d.tenant = $1"
    ))
    .arg(scope.tenant())
}

fn parse_found_dependent(row: &Row) -> Result<FoundDependent, Error> {
    let (code, dependent) = parse_coded_dependent(row)?;
    Ok(FoundDependent {
        code,
        dependent,
        holder: row.get("person")?,
        sequence: row.get("sequence")?,
        situation: row.get("situation")?,
        holder_name: row.get("holder_name")?,
    })
}

fn parse_coded_dependent(row: &Row) -> Result<(DependentCode, Dependent), Error> {
    Ok((row.get("code")?, parse_dependent_row(row)?))
}

fn parse_dependent_row(row: &Row) -> Result<Dependent, Error> {
    Ok(Dependent {
        benefit: row.get("benefit")?,
        name: row.get("name")?,
        cpf: parse_stored_text("dependent", row.get_text("cpf")?, Cpf::parse)?,
        born_on: row.get("born_on")?,
        kinship: row.get("kinship")?,
        sex: row.get("sex")?,
        identity_number: row.get("identity_number")?,
        phone: parse_stored_text("dependent", row.get_text("phone")?, Phone::parse)?,
        email: parse_stored_text("dependent", row.get_text("email")?, Email::parse)?,
        card: parse_stored_text("dependent", row.get_text("card")?, CardNumber::parse)?,
        plans: parse_plans(&row.get::<String>("plans")?)?,
        active: row.get("active")?,
        created_at: row.get("created_at")?,
        updated_at: row.get("updated_at")?,
    })
}

fn parse_plans(text: &str) -> Result<Vec<PlanCode>, Error> {
    let broken = |part: &str| Error::Broken(format!("{part:?} is kept as a plan of a dependent"));
    text.split_whitespace().map(|part| part.parse().map(PlanCode::new).map_err(|_| broken(part))).collect()
}

fn build_dependent_row(tenant: TenantId, code: DependentCode, one: &Dependent) -> [SqlScalar; COLUMNS] {
    [
        tenant.into(),
        code.into(),
        one.benefit.into(),
        one.name.as_str().into(),
        one.cpf.as_ref().map(Cpf::as_str).into(),
        one.born_on.into(),
        one.kinship.into(),
        one.sex.into(),
        one.identity_number.as_deref().into(),
        one.phone.as_ref().map(Phone::as_str).into(),
        one.email.as_ref().map(Email::as_str).into(),
        one.card.as_ref().map(CardNumber::as_str).into(),
        one.plans.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ").into(),
        one.active.into(),
        1.into(),
        one.created_at.into(),
        one.updated_at.into(),
    ]
}
