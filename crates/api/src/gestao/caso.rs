//! The common operations of `/gestao/evento`, `/gestao/vistoria`, `/gestao/helpDesk` and `/gestao/consulta`, and
//! `/gestao/atrasados`, which covers all of them. The differences are in each [`CaseResource`].

use crate::ServerState;
use crate::answer::JsonAnswer;
use crate::ext::evento::describe_case_situation;
use crate::extract::{AuthenticatedCaller, PathCode, QueryRecord};
use crate::failure::RequestFailure;
use crate::write::IncomingWrite;
use app::cases::{
    self, AnyCaseInput, CaseChangeHistory, FullCase, RecordHistoryEntry, RecordNote, ResolvedCase,
    StoredFieldChange,
};
use app::register_snapshot::TenantRegisters;
use axum::extract;
use axum::response::Response;
use domain::{Case, CaseKind, Moment, SituationCode, UserCode, display};
use serde::Serialize;
use wire::read::{self, BoundedInt, JsonInput};
use wire::records::{
    AlteracaoTO, AtrasadosQuery, CasoItemTO, CasoQuery, HistoricoRegistroTO, ListPage, NotaInput, NotaTO,
    ProximaSituacaoTO, SituacaoInput,
};
use wire::set_names;

/// A kind of case.
pub trait CaseResource: 'static {
    const KIND: CaseKind;
    /// The request record.
    type Input: JsonInput + Send + 'static;
    /// The response record.
    type Record: Serialize + 'static;

    fn convert_input(input: Self::Input) -> AnyCaseInput;
    fn render_case(case: &FullCase) -> Self::Record;
}

/// `GET /gestao/evento`
pub async fn list_cases<O: CaseResource>(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    QueryRecord(query): QueryRecord<CasoQuery>,
) -> Result<JsonAnswer<ListPage<CasoItemTO>>, RequestFailure> {
    let page = cases::list_cases(&state.app, &caller, O::KIND, query).await?;
    Ok(JsonAnswer(render_case_page(page, state.app.now())))
}

/// `GET /gestao/atrasados`
pub async fn list_overdue_cases(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    QueryRecord(query): QueryRecord<AtrasadosQuery>,
) -> Result<JsonAnswer<ListPage<CasoItemTO>>, RequestFailure> {
    let number = query.page.into_set().map_or(1, BoundedInt::get);
    let page = cases::list_overdue_cases(&state.app, &caller, number).await?;
    Ok(JsonAnswer(render_case_page(page, state.app.now())))
}

fn render_case_page(page: app::search_page::SearchPage<ResolvedCase>, now: Moment) -> ListPage<CasoItemTO> {
    let items = page.rows.iter().map(|row| render_case_item(&page.registers, row, now)).collect();
    ListPage::new(items, page.number, page.total)
}

/// `GET /gestao/evento/{codEvento}`
pub async fn show_case<O: CaseResource>(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<i32>,
) -> Result<JsonAnswer<O::Record>, RequestFailure> {
    Ok(JsonAnswer(O::render_case(&cases::read_case(&state.app, &caller, O::KIND, code.get()?).await?)))
}

/// `POST /gestao/evento`
pub async fn open_case<O: CaseResource>(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let act = |input: O::Input, once| cases::open_case(&state.app, &caller, O::convert_input(input), once);
    write.answer(&state, &caller, read::read_body, act, O::render_case).await
}

/// `PUT /gestao/evento/{codEvento}`
pub async fn change_case<O: CaseResource>(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<i32>,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let read = |body: &[u8]| code.join_body(read::read_body(body));
    let act = |(code, input): (i32, O::Input), once| {
        cases::change_case(&state.app, &caller, (code, O::convert_input(input)), once)
    };
    write.answer(&state, &caller, read, act, O::render_case).await
}

/// `PUT /gestao/evento/{codEvento}/situacao`
pub async fn change_case_situation<O: CaseResource>(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<i32>,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let read = |body: &[u8]| code.join_body(read::read_body(body));
    let act = |(code, input): (i32, SituacaoInput), once| {
        cases::change_case_situation(&state.app, &caller, (O::KIND, code), input, once)
    };
    write.answer(&state, &caller, read, act, O::render_case).await
}

