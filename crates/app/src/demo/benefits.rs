//! What the members of a demonstration have: how much, of which kind, in which situation, and everything about it. Like
//! the member himself it follows from the seed and his number, by throws of its own.

use super::association::{DUE_DAYS, PLANS};
use super::calendar::{SHOWN_ON, at_work, day, day_of};
use super::dependents::Relative;
use super::dice::Dice;
use super::people::Crowd;
use super::places::BRANCHES;
use super::plates::{MOST_VEHICLES, VehicleNumber};
use super::values::values;
use super::vehicles::vehicle;
use domain::BenefitKind::{self, Assistance, Consortium, Health, Miscellaneous};
use domain::VehicleCategory::{Bus, Motorcycle, Truck};
use domain::{BranchCode, ItemCode, Moment, Nature, PersonCode, PlanCode, SituationCode};
use std::time::Duration;
use storage::benefits::{Benefit, Vehicle};
use storage::installations::Installation;
use storage::items::Item;
use storage::people::Profile;

/// A benefit as it follows from its holder's number. Whatever is counted (codes, the sequence, the slot, the card) is
/// still missing, since a load that was cut off may find that somebody else counted meanwhile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holding {
    pub benefit: Benefit,
    /// The first is the one that it was created with.
    pub items: Vec<Item>,
    /// Whether it has a card of its own, or that of the benefit before it.
    pub new_card: bool,
    /// On its vehicle.
    pub equipment: Vec<Installation>,
    pub dependents: Vec<Relative>,
}

/// The throws for members have the numbers below.
const STREAM: u64 = 1 << 32;

/// How many of a hundred members have none, one, two… benefits.
const COUNTS: [u32; 6] = [16, 58, 18, 5, 2, 1];
/// Of which kind they are, in the order of [`BenefitKind::ALL`]: those of people, and those of companies.
const KINDS: [u32; 5] = [60, 12, 10, 6, 12];
const COMPANY_KINDS: [u32; 5] = [80, 8, 4, 3, 5];

/// The situations that every association is born with, in their order: their codes count from 1.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stands {
    Active,
    Pending,
    Overdue,
    Suspended,
    Inactive,
    Cancelled,
}

use Stands::{Active, Cancelled, Inactive, Overdue, Pending, Suspended};

const STANDS: [Stands; 6] = [Active, Pending, Overdue, Suspended, Inactive, Cancelled];
const STAND_SHARES: [u32; 6] = [80, 4, 6, 2, 5, 3];

const NOTES: &[&str] = &[
    "Prefere contato pelo WhatsApp.",
    "Pediu segunda via do boleto.",
    "Indicado por um associado.",
    "Vistoria refeita com fotos novas.",
];

impl Crowd {
    pub(super) fn benefits(&self, number: u32, person: &Profile) -> Vec<Holding> {
        let mut dice = Dice::new(self.seed, STREAM + u64::from(number));
        // The first member has one of each kind, in force and with one plan, so that the first page of every
        // demonstration shows them all.
        let count = if number == 1 { BenefitKind::ALL.len() } else { dice.share(COUNTS) };
        let mut holdings: Vec<Holding> =
            (0..count as u32).map(|at| self.holding(&mut dice, number, at, person)).collect();
        self.add_dependents(number, person, &mut holdings);
        holdings
    }

    fn holding(&self, dice: &mut Dice, number: u32, at: u32, person: &Profile) -> Holding {
        let is_shown = number == 1;
        let kind = if is_shown { BenefitKind::ALL[at as usize] } else { kind(dice, person.nature, at) };
        let stands = if is_shown { Active } else { STANDS[dice.share(STAND_SHARES)] };
        let days = Days::of(dice, at, person, stands);
        let vehicle = match kind {
            BenefitKind::Vehicle => {
                let year = day(i64::from(days.created))[..4].parse().unwrap_or(2016);
                vehicle(dice, VehicleNumber::new(self.seed, number, at), person.nature, year)
            }
            _ => Vehicle::default(),
        };
        let equipment = match kind {
            BenefitKind::Vehicle => self.equipment((number, at), days.joined, days.cancelled),
            _ => Vec::new(),
        };
        let items = items(dice, kind, &vehicle, &days, is_shown);
        let (branch, is_own) = branch(dice, person.branch);
        let (consultants, representatives) = &self.sellers[branch.get() as usize - 1];
        // Elsewhere the member's sellers are strangers.
        let (consults, represents) = if is_own { (12, 6) } else { (100, 100) };
        let benefit = Benefit {
            person: PersonCode::new(0),
            branch,
            kind,
            situation: SituationCode::new(stands as i32 + 1),
            sequence: 0,
            card: None,
            due_day: Some(dice.pick(&DUE_DAYS)),
            consultant: dice.percent(consults).then(|| dice.pick_skewed(consultants)),
            representative: dice.percent(represents).then(|| dice.pick(representatives)),
            joined_on: Some(day(i64::from(days.joined))),
            activated_on: days.activated.map(|number| day(i64::from(number))),
            cancelled_on: days.cancelled.map(|number| day(i64::from(number))),
            integration_code: dice.percent(20).then(|| format!("BEN-{number:07}-{}", at + 1)),
            note: dice.percent(6).then(|| dice.pick(NOTES).to_owned()),
            plans: items.iter().filter(|item| item.active).map(|item| (item.plan, item.price)).collect(),
            fields: values(dice, kind, days.joined),
            vehicle,
            slot: 0,
            version: 1,
            created_at: days.created_at,
            updated_at: days.updated_at,
        };
        let new_card = at == 0 || dice.percent(12);
        Holding { benefit, items, new_card, equipment, dependents: Vec::new() }
    }
}

