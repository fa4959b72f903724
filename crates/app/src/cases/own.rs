//! What claims, inspections, tickets and appointments have each of their own, judged and put onto them.

use super::Input;
use super::given::Judge;
use crate::people::apply_address;
use crate::{Error, vehicles};
use domain::{
    CaseKind, ClaimCode, ClaimTypeCode, Field, InspectionTypeCode, Involved, PostalAddress, Priority,
    Rejection, TicketTypeCode, When,
};
use storage::benefits::{Benefit, Vehicle};
use storage::cases::appointments::Appointment;
use storage::cases::inspections::{Checked, Inspection};
use storage::cases::tickets::Ticket;
use storage::cases::{Case, Head};
use storage::claims::{self, Claim};
use storage::dependents;
use wire::read::Given;
use wire::records::{
    ChecklistItemInput, ConsultaGestaoInput, EventoGestaoInput, HelpDeskGestaoInput, VistoriaGestaoInput,
};

/// One of which nothing is known but its head.
pub(super) fn blank(kind: CaseKind, head: Head) -> Case {
    match kind {
        CaseKind::Claim => Case::Claim(Box::new(Claim {
            head,
            kind: ClaimTypeCode::new(0),
            involved: Involved::Member,
            priority: Priority::Medium,
            description: None,
            happened_on: None,
            driver: None,
            place: PostalAddress::default(),
            vehicle: Vehicle::default(),
        })),
        CaseKind::Inspection => Case::Inspection(Inspection {
            head,
            kind: InspectionTypeCode::new(0),
            inspector: None,
            planned_for: None,
            place: None,
            note: None,
            checklist: Vec::new(),
        }),
        CaseKind::Ticket => Case::Ticket(Ticket {
            head,
            kind: TicketTypeCode::new(0),
            priority: Priority::Medium,
            description: None,
        }),
        CaseKind::Appointment => Case::Appointment(Appointment {
            head,
            dependent: None,
            takes_place_at: None,
            specialty: None,
            clinic: None,
            doctor: None,
            address: None,
            note: None,
        }),
    }
}

/// The code of what changes, and whether it is there; `None` of something new.
type Changing = Option<(i32, bool)>;

