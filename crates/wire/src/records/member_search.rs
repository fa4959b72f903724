//! Member: the search, with one row for each member and benefit.

use super::nested::build_nullable_schema;
use super::{CampoAdicionalValorTO, EnderecoTO, PlanoValorTO};
use crate::input;
use crate::read::{BoundedInt, QueryDate};
use domain::{BoundedText, BranchCode, PersonCode, PlanCode, SellerCode};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;

input! {
    /// O que se procura entre os associados: informe ao menos código, nome, documento, as duas datas de cadastro, data
    /// de nascimento, situação do benefício, placa ou chassi.
    pub struct PesquisaAssociadoQuery = "PesquisaAssociadoQueryTO" {
        /// Nome: o começo de cada palavra, em qualquer ordem, sem contar maiúsculas e acentos.
        name "nome": optional String = "maria sou",
        /// CPF (ou CNPJ), com ou sem máscara.
        cpf "cpf": optional String = "529.982.247-25",
        /// CNPJ (ou CPF), com ou sem máscara.
        cnpj "cnpj": optional String = "11.222.333/0001-81",
        /// CNPJ da empresa em que a pessoa trabalha.
        employer "cnpjEmpresa": optional String = "11.222.333/0001-81",
        /// Código da pessoa.
        person "codPessoa": optional PersonCode = 555,
        /// Código da loja.
        branch "codLoja": optional BranchCode = 1,
        /// Código do consultor.
        consultant "codConsultor": optional SellerCode = 1,
        /// Código do representante.
        representative "codRepresentante": optional SellerCode = 2,
        /// Cadastro a partir deste dia, em dd/MM/aaaa.
        registered_from "dataCadastroInicial": optional QueryDate = "01/11/2026",
        /// Cadastro até este dia, em dd/MM/aaaa.
        registered_to "dataCadastroFinal": optional QueryDate = "30/11/2026",
        /// Data de nascimento, em dd/MM/aaaa.
        birth "dataNascimento": optional QueryDate = "25/03/1988",
        /// Última alteração da pessoa ou do benefício neste dia ou depois, em dd/MM/aaaa.
        changed_from "dataAtualizacao": optional QueryDate = "14/11/2026",
        /// Nome da situação do benefício; `Todos` é qualquer uma, e também quem não tem benefício.
        situation "situacaoBeneficio": optional String = "ATIVO",
        /// Placa do veículo, antiga ou do Mercosul.
        plate "placa": optional String = "ABC1D23",
        /// Chassi do veículo, de até 20 caracteres.
        chassis "chassi": optional BoundedText<20> = "9BWZZZ377VT004251",
        /// Código do plano.
        plan "codPlano": optional PlanCode = 10,
        /// As duas letras do estado.
        state "uf": optional String = "SP",
        /// A página, a partir de 1; cada uma tem 100 itens.
        page "pagina": optional BoundedInt<1, { i32::MAX }> = 1,
    }
}

