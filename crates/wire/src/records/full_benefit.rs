//! Management: a benefit in full detail.

use super::nested::build_nullable_schema;
use super::{CampoAdicionalValorTO, ItemBeneficioGestaoTO, VeiculoTO};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;

/// Um benefício, com tudo o que se sabe dele.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BeneficioTO {
    /// Código do benefício.
    #[schema(examples(777))]
    pub cod_beneficio: i32,
    /// Número sequencial do benefício na base.
    #[schema(examples(12))]
    pub sequencial: i32,
    /// Número do cartão.
    #[schema(examples("1234 56 7 890 123"))]
    pub numero_cartao_desconto: Option<String>,
    /// Código do titular.
    #[schema(examples(555))]
    pub cod_pessoa: i32,
    /// Nome do titular.
    #[schema(examples("Maria Souza"))]
    pub nome_pessoa: String,
    /// CPF ou CNPJ do titular, com máscara.
    #[schema(examples("529.982.247-25"))]
    pub cpf_cnpj: Option<String>,
    /// Código da loja.
    #[schema(examples(1))]
    pub cod_loja: i32,
    /// Nome da loja.
    #[schema(examples("Matriz"))]
    pub nome_loja: String,
    /// VEICULAR, SAUDE, DIVERSOS, CONSORCIO ou A24H.
    #[schema(examples("VEICULAR"))]
    pub tipo_beneficio: &'static str,
    /// Código da situação.
    #[schema(examples(1))]
    pub cod_situacao: i32,
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
    /// Dia de vencimento.
    #[schema(examples(10))]
    pub dia_vencimento: Option<i32>,
    /// Data de cadastro.
    #[schema(examples("14/11/2026"))]
    pub data_cadastro: String,
    /// Data da última alteração.
    #[schema(examples("16/11/2026"))]
    pub data_atualizacao: String,
    /// Data de adesão.
    #[schema(examples("14/11/2026"))]
    pub data_adesao: Option<String>,
    /// Data em que ficou ativo pela primeira vez.
    #[schema(examples("15/11/2026"))]
    pub data_ativacao: Option<String>,
    /// Data em que foi cancelado.
    #[schema(examples("20/12/2026"))]
    pub data_cancelamento: Option<String>,
    /// Os planos que tem e que teve, o principal primeiro.
    pub itens: Vec<ItemBeneficioGestaoTO>,
    #[schema(schema_with = describe_vehicle)]
    pub veiculo: Option<VeiculoTO>,
    /// Código do tipo de veículo.
    #[schema(examples(2))]
    pub cod_tipo_veiculo: Option<i32>,
    /// Código do veículo na tabela Fipe.
    #[schema(examples("001509-1"))]
    pub codigo_fipe: Option<String>,
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
    /// Código do benefício no sistema de quem integra.
    #[schema(examples("B-0042"))]
    pub codigo_integracao: Option<String>,
    /// Uma observação.
    #[schema(examples("Indicado por um associado."))]
    pub observacao: Option<String>,
    /// Os campos adicionais.
    pub dados_adicionais: Vec<CampoAdicionalValorTO>,
    /// Quantos dependentes ativos tem.
    #[schema(value_type = i32, examples(2))]
    pub dependentes: i64,
    /// A versão deste registro, que uma alteração deve trazer.
    #[schema(examples(1))]
    pub versao: i64,
}

fn describe_vehicle() -> RefOr<Schema> {
    build_nullable_schema::<VeiculoTO>("O veículo, num benefício veicular.")
}
