//! `/ext/beneficio/dependente` and `/ext/beneficio/{codBeneficio}/dependentes`: the dependents of benefits.

use super::plans;
use crate::State;
use crate::answer::Answer;
use crate::extract::{Caller, Code, Query};
use crate::failure::Failure;
use crate::write::Write;
use app::base::Registers;
use app::dependents::{self, Dependent, Found, Saved};
use axum::extract;
use axum::response::Response;
use domain::{BenefitCode, CardNumber, DependentCode, PlanCode, shown};
use wire::names;
use wire::read;
use wire::records::{
    DependenteBasicoOutputTO, DependenteCompletoOutputTO, DependenteInput, PesquisaDependenteOutputTO,
    PesquisaDependenteQuery, TitularTO,
};

/// `GET /ext/beneficio/dependente`
pub async fn search(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    Query(query): Query<PesquisaDependenteQuery>,
) -> Result<Answer<Vec<PesquisaDependenteOutputTO>>, Failure> {
    let found = dependents::search(&state.app, &caller, query).await?;
    Ok(Answer(found.rows.into_iter().map(|row| item(&found.registers, row)).collect()))
}

/// `POST /ext/beneficio/dependente`
pub async fn save(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    write: Write,
) -> Result<Response, Failure> {
    let act = |input: DependenteInput, once| dependents::save(&state.app, &caller, input, once);
    write.answer(&state, &caller, read::body, act, basic).await
}

/// `GET /ext/beneficio/{codBeneficio}/dependentes`
pub async fn list(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    code: Code<BenefitCode>,
) -> Result<Answer<Vec<DependenteCompletoOutputTO>>, Failure> {
    let found = dependents::list(&state.app, &caller, code.get()?).await?;
    let rows = found.rows.into_iter();
    Ok(Answer(rows.map(|(code, one)| complete(&found.registers, code, one)).collect()))
}

fn basic(saved: &Saved) -> DependenteBasicoOutputTO {
    DependenteBasicoOutputTO {
        cod_dependente: saved.code.get(),
        cod_beneficio: saved.dependent.benefit.get(),
        nome: saved.dependent.name.clone(),
        numero_cartao_desconto: saved.dependent.card.as_ref().map(CardNumber::to_string),
    }
}

fn complete(registers: &Registers, code: DependentCode, one: Dependent) -> DependenteCompletoOutputTO {
    let price = |plan: PlanCode| registers.plan(plan).map_or(0, |plan| plan.price);
    let priced: Vec<(PlanCode, i64)> = one.plans.iter().map(|plan| (*plan, price(*plan))).collect();
    DependenteCompletoOutputTO {
        cod_dependente: code.get(),
        cod_beneficio: one.benefit.get(),
        nome: one.name,
        cpf: one.cpf.map(|cpf| cpf.to_string()),
        data_nascimento: one.born_on.as_deref().map(shown::day),
        parentesco: names::kinship(one.kinship),
        sexo: one.sex.map(names::sex),
        identidade: one.identity_number,
        telefone: one.phone.map(|phone| phone.to_string()),
        email: one.email.map(|email| email.to_string()),
        numero_cartao_desconto: one.card.map(|card| card.to_string()),
        planos: plans(registers, &priced),
        ativo: one.active,
        data_cadastro: one.created_at.date_in(&registers.zone).to_br(),
    }
}

fn item(registers: &Registers, row: Found) -> PesquisaDependenteOutputTO {
    let situation = registers.situation(row.situation);
    PesquisaDependenteOutputTO {
        dependent: complete(registers, row.code, row.dependent),
        holder: TitularTO {
            cod_pessoa: row.holder.get(),
            nome_pessoa: row.holder_name,
            sequencial: row.sequence,
            situacao: situation.map_or_else(String::new, |one| one.name.to_uppercase()),
            tipo_situacao: situation.map_or("", |one| names::situation_kind(one.kind)),
        },
    }
}
