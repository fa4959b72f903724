//! The cases that staff work on: claims, inspections, tickets and appointments. They share a head and a life cycle.

use crate::{
    BenefitCode, BranchCode, CaseKind, ClaimTypeCode, ClinicCode, Date, DependentCode, DoctorCode,
    InspectionTypeCode, Involved, Moment, PersonCode, PostalAddress, Priority, SituationCode, SpecialtyCode,
    TicketTypeCode, UserCode, VehicleDetails,
};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Case {
    Claim(Box<Claim>),
    Inspection(Inspection),
    Ticket(Ticket),
    Appointment(Appointment),
}

impl Case {
    pub fn kind(&self) -> CaseKind {
        match self {
            Case::Claim(_) => CaseKind::Claim,
            Case::Inspection(_) => CaseKind::Inspection,
            Case::Ticket(_) => CaseKind::Ticket,
            Case::Appointment(_) => CaseKind::Appointment,
        }
    }

    pub fn head(&self) -> &CaseHead {
        match self {
            Case::Claim(claim) => &claim.head,
            Case::Inspection(inspection) => &inspection.head,
            Case::Ticket(ticket) => &ticket.head,
            Case::Appointment(appointment) => &appointment.head,
        }
    }

    pub fn head_mut(&mut self) -> &mut CaseHead {
        match self {
            Case::Claim(claim) => &mut claim.head,
            Case::Inspection(inspection) => &mut inspection.head,
            Case::Ticket(ticket) => &mut ticket.head,
            Case::Appointment(appointment) => &mut appointment.head,
        }
    }

    pub fn priority(&self) -> Option<Priority> {
        match self {
            Case::Claim(claim) => Some(claim.priority),
            Case::Ticket(ticket) => Some(ticket.priority),
            Case::Inspection(_) | Case::Appointment(_) => None,
        }
    }
}

/// The columns that all cases share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseHead {
    /// The number shown to people; unique per kind and tenant.
    pub protocol: i32,
    pub branch: BranchCode,
    /// The member.
    pub person: PersonCode,
    pub benefit: Option<BenefitCode>,
    pub situation: SituationCode,
    /// When it entered its situation.
    pub situation_since: Moment,
    /// The user in charge.
    pub responsible: Option<UserCode>,
    pub opened_at: Moment,
    pub closed_at: Option<Moment>,
    /// Number of changes, starting at 1.
    pub version: i32,
    pub updated_at: Moment,
}

impl CaseHead {
    /// The head of a new case, before its numbers are assigned.
    pub fn from_opening(
        branch: BranchCode,
        person: PersonCode,
        situation: SituationCode,
        now: Moment,
    ) -> CaseHead {
        CaseHead {
            protocol: 0,
            branch,
            person,
            benefit: None,
            situation,
            situation_since: now,
            responsible: None,
            opened_at: now,
            closed_at: None,
            version: 1,
            updated_at: now,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    pub head: CaseHead,
    pub kind: ClaimTypeCode,
    pub involved: Involved,
    pub priority: Priority,
    pub description: Option<String>,
    pub happened_on: Option<Date>,
    /// The driver, who need not be a member.
    pub driver: Option<PersonCode>,
    pub place: PostalAddress,
    /// A copy of the vehicle data when the claim was opened.
    pub vehicle: VehicleDetails,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inspection {
    pub head: CaseHead,
    pub kind: InspectionTypeCode,
    pub inspector: Option<String>,
    pub planned_for: Option<Moment>,
    pub place: Option<String>,
    pub note: Option<String>,
    pub checklist: Vec<ChecklistEntry>,
}

/// An item of the checklist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChecklistEntry {
    pub item: String,
    /// Whether it is in order; `None` until it was inspected.
    pub fits: Option<bool>,
    pub note: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ticket {
    pub head: CaseHead,
    pub kind: TicketTypeCode,
    pub priority: Priority,
    pub description: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Appointment {
    pub head: CaseHead,
    /// The patient, if it is a dependent and not the member.
    pub dependent: Option<DependentCode>,
    pub takes_place_at: Option<Moment>,
    pub specialty: Option<SpecialtyCode>,
    pub clinic: Option<ClinicCode>,
    pub doctor: Option<DoctorCode>,
    /// A single line.
    pub address: Option<String>,
    pub note: Option<String>,
}