/// `POST /gestao/evento/{codEvento}/nota`
pub async fn add_case_note<O: CaseResource>(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<i32>,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let read = |body: &[u8]| code.join_body(read::read_body(body));
    let act = |(code, input): (i32, NotaInput), once| {
        cases::add_case_note(&state.app, &caller, (O::KIND, code), input, once)
    };
    write.answer(&state, &caller, read, act, O::render_case).await
}

/// `GET /gestao/evento/{codEvento}/historico`
pub async fn show_case_history<O: CaseResource>(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<i32>,
) -> Result<JsonAnswer<HistoricoRegistroTO>, RequestFailure> {
    let history = cases::read_case_history(&state.app, &caller, O::KIND, code.get()?).await?;
    Ok(JsonAnswer(HistoricoRegistroTO { itens: merge_history(&history) }))
}

/// Merges both in chronological order; entries of the same moment keep the order in which they were written.
fn merge_history(history: &CaseChangeHistory) -> Vec<AlteracaoTO> {
    let registers = &history.registers;
    let moves = history.moves.iter().map(|one| (one.at, render_situation_change(registers, one)));
    let fields = history.fields.iter().map(|one| (one.at, render_field_change(registers, one)));
    let mut all: Vec<(Moment, AlteracaoTO)> = moves.chain(fields).collect();
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, one)| one).collect()
}

fn render_situation_change(registers: &TenantRegisters, one: &RecordHistoryEntry) -> AlteracaoTO {
    let name = |code: SituationCode| registers.situation(code).map(|one| one.name.to_uppercase());
    AlteracaoTO {
        tipo: "situacao",
        data_hora: one.at.to_offset_iso(&registers.zone),
        cod_usuario: one.user.map(UserCode::get),
        nome_usuario: one.user_name.clone(),
        cod_historico: Some(one.code.get()),
        campo: "situacao".to_owned(),
        antes: one.from.and_then(name),
        depois: name(one.to),
        motivo: one.reason.clone(),
        origem: Some(one.origin.clone()),
    }
}

fn render_field_change(registers: &TenantRegisters, one: &StoredFieldChange) -> AlteracaoTO {
    AlteracaoTO {
        tipo: "campo",
        data_hora: one.at.to_offset_iso(&registers.zone),
        cod_usuario: one.user.map(UserCode::get),
        nome_usuario: one.user_name.clone(),
        cod_historico: None,
        campo: one.change.field.clone(),
        antes: one.change.before.clone(),
        depois: one.change.after.clone(),
        motivo: None,
        origem: None,
    }
}

fn render_case_item(registers: &TenantRegisters, row: &ResolvedCase, now: Moment) -> CasoItemTO {
    let head = row.case.head();
    let (situation, colour, readable) = describe_case_situation(registers, head.situation);
    let due = cases::compute_due_moment(registers, head);
    let moment = |at: Moment| at.to_offset_iso(&registers.zone);
    let (kind, kind_name) = describe_case_type(registers, &row.case);
    let planned = match &row.case {
        Case::Inspection(inspection) => inspection.planned_for,
        Case::Appointment(appointment) => appointment.takes_place_at,
        Case::Claim(_) | Case::Ticket(_) => None,
    };
    CasoItemTO {
        entidade: set_names::entity(row.case.kind().entity()),
        codigo: row.code,
        protocolo: head.protocol.to_string(),
        cod_loja: head.branch.get(),
        nome_loja: registers.branch_name(head.branch).to_owned(),
        cod_pessoa: head.person.get(),
        nome_pessoa: row.name.clone(),
        cpf_cnpj: row.document.as_deref().map(display::format_document),
        cod_beneficio: head.benefit.map(domain::BenefitCode::get),
        placa: row.plate.clone(),
        cod_tipo: kind,
        tipo: kind_name,
        prioridade: row.case.priority().map(set_names::priority),
        cod_situacao: head.situation.get(),
        situacao: situation,
        tipo_situacao: find_situation_kind_name(registers, head.situation),
        cor_destaque: colour,
        cor_inversa: readable,
        situacao_desde: moment(head.situation_since),
        prazo: due.map(moment),
        atrasado: due.is_some_and(|due| due < now),
        cod_responsavel: head.responsible.map(UserCode::get),
        responsavel: row.responsible.clone(),
        data_abertura: moment(head.opened_at),
        data_encerramento: head.closed_at.map(moment),
        data_marcada: planned.map(moment),
        versao: head.version,
    }
}

