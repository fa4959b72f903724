//! `/gestao/beneficio`: benefits in full detail.

use super::associado::render_history;
use crate::ServerState;
use crate::answer::JsonAnswer;
use crate::ext::beneficio::{itens, render_additional_fields, render_vehicle};
use crate::extract::{AuthenticatedCaller, PathCode, PathCodePair};
use crate::failure::RequestFailure;
use crate::write::IncomingWrite;
use app::benefits::{self, FullBenefit};
use app::register_snapshot::TenantRegisters;
use axum::extract;
use axum::response::Response;
use domain::{
    BenefitCode, BenefitKind, Date, Document, ItemCode, SellerCode, SituationCode, VehicleTypeCode,
};
use wire::read;
use wire::records::{
    BeneficioAlteracaoInput, BeneficioTO, HistoricoRegistroTO, ItemAlteracaoInput, ItemBeneficioGestaoTO,
    PrecoItemTO, SituacaoBeneficioInput,
};
use wire::set_names;

/// `GET /gestao/beneficio/{codBeneficio}`
pub async fn show_benefit(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<BenefitCode>,
) -> Result<JsonAnswer<BeneficioTO>, RequestFailure> {
    Ok(JsonAnswer(render_benefit(&benefits::read_full_benefit(&state.app, &caller, code.get()?).await?)))
}

/// `PUT /gestao/beneficio/{codBeneficio}`
pub async fn change_benefit(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<BenefitCode>,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let read = |body: &[u8]| code.join_body(read::read_body(body));
    let act = |(code, input): (BenefitCode, BeneficioAlteracaoInput), once| {
        benefits::change_benefit(&state.app, &caller, code, input, once)
    };
    write.answer(&state, &caller, read, act, render_benefit).await
}

/// `PUT /gestao/beneficio/{codBeneficio}/situacao`
pub async fn change_benefit_situation(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<BenefitCode>,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let read = |body: &[u8]| code.join_body(read::read_body(body));
    let act = |(code, input): (BenefitCode, SituacaoBeneficioInput), once| {
        benefits::change_benefit_situation(&state.app, &caller, code, input, once)
    };
    write.answer(&state, &caller, read, act, render_benefit).await
}

/// `PUT /gestao/beneficio/{codBeneficio}/itens/{codItem}`
pub async fn change_benefit_item(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    PathCodePair(codes): PathCodePair<BenefitCode, ItemCode>,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let read = |body: &[u8]| codes.join_body(read::read_body(body));
    let act = |(codes, input): ((BenefitCode, ItemCode), ItemAlteracaoInput), once| {
        benefits::change_item(&state.app, &caller, codes, input, once)
    };
    write.answer(&state, &caller, read, act, render_benefit).await
}

/// `GET /gestao/beneficio/{codBeneficio}/historico`
pub async fn show_benefit_history(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<BenefitCode>,
) -> Result<JsonAnswer<HistoricoRegistroTO>, RequestFailure> {
    let found = benefits::read_benefit_history(&state.app, &caller, code.get()?).await?;
    Ok(JsonAnswer(render_history(found, |_| "situacao".to_owned())))
}

/// A situation for display: name, type, colour, and readable text colour.
pub fn describe_benefit_situation(
    registers: &TenantRegisters,
    code: SituationCode,
) -> (String, &'static str, String, String) {
    registers.situation(code).map_or_else(Default::default, |one| {
        let (name, colour) = (one.name.to_uppercase(), one.colour);
        (
            name,
            set_names::situation_kind(one.kind),
            colour.to_string(),
            colour.readable_text_colour().to_string(),
        )
    })
}

fn render_benefit(view: &FullBenefit) -> BeneficioTO {
    let (benefit, registers) = (&view.benefit, &view.registers);
    let seller =
        |code: Option<SellerCode>| code.and_then(|code| registers.seller_name(code)).map(str::to_owned);
    let (name, kind, colour, text) = describe_benefit_situation(registers, benefit.situation);
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
        tipo_beneficio: set_names::benefit_kind(benefit.kind),
        cod_situacao: benefit.situation.get(),
        situacao: name,
        tipo_situacao: kind,
        cor_destaque: colour,
        cor_inversa: text,
        dia_vencimento: benefit.due_day,
        data_cadastro: benefit.created_at.date_in(&registers.zone).to_br(),
        data_atualizacao: benefit.updated_at.date_in(&registers.zone).to_br(),
        data_adesao: benefit.joined_on.map(Date::to_br),
        data_ativacao: benefit.activated_on.map(Date::to_br),
        data_cancelamento: benefit.cancelled_on.map(Date::to_br),
        itens: view
            .items
            .iter()
            .map(|item| ItemBeneficioGestaoTO {
                item: itens::render_benefit_item(item, registers.plan(item.plan)),
                preco: PrecoItemTO { valor_combinado: item.is_price_agreed },
            })
            .collect(),
        veiculo: is_vehicle.then(|| render_vehicle(registers, benefit.vehicle.clone())),
        cod_tipo_veiculo: benefit.vehicle.kind.map(VehicleTypeCode::get),
        codigo_fipe: benefit.vehicle.fipe.clone(),
        cod_consultor: benefit.consultant.map(SellerCode::get),
        nome_consultor: seller(benefit.consultant),
        cod_representante: benefit.representative.map(SellerCode::get),
        nome_representante: seller(benefit.representative),
        codigo_integracao: benefit.integration_code.clone(),
        observacao: benefit.note.clone(),
        dados_adicionais: render_additional_fields(registers, &benefit.fields),
        dependentes: view.dependents,
        versao: benefit.version,
    }
}
