//! `/gestao/negocio` and `/gestao/lead`: deals and leads in every state.

use super::associado::render_history;
use crate::ServerState;
use crate::answer::JsonAnswer;
use crate::ext::crm::{render_deal, render_found_deal, render_lead};
use crate::extract::{AuthenticatedCaller, PathCode, QueryRecord};
use crate::failure::RequestFailure;
use crate::write::IncomingWrite;
use app::register_snapshot::TenantRegisters;
use app::sales::deals::{self, CurrentDeal, DealPipelineQuery, FoundDeal, FunnelBoard, FunnelBoardStage};
use app::sales::leads::{self, CurrentLead, FoundLead};
use axum::extract;
use axum::response::Response;
use domain::{BenefitCode, Date, DealCode, LeadCode, Money, SellerCode};
use wire::read::{self, BoundedInt};
use wire::records::{
    EtapaInput, EtapaQuadroTO, GanhoInput, HistoricoRegistroTO, JsonAmount, LeadAlteracaoInput, LeadGestaoTO,
    LeadMaisTO, LeadQuery, ListPage, NegocioAndamentoTO, NegocioCompletoTO, NegocioGestaoTO, NegocioQuery,
    NegocioResultadoTO, PerdaInput, QuadroQuery, QuadroTO, ReaberturaInput,
};
use wire::set_names;

/// `GET /gestao/negocio`
pub async fn list_deals(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    QueryRecord(query): QueryRecord<NegocioQuery>,
) -> Result<JsonAnswer<ListPage<NegocioGestaoTO>>, RequestFailure> {
    let criteria = DealPipelineQuery {
        filter: query.filter.into_set(),
        branch: query.branch.into_set(),
        funnel: query.funnel.into_set(),
        stage: query.stage.into_set(),
        state: query.state.into_set(),
        responsible: query.responsible.into_set(),
        stalled: query.stalled.into_set().map(BoundedInt::get),
        page: query.page.into_set().map_or(1, BoundedInt::get),
    };
    let page = deals::list_deals(&state.app, &caller, criteria).await?;
    let today = state.app.now().date_in(&page.registers.zone);
    let items = page.rows.iter().map(|deal| render_managed_deal(&page.registers, deal, today)).collect();
    Ok(JsonAnswer(ListPage::new(items, page.number, page.total)))
}

/// `GET /gestao/negocio/quadro`
pub async fn show_deal_board(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    QueryRecord(query): QueryRecord<QuadroQuery>,
) -> Result<JsonAnswer<QuadroTO>, RequestFailure> {
    let criteria = (query.funnel.into_set(), query.branch.into_set(), query.responsible.into_set());
    let FunnelBoard { funnel, stages, registers } =
        deals::read_funnel_board(&state.app, &caller, criteria).await?;
    let today = state.app.now().date_in(&registers.zone);
    Ok(JsonAnswer(QuadroTO {
        cod_funil: funnel.get(),
        nome: registers.funnel(funnel).map_or_else(String::new, |one| one.name.clone()),
        etapas: stages.iter().map(|column| render_board_column(&registers, column, today)).collect(),
    }))
}

fn render_board_column(
    registers: &TenantRegisters,
    FunnelBoardStage { standing, cards }: &FunnelBoardStage,
    today: Date,
) -> EtapaQuadroTO {
    let stage = registers.stage(standing.stage);
    EtapaQuadroTO {
        cod_etapa: standing.stage.get(),
        nome: stage.map_or_else(String::new, |stage| stage.name.clone()),
        cor_destaque: stage.map_or_else(String::new, |stage| stage.colour.to_string()),
        quantidade: standing.count,
        valor: JsonAmount(standing.total.min(Money::MOST)),
        negocios: cards.iter().map(|deal| render_managed_deal(registers, deal, today)).collect(),
    }
}

/// `GET /gestao/negocio/{codNegocio}`
pub async fn show_deal(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<DealCode>,
) -> Result<JsonAnswer<NegocioCompletoTO>, RequestFailure> {
    let (view, registers) = deals::show_deal(&state.app, &caller, code.get()?).await?;
    let today = state.app.now().date_in(&registers.zone);
    let resultado = render_deal_result(&view.found_deal);
    Ok(JsonAnswer(NegocioCompletoTO { negocio: render_deal(&registers, view, today), resultado }))
}

/// `GET /gestao/negocio/{codNegocio}/historico`
pub async fn show_deal_history(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<DealCode>,
) -> Result<JsonAnswer<HistoricoRegistroTO>, RequestFailure> {
    let found = deals::read_deal_history(&state.app, &caller, code.get()?).await?;
    Ok(JsonAnswer(render_history(found, |_| "situacao".to_owned())))
}

