//! Benefits that changed after titles were issued for them.

use crate::{Statement, sql};
use domain::finance::TitleSituation;
use domain::{Benefit, BenefitCode, BenefitItem, Date, Moment, SituationKind, TenantId, TimeZone};

/// Notes that a benefit may be charged otherwise than before, if a title that is not yet due charges it.
pub fn insert_title_revision(
    (tenant, code): (TenantId, BenefitCode),
    (before, after): (Option<&Benefit>, &Benefit),
    (today, now): (Date, Moment),
) -> Option<Statement> {
    before.filter(|before| !before.is_charged_like(after))?;
    Some(insert_title_revisions(tenant, [code], (today, now)))
}

/// Notes the same where an item is charged its own price instead of the price table's, or the other way round. Other
/// changes of items are changes of the benefit.
pub fn insert_item_revision(
    (tenant, code): (TenantId, BenefitCode),
    (before, after): (&BenefitItem, &BenefitItem),
    (zone, now): (&TimeZone, Moment),
) -> Option<Statement> {
    (before.is_price_agreed != after.is_price_agreed)
        .then(|| insert_title_revisions(tenant, [code], (now.date_in(zone), now)))
}

/// Notes that benefits may be charged otherwise than before, where a title that is not yet due charges them. A title that no
/// run issued stays as it is until its benefit is cancelled.
pub fn insert_title_revisions(
    tenant: TenantId,
    benefits: impl IntoIterator<Item = BenefitCode>,
    (today, now): (Date, Moment),
) -> Statement {
    sql("INSERT INTO title_revisions (tenant, benefit, created_at)
         SELECT b.tenant, b.code, $2 FROM benefits b WHERE b.tenant = $1 AND EXISTS (
             SELECT 1 FROM charged_months m JOIN titles t ON t.tenant = m.tenant AND t.code = m.title
             WHERE m.tenant = b.tenant AND m.benefit = b.code
                 AND t.situation + 0 = $3 AND t.effective_due_on >= $4
                 AND (t.due_on = t.original_due_on OR t.original_due_on >= $4)
                 AND (m.run > 0 OR EXISTS (SELECT 1 FROM situations s WHERE s.tenant = b.tenant
                     AND s.code = b.situation AND s.kind = $5)))")
    .arg(tenant)
    .arg(now)
    .arg(TitleSituation::Open)
    .arg(today)
    .arg(SituationKind::Cancelled)
    .filter_in("b.code", benefits)
    .append_text("ON CONFLICT (tenant, benefit) DO NOTHING")
}
