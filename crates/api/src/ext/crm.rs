//! `/ext/crm`: funnels, leads and deals.

use super::beneficio::{plans, vehicle};
use crate::State;
use crate::answer::{Answer, List};
use crate::extract::{Caller, Code, Codes, Query};
use crate::failure::Failure;
use crate::write::Write;
use app::base::{Registers, registers};
use app::deals::{self, DealDependent, FoundDeal, View, dependents};
use app::leads::{self, FoundLead};
use app::searches::Vehicle;
use axum::extract;
use axum::response::Response;
use domain::{Date, DealCode, DependentCode, Money, PlanCode, UserCode, shown};
use wire::names;
use wire::read;
use wire::records::{
    EtapaTO, FunilTO, HistoricoNegocioTO, LeadInput, LeadOutputTO, NegocioAlterado, NegocioDependenteInput,
    NegocioDependenteTO, NegocioNovo, NegocioOutputTO, NegocioTO, PesquisaLeadQuery, PesquisaNegocioOutputTO,
    PesquisaNegocioQuery, PessoaLeadOutputTO, Valor,
};

/// Records that are read, and written out, at once.
const TOGETHER: usize = 100;

/// `GET /ext/crm/funil`
pub async fn funnels(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
) -> Result<Answer<Vec<FunilTO>>, Failure> {
    let registers = registers(&state.app, caller.scope.tenant()).await?;
    let records = registers.funnels.iter().filter(|funnel| funnel.active).map(|funnel| FunilTO {
        cod_funil: funnel.code.get(),
        nome: funnel.name.clone(),
        ativo: funnel.active,
        etapas: funnel.stages.iter().filter(|stage| stage.active).map(stage).collect(),
    });
    Ok(Answer(records.collect()))
}

fn stage(stage: &app::base::Stage) -> EtapaTO {
    EtapaTO {
        cod_etapa: stage.code.get(),
        nome: stage.name.clone(),
        ordem: stage.position,
        cor_destaque: stage.colour.to_string(),
    }
}

/// `GET /ext/crm/lead`
pub async fn leads(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    Query(query): Query<PesquisaLeadQuery>,
) -> Result<Response, Failure> {
    let found = leads::search(&state.app, &caller, query).await?;
    let mut list = List::default();
    for some in found.codes.chunks(TOGETHER) {
        for lead in leads::some(&state.app, &caller, some).await? {
            list.push(&lead_record(&found.registers, lead))?;
        }
    }
    Ok(list.answer())
}

pub fn lead_record(registers: &Registers, FoundLead { code, lead, open_deals }: FoundLead) -> LeadOutputTO {
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
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    write: Write,
) -> Result<Response, Failure> {
    let act = |input: LeadInput, once| leads::save(&state.app, &caller, input, once);
    write.answer(&state, &caller, read::body, act, saved_lead).await
}

