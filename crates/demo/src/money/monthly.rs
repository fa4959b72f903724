//! The monthly titles: one for each person, group, branch and due day, of all that the person has there.

use super::credits::play_second_payment;
use super::months::CalendarMonth;
use super::payments::{MemberStanding, play_payments};
use super::scene::LoadedRegisterScene;
use super::title::SampleTitle;
use crate::dice::SeededDice;
use app::Error;
use domain::finance::{ChargeItemKind, ChargeLine, LaunchKind, PriceOrigin, PriceSource};
use domain::{BenefitItem, BranchCode, Date, GroupCode, PersonCode, SituationKind};
use finance_storage::held_benefits::HeldBenefit;
use std::collections::BTreeMap;
use storage::registers::finance::StoredChargeItem;

/// A benefit with its items, of which the first decides its group.
pub(super) struct BenefitHolding {
    pub benefit: HeldBenefit,
    pub items: Vec<BenefitItem>,
}

/// Whose title it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TitleKey {
    pub person: PersonCode,
    pub branch: BranchCode,
    pub group: GroupCode,
    pub due_day: i16,
}

/// Of a benefit without a due day.
const USUAL_DUE_DAY: i16 = 10;
/// Every benefit of the demonstration has its own prices.
const AGREED_PRICE: PriceOrigin = PriceOrigin { source: PriceSource::Agreed, row: None };
const JOINING_FEE: i64 = 15_000;
/// Percentage of new benefits that pay the joining fee with the first title.
const JOINING_FEES: u32 = 60;
/// Percentage of titles with a discount, and the discount's of the contribution.
const DISCOUNTS: u32 = 4;
const DISCOUNT_PERCENT: i64 = 10;

/// The streams of everything else have lower numbers.
const STREAM: u64 = 1 << 62;

impl TitleKey {
    /// Throws for a month, or for what lasts.
    pub(super) fn roll_dice(self, seed: u64, month: Option<CalendarMonth>) -> SeededDice {
        let month = month.map_or(0, CalendarMonth::number) & 0xFFFF;
        let [person, branch, group] = [self.person.get(), self.branch.get(), self.group.get()]
            .map(|code| u64::from(code.unsigned_abs()));
        let due_day = u64::from(self.due_day.unsigned_abs());
        let place = (group % 8) << 10 | (branch % 32) << 5 | (due_day % 32);
        SeededDice::new(seed, STREAM | (person % (1 << 32)) << 29 | month << 13 | place)
    }
}

/// The titles of a month for these benefits, in the order of their people.
pub(super) fn generate_monthly_titles(
    scene: &LoadedRegisterScene<'_>,
    month: CalendarMonth,
    holdings: &[BenefitHolding],
) -> Result<Vec<SampleTitle>, Error> {
    let issued_on = month.find_issue_day();
    let mut charged: BTreeMap<TitleKey, Vec<&BenefitHolding>> = BTreeMap::new();
    for holding in holdings.iter().filter(|holding| is_charged(scene, holding, issued_on)) {
        charged.entry(find_title_key(scene, holding)).or_default().push(holding);
    }
    charged.iter().map(|(key, holdings)| generate_monthly_title(scene, month, *key, holdings)).collect()
}

fn find_title_key(scene: &LoadedRegisterScene<'_>, holding: &BenefitHolding) -> TitleKey {
    let first = holding.items.iter().find(|item| item.is_first).or(holding.items.first());
    let plan = first.and_then(|item| scene.registers.plan(item.plan));
    let benefit = &holding.benefit;
    TitleKey {
        person: benefit.person,
        branch: benefit.branch,
        group: plan.map_or_else(|| scene.first_group(), |plan| plan.group),
        due_day: benefit.due_day.and_then(|day| i16::try_from(day).ok()).unwrap_or(USUAL_DUE_DAY),
    }
}

