//! Generates demo members. Each is derived from the seed and its number only, so that an interrupted load can continue,
//! and a test can generate the thousandth without the others.

use crate::benefits::SampleBenefit;
use crate::calendar::{
    DAY_MILLIS, FOUNDED, FOUNDED_ON, SHOWN_ON, YEAR, compute_date, compute_day_number, pick_working_moment,
};
use crate::cases::SampleCase;
use crate::claims::SampleClaim;
use crate::dice::SeededDice;
use crate::documents;
use crate::generator::SampleGenerator;
use crate::names::{CompanyName, PersonName, generate_email, strip_particle};
use crate::places::{self, SampleCity};
use domain::{BranchCode, CivilState, Document, Moment, PersonProfile, Phone, PhoneKind, PostalAddress, Sex};
use storage::members::credit_cards::NewCreditCardRow;

pub struct SampleMember {
    pub person: PersonProfile,
    pub phones: Vec<Phone>,
    /// In the order in which they were taken out.
    pub benefits: Vec<SampleBenefit>,
    pub claims: Vec<SampleClaim>,
    /// Inspections, tickets and appointments.
    pub cases: Vec<SampleCase>,
    pub credit_cards: Vec<NewCreditCardRow>,
}

impl SampleGenerator {
    /// The member with a number from 1, in the order of joining.
    pub fn generate_member(&self, number: u32) -> SampleMember {
        let mut dice = SeededDice::new(self.seed, u64::from(number));
        let dice = &mut dice;
        let (branch, city) = places::pick_home(dice);
        let joined = self.pick_join_moment(dice, number);
        let mut member = if dice.roll_percent(8) {
            self.generate_company(dice, number, &city)
        } else {
            self.generate_natural_person(dice, number, &city, i64::from(compute_day_number(joined)))
        };
        let person = &mut member.person;
        person.branch = BranchCode::new(branch as i32 + 1);
        let (consultants, representatives) = &self.sellers[branch];
        person.consultant = dice.roll_percent(82).then(|| dice.pick_skewed(consultants));
        person.representative = dice.roll_percent(35).then(|| dice.pick(representatives));
        person.integration_code = dice.roll_percent(20).then(|| format!("ERP-{number:07}"));
        person.receives_email = person.email.is_some().then(|| dice.roll_percent(80));
        person.receives_whatsapp = Some(dice.roll_percent(75));
        person.created_at = joined;
        let since = i64::from(SHOWN_ON) * DAY_MILLIS - joined.millis();
        let changed =
            if dice.roll_percent(40) { since * i64::from(dice.roll_range(0..1000)) / 1000 } else { 0 };
        person.updated_at = Moment::from_millis(joined.millis() + changed);
        let first = |kind| member.phones.iter().find(|phone| phone.kind() == kind).cloned();
        (person.mobile, person.landline) = (first(PhoneKind::Mobile), first(PhoneKind::Landline));
        member.benefits = self.generate_benefits(number, person);
        self.add_dependents(number, person, &mut member.benefits);
        member.claims = self.generate_claims(number, &member.benefits);
        member.cases = self.generate_cases(number, &member.benefits);
        member.credit_cards = self.generate_credit_cards(number, person);
        member
    }

    /// In working hours of a day between the founding and the demo's current day.
    fn pick_join_moment(&self, dice: &mut SeededDice, number: u32) -> Moment {
        let days =
            u64::from(SHOWN_ON - FOUNDED_ON) * u64::from(number - 1) / u64::from(self.members.max(number));
        pick_working_moment(dice, FOUNDED_ON + days as u32)
    }

    fn generate_natural_person(
        &self,
        dice: &mut SeededDice,
        number: u32,
        city: &SampleCity,
        joined: i64,
    ) -> SampleMember {
        let sex = if dice.roll_percent(47) { Sex::Female } else { Sex::Male };
        let name = PersonName::generate(dice, sex);
        let of_age = 18 * YEAR + 5;
        let age = of_age + dice.roll_range(0..30 * YEAR) + dice.roll_range(0..30 * YEAR);
        let born = joined - i64::from(age);
        let document = documents::generate_cpf(self.seed, number).into();
        let mut person = build_blank_profile(
            document,
            name.full_name(),
            places::generate_address(dice, city, "Residencial"),
        );
        let last = name.surnames.last().copied().unwrap_or_default();
        person.email = generate_email(dice, 86, &name.first, strip_particle(last));
        person.sex = Some(sex);
        person.born_on = Some(compute_date(born));
        person.mother = Some(name.generate_mother_name(dice));
        person.civil_state = Some(CivilState::ALL[dice.pick_share([38, 40, 5, 3, 7, 6, 1])]);
        if dice.roll_percent(90) {
            person.identity_number = Some(dice.roll_digits(9));
            person.identity_issuer = Some(format!("SSP/{}", city.state));
            person.identity_issued_on =
                Some(compute_date(joined - i64::from(dice.roll_range(30..age - 14 * YEAR))));
        }
        if dice.roll_percent(70) {
            person.cnh_number = Some(documents::generate_cnh(dice));
            person.cnh_category =
                Some(["B", "AB", "A", "D", "C", "E"][dice.pick_share([44, 38, 6, 6, 3, 3])].to_owned());
            person.cnh_valid_until =
                Some(compute_date(i64::from(SHOWN_ON - YEAR + dice.roll_range(0..8 * YEAR))));
        }
        if dice.roll_percent(12) {
            let letters = dice.roll_percent(10);
            person.company = Some(CompanyName::generate(dice).registered);
            person.company_document = Some(documents::generate_cnpj(self.seed, number, letters, dice));
        }
        let mut phones = Vec::with_capacity(2);
        if dice.roll_percent(96) {
            phones.push(places::generate_mobile(dice, city));
        }
        if dice.roll_percent(22) {
            phones.push(places::generate_landline(dice, city));
        }
        SampleMember {
            person,
            phones,
            benefits: Vec::new(),
            claims: Vec::new(),
            cases: Vec::new(),
            credit_cards: Vec::new(),
        }
    }