fn describe_case_type(registers: &TenantRegisters, case: &Case) -> (Option<i32>, Option<String>) {
    let (code, name) = match case {
        Case::Claim(claim) => (Some(claim.kind.get()), registers.claim_type(claim.kind).map(|one| &one.name)),
        Case::Inspection(inspection) => {
            (Some(inspection.kind.get()), registers.inspection_type(inspection.kind).map(|one| &one.name))
        }
        Case::Ticket(ticket) => {
            (Some(ticket.kind.get()), registers.ticket_type(ticket.kind).map(|one| &one.name))
        }
        Case::Appointment(appointment) => {
            let found = appointment.specialty.and_then(|code| registers.specialty(code));
            (appointment.specialty.map(domain::SpecialtyCode::get), found.map(|one| &one.name))
        }
    };
    (code, name.cloned())
}

fn find_situation_kind_name(registers: &TenantRegisters, code: SituationCode) -> &'static str {
    registers.situation_kind(code).map_or("", set_names::situation_kind)
}

/// The response fields that all cases share.
pub struct CommonCaseFields {
    pub item: CasoItemTO,
    pub benefit: Option<String>,
    pub next: Vec<ProximaSituacaoTO>,
    pub updated: String,
    pub notes: Vec<NotaTO>,
}

pub fn build_common_fields(case: &FullCase) -> CommonCaseFields {
    let registers = &case.registers;
    CommonCaseFields {
        item: render_case_item(registers, &case.resolved_case, case.now),
        benefit: case.benefit.clone(),
        next: case
            .next_situations()
            .map(|one| ProximaSituacaoTO {
                cod_situacao: one.code.get(),
                situacao: one.name.to_uppercase(),
                tipo: set_names::situation_kind(one.kind),
            })
            .collect(),
        updated: case.resolved_case.case.head().updated_at.to_offset_iso(&registers.zone),
        notes: case.notes.iter().map(|one| render_note(registers, one)).collect(),
    }
}

fn render_note(registers: &TenantRegisters, note: &RecordNote) -> NotaTO {
    NotaTO {
        numero: note.number,
        data_hora: note.written_at.to_offset_iso(&registers.zone),
        cod_usuario: note.user.map(UserCode::get),
        nome_usuario: note.user_name.clone(),
        para_associado: note.is_message,
        texto: note.text.clone(),
    }
}

/// Builds a response record from the common fields and those of its own.
macro_rules! record {
    ($common:expr, $record:ident { $code:ident, $($field:ident: $value:expr),* $(,)? }) => {{
        let common = $common;
        let item = common.item;
        $record {
            $code: item.codigo,
            protocolo: item.protocolo,
            cod_loja: item.cod_loja,
            nome_loja: item.nome_loja,
            cod_pessoa: item.cod_pessoa,
            nome_pessoa: item.nome_pessoa,
            cpf_cnpj: item.cpf_cnpj,
            cod_beneficio: item.cod_beneficio,
            descricao_beneficio: common.benefit,
            $($field: $value,)*
            cod_responsavel: item.cod_responsavel,
            responsavel: item.responsavel,
            cod_situacao: item.cod_situacao,
            situacao: item.situacao,
            tipo_situacao: item.tipo_situacao,
            cor_destaque: item.cor_destaque,
            cor_inversa: item.cor_inversa,
            situacao_desde: item.situacao_desde,
            prazo: item.prazo,
            atrasado: item.atrasado,
            proximas_situacoes: common.next,
            data_abertura: item.data_abertura,
            data_encerramento: item.data_encerramento,
            data_atualizacao: common.updated,
            notas: common.notes,
            versao: item.versao,
        }
    }};
}
pub(crate) use record;