/// Um associado com um dos seus benefícios. Quem não tem benefício vem uma vez, com os campos do benefício `null`
/// (`planos` e `dadosAdicionais` são `[]`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PesquisaAssociadoOutputTO {
    /// Código da pessoa.
    #[schema(examples(555))]
    pub cod_pessoa: i32,
    /// Código do benefício.
    #[schema(examples(777))]
    pub cod_beneficio: Option<i32>,
    /// Número sequencial do benefício na base.
    #[schema(examples(12))]
    pub sequencial: Option<i32>,
    /// Nome da pessoa.
    #[schema(examples("Maria Souza"))]
    pub nome_pessoa: String,
    /// CPF ou CNPJ, com máscara.
    #[schema(examples("529.982.247-25"))]
    pub cpf_cnpj: Option<String>,
    /// Data de nascimento.
    #[schema(examples("25/03/1988"))]
    pub data_nascimento: Option<String>,
    /// `F` ou `M`.
    #[schema(examples("F"))]
    pub sexo: Option<&'static str>,
    /// E-mail.
    #[schema(examples("maria@exemplo.com.br"))]
    pub email: Option<String>,
    /// Telefone celular.
    #[schema(examples("(11)98765-4321"))]
    pub telefone_celular: Option<String>,
    /// Telefone fixo.
    #[schema(examples("(11)3333-4444"))]
    pub telefone_fixo: Option<String>,
    #[schema(schema_with = describe_address)]
    pub endereco: Option<EnderecoTO>,
    /// Os planos ativos do benefício.
    pub planos: Vec<PlanoValorTO>,
    /// Nome da situação do benefício, em maiúsculas.
    #[schema(examples("ATIVO"))]
    pub situacao: Option<String>,
    /// Tipo fixo da situação: ATIVO, PENDENTE, SUSPENSO, INATIVO ou CANCELADO.
    #[schema(examples("ATIVO"))]
    pub tipo_situacao: Option<&'static str>,
    /// VEICULAR, SAUDE, DIVERSOS, CONSORCIO ou A24H.
    #[schema(examples("VEICULAR"))]
    pub tipo_beneficio: Option<&'static str>,
    /// Data de cadastro do benefício ou, sem ele, da pessoa.
    #[schema(examples("14/11/2026"))]
    pub data_cadastro: String,
    /// Data de adesão.
    #[schema(examples("14/11/2026"))]
    pub data_adesao: Option<String>,
    /// Data em que o benefício ficou ativo.
    #[schema(examples("15/11/2026"))]
    pub data_ativacao: Option<String>,
    /// Data da última alteração da pessoa ou do benefício.
    #[schema(examples("16/11/2026"))]
    pub data_atualizacao: String,
    /// Placa do veículo.
    #[schema(examples("ABC1D23"))]
    pub placa: Option<String>,
    /// Chassi do veículo.
    #[schema(examples("9BWZZZ377VT004251"))]
    pub chassi: Option<String>,
    /// Número do cartão.
    #[schema(examples("1234 56 7 890 123"))]
    pub numero_cartao_desconto: Option<String>,
    /// Nome da mãe.
    #[schema(examples("Ana Souza"))]
    pub nome_mae: Option<String>,
    /// SOLTEIRO, CASADO, VIUVO, SEPARADO, DIVORCIADO, UNIAO ESTAVEL ou OUTROS.
    #[schema(examples("CASADO"))]
    pub estado_civil: Option<&'static str>,
    /// Nome da empresa em que a pessoa trabalha.
    #[schema(examples("Padaria Central"))]
    pub nome_empresa: Option<String>,
    /// Número da identidade (RG).
    #[schema(examples("12.345.678-9"))]
    pub identidade: Option<String>,
    /// Número da carteira de habilitação.
    #[schema(examples("01234567890"))]
    pub numero_cnh: Option<String>,
    /// Categoria da carteira de habilitação.
    #[schema(examples("AB"))]
    pub categoria_cnh: Option<String>,
    /// Os campos adicionais do benefício.
    pub dados_adicionais: Vec<CampoAdicionalValorTO>,
    /// Código da loja do benefício ou, sem ele, da pessoa.
    #[schema(examples(1))]
    pub cod_loja: i32,
    /// Nome da loja.
    #[schema(examples("Matriz"))]
    pub nome_loja: String,
    /// Código do consultor.
    #[schema(examples(1))]
    pub cod_consultor: Option<i32>,
    /// Nome do consultor.
    #[schema(examples("Carla Dias"))]
    pub nome_consultor: Option<String>,
    /// Código do representante.
    #[schema(examples(2))]
    pub cod_representante: Option<i32>,
    /// Nome do representante.
    #[schema(examples("Rui Prado"))]
    pub nome_representante: Option<String>,
    /// Nome do cônjuge.
    #[schema(examples("José Souza"))]
    pub conjuge: Option<String>,
    /// CPF ou CNPJ do responsável financeiro, com máscara.
    #[schema(examples("529.982.247-25"))]
    pub cpf_cnpj_responsavel_financeiro: Option<String>,
    #[schema(schema_with = describe_payers_address)]
    pub endereco_responsavel_financeiro: Option<EnderecoTO>,
}

fn describe_address() -> RefOr<Schema> {
    build_nullable_schema::<EnderecoTO>("O endereço.")
}

fn describe_payers_address() -> RefOr<Schema> {
    build_nullable_schema::<EnderecoTO>("O endereço do responsável financeiro.")
}