fn kind(dice: &mut Dice, nature: Nature, at: u32) -> BenefitKind {
    let shares = if nature == Nature::Legal { COMPANY_KINDS } else { KINDS };
    match BenefitKind::ALL[dice.share(shares)] {
        BenefitKind::Vehicle if at >= MOST_VEHICLES => Assistance,
        kind => kind,
    }
}

/// That of its holder but for a few, and whether it is.
fn branch(dice: &mut Dice, own: BranchCode) -> (BranchCode, bool) {
    let other = BranchCode::new(dice.in_range(1..BRANCHES.len() as u32 + 1) as i32);
    // One of so many throws leads home again.
    let is_other = dice.percent(3) && other != own;
    (if is_other { other } else { own }, !is_other)
}

/// Its days, all of them before the one that is shown.
struct Days {
    created_at: Moment,
    created: u32,
    joined: u32,
    activated: Option<u32>,
    cancelled: Option<u32>,
    updated_at: Moment,
}

impl Days {
    fn of(dice: &mut Dice, at: u32, person: &Profile, stands: Stands) -> Days {
        let created_at = created_at(dice, at, person, stands);
        let created = day_of(created_at);
        let joined = soon(dice, created, 4);
        let was_active = stands != Pending && (!matches!(stands, Inactive | Cancelled) || dice.percent(90));
        let activated = was_active.then(|| soon(dice, joined, 8));
        let begun = activated.unwrap_or(joined);
        let cancelled = (stands == Cancelled).then(|| dice.in_range(begun..SHOWN_ON));
        // Whatever happened to it last changed it; some were changed later.
        let last = match stands {
            Active | Pending => begun,
            Overdue | Suspended | Inactive => dice.in_range(begun..SHOWN_ON),
            Cancelled => cancelled.unwrap_or(begun),
        };
        let last = if dice.percent(25) { dice.in_range(last..SHOWN_ON) } else { last };
        let updated_at = if last == created { created_at } else { at_work(dice, last) };
        Days { created_at, created, joined, activated, cancelled, updated_at }
    }
}

/// The first comes with the member, further ones while he stays. What is pending is new.
fn created_at(dice: &mut Dice, at: u32, person: &Profile, stands: Stands) -> Moment {
    let since = day_of(person.created_at);
    let at_once = person.created_at.plus(Duration::from_secs(60 * u64::from(dice.in_range(2..20) + 5 * at)));
    let day = match (stands, at) {
        (Pending, _) => dice.in_range(since.max(SHOWN_ON - 45)..SHOWN_ON),
        (_, 0) => since,
        _ => dice.in_range(since..SHOWN_ON),
    };
    if day == since { at_once } else { at_work(dice, day) }
}

/// A day within so many from another.
fn soon(dice: &mut Dice, from: u32, days: u32) -> u32 {
    (from + dice.in_range(0..days)).min(SHOWN_ON - 1)
}

/// Its plan; in one case of six another one beside it, which a few gave up again.
fn items(dice: &mut Dice, kind: BenefitKind, vehicle: &Vehicle, days: &Days, only_one: bool) -> Vec<Item> {
    let first = first_plan(dice, kind, vehicle);
    let mut items = vec![item(first, days.joined, true, true)];
    let second = dice.pick(&[12, 13, 8, 9, 7, 12]);
    if dice.percent(16) && !only_one && second != first {
        let included = dice.in_range(days.joined..SHOWN_ON);
        items.push(item(second, included, false, !dice.percent(15)));
    }
    items
}

/// Plans are numbered from 1, as in every new association.
fn first_plan(dice: &mut Dice, kind: BenefitKind, vehicle: &Vehicle) -> usize {
    match kind {
        BenefitKind::Vehicle => match vehicle.category {
            Some(Motorcycle) => 3,
            Some(Truck | Bus) => 4,
            _ => 1 + dice.share([55, 45]),
        },
        Health => 5 + dice.share([50, 30, 20]),
        Miscellaneous => 8 + dice.share([60, 40]),
        Consortium => 10 + dice.share([70, 30]),
        Assistance => 12 + dice.share([55, 45]),
    }
}

fn item(plan: usize, included: u32, is_first: bool, active: bool) -> Item {
    let (_, _, price) = PLANS[plan - 1];
    Item {
        code: ItemCode::new(0),
        plan: PlanCode::new(plan as i32),
        price,
        included_on: day(i64::from(included)),
        is_first,
        active,
    }
}

#[cfg(test)]
mod tests;
