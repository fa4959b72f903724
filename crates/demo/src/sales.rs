//! Generates demo leads and their deals. Like members, each is derived from the seed and a number only.

use crate::association::{PLANS, SECOND_FUNNEL};
use crate::calendar::{SHOWN_ON, compute_date, pick_working_moment};
use crate::dice::SeededDice;
use crate::documents;
use crate::generator::SampleGenerator;
use crate::names::{CompanyName, PersonName, generate_email, strip_particle};
use crate::places::{self, SampleCity};
use crate::plates::VehicleNumber;
use crate::vehicles::generate_vehicle;
use domain::{
    BenefitKind, BranchCode, Deal, DealState, DependentCode, Document, FunnelCode, Kinship, Lead, LeadCode,
    Moment, Money, Nature, PersonCode, PlanCode, ProposedDependent, Sex, StageCode, UserCode, VehicleDetails,
};
use registers::FUNNEL;
use storage::sales::deals::DealStageMove;

/// A generated lead with its deals. Codes are assigned on writing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SampleLead {
    pub lead: Lead,
    /// Whether the lead became a member and has that member's document.
    pub is_member: bool,
    pub deals: Vec<SampleDeal>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SampleDeal {
    pub deal: Deal,
    pub moves: Vec<DealStageMove>,
    pub dependents: Vec<ProposedDependent>,
}

/// One lead per `MEMBERS_OF_ONE` members, at least enough to fill a small board, and at most `MOST_LEADS`.
const MEMBERS_OF_ONE: u32 = 20;
const FEWEST_LEADS: u32 = 40;
const MOST_LEADS: u32 = 5_000;

/// The streams of members and benefits have lower numbers.
const STREAM: u64 = 7 << 32;
/// Members have documents with lower numbers, sellers and suppliers with higher ones.
const FIRST_NUMBER: u32 = crate::MOST_MEMBERS;

/// First contacts lie at most this many days back.
const FIRST_CONTACT_DAYS: u32 = 180;

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

pub fn count_leads(members: u32) -> u32 {
    (members / MEMBERS_OF_ONE).clamp(members.min(FEWEST_LEADS), MOST_LEADS)
}

impl SampleGenerator {
    /// The lead with a number from 1, in the order of arrival.
    pub fn generate_lead(&self, number: u32) -> SampleLead {
        let mut dice = SeededDice::new(self.seed, STREAM + u64::from(number));
        let dice = &mut dice;
        let lead_count = count_leads(self.members).max(number);
        let created_day = SHOWN_ON - FIRST_CONTACT_DAYS + FIRST_CONTACT_DAYS * (number - 1) / lead_count;
        let showcase = find_showcase_deal(number);
        let count = if showcase.is_some() { 1 } else { dice.pick_share([12, 70, 18]) };
        let state =
            showcase.map_or_else(|| DealState::ALL[dice.pick_share([62, 18, 20])], |(_, state)| state);
        let is_member = count > 0 && state == DealState::Won && self.members > 0;
        let lead = match is_member {
            true => self.generate_member_lead(
                dice,
                1 + (number - 1) * (self.members / lead_count).max(1),
                created_day,
            ),
            false => self.generate_new_lead(dice, number, created_day),
        };
        let deals = (0..count as u32).map(|at| {
            let state = if at == 0 { state } else { DealState::Open };
            let stage = showcase.map(|(stage, _)| stage);
            self.generate_deal(dice, (number, at), &lead, created_day, (state, stage))
        });
        SampleLead { deals: deals.collect(), lead, is_member }
    }

    /// A lead who is not a member.
    fn generate_new_lead(&self, dice: &mut SeededDice, number: u32, created_day: u32) -> Lead {
        let (branch, city) = places::pick_home(dice);
        let document_number = FIRST_NUMBER + number;
        let mut lead = build_blank_lead(dice, created_day, branch, &city);
        if dice.roll_percent(12) {
            let name = CompanyName::generate(dice);
            let letters = dice.roll_percent(20);
            lead.document = Some(documents::generate_cnpj(self.seed, document_number, letters, dice).into());
            lead.email = generate_email(dice, 90, "contato", &name.trade);
            lead.landline = Some(places::generate_landline(dice, &city));
            lead.company = Some(name.trade);
            lead.name = name.registered;
        } else {
            let sex = if dice.roll_percent(50) { Sex::Female } else { Sex::Male };
            let name = PersonName::generate(dice, sex);
            let last = name.surnames.last().copied().unwrap_or_default();
            lead.document =
                dice.roll_percent(55).then(|| documents::generate_cpf(self.seed, document_number).into());
            lead.email = generate_email(dice, 75, &name.first, strip_particle(last));
            lead.mobile = Some(places::generate_mobile(dice, &city));
            lead.name = name.full_name();
        }
        lead.consultant = dice.roll_percent(70).then(|| dice.pick_skewed(&self.sellers[branch].0));
        lead
    }

