//! The members of a demonstration. Each follows from the seed and his number alone, so that a load that was cut off
//! goes on where it stopped, and a test finds the thousandth without the others.

use super::benefits::Holding;
use super::calendar::{DAY_MILLIS, FOUNDED, FOUNDED_ON, SHOWN_ON, YEAR, at_work, day, day_of};
use super::cases::Worked;
use super::claims::Occurrence;
use super::dice::Dice;
use super::names::{CompanyName, PersonName, without_particle};
use super::places::{self, City};
use super::{documents, sellers};
use domain::{
    BranchCode, CivilState, Document, Email, Moment, Phone, PhoneKind, PostalAddress, SellerCode, Sex, fold,
};
use storage::credit_cards::NewCreditCard;
use storage::people::Profile;

pub struct Member {
    pub person: Profile,
    pub phones: Vec<Phone>,
    /// What he has, in the order in which he took it.
    pub benefits: Vec<Holding>,
    /// What happened to him.
    pub claims: Vec<Occurrence>,
    /// What else is or was done for him.
    pub cases: Vec<Worked>,
    pub credit_cards: Vec<NewCreditCard>,
}

/// Domains that belong to nobody (RFC 2606).
const MAIL: &[&str] =
    &["correio", "caixa-postal", "provedor", "mensagem", "familia", "carta", "trabalho", "rede"];

/// Everybody that a demonstration has.
pub struct Crowd {
    pub(super) seed: u64,
    pub(super) members: u32,
    /// The consultants and the representatives of each branch.
    pub(super) sellers: Vec<(Vec<SellerCode>, Vec<SellerCode>)>,
}

impl Crowd {
    pub fn new(seed: u64, members: u32) -> Crowd {
        Crowd { seed, members, sellers: sellers::by_branch() }
    }

    /// The member of a number from 1, in the order in which they joined.
    pub fn member(&self, number: u32) -> Member {
        let mut dice = Dice::new(self.seed, u64::from(number));
        let dice = &mut dice;
        let (branch, city) = places::home(dice);
        let joined = self.joined(dice, number);
        let mut member = if dice.percent(8) {
            self.company(dice, number, &city)
        } else {
            self.natural(dice, number, &city, i64::from(day_of(joined)))
        };
        let person = &mut member.person;
        person.branch = BranchCode::new(branch as i32 + 1);
        let (consultants, representatives) = &self.sellers[branch];
        person.consultant = dice.percent(82).then(|| dice.pick_skewed(consultants));
        person.representative = dice.percent(35).then(|| dice.pick(representatives));
        person.integration_code = dice.percent(20).then(|| format!("ERP-{number:07}"));
        person.receives_email = person.email.is_some().then(|| dice.percent(80));
        person.receives_whatsapp = Some(dice.percent(75));
        person.created_at = joined;
        let since = i64::from(SHOWN_ON) * DAY_MILLIS - joined.millis();
        let changed = if dice.percent(40) { since * i64::from(dice.in_range(0..1000)) / 1000 } else { 0 };
        person.updated_at = Moment::from_millis(joined.millis() + changed);
        let first = |kind| member.phones.iter().find(|phone| phone.kind() == kind).cloned();
        (person.mobile, person.landline) = (first(PhoneKind::Mobile), first(PhoneKind::Landline));
        member.benefits = self.benefits(number, person);
        member.claims = self.claims(number, &member.benefits);
        member.cases = self.cases(number, &member.benefits);
        member.credit_cards = self.credit_cards(number, person);
        member
    }

    /// In working hours of a day between the founding and the day shown.
    fn joined(&self, dice: &mut Dice, number: u32) -> Moment {
        let days =
            u64::from(SHOWN_ON - FOUNDED_ON) * u64::from(number - 1) / u64::from(self.members.max(number));
        at_work(dice, FOUNDED_ON + days as u32)
    }

