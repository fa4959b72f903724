//! Who may become a member of the demonstration's association, and the deals with each. Like members, each follows from the
//! seed and a number alone.

use super::association::{PLANS, SECOND_FUNNEL};
use super::calendar::{SHOWN_ON, at_work, day};
use super::dice::Dice;
use super::documents;
use super::names::{CompanyName, PersonName, without_particle};
use super::people::{Crowd, email};
use super::places::{self, City};
use super::plates::VehicleNumber;
use super::vehicles::vehicle;
use domain::{
    BenefitKind, BranchCode, DealState, DependentCode, Document, FunnelCode, Kinship, LeadCode, Moment,
    Nature, PersonCode, PlanCode, Sex, StageCode, UserCode,
};
use registers::FUNNEL;
use storage::benefits::Vehicle;
use storage::deals::dependents::DealDependent;
use storage::deals::{Deal, Move};
use storage::leads::Lead;

/// A lead with his deals. Whatever is counted is still missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prospect {
    pub lead: Lead,
    /// Whether he became a member: then he has the document of one.
    pub is_member: bool,
    pub deals: Vec<Negotiation>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Negotiation {
    pub deal: Deal,
    pub moves: Vec<Move>,
    pub dependents: Vec<DealDependent>,
}

/// One for so many members, and enough to fill a small board, but no more than anybody looks at.
const MEMBERS_OF_ONE: u32 = 20;
const FEW: u32 = 40;
const MOST: u32 = 5_000;

/// The throws for members and their benefits have the numbers below.
const STREAM: u64 = 7 << 32;
/// Members have documents of lower numbers, sellers and suppliers of higher ones.
const FIRST_NUMBER: u32 = super::MOST_MEMBERS;

/// How far back their first contacts lie.
const DAYS: u32 = 180;

const ORIGINS: &[&str] = &["Site", "Indicação", "Instagram", "WhatsApp", "Evento", "Google"];
const MESSAGES: &[&str] = &[
    "Quero uma cotação para o meu carro.",
    "Quanto custa o plano para a família?",
    "Vi o anúncio e gostaria de saber mais.",
    "Podem me ligar depois das 18 horas?",
];
const LOST_BECAUSE: &[&str] =
    &["Achou caro.", "Fechou com outra associação.", "Vendeu o veículo.", "Não respondeu mais."];
const KINSHIPS: &[Kinship] =
    &[Kinship::Spouse, Kinship::Child, Kinship::Child, Kinship::Stepchild, Kinship::Father];

/// How many leads a demonstration of so many members has.
pub fn count(members: u32) -> u32 {
    (members / MEMBERS_OF_ONE).clamp(members.min(FEW), MOST)
}

impl Crowd {
    /// The lead of a number from 1, in the order in which they came.
    pub fn prospect(&self, number: u32) -> Prospect {
        let mut dice = Dice::new(self.seed, STREAM + u64::from(number));
        let dice = &mut dice;
        let of = count(self.members).max(number);
        let came = SHOWN_ON - DAYS + DAYS * (number - 1) / of;
        let shown = shown(number);
        let count = if shown.is_some() { 1 } else { dice.share([12, 70, 18]) };
        let state = shown.map_or_else(|| DealState::ALL[dice.share([62, 18, 20])], |(_, state)| state);
        let is_member = count > 0 && state == DealState::Won && self.members > 0;
        let lead = match is_member {
            true => self.known(dice, 1 + (number - 1) * (self.members / of).max(1), came),
            false => self.unknown(dice, number, came),
        };
        let deals = (0..count as u32).map(|at| {
            let state = if at == 0 { state } else { DealState::Open };
            let stage = shown.map(|(stage, _)| stage);
            self.negotiation(dice, (number, at), &lead, came, (state, stage))
        });
        Prospect { deals: deals.collect(), lead, is_member }
    }

