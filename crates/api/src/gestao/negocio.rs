//! `/gestao/negocio` and `/gestao/lead`: sales, in every situation.

use super::associado::happened;
use crate::State;
use crate::answer::Answer;
use crate::ext::crm::{item, lead_record, whole as whole_record};
use crate::extract::{Caller, Code, Query};
use crate::failure::Failure;
use crate::write::Write;
use app::base::Registers;
use app::deals::{self, Board, Column, FoundDeal, Managed, Wanted};
use app::leads::{self, FoundLead, ManagedLead};
use axum::extract;
use axum::response::Response;
use domain::{BenefitCode, Date, DealCode, LeadCode, Money, SellerCode};
use wire::names;
use wire::read::{self, Between};
use wire::records::{
    EtapaInput, EtapaQuadroTO, GanhoInput, HistoricoRegistroTO, LeadAlteracaoInput, LeadGestaoTO, LeadMaisTO,
    LeadQuery, NegocioAndamentoTO, NegocioCompletoTO, NegocioGestaoTO, NegocioQuery, NegocioResultadoTO,
    Pagina, PerdaInput, QuadroQuery, QuadroTO, ReaberturaInput, Valor,
};

/// `GET /gestao/negocio`
pub async fn list(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    Query(query): Query<NegocioQuery>,
) -> Result<Answer<Pagina<NegocioGestaoTO>>, Failure> {
    let wanted = Wanted {
        filter: query.filter.set(),
        branch: query.branch.set(),
        funnel: query.funnel.set(),
        stage: query.stage.set(),
        state: query.state.set(),
        responsible: query.responsible.set(),
        stalled: query.stalled.set().map(Between::get),
        page: query.page.set().map_or(1, Between::get),
    };
    let page = deals::page(&state.app, &caller, wanted).await?;
    let today = state.app.now().date_in(&page.registers.zone);
    let items = page.rows.iter().map(|deal| record(&page.registers, deal, today)).collect();
    Ok(Answer(Pagina::new(items, page.number, page.total)))
}

/// `GET /gestao/negocio/quadro`
pub async fn board(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    Query(query): Query<QuadroQuery>,
) -> Result<Answer<QuadroTO>, Failure> {
    let asked = (query.funnel.set(), query.branch.set(), query.responsible.set());
    let Board { funnel, stages, registers } = deals::board(&state.app, &caller, asked).await?;
    let today = state.app.now().date_in(&registers.zone);
    Ok(Answer(QuadroTO {
        cod_funil: funnel.get(),
        nome: registers.funnel(funnel).map_or_else(String::new, |one| one.name.clone()),
        etapas: stages.iter().map(|column| column_record(&registers, column, today)).collect(),
    }))
}

fn column_record(registers: &Registers, Column { standing, cards }: &Column, today: Date) -> EtapaQuadroTO {
    let stage = registers.stage(standing.stage);
    EtapaQuadroTO {
        cod_etapa: standing.stage.get(),
        nome: stage.map_or_else(String::new, |stage| stage.name.clone()),
        cor_destaque: stage.map_or_else(String::new, |stage| stage.colour.to_string()),
        quantidade: standing.count,
        valor: Valor(Money::from_cents(standing.total).unwrap_or(Money::MOST)),
        negocios: cards.iter().map(|deal| record(registers, deal, today)).collect(),
    }
}

/// `GET /gestao/negocio/{codNegocio}`
pub async fn one(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    code: Code<DealCode>,
) -> Result<Answer<NegocioCompletoTO>, Failure> {
    let (view, registers) = deals::whole(&state.app, &caller, code.get()?).await?;
    let today = state.app.now().date_in(&registers.zone);
    let resultado = result(&view.found);
    Ok(Answer(NegocioCompletoTO { negocio: whole_record(&registers, view, today), resultado }))
}

/// `GET /gestao/negocio/{codNegocio}/historico`
pub async fn history(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    code: Code<DealCode>,
) -> Result<Answer<HistoricoRegistroTO>, Failure> {
    let found = deals::history(&state.app, &caller, code.get()?).await?;
    Ok(Answer(happened(found, |_| "situacao".to_owned())))
}

fn record(registers: &Registers, found: &FoundDeal, today: Date) -> NegocioGestaoTO {
    NegocioGestaoTO {
        negocio: item(registers, found, today),
        andamento: NegocioAndamentoTO {
            tipo_beneficio: found.deal.kind.map(names::benefit_kind),
            situacao: names::deal_state(found.deal.state),
            motivo_perda: found.deal.lost_because.clone(),
        },
        resultado: result(found),
    }
}