fn saved_lead(saved: &leads::Saved) -> PessoaLeadOutputTO {
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
pub async fn deals(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    Query(query): Query<PesquisaNegocioQuery>,
) -> Result<Response, Failure> {
    let found = deals::search(&state.app, &caller, query).await?;
    let today = state.app.now().date_in(&found.registers.zone);
    let mut list = List::default();
    for some in found.codes.chunks(TOGETHER) {
        for deal in deals::some(&state.app, &caller, some).await? {
            list.push(&item(&found.registers, &deal, today))?;
        }
    }
    Ok(list.answer())
}

pub fn item(registers: &Registers, found: &FoundDeal, today: Date) -> PesquisaNegocioOutputTO {
    let deal = &found.deal;
    PesquisaNegocioOutputTO {
        cod_negocio: found.code.get(),
        sequencial: deal.sequence,
        titulo: deal.title.clone(),
        cod_lead: deal.lead.get(),
        nome_pessoa: found.name.clone(),
        cpf_cnpj: found.document.as_deref().map(shown::document),
        telefone_celular: found.mobile.as_deref().map(shown::phone),
        email: found.email.clone(),
        cod_funil: deal.funnel.get(),
        nome_funil: registers.funnel(deal.funnel).map_or_else(String::new, |funnel| funnel.name.clone()),
        cod_etapa: deal.stage.get(),
        nome_etapa: stage_name(registers, deal.stage),
        cod_loja: deal.branch.get(),
        nome_loja: registers.branch_name(deal.branch).to_owned(),
        cod_usuario_responsavel: deal.responsible.map(UserCode::get),
        nome_usuario_responsavel: found.responsible_name.clone(),
        valor: money(deal.price),
        data_abertura: deal.opened_on.clone(),
        data_previsao: deal.expected_on.clone(),
        dias_na_etapa: today.days_since(deal.stage_since.date_in(&registers.zone)),
    }
}

fn stage_name(registers: &Registers, code: domain::StageCode) -> String {
    registers.stage(code).map_or_else(String::new, |stage| stage.name.clone())
}

fn money(cents: Option<i64>) -> Option<Valor> {
    cents.and_then(Money::from_cents).map(Valor)
}

/// `POST /ext/crm/negocio`
pub async fn create_deal(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    write: Write,
) -> Result<Response, Failure> {
    let act = |NegocioNovo(input), once| deals::save(&state.app, &caller, None, input, once);
    write.answer(&state, &caller, read::body, act, saved_deal).await
}

/// `PUT /ext/crm/negocio/{codNegocio}`
pub async fn change_deal(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    code: Code<DealCode>,
    write: Write,
) -> Result<Response, Failure> {
    let read = |body: &[u8]| code.and(read::body(body));
    let act = |(code, NegocioAlterado(input)): (DealCode, NegocioAlterado), once| {
        deals::save(&state.app, &caller, Some(code), input, once)
    };
    write.answer(&state, &caller, read, act, saved_deal).await
}

fn saved_deal(saved: &deals::Saved) -> NegocioOutputTO {
    NegocioOutputTO {
        cod_negocio: saved.code.get(),
        sequencial: saved.deal.sequence,
        cod_lead: saved.deal.lead.get(),
        cod_funil: saved.deal.funnel.get(),
        cod_etapa: saved.deal.stage.get(),
        situacao: names::deal_state(saved.deal.state),
    }
}

/// `GET /ext/crm/negocio/{codNegocio}`
pub async fn deal(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    code: Code<DealCode>,
) -> Result<Answer<NegocioTO>, Failure> {
    let (view, registers) = deals::one(&state.app, &caller, code.get()?).await?;
    let today = state.app.now().date_in(&registers.zone);
    Ok(Answer(whole(&registers, view, today)))
}

pub fn whole(registers: &Registers, View { found, lead, dependents, moves }: View, today: Date) -> NegocioTO {
    let item = item(registers, &found, today);
    let deal = found.deal;
    let price = |code: &PlanCode| registers.plan(*code).map_or(0, |plan| plan.price);
    let priced: Vec<(PlanCode, i64)> = deal.plans.iter().map(|code| (*code, price(code))).collect();
    let moves = moves.into_iter().map(|one| HistoricoNegocioTO {
        data: one.at.date_in(&registers.zone).to_iso(),
        cod_etapa: one.stage.get(),
        nome_etapa: stage_name(registers, one.stage),
        situacao: names::deal_state(one.state),
        nome_usuario: one.user_name,
    });
    NegocioTO {
        tipo_beneficio: deal.kind.map(names::benefit_kind),
        motivo_perda: deal.lost_because,
        observacao: deal.note,
        veiculo: (deal.vehicle != Vehicle::default()).then(|| vehicle(registers, deal.vehicle)),
        planos: plans(registers, &priced),
        dependentes: dependents.iter().map(|(code, one)| dependent(*code, one)).collect(),
        historico: moves.collect(),
        ..item.whole(lead_record(registers, lead), names::deal_state(deal.state))
    }
}

/// `POST /ext/crm/negocio/{codNegocio}/dependente`
pub async fn create_dependent(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    code: Code<DealCode>,
    write: Write,
) -> Result<Response, Failure> {
    let read = |body: &[u8]| code.and(read::body(body));
    let act = |(deal, input): (DealCode, NegocioDependenteInput), once| {
        dependents::save(&state.app, &caller, (deal, None), input, once)
    };
    write.answer(&state, &caller, read, act, saved_dependent).await
}

/// `PUT /ext/crm/negocio/{codNegocio}/dependente/{codDependente}`
pub async fn change_dependent(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    Codes(codes): Codes<DealCode, DependentCode>,
    write: Write,
) -> Result<Response, Failure> {
    let read = |body: &[u8]| codes.and(read::body(body));
    let act = |((deal, code), input): ((DealCode, DependentCode), NegocioDependenteInput), once| {
        dependents::save(&state.app, &caller, (deal, Some(code)), input, once)
    };
    write.answer(&state, &caller, read, act, saved_dependent).await
}

fn saved_dependent(saved: &dependents::Saved) -> NegocioDependenteTO {
    dependent(saved.code, &saved.dependent)
}

fn dependent(code: DependentCode, one: &DealDependent) -> NegocioDependenteTO {
    NegocioDependenteTO {
        cod_dependente: code.get(),
        nome: one.name.clone(),
        cpf: one.cpf.as_ref().map(ToString::to_string),
        data_nascimento: one.born_on.clone(),
        sexo: one.sex.map(names::sex),
        parentesco: names::kinship(one.kinship),
        planos: one.plans.iter().map(|plan| plan.get()).collect(),
        valor: money(one.price),
        telefone: one.phone.as_ref().map(ToString::to_string),
        email: one.email.as_ref().map(ToString::to_string),
    }
}
