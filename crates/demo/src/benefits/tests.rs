use super::*;
use crate::people::SampleMember;
use crate::sellers::list_sales_posts;
use domain::SellerKind::{self, Consultant, Representative};
use domain::{Entity, Plate, SellerCode};
use registers::SITUATIONS;
use std::collections::{BTreeMap, BTreeSet};

const MEMBERS: u32 = 20_000;

fn crowd() -> Vec<SampleMember> {
    let crowd = SampleGenerator::new(1, MEMBERS);
    (1..=MEMBERS).map(|number| crowd.generate_member(number)).collect()
}

fn all(members: &[SampleMember]) -> impl Iterator<Item = (&SampleMember, &SampleBenefit)> + Clone {
    members.iter().flat_map(|member| member.benefits.iter().map(move |holding| (member, holding)))
}

fn situation(code: SituationCode) -> &'static str {
    SITUATIONS[code.get() as usize - 1].name
}

#[test]
fn the_situations_are_those_an_association_is_born_with() {
    let own: Vec<_> = SITUATIONS.iter().take(STANDS.len()).map(|born| (born.entity, born.name)).collect();
    let names = ["ATIVO", "PENDENTE", "INADIMPLENTE", "SUSPENSO", "INATIVO", "CANCELADO"];
    assert_eq!(own, names.map(|name| (Entity::Benefit, name)));
    assert!(STANDS.iter().enumerate().all(|(at, stands)| *stands as usize == at));
    for shares in [&COUNTS[..], &KINDS, &COMPANY_KINDS, &STAND_SHARES] {
        assert_eq!(shares.iter().sum::<u32>(), 100);
    }
}

#[test]
fn what_a_member_has_is_made_by_himself_and_by_his_seed() {
    let of = |seed, members| SampleGenerator::new(seed, members).generate_member(700).benefits;
    assert_eq!(of(1, 1_000), of(1, 1_000));
    let differ = (600..700).filter(|number| {
        let of = |seed| SampleGenerator::new(seed, 1_000).generate_member(*number).benefits;
        of(1) != of(2)
    });
    assert!(differ.count() > 60);
}

#[test]
fn members_have_none_one_or_several_benefits() {
    let members = crowd();
    let having = |count: usize| members.iter().filter(|member| member.benefits.len() == count).count();
    let mut shares: Vec<usize> = (0..=5).map(|count| having(count) * 1000 / members.len()).collect();
    assert!(shares.iter().all(|share| *share > 4), "{shares:?}");
    let mean = all(&members).count() as f64 / f64::from(MEMBERS);
    assert!((1.17..1.27).contains(&mean), "{mean}");
    shares.sort_unstable();
    assert_eq!(*shares.last().unwrap(), having(1) * 1000 / members.len());
}

#[test]
fn benefits_have_the_shares_of_an_association() {
    let members = crowd();
    let count = all(&members).count();
    let share = |holds: &dyn Fn(&SampleBenefit) -> bool| {
        all(&members).filter(|(_, holding)| holds(holding)).count() * 1000 / count
    };
    let mut found = BTreeMap::new();
    for (name, low, high) in [
        ("ATIVO", 780, 820),
        ("PENDENTE", 30, 50),
        ("INADIMPLENTE", 50, 70),
        ("SUSPENSO", 12, 28),
        ("INATIVO", 40, 60),
        ("CANCELADO", 22, 38),
    ] {
        let part = share(&|holding| situation(holding.benefit.situation) == name);
        found.insert(name, part);
        assert!((low..=high).contains(&part), "{found:?}");
    }
    for kind in BenefitKind::ALL {
        assert!(share(&|holding| holding.benefit.kind == *kind) > 40, "{kind:?}");
    }
    assert!((120..200).contains(&share(&|holding| holding.items.len() == 2)));
    assert!((10..40).contains(&share(&|holding| holding.items.iter().any(|item| !item.active))));
    let elsewhere = all(&members).filter(|(member, one)| one.benefit.branch != member.person.branch).count();
    assert!((15..30).contains(&(elsewhere * 1000 / count)), "{elsewhere}");
    let plates: Vec<_> = all(&members).filter_map(|(_, one)| one.benefit.vehicle.plate.as_ref()).collect();
    let old = plates.iter().filter(|plate| plate.as_str() != plate.comparison_key()).count();
    assert!((36..=44).contains(&(old * 100 / plates.len())), "{old} of {}", plates.len());
}

