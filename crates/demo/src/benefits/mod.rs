//! Generates the benefits of demo members: their number, kinds, situations and details. Derived from the seed and the
//! member's number, with a random stream of its own.

use crate::association::{DUE_DAYS, PLANS};
use crate::calendar::{SHOWN_ON, compute_date, compute_day_number, pick_working_moment};
use crate::dice::SeededDice;
use crate::generator::SampleGenerator;
use crate::places::BRANCHES;
use crate::plates::{MOST_VEHICLES, VehicleNumber};
use crate::values::generate_field_values;
use crate::vehicles::generate_vehicle;
use domain::BenefitKind::{Assistance, Consortium, Health, Miscellaneous};
use domain::VehicleCategory::{Bus, Motorcycle, Truck};
use domain::{Benefit, BenefitItem, BenefitKind, PersonProfile, TrackerInstallation, VehicleDetails};
use domain::{BranchCode, ItemCode, Moment, Money, Nature, PersonCode, PlanCode, SituationCode};
use std::time::Duration;

/// A generated benefit. Codes, the sequence, the slot and the card are assigned on writing, because an interrupted load
/// may find that others used some meanwhile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SampleBenefit {
    pub benefit: Benefit,
    /// The first is the initial item of the benefit.
    pub items: Vec<BenefitItem>,
    /// Whether it gets a new card or shares that of the previous benefit.
    pub new_card: bool,
    /// Installed on its vehicle.
    pub equipment: Vec<TrackerInstallation>,
    pub dependents: Vec<SampleDependent>,
}

/// A generated dependent. Its code, benefit and card are assigned on writing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SampleDependent {
    pub dependent: domain::Dependent,
    /// Whether they get a new card or share that of the benefit.
    pub new_card: bool,
}

/// The streams of members have lower numbers.
const STREAM: u64 = 1 << 32;

/// Percentage of members with none, one, two… benefits.
const COUNTS: [u32; 6] = [16, 58, 18, 5, 2, 1];
/// Percentage of each kind, in the order of [`BenefitKind::ALL`]: for people, and for companies.
const KINDS: [u32; 5] = [60, 12, 10, 6, 12];
const COMPANY_KINDS: [u32; 5] = [80, 8, 4, 3, 5];

/// The default situations of an association, in order: their codes start at 1.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SampleBenefitSituation {
    Active,
    Pending,
    Overdue,
    Suspended,
    Inactive,
    Cancelled,
}

use SampleBenefitSituation::{Active, Cancelled, Inactive, Overdue, Pending, Suspended};

const STANDS: [SampleBenefitSituation; 6] = [Active, Pending, Overdue, Suspended, Inactive, Cancelled];
const STAND_SHARES: [u32; 6] = [80, 4, 6, 2, 5, 3];

const NOTES: &[&str] = &[
    "Prefere contato pelo WhatsApp.",
    "Pediu segunda via do boleto.",
    "Indicado por um associado.",
    "Vistoria refeita com fotos novas.",
];

impl SampleGenerator {
    pub(super) fn generate_benefits(&self, number: u32, person: &PersonProfile) -> Vec<SampleBenefit> {
        let mut dice = SeededDice::new(self.seed, STREAM + u64::from(number));
        // The first member has one active benefit of each kind with one plan, so that the first page of every demo
        // shows them all.
        let count = if number == 1 { BenefitKind::ALL.len() } else { dice.pick_share(COUNTS) };
        (0..count as u32).map(|at| self.generate_benefit(&mut dice, number, at, person)).collect()
    }

    fn generate_benefit(
        &self,
        dice: &mut SeededDice,
        number: u32,
        at: u32,
        person: &PersonProfile,
    ) -> SampleBenefit {
        let is_shown = number == 1;
        let kind =
            if is_shown { BenefitKind::ALL[at as usize] } else { pick_benefit_kind(dice, person.nature, at) };
        let situation = if is_shown { Active } else { STANDS[dice.pick_share(STAND_SHARES)] };
        let days = SampleBenefitDates::generate(dice, at, person, situation);
        let vehicle = match kind {
            BenefitKind::Vehicle => {
                let year = compute_date(i64::from(days.created)).year().into();
                generate_vehicle(dice, VehicleNumber::new(self.seed, number, at), person.nature, year)
            }
            _ => VehicleDetails::default(),
        };
        let equipment = match kind {
            BenefitKind::Vehicle => self.generate_equipment((number, at), days.joined, days.cancelled),
            _ => Vec::new(),
        };
        let items = generate_items(dice, kind, &vehicle, &days, is_shown);
        let (branch, is_own) = pick_branch(dice, person.branch);
        let (consultants, representatives) = &self.sellers[branch.get() as usize - 1];
        // The member's sellers do not work in another branch, so a benefit there always has its own.
        let (consults, represents) = if is_own { (12, 6) } else { (100, 100) };
        let benefit = Benefit {
            person: PersonCode::new(0),
            branch,
            kind,
            situation: SituationCode::new(situation as i32 + 1),
            sequence: 0,
            card: None,
            due_day: Some(dice.pick(&DUE_DAYS)),
            consultant: dice.roll_percent(consults).then(|| dice.pick_skewed(consultants)),
            representative: dice.roll_percent(represents).then(|| dice.pick(representatives)),
            joined_on: Some(compute_date(i64::from(days.joined))),
            activated_on: days.activated.map(|number| compute_date(i64::from(number))),
            cancelled_on: days.cancelled.map(|number| compute_date(i64::from(number))),
            integration_code: dice.roll_percent(20).then(|| format!("BEN-{number:07}-{}", at + 1)),
            note: dice.roll_percent(6).then(|| dice.pick(NOTES).to_owned()),
            plans: items.iter().filter(|item| item.active).map(|item| (item.plan, item.price)).collect(),
            fields: generate_field_values(dice, kind, days.joined),
            vehicle,
            slot: 0,
            version: 1,
            created_at: days.created_at,
            updated_at: days.updated_at,
        };
        let new_card = at == 0 || dice.roll_percent(12);
        SampleBenefit { benefit, items, new_card, equipment, dependents: Vec::new() }
    }
}

