//! The columns of members and of benefits.

use super::Kind::{Code, Day, Money, Number, Text};
use super::{Column, column, day, maybe, money, number, text};
use crate::base::Registers;
use crate::searches::{Found, FoundBenefit};
use domain::{BenefitKind, PlanCode, SellerCode, SituationCode, shown};
use wire::names;

/// The columns of the list of members; those of its page bear the same names.
pub(super) const MEMBERS: &[Column<Found>] = &[
    column("codigo", "Código", Number, |_, row| number(row.person.code.get())),
    column("nome", "Nome", Text, |_, row| text(row.person.name.as_str())),
    column("documento", "CPF ou CNPJ", Code, |_, row| {
        maybe(row.person.document.as_deref().map(shown::document).as_deref())
    }),
    column("telefone", "Telefone", Code, |_, row| {
        let phone = row.person.mobile.as_deref().or(row.person.landline.as_deref());
        maybe(phone.map(shown::phone).as_deref())
    }),
    column("fixo", "Telefone fixo", Code, |_, row| {
        maybe(row.person.landline.as_deref().map(shown::phone).as_deref())
    }),
    column("email", "E-mail", Text, |_, row| maybe(row.person.email.as_deref())),
    column("nascimento", "Nascimento", Day, |_, row| day(row.person.born_on.as_deref())),
    column("logradouro", "Endereço", Text, |_, row| {
        let address = &row.person.address;
        let parts = [&address.street_kind, &address.street, &address.number, &address.complement];
        text(parts.into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join(" "))
    }),
    column("bairro", "Bairro", Text, |_, row| maybe(row.person.address.district.as_deref())),
    column("cidade", "Cidade", Text, |_, row| maybe(row.person.address.city.as_deref())),
    column("uf", "UF", Text, |_, row| maybe(row.person.address.state.as_deref())),
    column("cep", "CEP", Code, |_, row| {
        let cep = row.person.address.cep.as_ref().map(|cep| cep.as_str().to_owned());
        maybe(cep.map(|cep| dashed(&cep)).as_deref())
    }),
    column("loja", "Loja", Text, |by, row| text(by.branch_name(row.branch))),
    column("consultor", "Consultor", Text, |by, row| seller(by, row.consultant)),
    column("cadastro", "Cadastro", Day, |_, row| day(Some(&row.registered_on))),
    column("alteracao", "Alteração", Day, |_, row| day(Some(&row.updated_on))),
    column("codBeneficio", "Código do benefício", Number, |_, row| {
        row.benefit.as_ref().map_or(super::Cell::Nothing, |one| number(one.code.get()))
    }),
    column("beneficio", "Número do benefício", Number, |_, row| {
        row.benefit.as_ref().map_or(super::Cell::Nothing, |one| number(one.sequence))
    }),
    column("tipo", "Tipo", Text, |_, row| maybe(row.benefit.as_ref().map(|one| kind(one.kind)))),
    column("situacao", "Situação", Text, |by, row| {
        row.benefit.as_ref().map_or(super::Cell::Nothing, |one| situation(by, one.situation))
    }),
    column("placa", "Placa", Text, |_, row| maybe(row.benefit.as_ref().and_then(|one| one.plate.as_deref()))),
    column("chassi", "Chassi", Code, |_, row| {
        maybe(row.benefit.as_ref().and_then(|one| one.chassis.as_deref()))
    }),
    column("cartao", "Cartão", Code, |_, row| {
        maybe(row.benefit.as_ref().and_then(|one| one.card.as_deref()).map(shown::card).as_deref())
    }),
    column("planos", "Planos", Text, |by, row| {
        text(row.benefit.as_ref().map(|one| plans(by, &one.plans)).unwrap_or_default())
    }),
    column("valor", "Valor dos planos", Money, |_, row| {
        money(row.benefit.as_ref().map(|one| one.plans.iter().map(|(_, price)| price).sum()))
    }),
];