fn result(found: &FoundDeal) -> NegocioResultadoTO {
    NegocioResultadoTO {
        cod_pessoa: found.person.get(),
        cod_beneficio: found.deal.benefit.map(BenefitCode::get),
        versao: found.deal.version,
    }
}

/// How a deal that was changed is shown, at the day of now.
fn shown(state: &State) -> impl Fn(&Managed) -> NegocioGestaoTO + Send + Sync + 'static {
    let now = state.app.now();
    move |managed| record(&managed.registers, &managed.found, now.date_in(&managed.registers.zone))
}

/// `PUT /gestao/negocio/{codNegocio}/etapa`
pub async fn move_to(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    code: Code<DealCode>,
    write: Write,
) -> Result<Response, Failure> {
    let read = |body: &[u8]| code.and(read::body(body));
    let act =
        |(code, input): (DealCode, EtapaInput), once| deals::move_to(&state.app, &caller, code, input, once);
    write.answer(&state, &caller, read, act, shown(&state)).await
}

/// `PUT /gestao/negocio/{codNegocio}/perder`
pub async fn lose(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    code: Code<DealCode>,
    write: Write,
) -> Result<Response, Failure> {
    let read = |body: &[u8]| code.and(read::body(body));
    let act =
        |(code, input): (DealCode, PerdaInput), once| deals::lose(&state.app, &caller, code, input, once);
    write.answer(&state, &caller, read, act, shown(&state)).await
}

/// `PUT /gestao/negocio/{codNegocio}/reabrir`
pub async fn reopen(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    code: Code<DealCode>,
    write: Write,
) -> Result<Response, Failure> {
    let read = |body: &[u8]| code.and(read::body_or_nothing(body));
    let act = |(code, input): (DealCode, ReaberturaInput), once| {
        deals::reopen(&state.app, &caller, code, input, once)
    };
    write.answer(&state, &caller, read, act, shown(&state)).await
}

/// `PUT /gestao/negocio/{codNegocio}/ganhar`
pub async fn win(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    code: Code<DealCode>,
    write: Write,
) -> Result<Response, Failure> {
    let read = |body: &[u8]| code.and(read::body_or_nothing(body));
    let act =
        |(code, input): (DealCode, GanhoInput), once| deals::win(&state.app, &caller, code, input, once);
    write.answer(&state, &caller, read, act, shown(&state)).await
}

/// `GET /gestao/lead`
pub async fn leads(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    Query(query): Query<LeadQuery>,
) -> Result<Answer<Pagina<LeadGestaoTO>>, Failure> {
    let wanted = leads::Wanted {
        filter: query.filter.set(),
        active: query.active.set(),
        branch: query.branch.set(),
        page: query.page.set().map_or(1, Between::get),
    };
    let page = leads::page(&state.app, &caller, wanted).await?;
    let items = page.rows.into_iter().map(|lead| with_more(&page.registers, lead)).collect();
    Ok(Answer(Pagina::new(items, page.number, page.total)))
}

/// `GET /gestao/lead/{codLead}`
pub async fn lead(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    code: Code<LeadCode>,
) -> Result<Answer<LeadGestaoTO>, Failure> {
    Ok(Answer(managed_lead(&leads::one(&state.app, &caller, code.get()?).await?)))
}

/// `PUT /gestao/lead/{codLead}`
pub async fn change_lead(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    code: Code<LeadCode>,
    write: Write,
) -> Result<Response, Failure> {
    let read = |body: &[u8]| code.and(read::body(body));
    let act = |(code, input): (LeadCode, LeadAlteracaoInput), once| {
        leads::change(&state.app, &caller, code, input, once)
    };
    write.answer(&state, &caller, read, act, managed_lead).await
}

fn managed_lead(managed: &ManagedLead) -> LeadGestaoTO {
    with_more(&managed.registers, managed.found.clone())
}

fn with_more(registers: &Registers, found: FoundLead) -> LeadGestaoTO {
    let mais = LeadMaisTO {
        cod_consultor: found.lead.consultant.map(SellerCode::get),
        ativo: found.lead.active,
        versao: found.lead.version,
    };
    LeadGestaoTO { lead: lead_record(registers, found), mais }
}
