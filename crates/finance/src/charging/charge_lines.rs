//! What one benefit is charged, or why it is not.

use super::run_terms::RunTerms;
use crate::benefit_group::find_first_item;
use app::register_snapshot::TenantRegisters;
use domain::finance::{
    ChargeItemKind, ChargeSource, ChargedMonth, DiscountableLine, GrantedDiscount, MonthShare,
    NotChargedReason, PriceKey, apply_discounts, choose_price, find_first_charged_month, find_month_share,
};
use domain::{Date, GroupCode, PendingChargeCode, PlanCode, SituationCode, SituationKind};
use finance_storage::charging::chargeable_benefits::{ChargeableBenefit, ChargeableItem};
use finance_storage::charging::charged_months::{ChargedMonthOrigin, StoredChargedMonth};
use finance_storage::charging::granted_discounts::StoredGrant;
use finance_storage::charging::run_benefits::{RunBenefit, RunLine};
use finance_storage::pending_charges::StoredPendingCharge;
use std::collections::BTreeSet;
use storage::registers::finance::StoredChargeItem;

/// What a benefit's charge is made of, besides the registers.
pub(super) struct ChargeInput<'i> {
    pub benefit: &'i ChargeableBenefit,
    /// From the month before the run's on.
    pub charged_months: &'i [StoredChargedMonth],
    pub grants: &'i [StoredGrant],
    /// Those of the person that wait.
    pub pending_charges: &'i [StoredPendingCharge],
    /// Pending charges that other benefits of the run have taken.
    pub taken: &'i BTreeSet<PendingChargeCode>,
    pub joining_fee: JoiningFeeState,
}

/// Whether a benefit was charged its joining fee before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum JoiningFeeState {
    #[default]
    NotCharged,
    /// By another title.
    Charged,
    /// By the title that is revised, or by one before it that falls away.
    ChargedHere,
}

/// A benefit of the scope, with its lines if it is charged.
pub(super) struct ChargedBenefit {
    pub row: RunBenefit,
    pub lines: Vec<RunLine>,
}

/// `None` for a benefit of another group than the run is for.
pub(super) fn charge_benefit(terms: &RunTerms<'_>, input: &ChargeInput<'_>) -> Option<ChargedBenefit> {
    let benefit = input.benefit;
    let first = find_group_item(&benefit.items);
    let plan = first.and_then(|item| terms.registers.plan(item.plan));
    let group = plan.map_or_else(|| terms.find_first_group(), |plan| plan.group);
    if terms.run.scope.group.is_some_and(|wanted| wanted != group) {
        return None;
    }
    let mut row = RunBenefit {
        benefit: benefit.code,
        benefit_version: benefit.version,
        person: benefit.person,
        branch: benefit.branch,
        group,
        due_day: benefit.due_day,
        due_on: None,
        reason: None,
        amount: 0,
        title: None,
    };
    let lines = match build_charge(terms, input, group) {
        Ok((due_on, lines)) => {
            row.due_on = Some(due_on);
            row.amount = lines.iter().map(|line| line.amount).sum();
            lines
        }
        Err(reason) => {
            row.reason = Some(reason);
            row.title = find_charging_month(terms, input).map(|charged| charged.title);
            Vec::new()
        }
    };
    Some(ChargedBenefit { row, lines })
}

fn find_group_item(items: &[ChargeableItem]) -> Option<&ChargeableItem> {
    find_first_item(items, |item| (item.active, item.is_first))
}

fn build_charge(
    terms: &RunTerms<'_>,
    input: &ChargeInput<'_>,
    group: GroupCode,
) -> Result<(Date, Vec<RunLine>), NotChargedReason> {
    let benefit = input.benefit;
    refuse_situation(terms, input)?;
    let due_day = benefit.due_day.ok_or(NotChargedReason::NoDueDay)?;
    let (rule, _) = terms.find_rule(group).ok_or(NotChargedReason::NotUsable)?;
    let cut_off_day = i16::try_from(rule.cut_off_day).unwrap_or(31);
    let share = |month| find_month_share(month, benefit.joined_on, cut_off_day, rule.is_joining_prorated);
    if share(terms.run.month) == MonthShare::None {
        return Err(NotChargedReason::JoinedAfterCutOff);
    }
    if let Some(charged) = find_charging_month(terms, input) {
        return Err(charged.find_reason());
    }
    let issue = (terms.run.prepared_on, rule);
    let mut lines = Vec::new();
    for instalment in 1..=terms.run.instalments {
        let (month, due_on) = (terms.month_of(instalment), terms.find_due_on(instalment, due_day, issue));
        let mut charged = build_price_lines(terms, benefit, (instalment, due_on), share(month))?;
        if instalment == 1 {
            charged.extend(build_joining_fee(terms, input, (group, cut_off_day))?);
            charged.extend(build_pending_lines(terms, input, group));
        }
        let discounts = build_discounts(terms, input, month, &charged);
        let all = charged.into_iter().map(|(_, line)| line).chain(discounts).collect::<Vec<_>>();
        match all.iter().map(|line| line.amount).sum::<i64>() {
            // An instalment of nothing is no title, and its month stays free.
            ..=0 => {}
            _ => lines.extend(all),
        }
    }
    if lines.is_empty() {
        return Err(NotChargedReason::FullyDiscounted);
    }
    Ok((terms.find_due_on(1, due_day, issue), lines))
}