/// Whether the benefit was in force, or suspended, when the titles were issued.
fn is_charged(scene: &LoadedRegisterScene<'_>, holding: &BenefitHolding, issued_on: Date) -> bool {
    let benefit = &holding.benefit;
    let has_begun = benefit.activated_on.is_some_and(|day| day <= issued_on);
    let has_price = holding.items.iter().any(|item| is_item_charged(item, issued_on));
    has_begun
        && has_price
        && match scene.registers.situation_kind(benefit.situation) {
            Some(SituationKind::Active | SituationKind::Suspended) => true,
            Some(SituationKind::Cancelled) => benefit.cancelled_on.is_some_and(|day| day > issued_on),
            // Nothing but its last change tells when it ended.
            Some(SituationKind::Inactive) => benefit.updated_at.date_in(&scene.registers.zone) > issued_on,
            _ => false,
        }
}

fn is_item_charged(item: &BenefitItem, issued_on: Date) -> bool {
    item.active && item.included_on <= issued_on && item.price.cents() > 0
}

fn generate_monthly_title(
    scene: &LoadedRegisterScene<'_>,
    month: CalendarMonth,
    key: TitleKey,
    holdings: &[&BenefitHolding],
) -> Result<SampleTitle, Error> {
    let mut dice = key.roll_dice(scene.seed, Some(month));
    let issued = scene.pick_moment(&mut dice, month.find_issue_day());
    let mut lines = Vec::new();
    for holding in holdings {
        lines.extend(generate_lines(&mut dice, scene, holding, issued.0)?);
    }
    let title = scene.build_title(
        (LaunchKind::Credit, format!("Mensalidade {}", month.to_text())),
        (key.person, key.branch, key.group),
        issued,
        month.find_day(key.due_day),
        &lines,
    )?;
    let benefits = holdings.iter().map(|holding| holding.benefit.code).collect();
    let mut title = SampleTitle::new(title, lines, benefits)?;
    let standing = find_standing(scene, &title, holdings);
    play_payments(&mut dice, scene, (key, month), standing, &mut title)?;
    play_second_payment(&mut dice, scene, &mut title)?;
    Ok(title)
}

fn generate_lines(
    dice: &mut SeededDice,
    scene: &LoadedRegisterScene<'_>,
    holding: &BenefitHolding,
    issued_on: Date,
) -> Result<Vec<ChargeLine>, Error> {
    let benefit = &holding.benefit;
    let build = |item: &StoredChargeItem, amount, description: Option<&str>| ChargeLine {
        item: item.code,
        nature: item.nature,
        benefit: Some(benefit.code),
        price: None,
        amount,
        description: description.map(str::to_owned),
    };
    let contribution = scene.charge_item(ChargeItemKind::AdministrationFee)?;
    let add_on = scene.charge_item(ChargeItemKind::AddOn)?;
    let mut lines = Vec::new();
    for item in holding.items.iter().filter(|item| is_item_charged(item, issued_on)) {
        let plan = scene.registers.plan(item.plan).map(|plan| plan.name.as_str());
        let line = build(if item.is_first { contribution } else { add_on }, item.price.cents(), plan);
        lines.push(ChargeLine { price: Some(AGREED_PRICE), ..line });
    }
    let is_new = benefit.activated_on.is_some_and(|day| day > issued_on.plus_days(-31).unwrap_or(day));
    if dice.roll_percent(JOINING_FEES) && is_new {
        lines.push(build(scene.charge_item(ChargeItemKind::Joining)?, JOINING_FEE, None));
    }
    let discount = lines.first().filter(|line| line.item == contribution.code);
    let discount = discount.map_or(0, |line| line.amount * DISCOUNT_PERCENT / 100);
    if dice.roll_percent(DISCOUNTS) && discount > 0 {
        lines.push(build(contribution, -discount, Some("Desconto por indicação")));
    }
    Ok(lines)
}

fn find_standing(
    scene: &LoadedRegisterScene<'_>,
    title: &SampleTitle,
    holdings: &[&BenefitHolding],
) -> MemberStanding {
    let kind = |holding: &&BenefitHolding| scene.registers.situation_kind(holding.benefit.situation);
    if holdings.iter().any(|holding| kind(holding) == Some(SituationKind::Suspended)) {
        return MemberStanding::InArrears;
    }
    let cancelled: Option<Vec<Date>> = holdings.iter().map(|holding| holding.benefit.cancelled_on).collect();
    let left_on = cancelled.and_then(|days| days.into_iter().max());
    match left_on.filter(|day| *day <= title.title.due_on) {
        Some(on) => MemberStanding::Left { on },
        None => MemberStanding::Regular,
    }
}
