//! Management: a member in full detail.

use super::nested::build_nullable_schema;
use super::{EnderecoTO, PlanoValorTO, TelefoneTO};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;

/// Um associado, com tudo o que se sabe dele.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AssociadoTO {
    /// Código da pessoa.
    #[schema(examples(555))]
    pub cod_pessoa: i32,
    /// Código da loja.
    #[schema(examples(1))]
    pub cod_loja: i32,
    /// Nome da loja.
    #[schema(examples("Matriz"))]
    pub nome_loja: String,
    /// Código da pessoa no sistema de quem integra.
    #[schema(examples("A-0042"))]
    pub codigo_integracao: Option<String>,
    /// Nome da pessoa.
    #[schema(examples("Maria Souza"))]
    pub nome_pessoa: String,
    /// CPF ou CNPJ, com máscara.
    #[schema(examples("529.982.247-25"))]
    pub cpf_cnpj: Option<String>,
    /// `F` (física) ou `J` (jurídica).
    #[schema(examples("F"))]
    pub natureza: &'static str,
    /// E-mail.
    #[schema(examples("maria@exemplo.com.br"))]
    pub email: Option<String>,
    /// `Feminino` ou `Masculino`.
    #[schema(examples("Feminino"))]
    pub sexo: Option<&'static str>,
    /// Data de nascimento.
    #[schema(examples("25/03/1988"))]
    pub data_nascimento: Option<String>,
    /// Se aceita receber e-mails.
    #[schema(examples(true))]
    pub recebe_email: Option<bool>,
    /// Se aceita receber mensagens por WhatsApp.
    #[schema(examples(true))]
    pub recebe_whats_app: Option<bool>,
    /// Os telefones, na ordem em que foram dados.
    pub telefones: Vec<TelefoneTO>,
    #[schema(schema_with = describe_address)]
    pub endereco: Option<EnderecoTO>,
    /// Número da identidade (RG).
    #[schema(examples("12.345.678-9"))]
    pub identidade: Option<String>,
    /// Órgão que expediu a identidade.
    #[schema(examples("SSP/SP"))]
    pub orgao_expedidor: Option<String>,
    /// Data em que a identidade foi expedida.
    #[schema(examples("10/05/2010"))]
    pub data_expedicao: Option<String>,
    /// Nome da mãe.
    #[schema(examples("Ana Souza"))]
    pub nome_mae: Option<String>,
    /// SOLTEIRO, CASADO, VIUVO, SEPARADO, DIVORCIADO, UNIAO ESTAVEL ou OUTROS.
    #[schema(examples("CASADO"))]
    pub estado_civil: Option<&'static str>,
    /// Número da carteira de habilitação.
    #[schema(examples("01234567890"))]
    pub numero_cnh: Option<String>,
    /// Categoria da carteira de habilitação.
    #[schema(examples("AB"))]
    pub categoria_cnh: Option<String>,
    /// Validade da carteira de habilitação.
    #[schema(examples("10/05/2030"))]
    pub validade_cnh: Option<String>,
    /// Nome fantasia, de uma empresa.
    #[schema(examples("Souza Transportes"))]
    pub nome_fantasia: Option<String>,
    /// Inscrição estadual, de uma empresa.
    #[schema(examples("110.042.490.114"))]
    pub inscricao_estadual: Option<String>,
    /// Inscrição municipal, de uma empresa.
    #[schema(examples("1.234.567-8"))]
    pub inscricao_municipal: Option<String>,
    /// Representante legal, de uma empresa.
    #[schema(examples("Maria Souza"))]
    pub representante_legal: Option<String>,
    /// Nome da empresa em que a pessoa trabalha.
    #[schema(examples("Padaria Central"))]
    pub nome_empresa: Option<String>,
    /// CNPJ da empresa em que a pessoa trabalha, com máscara.
    #[schema(examples("11.222.333/0001-81"))]
    pub cnpj_empresa: Option<String>,
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
    /// Os benefícios nas lojas do usuário, por código.
    pub beneficios: Vec<BeneficioResumoTO>,
    /// Quantos dependentes ativos têm esses benefícios.
    #[schema(value_type = i32, examples(2))]
    pub dependentes: i64,
    /// Data de cadastro.
    #[schema(examples("14/11/2026"))]
    pub data_cadastro: String,
    /// Data da última alteração.
    #[schema(examples("16/11/2026"))]
    pub data_atualizacao: String,
    /// A versão deste registro, que uma alteração deve trazer.
    #[schema(examples(1))]
    pub versao: i64,
}

/// Um benefício, em poucas palavras.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BeneficioResumoTO {
    /// Código do benefício.
    #[schema(examples(777))]
    pub cod_beneficio: i32,
    /// Número sequencial do benefício na base.
    #[schema(examples(12))]
    pub sequencial: i32,
    /// VEICULAR, SAUDE, DIVERSOS, CONSORCIO ou A24H.
    #[schema(examples("VEICULAR"))]
    pub tipo_beneficio: &'static str,
    /// O que é: a placa com a marca e o modelo, ou o nome do plano.
    #[schema(examples("ABC1D23 - FIAT ARGO 1.0"))]
    pub descricao: String,
    /// Nome da situação, em maiúsculas.
    #[schema(examples("ATIVO"))]
    pub situacao: String,
    /// Tipo fixo da situação: ATIVO, PENDENTE, SUSPENSO, INATIVO ou CANCELADO.
    #[schema(examples("ATIVO"))]
    pub tipo_situacao: &'static str,
    /// Cor da situação, em seis dígitos hexadecimais.
    #[schema(examples("188038"))]
    pub cor_destaque: String,
    /// Cor do texto que se lê sobre ela.
    #[schema(examples("FFFFFF"))]
    pub cor_inversa: String,
    /// Os planos ativos do benefício.
    pub planos: Vec<PlanoValorTO>,
}

fn describe_address() -> RefOr<Schema> {
    build_nullable_schema::<EnderecoTO>("O endereço.")
}

fn describe_payers_address() -> RefOr<Schema> {
    build_nullable_schema::<EnderecoTO>("O endereço do responsável financeiro.")
}
