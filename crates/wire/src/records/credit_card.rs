//! Member: the credit cards that a payment gateway stores.

use serde::Serialize;
use utoipa::ToSchema;

/// Um cartão de crédito de um associado. O número inteiro e o código de segurança nunca são recebidos nem guardados.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CartaoCreditoTO {
    /// Código do cartão.
    #[schema(examples(31))]
    pub cod_cartao: i32,
    /// Bandeira.
    #[schema(examples("Visa"))]
    pub bandeira: String,
    /// Os quatro últimos dígitos.
    #[schema(examples("4242"))]
    pub ultimos_digitos: String,
    /// Nome impresso no cartão.
    #[schema(examples("MARIA SOUZA"))]
    pub nome_titular: String,
    /// Validade, em MM/aaaa.
    #[schema(examples("11/2029"))]
    pub validade: String,
    /// Se é o cartão em que se cobra primeiro.
    #[schema(examples(true))]
    pub principal: bool,
    /// Se o cartão está em uso.
    #[schema(examples(true))]
    pub ativo: bool,
}
