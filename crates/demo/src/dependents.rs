//! Generates dependents of demo members: relatives and pets. Derived from the seed and the member's number, with a
//! random stream of its own.

use crate::benefits::{SampleBenefit, SampleDependent};
use crate::calendar::{YEAR, compute_date, compute_day_number};
use crate::dice::SeededDice;
use crate::documents;
use crate::generator::SampleGenerator;
use crate::names::{PersonName, generate_email, strip_particle};
use domain::Kinship::{
    Cat, Child, Dog, Father, Grandchild, Grandparent, Other, OtherPet, ParentInLaw, Sibling, Spouse,
    Stepchild,
};
use domain::{BenefitCode, BenefitKind, Cpf, Kinship, Nature, Sex};
use domain::{Dependent, PersonProfile};

/// The streams of members and benefits have lower numbers.
const STREAM: u64 = 2 << 32;

/// Percentage of health benefits with none, one, two… dependents; and of benefits of other kinds.
const DEPENDENT_COUNT_SHARES: [u32; 5] = [25, 30, 22, 15, 8];
const OTHER_COUNTS: [u32; 3] = [98, 1, 1];

/// Kinships and their shares, except the spouse, who comes first or not at all.
const KIN: [(Kinship, u32); 11] = [
    (Child, 55),
    (Dog, 12),
    (Cat, 8),
    (Father, 6),
    (Stepchild, 5),
    (Grandchild, 4),
    (Sibling, 3),
    (ParentInLaw, 2),
    (Grandparent, 2),
    (Other, 2),
    (OtherPet, 1),
];

/// Documents of dependents have numbers above those of all members, `NUMBERS_PER_MEMBER` for each member.
const FIRST_NUMBER: u32 = 100_000_000;
const NUMBERS_PER_MEMBER: u32 = 8;

#[rustfmt::skip]
const PETS: &[&str] = &[
    "Thor", "Mel", "Luna", "Bob", "Nina", "Bidu", "Mingau", "Pipoca", "Rex", "Amora", "Billy", "Belinha", "Paçoca",
    "Frajola", "Simba", "Cacau", "Tobias", "Farofa", "Pandora", "Zeca",
];

impl SampleGenerator {
    pub(super) fn add_dependents(&self, number: u32, person: &PersonProfile, holdings: &mut [SampleBenefit]) {
        let mut dice = SeededDice::new(self.seed, STREAM + u64::from(number));
        let mut cpfs = 0..NUMBERS_PER_MEMBER;
        let mut next_cpf = || {
            let cpf_number = FIRST_NUMBER + number * NUMBERS_PER_MEMBER + cpfs.next()?;
            // Such a number could collide with another one (see `generate_cpf`).
            (!cpf_number.is_multiple_of(111_111_111)).then(|| documents::generate_cpf(self.seed, cpf_number))
        };
        for holding in holdings {
            let is_health = holding.benefit.kind == BenefitKind::Health;
            let count = match (number, is_health) {
                // The first member has some of everything.
                (1, true) => 3,
                _ if person.nature == Nature::Legal => 0,
                (_, true) => dice.pick_share(DEPENDENT_COUNT_SHARES),
                (_, false) => dice.pick_share(OTHER_COUNTS),
            };
            for at in 0..count {
                let kinship = match number {
                    1 => [Spouse, Child, Dog][at],
                    _ if at == 0 && dice.roll_percent(45) => Spouse,
                    _ => KIN[dice.pick_share(KIN.map(|(_, share)| share))].0,
                };
                holding.dependents.push(generate_dependent(
                    &mut dice,
                    kinship,
                    person,
                    holding,
                    &mut next_cpf,
                ));
            }
        }
    }
}

fn generate_dependent(
    dice: &mut SeededDice,
    kinship: Kinship,
    holder: &PersonProfile,
    holding: &SampleBenefit,
    next_cpf: &mut dyn FnMut() -> Option<Cpf>,
) -> SampleDependent {
    let benefit = &holding.benefit;
    let joined = compute_day_number(benefit.created_at);
    let is_pet = matches!(kinship, Dog | Cat | OtherPet);
    let age = pick_age(dice, kinship, compute_holder_age(holder, joined));
    let is_grown = age >= 18 && !is_pet;
    let sex = if dice.roll_percent(50) { Sex::Female } else { Sex::Male };
    let name = PersonName::generate(dice, sex);
    let born = i64::from(joined) - i64::from(age * YEAR + dice.roll_range(0..YEAR));
    let last = name.surnames.last().copied().unwrap_or_default();
    let dependent = Dependent {
        benefit: BenefitCode::new(0),
        name: if is_pet { dice.pick(PETS).to_owned() } else { build_family_name(&name, holder) },
        cpf: if is_pet || dice.roll_percent(12) { None } else { next_cpf() },
        born_on: (!is_pet || dice.roll_percent(40)).then(|| compute_date(born)),
        kinship,
        sex: (!is_pet).then_some(sex),
        identity_number: (is_grown && dice.roll_percent(60)).then(|| dice.roll_digits(9)),
        phone: if is_grown && dice.roll_percent(40) { holder.mobile.clone() } else { None },
        email: generate_email(dice, if is_grown { 25 } else { 0 }, &name.first, strip_particle(last)),
        card: None,
        plans: match benefit.kind {
            BenefitKind::Health if dice.roll_percent(85) => {
                benefit.plans.iter().take(1).map(|(plan, _)| *plan).collect()
            }
            _ => Vec::new(),
        },
        active: dice.roll_percent(93),
        created_at: benefit.created_at,
        updated_at: benefit.created_at,
    };
    SampleDependent { dependent, new_card: dice.roll_percent(30) }
}