    /// Somebody whom nobody knew.
    fn unknown(&self, dice: &mut Dice, number: u32, came: u32) -> Lead {
        let (branch, city) = places::home(dice);
        let document_number = FIRST_NUMBER + number;
        let mut lead = blank(dice, came, branch, &city);
        if dice.percent(12) {
            let name = CompanyName::of(dice);
            let letters = dice.percent(20);
            lead.document = Some(documents::cnpj(self.seed, document_number, letters, dice).into());
            lead.email = email(dice, 90, "contato", &name.trade);
            lead.landline = Some(places::landline(dice, &city));
            lead.company = Some(name.trade);
            lead.name = name.registered;
        } else {
            let sex = if dice.percent(50) { Sex::Female } else { Sex::Male };
            let name = PersonName::of(dice, sex);
            let last = name.surnames.last().copied().unwrap_or_default();
            lead.document = dice.percent(55).then(|| documents::cpf(self.seed, document_number).into());
            lead.email = email(dice, 75, &name.first, without_particle(last));
            lead.mobile = Some(places::mobile(dice, &city));
            lead.name = name.full();
        }
        lead.consultant = dice.percent(70).then(|| dice.pick_skewed(&self.sellers[branch].0));
        lead
    }

    /// One who is a member by now.
    fn known(&self, dice: &mut Dice, member: u32, came: u32) -> Lead {
        let person = self.member(member).person;
        let city = City { name: "", state: "", area_code: 11, postal: (0, 0) };
        let lead = blank(dice, came, 0, &city);
        Lead {
            branch: person.branch,
            name: person.name,
            document: person.document,
            email: person.email,
            mobile: person.mobile,
            landline: person.landline,
            city: person.address.city,
            state: person.address.state,
            consultant: person.consultant,
            ..lead
        }
    }

    fn negotiation(
        &self,
        dice: &mut Dice,
        (number, at): (u32, u32),
        lead: &Lead,
        came: u32,
        (state, stage): (DealState, Option<usize>),
    ) -> Negotiation {
        let is_company = matches!(lead.document, Some(Document::Cnpj(_)));
        let (funnel, first, stages) = match is_company && stage.is_none() {
            true => (2, FUNNEL.stages.len() + 1, SECOND_FUNNEL.1.len()),
            false => (1, 1, FUNNEL.stages.len()),
        };
        let last = stage.unwrap_or_else(|| dice.in_range(0..stages as u32) as usize);
        // Its days lie between the first contact and the day shown.
        let days = (SHOWN_ON - came).min(60);
        let user = Some(UserCode::new(if lead.branch == BranchCode::new(2) { 2 } else { 1 }));
        let mut moments: Vec<Moment> =
            (0..=last as u32).map(|step| at_work(dice, came + days * step / stages as u32)).collect();
        moments.sort_unstable();
        let step = |(at, moment): (usize, Moment)| Move {
            number: at as i32 + 1,
            at: moment,
            stage: StageCode::new((first + at) as i32),
            state: DealState::Open,
            user,
            user_name: None,
        };
        let mut moves: Vec<Move> = moments.into_iter().enumerate().map(step).collect();
        let stage = moves[last].clone();
        if state != DealState::Open {
            let at = Moment::from_millis(stage.at.millis() + 3_600_000);
            moves.push(Move { number: stage.number + 1, at, state, ..stage.clone() });
        }
        let kind =
            if number == 1 { BenefitKind::Health } else { BenefitKind::ALL[dice.share([55, 22, 8, 5, 10])] };
        let of_kind: Vec<usize> = (0..PLANS.len()).filter(|plan| PLANS[*plan].1 == kind).collect();
        let plan = dice.pick(&of_kind);
        let vehicle = match kind {
            BenefitKind::Vehicle => {
                let owner = if is_company { Nature::Legal } else { Nature::Natural };
                vehicle(dice, VehicleNumber::new(self.seed, FIRST_NUMBER + number, at), owner, 2026)
            }
            _ => Vehicle::default(),
        };
        let dependents =
            if kind == BenefitKind::Health { self.dependents(dice, lead, plan) } else { Vec::new() };
        let deal = Deal {
            sequence: 0,
            lead: LeadCode::new(0),
            branch: lead.branch,
            title: dice.percent(60).then(|| PLANS[plan].0.to_owned()),
            funnel: FunnelCode::new(funnel),
            stage: stage.stage,
            stage_since: stage.at,
            responsible: user,
            kind: Some(kind),
            plans: vec![PlanCode::new(plan as i32 + 1)],
            price: Some(PLANS[plan].2),
            expected_on: dice.percent(70).then(|| day(i64::from(SHOWN_ON + dice.in_range(1..45)))),
            state,
            lost_because: (state == DealState::Lost).then(|| dice.pick(LOST_BECAUSE).to_owned()),
            note: dice.percent(20).then(|| dice.pick(MESSAGES).to_owned()),
            opened_on: day(i64::from(came)),
            vehicle,
            benefit: None,
            version: 1,
            created_at: moves[0].at,
            updated_at: moves[moves.len() - 1].at,
        };
        Negotiation { deal, moves, dependents }
    }

