//! `/ext/beneficio/dependente` and `/ext/beneficio/{codBeneficio}/dependentes`: the dependents of benefits.

use super::render_plans;
use crate::ServerState;
use crate::answer::{JsonAnswer, stream_list};
use crate::extract::{AuthenticatedCaller, PathCode, QueryRecord};
use crate::failure::RequestFailure;
use crate::write::IncomingWrite;
use app::members::dependents::{self, FoundDependent, SavedDependent};
use app::register_snapshot::TenantRegisters;
use app::session::Session;
use axum::extract;
use axum::response::Response;
use domain::{BenefitCode, CardNumber, Date, Dependent, DependentCode, Money, PlanCode};
use wire::read;
use wire::records::{
    DependenteBasicoOutputTO, DependenteCompletoOutputTO, DependenteInput, PesquisaDependenteOutputTO,
    PesquisaDependenteQuery, TitularTO,
};
use wire::set_names;

/// Dependents read per batch.
const DEPENDENTS_PER_STEP: usize = 500;

/// `GET /ext/beneficio/dependente`: streams every match.
pub async fn search_dependents(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    QueryRecord(query): QueryRecord<PesquisaDependenteQuery>,
) -> Result<Response, RequestFailure> {
    let mut codes = dependents::search_dependents(&state.app, &caller, query).await?;
    let first = read_next_dependents(&state, &caller, &mut codes).await?;
    stream_list(first, (state, caller, codes), |(state, caller, mut codes)| async move {
        Ok(read_next_dependents(&state, &caller, &mut codes)
            .await?
            .map(|items| (items, (state, caller, codes))))
    })
}

/// Reads the next batch and removes it from the remaining ones.
async fn read_next_dependents(
    state: &ServerState,
    caller: &Session,
    codes: &mut Vec<DependentCode>,
) -> Result<Option<Vec<PesquisaDependenteOutputTO>>, RequestFailure> {
    let rest = codes.split_off(codes.len().min(DEPENDENTS_PER_STEP));
    let next = std::mem::replace(codes, rest);
    if next.is_empty() {
        return Ok(None);
    }
    let found = dependents::load_found_dependents(&state.app, caller, &next).await?;
    Ok(Some(found.rows.into_iter().map(|row| render_found_dependent(&found.registers, row)).collect()))
}

/// `POST /ext/beneficio/dependente`
pub async fn save_dependent(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let act = |input: DependenteInput, once| dependents::save_dependent(&state.app, &caller, input, once);
    write.answer(&state, &caller, read::read_body, act, render_saved_dependent).await
}

/// `GET /ext/beneficio/{codBeneficio}/dependentes`
pub async fn list_dependents(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<BenefitCode>,
) -> Result<JsonAnswer<Vec<DependenteCompletoOutputTO>>, RequestFailure> {
    let found = dependents::list_benefit_dependents(&state.app, &caller, code.get()?).await?;
    let rows = found.rows.into_iter();
    Ok(JsonAnswer(rows.map(|(code, one)| render_dependent(&found.registers, code, one)).collect()))
}

fn render_saved_dependent(saved: &SavedDependent) -> DependenteBasicoOutputTO {
    DependenteBasicoOutputTO {
        cod_dependente: saved.code.get(),
        cod_beneficio: saved.dependent.benefit.get(),
        nome: saved.dependent.name.clone(),
        numero_cartao_desconto: saved.dependent.card.as_ref().map(CardNumber::to_string),
    }
}

fn render_dependent(
    registers: &TenantRegisters,
    code: DependentCode,
    one: Dependent,
) -> DependenteCompletoOutputTO {
    let price = |plan: PlanCode| registers.plan(plan).map_or(Money::default(), |plan| plan.price);
    let priced: Vec<(PlanCode, Money)> = one.plans.iter().map(|plan| (*plan, price(*plan))).collect();
    DependenteCompletoOutputTO {
        cod_dependente: code.get(),
        cod_beneficio: one.benefit.get(),
        nome: one.name,
        cpf: one.cpf.map(|cpf| cpf.to_string()),
        data_nascimento: one.born_on.map(Date::to_br),
        parentesco: set_names::kinship(one.kinship),
        sexo: one.sex.map(set_names::sex),
        identidade: one.identity_number,
        telefone: one.phone.map(|phone| phone.to_string()),
        email: one.email.map(|email| email.to_string()),
        numero_cartao_desconto: one.card.map(|card| card.to_string()),
        planos: render_plans(registers, &priced),
        ativo: one.active,
        data_cadastro: one.created_at.date_in(&registers.zone).to_br(),
    }
}

fn render_found_dependent(registers: &TenantRegisters, row: FoundDependent) -> PesquisaDependenteOutputTO {
    let situation = registers.situation(row.situation);
    PesquisaDependenteOutputTO {
        dependent: render_dependent(registers, row.code, row.dependent),
        holder: TitularTO {
            cod_pessoa: row.holder.get(),
            nome_pessoa: row.holder_name,
            sequencial: row.sequence,
            situacao: situation.map_or_else(String::new, |one| one.name.to_uppercase()),
            tipo_situacao: situation.map_or("", |one| set_names::situation_kind(one.kind)),
        },
    }
}
