//! `/ext/administracao`: the registers of the association.

use crate::ServerState;
use crate::answer::JsonAnswer;
use crate::extract::{AuthenticatedCaller, PathCode, QueryRecord};
use crate::failure::RequestFailure;
use app::register_snapshot::{TenantRegisters, load_registers};
use app::registers::suppliers::{self, StoredSupplier};
use app::sales::sellers::{self, ActiveSellerDetails};
use axum::extract;
use domain::{BenefitKind, InputField, PhoneKind, SupplierCode, display};
use wire::records::{
    CampoAdicionalOutputTO, CodigoNomeTO, EnderecoTO, FornecedorTO, PesquisaVendedorOutputTO,
    PesquisaVendedorQuery, TelefoneTO,
};
use wire::set_names;

/// `GET /ext/administracao/loja`
pub async fn list_branches(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
) -> Result<JsonAnswer<Vec<CodigoNomeTO>>, RequestFailure> {
    let registers = load_registers(&state.app, caller.scope.tenant()).await?;
    let branches = registers.usable_branches(&caller.scope);
    Ok(JsonAnswer(branches.map(|branch| CodigoNomeTO::new(branch.code, &branch.name)).collect()))
}

/// `GET /ext/administracao/campos/{codigo}`
pub async fn list_additional_fields(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<i32>,
) -> Result<JsonAnswer<Vec<CampoAdicionalOutputTO>>, RequestFailure> {
    let code = code.get()?;
    let unknown = app::Error::NotFound { field: InputField::BenefitKind, code };
    let kind = BenefitKind::from_number(code.into()).ok_or(unknown)?;
    let registers = load_registers(&state.app, caller.scope.tenant()).await?;
    let fields = registers.fields.iter().filter(|field| field.active && field.benefit_kind == kind);
    let records = fields.map(|field| CampoAdicionalOutputTO {
        cod_campo: field.code.get(),
        nome: field.name.clone(),
        tipo: set_names::field_kind(field.kind),
        obrigatorio: field.required,
        tamanho_maximo: field.longest,
        opcoes: field.options.clone(),
    });
    Ok(JsonAnswer(records.collect()))
}

/// `GET /ext/administracao/fornecedor/{codFornecedor}`
pub async fn show_supplier(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<SupplierCode>,
) -> Result<JsonAnswer<FornecedorTO>, RequestFailure> {
    let found = suppliers::read_supplier(&state.app, &caller, code.get()?).await?;
    Ok(JsonAnswer(render_supplier(found)))
}

fn render_supplier(supplier: StoredSupplier) -> FornecedorTO {
    let phones = [(supplier.mobile, PhoneKind::Mobile), (supplier.landline, PhoneKind::Landline)];
    let phones = phones.into_iter().filter_map(|(number, kind)| {
        Some(TelefoneTO { numero: display::format_phone(&number?), tipo: set_names::phone_kind(kind) })
    });
    FornecedorTO {
        cod_fornecedor: supplier.code.get(),
        nome: supplier.name,
        nome_fantasia: supplier.trade_name,
        cpf_cnpj: supplier.document.as_deref().map(display::format_document),
        inscricao_estadual: supplier.state_registration,
        email: supplier.email,
        telefones: phones.collect(),
        endereco: EnderecoTO::from(supplier.address),
        tipo_fornecedor: supplier.kind,
        ativo: supplier.active,
    }
}

/// `GET /ext/administracao/vendedor`
pub async fn search_sellers(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    QueryRecord(query): QueryRecord<PesquisaVendedorQuery>,
) -> Result<JsonAnswer<Vec<PesquisaVendedorOutputTO>>, RequestFailure> {
    let found = sellers::search_sellers(&state.app, &caller, query).await?;
    let records = found.sellers.into_iter().map(|seller| render_seller(&found.registers, seller));
    Ok(JsonAnswer(records.collect()))
}

fn render_seller(registers: &TenantRegisters, seller: ActiveSellerDetails) -> PesquisaVendedorOutputTO {
    PesquisaVendedorOutputTO {
        cod_vendedor: seller.code.get(),
        nome: seller.name,
        tipo: set_names::seller_kind(seller.kind),
        cpf_cnpj: seller.document.as_deref().map(display::format_document),
        email: seller.email,
        telefone_celular: seller.mobile.as_deref().map(display::format_phone),
        telefone_fixo: seller.landline.as_deref().map(display::format_phone),
        bairro: seller.district,
        cidade: seller.city,
        uf: seller.state,
        cod_loja: seller.branch.get(),
        nome_loja: registers.branch_name(seller.branch).to_owned(),
    }
}
