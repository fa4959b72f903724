//! Columns of the administrators' lists: users, audit, mails, deliveries, and the change feed.

use super::cell_values::CellKind::{Code, Flag, Moment, Number, Text};
use super::cell_values::{
    SpreadsheetCell, make_moment_cell, make_number_cell, make_optional_text_cell, make_text_cell,
};
use super::list_columns::{ListColumn, define_column};
use app::audit::entry_pages::{AccountActionResult, AuditedEvent, StoredAuditEntry};
use app::mail::OutboxMail;
use app::register_snapshot::TenantRegisters;
use app::triggers::DeliveryWithAttempts;
use app::triggers::feed::HistoryFeedEntry;
use domain::{Entity, PersonCode, SituationCode, User, UserCode};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use wire::set_names;

pub(super) const USERS: &[ListColumn<User>] = &[
    define_column("codigo", "Código", Number, |_, row| make_number_cell(row.code.get())),
    define_column("nome", "Nome", Text, |_, row| make_text_cell(row.name.as_str())),
    define_column("email", "E-mail", Text, |_, row| make_text_cell(row.email.as_str())),
    define_column("perfil", "Perfil", Text, |_, row| make_text_cell(set_names::role(row.role))),
    define_column("lojas", "Lojas", Text, |tenant_registers, row| match row.role.has_every_branch() {
        true => make_text_cell("Todas"),
        false => {
            let branch_names: Vec<&str> =
                row.branches.iter().map(|code| tenant_registers.branch_name(*code)).collect();
            make_text_cell(branch_names.join(", "))
        }
    }),
    define_column("ativo", "Ativo", Flag, |_, row| SpreadsheetCell::Flag(row.active)),
    define_column("alteracao", "Alteração", Moment, |_, row| make_moment_cell(Some(row.updated_at))),
];

/// An audit entry with the names of its users.
pub(super) struct AuditExportRow {
    pub entry: StoredAuditEntry,
    pub users: Arc<HashMap<UserCode, String>>,
}

pub(super) const AUDIT: &[ListColumn<AuditExportRow>] = &[
    define_column("codigo", "Código", Number, |_, row| make_number_cell(row.entry.code)),
    define_column("quando", "Quando", Moment, |_, row| make_moment_cell(Some(row.entry.at))),
    define_column("codUsuario", "Código do usuário", Number, |_, row| {
        row.entry.user.map_or(SpreadsheetCell::Empty, |code| make_number_cell(code.get()))
    }),
    define_column("usuario", "Usuário", Text, |_, row| {
        make_optional_text_cell(row.entry.user.and_then(|code| row.users.get(&code)).map(String::as_str))
    }),
    define_column("operacao", "Operação", Text, |_, row| make_text_cell(row.entry.operation.as_str())),
    define_column("feito", "O que foi feito", Text, |_, row| match &row.entry.what {
        AuditedEvent::Change(_, content) => {
            make_optional_text_cell(app::audit::describe_content(content.clone()).as_deref())
        }
        AuditedEvent::Access(people) => {
            make_text_cell(format!("viu {}", collect_distinct_people(people).len()))
        }
    }),
    define_column("endereco", "Endereço de rede", Text, |_, row| {
        make_optional_text_cell(row.entry.address.as_deref())
    }),
    define_column("resultado", "Resultado", Text, |_, row| {
        make_optional_text_cell(row.entry.result.map(label_access_result))
    }),
    define_column("vezes", "Vezes", Number, |_, row| {
        make_number_cell(i32::try_from(row.entry.times).unwrap_or(i32::MAX))
    }),
    define_column("pessoas", "Códigos das pessoas", Code, |_, row| match &row.entry.what {
        AuditedEvent::Change(person, _) => {
            person.map_or(SpreadsheetCell::Empty, |code| make_text_cell(code.to_string()))
        }
        AuditedEvent::Access(people) => make_text_cell(
            collect_distinct_people(people).iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
        ),
    }),
];

fn label_access_result(result: AccountActionResult) -> &'static str {
    match result {
        AccountActionResult::Success => "Sucesso",
        AccountActionResult::Failure => "Falha",
        AccountActionResult::Throttled => "Bloqueado",
    }
}

/// Each person once, even if viewed several times.
fn collect_distinct_people(people: &[(PersonCode, domain::Moment)]) -> BTreeSet<PersonCode> {
    people.iter().map(|(code, _)| *code).collect()
}