impl Judge<'_> {
    /// Puts what was sent onto a case of its kind; gives the claims that belong to it, where they were sent.
    pub(super) async fn own(
        &mut self,
        input: &Input,
        case: &mut Case,
        changing: Changing,
        benefit: Option<&Benefit>,
    ) -> Result<Option<Vec<ClaimCode>>, Error> {
        match (input, case) {
            (Input::Claim(input), Case::Claim(claim)) => self.claim(input, claim, changing, benefit).await,
            (Input::Inspection(input), Case::Inspection(inspection)) => {
                self.inspection(input, inspection, changing.is_none());
                Ok(None)
            }
            (Input::Ticket(input), Case::Ticket(ticket)) => {
                self.ticket(input, ticket, changing.is_none());
                Ok(None)
            }
            (Input::Appointment(input), Case::Appointment(appointment)) => {
                self.appointment(input, appointment).await?;
                Ok(None)
            }
            _ => Err(Error::Text("what was sent is not of the kind of its case".to_owned())),
        }
    }

    async fn claim(
        &mut self,
        input: &EventoGestaoInput,
        claim: &mut Claim,
        changing: Changing,
        benefit: Option<&Benefit>,
    ) -> Result<Option<Vec<ClaimCode>>, Error> {
        let (registers, is_new) = (self.registers, changing.is_none());
        let usable = |code| registers.claim_type(code).is_some_and(|one| one.active);
        self.needed(&input.kind, &mut claim.kind, (Field::ClaimKind, is_new), (ClaimTypeCode::get, usable));
        self.always(&input.involved, &mut claim.involved, (Field::Involved, is_new));
        self.always(&input.priority, &mut claim.priority, (Field::Priority, is_new));
        input.description.change(&mut claim.description, |note| note.as_str().to_owned());
        input.happened.change(&mut claim.happened_on, |day| day.to_iso());
        if let Given::Set(driver) = input.driver
            && claim.driver != Some(driver)
        {
            self.visible(Field::Driver, driver).await?;
        }
        input.driver.change(&mut claim.driver, |driver| *driver);
        match &input.place {
            Given::Set(place) => apply_address(place, &mut claim.place),
            Given::Clear => claim.place = PostalAddress::default(),
            Given::Keep => {}
        }
        // Where it happened is nobody's home.
        claim.place.kind = None;
        match &input.vehicle {
            Given::Set(vehicle) => {
                vehicles::apply_whole(registers, vehicle, &mut claim.vehicle, &mut self.problems);
            }
            Given::Clear => claim.vehicle = Vehicle::default(),
            Given::Keep if is_new => {
                claim.vehicle = benefit.map(|benefit| benefit.vehicle.clone()).unwrap_or_default();
            }
            Given::Keep => {}
        }
        self.related(&input.related, changing).await
    }

    /// Each once, by code; all of them seen by the caller, and none the claim itself.
    async fn related(
        &mut self,
        given: &Given<Vec<ClaimCode>>,
        changing: Changing,
    ) -> Result<Option<Vec<ClaimCode>>, Error> {
        let codes = match given {
            Given::Keep => return Ok(None),
            Given::Clear => return Ok(Some(Vec::new())),
            Given::Set(codes) => codes,
        };
        let mut wanted = codes.clone();
        wanted.sort_unstable();
        wanted.dedup();
        let found: Vec<ClaimCode> = match wanted.is_empty() {
            true => Vec::new(),
            false => {
                let told = claims::find(&mut *self.tx, self.scope, wanted.iter().copied()).await?;
                told.into_iter().map(|told| told.code).collect()
            }
        };
        let own = changing.map(|(code, _)| ClaimCode::new(code));
        for code in &wanted {
            if !found.contains(code) || Some(*code) == own {
                self.unknown(Field::Related, code.get());
            }
        }
        Ok(Some(wanted))
    }

    fn inspection(&mut self, input: &VistoriaGestaoInput, inspection: &mut Inspection, is_new: bool) {
        let registers = self.registers;
        let usable = |code| registers.inspection_type(code).is_some_and(|one| one.active);
        let field = (Field::InspectionKind, is_new);
        self.needed(&input.kind, &mut inspection.kind, field, (InspectionTypeCode::get, usable));
        input.inspector.change(&mut inspection.inspector, ToString::to_string);
        input.planned.change(&mut inspection.planned_for, |when: &When| when.moment_in(&registers.zone));
        input.place.change(&mut inspection.place, ToString::to_string);
        input.note.change(&mut inspection.note, |note| note.as_str().to_owned());
        match &input.checklist {
            Given::Set(items) => inspection.checklist = items.iter().map(checked).collect(),
            Given::Clear => inspection.checklist.clear(),
            Given::Keep if is_new => {
                let kind = registers.inspection_type(inspection.kind);
                let items = kind.map(|kind| kind.checklist.clone()).unwrap_or_default();
                let unseen = |item| Checked { item, fits: None, note: None };
                inspection.checklist = items.into_iter().map(unseen).collect();
            }
            Given::Keep => {}
        }
    }

    fn ticket(&mut self, input: &HelpDeskGestaoInput, ticket: &mut Ticket, is_new: bool) {
        let registers = self.registers;
        let usable = |code| registers.ticket_type(code).is_some_and(|one| one.active);
        self.needed(
            &input.kind,
            &mut ticket.kind,
            (Field::TicketKind, is_new),
            (TicketTypeCode::get, usable),
        );
        if let (true, Some(kind)) = (is_new, registers.ticket_type(ticket.kind)) {
            ticket.priority = kind.priority;
        }
        self.always(&input.priority, &mut ticket.priority, (Field::Priority, is_new));
        input.description.change(&mut ticket.description, |note| note.as_str().to_owned());
    }

    async fn appointment(&mut self, input: &ConsultaGestaoInput, own: &mut Appointment) -> Result<(), Error> {
        let registers = self.registers;
        let had_clinic = own.clinic;
        let specialty = |code| registers.specialty(code).is_some_and(|one| one.active);
        let clinic = |code| registers.clinic(code).is_some_and(|one| one.active);
        let doctor = |code| registers.doctor(code).is_some_and(|one| one.active);
        let had_doctor = own.doctor;
        self.possible(&input.doctor, &mut own.doctor, Field::Doctor, (domain::DoctorCode::get, doctor));
        // A doctor who is new here brings with him what was not said.
        if let Some(known) =
            own.doctor.filter(|_| own.doctor != had_doctor).and_then(|code| registers.doctor(code))
        {
            own.specialty = known.specialty.or(own.specialty);
            own.clinic = known.clinic.or(own.clinic);
        }
        let number = domain::SpecialtyCode::get;
        self.possible(&input.specialty, &mut own.specialty, Field::Specialty, (number, specialty));
        self.possible(&input.clinic, &mut own.clinic, Field::Clinic, (domain::ClinicCode::get, clinic));
        input.at.change(&mut own.takes_place_at, |when: &When| when.moment_in(&registers.zone));
        input.note.change(&mut own.note, |note| note.as_str().to_owned());
        let line = |code: Option<_>| {
            code.and_then(|code| registers.clinic(code)).and_then(|clinic| clinic.address.one_line())
        };
        // Where the clinic is goes with the clinic, unless somebody said otherwise.
        if own.clinic != had_clinic && own.address == line(had_clinic) {
            own.address = line(own.clinic);
        }
        input.address.change(&mut own.address, ToString::to_string);
        self.dependent(input, own).await
    }

    /// Who goes is a dependent of the benefit, in force.
    async fn dependent(&mut self, input: &ConsultaGestaoInput, own: &mut Appointment) -> Result<(), Error> {
        let code = match input.dependent {
            Given::Clear => {
                own.dependent = None;
                return Ok(());
            }
            Given::Keep if !matches!(input.case.benefit, Given::Keep) => own.dependent,
            Given::Keep => return Ok(()),
            Given::Set(code) => Some(code),
        };
        let Some(code) = code else { return Ok(()) };
        let Some(benefit) = own.head.benefit else {
            self.problems.push(Rejection::DependentWithoutBenefit);
            return Ok(());
        };
        let found = dependents::find(&mut *self.tx, self.scope.tenant(), benefit, code).await?;
        let is_kept = own.dependent == Some(code);
        if !found.is_some_and(|one| one.active || is_kept) {
            self.problems.push(Rejection::UnknownDependent { code, benefit });
        }
        own.dependent = Some(code);
        Ok(())
    }
}

fn checked(input: &ChecklistItemInput) -> Checked {
    Checked {
        item: input.item.to_string(),
        fits: input.fits.clone().set(),
        note: input.note.clone().set().map(|note| note.to_string()),
    }
}
