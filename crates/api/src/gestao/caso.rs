//! What is the same in the operations of `/gestao/evento`, `/gestao/vistoria`, `/gestao/helpDesk` and `/gestao/consulta`, and
//! `/gestao/atrasados`, which is about all of them. What differs is each one's [`Operated`].

use crate::State;
use crate::answer::Answer;
use crate::ext::evento::situation;
use crate::extract::{Caller, Code, Query};
use crate::failure::Failure;
use crate::write::Write;
use app::base::Registers;
use app::cases::{self, Case, History, Input, Item, Moved, Note, Whole, Written};
use axum::extract;
use axum::response::Response;
use domain::{CaseKind, Moment, SituationCode, UserCode, shown};
use serde::Serialize;
use wire::names;
use wire::read::{self, Between, Read};
use wire::records::{
    AlteracaoTO, AtrasadosQuery, CasoItemTO, CasoQuery, HistoricoRegistroTO, NotaInput, NotaTO, Pagina,
    ProximaSituacaoTO, SituacaoInput,
};

/// Something that is worked on.
pub trait Operated: 'static {
    const KIND: CaseKind;
    /// What is sent of it.
    type Input: Read + Send + 'static;
    /// What is answered of it.
    type Record: Serialize + 'static;

    fn input(sent: Self::Input) -> Input;
    fn record(whole: &Whole) -> Self::Record;
}

/// `GET /gestao/evento`
pub async fn list<O: Operated>(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    Query(query): Query<CasoQuery>,
) -> Result<Answer<Pagina<CasoItemTO>>, Failure> {
    let page = cases::list(&state.app, &caller, O::KIND, query).await?;
    Ok(Answer(listed(page, state.app.now())))
}

/// `GET /gestao/atrasados`
pub async fn overdue(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    Query(query): Query<AtrasadosQuery>,
) -> Result<Answer<Pagina<CasoItemTO>>, Failure> {
    let number = query.page.set().map_or(1, Between::get);
    let page = cases::overdue(&state.app, &caller, number).await?;
    Ok(Answer(listed(page, state.app.now())))
}

fn listed(page: app::searches::Page<Item>, now: Moment) -> Pagina<CasoItemTO> {
    let items = page.rows.iter().map(|row| item(&page.registers, row, now)).collect();
    Pagina::new(items, page.number, page.total)
}

/// `GET /gestao/evento/{codEvento}`
pub async fn one<O: Operated>(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    code: Code<i32>,
) -> Result<Answer<O::Record>, Failure> {
    Ok(Answer(O::record(&cases::one(&state.app, &caller, O::KIND, code.get()?).await?)))
}

/// `POST /gestao/evento`
pub async fn open<O: Operated>(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    write: Write,
) -> Result<Response, Failure> {
    let act = |input: O::Input, once| cases::open(&state.app, &caller, O::input(input), once);
    write.answer(&state, &caller, read::body, act, O::record).await
}

/// `PUT /gestao/evento/{codEvento}`
pub async fn change<O: Operated>(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    code: Code<i32>,
    write: Write,
) -> Result<Response, Failure> {
    let read = |body: &[u8]| code.and(read::body(body));
    let act = |(code, input): (i32, O::Input), once| {
        cases::change(&state.app, &caller, (code, O::input(input)), once)
    };
    write.answer(&state, &caller, read, act, O::record).await
}

/// `PUT /gestao/evento/{codEvento}/situacao`
pub async fn move_to<O: Operated>(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    code: Code<i32>,
    write: Write,
) -> Result<Response, Failure> {
    let read = |body: &[u8]| code.and(read::body(body));
    let act = |(code, input): (i32, SituacaoInput), once| {
        cases::move_to(&state.app, &caller, (O::KIND, code), input, once)
    };
    write.answer(&state, &caller, read, act, O::record).await
}

/// `POST /gestao/evento/{codEvento}/nota`
pub async fn note<O: Operated>(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    code: Code<i32>,
    write: Write,
) -> Result<Response, Failure> {
    let read = |body: &[u8]| code.and(read::body(body));
    let act = |(code, input): (i32, NotaInput), once| {
        cases::note(&state.app, &caller, (O::KIND, code), input, once)
    };
    write.answer(&state, &caller, read, act, O::record).await
}