#[test]
fn no_two_benefits_share_a_vehicle() {
    let members = crowd();
    let (mut keys, mut chassis) = (BTreeSet::new(), BTreeSet::new());
    for (_, holding) in all(&members) {
        let vehicle = &holding.benefit.vehicle;
        assert!(vehicle.plate.as_ref().map(Plate::comparison_key).is_none_or(|key| keys.insert(key)));
        assert!(vehicle.chassis.as_ref().is_none_or(|one| chassis.insert(one.as_str())));
        let is_vehicle = holding.benefit.kind == BenefitKind::Vehicle;
        assert_eq!(vehicle.chassis.is_some(), is_vehicle, "{vehicle:?}");
        assert!(is_vehicle || *vehicle == VehicleDetails::default());
    }
}

#[test]
fn everything_about_a_benefit_fits_together() {
    let posts = list_sales_posts();
    let sells = |code: Option<SellerCode>, kind: SellerKind, branch: BranchCode| {
        let post = code.map(|code| &posts[code.get() as usize - 1]);
        post.is_none_or(|post| post.kind == kind && post.branch as i32 + 1 == branch.get())
    };
    for (member, SampleBenefit { benefit, items, .. }) in all(&crowd()) {
        let [first, further @ ..] = &items[..] else { panic!("without a plan") };
        assert!(first.is_first && first.active && further.iter().all(|item| !item.is_first));
        assert_eq!(PLANS[first.plan.get() as usize - 1].1, benefit.kind);
        assert!(further.iter().all(|item| item.plan != first.plan));
        let active = items.iter().filter(|item| item.active).map(|item| (item.plan, item.price));
        assert_eq!(benefit.plans, active.collect::<Vec<_>>());
        assert!(DUE_DAYS.contains(&benefit.due_day.unwrap()));
        assert!(sells(benefit.consultant, Consultant, benefit.branch), "{benefit:?}");
        assert!(sells(benefit.representative, Representative, benefit.branch), "{benefit:?}");
        if benefit.branch != member.person.branch {
            assert!(benefit.consultant.is_some() && benefit.representative.is_some());
        }
    }
}

#[test]
fn the_days_of_a_benefit_follow_each_other() {
    let shown = compute_date(i64::from(SHOWN_ON));
    for (member, SampleBenefit { benefit, items, .. }) in all(&crowd()) {
        assert!(member.person.created_at < benefit.created_at && benefit.created_at <= benefit.updated_at);
        let created = compute_date(i64::from(compute_day_number(benefit.created_at)));
        let joined = benefit.joined_on.unwrap();
        let last = compute_date(i64::from(compute_day_number(benefit.updated_at)));
        let (activated, cancelled) = (benefit.activated_on, benefit.cancelled_on);
        assert!(created <= joined && last < shown, "{benefit:?}");
        assert!(activated.is_none_or(|activated| joined <= activated && activated < shown));
        assert!(activated.is_none_or(|activated| activated <= last), "{benefit:?}");
        let begun = activated.unwrap_or(joined);
        assert!(cancelled.is_none_or(|cancelled| begun <= cancelled && cancelled <= last));
        assert!(items.iter().all(|item| joined <= item.included_on && item.included_on < shown));
        let name = situation(benefit.situation);
        assert_eq!(cancelled.is_some(), name == "CANCELADO", "{benefit:?}");
        assert!(activated.is_some() || ["PENDENTE", "INATIVO", "CANCELADO"].contains(&name), "{benefit:?}");
        assert!(activated.is_none() || name != "PENDENTE", "{benefit:?}");
    }
}

/// Also in a demo with one member.
#[test]
fn the_first_member_has_one_of_each_kind_in_force_with_one_plan() {
    for seed in 0..50 {
        let first = SampleGenerator::new(seed, 1).generate_member(1).benefits;
        assert_eq!(first.iter().map(|one| one.benefit.kind).collect::<Vec<_>>(), BenefitKind::ALL);
        assert!(first.iter().all(|one| one.benefit.plans.len() == 1 && one.items.len() == 1));
        assert!(first.iter().all(|one| situation(one.benefit.situation) == "ATIVO"));
    }
}
