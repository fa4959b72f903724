//! `/ext/administracao`: what the association registered.

use crate::State;
use crate::answer::Answer;
use crate::extract::{Caller, Code, Query};
use crate::failure::Failure;
use app::base::{Registers, registers};
use app::sellers::{self, SellerDetails};
use app::suppliers::{self, Supplier};
use axum::extract;
use domain::{BenefitKind, Field, PhoneKind, SupplierCode, shown};
use wire::names;
use wire::records::{
    CampoAdicionalOutputTO, CodigoNomeTO, EnderecoTO, FornecedorTO, PesquisaVendedorOutputTO,
    PesquisaVendedorQuery, TelefoneTO,
};

/// `GET /ext/administracao/loja`
pub async fn branches(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
) -> Result<Answer<Vec<CodigoNomeTO>>, Failure> {
    let registers = registers(&state.app, caller.scope.tenant()).await?;
    let branches = registers.branches_of(&caller.scope);
    Ok(Answer(branches.map(|branch| CodigoNomeTO::new(branch.code, &branch.name)).collect()))
}

/// `GET /ext/administracao/campos/{codigo}`
pub async fn fields(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    code: Code<i32>,
) -> Result<Answer<Vec<CampoAdicionalOutputTO>>, Failure> {
    let code = code.get()?;
    let unknown = app::Error::NoSuch { field: Field::BenefitKind, code };
    let kind = BenefitKind::from_number(code.into()).ok_or(unknown)?;
    let registers = registers(&state.app, caller.scope.tenant()).await?;
    let own = registers.fields.iter().filter(|field| field.active && field.benefit_kind == kind);
    let records = own.map(|field| CampoAdicionalOutputTO {
        cod_campo: field.code.get(),
        nome: field.name.clone(),
        tipo: names::field_kind(field.kind),
        obrigatorio: field.required,
        tamanho_maximo: field.longest,
        opcoes: field.options.clone(),
    });
    Ok(Answer(records.collect()))
}

/// `GET /ext/administracao/fornecedor/{codFornecedor}`
pub async fn supplier(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    code: Code<SupplierCode>,
) -> Result<Answer<FornecedorTO>, Failure> {
    let found = suppliers::find(&state.app, &caller, code.get()?).await?;
    Ok(Answer(supplier_record(found)))
}

fn supplier_record(supplier: Supplier) -> FornecedorTO {
    let phones = [(supplier.mobile, PhoneKind::Mobile), (supplier.landline, PhoneKind::Landline)];
    let phones = phones.into_iter().filter_map(|(number, kind)| {
        Some(TelefoneTO { numero: shown::phone(&number?), tipo: names::phone_kind(kind) })
    });
    FornecedorTO {
        cod_fornecedor: supplier.code.get(),
        nome: supplier.name,
        nome_fantasia: supplier.trade_name,
        cpf_cnpj: supplier.document.as_deref().map(shown::document),
        inscricao_estadual: supplier.state_registration,
        email: supplier.email,
        telefones: phones.collect(),
        endereco: EnderecoTO::from(supplier.address),
        tipo_fornecedor: supplier.kind,
        ativo: supplier.active,
    }
}

/// `GET /ext/administracao/vendedor`
pub async fn sellers(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    Query(query): Query<PesquisaVendedorQuery>,
) -> Result<Answer<Vec<PesquisaVendedorOutputTO>>, Failure> {
    let found = sellers::search(&state.app, &caller, query).await?;
    let records = found.sellers.into_iter().map(|seller| seller_record(&found.registers, seller));
    Ok(Answer(records.collect()))
}

fn seller_record(registers: &Registers, seller: SellerDetails) -> PesquisaVendedorOutputTO {
    PesquisaVendedorOutputTO {
        cod_vendedor: seller.code.get(),
        nome: seller.name,
        tipo: names::seller_kind(seller.kind),
        cpf_cnpj: seller.document.as_deref().map(shown::document),
        email: seller.email,
        telefone_celular: seller.mobile.as_deref().map(shown::phone),
        telefone_fixo: seller.landline.as_deref().map(shown::phone),
        bairro: seller.district,
        cidade: seller.city,
        uf: seller.state,
        cod_loja: seller.branch.get(),
        nome_loja: registers.branch_name(seller.branch).to_owned(),
    }
}