    fn natural(&self, dice: &mut Dice, number: u32, city: &City, joined: i64) -> Member {
        let sex = if dice.percent(47) { Sex::Female } else { Sex::Male };
        let name = PersonName::of(dice, sex);
        let of_age = 18 * YEAR + 5;
        let age = of_age + dice.in_range(0..30 * YEAR) + dice.in_range(0..30 * YEAR);
        let born = joined - i64::from(age);
        let document = documents::cpf(self.seed, number).into();
        let mut person = blank(document, name.full(), places::address(dice, city, "Residencial"));
        let last = name.surnames.last().copied().unwrap_or_default();
        person.email = email(dice, 86, &name.first, without_particle(last));
        person.sex = Some(sex);
        person.born_on = Some(day(born));
        person.mother = Some(name.mother(dice));
        person.civil_state = Some(CivilState::ALL[dice.share([38, 40, 5, 3, 7, 6, 1])]);
        if dice.percent(90) {
            person.identity_number = Some(dice.digits(9));
            person.identity_issuer = Some(format!("SSP/{}", city.state));
            person.identity_issued_on = Some(day(joined - i64::from(dice.in_range(30..age - 14 * YEAR))));
        }
        if dice.percent(70) {
            person.cnh_number = Some(documents::cnh(dice));
            person.cnh_category =
                Some(["B", "AB", "A", "D", "C", "E"][dice.share([44, 38, 6, 6, 3, 3])].to_owned());
            person.cnh_valid_until = Some(day(i64::from(SHOWN_ON - YEAR + dice.in_range(0..8 * YEAR))));
        }
        if dice.percent(12) {
            let letters = dice.percent(10);
            person.company = Some(CompanyName::of(dice).registered);
            person.company_document = Some(documents::cnpj(self.seed, number, letters, dice));
        }
        let mut phones = Vec::with_capacity(2);
        if dice.percent(96) {
            phones.push(places::mobile(dice, city));
        }
        if dice.percent(22) {
            phones.push(places::landline(dice, city));
        }
        Member {
            person,
            phones,
            benefits: Vec::new(),
            claims: Vec::new(),
            cases: Vec::new(),
            credit_cards: Vec::new(),
        }
    }

    fn company(&self, dice: &mut Dice, number: u32, city: &City) -> Member {
        let name = CompanyName::of(dice);
        let letters = dice.percent(15);
        let document = documents::cnpj(self.seed, number, letters, dice).into();
        let mut person = blank(document, name.registered, places::address(dice, city, "Comercial"));
        person.email = email(dice, 95, "contato", &name.trade);
        person.trade_name = Some(name.trade);
        person.state_registration =
            Some(if dice.percent(25) { "ISENTO".to_owned() } else { dice.digits(12) });
        person.municipal_registration = dice.percent(50).then(|| dice.digits(8));
        let sex = if dice.percent(40) { Sex::Female } else { Sex::Male };
        person.legal_representative = Some(PersonName::of(dice, sex).full());
        let mut phones = vec![places::landline(dice, city)];
        if dice.percent(70) {
            phones.push(places::mobile(dice, city));
        }
        Member {
            person,
            phones,
            benefits: Vec::new(),
            claims: Vec::new(),
            cases: Vec::new(),
            credit_cards: Vec::new(),
        }
    }
}

/// Everybody begins in the first branch, at the founding, with an address and nothing else.
fn blank(document: Document, name: String, address: PostalAddress) -> Profile {
    Profile { address, ..Profile::member(BranchCode::new(1), document, name, FOUNDED) }
}