    /// A lead who is a member by now.
    fn generate_member_lead(&self, dice: &mut SeededDice, member: u32, created_day: u32) -> Lead {
        let person = self.generate_member(member).person;
        let city = SampleCity { name: "", state: "", area_code: 11, postal: (0, 0) };
        let lead = build_blank_lead(dice, created_day, 0, &city);
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

    fn generate_deal(
        &self,
        dice: &mut SeededDice,
        (number, at): (u32, u32),
        lead: &Lead,
        created_day: u32,
        (state, stage): (DealState, Option<usize>),
    ) -> SampleDeal {
        let is_company = matches!(lead.document, Some(Document::Cnpj(_)));
        let (funnel, first, stages) = match is_company && stage.is_none() {
            true => (2, FUNNEL.stages.len() + 1, SECOND_FUNNEL.1.len()),
            false => (1, 1, FUNNEL.stages.len()),
        };
        let last = stage.unwrap_or_else(|| dice.roll_range(0..stages as u32) as usize);
        // Its dates lie between the first contact and the demo's current day.
        let days = (SHOWN_ON - created_day).min(60);
        let user = Some(UserCode::new(if lead.branch == BranchCode::new(2) { 2 } else { 1 }));
        let mut moments: Vec<Moment> = (0..=last as u32)
            .map(|step| pick_working_moment(dice, created_day + days * step / stages as u32))
            .collect();
        moments.sort_unstable();
        let step = |(at, moment): (usize, Moment)| DealStageMove {
            number: at as i32 + 1,
            at: moment,
            stage: StageCode::new((first + at) as i32),
            state: DealState::Open,
            user,
            user_name: None,
        };
        let mut moves: Vec<DealStageMove> = moments.into_iter().enumerate().map(step).collect();
        let stage = moves[last].clone();
        if state != DealState::Open {
            let at = Moment::from_millis(stage.at.millis() + 3_600_000);
            moves.push(DealStageMove { number: stage.number + 1, at, state, ..stage.clone() });
        }
        let kind = if number == 1 {
            BenefitKind::Health
        } else {
            BenefitKind::ALL[dice.pick_share([55, 22, 8, 5, 10])]
        };
        let plans_of_kind: Vec<usize> = (0..PLANS.len()).filter(|plan| PLANS[*plan].1 == kind).collect();
        let plan = dice.pick(&plans_of_kind);
        let vehicle = match kind {
            BenefitKind::Vehicle => {
                let owner = if is_company { Nature::Legal } else { Nature::Natural };
                generate_vehicle(dice, VehicleNumber::new(self.seed, FIRST_NUMBER + number, at), owner, 2026)
            }
            _ => VehicleDetails::default(),
        };
        let dependents = if kind == BenefitKind::Health {
            self.generate_deal_dependents(dice, lead, plan)
        } else {
            Vec::new()
        };
        let deal = Deal {
            sequence: 0,
            lead: LeadCode::new(0),
            branch: lead.branch,
            title: dice.roll_percent(60).then(|| PLANS[plan].0.to_owned()),
            funnel: FunnelCode::new(funnel),
            stage: stage.stage,
            stage_since: stage.at,
            responsible: user,
            kind: Some(kind),
            plans: vec![PlanCode::new(plan as i32 + 1)],
            price: Money::from_cents(PLANS[plan].2),
            expected_on: dice
                .roll_percent(70)
                .then(|| compute_date(i64::from(SHOWN_ON + dice.roll_range(1..45)))),
            state,
            lost_because: (state == DealState::Lost).then(|| dice.pick(LOST_BECAUSE).to_owned()),
            note: dice.roll_percent(20).then(|| dice.pick(MESSAGES).to_owned()),
            opened_on: compute_date(i64::from(created_day)),
            vehicle,
            benefit: None,
            version: 1,
            created_at: moves[0].at,
            updated_at: moves[moves.len() - 1].at,
        };
        SampleDeal { deal, moves, dependents }
    }

    fn generate_deal_dependents(
        &self,
        dice: &mut SeededDice,
        lead: &Lead,
        plan: usize,
    ) -> Vec<ProposedDependent> {
        (0..=dice.roll_range(0..3))
            .map(|_| {
                let sex = if dice.roll_percent(50) { Sex::Female } else { Sex::Male };
                ProposedDependent {
                    name: PersonName::generate(dice, sex).full_name(),
                    cpf: None,
                    born_on: Some(compute_date(
                        i64::from(SHOWN_ON) - i64::from(dice.roll_range(400..20_000)),
                    )),
                    sex: Some(sex),
                    kinship: dice.pick(KINSHIPS),
                    plans: vec![PlanCode::new(plan as i32 + 1)],
                    price: Money::from_cents(PLANS[plan].2),
                    phone: None,
                    email: None,
                    created_at: lead.created_at,
                    updated_at: lead.created_at,
                }
            })
            .collect()
    }
}

/// The first leads have one deal each, in every stage and every state.
fn find_showcase_deal(number: u32) -> Option<(usize, DealState)> {
    let (stages, at) = (FUNNEL.stages.len(), number as usize - 1);
    DealState::ALL.get(at / stages).map(|state| (at % stages, *state))
}

fn build_blank_lead(dice: &mut SeededDice, created_day: u32, branch: usize, city: &SampleCity) -> Lead {
    let created_at = pick_working_moment(dice, created_day);
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
        message: dice.roll_percent(50).then(|| dice.pick(MESSAGES).to_owned()),
        origin: Some(dice.pick_skewed(ORIGINS).to_owned()),
        consultant: None,
        active: true,
        version: 1,
        created_at,
        updated_at: created_at,
    }
}

/// Returns the counter's value and increments it.
pub fn take_next_code(counter: &mut i32) -> i32 {
    std::mem::replace(counter, *counter + 1)
}

pub fn take_next_dependent_code(counter: &mut i32) -> DependentCode {
    DependentCode::new(take_next_code(counter))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn there_are_some_for_every_association_and_never_too_many() {
        assert_eq!([0, 5, 50, 1_000, 20_000, 1_000_000].map(count_leads), [0, 5, 40, 50, 1_000, 5_000]);
    }

    #[test]
    fn leads_repeat_themselves_and_can_be_reached() {
        let generator = SampleGenerator::new(7, 4_000);
        let all: Vec<SampleLead> = (1..=200).map(|number| generator.generate_lead(number)).collect();
        assert_eq!(all[76], generator.generate_lead(77));
        for SampleLead { lead, deals, is_member } in &all {
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
