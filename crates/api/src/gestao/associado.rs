//! `/gestao/associado`: members in full detail.

use super::beneficio::describe_benefit_situation;
use crate::ServerState;
use crate::answer::JsonAnswer;
use crate::ext::beneficio::render_plans;
use crate::extract::{AuthenticatedCaller, PathCode};
use crate::failure::RequestFailure;
use crate::write::IncomingWrite;
use app::members::{self, MemberView};
use app::record_timeline::{RecordChange, RecordChangeDetail, RecordHistory};
use app::register_snapshot::TenantRegisters;
use axum::extract;
use axum::response::Response;
use domain::{
    Benefit, BenefitCode, Date, Document, Email, PersonCode, PostalAddress, SellerCode, SituationCode,
    UserCode, display,
};
use wire::read;
use wire::records::{
    AlteracaoTO, AssociadoInput, AssociadoTO, BeneficioResumoTO, EnderecoTO, HistoricoRegistroTO, TelefoneTO,
};
use wire::set_names;
use wire::trigger::describe_benefit;

/// `GET /gestao/associado/{codPessoa}`
pub async fn show_member(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<PersonCode>,
) -> Result<JsonAnswer<AssociadoTO>, RequestFailure> {
    Ok(JsonAnswer(render_member(&members::read_member(&state.app, &caller, code.get()?).await?)))
}

/// `PUT /gestao/associado/{codPessoa}`
pub async fn change_member(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<PersonCode>,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let read = |body: &[u8]| code.join_body(read::read_body(body));
    let act = |(code, input): (PersonCode, AssociadoInput), once| {
        members::change_member(&state.app, &caller, code, input, once)
    };
    write.answer(&state, &caller, read, act, render_member).await
}

/// `GET /gestao/associado/{codPessoa}/historico`
pub async fn show_member_history(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<PersonCode>,
) -> Result<JsonAnswer<HistoricoRegistroTO>, RequestFailure> {
    let found = members::read_member_history(&state.app, &caller, code.get()?).await?;
    Ok(JsonAnswer(render_history(found, |benefit| format!("benefício {benefit}: situacao"))))
}

/// The history of a record; `of_benefit` says whose situation changed.
pub fn render_history(
    found: RecordHistory,
    of_benefit: impl Fn(BenefitCode) -> String,
) -> HistoricoRegistroTO {
    let RecordHistory { happened, registers } = found;
    let itens = happened.into_iter().map(|one| render_history_entry(&registers, one, &of_benefit)).collect();
    HistoricoRegistroTO { itens }
}

fn render_history_entry(
    registers: &TenantRegisters,
    one: RecordChange,
    of_benefit: impl Fn(BenefitCode) -> String,
) -> AlteracaoTO {
    let name = |code: SituationCode| registers.situation(code).map(|one| one.name.to_uppercase());
    let common = AlteracaoTO {
        tipo: "campo",
        data_hora: one.at.to_offset_iso(&registers.zone),
        cod_usuario: one.user.map(UserCode::get),
        nome_usuario: one.user_name,
        cod_historico: None,
        campo: String::new(),
        antes: None,
        depois: None,
        motivo: None,
        origem: None,
    };
    match one.what {
        RecordChangeDetail::Field { name, before, after } => {
            AlteracaoTO { campo: name, antes: before, depois: after, ..common }
        }
        RecordChangeDetail::Situation { code, from, to, reason, origin, benefit } => AlteracaoTO {
            tipo: "situacao",
            cod_historico: Some(code.get()),
            campo: of_benefit(benefit),
            antes: from.and_then(name),
            depois: name(to),
            motivo: reason,
            origem: Some(origin),
            ..common
        },
    }
}

fn render_member(view: &MemberView) -> AssociadoTO {
    let (person, registers) = (&view.profile, &view.registers);
    let seller =
        |code: Option<SellerCode>| code.and_then(|code| registers.seller_name(code)).map(str::to_owned);
    let address =
        |one: &PostalAddress| (*one != PostalAddress::default()).then(|| EnderecoTO::from(one.clone()));
    AssociadoTO {
        cod_pessoa: view.code.get(),
        cod_loja: person.branch.get(),
        nome_loja: registers.branch_name(person.branch).to_owned(),
        codigo_integracao: person.integration_code.clone(),
        nome_pessoa: person.name.clone(),
        cpf_cnpj: person.document.as_ref().map(Document::to_string),
        natureza: set_names::nature(person.nature),
        email: person.email.as_ref().map(Email::to_string),
        sexo: person.sex.map(set_names::sex),
        data_nascimento: person.born_on.map(Date::to_br),
        recebe_email: person.receives_email,
        recebe_whats_app: person.receives_whatsapp,
        telefones: view.phones.iter().map(|one| TelefoneTO::new(&one.number, one.kind)).collect(),
        endereco: address(&person.address),
        identidade: person.identity_number.clone(),
        orgao_expedidor: person.identity_issuer.clone(),
        data_expedicao: person.identity_issued_on.map(Date::to_br),
        nome_mae: person.mother.clone(),
        estado_civil: person.civil_state.map(set_names::civil_state),
        numero_cnh: person.cnh_number.clone(),
        categoria_cnh: person.cnh_category.clone(),
        validade_cnh: person.cnh_valid_until.map(Date::to_br),
        nome_fantasia: person.trade_name.clone(),
        inscricao_estadual: person.state_registration.clone(),
        inscricao_municipal: person.municipal_registration.clone(),
        representante_legal: person.legal_representative.clone(),
        nome_empresa: person.company.clone(),
        cnpj_empresa: person.company_document.as_ref().map(|one| display::format_document(one.as_str())),
        cod_consultor: person.consultant.map(SellerCode::get),
        nome_consultor: seller(person.consultant),
        cod_representante: person.representative.map(SellerCode::get),
        nome_representante: seller(person.representative),
        conjuge: person.spouse.clone(),
        cpf_cnpj_responsavel_financeiro: person.payer_document.as_ref().map(Document::to_string),
        endereco_responsavel_financeiro: address(&person.payer_address),
        beneficios: view
            .benefits
            .iter()
            .map(|(code, one)| render_benefit_summary(registers, *code, one))
            .collect(),
        dependentes: view.dependents,
        data_cadastro: person.created_at.date_in(&registers.zone).to_br(),
        data_atualizacao: person.updated_at.date_in(&registers.zone).to_br(),
        versao: person.version,
    }
}

fn render_benefit_summary(
    registers: &TenantRegisters,
    code: BenefitCode,
    benefit: &Benefit,
) -> BeneficioResumoTO {
    let vehicle = &benefit.vehicle;
    let plan = benefit.plans.first().and_then(|(plan, _)| registers.plan(*plan));
    let (name, kind, colour, text) = describe_benefit_situation(registers, benefit.situation);
    BeneficioResumoTO {
        cod_beneficio: code.get(),
        sequencial: benefit.sequence,
        tipo_beneficio: set_names::benefit_kind(benefit.kind),
        descricao: describe_benefit(
            vehicle.plate.as_ref(),
            vehicle.brand.as_deref(),
            vehicle.model.as_deref(),
            plan.map_or("", |plan| &plan.name),
        ),
        situacao: name,
        tipo_situacao: kind,
        cor_destaque: colour,
        cor_inversa: text,
        planos: render_plans(registers, &benefit.plans),
    }
}
