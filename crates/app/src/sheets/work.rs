//! The columns of what people work on: cases, deals, leads.

use super::Kind::{Code, Day, Flag, Moment, Money, Number, Text};
use super::members::situation;
use super::{Cell, Column, column, day, maybe, moment, money, number, text};
use crate::base::Registers;
use crate::cases::{Case, Item};
use crate::deals::FoundDeal;
use crate::leads::FoundLead;
use domain::shown;
use wire::names;

pub(super) const CASES: &[Column<Item>] = &[
    column("codigo", "Código", Number, |_, row| number(row.code)),
    column("protocolo", "Protocolo", Number, |_, row| number(row.case.head().protocol)),
    column("tipo", "Tipo", Text, |by, row| text(type_name(by, &row.case))),
    column("situacao", "Situação", Text, |by, row| situation(by, row.case.head().situation)),
    column("situacaoDesde", "Na situação desde", Moment, |_, row| {
        moment(Some(row.case.head().situation_since))
    }),
    column("prioridade", "Prioridade", Text, |_, row| maybe(row.case.priority().map(names::priority))),
    column("codAssociado", "Código do associado", Number, |_, row| number(row.case.head().person.get())),
    column("associado", "Associado", Text, |_, row| text(row.name.as_str())),
    column("documento", "CPF ou CNPJ", Code, |_, row| {
        maybe(row.document.as_deref().map(shown::document).as_deref())
    }),
    column("codBeneficio", "Código do benefício", Number, |_, row| {
        row.case.head().benefit.map_or(Cell::Nothing, |code| number(code.get()))
    }),
    column("placa", "Placa", Text, |_, row| maybe(row.plate.as_deref())),
    column("loja", "Loja", Text, |by, row| text(by.branch_name(row.case.head().branch))),
    column("responsavel", "Responsável", Text, |_, row| maybe(row.responsible.as_deref())),
    column("abertura", "Abertura", Moment, |_, row| moment(Some(row.case.head().opened_at))),
    column("encerramento", "Encerramento", Moment, |_, row| moment(row.case.head().closed_at)),
    column("marcado", "Marcado para", Moment, |_, row| {
        moment(match &row.case {
            Case::Inspection(own) => own.planned_for,
            Case::Appointment(own) => own.takes_place_at,
            Case::Claim(_) | Case::Ticket(_) => None,
        })
    }),
];

fn type_name(by: &Registers, case: &Case) -> String {
    let name = match case {
        Case::Claim(own) => by.claim_type(own.kind).map(|one| &one.name),
        Case::Inspection(own) => by.inspection_type(own.kind).map(|one| &one.name),
        Case::Ticket(own) => by.ticket_type(own.kind).map(|one| &one.name),
        Case::Appointment(own) => own.specialty.and_then(|code| by.specialty(code)).map(|one| &one.name),
    };
    name.cloned().unwrap_or_default()
}

pub(super) const DEALS: &[Column<FoundDeal>] = &[
    column("codigo", "Código", Number, |_, row| number(row.code.get())),
    column("numero", "Número", Number, |_, row| number(row.deal.sequence)),
    column("titulo", "Título", Text, |_, row| maybe(row.deal.title.as_deref())),
    column("codLead", "Código do lead", Number, |_, row| number(row.deal.lead.get())),
    column("lead", "Lead", Text, |_, row| text(row.name.as_str())),
    column("documento", "CPF ou CNPJ", Code, |_, row| {
        maybe(row.document.as_deref().map(shown::document).as_deref())
    }),
    column("telefone", "Celular", Code, |_, row| maybe(row.mobile.as_deref().map(shown::phone).as_deref())),
    column("email", "E-mail", Text, |_, row| maybe(row.email.as_deref())),
    column("funil", "Funil", Text, |by, row| maybe(by.funnel(row.deal.funnel).map(|one| one.name.as_str()))),
    column("etapa", "Etapa", Text, |by, row| maybe(by.stage(row.deal.stage).map(|one| one.name.as_str()))),
    column("etapaDesde", "Na etapa desde", Moment, |_, row| moment(Some(row.deal.stage_since))),
    column("situacao", "Situação", Text, |_, row| text(names::deal_state(row.deal.state))),
    column("motivo", "Motivo da perda", Text, |_, row| maybe(row.deal.lost_because.as_deref())),
    column("responsavel", "Responsável", Text, |_, row| maybe(row.responsible_name.as_deref())),
    column("loja", "Loja", Text, |by, row| text(by.branch_name(row.deal.branch))),
    column("planos", "Planos", Text, |by, row| {
        let named = row.deal.plans.iter().filter_map(|plan| Some(by.plan(*plan)?.name.as_str()));
        text(named.collect::<Vec<_>>().join(", "))
    }),
    column("valor", "Valor", Money, |_, row| money(row.deal.price)),
    column("previsao", "Previsão", Day, |_, row| day(row.deal.expected_on.as_deref())),
    column("abertura", "Abertura", Day, |_, row| day(Some(&row.deal.opened_on))),
    column("placa", "Placa", Text, |_, row| {
        maybe(row.deal.vehicle.plate.as_ref().map(ToString::to_string).as_deref())
    }),
];

pub(super) const LEADS: &[Column<FoundLead>] = &[
    column("codigo", "Código", Number, |_, row| number(row.code.get())),
    column("nome", "Nome", Text, |_, row| text(row.lead.name.as_str())),
    column("documento", "CPF ou CNPJ", Code, |_, row| {
        maybe(row.lead.document.as_ref().map(|one| shown::document(one.as_str())).as_deref())
    }),
    column("telefone", "Celular", Code, |_, row| {
        maybe(row.lead.mobile.as_ref().map(|one| shown::phone(one.as_str())).as_deref())
    }),
    column("fixo", "Telefone fixo", Code, |_, row| {
        maybe(row.lead.landline.as_ref().map(|one| shown::phone(one.as_str())).as_deref())
    }),
    column("email", "E-mail", Text, |_, row| {
        maybe(row.lead.email.as_ref().map(ToString::to_string).as_deref())
    }),
    column("empresa", "Empresa", Text, |_, row| maybe(row.lead.company.as_deref())),
    column("cidade", "Cidade", Text, |_, row| maybe(row.lead.city.as_deref())),
    column("uf", "UF", Text, |_, row| maybe(row.lead.state.as_deref())),
    column("origem", "Origem", Text, |_, row| maybe(row.lead.origin.as_deref())),
    column("mensagem", "Mensagem", Text, |_, row| maybe(row.lead.message.as_deref())),
    column("loja", "Loja", Text, |by, row| text(by.branch_name(row.lead.branch))),
    column("consultor", "Consultor", Text, |by, row| {
        maybe(row.lead.consultant.and_then(|code| by.seller_name(code)))
    }),
    column("negocios", "Negócios em aberto", Number, |_, row| number(row.open_deals)),
    column("ativo", "Ativo", Flag, |_, row| Cell::Flag(row.lead.active)),
    column("cadastro", "Cadastro", Moment, |_, row| moment(Some(row.lead.created_at))),
];
