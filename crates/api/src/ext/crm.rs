//! `/ext/crm`: funnels, leads and deals.

use super::beneficio::{render_plans, render_vehicle};
use crate::ServerState;
use crate::answer::{JsonAnswer, JsonListWriter};
use crate::extract::{AuthenticatedCaller, PathCode, PathCodePair, QueryRecord};
use crate::failure::RequestFailure;
use crate::write::IncomingWrite;
use app::register_snapshot::{TenantRegisters, load_registers};
use app::sales::deals::{self, DealDetailView, FoundDeal, dependents};
use app::sales::leads::{self, FoundLead};
use axum::extract;
use axum::response::Response;
use domain::{
    Date, DealCode, DependentCode, Money, PlanCode, ProposedDependent, UserCode, VehicleDetails, display,
};
use wire::read;
use wire::records::{
    EtapaTO, FunilTO, HistoricoNegocioTO, JsonAmount, LeadInput, LeadOutputTO, NegocioAlteracaoInput,
    NegocioCriacaoInput, NegocioDependenteInput, NegocioDependenteTO, NegocioOutputTO, NegocioTO,
    PesquisaLeadQuery, PesquisaNegocioOutputTO, PesquisaNegocioQuery, PessoaLeadOutputTO,
};
use wire::set_names;

/// Records read and serialized per batch.
const RECORDS_PER_STEP: usize = 100;

/// `GET /ext/crm/funil`
pub async fn list_funnels(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
) -> Result<JsonAnswer<Vec<FunilTO>>, RequestFailure> {
    let registers = load_registers(&state.app, caller.scope.tenant()).await?;
    let records = registers.funnels.iter().filter(|funnel| funnel.active).map(|funnel| FunilTO {
        cod_funil: funnel.code.get(),
        nome: funnel.name.clone(),
        ativo: funnel.active,
        etapas: funnel.stages.iter().filter(|stage| stage.active).map(render_stage).collect(),
    });
    Ok(JsonAnswer(records.collect()))
}

fn render_stage(stage: &app::register_snapshot::StoredStage) -> EtapaTO {
    EtapaTO {
        cod_etapa: stage.code.get(),
        nome: stage.name.clone(),
        ordem: stage.position,
        cor_destaque: stage.colour.to_string(),
    }
}

/// `GET /ext/crm/lead`
pub async fn search_leads(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    QueryRecord(query): QueryRecord<PesquisaLeadQuery>,
) -> Result<Response, RequestFailure> {
    let found = leads::search_leads(&state.app, &caller, query).await?;
    let mut list = JsonListWriter::default();
    for codes in found.codes.chunks(RECORDS_PER_STEP) {
        for lead in leads::load_found_leads(&state.app, &caller, codes).await? {
            list.push(&render_lead(&found.registers, lead))?;
        }
    }
    Ok(list.finish())
}

pub fn render_lead(
    registers: &TenantRegisters,
    FoundLead { code, lead, open_deals }: FoundLead,
) -> LeadOutputTO {
    LeadOutputTO {
        cod_lead: code.get(),
        cod_pessoa: lead.person.get(),
        nome_pessoa: lead.name,
        cpf_cnpj: lead.document.map(|document| document.to_string()),
        email: lead.email.map(|email| email.to_string()),
        telefone_celular: lead.mobile.map(|phone| phone.to_string()),
        telefone_fixo: lead.landline.map(|phone| phone.to_string()),
        empresa: lead.company,
        cidade: lead.city,
        uf: lead.state,
        mensagem: lead.message,
        origem: lead.origin,
        cod_loja: lead.branch.get(),
        nome_loja: registers.branch_name(lead.branch).to_owned(),
        data_cadastro: lead.created_at.date_in(&registers.zone).to_iso(),
        negocios_abertos: open_deals,
    }
}

