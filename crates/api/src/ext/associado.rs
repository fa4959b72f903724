//! `/ext/associado`: members.

use super::beneficio::{fields, plans};
use crate::State;
use crate::answer::Answer;
use crate::extract::{Asked, Caller, Code};
use crate::failure::Failure;
use crate::write::Write;
use app::base::Registers;
use app::credit_cards;
use app::people::{self, Saved};
use app::searches::{self, Found, OfBenefit};
use axum::extract;
use axum::response::Response;
use domain::{PersonCode, PhoneKind, PostalAddress, shown};
use wire::names;
use wire::read;
use wire::records::{
    CartaoCreditoTO, EnderecoTO, Pagina, PesquisaAssociadoOutputTO, PesquisaAssociadoQuery, PessoaInput,
    PessoaOutputTO,
};

/// `GET /ext/associado`
pub async fn search(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    asked: Asked<PesquisaAssociadoQuery>,
) -> Result<Answer<Pagina<PesquisaAssociadoOutputTO>>, Failure> {
    let query = asked.get(searches::narrows)?;
    let page = searches::members(&state.app, &caller, query).await?;
    let items = page.rows.into_iter().map(|row| item(&page.registers, row)).collect();
    Ok(Answer(Pagina::new(items, page.number, page.total)))
}

/// `POST /ext/associado`
pub async fn save(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    write: Write,
) -> Result<Response, Failure> {
    let act = |input: PessoaInput, once| people::save(&state.app, &caller, input, once);
    write.answer(&state, &caller, read::body, act, record).await
}

/// `GET /ext/associado/{codPessoa}/cartaoCredito`
pub async fn credit_cards(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    person: Code<PersonCode>,
) -> Result<Answer<Vec<CartaoCreditoTO>>, Failure> {
    let cards = credit_cards::of(&state.app, &caller, person.get()?).await?;
    let records = cards.into_iter().map(|card| CartaoCreditoTO {
        cod_cartao: card.code.get(),
        bandeira: card.brand,
        ultimos_digitos: card.last_digits,
        nome_titular: card.holder,
        validade: shown::month(&card.valid_until),
        principal: card.is_main,
        ativo: card.active,
    });
    Ok(Answer(records.collect()))
}

fn record(saved: &Saved) -> PessoaOutputTO {
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

fn item(registers: &Registers, row: Found) -> PesquisaAssociadoOutputTO {
    let person = row.person;
    let member = PesquisaAssociadoOutputTO {
        cod_pessoa: person.code.get(),
        nome_pessoa: person.name,
        cpf_cnpj: person.document.as_deref().map(shown::document),
        data_nascimento: person.born_on.as_deref().map(shown::day),
        sexo: person.sex.map(names::sex_letter),
        email: person.email,
        telefone_celular: person.mobile.as_deref().map(shown::phone),
        telefone_fixo: person.landline.as_deref().map(shown::phone),
        endereco: Some(EnderecoTO::from(person.address)),
        data_cadastro: shown::day(&row.registered_on),
        data_atualizacao: shown::day(&row.updated_on),
        nome_mae: person.mother,
        estado_civil: person.civil_state.map(names::civil_state),
        nome_empresa: person.company,
        identidade: person.identity_number,
        numero_cnh: person.cnh_number,
        categoria_cnh: person.cnh_category,
        conjuge: person.spouse,
        cpf_cnpj_responsavel_financeiro: person.payer_document.as_deref().map(shown::document),
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
        Some(benefit) => with_benefit(registers, member, benefit),
        None => member,
    }
}

fn with_benefit(
    registers: &Registers,
    member: PesquisaAssociadoOutputTO,
    benefit: OfBenefit,
) -> PesquisaAssociadoOutputTO {
    let situation = registers.situation(benefit.situation);
    PesquisaAssociadoOutputTO {
        cod_beneficio: Some(benefit.code.get()),
        sequencial: Some(benefit.sequence),
        planos: Some(plans(registers, &benefit.plans)),
        situacao: situation.map(|one| one.name.to_uppercase()),
        tipo_situacao: situation.map(|one| names::situation_kind(one.kind)),
        tipo_beneficio: Some(names::benefit_kind(benefit.kind)),
        data_adesao: benefit.joined_on.as_deref().map(shown::day),
        data_ativacao: benefit.activated_on.as_deref().map(shown::day),
        placa: benefit.plate,
        chassi: benefit.chassis,
        numero_cartao_desconto: benefit.card.as_deref().map(shown::card),
        dados_adicionais: Some(fields(registers, &benefit.fields)),
        ..member
    }
}
