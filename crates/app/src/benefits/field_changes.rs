//! Field-by-field comparison of two states of a benefit, under the published field names. The situation is left out: it
//! has its own history.

use crate::register_snapshot::TenantRegisters;
use domain::{Benefit, FieldCode};
use wire::field_differences::{self, FieldDifference};
use wire::field_texts::render_benefit_fields;

pub(crate) fn compare_benefits(
    registers: &TenantRegisters,
    before: &Benefit,
    after: &Benefit,
) -> Vec<FieldDifference> {
    let find_name = |code: FieldCode| {
        registers.fields.iter().find(|field| field.code == code).map(|field| field.name.as_str())
    };
    field_differences::compare_fields(
        render_benefit_fields(before, find_name),
        render_benefit_fields(after, find_name),
    )
}