/// What has charged a month of the run already.
fn find_charging_month<'i>(terms: &RunTerms<'_>, input: &ChargeInput<'i>) -> Option<&'i StoredChargedMonth> {
    input.charged_months.iter().find(|one| one.month >= terms.run.month)
}

/// Refuses a benefit whose situation is not charged.
fn refuse_situation(terms: &RunTerms<'_>, input: &ChargeInput<'_>) -> Result<(), NotChargedReason> {
    let Some(reason) = find_situation_refusal(terms.registers, input.benefit.situation) else {
        return Ok(());
    };
    let is_owing = input.pending_charges.iter().any(|charge| charge.benefit == Some(input.benefit.code));
    Err(if is_owing { NotChargedReason::OneOffChargeLeft } else { reason })
}

/// Why benefits in a situation are not charged; `None` if they are.
pub(super) fn find_situation_refusal(
    registers: &TenantRegisters,
    situation: SituationCode,
) -> Option<NotChargedReason> {
    match registers.situation(situation) {
        Some(one) if one.kind == SituationKind::Cancelled => Some(NotChargedReason::Left),
        Some(one) if one.is_charged => None,
        Some(_) => Some(NotChargedReason::SituationNotCharged),
        None => Some(NotChargedReason::Left),
    }
}

/// A line with the plan that it is charged for.
type PlannedLine = (Option<PlanCode>, RunLine);

/// The prices of the items in use.
fn build_price_lines(
    terms: &RunTerms<'_>,
    benefit: &ChargeableBenefit,
    (instalment, due_on): (i32, Date),
    share: MonthShare,
) -> Result<Vec<PlannedLine>, NotChargedReason> {
    let first = find_group_item(&benefit.items).filter(|item| item.active);
    let first = first.ok_or(NotChargedReason::NoPrice)?;
    let mut lines = Vec::new();
    for item in benefit.items.iter().filter(|item| item.active) {
        let is_first = std::ptr::eq(item, first);
        let is_gift = !is_first && item.is_price_agreed && item.price.cents() == 0;
        if is_gift {
            continue;
        }
        let plan = terms.registers.plan(item.plan).ok_or(NotChargedReason::NotUsable)?;
        let key = PriceKey {
            plan: plan.code,
            day: due_on,
            branch: benefit.branch,
            vehicle_type: benefit.vehicle_type,
            value: benefit.value,
        };
        let table = terms.registers.money.price_table.prices_of(plan.code);
        let agreed = item.is_price_agreed.then_some(item.price);
        let price = choose_price(agreed, table, Some(plan.price), &key).ok_or(NotChargedReason::NoPrice)?;
        let charge_item = terms.registers.money.plan_charge_item(plan, is_first);
        let source = if is_first { ChargeSource::Contribution } else { ChargeSource::AddOn };
        let line = build_line(benefit, charge_item, source, share.apply(price.amount.cents()))?;
        let line =
            RunLine { instalment, price: Some(price.origin), description: Some(plan.name.clone()), ..line };
        if line.amount > 0 {
            lines.push((Some(plan.code), line));
        }
    }
    // The first plan comes first, whatever its code.
    lines.sort_by_key(|(_, line)| line.source != ChargeSource::Contribution);
    Ok(lines)
}

fn build_line(
    benefit: &ChargeableBenefit,
    item: Option<&StoredChargeItem>,
    source: ChargeSource,
    amount: i64,
) -> Result<RunLine, NotChargedReason> {
    let item = item.ok_or(NotChargedReason::NotUsable)?;
    Ok(RunLine {
        benefit: benefit.code,
        instalment: 1,
        item: item.code,
        nature: item.nature,
        source,
        price: None,
        amount,
        description: None,
        pending_charge: None,
    })
}

