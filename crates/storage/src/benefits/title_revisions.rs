//! Benefits that changed after titles were issued for them.

use crate::{Statement, sql};
use domain::finance::TitleSituation;
use domain::{Benefit, BenefitCode, Date, Moment, TenantId};

/// Notes that a benefit may be charged otherwise than before, if a title that is not yet due charges it.
pub fn insert_title_revision(
    (tenant, code): (TenantId, BenefitCode),
    (before, after): (Option<&Benefit>, &Benefit),
    (today, now): (Date, Moment),
) -> Option<Statement> {
    before.filter(|before| !before.is_charged_like(after))?;
    let statement = sql("INSERT INTO title_revisions (tenant, benefit, created_at)
         SELECT $1, $2, $3 WHERE EXISTS (
             SELECT 1 FROM charged_months m JOIN titles t ON t.tenant = m.tenant AND t.code = m.title
             WHERE m.tenant = $1 AND m.benefit = $2 AND t.situation + 0 = $4 AND t.effective_due_on >= $5)
         ON CONFLICT (tenant, benefit) DO NOTHING")
    .arg(tenant)
    .arg(code)
    .arg(now)
    .arg(TitleSituation::Open)
    .arg(today);
    Some(statement)
}
