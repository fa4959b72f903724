//! `/ext/associado`: members.

use super::beneficio::{render_additional_fields, render_plans};
use crate::ServerState;
use crate::answer::JsonAnswer;
use crate::extract::{AuthenticatedCaller, DeferredQuery, PathCode};
use crate::failure::RequestFailure;
use crate::write::IncomingWrite;
use app::members::credit_cards;
use app::members::search::{self, FoundMemberBenefit, FoundMemberRow};
use app::members::{self, SavedPerson};
use app::register_snapshot::TenantRegisters;
use axum::extract;
use axum::response::{IntoResponse, Response};
use domain::{Date, PersonCode, PhoneKind, PostalAddress, display};
use wire::read;
use wire::records::{
    CartaoCreditoTO, EnderecoTO, ListPage, PesquisaAssociadoOutputTO, PesquisaAssociadoQuery, PessoaInput,
    PessoaOutputTO,
};
use wire::set_names;

/// `GET /ext/associado`; to users who chose the old answer only the items of the page.
pub async fn search_members(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    unchecked: DeferredQuery<PesquisaAssociadoQuery>,
) -> Result<Response, RequestFailure> {
    let query = unchecked.validate(search::require_narrowing_criterion)?;
    let page = search::search_members(&state.app, &caller, query).await?;
    let items: Vec<PesquisaAssociadoOutputTO> =
        page.rows.into_iter().map(|row| render_found_member(&page.registers, row)).collect();
    Ok(match caller.gets_old_search_answer {
        true => JsonAnswer(items).into_response(),
        false => JsonAnswer(ListPage::new(items, page.number, page.total)).into_response(),
    })
}

/// `POST /ext/associado`
pub async fn save_member(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let act = |input: PessoaInput, once| members::save_person(&state.app, &caller, input, once);
    write.answer(&state, &caller, read::read_body, act, render_saved_member).await
}

/// `GET /ext/associado/{codPessoa}/cartaoCredito`
pub async fn list_credit_cards(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    person: PathCode<PersonCode>,
) -> Result<JsonAnswer<Vec<CartaoCreditoTO>>, RequestFailure> {
    let cards = credit_cards::list_credit_cards(&state.app, &caller, person.get()?).await?;
    let records = cards.into_iter().map(|card| CartaoCreditoTO {
        cod_cartao: card.code.get(),
        bandeira: card.brand,
        ultimos_digitos: card.last_digits,
        nome_titular: card.holder,
        validade: display::format_month(&card.valid_until),
        principal: card.is_main,
        ativo: card.active,
    });
    Ok(JsonAnswer(records.collect()))
}

fn render_saved_member(saved: &SavedPerson) -> PessoaOutputTO {
    let phone = |kind| saved.phone(kind).map(|phone| phone.number.to_string());
    PessoaOutputTO {
        cod_pessoa: saved.code.get(),
        nome_pessoa: saved.profile.name.clone(),
        cpf_cnpj: saved.profile.document.as_ref().map(ToString::to_string),
        email: saved.profile.email.as_ref().map(ToString::to_string),
        telefone_celular: phone(PhoneKind::Mobile),
        telefone_fixo: phone(PhoneKind::Landline),
        cod_loja: Some(saved.profile.branch.get()),
    }
}

fn render_found_member(registers: &TenantRegisters, row: FoundMemberRow) -> PesquisaAssociadoOutputTO {
    let person = row.person;
    let member = PesquisaAssociadoOutputTO {
        cod_pessoa: person.code.get(),
        nome_pessoa: person.name,
        cpf_cnpj: person.document.as_deref().map(display::format_document),
        data_nascimento: person.born_on.map(Date::to_br),
        sexo: person.sex.map(set_names::sex_letter),
        email: person.email,
        telefone_celular: person.mobile.as_deref().map(display::format_phone),
        telefone_fixo: person.landline.as_deref().map(display::format_phone),
        endereco: Some(EnderecoTO::from(person.address)),
        data_cadastro: row.registered_on.to_br(),
        data_atualizacao: row.updated_on.to_br(),
        nome_mae: person.mother,
        estado_civil: person.civil_state.map(set_names::civil_state),
        nome_empresa: person.company,
        identidade: person.identity_number,
        numero_cnh: person.cnh_number,
        categoria_cnh: person.cnh_category,
        conjuge: person.spouse,
        cpf_cnpj_responsavel_financeiro: person.payer_document.as_deref().map(display::format_document),
        endereco_responsavel_financeiro: (person.payer_address != PostalAddress::default())
            .then(|| EnderecoTO::from(person.payer_address)),
        cod_loja: row.branch.get(),
        nome_loja: registers.branch_name(row.branch).to_owned(),
        cod_consultor: row.consultant.map(domain::SellerCode::get),
        nome_consultor: row.consultant.and_then(|code| registers.seller_name(code)).map(str::to_owned),
        cod_representante: row.representative.map(domain::SellerCode::get),
        nome_representante: row
            .representative
            .and_then(|code| registers.seller_name(code))
            .map(str::to_owned),
        ..PesquisaAssociadoOutputTO::default()
    };
    match row.benefit {
        Some(benefit) => add_benefit_fields(registers, member, benefit),
        None => member,
    }
}

fn add_benefit_fields(
    registers: &TenantRegisters,
    member: PesquisaAssociadoOutputTO,
    benefit: FoundMemberBenefit,
) -> PesquisaAssociadoOutputTO {
    let situation = registers.situation(benefit.situation);
    PesquisaAssociadoOutputTO {
        cod_beneficio: Some(benefit.code.get()),
        sequencial: Some(benefit.sequence),
        planos: render_plans(registers, &benefit.plans),
        situacao: situation.map(|one| one.name.to_uppercase()),
        tipo_situacao: situation.map(|one| set_names::situation_kind(one.kind)),
        tipo_beneficio: Some(set_names::benefit_kind(benefit.kind)),
        data_adesao: benefit.joined_on.map(Date::to_br),
        data_ativacao: benefit.activated_on.map(Date::to_br),
        placa: benefit.plate,
        chassi: benefit.chassis,
        numero_cartao_desconto: benefit.card.as_deref().map(display::format_card),
        dados_adicionais: render_additional_fields(registers, &benefit.fields),
        ..member
    }
}
