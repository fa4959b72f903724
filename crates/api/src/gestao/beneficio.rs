//! `/gestao/beneficio`: benefits, with everything that is known of them.

use super::associado::happened;
use crate::State;
use crate::answer::Answer;
use crate::ext::beneficio::{fields, itens, vehicle};
use crate::extract::{Caller, Code, Codes};
use crate::failure::Failure;
use crate::write::Write;
use app::base::Registers;
use app::benefits::{self, View};
use axum::extract;
use axum::response::Response;
use domain::{
    BenefitCode, BenefitKind, Document, ItemCode, SellerCode, SituationCode, VehicleTypeCode, shown,
};
use wire::names;
use wire::read;
use wire::records::{
    BeneficioAlteracaoInput, BeneficioTO, HistoricoRegistroTO, ItemAlteracaoInput, SituacaoBeneficioInput,
};

/// `GET /gestao/beneficio/{codBeneficio}`
pub async fn one(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    code: Code<BenefitCode>,
) -> Result<Answer<BeneficioTO>, Failure> {
    Ok(Answer(record(&benefits::whole(&state.app, &caller, code.get()?).await?)))
}

/// `PUT /gestao/beneficio/{codBeneficio}`
pub async fn change(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    code: Code<BenefitCode>,
    write: Write,
) -> Result<Response, Failure> {
    let read = |body: &[u8]| code.and(read::body(body));
    let act = |(code, input): (BenefitCode, BeneficioAlteracaoInput), once| {
        benefits::change_whole(&state.app, &caller, code, input, once)
    };
    write.answer(&state, &caller, read, act, record).await
}

/// `PUT /gestao/beneficio/{codBeneficio}/situacao`
pub async fn move_to(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    code: Code<BenefitCode>,
    write: Write,
) -> Result<Response, Failure> {
    let read = |body: &[u8]| code.and(read::body(body));
    let act = |(code, input): (BenefitCode, SituacaoBeneficioInput), once| {
        benefits::move_to(&state.app, &caller, code, input, once)
    };
    write.answer(&state, &caller, read, act, record).await
}

/// `PUT /gestao/beneficio/{codBeneficio}/itens/{codItem}`
pub async fn change_item(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    Codes(codes): Codes<BenefitCode, ItemCode>,
    write: Write,
) -> Result<Response, Failure> {
    let read = |body: &[u8]| codes.and(read::body(body));
    let act = |(codes, input): ((BenefitCode, ItemCode), ItemAlteracaoInput), once| {
        benefits::change_item(&state.app, &caller, codes, input, once)
    };
    write.answer(&state, &caller, read, act, record).await
}

/// `GET /gestao/beneficio/{codBeneficio}/historico`
pub async fn history(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    code: Code<BenefitCode>,
) -> Result<Answer<HistoricoRegistroTO>, Failure> {
    let found = benefits::history(&state.app, &caller, code.get()?).await?;
    Ok(Answer(happened(found, |_| "situacao".to_owned())))
}

/// A situation as it is shown: name, type, colour, and the colour of text on it.
pub fn situation(registers: &Registers, code: SituationCode) -> (String, &'static str, String, String) {
    registers.situation(code).map_or_else(Default::default, |one| {
        let (name, colour) = (one.name.to_uppercase(), one.colour);
        (name, names::situation_kind(one.kind), colour.to_string(), colour.readable_on().to_string())
    })
}

fn record(view: &View) -> BeneficioTO {
    let (benefit, registers) = (&view.benefit, &view.registers);
    let day = |day: &Option<String>| day.as_deref().map(shown::day);
    let seller =
        |code: Option<SellerCode>| code.and_then(|code| registers.seller_name(code)).map(str::to_owned);
    let (name, kind, colour, text) = situation(registers, benefit.situation);
    let is_vehicle = benefit.kind == BenefitKind::Vehicle;
    BeneficioTO {
        cod_beneficio: view.code.get(),
        sequencial: benefit.sequence,
        numero_cartao_desconto: benefit.card.as_ref().map(ToString::to_string),
        cod_pessoa: benefit.person.get(),
        nome_pessoa: view.holder.name.clone(),
        cpf_cnpj: view.holder.document.as_ref().map(Document::to_string),
        cod_loja: benefit.branch.get(),
        nome_loja: registers.branch_name(benefit.branch).to_owned(),
        tipo_beneficio: names::benefit_kind(benefit.kind),
        cod_situacao: benefit.situation.get(),
        situacao: name,
        tipo_situacao: kind,
        cor_destaque: colour,
        cor_inversa: text,
        dia_vencimento: benefit.due_day,
        data_cadastro: benefit.created_at.date_in(&registers.zone).to_br(),
        data_atualizacao: benefit.updated_at.date_in(&registers.zone).to_br(),
        data_adesao: day(&benefit.joined_on),
        data_ativacao: day(&benefit.activated_on),
        data_cancelamento: day(&benefit.cancelled_on),
        itens: view.items.iter().map(|item| itens::record(item, registers.plan(item.plan))).collect(),
        veiculo: is_vehicle.then(|| vehicle(registers, benefit.vehicle.clone())),
        cod_tipo_veiculo: benefit.vehicle.kind.map(VehicleTypeCode::get),
        codigo_fipe: benefit.vehicle.fipe.clone(),
        cod_consultor: benefit.consultant.map(SellerCode::get),
        nome_consultor: seller(benefit.consultant),
        cod_representante: benefit.representative.map(SellerCode::get),
        nome_representante: seller(benefit.representative),
        codigo_integracao: benefit.integration_code.clone(),
        observacao: benefit.note.clone(),
        dados_adicionais: fields(registers, &benefit.fields),
        dependentes: view.dependents,
        versao: benefit.version,
    }
}
