//! The columns of what administrators look at: users, the audit, mails, deliveries, and the feed of changes.

use super::Kind::{Code, Flag, Moment, Number, Text};
use super::{Cell, Column, column, maybe, moment, number, text};
use crate::base::Registers;
use crate::feed::Entry;
use crate::mail::Listed;
use crate::triggers::Told as Delivery;
use crate::users::User;
use domain::{PersonCode, SituationCode, UserCode};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use storage::audit::{AccessResult, Told, What};
use wire::names;

pub(super) const USERS: &[Column<User>] = &[
    column("codigo", "Código", Number, |_, row| number(row.code.get())),
    column("nome", "Nome", Text, |_, row| text(row.name.as_str())),
    column("email", "E-mail", Text, |_, row| text(row.email.as_str())),
    column("perfil", "Perfil", Text, |_, row| text(names::role(row.role))),
    column("lojas", "Lojas", Text, |by, row| match row.role.has_every_branch() {
        true => text("Todas"),
        false => {
            let own: Vec<&str> = row.branches.iter().map(|code| by.branch_name(*code)).collect();
            text(own.join(", "))
        }
    }),
    column("ativo", "Ativo", Flag, |_, row| Cell::Flag(row.active)),
    column("alteracao", "Alteração", Moment, |_, row| moment(Some(row.updated_at))),
];

/// An entry of the audit, with what its users are called.
pub(super) struct Audited {
    pub told: Told,
    pub users: Arc<HashMap<UserCode, String>>,
}

pub(super) const AUDIT: &[Column<Audited>] = &[
    column("codigo", "Código", Number, |_, row| number(row.told.code)),
    column("quando", "Quando", Moment, |_, row| moment(Some(row.told.at))),
    column("codUsuario", "Código do usuário", Number, |_, row| {
        row.told.user.map_or(Cell::Nothing, |code| number(code.get()))
    }),
    column("usuario", "Usuário", Text, |_, row| {
        maybe(row.told.user.and_then(|code| row.users.get(&code)).map(String::as_str))
    }),
    column("operacao", "Operação", Text, |_, row| text(row.told.operation.as_str())),
    column("feito", "O que foi feito", Text, |_, row| match &row.told.what {
        What::Changed(_, detail) => maybe(detail.as_deref()),
        What::Looked(people) => text(format!("viu {}", seen(people).len())),
    }),
    column("endereco", "Endereço de rede", Text, |_, row| maybe(row.told.address.as_deref())),
    column("resultado", "Resultado", Text, |_, row| maybe(row.told.result.map(result_name))),
    column("vezes", "Vezes", Number, |_, row| number(i32::try_from(row.told.times).unwrap_or(i32::MAX))),
    column("pessoas", "Códigos das pessoas", Code, |_, row| match &row.told.what {
        What::Changed(person, _) => person.map_or(Cell::Nothing, |code| text(code.to_string())),
        What::Looked(people) => {
            text(seen(people).iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
        }
    }),
];

fn result_name(result: AccessResult) -> &'static str {
    match result {
        AccessResult::Success => "Sucesso",
        AccessResult::Failure => "Falha",
        AccessResult::Throttled => "Bloqueado",
    }
}

/// Each once, however often he was looked at.
fn seen(people: &[(PersonCode, domain::Moment)]) -> BTreeSet<PersonCode> {
    people.iter().map(|(code, _)| *code).collect()
}

pub(super) const MAILS: &[Column<Listed>] = &[
    column("codigo", "Código", Number, |_, row| number(row.code.get())),
    column("para", "Para", Text, |_, row| text(row.recipient.as_str())),
    column("assunto", "Assunto", Text, |_, row| text(row.subject.as_str())),
    column("criado", "Escrito em", Moment, |_, row| moment(Some(row.created_at))),
    column("enviado", "Enviado em", Moment, |_, row| moment(row.sent_at)),
    column("estado", "Estado", Text, |_, row| {
        text(match (row.sent_at, row.is_waiting) {
            (Some(_), _) => "Enviado",
            (None, true) => "Na fila",
            (None, false) => "Não enviado",
        })
    }),
    column("tentativas", "Tentativas", Number, |_, row| number(row.tries)),
    column("problema", "Problema", Text, |_, row| maybe(row.failure.as_deref())),
];

pub(super) const DELIVERIES: &[Column<Delivery>] = &[
    column("codHistorico", "Código do histórico", Number, |_, row| number(row.delivery.history.get())),
    column("codReceptor", "Código do receptor", Number, |_, row| number(row.delivery.receiver.get())),
    column("entidade", "Entidade", Text, |_, row| text(names::entity(row.delivery.entity))),
    column("registro", "Código do registro", Number, |_, row| number(row.delivery.record)),
    column("estado", "Estado", Text, |_, row| text(names::delivery_state(row.delivery.state))),
    column("tentativas", "Tentativas", Number, |_, row| number(row.delivery.tries)),
    column("criada", "Criada em", Moment, |_, row| moment(Some(row.delivery.created_at))),
    column("encerrada", "Encerrada em", Moment, |_, row| moment(row.delivery.ended_at)),
    column("proxima", "Próxima tentativa", Moment, |_, row| moment(row.delivery.due_at)),
    column("resposta", "Última resposta", Number, |_, row| {
        let last = row.attempts.iter().max_by_key(|one| (one.tried_at, one.number));
        last.and_then(|one| one.status).map_or(Cell::Nothing, number)
    }),
    column("problema", "Último problema", Text, |_, row| {
        let last = row.attempts.iter().max_by_key(|one| (one.tried_at, one.number));
        maybe(last.and_then(|one| one.failure.as_deref()))
    }),
];

pub(super) const HISTORY: &[Column<Entry>] = &[
    column("codHistorico", "Código do histórico", Number, |_, row| number(row.code.get())),
    column("quando", "Quando", Moment, |_, row| moment(Some(row.at))),
    column("entidade", "Entidade", Text, |_, row| text(names::entity(row.entity))),
    column("registro", "Código do registro", Number, |_, row| number(row.record)),
    column("loja", "Loja", Text, |by, row| text(by.branch_name(row.branch))),
    column("de", "Situação anterior", Text, |by, row| named(by, row.from)),
    column("para", "Situação", Text, |by, row| named(by, Some(row.to))),
    column("codUsuario", "Código do usuário", Number, |_, row| {
        row.user.map_or(Cell::Nothing, |code| number(code.get()))
    }),
    column("motivo", "Motivo", Text, |_, row| maybe(row.reason.as_deref())),
    column("origem", "Origem", Text, |_, row| text(row.origin.as_str())),
];

fn named(by: &Registers, code: Option<SituationCode>) -> Cell {
    maybe(code.and_then(|code| by.situation(code)).map(|one| one.name.as_str()))
}