/// Months after the first one in which a benefit that was not charged yet still owes its joining fee.
const LATEST_FIRST_CHARGE: i32 = 2;

/// The joining fee of the first plan, once, with the first charge. A benefit that joined long ago owes none.
fn build_joining_fee(
    terms: &RunTerms<'_>,
    input: &ChargeInput<'_>,
    (group, cut_off_day): (GroupCode, i16),
) -> Result<Option<PlannedLine>, NotChargedReason> {
    let benefit = input.benefit;
    let Some(joined_on) = benefit.joined_on else { return Ok(None) };
    let late = terms.run.month.months_since(find_first_charged_month(joined_on, cut_off_day));
    let fees = terms.list_items_of_kind(ChargeItemKind::Joining);
    let waits = list_pending_charges(input, group).any(|charge| fees.contains(&charge.item));
    let is_owed = match input.joining_fee {
        // Somebody has written it down as a one-off charge.
        JoiningFeeState::NotCharged if waits => false,
        JoiningFeeState::NotCharged => late <= LATEST_FIRST_CHARGE && !was_charged_before(input),
        JoiningFeeState::Charged => false,
        JoiningFeeState::ChargedHere => true,
    };
    let plan = find_group_item(&benefit.items).and_then(|item| terms.registers.plan(item.plan));
    match plan.filter(|plan| plan.joining_fee.cents() > 0) {
        Some(plan) if is_owed => {
            let item = terms.find_item_of_kind(ChargeItemKind::Joining);
            let line = build_line(benefit, item, ChargeSource::JoiningFee, plan.joining_fee.cents())?;
            Ok(Some((Some(plan.code), line)))
        }
        _ => Ok(None),
    }
}

/// Whether a run charged the benefit before, or another system did. A title by hand may have been for anything.
fn was_charged_before(input: &ChargeInput<'_>) -> bool {
    input.charged_months.iter().any(|one| one.origin != ChargedMonthOrigin::Hand)
}

/// The one-off charges of the benefit that wait, and those of the person that name no benefit.
fn list_pending_charges<'i>(
    input: &ChargeInput<'i>,
    group: GroupCode,
) -> impl Iterator<Item = &'i StoredPendingCharge> {
    let (benefit, taken) = (input.benefit, input.taken);
    let is_here = move |charge: &&StoredPendingCharge| {
        let fits = match charge.benefit {
            // Into another branch or group, too.
            Some(code) => code == benefit.code,
            None => (charge.branch, charge.group) == (benefit.branch, group),
        };
        fits && charge.person == benefit.person && !taken.contains(&charge.code)
    };
    input.pending_charges.iter().filter(is_here)
}

fn build_pending_lines(terms: &RunTerms<'_>, input: &ChargeInput<'_>, group: GroupCode) -> Vec<PlannedLine> {
    let benefit = input.benefit;
    let lines = list_pending_charges(input, group).filter_map(|charge| {
        let item = terms.registers.money.charge_item(charge.item);
        let line = build_line(benefit, item, ChargeSource::PendingCharge, charge.amount).ok()?;
        let description = charge.description.clone();
        Some((None, RunLine { description, pending_charge: Some(charge.code), ..line }))
    });
    lines.collect()
}

/// The discounts of a month, each a line below 0 of the item that it lowers. One-off charges are not lowered.
fn build_discounts(
    terms: &RunTerms<'_>,
    input: &ChargeInput<'_>,
    month: ChargedMonth,
    charged: &[PlannedLine],
) -> Vec<RunLine> {
    let in_force = input.grants.iter().filter(|grant| grant.is_in_force(month));
    let granted: Vec<GrantedDiscount> = in_force
        .filter_map(|grant| {
            let discount = terms.registers.money.discount(grant.discount)?;
            Some(GrantedDiscount {
                discount: discount.code,
                benefit: input.benefit.code,
                rate: discount.rate,
                nature: discount.nature,
                plan: discount.plan,
            })
        })
        .collect();
    let discountable: Vec<DiscountableLine> = charged
        .iter()
        .map(|(plan, line)| DiscountableLine {
            benefit: line.benefit,
            plan: *plan,
            nature: line.nature,
            amount: if line.source == ChargeSource::PendingCharge { 0 } else { line.amount },
        })
        .collect();
    let discounts = apply_discounts(&discountable, &granted).into_iter();
    let lines = discounts.map(|one| {
        let lowered = &charged[one.line].1;
        RunLine {
            source: ChargeSource::Discount,
            price: None,
            amount: -one.amount,
            description: terms.registers.money.discount(one.discount).map(|discount| discount.name.clone()),
            ..lowered.clone()
        }
    });
    lines.collect()
}
