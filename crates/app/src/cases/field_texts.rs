//! The fields of a case as readable texts, for its change history and for version conflicts.

use super::show;
use crate::Error;
use crate::command::WriteCommand;
use crate::describe_benefit::describe_stored_benefit;
use crate::register_snapshot::TenantRegisters;
use domain::{
    BenefitCode, Case, ChecklistEntry, ClaimCode, Date, DependentCode, Moment, Money, PersonCode,
    PostalAddress, UserCode, VehicleDetails,
};
use std::collections::HashMap;
use storage::access::users;
use storage::members::dependents;
use storage::{Tx, members};
use wire::field_texts::FieldTexts;
use wire::set_names;

/// Names of the codes in two states of a case that the registers do not hold.
#[derive(Default)]
pub(super) struct ReferencedNames {
    users: HashMap<UserCode, String>,
    people: HashMap<PersonCode, String>,
    benefits: HashMap<BenefitCode, String>,
    dependents: HashMap<DependentCode, String>,
}

impl ReferencedNames {
    /// Looks up only codes that differ, since only differences are shown.
    pub async fn load_changed<I>(
        tx: &mut Tx,
        command: &WriteCommand<I>,
        states: [&Case; 2],
    ) -> Result<ReferencedNames, Error> {
        let mut names = ReferencedNames::default();
        let [before, after] = states.map(collect_codes);
        let tenant = command.scope.tenant();
        if before.responsible != after.responsible {
            for code in [before.responsible, after.responsible].into_iter().flatten() {
                let found = users::find_user(&mut *tx, tenant, code).await?;
                names.users.extend(found.map(|user| (code, user.name)));
            }
        }
        if before.driver != after.driver {
            for code in [before.driver, after.driver].into_iter().flatten() {
                let found = members::find_person(&mut *tx, tenant, code).await?;
                names.people.extend(found.map(|person| (code, person.name)));
            }
        }
        if before.benefit != after.benefit {
            for code in [before.benefit, after.benefit].into_iter().flatten() {
                let found = show::find_case_benefit(&mut *tx, tenant, code).await?;
                names
                    .benefits
                    .extend(found.map(|one| (code, describe_stored_benefit(&command.registers, &one))));
            }
        }
        if before.dependent != after.dependent {
            for (benefit, code) in [before.dependent, after.dependent].into_iter().flatten() {
                let found = dependents::find_dependent_of_benefit(&mut *tx, tenant, benefit, code).await?;
                names.dependents.extend(found.map(|one| (code, one.name)));
            }
        }
        Ok(names)
    }
}

#[derive(PartialEq, Eq)]
struct ReferencedCodes {
    responsible: Option<UserCode>,
    driver: Option<PersonCode>,
    benefit: Option<BenefitCode>,
    dependent: Option<(BenefitCode, DependentCode)>,
}

fn collect_codes(case: &Case) -> ReferencedCodes {
    let head = case.head();
    let (driver, dependent) = match case {
        Case::Claim(claim) => (claim.driver, None),
        Case::Appointment(appointment) => (None, head.benefit.zip(appointment.dependent)),
        Case::Inspection(_) | Case::Ticket(_) => (None, None),
    };
    ReferencedCodes { responsible: head.responsible, driver, benefit: head.benefit, dependent }
}

/// Name followed by the code, since two records may share a name.
fn render_named_code<C: Copy + Eq + std::hash::Hash + ToString>(
    names: &HashMap<C, String>,
    code: Option<C>,
) -> Option<String> {
    code.map(|code| match names.get(&code) {
        Some(name) => format!("{name} ({})", code.to_string()),
        None => code.to_string(),
    })
}

