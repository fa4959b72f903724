//! The search rows. Each member has one until the first benefit takes it over; each further benefit adds a new one.
//! Slots only grow and are never reused, so that new rows are appended and pages do not shift. Writing a row also
//! updates the tally (`tally.rs`) and the name index (`name_index/mod.rs`).

use super::tally::{BranchSituation, ListingOrdering, ListingTallyChanges, NO_SITUATION};
use crate::benefits::monthly_counts;
use crate::executor::statement::build_inserts;
use crate::name_index;
use crate::server::counters::{self, Counter};
use crate::{Error, SqlScalar, Statement, Tx, sql};
use domain::{BenefitCode, BranchCode, Date, PersonCode, SellerCode, SituationCode, TenantId};

/// The fields that all rows of a member share. Dates are in the tenant's time zone.
#[derive(Clone, Debug)]
pub struct MemberRowFields<'m> {
    pub person: PersonCode,
    pub name: &'m str,
    pub document: &'m str,
    pub company_document: Option<&'m str>,
    pub state: Option<&'m str>,
    pub born_on: Option<Date>,
}

/// The fields of a single row: from the benefit or, if it has none, from the member.
#[derive(Clone, Debug)]
pub struct OwnRowFields<'m> {
    pub branch: BranchCode,
    pub benefit: Option<(BenefitCode, SituationCode)>,
    pub plate_key: Option<&'m str>,
    pub chassis: Option<&'m str>,
    pub consultant: Option<SellerCode>,
    pub representative: Option<SellerCode>,
    pub registered_on: Date,
    pub updated_on: Date,
}

impl OwnRowFields<'_> {
    pub fn branch_situation(&self) -> BranchSituation {
        BranchSituation {
            branch: self.branch,
            situation: self.benefit.map_or(NO_SITUATION, |(_, situation)| situation),
        }
    }
}

#[derive(Clone, Debug)]
pub struct SearchListingRow<'m> {
    pub slot: i32,
    pub member: MemberRowFields<'m>,
    pub row_fields: OwnRowFields<'m>,
}

const ROWS_PER_STATEMENT: usize = 200;

const INSERT: &str =
    "INSERT INTO listing (tenant, slot, branch, person, benefit, situation, document, company_document,
     plate_key, chassis, consultant, representative, state, born_on, registered_on, updated_on) VALUES";

