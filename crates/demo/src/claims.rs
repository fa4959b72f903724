//! Generates claims of demo members: collisions with or without a third party, thefts, tows. Derived from the seed and
//! the member's number, with a random stream of its own.

use crate::benefits::SampleBenefit;
use crate::calendar::{SHOWN_ON, compute_date, compute_day_number, pick_working_moment};
use crate::dice::SeededDice;
use crate::generator::SampleGenerator;
use crate::places::{self, BRANCHES};
use crate::plates::{MOST_VEHICLES, VehicleNumber};
use crate::vehicles::generate_vehicle;
use domain::{
    CaseHead, Claim, ClaimTypeCode, Involved, Moment, Nature, PersonCode, PostalAddress, Priority,
    SituationCode, UserCode, VehicleDetails,
};

/// A generated claim; codes are assigned on writing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SampleClaim {
    /// The index of the member's benefit.
    pub holding: usize,
    pub claim: Claim,
    /// Whether the member was the driver.
    pub drove: bool,
    /// Indexes of the member's related claims.
    pub related: Vec<usize>,
    /// When it reached its current situation, if that is not the first one.
    pub moved_at: Option<Moment>,
}

/// The streams of members and benefits have lower numbers.
const STREAM: u64 = 1 << 33;

/// The default situations of claims: their codes follow those of benefits.
const OPEN: i32 = 7;
const SITUATIONS: [i32; 6] = [OPEN, 8, 9, 10, 11, 12];
const SITUATION_SHARES: [u32; 6] = [8, 8, 8, 4, 64, 8];
/// The first closed situation.
const FIRST_CLOSED: i32 = 11;
const PRIORITY_SHARES: [u32; 4] = [40, 40, 15, 5];

/// Indexes of claim types, in the order in which they were registered.
const COLLISION: usize = 0;
const TOW: usize = 4;

const STORIES: &[&str] = &[
    "Colisão traseira em semáforo, sem feridos.",
    "Perda de controle em pista molhada.",
    "Veículo levado do estacionamento durante a noite.",
    "Para-brisa trincado por pedra na estrada.",
    "Pane elétrica; veículo rebocado até a oficina.",
    "Batida leve em manobra de garagem.",
];

impl SampleGenerator {
    pub(super) fn generate_claims(&self, number: u32, holdings: &[SampleBenefit]) -> Vec<SampleClaim> {
        let mut dice = SeededDice::new(self.seed, STREAM + u64::from(number));
        let mut all = Vec::new();
        for (holding, one) in holdings.iter().enumerate() {
            // The first vehicle of the first member has three claims that refer to each other in a ring.
            let is_shown = number == 1 && holding == 0;
            if one.benefit.vehicle == VehicleDetails::default() || !(is_shown || dice.roll_percent(8)) {
                continue;
            }
            let place = all.len();
            let kind = if is_shown { COLLISION } else { dice.pick_share([45, 15, 15, 10, 15]) };
            all.push(self.generate_claim(&mut dice, one, (holding, kind)));
            if kind == COLLISION && (is_shown || dice.roll_percent(40)) {
                let twin = self.generate_third_party_claim(&mut dice, number, &all[place]);
                all.push(twin);
                all[place].related.push(place + 1);
                all[place + 1].related.push(place);
            }
            if is_shown {
                let mut tow = self.generate_claim(&mut dice, one, (holding, TOW));
                tow.claim.happened_on = all[place].claim.happened_on;
                tow.related.push(place);
                all[place + 1].related = vec![place + 2];
                all.push(tow);
            }
        }
        all
    }

    fn generate_claim(
        &self,
        dice: &mut SeededDice,
        sample: &SampleBenefit,
        (holding, kind): (usize, usize),
    ) -> SampleClaim {
        let benefit = &sample.benefit;
        let since = compute_day_number(benefit.created_at);
        let happened = dice.roll_range(since..SHOWN_ON);
        let opened = (happened + dice.roll_range(0..4)).min(SHOWN_ON - 1);
        let situation = if opened + 60 < SHOWN_ON {
            FIRST_CLOSED + i32::from(dice.roll_percent(10))
        } else {
            SITUATIONS[dice.pick_share(SITUATION_SHARES)]
        };
        let moved = dice.roll_range(opened..SHOWN_ON.min(opened + 50).max(opened + 1));
        let opened_at = pick_working_moment(dice, opened).max(benefit.created_at);
        let moved_at = (situation != OPEN).then(|| pick_working_moment(dice, moved).max(opened_at));
        let city = dice.pick_ref(BRANCHES[benefit.branch.get() as usize - 1].cities);
        let priority = Priority::ALL[dice.pick_share(PRIORITY_SHARES)];
        let head = CaseHead {
            // The operator is responsible for the claims of their own branch, the administrator for the others.
            responsible: dice
                .roll_percent(85)
                .then(|| UserCode::new(if benefit.branch.get() == 2 { 2 } else { 1 })),
            situation_since: moved_at.unwrap_or(opened_at),
            closed_at: moved_at.filter(|_| situation >= FIRST_CLOSED),
            updated_at: moved_at.unwrap_or(opened_at),
            version: 1 + i32::from(moved_at.is_some()),
            ..CaseHead::from_opening(
                benefit.branch,
                PersonCode::new(0),
                SituationCode::new(situation),
                opened_at,
            )
        };
        let claim = Claim {
            head,
            kind: ClaimTypeCode::new(kind as i32 + 1),
            involved: Involved::Member,
            priority,
            description: dice.roll_percent(80).then(|| dice.pick(STORIES).to_owned()),
            happened_on: Some(compute_date(i64::from(happened))),
            driver: None,
            place: PostalAddress { kind: None, ..places::generate_address(dice, city, "") },
            vehicle: benefit.vehicle.clone(),
        };
        SampleClaim { holding, claim, drove: dice.roll_percent(70), related: Vec::new(), moved_at }
    }

    /// The third party of a collision, with a vehicle of their own.
    fn generate_third_party_claim(
        &self,
        dice: &mut SeededDice,
        number: u32,
        original: &SampleClaim,
    ) -> SampleClaim {
        let year = original.claim.happened_on.map_or(2016, |day| day.year().into());
        let other = generate_vehicle(
            dice,
            VehicleNumber::new(self.seed, number, MOST_VEHICLES - 1),
            Nature::Natural,
            year,
        );
        let claim = Claim {
            involved: Involved::ThirdParty,
            vehicle: VehicleDetails {
                worth: None,
                protected: None,
                participation: None,
                fipe: None,
                ..other
            },
            ..original.claim.clone()
        };
        SampleClaim { claim, drove: false, related: Vec::new(), ..original.clone() }
    }
}

/// The shares above expect this many types.
const _: () = assert!(registers::CLAIM_TYPES.len() == 5);
