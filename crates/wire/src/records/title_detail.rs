//! What a title is made of, and what its record leaves out of its payments.

use super::JsonAmount;
use serde::Serialize;
use utoipa::ToSchema;

/// Uma linha do valor de um título.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TituloLinhaTO {
    /// Código do item de cobrança.
    #[schema(examples(1))]
    pub cod_item_cobranca: i32,
    /// Nome do item de cobrança.
    #[schema(examples("Taxa de administração"))]
    pub nome: String,
    /// `INDENIZACAO`, `REEMBOLSO`, `ADMINISTRACAO` ou `OPERACAO`.
    #[schema(examples("ADMINISTRACAO"))]
    pub natureza: &'static str,
    /// Código do benefício; `null`, se não é de um só.
    #[schema(examples(777))]
    pub cod_beneficio: Option<i32>,
    /// Quanto se cobra; 0 em um desconto.
    #[schema(value_type = f64, examples(150.55))]
    pub valor: JsonAmount,
    /// Quanto se desconta.
    #[schema(value_type = f64, examples(0))]
    pub desconto: JsonAmount,
    /// O que é, se há mais a dizer.
    #[schema(examples("Proteção 360"))]
    pub descricao: Option<String>,
}

/// O que mais se sabe de um recebimento ou pagamento, além do que está em `liquidacoes`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TituloPagamentoTO {
    /// Código da liquidação.
    #[schema(examples(31))]
    pub cod_liquidacao: i32,
    /// Quanto passou do devido e ficou como crédito da pessoa.
    #[schema(value_type = f64, examples(0))]
    pub credito: JsonAmount,
    /// A multa e os juros que se deviam e não foram pagos.
    #[schema(value_type = f64, examples(0))]
    pub encargos_restantes: JsonAmount,
    /// Observação.
    #[schema(examples("Pago no balcão."))]
    pub observacao: Option<String>,
    /// O dia do estorno nos livros.
    #[schema(examples(json!(null)))]
    pub data_estorno: Option<String>,
    /// Por que foi estornado.
    #[schema(examples(json!(null)))]
    pub motivo_estorno: Option<String>,
}
