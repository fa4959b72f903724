//! What differs between case kinds: form fields, form values and the facts on the page.

use crate::pages::members::fields::format_address_line;
use crate::widgets::facts::drop_empty_facts;
use crate::widgets::form_input::{FormValues, InputSpec};
use crate::widgets::formats::{format_moment, format_money};
use app::cases::FullCase;
use app::register_snapshot::TenantRegisters;
use domain::{Case, CaseKind, Date, Moment, VehicleDetails};
use wire::set_names;

/// Title and fields of a form section.
pub type FormSectionSpec = (&'static str, &'static [InputSpec]);
type LabelledFacts = Vec<(&'static str, String)>;

const WHERE: &[InputSpec] = &[
    InputSpec::choice("codBeneficio", "Benefício"),
    InputSpec::choice("codLoja", "Loja").with_hint("Em branco ao abrir, a do benefício ou a do associado."),
    InputSpec::choice("codResponsavel", "Quem cuida"),
];
const CLAIM: &[InputSpec] = &[
    InputSpec::choice("codTipoEvento", "Tipo de evento").with_hint("Obrigatório."),
    InputSpec::masked_text("dataEvento", "Data em que aconteceu", "data"),
    InputSpec::choice("prioridade", "Prioridade"),
    InputSpec::choice("envolvido", "De quem é o veículo")
        .with_hint("Do associado (Cliente) ou de um terceiro."),
    InputSpec::area("descricao", "O que aconteceu"),
];
const PEOPLE: &[InputSpec] = &[
    InputSpec::choice("codCondutor", "Quem dirigia"),
    InputSpec::masked_text("condutorCpf", "Outro condutor, pelo CPF", "documento")
        .with_hint("Alguém que já tem cadastro."),
    InputSpec::text("relacionados", "Eventos relacionados", 200)
        .with_hint("Os protocolos, separados por vírgula."),
];
const PLACE: &[InputSpec] = &[
    InputSpec::masked_text("local.cep", "CEP", "cep"),
    InputSpec::text("local.tipoLogradouro", "Rua, avenida, rodovia…", 50),
    InputSpec::text("local.logradouro", "Logradouro", 200),
    InputSpec::text("local.numero", "Número ou km", 20),
    InputSpec::text("local.complemento", "Complemento", 100),
    InputSpec::text("local.bairro", "Bairro", 100),
    InputSpec::text("local.cidade", "Cidade", 100),
    InputSpec::choice("local.uf", "UF"),
];
const VEHICLE: &[InputSpec] = &[
    InputSpec::text("veiculo.placa", "Placa", 10)
        .with_hint("Tudo em branco ao abrir: o veículo do benefício."),
    InputSpec::text("veiculo.marca", "Marca", 100),
    InputSpec::text("veiculo.modelo", "Modelo", 200),
    InputSpec::text("veiculo.anoModelo", "Ano do modelo", 4),
    InputSpec::text("veiculo.cor", "Cor", 50),
    InputSpec::text("veiculo.chassi", "Chassi", 20),
];
const INSPECTION: &[InputSpec] = &[
    InputSpec::choice("codTipoVistoria", "Tipo de vistoria").with_hint("Obrigatório."),
    InputSpec::masked_text("dataPrevista", "Marcada para", "momento").with_hint("dd/mm/aaaa hh:mm"),
    InputSpec::text("vistoriador", "Quem vistoria", 200),
    InputSpec::text("local", "Onde", 300),
    InputSpec::area("observacao", "Observação"),
];
const TICKET: &[InputSpec] = &[
    InputSpec::choice("codTipoHelpDesk", "Tipo de chamado").with_hint("Obrigatório."),
    InputSpec::choice("prioridade", "Prioridade").with_hint("Em branco ao abrir, a do tipo."),
    InputSpec::area("descricao", "O que o associado pede"),
];
const APPOINTMENT: &[InputSpec] = &[
    InputSpec::masked_text("dataConsulta", "Dia e hora", "momento").with_hint("dd/mm/aaaa hh:mm"),
    InputSpec::choice("codDependente", "Quem vai").with_hint("Em branco, o próprio associado."),
    InputSpec::choice("codMedico", "Médico").with_hint("Traz a especialidade e a clínica dele."),
    InputSpec::choice("codEspecialidade", "Especialidade"),
    InputSpec::choice("codClinica", "Clínica"),
    InputSpec::text("endereco", "Endereço", 500).with_hint("Em branco ao marcar, o da clínica."),
    InputSpec::area("observacao", "Observação"),
];

pub const fn list_form_sections(kind: CaseKind) -> &'static [FormSectionSpec] {
    match kind {
        CaseKind::Claim => &[
            ("O evento", CLAIM),
            ("Benefício e quem cuida", WHERE),
            ("Pessoas e outros eventos", PEOPLE),
            ("Onde aconteceu", PLACE),
            ("Veículo", VEHICLE),
        ],
        CaseKind::Inspection => &[("A vistoria", INSPECTION), ("Benefício e quem cuida", WHERE)],
        CaseKind::Ticket => &[("O chamado", TICKET), ("Benefício e quem cuida", WHERE)],
        CaseKind::Appointment => &[("A consulta", APPOINTMENT), ("Benefício e quem cuida", WHERE)],
    }
}

