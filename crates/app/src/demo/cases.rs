//! Inspections, tickets and appointments of a demonstration's members. What they are follows from the seed and the member's
//! number, by throws of its own; of which type, only from what the association registered.

use super::benefits::Holding;
use super::calendar::{SHOWN_ON, at_work, day_of};
use super::dice::Dice;
use super::names::PersonName;
use super::people::Crowd;
use crate::base::Registers;
use domain::{
    BenefitKind, BranchCode, CaseKind, DependentCode, InspectionTypeCode, Moment, PersonCode, Priority, Sex,
    SituationCode, UserCode,
};
use storage::cases::appointments::Appointment;
use storage::cases::inspections::{Checked, Inspection};
use storage::cases::tickets::Ticket;
use storage::cases::{Case, Head};

/// Something that is or was done for a member; of which type, its throw says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worked {
    pub kind: CaseKind,
    /// Which of his benefits it is about.
    pub holding: usize,
    /// But for what is counted.
    pub head: Head,
    /// When it came to where it stands, if that is not where it began.
    pub moved_at: Option<Moment>,
    throw: u32,
    text: &'static str,
    /// Who inspects, or when it takes place.
    inspector: String,
    planned_for: Moment,
    /// Whether one of his dependents goes.
    for_dependent: bool,
}

/// The throws for members, their benefits and claims have the numbers below.
const STREAM: u64 = 7 << 33;

/// How many hours a record may stay in a situation before somebody should look, by the code of the situation.
pub const LIMITS: [(i32, i32); 7] = [(7, 24), (8, 72), (10, 240), (13, 72), (18, 24), (19, 72), (23, 240)];

/// Where each begins, and where it goes: the situations that every association is born with, by code, with their shares
/// while it is new and when it is old.
struct Stands {
    open: i32,
    new: &'static [(i32, u32)],
    old: &'static [(i32, u32)],
    /// Those in which it is over.
    over: &'static [i32],
}

const INSPECTIONS: Stands = Stands {
    open: 13,
    new: &[(13, 30), (14, 25), (15, 35), (16, 5), (17, 5)],
    old: &[(15, 85), (16, 10), (17, 5)],
    over: &[15, 16, 17],
};
const TICKETS: Stands = Stands {
    open: 18,
    new: &[(18, 25), (19, 20), (20, 15), (21, 35), (22, 5)],
    old: &[(21, 92), (22, 8)],
    over: &[21, 22],
};
const APPOINTMENTS: Stands = Stands {
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

/// Before so many days it is new.
const NEW: u32 = 20;

impl Crowd {
    pub(super) fn cases(&self, number: u32, holdings: &[Holding]) -> Vec<Worked> {
        let mut dice = Dice::new(self.seed, STREAM + u64::from(number));
        let mut all = Vec::new();
        for (holding, one) in holdings.iter().enumerate() {
            // The first member shows everything.
            let is_shown = number == 1 && holding == 0;
            if one.benefit.kind == BenefitKind::Vehicle && (dice.percent(18) || is_shown) {
                all.push(worked(&mut dice, CaseKind::Inspection, (holding, one)));
            }
            if dice.percent(10) || is_shown {
                all.push(worked(&mut dice, CaseKind::Ticket, (holding, one)));
            }
            if one.benefit.kind == BenefitKind::Health && dice.percent(30) || is_shown {
                all.push(worked(&mut dice, CaseKind::Appointment, (holding, one)));
            }
        }
        all
    }
}

fn stands(kind: CaseKind) -> &'static Stands {
    match kind {
        CaseKind::Ticket => &TICKETS,
        CaseKind::Appointment => &APPOINTMENTS,
        CaseKind::Inspection | CaseKind::Claim => &INSPECTIONS,
    }
}

