//! Fine and interest that were due and not paid, when the exact principal settled a title: a line of the next charge, or a
//! recorded waiver, as the title's rule says.
//!
//! A reversal of the settlement takes the line back. If a title has taken it by then, it stays there: the member owes it
//! once, with that title, and the one that is open again asks for that much less. If that title is cancelled later, the
//! line is not charged again, since the late charges are due with their own title once more.

use app::{ActorContext, Error};
use domain::finance::{
    ChargeItemKind, LateCharges, PendingChargeSituation, PendingChargeSource, ShortfallTreatment,
};
use domain::{BenefitCode, ChargeItemCode, PendingChargeCode};
use finance_storage::pending_charges::{StoredPendingCharge, insert_pending_charge};
use finance_storage::settlements::StoredSettlement;
use finance_storage::titles::{StoredTitle, list_title_benefits, list_title_lines};
use storage::server::counters::{self, Counter};
use storage::{Statement, Tx};

/// The statement that records what a settlement left; none if it left nothing.
pub(crate) async fn prepare_left_charges(
    tx: &mut Tx,
    context: &ActorContext<'_>,
    title: &StoredTitle,
    settlement: &StoredSettlement,
) -> Result<Option<Statement>, Error> {
    if settlement.late_charges_left == 0 {
        return Ok(None);
    }
    let tenant = context.tenant;
    let benefits = list_title_benefits(&mut *tx, tenant, &[settlement.title]).await?;
    let benefits: Vec<BenefitCode> = benefits.into_iter().map(|(_, benefit, _)| benefit).collect();
    let charge = StoredPendingCharge {
        code: PendingChargeCode::new(counters::reserve_number(tx, tenant, Counter::PendingCharge).await?),
        person: title.person,
        benefit: benefits.first().copied().filter(|_| benefits.len() == 1),
        branch: title.branch,
        group: title.group,
        item: find_late_charge_item(tx, context, settlement).await?,
        amount: settlement.late_charges_left,
        description: None,
        source: PendingChargeSource::LateCharges,
        settlement: Some(settlement.code),
        situation: match title.shortfall {
            ShortfallTreatment::NextCharge => PendingChargeSituation::Waiting,
            ShortfallTreatment::Waiver => PendingChargeSituation::Waived,
        },
        title: None,
        cancelled_on: None,
        cancelled_because: None,
        user: context.user,
        created_at: context.now,
    };
    Ok(Some(insert_pending_charge(tenant, &charge)))
}

/// The item for fine and interest; in an association that has none, the item of the title's first line.
async fn find_late_charge_item(
    tx: &mut Tx,
    context: &ActorContext<'_>,
    settlement: &StoredSettlement,
) -> Result<ChargeItemCode, Error> {
    let items = context.registers.money.charge_items.iter();
    let of_kind = items.filter(|item| item.kind == ChargeItemKind::LateCharges);
    if let Some(item) = of_kind.min_by_key(|item| (!item.active, item.code)) {
        return Ok(item.code);
    }
    let lines = list_title_lines(&mut *tx, context.tenant, settlement.title).await?;
    let missing = || Error::Defect(format!("title {} has no lines", settlement.title));
    lines.first().map(|line| line.item).ok_or_else(missing)
}

/// Late charges that another title asks for or will ask for, or that were waived. A title that is open again asks for that
/// much less, whichever of its settlements was reversed.
pub(crate) fn sum_charged_elsewhere(left: &[StoredPendingCharge]) -> i64 {
    let counts = |charge: &&StoredPendingCharge| charge.situation != PendingChargeSituation::Cancelled;
    left.iter().filter(counts).map(|charge| charge.amount).sum()
}

/// What is still due of late charges after what another title asks for.
pub(crate) fn subtract_charged_elsewhere(charges: LateCharges, charged: i64) -> LateCharges {
    let of_fine = charges.fine.min(charged);
    let of_interest = charges.interest.min(charged - of_fine);
    LateCharges { fine: charges.fine - of_fine, interest: charges.interest - of_interest }
}