pub fn list_field_specs(kind: CaseKind) -> Vec<InputSpec> {
    list_form_sections(kind).iter().flat_map(|(_, specs)| specs.iter().copied()).collect()
}

pub fn find_case_label(kind: CaseKind, name: &str) -> String {
    let known = match name {
        "situacao" => Some("Situação"),
        "checklist" => Some("O que se confere"),
        "local" => Some("Onde"),
        "veiculo.renavam" => Some("Renavam"),
        "veiculo.anoFabricacao" => Some("Ano de fabricação"),
        "veiculo.combustivel" => Some("Combustível"),
        "veiculo.categoria" => Some("Categoria"),
        "veiculo.tipoVeiculo" => Some("Tipo de veículo"),
        "veiculo.numeroPortas" => Some("Portas"),
        "veiculo.valorVeiculo" => Some("Valor do veículo"),
        "veiculo.valorProtegido" => Some("Valor protegido"),
        "veiculo.valorParticipacao" => Some("Participação"),
        _ => None,
    };
    let spec_label = || list_field_specs(kind).iter().find(|spec| spec.name == name).map(|spec| spec.label);
    known.or_else(spec_label).unwrap_or(name).to_owned()
}

fn unwrap_text(value: Option<&String>) -> String {
    value.cloned().unwrap_or_default()
}

fn format_optional_code<C: ToString>(code: Option<C>) -> String {
    code.map(|code| code.to_string()).unwrap_or_default()
}

fn format_optional_day(day: Option<Date>) -> String {
    day.map(Date::to_br).unwrap_or_default()
}

/// Form values of a stored case.
pub fn fill_case_values(full_case: &FullCase) -> FormValues {
    let head = full_case.resolved_case.case.head();
    let at = |when: Option<Moment>| {
        when.map(|at| format_moment(at, &full_case.registers.zone)).unwrap_or_default()
    };
    let mut values = FormValues::from([
        ("codBeneficio", format_optional_code(head.benefit)),
        ("codLoja", head.branch.to_string()),
        ("codResponsavel", format_optional_code(head.responsible)),
    ]);
    match &full_case.resolved_case.case {
        Case::Claim(claim) => {
            let related = full_case.related.iter().map(|one| one.case.head().protocol.to_string());
            let (place, vehicle) = (&claim.place, &claim.vehicle);
            values.extend([
                ("codTipoEvento", claim.kind.to_string()),
                ("dataEvento", format_optional_day(claim.happened_on)),
                ("prioridade", set_names::priority(claim.priority).to_owned()),
                ("envolvido", set_names::involved(claim.involved).to_owned()),
                ("descricao", unwrap_text(claim.description.as_ref())),
                ("codCondutor", format_optional_code(claim.driver)),
                ("relacionados", related.collect::<Vec<_>>().join(", ")),
                ("local.cep", format_optional_code(place.cep.as_ref())),
                ("local.tipoLogradouro", unwrap_text(place.street_kind.as_ref())),
                ("local.logradouro", unwrap_text(place.street.as_ref())),
                ("local.numero", unwrap_text(place.number.as_ref())),
                ("local.complemento", unwrap_text(place.complement.as_ref())),
                ("local.bairro", unwrap_text(place.district.as_ref())),
                ("local.cidade", unwrap_text(place.city.as_ref())),
                ("local.uf", unwrap_text(place.state.as_ref())),
                ("veiculo.placa", format_optional_code(vehicle.plate.as_ref())),
                ("veiculo.marca", unwrap_text(vehicle.brand.as_ref())),
                ("veiculo.modelo", unwrap_text(vehicle.model.as_ref())),
                ("veiculo.anoModelo", format_optional_code(vehicle.model_year)),
                ("veiculo.cor", unwrap_text(vehicle.colour.as_ref())),
                ("veiculo.chassi", format_optional_code(vehicle.chassis.as_ref())),
            ]);
        }
        Case::Inspection(inspection) => values.extend([
            ("codTipoVistoria", inspection.kind.to_string()),
            ("dataPrevista", at(inspection.planned_for)),
            ("vistoriador", unwrap_text(inspection.inspector.as_ref())),
            ("local", unwrap_text(inspection.place.as_ref())),
            ("observacao", unwrap_text(inspection.note.as_ref())),
        ]),
        Case::Ticket(ticket) => values.extend([
            ("codTipoHelpDesk", ticket.kind.to_string()),
            ("prioridade", set_names::priority(ticket.priority).to_owned()),
            ("descricao", unwrap_text(ticket.description.as_ref())),
        ]),
        Case::Appointment(visit) => values.extend([
            ("dataConsulta", at(visit.takes_place_at)),
            ("codDependente", format_optional_code(visit.dependent)),
            ("codMedico", format_optional_code(visit.doctor)),
            ("codEspecialidade", format_optional_code(visit.specialty)),
            ("codClinica", format_optional_code(visit.clinic)),
            ("endereco", unwrap_text(visit.address.as_ref())),
            ("observacao", unwrap_text(visit.note.as_ref())),
        ]),
    }
    values
}