/// `POST /ext/crm/lead`
pub async fn save_lead(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let act = |input: LeadInput, once| leads::save_lead(&state.app, &caller, input, once);
    write.answer(&state, &caller, read::read_body, act, render_saved_lead).await
}

fn render_saved_lead(saved: &leads::SavedLead) -> PessoaLeadOutputTO {
    let lead = &saved.lead;
    PessoaLeadOutputTO {
        cod_pessoa: lead.person.get(),
        nome_pessoa: lead.name.clone(),
        cpf_cnpj: lead.document.as_ref().map(ToString::to_string),
        email: lead.email.as_ref().map(ToString::to_string),
        telefone_celular: lead.mobile.as_ref().map(ToString::to_string),
        telefone_fixo: lead.landline.as_ref().map(ToString::to_string),
        cod_loja: Some(lead.branch.get()),
        cod_lead: saved.code.get(),
    }
}

/// `GET /ext/crm/negocio`
pub async fn search_deals(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    QueryRecord(query): QueryRecord<PesquisaNegocioQuery>,
) -> Result<Response, RequestFailure> {
    let found = deals::search_deals(&state.app, &caller, query).await?;
    let today = state.app.now().date_in(&found.registers.zone);
    let mut list = JsonListWriter::default();
    for codes in found.codes.chunks(RECORDS_PER_STEP) {
        for deal in deals::load_found_deals(&state.app, &caller, codes).await? {
            list.push(&render_found_deal(&found.registers, &deal, today))?;
        }
    }
    Ok(list.finish())
}

pub fn render_found_deal(
    registers: &TenantRegisters,
    found: &FoundDeal,
    today: Date,
) -> PesquisaNegocioOutputTO {
    let deal = &found.deal;
    PesquisaNegocioOutputTO {
        cod_negocio: found.code.get(),
        sequencial: deal.sequence,
        titulo: deal.title.clone(),
        cod_lead: deal.lead.get(),
        nome_pessoa: found.name.clone(),
        cpf_cnpj: found.document.as_deref().map(display::format_document),
        telefone_celular: found.mobile.as_deref().map(display::format_phone),
        email: found.email.clone(),
        cod_funil: deal.funnel.get(),
        nome_funil: registers.funnel(deal.funnel).map_or_else(String::new, |funnel| funnel.name.clone()),
        cod_etapa: deal.stage.get(),
        nome_etapa: find_stage_name(registers, deal.stage),
        cod_loja: deal.branch.get(),
        nome_loja: registers.branch_name(deal.branch).to_owned(),
        cod_usuario_responsavel: deal.responsible.map(UserCode::get),
        nome_usuario_responsavel: found.responsible_name.clone(),
        valor: deal.price.map(JsonAmount),
        data_abertura: deal.opened_on.to_iso(),
        data_previsao: deal.expected_on.map(Date::to_iso),
        dias_na_etapa: today.days_since(deal.stage_since.date_in(&registers.zone)),
    }
}

fn find_stage_name(registers: &TenantRegisters, code: domain::StageCode) -> String {
    registers.stage(code).map_or_else(String::new, |stage| stage.name.clone())
}

/// `POST /ext/crm/negocio`
pub async fn create_deal(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let act = |NegocioCriacaoInput(input), once| deals::save_deal(&state.app, &caller, None, input, once);
    write.answer(&state, &caller, read::read_body, act, render_saved_deal).await
}

/// `PUT /ext/crm/negocio/{codNegocio}`
pub async fn change_deal(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<DealCode>,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let read = |body: &[u8]| code.join_body(read::read_body(body));
    let act = |(code, NegocioAlteracaoInput(input)): (DealCode, NegocioAlteracaoInput), once| {
        deals::save_deal(&state.app, &caller, Some(code), input, once)
    };
    write.answer(&state, &caller, read, act, render_saved_deal).await
}

