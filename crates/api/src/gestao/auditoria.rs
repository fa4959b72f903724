//! `/gestao/auditoria`: the audit log, for administrators.

use crate::ServerState;
use crate::answer::JsonAnswer;
use crate::extract::{AuthenticatedCaller, QueryRecord};
use crate::failure::RequestFailure;
use app::audit::entry_pages::{AccountActionResult, AuditPageQuery, AuditedEvent, StoredAuditEntry};
use app::audit::{self, entry_pages};
use app::register_snapshot::load_registers;
use axum::extract;
use domain::{AuditCursor, Moment, PersonCode, TimeZone, UserCode};
use std::collections::HashMap;
use wire::records::{AuditoriaQuery, AuditoriaTO, PessoaVistaTO, RegistroAuditoriaTO};

/// `GET /gestao/auditoria`
pub async fn list_audit_entries(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    QueryRecord(query): QueryRecord<AuditoriaQuery>,
) -> Result<JsonAnswer<AuditoriaTO>, RequestFailure> {
    let after = query.after.into_set().unwrap_or(AuditCursor::START);
    let question = AuditPageQuery { after, person: query.person.into_set(), user: query.user.into_set() };
    let page = entry_pages::read_audit_page(&state.app, &caller, question).await?;
    let names = entry_pages::list_user_names(&state.app, &caller).await?;
    let registers = load_registers(&state.app, caller.scope.tenant()).await?;
    let items =
        page.entries.into_iter().map(|one| render_audit_entry(&registers.zone, &names, one)).collect();
    Ok(JsonAnswer(AuditoriaTO { itens: items, proximo: page.reached.to_string(), tem_mais: page.has_more }))
}

fn render_audit_entry(
    zone: &TimeZone,
    names: &HashMap<UserCode, String>,
    entry: StoredAuditEntry,
) -> RegistroAuditoriaTO {
    let render_viewed = |(person, at): (PersonCode, Moment)| PessoaVistaTO {
        cod_pessoa: person.get(),
        data_hora: at.to_offset_iso(zone),
    };
    let result = entry.result.map(|result| match result {
        AccountActionResult::Success => "sucesso",
        AccountActionResult::Failure => "falha",
        AccountActionResult::Throttled => "bloqueado",
    });
    let (kind, people, detail) = match entry.what {
        AuditedEvent::Access(people) => ("leitura", people, None),
        AuditedEvent::Change(_, content) if result.is_some() => {
            ("acesso", Vec::new(), audit::describe_content(content))
        }
        AuditedEvent::Change(person, content) => {
            let people = person.map(|person| (person, entry.at)).into_iter().collect();
            ("alteracao", people, audit::describe_content(content))
        }
    };
    RegistroAuditoriaTO {
        cod_auditoria: entry.code,
        data_hora: entry.at.to_offset_iso(zone),
        cod_usuario: entry.user.map(UserCode::get),
        nome_usuario: entry.user.and_then(|user| names.get(&user)).cloned(),
        operacao: entry.operation,
        tipo: kind,
        endereco: entry.address,
        resultado: result,
        vezes: entry.times,
        pessoas: people.into_iter().map(render_viewed).collect(),
        detalhe: detail,
    }
}