/// An address that looks like its owner's, for so many of a hundred.
pub(super) fn email(dice: &mut Dice, share: u32, first: &str, last: &str) -> Option<Email> {
    let plain = |text: &str| fold(text).split(' ').next().unwrap_or_default().to_owned();
    let (number, domain) = (dice.in_range(1..1000), dice.pick_skewed(MAIL));
    let address = format!("{}.{}{number}@{domain}.example", plain(first), plain(last));
    dice.percent(share).then(|| Email::parse(&address).expect("folded names make an address"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo::places::BRANCHES;
    use domain::Nature;
    use std::collections::{BTreeMap, BTreeSet};

    fn crowd() -> impl Iterator<Item = Member> {
        let crowd = Crowd::new(1, 5_000);
        (1..=5_000).map(move |number| crowd.member(number))
    }

    #[test]
    fn a_member_is_made_by_himself_and_by_his_seed() {
        let of = |seed, number| Crowd::new(seed, 1_000).member(number);
        assert_eq!(of(1, 700).person, of(1, 700).person);
        assert_ne!(of(1, 700).person.document, of(2, 700).person.document);
        assert_ne!(of(1, 700).person.name, of(1, 701).person.name);
    }

    #[test]
    fn shares_are_what_an_association_has() {
        let members: Vec<Member> = crowd().collect();
        let share = |holds: &dyn Fn(&Profile) -> bool| {
            members.iter().filter(|member| holds(&member.person)).count() * 100 / members.len()
        };
        assert!((6..=10).contains(&share(&|person| person.nature == Nature::Legal)));
        assert!((75..=88).contains(&share(&|person| person.consultant.is_some())));
        assert!((30..=40).contains(&share(&|person| person.representative.is_some())));
        assert!((35..=41).contains(&share(&|person| person.branch == BranchCode::new(1))));
        assert!((6..=12).contains(&share(&|person| person.branch == BranchCode::new(5))));
        assert!((55..=75).contains(&share(&|person| person.cnh_number.is_some())));
        let with_letters = members.iter().filter(|member| {
            let document = member.person.document.as_ref();
            document.is_some_and(|document| document.as_str().contains(char::is_alphabetic))
        });
        assert!(with_letters.count() > 20, "some companies have a CNPJ with letters");
    }

    #[test]
    fn names_are_common_and_rare_and_mostly_different() {
        let mut names = BTreeMap::new();
        let mut first_names = BTreeMap::new();
        for member in crowd().filter(|member| member.person.nature == Nature::Natural) {
            let first = member.person.name.split(' ').next().unwrap().to_owned();
            *first_names.entry(first).or_insert(0) += 1;
            *names.entry(member.person.name).or_insert(0) += 1;
        }
        let people: i32 = names.values().sum();
        assert!(names.len() as i32 * 100 > people * 85, "{} names of {people}", names.len());
        assert!(first_names.values().any(|count| count * 30 > people), "{first_names:?}");
        assert!(first_names.values().filter(|count| **count < 4).count() > 20, "{first_names:?}");
    }

    #[test]
    fn everything_about_a_member_fits_together() {
        for (number, Member { person, phones, .. }) in (1..).zip(crowd()) {
            let city = BRANCHES[person.branch.get() as usize - 1].cities.iter();
            let city = city.clone().find(|city| Some(city.name) == person.address.city.as_deref()).unwrap();
            assert_eq!(person.address.state.as_deref(), Some(city.state), "{number}");
            let area_code = city.area_code.to_string();
            assert!(phones.iter().all(|phone| phone.as_str().starts_with(&area_code)), "{number}");
            assert!(phones.iter().filter(|phone| phone.kind() == PhoneKind::Mobile).count() <= 1);
            let shown = [&person.mobile, &person.landline].into_iter().flatten();
            assert_eq!(shown.collect::<BTreeSet<_>>(), phones.iter().collect::<BTreeSet<_>>());
            assert_eq!(person.document.as_ref().map(Document::nature), Some(person.nature));
            assert!(person.email.as_ref().is_none_or(|email| email.as_str().ends_with(".example")));
            assert!(person.created_at <= person.updated_at, "{number}");
            let joined = person.created_at.to_iso();
            assert!(*joined >= *"2016-03-01" && *person.updated_at.to_iso() < *"2026-07-01", "{joined}");
            if person.nature == Nature::Natural {
                let born = person.born_on.as_deref().unwrap();
                let year = |day: &str| day[..4].parse::<i32>().unwrap();
                assert!((17..=80).contains(&(year(&joined) - year(born))), "{born} {joined}");
                assert!(person.mother.is_some() && person.sex.is_some() && person.civil_state.is_some());
                let issued = person.identity_issued_on.as_deref();
                assert!(issued.is_none_or(|issued| born < issued && issued < &*joined), "{number}");
            } else {
                assert!(person.born_on.is_none() && person.legal_representative.is_some(), "{number}");
            }
        }
    }
}
