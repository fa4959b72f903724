//! What each kind has of its own: the fields of its form, what stands in them, and what its page tells.

use crate::benefit::filled;
use crate::person::{choice, masked, text};
use crate::records::{Spec, Values};
use crate::show::{moment, money};
use app::base::Registers;
use app::cases::{Case, Whole};
use app::searches::Vehicle;
use domain::{CaseKind, Moment, shown};
use wire::names;

/// A part of a form.
pub type Section = (&'static str, &'static [Spec]);
type Facts = Vec<(&'static str, String)>;

const WHERE: &[Spec] = &[
    choice("codBeneficio", "Benefício"),
    choice("codLoja", "Loja").hinted("Em branco ao abrir, a do benefício ou a do associado."),
    choice("codResponsavel", "Quem cuida"),
];
const CLAIM: &[Spec] = &[
    choice("codTipoEvento", "Tipo de evento").hinted("Obrigatório."),
    masked("dataEvento", "Data em que aconteceu", "data"),
    choice("prioridade", "Prioridade"),
    choice("envolvido", "De quem é o veículo").hinted("Do associado (Cliente) ou de um terceiro."),
    Spec::area("descricao", "O que aconteceu"),
];
const PEOPLE: &[Spec] = &[
    choice("codCondutor", "Quem dirigia"),
    masked("condutorCpf", "Outro condutor, pelo CPF", "documento").hinted("Alguém que já tem cadastro."),
    text("relacionados", "Eventos relacionados", 200).hinted("Os protocolos, separados por vírgula."),
];
const PLACE: &[Spec] = &[
    masked("local.cep", "CEP", "cep"),
    text("local.tipoLogradouro", "Rua, avenida, rodovia…", 50),
    text("local.logradouro", "Logradouro", 200),
    text("local.numero", "Número ou km", 20),
    text("local.complemento", "Complemento", 100),
    text("local.bairro", "Bairro", 100),
    text("local.cidade", "Cidade", 100),
    choice("local.uf", "UF"),
];
const VEHICLE: &[Spec] = &[
    text("veiculo.placa", "Placa", 10).hinted("Tudo em branco ao abrir: o veículo do benefício."),
    text("veiculo.marca", "Marca", 100),
    text("veiculo.modelo", "Modelo", 200),
    text("veiculo.anoModelo", "Ano do modelo", 4),
    text("veiculo.cor", "Cor", 50),
    text("veiculo.chassi", "Chassi", 20),
];
const INSPECTION: &[Spec] = &[
    choice("codTipoVistoria", "Tipo de vistoria").hinted("Obrigatório."),
    masked("dataPrevista", "Marcada para", "momento").hinted("dd/mm/aaaa hh:mm"),
    text("vistoriador", "Quem vistoria", 200),
    text("local", "Onde", 300),
    Spec::area("observacao", "Observação"),
];
const TICKET: &[Spec] = &[
    choice("codTipoHelpDesk", "Tipo de chamado").hinted("Obrigatório."),
    choice("prioridade", "Prioridade").hinted("Em branco ao abrir, a do tipo."),
    Spec::area("descricao", "O que o associado pede"),
];
const APPOINTMENT: &[Spec] = &[
    masked("dataConsulta", "Dia e hora", "momento").hinted("dd/mm/aaaa hh:mm"),
    choice("codDependente", "Quem vai").hinted("Em branco, o próprio associado."),
    choice("codMedico", "Médico").hinted("Traz a especialidade e a clínica dele."),
    choice("codEspecialidade", "Especialidade"),
    choice("codClinica", "Clínica"),
    text("endereco", "Endereço", 500).hinted("Em branco ao marcar, o da clínica."),
    Spec::area("observacao", "Observação"),
];

/// The form of a kind.
pub const fn sections(kind: CaseKind) -> &'static [Section] {
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

/// Every field of a kind's form.
pub fn specs(kind: CaseKind) -> Vec<Spec> {
    sections(kind).iter().flat_map(|(_, specs)| specs.iter().copied()).collect()
}

/// What people call a field.
pub fn label(kind: CaseKind, name: &str) -> String {
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
    let shown = || specs(kind).iter().find(|spec| spec.name == name).map(|spec| spec.label);
    known.or_else(shown).unwrap_or(name).to_owned()
}

fn own(value: &Option<String>) -> String {
    value.clone().unwrap_or_default()
}

fn code<C: ToString>(code: Option<C>) -> String {
    code.map(|code| code.to_string()).unwrap_or_default()
}

fn day(day: &Option<String>) -> String {
    day.as_deref().map(shown::day).unwrap_or_default()
}

/// What is kept of a case, as its form shows it.
pub fn values(whole: &Whole) -> Values {
    let head = whole.told.case.head();
    let at = |when: Option<Moment>| when.map(|at| moment(at, &whole.registers.zone)).unwrap_or_default();
    let mut values = Values::from([
        ("codBeneficio", code(head.benefit)),
        ("codLoja", head.branch.to_string()),
        ("codResponsavel", code(head.responsible)),
    ]);
    match &whole.told.case {
        Case::Claim(claim) => {
            let related = whole.related.iter().map(|one| one.case.head().protocol.to_string());
            let (place, vehicle) = (&claim.place, &claim.vehicle);
            values.extend([
                ("codTipoEvento", claim.kind.to_string()),
                ("dataEvento", day(&claim.happened_on)),
                ("prioridade", names::priority(claim.priority).to_owned()),
                ("envolvido", names::involved(claim.involved).to_owned()),
                ("descricao", own(&claim.description)),
                ("codCondutor", code(claim.driver)),
                ("relacionados", related.collect::<Vec<_>>().join(", ")),
                ("local.cep", code(place.cep.as_ref())),
                ("local.tipoLogradouro", own(&place.street_kind)),
                ("local.logradouro", own(&place.street)),
                ("local.numero", own(&place.number)),
                ("local.complemento", own(&place.complement)),
                ("local.bairro", own(&place.district)),
                ("local.cidade", own(&place.city)),
                ("local.uf", own(&place.state)),
                ("veiculo.placa", code(vehicle.plate.as_ref())),
                ("veiculo.marca", own(&vehicle.brand)),
                ("veiculo.modelo", own(&vehicle.model)),
                ("veiculo.anoModelo", code(vehicle.model_year)),
                ("veiculo.cor", own(&vehicle.colour)),
                ("veiculo.chassi", code(vehicle.chassis.as_ref())),
            ]);
        }
        Case::Inspection(inspection) => values.extend([
            ("codTipoVistoria", inspection.kind.to_string()),
            ("dataPrevista", at(inspection.planned_for)),
            ("vistoriador", own(&inspection.inspector)),
            ("local", own(&inspection.place)),
            ("observacao", own(&inspection.note)),
        ]),
        Case::Ticket(ticket) => values.extend([
            ("codTipoHelpDesk", ticket.kind.to_string()),
            ("prioridade", names::priority(ticket.priority).to_owned()),
            ("descricao", own(&ticket.description)),
        ]),
        Case::Appointment(visit) => values.extend([
            ("dataConsulta", at(visit.takes_place_at)),
            ("codDependente", code(visit.dependent)),
            ("codMedico", code(visit.doctor)),
            ("codEspecialidade", code(visit.specialty)),
            ("codClinica", code(visit.clinic)),
            ("endereco", own(&visit.address)),
            ("observacao", own(&visit.note)),
        ]),
    }
    values
}

/// What a case is about, in facts; and in somebody's words.
pub fn told(whole: &Whole) -> (Facts, Facts, Option<String>) {
    let registers = &whole.registers;
    let kind = super::type_name(registers, &whole.told.case);
    let at = |moment_of: Option<Moment>| moment_of.map(|at| moment(at, &registers.zone)).unwrap_or_default();
    let (facts, vehicle, words) = match &whole.told.case {
        Case::Claim(claim) => (
            vec![
                ("Tipo", kind),
                ("Aconteceu em", day(&claim.happened_on)),
                ("Prioridade", names::priority(claim.priority).to_owned()),
                ("Envolvido", names::involved(claim.involved).to_owned()),
                ("Quem dirigia", own(&whole.other)),
                ("Onde", crate::person::one_line(&claim.place)),
            ],
            vehicle(registers, &claim.vehicle),
            claim.description.clone(),
        ),
        Case::Inspection(own_case) => (
            vec![
                ("Tipo", kind),
                ("Marcada para", at(own_case.planned_for)),
                ("Quem vistoria", own(&own_case.inspector)),
                ("Onde", own(&own_case.place)),
            ],
            Vec::new(),
            own_case.note.clone(),
        ),
        Case::Ticket(ticket) => (
            vec![("Tipo", kind), ("Prioridade", names::priority(ticket.priority).to_owned())],
            Vec::new(),
            ticket.description.clone(),
        ),
        Case::Appointment(visit) => {
            let clinic = visit.clinic.and_then(|code| registers.clinic(code));
            let doctor = visit.doctor.and_then(|code| registers.doctor(code));
            let facts = vec![
                ("Dia e hora", at(visit.takes_place_at)),
                ("Quem vai", whole.other.clone().unwrap_or_else(|| whole.told.name.clone())),
                ("Médico", doctor.map_or_else(String::new, |one| one.name.clone())),
                ("Especialidade", kind),
                ("Clínica", clinic.map_or_else(String::new, |one| one.name.clone())),
                ("Endereço", own(&visit.address)),
            ];
            (facts, Vec::new(), visit.note.clone())
        }
    };
    (filled(facts), filled(vehicle), words.filter(|text| !text.is_empty()))
}

fn vehicle(registers: &Registers, one: &Vehicle) -> Facts {
    let kind = one.kind.and_then(|code| registers.vehicle_types.iter().find(|kind| kind.code == code));
    let years = [one.built, one.model_year].into_iter().flatten().map(|year| year.to_string());
    vec![
        ("Placa", code(one.plate.as_ref())),
        ("Marca e modelo", [own(&one.brand), own(&one.model)].join(" ").trim().to_owned()),
        ("Ano", years.collect::<Vec<_>>().join("/")),
        ("Cor", own(&one.colour)),
        ("Chassi", code(one.chassis.as_ref())),
        ("Renavam", own(&one.renavam)),
        ("Tipo de veículo", kind.map_or_else(String::new, |kind| kind.name.clone())),
        ("Valor do veículo", one.worth.map(money).unwrap_or_default()),
        ("Valor protegido", one.protected.map(money).unwrap_or_default()),
        ("Participação", one.participation.map(money).unwrap_or_default()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_called_as_its_form_calls_it() {
        assert_eq!(label(CaseKind::Claim, "codTipoEvento"), "Tipo de evento");
        assert_eq!(label(CaseKind::Inspection, "checklist"), "O que se confere");
        assert_eq!(label(CaseKind::Ticket, "outro"), "outro");
    }

    #[test]
    fn no_form_asks_for_one_field_twice() {
        for kind in CaseKind::ALL {
            let all = specs(kind);
            let names: std::collections::BTreeSet<_> = all.iter().map(|spec| spec.name).collect();
            assert_eq!(names.len(), all.len(), "{kind:?}");
        }
    }
}
