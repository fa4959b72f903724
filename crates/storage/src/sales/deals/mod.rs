//! Deals on the sales board, with their moves. Their dependents are in `dependents.rs`, their searches in
//! `search.rs`.

pub mod dependents;

mod moves;
mod search;

pub use moves::{
    DealStageMove, delete_deal_moves, insert_deal_moves, list_deal_moves, load_last_move_number,
};
pub use search::{
    DealListCriteria, DealOrderKey, DrivingDealCriterion, FoundDeal, STEP, StageSummary, list_changed_deals,
    list_deal_keys, list_deal_page, list_deals_by_leads_or_sequence, list_deals_of_person, list_found_deals,
    list_found_open_deals, list_stage_summaries,
};

use crate::benefits::{build_vehicle_values, parse_vehicle_row, vehicle_columns};
use crate::executor::statement::build_inserts;
use crate::{Error, ReadSource, Row, SqlScalar, Statement, sql};
use domain::{Deal, DealCode, PlanCode, Scope, TenantId};

/// The columns read by [`parse_deal_row`], of a table with the alias `d`.
macro_rules! deal_columns {
    () => {
        "d.sequence, d.lead, d.branch, d.title, d.funnel, d.stage, d.stage_since, d.responsible, d.benefit_kind, d.plans,
             d.price, d.expected_on, d.situation, d.lost_because, d.note, d.opened_on, d.plate, d.chassis, d.renavam,
             d.brand, d.model, d.built, d.model_year, d.colour, d.fuel, d.category, d.vehicle_type, d.doors, d.worth,
             d.protected, d.participation, d.fipe, d.benefit, d.version, d.created_at, d.updated_at"
    };
}
use deal_columns;

const ROWS_PER_STATEMENT: usize = 50;

pub fn insert_deals<'d>(
    tenant: TenantId,
    deals: impl IntoIterator<Item = (DealCode, &'d Deal)>,
) -> Vec<Statement> {
    const INSERT: &str = concat!(
        "INSERT INTO deals (tenant, code, sequence, lead, branch, title, funnel, stage, stage_since, responsible,
             benefit_kind, plans, price, expected_on, situation, lost_because, note, opened_on, ",
        vehicle_columns!(),
        ", benefit, version, created_at, updated_at) VALUES"
    );
    build_inserts(
        INSERT,
        ROWS_PER_STATEMENT,
        deals.into_iter().map(|(code, deal)| build_deal_row(tenant, code, deal)),
    )
}

pub fn update_deal(tenant: TenantId, code: DealCode, deal: &Deal) -> Statement {
    let statement = sql("UPDATE deals SET sequence = $3, lead = $4, branch = $5, title = $6, funnel = $7, stage = $8,
             stage_since = $9, responsible = $10, benefit_kind = $11, plans = $12, price = $13, expected_on = $14,
             situation = $15, lost_because = $16, note = $17, opened_on = $18, plate = $19, chassis = $20, renavam = $21,
             brand = $22, model = $23, built = $24, model_year = $25, colour = $26, fuel = $27, category = $28,
             vehicle_type = $29, doors = $30, worth = $31, protected = $32, participation = $33, fipe = $34,
             benefit = $35, version = version + $36, created_at = $37, updated_at = $38
         WHERE tenant = $1 AND code = $2");
    build_deal_row(tenant, code, deal).into_iter().fold(statement, Statement::arg)
}

/// The deal of this code in any situation, if its branch is in the scope.
#[boxed::future]
pub async fn find_deal(
    source: impl Into<ReadSource<'_>>,
    scope: &Scope,
    code: DealCode,
) -> Result<Option<Deal>, Error> {
    let statement =
        sql(concat!("SELECT ", deal_columns!(), " FROM deals d WHERE d.tenant = $1 AND d.code = $2"))
            .arg(scope.tenant())
            .arg(code);
    let found = source.fetch_optional(statement).await?.map(|row| parse_deal_row(&row)).transpose()?;
    Ok(found.filter(|deal| scope.can_see(deal.branch)))
}

/// Format: `10 12`.
fn encode_plans(plans: &[PlanCode]) -> String {
    plans.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

fn parse_plans(text: &str) -> Result<Vec<PlanCode>, Error> {
    let broken = |part: &str| Error::Broken(format!("{part:?} is kept as a plan"));
    text.split_whitespace().map(|part| part.parse().map(PlanCode::new).map_err(|_| broken(part))).collect()
}

fn parse_deal_row(row: &Row) -> Result<Deal, Error> {
    Ok(Deal {
        sequence: row.get("sequence")?,
        lead: row.get("lead")?,
        branch: row.get("branch")?,
        title: row.get("title")?,
        funnel: row.get("funnel")?,
        stage: row.get("stage")?,
        stage_since: row.get("stage_since")?,
        responsible: row.get("responsible")?,
        kind: row.get("benefit_kind")?,
        plans: parse_plans(&row.get::<String>("plans")?)?,
        price: row.get("price")?,
        expected_on: row.get("expected_on")?,
        state: row.get("situation")?,
        lost_because: row.get("lost_because")?,
        note: row.get("note")?,
        opened_on: row.get("opened_on")?,
        vehicle: parse_vehicle_row(row)?,
        benefit: row.get("benefit")?,
        version: row.get("version")?,
        created_at: row.get("created_at")?,
        updated_at: row.get("updated_at")?,
    })
}

fn build_deal_row(tenant: TenantId, code: DealCode, deal: &Deal) -> Vec<SqlScalar> {
    let mut values: Vec<SqlScalar> = vec![
        tenant.into(),
        code.into(),
        deal.sequence.into(),
        deal.lead.into(),
        deal.branch.into(),
        deal.title.as_deref().into(),
        deal.funnel.into(),
        deal.stage.into(),
        deal.stage_since.into(),
        deal.responsible.into(),
        deal.kind.into(),
        encode_plans(&deal.plans).into(),
        deal.price.into(),
        deal.expected_on.into(),
        deal.state.into(),
        deal.lost_because.as_deref().into(),
        deal.note.as_deref().into(),
        deal.opened_on.into(),
    ];
    values.extend(build_vehicle_values(&deal.vehicle));
    values.extend([deal.benefit.into(), 1.into(), deal.created_at.into(), deal.updated_at.into()]);
    values
}