/// `GET /gestao/evento/{codEvento}/historico`
pub async fn history<O: Operated>(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    code: Code<i32>,
) -> Result<Answer<HistoricoRegistroTO>, Failure> {
    let history = cases::history(&state.app, &caller, O::KIND, code.get()?).await?;
    Ok(Answer(HistoricoRegistroTO { itens: merged(&history) }))
}

/// Both in the order of time; what came at the same moment as it was written.
fn merged(history: &History) -> Vec<AlteracaoTO> {
    let registers = &history.registers;
    let moves = history.moves.iter().map(|one| (one.at, moved(registers, one)));
    let fields = history.fields.iter().map(|one| (one.at, changed(registers, one)));
    let mut all: Vec<(Moment, AlteracaoTO)> = moves.chain(fields).collect();
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, one)| one).collect()
}

fn moved(registers: &Registers, one: &Moved) -> AlteracaoTO {
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

fn changed(registers: &Registers, one: &Written) -> AlteracaoTO {
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

fn item(registers: &Registers, row: &Item, now: Moment) -> CasoItemTO {
    let head = row.case.head();
    let (situation, colour, readable) = situation(registers, head.situation);
    let due = cases::due(registers, head);
    let moment = |at: Moment| at.to_offset_iso(&registers.zone);
    let (kind, kind_name) = kind(registers, &row.case);
    let planned = match &row.case {
        Case::Inspection(own) => own.planned_for,
        Case::Appointment(own) => own.takes_place_at,
        Case::Claim(_) | Case::Ticket(_) => None,
    };
    CasoItemTO {
        entidade: names::entity(row.case.kind().entity()),
        codigo: row.code,
        protocolo: head.protocol.to_string(),
        cod_loja: head.branch.get(),
        nome_loja: registers.branch_name(head.branch).to_owned(),
        cod_pessoa: head.person.get(),
        nome_pessoa: row.name.clone(),
        cpf_cnpj: row.document.as_deref().map(shown::document),
        cod_beneficio: head.benefit.map(domain::BenefitCode::get),
        placa: row.plate.clone(),
        cod_tipo: kind,
        tipo: kind_name,
        prioridade: row.case.priority().map(names::priority),
        cod_situacao: head.situation.get(),
        situacao: situation,
        tipo_situacao: situation_kind(registers, head.situation),
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

fn kind(registers: &Registers, case: &Case) -> (Option<i32>, Option<String>) {
    let (code, name) = match case {
        Case::Claim(own) => (Some(own.kind.get()), registers.claim_type(own.kind).map(|one| &one.name)),
        Case::Inspection(own) => {
            (Some(own.kind.get()), registers.inspection_type(own.kind).map(|one| &one.name))
        }
        Case::Ticket(own) => (Some(own.kind.get()), registers.ticket_type(own.kind).map(|one| &one.name)),
        Case::Appointment(own) => {
            let found = own.specialty.and_then(|code| registers.specialty(code));
            (own.specialty.map(domain::SpecialtyCode::get), found.map(|one| &one.name))
        }
    };
    (code, name.cloned())
}

fn situation_kind(registers: &Registers, code: SituationCode) -> &'static str {
    registers.kind_of(code).map_or("", names::situation_kind)
}

/// What all of them answer alike.
pub struct Common {
    pub item: CasoItemTO,
    pub benefit: Option<String>,
    pub next: Vec<ProximaSituacaoTO>,
    pub updated: String,
    pub notes: Vec<NotaTO>,
}

pub fn common(whole: &Whole) -> Common {
    let registers = &whole.registers;
    Common {
        item: item(registers, &whole.told, whole.now),
        benefit: whole.benefit.clone(),
        next: whole
            .next()
            .map(|one| ProximaSituacaoTO {
                cod_situacao: one.code.get(),
                situacao: one.name.to_uppercase(),
                tipo: names::situation_kind(one.kind),
            })
            .collect(),
        updated: whole.told.case.head().updated_at.to_offset_iso(&registers.zone),
        notes: whole.notes.iter().map(|one| note_record(registers, one)).collect(),
    }
}

fn note_record(registers: &Registers, note: &Note) -> NotaTO {
    NotaTO {
        numero: note.number,
        data_hora: note.written_at.to_offset_iso(&registers.zone),
        cod_usuario: note.user.map(UserCode::get),
        nome_usuario: note.user_name.clone(),
        para_associado: note.is_message,
        texto: note.text.clone(),
    }
}

/// A record with what all of them answer alike, around what is its own.
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