/// The holder's age in years on a day; a fixed age for companies.
fn compute_holder_age(holder: &PersonProfile, on: u32) -> u32 {
    let year = compute_date(i64::from(on)).year();
    holder.born_on.map_or(40, |born| year.abs_diff(born.year()).max(18).into())
}

/// A plausible age for this kinship, given the holder's age.
fn pick_age(dice: &mut SeededDice, kinship: Kinship, holder: u32) -> u32 {
    match kinship {
        Spouse => (holder + dice.roll_range(0..10)).saturating_sub(5).max(18),
        Father | ParentInLaw => holder + dice.roll_range(18..34),
        Grandparent => (holder + dice.roll_range(38..50)).min(98),
        Child | Stepchild => dice.roll_range(0..(holder - 17).min(28)),
        Grandchild => dice.roll_range(0..holder.saturating_sub(38).clamp(1, 20)),
        Dog | Cat | OtherPet => dice.roll_range(0..13),
        _ => dice.roll_range(4..60),
    }
}

/// With the last name of the holder, if the holder is a person.
fn build_family_name(name: &PersonName, holder: &PersonProfile) -> String {
    let surname = name.surnames[0];
    match holder.name.rsplit_once(' ') {
        Some((_, family)) if holder.nature == Nature::Natural && strip_particle(surname) != family => {
            format!("{} {surname} {family}", name.first)
        }
        _ => name.full_name(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};

    const MEMBERS: u32 = 20_000;

    #[test]
    fn one_benefit_in_five_has_a_dependent_to_it() {
        let generator = SampleGenerator::new(1, MEMBERS);
        let (mut benefits, mut kin, mut cpfs) = (0, BTreeMap::new(), BTreeSet::new());
        for number in 1..=MEMBERS {
            let member = generator.generate_member(number);
            for holding in &member.benefits {
                benefits += 1;
                assert!(holding.dependents.len() <= 4);
                for SampleDependent { dependent, .. } in &holding.dependents {
                    *kin.entry(dependent.kinship).or_insert(0) += 1;
                    let joined = compute_date(i64::from(compute_day_number(holding.benefit.created_at)));
                    assert!(dependent.born_on.as_ref().is_none_or(|born| *born <= joined), "{dependent:?}");
                    let cpf = dependent.cpf.as_ref().map(|cpf| cpf.as_str().to_owned());
                    assert!(cpf.is_none_or(|cpf| cpfs.insert(cpf)), "nobody shares a document");
                }
            }
        }
        let all: u32 = kin.values().sum();
        assert!((16..25).contains(&(all * 100 / benefits)), "{all} of {benefits}");
        assert!(KIN.iter().all(|(kinship, _)| kin[kinship] > 5) && kin[&Spouse] > 500, "{kin:?}");
        for number in 1..=MEMBERS {
            assert!(!cpfs.contains(documents::generate_cpf(1, number).as_str()), "not even with a member");
        }
    }

    #[test]
    fn the_first_member_shows_a_family_with_its_dog() {
        for seed in 1..30 {
            let member = SampleGenerator::new(seed, 10).generate_member(1);
            let health_benefit =
                member.benefits.iter().find(|one| one.benefit.kind == BenefitKind::Health).unwrap();
            let kin: Vec<Kinship> =
                health_benefit.dependents.iter().map(|one| one.dependent.kinship).collect();
            assert_eq!(kin, [Spouse, Child, Dog]);
        }
    }

    #[test]
    fn shares_add_up() {
        assert_eq!(KIN.iter().map(|(_, share)| share).sum::<u32>(), 100);
        assert_eq!(
            (DEPENDENT_COUNT_SHARES.iter().sum::<u32>(), OTHER_COUNTS.iter().sum::<u32>()),
            (100, 100)
        );
    }
}
