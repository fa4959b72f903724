//! Validates and applies the fields that only claims, inspections, tickets or appointments have.

use super::AnyCaseInput;
use super::validate::SentCaseValidator;
use crate::Error;
use crate::benefits::vehicle;
use crate::members::apply_address;
use domain::{
    Appointment, Benefit, Case, CaseHead, CaseKind, ChecklistEntry, Claim, ClaimCode, ClaimTypeCode,
    InputField, Inspection, InspectionTypeCode, Involved, PostalAddress, Priority, Rejection, Ticket,
    TicketTypeCode, VehicleDetails, WrittenMoment, is_usable_reference,
};
use storage::cases::claims;
use storage::members::dependents;
use wire::read::FieldPatch;
use wire::records::{
    ChecklistItemInput, ConsultaGestaoInput, EventoGestaoInput, HelpDeskGestaoInput, VistoriaGestaoInput,
};

/// A case with a head and otherwise empty fields.
pub(super) fn build_blank_case(kind: CaseKind, head: CaseHead) -> Case {
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
            vehicle: VehicleDetails::default(),
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

/// The code of the case to change and whether it exists; `None` for a new case.
type ExistingCaseCode = Option<(i32, bool)>;

impl SentCaseValidator<'_> {
    /// Applies the input to a case of the same kind; returns the related claims if they were sent.
    pub(super) async fn apply_kind_fields(
        &mut self,
        input: &AnyCaseInput,
        case: &mut Case,
        existing: ExistingCaseCode,
        benefit: Option<&Benefit>,
    ) -> Result<Option<Vec<ClaimCode>>, Error> {
        match (input, case) {
            (AnyCaseInput::Claim(input), Case::Claim(claim)) => {
                self.apply_claim_fields(input, claim, existing, benefit).await
            }
            (AnyCaseInput::Inspection(input), Case::Inspection(inspection)) => {
                self.apply_inspection_fields(input, inspection, existing.is_none());
                Ok(None)
            }
            (AnyCaseInput::Ticket(input), Case::Ticket(ticket)) => {
                self.apply_ticket_fields(input, ticket, existing.is_none());
                Ok(None)
            }
            (AnyCaseInput::Appointment(input), Case::Appointment(appointment)) => {
                self.apply_appointment_fields(input, appointment).await?;
                Ok(None)
            }
            _ => Err(Error::Defect("what was sent is not of the kind of its case".to_owned())),
        }
    }

    async fn apply_claim_fields(
        &mut self,
        input: &EventoGestaoInput,
        claim: &mut Claim,
        existing: ExistingCaseCode,
        benefit: Option<&Benefit>,
    ) -> Result<Option<Vec<ClaimCode>>, Error> {
        let (registers, is_new) = (self.registers, existing.is_none());
        let usable = |code| registers.claim_type(code).is_some_and(|one| one.active);
        self.apply_required_code(
            &input.kind,
            &mut claim.kind,
            (InputField::ClaimKind, is_new),
            (ClaimTypeCode::get, usable),
        );
        self.apply_required_choice(&input.involved, &mut claim.involved, (InputField::Involved, is_new));
        self.apply_required_choice(&input.priority, &mut claim.priority, (InputField::Priority, is_new));
        input.description.apply_to(&mut claim.description, |note| note.as_str().to_owned());
        input.happened.apply_to(&mut claim.happened_on, |day| *day);
        if let FieldPatch::Set(driver) = input.driver
            && claim.driver != Some(driver)
        {
            self.require_visible_person(InputField::Driver, driver).await?;
        }
        input.driver.apply_to(&mut claim.driver, |driver| *driver);
        match &input.place {
            FieldPatch::Set(place) => apply_address(place, &mut claim.place),
            FieldPatch::Clear => claim.place = PostalAddress::default(),
            FieldPatch::Keep => {}
        }
        // The place of a claim is not the address of a person, so it has no kind.
        claim.place.kind = None;
        match &input.vehicle {
            FieldPatch::Set(vehicle) => {
                vehicle::apply_full_vehicle(registers, vehicle, &mut claim.vehicle, &mut self.problems);
            }
            FieldPatch::Clear => claim.vehicle = VehicleDetails::default(),
            FieldPatch::Keep if is_new => {
                claim.vehicle = benefit.map(|benefit| benefit.vehicle.clone()).unwrap_or_default();
            }
            FieldPatch::Keep => {}
        }
        self.check_related_claims(&input.related, existing).await
    }

    /// Sorted and without duplicates; all must be visible to the caller, and the claim itself is refused.
    async fn check_related_claims(
        &mut self,
        patch: &FieldPatch<Vec<ClaimCode>>,
        existing: ExistingCaseCode,
    ) -> Result<Option<Vec<ClaimCode>>, Error> {
        let codes = match patch {
            FieldPatch::Keep => return Ok(None),
            FieldPatch::Clear => return Ok(Some(Vec::new())),
            FieldPatch::Set(codes) => codes,
        };
        let mut requested = codes.clone();
        requested.sort_unstable();
        requested.dedup();
        let found: Vec<ClaimCode> = match requested.is_empty() {
            true => Vec::new(),
            false => {
                let visible =
                    claims::list_claims_by_codes(&mut *self.tx, self.scope, requested.iter().copied())
                        .await?;
                visible.into_iter().map(|claim| claim.code).collect()
            }
        };
        let own_code = existing.map(|(code, _)| ClaimCode::new(code));
        for code in &requested {
            if !found.contains(code) || Some(*code) == own_code {
                self.refuse_unknown_code(InputField::Related, code.get());
            }
        }
        Ok(Some(requested))
    }

    fn apply_inspection_fields(
        &mut self,
        input: &VistoriaGestaoInput,
        inspection: &mut Inspection,
        is_new: bool,
    ) {
        let registers = self.registers;
        let usable = |code| registers.inspection_type(code).is_some_and(|one| one.active);
        let field = (InputField::InspectionKind, is_new);
        self.apply_required_code(&input.kind, &mut inspection.kind, field, (InspectionTypeCode::get, usable));
        input.inspector.apply_to(&mut inspection.inspector, ToString::to_string);
        input
            .planned
            .apply_to(&mut inspection.planned_for, |when: &WrittenMoment| when.moment_in(&registers.zone));
        input.place.apply_to(&mut inspection.place, ToString::to_string);
        input.note.apply_to(&mut inspection.note, |note| note.as_str().to_owned());
        match &input.checklist {
            FieldPatch::Set(items) => {
                inspection.checklist = items.iter().map(build_checklist_entry).collect();
            }
            FieldPatch::Clear => inspection.checklist.clear(),
            FieldPatch::Keep if is_new => {
                let kind = registers.inspection_type(inspection.kind);
                let items = kind.map(|kind| kind.checklist.clone()).unwrap_or_default();
                let unanswered = |item| ChecklistEntry { item, fits: None, note: None };
                inspection.checklist = items.into_iter().map(unanswered).collect();
            }
            FieldPatch::Keep => {}
        }
    }

    fn apply_ticket_fields(&mut self, input: &HelpDeskGestaoInput, ticket: &mut Ticket, is_new: bool) {
        let registers = self.registers;
        let usable = |code| registers.ticket_type(code).is_some_and(|one| one.active);
        self.apply_required_code(
            &input.kind,
            &mut ticket.kind,
            (InputField::TicketKind, is_new),
            (TicketTypeCode::get, usable),
        );
        if let (true, Some(kind)) = (is_new, registers.ticket_type(ticket.kind)) {
            ticket.priority = kind.priority;
        }
        self.apply_required_choice(&input.priority, &mut ticket.priority, (InputField::Priority, is_new));
        input.description.apply_to(&mut ticket.description, |note| note.as_str().to_owned());
    }

    async fn apply_appointment_fields(
        &mut self,
        input: &ConsultaGestaoInput,
        appointment: &mut Appointment,
    ) -> Result<(), Error> {
        let registers = self.registers;
        let previous_clinic = appointment.clinic;
        let specialty = |code| registers.specialty(code).is_some_and(|one| one.active);
        let clinic = |code| registers.clinic(code).is_some_and(|one| one.active);
        let doctor = |code| registers.doctor(code).is_some_and(|one| one.active);
        let previous_doctor = appointment.doctor;
        self.apply_optional_code(
            &input.doctor,
            &mut appointment.doctor,
            InputField::Doctor,
            (domain::DoctorCode::get, doctor),
        );
        // A newly chosen doctor sets specialty and clinic, unless they were sent.
        if let Some(known) = appointment
            .doctor
            .filter(|_| appointment.doctor != previous_doctor)
            .and_then(|code| registers.doctor(code))
        {
            appointment.specialty = known.specialty.or(appointment.specialty);
            appointment.clinic = known.clinic.or(appointment.clinic);
        }
        let number = domain::SpecialtyCode::get;
        self.apply_optional_code(
            &input.specialty,
            &mut appointment.specialty,
            InputField::Specialty,
            (number, specialty),
        );
        self.apply_optional_code(
            &input.clinic,
            &mut appointment.clinic,
            InputField::Clinic,
            (domain::ClinicCode::get, clinic),
        );
        input.at.apply_to(&mut appointment.takes_place_at, |when: &WrittenMoment| {
            when.moment_in(&registers.zone)
        });
        input.note.apply_to(&mut appointment.note, |note| note.as_str().to_owned());
        let line = |code: Option<_>| {
            code.and_then(|code| registers.clinic(code)).and_then(|clinic| clinic.address.format_line())
        };
        // The address follows the clinic, unless it was edited.
        if appointment.clinic != previous_clinic && appointment.address == line(previous_clinic) {
            appointment.address = line(appointment.clinic);
        }
        input.address.apply_to(&mut appointment.address, ToString::to_string);
        self.apply_dependent(input, appointment).await
    }

    /// The patient must be an active dependent of the benefit.
    async fn apply_dependent(
        &mut self,
        input: &ConsultaGestaoInput,
        appointment: &mut Appointment,
    ) -> Result<(), Error> {
        let code = match input.dependent {
            FieldPatch::Clear => {
                appointment.dependent = None;
                return Ok(());
            }
            FieldPatch::Keep if !matches!(input.case.benefit, FieldPatch::Keep) => appointment.dependent,
            FieldPatch::Keep => return Ok(()),
            FieldPatch::Set(code) => Some(code),
        };
        let Some(code) = code else { return Ok(()) };
        let Some(benefit) = appointment.head.benefit else {
            self.problems.push(Rejection::DependentWithoutBenefit);
            return Ok(());
        };
        let found =
            dependents::find_dependent_of_benefit(&mut *self.tx, self.scope.tenant(), benefit, code).await?;
        let current = appointment.dependent.as_slice();
        if !found.is_some_and(|one| is_usable_reference(code, one.active, current)) {
            self.problems.push(Rejection::UnknownDependent { code, benefit });
        }
        appointment.dependent = Some(code);
        Ok(())
    }
}

fn build_checklist_entry(input: &ChecklistItemInput) -> ChecklistEntry {
    ChecklistEntry {
        item: input.item.to_string(),
        fits: input.fits.clone().into_set(),
        note: input.note.clone().into_set().map(|note| note.to_string()),
    }
}
