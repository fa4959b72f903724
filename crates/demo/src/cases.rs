//! Generates inspections, tickets and appointments of demo members from the seed and the member's number, with a random
//! stream of its own. Their types depend on the association's registers.

use crate::benefits::SampleBenefit;
use crate::calendar::{SHOWN_ON, compute_day_number, pick_working_moment};
use crate::dice::SeededDice;
use crate::generator::SampleGenerator;
use crate::names::PersonName;
use app::register_snapshot::TenantRegisters;
use domain::{
    Appointment, BenefitKind, BranchCode, Case, CaseHead, CaseKind, ChecklistEntry, DependentCode,
    Inspection, InspectionTypeCode, Moment, PersonCode, Priority, Sex, SituationCode, Ticket, UserCode,
};

/// A generated case; `throw` selects its type when it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SampleCase {
    pub kind: CaseKind,
    /// The index of the member's benefit.
    pub holding: usize,
    /// Without codes and protocol.
    pub head: CaseHead,
    /// When it reached its current situation, if that is not the first one.
    pub moved_at: Option<Moment>,
    throw: u32,
    text: &'static str,
    /// The inspector of an inspection, or the time of an appointment.
    inspector: String,
    planned_for: Moment,
    /// Whether the appointment is for a dependent.
    for_dependent: bool,
}

/// The streams of members, benefits and claims have lower numbers.
const STREAM: u64 = 7 << 33;

/// Situation code, and the hours after which a record in it counts as overdue.
pub const LIMITS: [(i32, i32); 7] = [(7, 24), (8, 72), (10, 240), (13, 72), (18, 24), (19, 72), (23, 240)];

/// The first situation of a case kind and the shares of the later ones, for new and for old cases. Codes are those of
/// the default situations.
struct CaseSituationShares {
    open: i32,
    new: &'static [(i32, u32)],
    old: &'static [(i32, u32)],
    /// Closed situations.
    over: &'static [i32],
}

const INSPECTIONS: CaseSituationShares = CaseSituationShares {
    open: 13,
    new: &[(13, 30), (14, 25), (15, 35), (16, 5), (17, 5)],
    old: &[(15, 85), (16, 10), (17, 5)],
    over: &[15, 16, 17],
};
const TICKETS: CaseSituationShares = CaseSituationShares {
    open: 18,
    new: &[(18, 25), (19, 20), (20, 15), (21, 35), (22, 5)],
    old: &[(21, 92), (22, 8)],
    over: &[21, 22],
};
const APPOINTMENTS: CaseSituationShares = CaseSituationShares {
    open: 23,
    new: &[(23, 40), (24, 35), (25, 15), (26, 5), (27, 5)],
    old: &[(25, 80), (26, 10), (27, 10)],
    over: &[25, 26, 27],
};

const QUESTIONS: &[&str] = &[
    "Pede a segunda via do boleto deste mês.",
    "Quer trocar o dia de vencimento.",
    "Mudou de endereço e pede a atualização.",
    "Pergunta que oficinas atendem na sua cidade.",
    "Reclama da demora do guincho.",
    "Quer incluir um dependente.",
];
const LOOKS: &[&str] = &["Na sede.", "Na casa do associado.", "Por fotos.", "Na oficina."];
const VISITS: &[&str] =
    &["Levar exames anteriores.", "Primeira consulta.", "Retorno.", "Jejum de oito horas."];

/// A case counts as new for this many days.
const NEW_FOR_DAYS: u32 = 20;

impl SampleGenerator {
    pub(super) fn generate_cases(&self, number: u32, holdings: &[SampleBenefit]) -> Vec<SampleCase> {
        let mut dice = SeededDice::new(self.seed, STREAM + u64::from(number));
        let mut all = Vec::new();
        for (holding, one) in holdings.iter().enumerate() {
            // The first member has one of everything.
            let is_shown = number == 1 && holding == 0;
            if one.benefit.kind == BenefitKind::Vehicle && (dice.roll_percent(18) || is_shown) {
                all.push(generate_case(&mut dice, CaseKind::Inspection, (holding, one)));
            }
            if dice.roll_percent(10) || is_shown {
                all.push(generate_case(&mut dice, CaseKind::Ticket, (holding, one)));
            }
            if one.benefit.kind == BenefitKind::Health && dice.roll_percent(30) || is_shown {
                all.push(generate_case(&mut dice, CaseKind::Appointment, (holding, one)));
            }
        }
        all
    }
}

fn find_situation_shares(kind: CaseKind) -> &'static CaseSituationShares {
    match kind {
        CaseKind::Ticket => &TICKETS,
        CaseKind::Appointment => &APPOINTMENTS,
        CaseKind::Inspection | CaseKind::Claim => &INSPECTIONS,
    }
}