/// Inserts rows.
pub fn insert_listing_rows(tenant: TenantId, rows: &[SearchListingRow<'_>]) -> Vec<Statement> {
    let (mut changes, mut months) =
        (ListingTallyChanges::default(), monthly_counts::BenefitCountChanges::default());
    for row in rows {
        count_listing_row(&mut changes, row.slot, &row.row_fields, 1);
        count_registration_month(&mut months, &row.row_fields, 1);
    }
    let mut statements =
        build_inserts(INSERT, ROWS_PER_STATEMENT, rows.iter().map(|row| encode_listing_values(tenant, row)));
    statements.extend(name_index::insert_names(
        name_index::NameIndexKind::Rows,
        tenant,
        rows.iter().map(|row| (row.slot, row.row_fields.branch, row.member.name)),
    ));
    statements.extend(changes.into_statements(tenant));
    statements.extend(months.into_statements(tenant));
    statements
}

/// The state of a row before a change.
#[derive(Clone, Copy, Debug)]
pub struct PreviousRowState {
    pub branch: BranchCode,
    pub benefit: Option<(BenefitCode, SituationCode)>,
}

/// Updates the own fields of a row; its slot stays.
pub fn update_listing_row(
    tenant: TenantId,
    before: PreviousRowState,
    row: &SearchListingRow<'_>,
) -> Vec<Statement> {
    let fields = &row.row_fields;
    let (mut changes, mut months) =
        (ListingTallyChanges::default(), monthly_counts::BenefitCountChanges::default());
    let previous = OwnRowFields { branch: before.branch, benefit: before.benefit, ..fields.clone() };
    count_listing_row(&mut changes, row.slot, &previous, -1);
    count_listing_row(&mut changes, row.slot, fields, 1);
    // The registration date of a benefit never changes.
    count_registration_month(&mut months, &previous, -1);
    count_registration_month(&mut months, fields, 1);
    let mut statements = vec![
        sql("UPDATE listing SET branch = $3, benefit = $4, situation = $5, plate_key = $6, chassis = $7, consultant = $8,
                 representative = $9, registered_on = $10, updated_on = $11
             WHERE tenant = $1 AND slot = $2")
        .arg(tenant)
        .arg(row.slot)
        .arg(fields.branch)
        .arg(fields.benefit.map(|(code, _)| code))
        .arg(fields.branch_situation().situation)
        .arg(fields.plate_key)
        .arg(fields.chassis)
        .arg(fields.consultant)
        .arg(fields.representative)
        .arg(fields.registered_on)
        .arg(fields.updated_on),
    ];
    if before.branch != fields.branch {
        statements.push(name_index::delete_name(name_index::NameIndexKind::Rows, tenant, row.slot));
        statements.extend(name_index::insert_names(
            name_index::NameIndexKind::Rows,
            tenant,
            [(row.slot, fields.branch, row.member.name)],
        ));
    }
    statements.extend(changes.into_statements(tenant));
    statements.extend(months.into_statements(tenant));
    statements
}

/// Deletes a row from the listing, the tally and the name index.
pub fn delete_listing_row(
    tenant: TenantId,
    slot: i32,
    previous: PreviousRowState,
    registered_on: Date,
) -> Vec<Statement> {
    let (mut changes, mut months) =
        (ListingTallyChanges::default(), monthly_counts::BenefitCountChanges::default());
    let situation = previous.benefit.map_or(NO_SITUATION, |(_, situation)| situation);
    let counted = BranchSituation { branch: previous.branch, situation };
    changes.count(ListingOrdering::Slot, slot, counted, -1);
    if let Some((benefit, _)) = previous.benefit {
        changes.count(ListingOrdering::Benefit, benefit.get(), counted, -1);
        months.count(monthly_counts::BenefitMovement::Registered, registered_on, previous.branch, -1);
    }
    let mut statements = vec![
        sql("DELETE FROM listing WHERE tenant = $1 AND slot = $2").arg(tenant).arg(slot),
        name_index::delete_name(name_index::NameIndexKind::Rows, tenant, slot),
    ];
    statements.extend(changes.into_statements(tenant));
    statements.extend(months.into_statements(tenant));
    statements
}

/// The row of a member without a benefit.
#[boxed::future]
pub async fn find_free_row(
    tx: &mut Tx,
    tenant: TenantId,
    person: PersonCode,
) -> Result<Option<(i32, BranchCode)>, Error> {
    let statement =
        sql("SELECT slot, branch FROM listing WHERE tenant = $1 AND person = $2 AND benefit IS NULL");
    let row = tx.fetch_optional(statement.arg(tenant).arg(person)).await?;
    row.map(|row| Ok((row.get("slot")?, row.get("branch")?))).transpose()
}

/// Which fields of a person changed that need more than an update of the rows.
#[derive(Clone, Copy, Debug, Default)]
pub struct ChangedMemberFields {
    pub name: bool,
    pub branch: bool,
}

/// Updates all rows of a member. A row keeps the branch, sellers and dates of its benefit.
#[boxed::future]
pub async fn update_member_rows(
    tx: &mut Tx,
    tenant: TenantId,
    member: &MemberRowFields<'_>,
    fields: &OwnRowFields<'_>,
    changed: ChangedMemberFields,
) -> Result<(), Error> {
    let benefit_column = |column: &str| {
        format!("(SELECT b.{column} FROM benefits b WHERE b.tenant = $1 AND b.code = listing.benefit)")
    };
    let rows = match changed.name || changed.branch {
        true => {
            let rows = sql(
                "SELECT slot, branch, benefit FROM listing WHERE tenant = $1 AND person = $2 ORDER BY slot",
            );
            tx.fetch_all(rows.arg(tenant).arg(member.person)).await?
        }
        false => Vec::new(),
    };
    let mut statements = vec![
        sql("UPDATE listing SET document = $3, company_document = $4, state = $5, born_on = $6,")
            .arg(tenant)
            .arg(member.person)
            .arg(member.document)
            .arg(member.company_document)
            .arg(member.state)
            .arg(member.born_on)
            .append(
                &format!("consultant = COALESCE({}, ?),", benefit_column("consultant")),
                [fields.consultant],
            )
            .append(
                &format!("representative = COALESCE({}, ?),", benefit_column("representative")),
                [fields.representative],
            )
            .append("branch = CASE WHEN benefit IS NULL THEN ? ELSE branch END,", [fields.branch])
            .append(
                "registered_on = CASE WHEN benefit IS NULL THEN ? ELSE registered_on END,",
                [fields.registered_on],
            )
            .append(
                "updated_on = CASE WHEN updated_on < ? THEN ? ELSE updated_on END",
                [fields.updated_on, fields.updated_on],
            )
            .append_text("WHERE tenant = $1 AND person = $2"),
    ];
    let mut changes = ListingTallyChanges::default();
    for row in &rows {
        let (slot, before): (i32, BranchCode) = (row.get("slot")?, row.get("branch")?);
        let benefit: Option<BenefitCode> = row.get("benefit")?;
        let branch = if benefit.is_none() { fields.branch } else { before };
        if changed.name || branch != before {
            statements.push(name_index::delete_name(name_index::NameIndexKind::Rows, tenant, slot));
            statements.extend(name_index::insert_names(
                name_index::NameIndexKind::Rows,
                tenant,
                [(slot, branch, member.name)],
            ));
        }
        if branch != before {
            changes.count(
                ListingOrdering::Slot,
                slot,
                BranchSituation { branch: before, situation: NO_SITUATION },
                -1,
            );
            changes.count(
                ListingOrdering::Slot,
                slot,
                BranchSituation { branch, situation: NO_SITUATION },
                1,
            );
        }
    }
    statements.extend(changes.into_statements(tenant));
    tx.execute_batch(statements).await?;
    mark_listing_changed(tx, tenant).await
}

/// A member, and the slot and branch of their row.
pub type FreeRow = (PersonCode, (i32, BranchCode));

/// The rows of these members that no benefit has taken over.
#[boxed::future]
pub async fn list_free_rows(
    tx: &mut Tx,
    tenant: TenantId,
    people: impl IntoIterator<Item = PersonCode>,
) -> Result<Vec<FreeRow>, Error> {
    let statement = sql("SELECT person, slot, branch FROM listing WHERE tenant = $1")
        .arg(tenant)
        .filter_in("person", people)
        .append_text("AND benefit IS NULL ORDER BY slot");
    let rows = tx.fetch_all(statement).await?;
    rows.iter().map(|row| Ok((row.get("person")?, (row.get("slot")?, row.get("branch")?)))).collect()
}

/// Invalidates cached counts of the search rows.
#[boxed::future]
pub async fn mark_listing_changed(tx: &mut Tx, tenant: TenantId) -> Result<(), Error> {
    counters::reserve_number(tx, tenant, Counter::Listing).await.map(drop)
}

fn count_listing_row(changes: &mut ListingTallyChanges, slot: i32, fields: &OwnRowFields<'_>, delta: i64) {
    changes.count(ListingOrdering::Slot, slot, fields.branch_situation(), delta);
    if let Some((benefit, _)) = fields.benefit {
        changes.count(ListingOrdering::Benefit, benefit.get(), fields.branch_situation(), delta);
    }
}

fn count_registration_month(
    months: &mut monthly_counts::BenefitCountChanges,
    fields: &OwnRowFields<'_>,
    delta: i64,
) {
    if fields.benefit.is_some() {
        months.count(monthly_counts::BenefitMovement::Registered, fields.registered_on, fields.branch, delta);
    }
}

fn encode_listing_values(
    tenant: TenantId,
    SearchListingRow { slot, member, row_fields: fields }: &SearchListingRow<'_>,
) -> [SqlScalar; 16] {
    [
        tenant.into(),
        (*slot).into(),
        fields.branch.into(),
        member.person.into(),
        fields.benefit.map(|(code, _)| code).into(),
        fields.branch_situation().situation.into(),
        member.document.into(),
        member.company_document.into(),
        fields.plate_key.into(),
        fields.chassis.into(),
        fields.consultant.into(),
        fields.representative.into(),
        member.state.into(),
        member.born_on.into(),
        fields.registered_on.into(),
        fields.updated_on.into(),
    ]
}
