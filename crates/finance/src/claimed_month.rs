//! The month that a title stands for though no charging run issued it: a monthly title that was issued by hand, or came from
//! another system. No run charges its benefits for that month again.

use crate::benefit_group::find_benefit_group;
use app::Error;
use app::register_snapshot::TenantRegisters;
use domain::finance::{ChargedMonth, LaunchKind, find_first_charged_month};
use domain::{BenefitCode, Date, Scope, TenantId, TitleCode};
use finance_storage::charging::charged_months::{ChargedMonthOrigin, claim_free_month};
use finance_storage::titles::StoredTitle;
use storage::benefits::list_benefits_of_person;
use storage::{Statement, Tx};

/// The statements that claim the month of a title's due day, if titles of its type are what runs issue for the group. A
/// title without benefits is for all that are charged in its group and branch, but for those that joined after it.
pub(crate) async fn prepare_claim(
    tx: &mut Tx,
    (tenant, registers): (TenantId, &TenantRegisters),
    (code, title): (TitleCode, &StoredTitle),
    benefits: &[BenefitCode],
    origin: ChargedMonthOrigin,
) -> Result<Vec<Statement>, Error> {
    let claimed = (code, ChargedMonth::of_day(title.original_due_on), origin);
    let charged = list_claimed_benefits(tx, (tenant, registers), title, benefits).await?;
    Ok(claim_free_month(tenant, claimed, &charged))
}

/// The benefits whose month a title is for, if it names these.
pub(crate) async fn list_claimed_benefits(
    tx: &mut Tx,
    by: (TenantId, &TenantRegisters),
    title: &StoredTitle,
    benefits: &[BenefitCode],
) -> Result<Vec<BenefitCode>, Error> {
    let rule = by.1.money.charging_rule(title.group).filter(|rule| rule.title_type == title.title_type);
    let Some(rule) = rule.filter(|_| title.launch_kind == LaunchKind::Credit) else {
        return Ok(Vec::new());
    };
    match benefits {
        [] => {
            let cut_off_day = i16::try_from(rule.cut_off_day).unwrap_or(31);
            list_charged_benefits(tx, by, title, cut_off_day).await
        }
        named => Ok(named.to_vec()),
    }
}

/// The benefits of the person that runs would charge in one title, and that were there when the title was issued.
async fn list_charged_benefits(
    tx: &mut Tx,
    (tenant, registers): (TenantId, &TenantRegisters),
    title: &StoredTitle,
    cut_off_day: i16,
) -> Result<Vec<BenefitCode>, Error> {
    let mut charged = Vec::new();
    for (code, benefit) in list_benefits_of_person(&mut *tx, &Scope::for_tenant(tenant), title.person).await?
    {
        let is_charged = registers.situation(benefit.situation).is_some_and(|one| one.is_charged);
        if is_charged
            && benefit.branch == title.branch
            && may_charge_joiner(title, benefit.joined_on, cut_off_day)
            && find_benefit_group(tx, tenant, registers, code).await? == title.group
        {
            charged.push(code);
        }
    }
    Ok(charged)
}

/// Whether the title may be for a benefit that joined on this day. Without a day it joined long ago.
fn may_charge_joiner(title: &StoredTitle, joined_on: Option<Date>, cut_off_day: i16) -> bool {
    let month = ChargedMonth::of_day(title.original_due_on);
    joined_on.is_none_or(|day| day <= title.issued_on && find_first_charged_month(day, cut_off_day) <= month)
}