    fn generate_company(&self, dice: &mut SeededDice, number: u32, city: &SampleCity) -> SampleMember {
        let name = CompanyName::generate(dice);
        let letters = dice.roll_percent(15);
        let document = documents::generate_cnpj(self.seed, number, letters, dice).into();
        let mut person =
            build_blank_profile(document, name.registered, places::generate_address(dice, city, "Comercial"));
        person.email = generate_email(dice, 95, "contato", &name.trade);
        person.trade_name = Some(name.trade);
        person.state_registration =
            Some(if dice.roll_percent(25) { "ISENTO".to_owned() } else { dice.roll_digits(12) });
        person.municipal_registration = dice.roll_percent(50).then(|| dice.roll_digits(8));
        let sex = if dice.roll_percent(40) { Sex::Female } else { Sex::Male };
        person.legal_representative = Some(PersonName::generate(dice, sex).full_name());
        let mut phones = vec![places::generate_landline(dice, city)];
        if dice.roll_percent(70) {
            phones.push(places::generate_mobile(dice, city));
        }
        SampleMember {
            person,
            phones,
            benefits: Vec::new(),
            claims: Vec::new(),
            cases: Vec::new(),
            credit_cards: Vec::new(),
        }
    }
}

/// A profile with the first branch, the founding date and an address only.
fn build_blank_profile(document: Document, name: String, address: PostalAddress) -> PersonProfile {
    PersonProfile { address, ..PersonProfile::new_member(BranchCode::new(1), document, name, FOUNDED) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::places::BRANCHES;
    use domain::Nature;
    use std::collections::{BTreeMap, BTreeSet};

    fn crowd() -> impl Iterator<Item = SampleMember> {
        let crowd = SampleGenerator::new(1, 5_000);
        (1..=5_000).map(move |number| crowd.generate_member(number))
    }

    #[test]
    fn a_member_is_made_by_himself_and_by_his_seed() {
        let generate_sample = |seed, number| SampleGenerator::new(seed, 1_000).generate_member(number);
        assert_eq!(generate_sample(1, 700).person, generate_sample(1, 700).person);
        assert_ne!(generate_sample(1, 700).person.document, generate_sample(2, 700).person.document);
        assert_ne!(generate_sample(1, 700).person.name, generate_sample(1, 701).person.name);
    }

    #[test]
    fn shares_are_what_an_association_has() {
        let members: Vec<SampleMember> = crowd().collect();
        let share = |holds: &dyn Fn(&PersonProfile) -> bool| {
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
        for (number, SampleMember { person, phones, .. }) in (1..).zip(crowd()) {
            let city = BRANCHES[person.branch.get() as usize - 1].cities.iter();
            let city = city.clone().find(|city| Some(city.name) == person.address.city.as_deref()).unwrap();
            assert_eq!(person.address.state.as_deref(), Some(city.state), "{number}");
            let area_code = city.area_code.to_string();
            assert!(phones.iter().all(|phone| phone.as_str().starts_with(&area_code)), "{number}");
            assert!(phones.iter().filter(|phone| phone.kind() == PhoneKind::Mobile).count() <= 1);
            let listed = [&person.mobile, &person.landline].into_iter().flatten();
            assert_eq!(listed.collect::<BTreeSet<_>>(), phones.iter().collect::<BTreeSet<_>>());
            assert_eq!(person.document.as_ref().map(Document::nature), Some(person.nature));
            assert!(person.email.as_ref().is_none_or(|email| email.as_str().ends_with(".example")));
            assert!(person.created_at <= person.updated_at, "{number}");
            let day = |at| compute_date(i64::from(compute_day_number(at)));
            let joined = day(person.created_at);
            assert!(
                joined >= day(FOUNDED) && day(person.updated_at) <= compute_date(i64::from(SHOWN_ON)),
                "{joined}"
            );
            if person.nature == Nature::Natural {
                let born = person.born_on.unwrap();
                assert!((17..=80).contains(&(joined.year() - born.year())), "{born} {joined}");
                assert!(person.mother.is_some() && person.sex.is_some() && person.civil_state.is_some());
                let issued = person.identity_issued_on;
                assert!(issued.is_none_or(|issued| born < issued && issued < joined), "{number}");
            } else {
                assert!(person.born_on.is_none() && person.legal_representative.is_some(), "{number}");
            }
        }
    }
}
