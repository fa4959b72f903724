//! Writes benefits.

use super::row;
use crate::executor::statement::build_inserts;
use crate::{Statement, sql};
use domain::{Benefit, BenefitCode, TenantId};

const ROWS_PER_STATEMENT: usize = 50;

/// Inserts benefits.
pub fn insert_benefits<'b>(
    tenant: TenantId,
    benefits: impl IntoIterator<Item = (BenefitCode, &'b Benefit)>,
) -> Vec<Statement> {
    let rows = benefits.into_iter().map(|(code, benefit)| row::build_benefit_row(tenant, code, benefit));
    build_inserts(row::INSERT, ROWS_PER_STATEMENT, rows)
}

pub fn update_benefit(tenant: TenantId, code: BenefitCode, benefit: &Benefit) -> Statement {
    let statement = sql("UPDATE benefits SET person = $3, branch = $4, kind = $5, situation = $6, sequence = $7, card = $8,
             due_day = $9, consultant = $10, representative = $11, joined_on = $12, activated_on = $13,
             cancelled_on = $14, integration_code = $15, note = $16, plans = $17, field_values = $18, plate = $19,
             chassis = $20, renavam = $21, brand = $22, model = $23, built = $24, model_year = $25, colour = $26,
             fuel = $27, category = $28, vehicle_type = $29, doors = $30, worth = $31, protected = $32,
             participation = $33, fipe = $34, slot = $35, version = version + $36, created_at = $37, updated_at = $38
         WHERE tenant = $1 AND code = $2");
    row::build_benefit_row(tenant, code, benefit).into_iter().fold(statement, Statement::arg)
}