fn worked(dice: &mut Dice, kind: CaseKind, (holding, of): (usize, &Holding)) -> Worked {
    let (benefit, stands) = (&of.benefit, stands(kind));
    let since = day_of(benefit.created_at);
    // Most of what is worked on is of these days.
    let opened = match dice.percent(40) {
        true => dice.in_range(since.clamp(SHOWN_ON - NEW, SHOWN_ON - 1)..SHOWN_ON),
        false => dice.in_range(since..SHOWN_ON),
    };
    let shares = if opened + NEW < SHOWN_ON { stands.old } else { stands.new };
    let stand = shares[dice.share(shares.iter().map(|(_, share)| *share))].0;
    let moved = dice.in_range(opened..SHOWN_ON.min(opened + 15).max(opened + 1));
    let opened_at = at_work(dice, opened).max(benefit.created_at);
    let moved_at = (stand != stands.open).then(|| at_work(dice, moved).max(opened_at));
    let texts = match kind {
        CaseKind::Ticket => QUESTIONS,
        CaseKind::Appointment => VISITS,
        CaseKind::Inspection | CaseKind::Claim => LOOKS,
    };
    let head = Head {
        // The operator sees to what belongs to his branch, the administrator to the rest.
        responsible: dice.percent(85).then(|| UserCode::new(if benefit.branch.get() == 2 { 2 } else { 1 })),
        situation_since: moved_at.unwrap_or(opened_at),
        closed_at: moved_at.filter(|_| stands.over.contains(&stand)),
        version: 1 + i32::from(moved_at.is_some()),
        updated_at: moved_at.unwrap_or(opened_at),
        ..blank(benefit.branch, SituationCode::new(stand), opened_at)
    };
    let sex = if dice.percent(50) { Sex::Female } else { Sex::Male };
    Worked {
        kind,
        holding,
        head,
        moved_at,
        throw: dice.in_range(0..1_000),
        text: dice.pick(texts),
        inspector: PersonName::of(dice, sex).full(),
        planned_for: at_work(dice, opened + 3),
        for_dependent: dice.percent(40),
    }
}

fn blank(branch: BranchCode, situation: SituationCode, opened_at: Moment) -> Head {
    Head::opened(branch, PersonCode::new(0), situation, opened_at)
}

/// One of those that are in use, always the same for the same throw.
fn thrown<T>(all: &[T], throw: u32, code: impl Fn(&T) -> i32) -> Option<&T> {
    let mut all: Vec<&T> = all.iter().collect();
    all.sort_by_key(|one| code(one));
    all.get(throw as usize % all.len().max(1)).copied()
}

impl Worked {
    /// Where it began.
    pub fn began(&self) -> SituationCode {
        SituationCode::new(stands(self.kind).open)
    }

    /// Whether the association has what it is of.
    pub fn is_possible(&self, registers: &Registers) -> bool {
        match self.kind {
            CaseKind::Inspection => !registers.inspection_types.is_empty(),
            CaseKind::Ticket => !registers.ticket_types.is_empty(),
            CaseKind::Appointment => true,
            CaseKind::Claim => false,
        }
    }

    /// The case, with its head as it is written.
    pub fn case(&self, registers: &Registers, head: Head, dependents: &[DependentCode]) -> Case {
        match self.kind {
            CaseKind::Ticket => {
                let kind = thrown(&registers.ticket_types, self.throw, |one| one.code.get());
                Case::Ticket(Ticket {
                    head,
                    kind: kind.map_or(domain::TicketTypeCode::new(0), |one| one.code),
                    priority: kind.map_or(Priority::Medium, |one| one.priority),
                    description: Some(self.text.to_owned()),
                })
            }
            CaseKind::Appointment => self.appointment(registers, head, dependents),
            CaseKind::Inspection | CaseKind::Claim => self.inspection(registers, head),
        }
    }

    fn inspection(&self, registers: &Registers, head: Head) -> Case {
        let kind = thrown(&registers.inspection_types, self.throw, |one| one.code.get());
        let items = kind.map(|one| one.checklist.clone()).unwrap_or_default();
        let is_over = head.closed_at.is_some();
        let failed = head.situation == SituationCode::new(16);
        let checked = items.into_iter().enumerate().map(|(number, item)| {
            let fits = is_over.then_some(!(failed && number == 0));
            Checked { item, fits, note: (fits == Some(false)).then(|| "Refazer.".to_owned()) }
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

    fn appointment(&self, registers: &Registers, head: Head, dependents: &[DependentCode]) -> Case {
        let doctor = thrown(&registers.doctors, self.throw, |one| one.code.get());
        let clinic = doctor.and_then(|doctor| doctor.clinic);
        let dependent = dependents.first().filter(|_| self.for_dependent && head.benefit.is_some());
        Case::Appointment(Appointment {
            dependent: dependent.copied(),
            takes_place_at: Some(self.planned_for),
            specialty: doctor.and_then(|doctor| doctor.specialty),
            clinic,
            doctor: doctor.map(|doctor| doctor.code),
            address: clinic.and_then(|code| registers.clinic(code)).and_then(|one| one.address.one_line()),
            note: Some(self.text.to_owned()),
            head,
        })
    }
}