/// Facts of the case, facts of the vehicle, and the free text.
pub fn describe_case(full_case: &FullCase) -> (LabelledFacts, LabelledFacts, Option<String>) {
    let registers = &full_case.registers;
    let kind = super::find_type_name(registers, &full_case.resolved_case.case);
    let at = |moment: Option<Moment>| moment.map(|at| format_moment(at, &registers.zone)).unwrap_or_default();
    let (facts, vehicle, free_text) = match &full_case.resolved_case.case {
        Case::Claim(claim) => (
            vec![
                ("Tipo", kind),
                ("Aconteceu em", format_optional_day(claim.happened_on)),
                ("Prioridade", set_names::priority(claim.priority).to_owned()),
                ("Envolvido", set_names::involved(claim.involved).to_owned()),
                ("Quem dirigia", unwrap_text(full_case.other.as_ref())),
                ("Onde", format_address_line(&claim.place)),
            ],
            list_vehicle_facts(registers, &claim.vehicle),
            claim.description.clone(),
        ),
        Case::Inspection(inspection) => (
            vec![
                ("Tipo", kind),
                ("Marcada para", at(inspection.planned_for)),
                ("Quem vistoria", unwrap_text(inspection.inspector.as_ref())),
                ("Onde", unwrap_text(inspection.place.as_ref())),
            ],
            Vec::new(),
            inspection.note.clone(),
        ),
        Case::Ticket(ticket) => (
            vec![("Tipo", kind), ("Prioridade", set_names::priority(ticket.priority).to_owned())],
            Vec::new(),
            ticket.description.clone(),
        ),
        Case::Appointment(visit) => {
            let clinic = visit.clinic.and_then(|code| registers.clinic(code));
            let doctor = visit.doctor.and_then(|code| registers.doctor(code));
            let facts = vec![
                ("Dia e hora", at(visit.takes_place_at)),
                ("Quem vai", full_case.other.clone().unwrap_or_else(|| full_case.resolved_case.name.clone())),
                ("Médico", doctor.map_or_else(String::new, |one| one.name.clone())),
                ("Especialidade", kind),
                ("Clínica", clinic.map_or_else(String::new, |one| one.name.clone())),
                ("Endereço", unwrap_text(visit.address.as_ref())),
            ];
            (facts, Vec::new(), visit.note.clone())
        }
    };
    (drop_empty_facts(facts), drop_empty_facts(vehicle), free_text.filter(|text| !text.is_empty()))
}

fn list_vehicle_facts(registers: &TenantRegisters, vehicle: &VehicleDetails) -> LabelledFacts {
    let kind = vehicle.kind.and_then(|code| registers.vehicle_types.iter().find(|kind| kind.code == code));
    let years = [vehicle.built, vehicle.model_year].into_iter().flatten().map(|year| year.to_string());
    vec![
        ("Placa", format_optional_code(vehicle.plate.as_ref())),
        (
            "Marca e modelo",
            [unwrap_text(vehicle.brand.as_ref()), unwrap_text(vehicle.model.as_ref())]
                .join(" ")
                .trim()
                .to_owned(),
        ),
        ("Ano", years.collect::<Vec<_>>().join("/")),
        ("Cor", unwrap_text(vehicle.colour.as_ref())),
        ("Chassi", format_optional_code(vehicle.chassis.as_ref())),
        ("Renavam", unwrap_text(vehicle.renavam.as_ref())),
        ("Tipo de veículo", kind.map_or_else(String::new, |kind| kind.name.clone())),
        ("Valor do veículo", vehicle.worth.map(format_money).unwrap_or_default()),
        ("Valor protegido", vehicle.protected.map(format_money).unwrap_or_default()),
        ("Participação", vehicle.participation.map(format_money).unwrap_or_default()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_called_as_its_form_calls_it() {
        assert_eq!(find_case_label(CaseKind::Claim, "codTipoEvento"), "Tipo de evento");
        assert_eq!(find_case_label(CaseKind::Inspection, "checklist"), "O que se confere");
        assert_eq!(find_case_label(CaseKind::Ticket, "outro"), "outro");
    }

    #[test]
    fn no_form_asks_for_one_field_twice() {
        for kind in CaseKind::ALL {
            let all = list_field_specs(kind);
            let names: std::collections::BTreeSet<_> = all.iter().map(|spec| spec.name).collect();
            assert_eq!(names.len(), all.len(), "{kind:?}");
        }
    }
}