    fn dependents(&self, dice: &mut Dice, lead: &Lead, plan: usize) -> Vec<DealDependent> {
        (0..1 + dice.in_range(0..3))
            .map(|_| {
                let sex = if dice.percent(50) { Sex::Female } else { Sex::Male };
                DealDependent {
                    name: PersonName::of(dice, sex).full(),
                    cpf: None,
                    born_on: Some(day(i64::from(SHOWN_ON) - i64::from(dice.in_range(400..20_000)))),
                    sex: Some(sex),
                    kinship: dice.pick(KINSHIPS),
                    plans: vec![PlanCode::new(plan as i32 + 1)],
                    price: Some(PLANS[plan].2),
                    phone: None,
                    email: None,
                    created_at: lead.created_at,
                    updated_at: lead.created_at,
                }
            })
            .collect()
    }
}

/// The first leads have one deal each, in every stage and every situation.
fn shown(number: u32) -> Option<(usize, DealState)> {
    let (stages, at) = (FUNNEL.stages.len(), number as usize - 1);
    DealState::ALL.get(at / stages).map(|state| (at % stages, *state))
}

fn blank(dice: &mut Dice, came: u32, branch: usize, city: &City) -> Lead {
    let came = at_work(dice, came);
    Lead {
        person: PersonCode::new(0),
        branch: BranchCode::new(branch as i32 + 1),
        name: String::new(),
        document: None,
        email: None,
        mobile: None,
        landline: None,
        company: None,
        city: Some(city.name.to_owned()),
        state: Some(city.state.to_owned()),
        message: dice.percent(50).then(|| dice.pick(MESSAGES).to_owned()),
        origin: Some(dice.pick_skewed(ORIGINS).to_owned()),
        consultant: None,
        active: true,
        version: 1,
        created_at: came,
        updated_at: came,
    }
}

/// Gives the next of everything that is counted.
pub fn next_code(counter: &mut i32) -> i32 {
    std::mem::replace(counter, *counter + 1)
}

/// A dependent's code, counted on.
pub fn next_dependent(counter: &mut i32) -> DependentCode {
    DependentCode::new(next_code(counter))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn there_are_some_for_every_association_and_never_too_many() {
        assert_eq!([0, 5, 50, 1_000, 20_000, 1_000_000].map(count), [0, 5, 40, 50, 1_000, 5_000]);
    }

    #[test]
    fn leads_repeat_themselves_and_can_be_reached() {
        let crowd = Crowd::new(7, 4_000);
        let all: Vec<Prospect> = (1..=200).map(|number| crowd.prospect(number)).collect();
        assert_eq!(all[76], crowd.prospect(77));
        for Prospect { lead, deals, is_member } in &all {
            assert!(
                lead.mobile.is_some() || lead.landline.is_some() || lead.email.is_some() || *is_member,
                "{lead:?}"
            );
            for one in deals {
                assert!(one.moves.is_sorted_by_key(|step| step.at), "{:?}", one.moves);
                assert_eq!(
                    one.moves.last().map(|step| (step.stage, step.state)),
                    Some((one.deal.stage, one.deal.state))
                );
                assert!(one.deal.stage_since <= one.deal.updated_at);
            }
        }
        let deals = || all.iter().flat_map(|one| &one.deals);
        let places: BTreeSet<_> = deals().map(|one| (one.deal.stage, one.deal.state)).collect();
        assert!(places.len() >= 15 + 4, "{places:?}");
        assert!(deals().any(|one| one.deal.vehicle.plate.is_some()));
        assert!(deals().any(|one| !one.dependents.is_empty()));
        assert!(all.iter().any(|one| one.is_member) && all.iter().any(|one| one.lead.document.is_none()));
    }
}