fn render_managed_deal(registers: &TenantRegisters, found: &FoundDeal, today: Date) -> NegocioGestaoTO {
    NegocioGestaoTO {
        negocio: render_found_deal(registers, found, today),
        andamento: NegocioAndamentoTO {
            tipo_beneficio: found.deal.kind.map(set_names::benefit_kind),
            situacao: set_names::deal_state(found.deal.state),
            motivo_perda: found.deal.lost_because.clone(),
        },
        resultado: render_deal_result(found),
    }
}

fn render_deal_result(found: &FoundDeal) -> NegocioResultadoTO {
    NegocioResultadoTO {
        cod_pessoa: found.person.get(),
        cod_beneficio: found.deal.benefit.map(BenefitCode::get),
        versao: found.deal.version,
    }
}

/// Renders a changed deal as of today.
fn build_deal_renderer(
    state: &ServerState,
) -> impl Fn(&CurrentDeal) -> NegocioGestaoTO + Send + Sync + 'static {
    let now = state.app.now();
    move |managed| {
        render_managed_deal(&managed.registers, &managed.found_deal, now.date_in(&managed.registers.zone))
    }
}

/// `PUT /gestao/negocio/{codNegocio}/etapa`
pub async fn move_deal(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<DealCode>,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let read = |body: &[u8]| code.join_body(read::read_body(body));
    let act = |(code, input): (DealCode, EtapaInput), once| {
        deals::move_deal(&state.app, &caller, code, input, once)
    };
    write.answer(&state, &caller, read, act, build_deal_renderer(&state)).await
}

/// `PUT /gestao/negocio/{codNegocio}/perder`
pub async fn lose_deal(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<DealCode>,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let read = |body: &[u8]| code.join_body(read::read_body(body));
    let act = |(code, input): (DealCode, PerdaInput), once| {
        deals::lose_deal(&state.app, &caller, code, input, once)
    };
    write.answer(&state, &caller, read, act, build_deal_renderer(&state)).await
}

/// `PUT /gestao/negocio/{codNegocio}/reabrir`
pub async fn reopen_deal(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<DealCode>,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let read = |body: &[u8]| code.join_body(read::read_optional_body(body));
    let act = |(code, input): (DealCode, ReaberturaInput), once| {
        deals::reopen_deal(&state.app, &caller, code, input, once)
    };
    write.answer(&state, &caller, read, act, build_deal_renderer(&state)).await
}

/// `PUT /gestao/negocio/{codNegocio}/ganhar`
pub async fn win_deal(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<DealCode>,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let read = |body: &[u8]| code.join_body(read::read_optional_body(body));
    let act =
        |(code, input): (DealCode, GanhoInput), once| deals::win_deal(&state.app, &caller, code, input, once);
    write.answer(&state, &caller, read, act, build_deal_renderer(&state)).await
}

/// `GET /gestao/lead`
pub async fn list_leads(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    QueryRecord(query): QueryRecord<LeadQuery>,
) -> Result<JsonAnswer<ListPage<LeadGestaoTO>>, RequestFailure> {
    let criteria = leads::LeadManagementQuery {
        filter: query.filter.into_set(),
        active: query.active.into_set(),
        branch: query.branch.into_set(),
        page: query.page.into_set().map_or(1, BoundedInt::get),
    };
    let page = leads::list_leads(&state.app, &caller, criteria).await?;
    let items = page.rows.into_iter().map(|lead| render_managed_lead(&page.registers, lead)).collect();
    Ok(JsonAnswer(ListPage::new(items, page.number, page.total)))
}

/// `GET /gestao/lead/{codLead}`
pub async fn show_lead(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<LeadCode>,
) -> Result<JsonAnswer<LeadGestaoTO>, RequestFailure> {
    Ok(JsonAnswer(render_changed_lead(&leads::read_lead(&state.app, &caller, code.get()?).await?)))
}

/// `PUT /gestao/lead/{codLead}`
pub async fn change_lead(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<LeadCode>,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let read = |body: &[u8]| code.join_body(read::read_body(body));
    let act = |(code, input): (LeadCode, LeadAlteracaoInput), once| {
        leads::change_lead(&state.app, &caller, code, input, once)
    };
    write.answer(&state, &caller, read, act, render_changed_lead).await
}

fn render_changed_lead(managed: &CurrentLead) -> LeadGestaoTO {
    render_managed_lead(&managed.registers, managed.found_lead.clone())
}

fn render_managed_lead(registers: &TenantRegisters, found: FoundLead) -> LeadGestaoTO {
    let mais = LeadMaisTO {
        cod_consultor: found.lead.consultant.map(SellerCode::get),
        ativo: found.lead.active,
        versao: found.lead.version,
    };
    LeadGestaoTO { lead: render_lead(registers, found), mais }
}