pub(super) const MAILS: &[ListColumn<OutboxMail>] = &[
    define_column("codigo", "Código", Number, |_, row| make_number_cell(row.code.get())),
    define_column("para", "Para", Text, |_, row| make_text_cell(row.recipient.as_str())),
    define_column("assunto", "Assunto", Text, |_, row| make_text_cell(row.subject.as_str())),
    define_column("criado", "Escrito em", Moment, |_, row| make_moment_cell(Some(row.created_at))),
    define_column("enviado", "Enviado em", Moment, |_, row| make_moment_cell(row.sent_at)),
    define_column("estado", "Estado", Text, |_, row| {
        make_text_cell(match (row.sent_at, row.is_waiting) {
            (Some(_), _) => "Enviado",
            (None, true) => "Na fila",
            (None, false) => "Não enviado",
        })
    }),
    define_column("tentativas", "Tentativas", Number, |_, row| make_number_cell(row.tries)),
    define_column("problema", "Problema", Text, |_, row| make_optional_text_cell(row.failure.as_deref())),
];

pub(super) const DELIVERIES: &[ListColumn<DeliveryWithAttempts>] = &[
    define_column("codHistorico", "Código do histórico", Number, |_, row| {
        make_number_cell(row.delivery.history.get())
    }),
    define_column("codReceptor", "Código do receptor", Number, |_, row| {
        make_number_cell(row.delivery.receiver.get())
    }),
    define_column("entidade", "Entidade", Text, |_, row| {
        make_text_cell(set_names::entity(row.delivery.entity))
    }),
    define_column("registro", "Código do registro", Number, |_, row| make_number_cell(row.delivery.record)),
    define_column("estado", "Estado", Text, |_, row| {
        make_text_cell(set_names::delivery_state(row.delivery.state))
    }),
    define_column("tentativas", "Tentativas", Number, |_, row| make_number_cell(row.delivery.tries)),
    define_column("criada", "Criada em", Moment, |_, row| make_moment_cell(Some(row.delivery.created_at))),
    define_column("encerrada", "Encerrada em", Moment, |_, row| make_moment_cell(row.delivery.ended_at)),
    define_column("proxima", "Próxima tentativa", Moment, |_, row| make_moment_cell(row.delivery.due_at)),
    define_column("resposta", "Última resposta", Number, |_, row| {
        let last = row.attempts.iter().max_by_key(|one| (one.tried_at, one.number));
        last.and_then(|one| one.status).map_or(SpreadsheetCell::Empty, make_number_cell)
    }),
    define_column("problema", "Último problema", Text, |_, row| {
        let last = row.attempts.iter().max_by_key(|one| (one.tried_at, one.number));
        make_optional_text_cell(last.and_then(|one| one.failure.as_deref()))
    }),
];

pub(super) const HISTORY: &[ListColumn<HistoryFeedEntry>] = &[
    define_column("codHistorico", "Código do histórico", Number, |_, row| make_number_cell(row.code.get())),
    define_column("quando", "Quando", Moment, |_, row| make_moment_cell(Some(row.at))),
    define_column("entidade", "Entidade", Text, |_, row| make_text_cell(set_names::entity(row.entity))),
    define_column("registro", "Código do registro", Number, |_, row| make_number_cell(row.record)),
    define_column("loja", "Loja", Text, |tenant_registers, row| {
        make_text_cell(tenant_registers.branch_name(row.branch))
    }),
    define_column("de", "Situação anterior", Text, |tenant_registers, row| {
        make_optional_situation_cell(tenant_registers, row.entity, row.from)
    }),
    define_column("para", "Situação", Text, |tenant_registers, row| {
        make_optional_situation_cell(tenant_registers, row.entity, Some(row.to))
    }),
    define_column("codUsuario", "Código do usuário", Number, |_, row| {
        row.user.map_or(SpreadsheetCell::Empty, |code| make_number_cell(code.get()))
    }),
    define_column("motivo", "Motivo", Text, |_, row| make_optional_text_cell(row.reason.as_deref())),
    define_column("origem", "Origem", Text, |_, row| make_text_cell(row.origin.as_str())),
];

fn make_optional_situation_cell(
    tenant_registers: &TenantRegisters,
    entity: Entity,
    code: Option<SituationCode>,
) -> SpreadsheetCell {
    make_optional_text_cell(code.and_then(|code| tenant_registers.situation_name(entity, code)))
}