pub(super) const BENEFITS: &[Column<FoundBenefit>] = &[
    column("codigo", "Código", Number, |_, row| number(row.code.get())),
    column("numero", "Número", Number, |_, row| number(row.benefit.sequence)),
    column("tipo", "Tipo", Text, |_, row| text(kind(row.benefit.kind))),
    column("situacao", "Situação", Text, |by, row| situation(by, row.benefit.situation)),
    column("codAssociado", "Código do associado", Number, |_, row| number(row.benefit.person.get())),
    column("associado", "Associado", Text, |_, row| text(row.name.as_str())),
    column("documento", "CPF ou CNPJ", Code, |_, row| {
        maybe(row.document.as_deref().map(shown::document).as_deref())
    }),
    column("loja", "Loja", Text, |by, row| text(by.branch_name(row.benefit.branch))),
    column("planos", "Planos", Text, |by, row| text(plans(by, &row.benefit.plans))),
    column("valor", "Valor dos planos", Money, |_, row| {
        money(Some(row.benefit.plans.iter().map(|(_, price)| price).sum()))
    }),
    column("cartao", "Cartão", Code, |_, row| {
        maybe(row.benefit.card.as_ref().map(|card| shown::card(card.as_str())).as_deref())
    }),
    column("vencimento", "Dia de vencimento", Number, |_, row| {
        row.benefit.due_day.map_or(super::Cell::Nothing, number)
    }),
    column("adesao", "Adesão", Day, |_, row| day(row.benefit.joined_on.as_deref())),
    column("ativacao", "Ativação", Day, |_, row| day(row.benefit.activated_on.as_deref())),
    column("cancelamento", "Cancelamento", Day, |_, row| day(row.benefit.cancelled_on.as_deref())),
    column("consultor", "Consultor", Text, |by, row| seller(by, row.consultant)),
    column("cadastro", "Cadastro", Day, |by, row| {
        day(Some(&row.benefit.created_at.date_in(&by.zone).to_iso()))
    }),
    column("placa", "Placa", Text, |_, row| {
        maybe(row.benefit.vehicle.plate.as_ref().map(ToString::to_string).as_deref())
    }),
    column("chassi", "Chassi", Code, |_, row| {
        maybe(row.benefit.vehicle.chassis.as_ref().map(ToString::to_string).as_deref())
    }),
    column("renavam", "Renavam", Code, |_, row| maybe(row.benefit.vehicle.renavam.as_deref())),
    column("marca", "Marca", Text, |_, row| maybe(row.benefit.vehicle.brand.as_deref())),
    column("modelo", "Modelo", Text, |_, row| maybe(row.benefit.vehicle.model.as_deref())),
    column("anoModelo", "Ano do modelo", Number, |_, row| {
        row.benefit.vehicle.model_year.map_or(super::Cell::Nothing, number)
    }),
    column("valorVeiculo", "Valor do veículo", Money, |_, row| money(row.benefit.vehicle.worth)),
    column("valorProtegido", "Valor protegido", Money, |_, row| money(row.benefit.vehicle.protected)),
];

/// As people say it.
fn kind(kind: BenefitKind) -> &'static str {
    ::registers::label(names::benefit_kind(kind))
}

pub(super) fn situation(by: &Registers, code: SituationCode) -> super::Cell {
    maybe(by.situation(code).map(|one| one.name.as_str()))
}

fn seller(by: &Registers, code: Option<SellerCode>) -> super::Cell {
    maybe(code.and_then(|code| by.seller_name(code)))
}

fn plans(by: &Registers, all: &[(PlanCode, i64)]) -> String {
    let named = all.iter().filter_map(|(plan, _)| Some(by.plan(*plan)?.name.as_str()));
    named.collect::<Vec<_>>().join(", ")
}

/// `01310-100`
pub(super) fn dashed(cep: &str) -> String {
    match (cep.get(..5), cep.get(5..)) {
        (Some(first), Some(last)) => format!("{first}-{last}"),
        _ => cep.to_owned(),
    }
}
