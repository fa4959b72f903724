//! Administration: branches, additional fields, suppliers and sellers.

use super::nested::build_required_schema;
use super::{EnderecoTO, TelefoneTO};
use crate::input;
use crate::read::LenientMember;
use domain::{BranchCode, SellerKind};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;

/// Código e nome de uma loja. `codigo`, `id` e `codLoja` são sempre iguais.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CodigoNomeTO {
    /// Código da loja.
    #[schema(examples(1))]
    pub codigo: i32,
    /// O mesmo código.
    #[schema(examples(1))]
    pub id: i32,
    /// O mesmo código.
    #[schema(examples(1))]
    pub cod_loja: i32,
    /// Nome da loja.
    #[schema(examples("Matriz"))]
    pub nome: String,
}

impl CodigoNomeTO {
    pub fn new(code: BranchCode, name: &str) -> CodigoNomeTO {
        let code = code.get();
        CodigoNomeTO { codigo: code, id: code, cod_loja: code, nome: name.to_owned() }
    }
}

/// Um campo que a associação acrescentou aos benefícios de um tipo.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CampoAdicionalOutputTO {
    /// Código do campo.
    #[schema(examples(3))]
    pub cod_campo: i32,
    /// Nome do campo.
    #[schema(examples("Uso do veículo"))]
    pub nome: String,
    /// O que o campo guarda: Texto, Numero, Data, Logico ou Lista.
    #[schema(examples("Lista"))]
    pub tipo: &'static str,
    /// Se o console exige o campo. Esta interface nunca recusa um benefício por falta dele.
    #[schema(examples(true))]
    pub obrigatorio: bool,
    /// O máximo de caracteres, num campo de texto.
    #[schema(examples(40))]
    pub tamanho_maximo: Option<i32>,
    /// As opções de uma lista, na ordem dela; vazio nos outros tipos.
    #[schema(examples(json!(["Particular", "Trabalho"])))]
    pub opcoes: Vec<String>,
}

/// Um fornecedor da associação: oficina, guincho, clínica. O que não se sabe é `null`.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FornecedorTO {
    /// Código do fornecedor.
    #[schema(examples(4))]
    pub cod_fornecedor: i32,
    /// Nome ou razão social.
    #[schema(examples("Oficina Boa Rota Ltda"))]
    pub nome: String,
    /// Nome fantasia.
    #[schema(examples("Boa Rota"))]
    pub nome_fantasia: Option<String>,
    /// CNPJ ou CPF, com máscara.
    #[schema(examples("11.222.333/0001-81"))]
    pub cpf_cnpj: Option<String>,
    /// Inscrição estadual.
    #[schema(examples("110042490114"))]
    pub inscricao_estadual: Option<String>,
    /// E-mail.
    #[schema(examples("contato@boa-rota.example"))]
    pub email: Option<String>,
    /// Os telefones, o celular primeiro.
    pub telefones: Vec<TelefoneTO>,
    #[schema(schema_with = describe_workplace)]
    pub endereco: EnderecoTO,
    /// O que o fornecedor faz.
    #[schema(examples("Oficina"))]
    pub tipo_fornecedor: Option<String>,
    /// Se a associação ainda trabalha com ele.
    #[schema(examples(true))]
    pub ativo: bool,
}

fn describe_workplace() -> RefOr<Schema> {
    build_required_schema::<EnderecoTO>("Onde o fornecedor atende.")
}

input! {
    /// O que se procura entre os vendedores; sem nada, vêm todos.
    pub struct PesquisaVendedorQuery = "PesquisaVendedorQueryTO" {
        /// `Consultor` ou `Representante`, sem contar maiúsculas e acentos.
        kind "tipo": optional LenientMember<SellerKind> = "Consultor",
        /// Nome: o começo de cada palavra, em qualquer ordem, sem contar maiúsculas e acentos.
        name "nome": optional String = "carla di",
        /// CPF ou CNPJ, com ou sem máscara.
        document "cpfCnpj": optional String = "529.982.247-25",
        /// Bairro, sem contar maiúsculas e acentos.
        district "bairro": optional String = "Bela Vista",
        /// Cidade, sem contar maiúsculas e acentos.
        city "cidade": optional String = "São Paulo",
        /// As duas letras do estado.
        state "uf": optional String = "SP",
    }
}

/// Um vendedor ativo: consultor ou representante. O que não se sabe é `null`.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PesquisaVendedorOutputTO {
    /// Código do vendedor.
    #[schema(examples(1))]
    pub cod_vendedor: i32,
    /// Nome do vendedor.
    #[schema(examples("Carla Dias"))]
    pub nome: String,
    /// `Consultor` ou `Representante`.
    #[schema(examples("Consultor"))]
    pub tipo: &'static str,
    /// CPF ou CNPJ, com máscara.
    #[schema(examples("529.982.247-25"))]
    pub cpf_cnpj: Option<String>,
    /// E-mail.
    #[schema(examples("carla@exemplo.com.br"))]
    pub email: Option<String>,
    /// Telefone celular.
    #[schema(examples("(11)98765-4321"))]
    pub telefone_celular: Option<String>,
    /// Telefone fixo.
    #[schema(examples("(11)3333-4444"))]
    pub telefone_fixo: Option<String>,
    /// O bairro.
    #[schema(examples("Bela Vista"))]
    pub bairro: Option<String>,
    /// A cidade.
    #[schema(examples("São Paulo"))]
    pub cidade: Option<String>,
    /// As duas letras do estado.
    #[schema(examples("SP"))]
    pub uf: Option<String>,
    /// Código da loja do vendedor.
    #[schema(examples(1))]
    pub cod_loja: i32,
    /// Nome da loja do vendedor.
    #[schema(examples("Matriz"))]
    pub nome_loja: String,
}