/// The fields of a case under their API names; both states of a case give the same fields in the same order.
pub(super) fn render_case_fields(
    registers: &TenantRegisters,
    names: &ReferencedNames,
    case: &Case,
    related: &[ClaimCode],
) -> FieldTexts {
    let head = case.head();
    let mut fields: FieldTexts = vec![
        ("codBeneficio", render_benefit(names, head.benefit)),
        ("codLoja", Some(registers.branch_name(head.branch).to_owned())),
        ("codResponsavel", render_named_code(&names.users, head.responsible)),
    ];
    let moment = |at: Option<Moment>| at.map(|at| at.to_offset_iso(&registers.zone));
    match case {
        Case::Claim(claim) => {
            let kind = registers.claim_type(claim.kind).map(|one| one.name.clone());
            fields.extend([
                ("codTipoEvento", kind),
                ("envolvido", Some(set_names::involved(claim.involved).to_owned())),
                ("prioridade", Some(set_names::priority(claim.priority).to_owned())),
                ("descricao", claim.description.clone()),
                ("dataEvento", claim.happened_on.map(Date::to_br)),
                ("codCondutor", render_named_code(&names.people, claim.driver)),
                ("local", render_place(&claim.place)),
                (RELATED, render_claim_codes(related)),
            ]);
            fields.extend(render_vehicle_fields(registers, &claim.vehicle));
        }
        Case::Inspection(inspection) => fields.extend([
            ("codTipoVistoria", registers.inspection_type(inspection.kind).map(|one| one.name.clone())),
            ("vistoriador", inspection.inspector.clone()),
            ("dataPrevista", moment(inspection.planned_for)),
            ("local", inspection.place.clone()),
            ("observacao", inspection.note.clone()),
            ("checklist", render_checklist(&inspection.checklist)),
        ]),
        Case::Ticket(ticket) => fields.extend([
            ("codTipoHelpDesk", registers.ticket_type(ticket.kind).map(|one| one.name.clone())),
            ("prioridade", Some(set_names::priority(ticket.priority).to_owned())),
            ("descricao", ticket.description.clone()),
        ]),
        Case::Appointment(appointment) => {
            let specialty = appointment.specialty.and_then(|code| registers.specialty(code));
            let clinic = appointment.clinic.and_then(|code| registers.clinic(code));
            let doctor = appointment.doctor.and_then(|code| registers.doctor(code));
            fields.extend([
                ("codDependente", render_named_code(&names.dependents, appointment.dependent)),
                ("codEspecialidade", specialty.map(|one| one.name.clone())),
                ("codClinica", clinic.map(|one| one.name.clone())),
                ("codMedico", doctor.map(|one| one.name.clone())),
                ("dataConsulta", moment(appointment.takes_place_at)),
                ("endereco", appointment.address.clone()),
                ("observacao", appointment.note.clone()),
            ]);
        }
    }
    fields
}

/// The code comes first, since two vehicles of a member may have the same description.
fn render_benefit(names: &ReferencedNames, code: Option<BenefitCode>) -> Option<String> {
    code.map(|code| match names.benefits.get(&code).filter(|text| !text.is_empty()) {
        Some(text) => format!("{code} ({text})"),
        None => code.to_string(),
    })
}

fn render_place(place: &PostalAddress) -> Option<String> {
    let parts: Vec<String> =
        [place.format_line(), place.cep.as_ref().map(ToString::to_string)].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// Name of the field with the related claims.
pub(super) const RELATED: &str = "relacionados";

pub(super) fn render_claim_codes(codes: &[ClaimCode]) -> Option<String> {
    let codes: Vec<String> = codes.iter().map(ToString::to_string).collect();
    (!codes.is_empty()).then(|| codes.join(", "))
}

/// Inverse of `render_claim_codes`.
pub(super) fn parse_claim_codes(text: &str) -> impl Iterator<Item = ClaimCode> {
    text.split(", ").filter_map(|code| code.parse().ok().map(ClaimCode::new))
}

fn render_checklist(items: &[ChecklistEntry]) -> Option<String> {
    let entry = |item: &ChecklistEntry| {
        let verdict = set_names::checklist_verdict(item.fits);
        let note = item.note.as_ref().map_or_else(String::new, |note| format!(" ({note})"));
        format!("{}: {verdict}{note}", item.item)
    };
    (!items.is_empty()).then(|| items.iter().map(entry).collect::<Vec<_>>().join("; "))
}

fn render_vehicle_fields(registers: &TenantRegisters, vehicle: &VehicleDetails) -> FieldTexts {
    let money = |money: Option<Money>| money.map(|money| money.to_string());
    let number = |number: Option<i32>| number.map(|number| number.to_string());
    let kind = registers.vehicle_types.iter().find(|one| Some(one.code) == vehicle.kind);
    vec![
        ("veiculo.placa", vehicle.plate.as_ref().map(ToString::to_string)),
        ("veiculo.chassi", vehicle.chassis.as_ref().map(ToString::to_string)),
        ("veiculo.renavam", vehicle.renavam.clone()),
        ("veiculo.marca", vehicle.brand.clone()),
        ("veiculo.modelo", vehicle.model.clone()),
        ("veiculo.anoFabricacao", number(vehicle.built)),
        ("veiculo.anoModelo", number(vehicle.model_year)),
        ("veiculo.cor", vehicle.colour.clone()),
        ("veiculo.combustivel", vehicle.fuel.map(|fuel| set_names::fuel(fuel).to_owned())),
        ("veiculo.categoria", vehicle.category.map(|category| set_names::category(category).to_owned())),
        ("veiculo.tipoVeiculo", kind.map(|kind| kind.name.clone())),
        ("veiculo.numeroPortas", number(vehicle.doors)),
        ("veiculo.valorVeiculo", money(vehicle.worth)),
        ("veiculo.valorProtegido", money(vehicle.protected)),
        ("veiculo.valorParticipacao", money(vehicle.participation)),
    ]
}