fn generate_case(
    dice: &mut SeededDice,
    kind: CaseKind,
    (holding, sample): (usize, &SampleBenefit),
) -> SampleCase {
    let (benefit, situation_shares) = (&sample.benefit, find_situation_shares(kind));
    let since = compute_day_number(benefit.created_at);
    // Most open cases are recent.
    let opened = match dice.roll_percent(40) {
        true => dice.roll_range(since.clamp(SHOWN_ON - NEW_FOR_DAYS, SHOWN_ON - 1)..SHOWN_ON),
        false => dice.roll_range(since..SHOWN_ON),
    };
    let shares = if opened + NEW_FOR_DAYS < SHOWN_ON { situation_shares.old } else { situation_shares.new };
    let situation = shares[dice.pick_share(shares.iter().map(|(_, share)| *share))].0;
    let moved = dice.roll_range(opened..SHOWN_ON.min(opened + 15).max(opened + 1));
    let opened_at = pick_working_moment(dice, opened).max(benefit.created_at);
    let moved_at =
        (situation != situation_shares.open).then(|| pick_working_moment(dice, moved).max(opened_at));
    let texts = match kind {
        CaseKind::Ticket => QUESTIONS,
        CaseKind::Appointment => VISITS,
        CaseKind::Inspection | CaseKind::Claim => LOOKS,
    };
    let head = CaseHead {
        // The operator is responsible for the cases of their own branch, the administrator for the others.
        responsible: dice
            .roll_percent(85)
            .then(|| UserCode::new(if benefit.branch.get() == 2 { 2 } else { 1 })),
        situation_since: moved_at.unwrap_or(opened_at),
        closed_at: moved_at.filter(|_| situation_shares.over.contains(&situation)),
        version: 1 + i32::from(moved_at.is_some()),
        updated_at: moved_at.unwrap_or(opened_at),
        ..build_case_head(benefit.branch, SituationCode::new(situation), opened_at)
    };
    let sex = if dice.roll_percent(50) { Sex::Female } else { Sex::Male };
    SampleCase {
        kind,
        holding,
        head,
        moved_at,
        throw: dice.roll_range(0..1_000),
        text: dice.pick(texts),
        inspector: PersonName::generate(dice, sex).full_name(),
        planned_for: pick_working_moment(dice, opened + 3),
        for_dependent: dice.roll_percent(40),
    }
}

fn build_case_head(branch: BranchCode, situation: SituationCode, opened_at: Moment) -> CaseHead {
    CaseHead::from_opening(branch, PersonCode::new(0), situation, opened_at)
}

/// Picks an active record; the same `throw` always gives the same one.
fn pick_by_throw<T>(all: &[T], throw: u32, code: impl Fn(&T) -> i32) -> Option<&T> {
    let mut all: Vec<&T> = all.iter().collect();
    all.sort_by_key(|one| code(one));
    all.get(throw as usize % all.len().max(1)).copied()
}

impl SampleCase {
    pub fn first_situation(&self) -> SituationCode {
        SituationCode::new(find_situation_shares(self.kind).open)
    }

    /// Whether the association has a type for this case.
    pub fn is_possible(&self, registers: &TenantRegisters) -> bool {
        match self.kind {
            CaseKind::Inspection => !registers.inspection_types.is_empty(),
            CaseKind::Ticket => !registers.ticket_types.is_empty(),
            CaseKind::Appointment => true,
            CaseKind::Claim => false,
        }
    }

    /// Builds the case with its final head.
    pub fn build_case(
        &self,
        registers: &TenantRegisters,
        head: CaseHead,
        dependents: &[DependentCode],
    ) -> Case {
        match self.kind {
            CaseKind::Ticket => {
                let kind = pick_by_throw(&registers.ticket_types, self.throw, |one| one.code.get());
                Case::Ticket(Ticket {
                    head,
                    kind: kind.map_or(domain::TicketTypeCode::new(0), |one| one.code),
                    priority: kind.map_or(Priority::Medium, |one| one.priority),
                    description: Some(self.text.to_owned()),
                })
            }
            CaseKind::Appointment => self.build_appointment(registers, head, dependents),
            CaseKind::Inspection | CaseKind::Claim => self.build_inspection(registers, head),
        }
    }

    fn build_inspection(&self, registers: &TenantRegisters, head: CaseHead) -> Case {
        let kind = pick_by_throw(&registers.inspection_types, self.throw, |one| one.code.get());
        let items = kind.map(|one| one.checklist.clone()).unwrap_or_default();
        let is_over = head.closed_at.is_some();
        let failed = head.situation == SituationCode::new(16);
        let checked = items.into_iter().enumerate().map(|(number, item)| {
            let fits = is_over.then_some(!(failed && number == 0));
            ChecklistEntry { item, fits, note: (fits == Some(false)).then(|| "Refazer.".to_owned()) }
        });
        Case::Inspection(Inspection {
            kind: kind.map_or(InspectionTypeCode::new(0), |one| one.code),
            inspector: Some(self.inspector.clone()),
            planned_for: Some(self.planned_for),
            place: None,
            note: Some(self.text.to_owned()),
            checklist: checked.collect(),
            head,
        })
    }

    fn build_appointment(
        &self,
        registers: &TenantRegisters,
        head: CaseHead,
        dependents: &[DependentCode],
    ) -> Case {
        let doctor = pick_by_throw(&registers.doctors, self.throw, |one| one.code.get());
        let clinic = doctor.and_then(|doctor| doctor.clinic);
        let dependent = dependents.first().filter(|_| self.for_dependent && head.benefit.is_some());
        Case::Appointment(Appointment {
            dependent: dependent.copied(),
            takes_place_at: Some(self.planned_for),
            specialty: doctor.and_then(|doctor| doctor.specialty),
            clinic,
            doctor: doctor.map(|doctor| doctor.code),
            address: clinic.and_then(|code| registers.clinic(code)).and_then(|one| one.address.format_line()),
            note: Some(self.text.to_owned()),
            head,
        })
    }
}