fn render_saved_deal(saved: &deals::SavedDeal) -> NegocioOutputTO {
    NegocioOutputTO {
        cod_negocio: saved.code.get(),
        sequencial: saved.deal.sequence,
        cod_lead: saved.deal.lead.get(),
        cod_funil: saved.deal.funnel.get(),
        cod_etapa: saved.deal.stage.get(),
        situacao: set_names::deal_state(saved.deal.state),
    }
}

/// `GET /ext/crm/negocio/{codNegocio}`
pub async fn show_deal(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<DealCode>,
) -> Result<JsonAnswer<NegocioTO>, RequestFailure> {
    let (view, registers) = deals::read_deal(&state.app, &caller, code.get()?).await?;
    let today = state.app.now().date_in(&registers.zone);
    Ok(JsonAnswer(render_deal(&registers, view, today)))
}

pub fn render_deal(
    registers: &TenantRegisters,
    DealDetailView { found_deal: found, lead, dependents, moves }: DealDetailView,
    today: Date,
) -> NegocioTO {
    let item = render_found_deal(registers, &found, today);
    let deal = found.deal;
    let price = |code: &PlanCode| registers.plan(*code).map_or(Money::default(), |plan| plan.price);
    let priced: Vec<(PlanCode, Money)> = deal.plans.iter().map(|code| (*code, price(code))).collect();
    let moves = moves.into_iter().map(|one| HistoricoNegocioTO {
        data: one.at.date_in(&registers.zone).to_iso(),
        cod_etapa: one.stage.get(),
        nome_etapa: find_stage_name(registers, one.stage),
        situacao: set_names::deal_state(one.state),
        nome_usuario: one.user_name,
    });
    NegocioTO {
        tipo_beneficio: deal.kind.map(set_names::benefit_kind),
        motivo_perda: deal.lost_because,
        observacao: deal.note,
        veiculo: (deal.vehicle != VehicleDetails::default()).then(|| render_vehicle(registers, deal.vehicle)),
        planos: render_plans(registers, &priced),
        dependentes: dependents.iter().map(|(code, one)| render_dependent(*code, one)).collect(),
        historico: moves.collect(),
        ..item.into_full_deal(render_lead(registers, lead), set_names::deal_state(deal.state))
    }
}

/// `POST /ext/crm/negocio/{codNegocio}/dependente`
pub async fn create_dependent(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<DealCode>,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let read = |body: &[u8]| code.join_body(read::read_body(body));
    let act = |(deal, input): (DealCode, NegocioDependenteInput), once| {
        dependents::save_deal_dependent(&state.app, &caller, (deal, None), input, once)
    };
    write.answer(&state, &caller, read, act, render_saved_dependent).await
}

/// `PUT /ext/crm/negocio/{codNegocio}/dependente/{codDependente}`
pub async fn change_dependent(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    PathCodePair(codes): PathCodePair<DealCode, DependentCode>,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let read = |body: &[u8]| codes.join_body(read::read_body(body));
    let act = |((deal, code), input): ((DealCode, DependentCode), NegocioDependenteInput), once| {
        dependents::save_deal_dependent(&state.app, &caller, (deal, Some(code)), input, once)
    };
    write.answer(&state, &caller, read, act, render_saved_dependent).await
}

fn render_saved_dependent(saved: &dependents::SavedDealDependent) -> NegocioDependenteTO {
    render_dependent(saved.code, &saved.dependent)
}

fn render_dependent(code: DependentCode, one: &ProposedDependent) -> NegocioDependenteTO {
    NegocioDependenteTO {
        cod_dependente: code.get(),
        nome: one.name.clone(),
        cpf: one.cpf.as_ref().map(ToString::to_string),
        data_nascimento: one.born_on.map(Date::to_iso),
        sexo: one.sex.map(set_names::sex),
        parentesco: set_names::kinship(one.kinship),
        planos: one.plans.iter().map(|plan| plan.get()).collect(),
        valor: one.price.map(JsonAmount),
        telefone: one.phone.as_ref().map(ToString::to_string),
        email: one.email.as_ref().map(ToString::to_string),
    }
}