fn pick_benefit_kind(dice: &mut SeededDice, nature: Nature, at: u32) -> BenefitKind {
    let shares = if nature == Nature::Legal { COMPANY_KINDS } else { KINDS };
    match BenefitKind::ALL[dice.pick_share(shares)] {
        BenefitKind::Vehicle if at >= MOST_VEHICLES => Assistance,
        kind => kind,
    }
}

/// The member's branch in most cases, and whether it is.
fn pick_branch(dice: &mut SeededDice, home_branch: BranchCode) -> (BranchCode, bool) {
    let other = BranchCode::new(dice.roll_range(1..BRANCHES.len() as u32 + 1) as i32);
    // The other branch may turn out to be the same one.
    let is_other = dice.roll_percent(3) && other != home_branch;
    (if is_other { other } else { home_branch }, !is_other)
}

/// Dates of a benefit, all before the demo's current day.
struct SampleBenefitDates {
    created_at: Moment,
    created: u32,
    joined: u32,
    activated: Option<u32>,
    cancelled: Option<u32>,
    updated_at: Moment,
}

impl SampleBenefitDates {
    fn generate(
        dice: &mut SeededDice,
        at: u32,
        person: &PersonProfile,
        situation: SampleBenefitSituation,
    ) -> SampleBenefitDates {
        let created_at = pick_creation_moment(dice, at, person, situation);
        let created = compute_day_number(created_at);
        let joined = pick_following_day(dice, created, 4);
        let was_active =
            situation != Pending && (!matches!(situation, Inactive | Cancelled) || dice.roll_percent(90));
        let activated = was_active.then(|| pick_following_day(dice, joined, 8));
        let start_day = activated.unwrap_or(joined);
        let cancelled = (situation == Cancelled).then(|| dice.roll_range(start_day..SHOWN_ON));
        // The last event is the last change; some benefits were changed later.
        let last = match situation {
            Active | Pending => start_day,
            Overdue | Suspended | Inactive => dice.roll_range(start_day..SHOWN_ON),
            Cancelled => cancelled.unwrap_or(start_day),
        };
        let last = if dice.roll_percent(25) { dice.roll_range(last..SHOWN_ON) } else { last };
        let updated_at = if last == created { created_at } else { pick_working_moment(dice, last) };
        SampleBenefitDates { created_at, created, joined, activated, cancelled, updated_at }
    }
}

/// The first benefit starts with the membership, later ones during it. Pending benefits are recent.
fn pick_creation_moment(
    dice: &mut SeededDice,
    at: u32,
    person: &PersonProfile,
    situation: SampleBenefitSituation,
) -> Moment {
    let since = compute_day_number(person.created_at);
    let at_once =
        person.created_at.plus(Duration::from_secs(60 * u64::from(dice.roll_range(2..20) + 5 * at)));
    let day = match (situation, at) {
        (Pending, _) => dice.roll_range(since.max(SHOWN_ON - 45)..SHOWN_ON),
        (_, 0) => since,
        _ => dice.roll_range(since..SHOWN_ON),
    };
    if day == since { at_once } else { pick_working_moment(dice, day) }
}

/// A day at most `days` after another.
fn pick_following_day(dice: &mut SeededDice, first_day: u32, days: u32) -> u32 {
    (first_day + dice.roll_range(0..days)).min(SHOWN_ON - 1)
}

/// The plan of a benefit; in one case of six a second one, which some cancelled again.
fn generate_items(
    dice: &mut SeededDice,
    kind: BenefitKind,
    vehicle: &VehicleDetails,
    days: &SampleBenefitDates,
    only_one: bool,
) -> Vec<BenefitItem> {
    let first = pick_first_plan(dice, kind, vehicle);
    let mut items = vec![build_item(first, days.joined, true, true)];
    let second = dice.pick(&[12, 13, 8, 9, 7, 12]);
    if dice.roll_percent(16) && !only_one && second != first {
        let included = dice.roll_range(days.joined..SHOWN_ON);
        items.push(build_item(second, included, false, !dice.roll_percent(15)));
    }
    items
}

/// Plan codes start at 1, as in every new tenant.
fn pick_first_plan(dice: &mut SeededDice, kind: BenefitKind, vehicle: &VehicleDetails) -> usize {
    match kind {
        BenefitKind::Vehicle => match vehicle.category {
            Some(Motorcycle) => 3,
            Some(Truck | Bus) => 4,
            _ => 1 + dice.pick_share([55, 45]),
        },
        Health => 5 + dice.pick_share([50, 30, 20]),
        Miscellaneous => 8 + dice.pick_share([60, 40]),
        Consortium => 10 + dice.pick_share([70, 30]),
        Assistance => 12 + dice.pick_share([55, 45]),
    }
}

fn build_item(plan: usize, included: u32, is_first: bool, active: bool) -> BenefitItem {
    let (_, _, price) = PLANS[plan - 1];
    BenefitItem {
        code: ItemCode::new(0),
        plan: PlanCode::new(plan as i32),
        price: Money::from_cents(price).unwrap_or_default(),
        included_on: compute_date(i64::from(included)),
        is_first,
        is_price_agreed: true,
        active,
    }
}

#[cfg(test)]
mod tests;
