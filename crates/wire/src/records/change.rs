//! Management: the history of a record.

use serde::Serialize;
use utoipa::ToSchema;

/// O que mudou em um registro, em ordem.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct HistoricoRegistroTO {
    /// As mudanças de situação e de campos, na ordem em que foram feitas.
    pub itens: Vec<AlteracaoTO>,
}

/// Uma mudança de situação ou de um campo.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AlteracaoTO {
    /// `situacao` ou `campo`.
    #[schema(examples("situacao"))]
    pub tipo: &'static str,
    /// Quando foi, no fuso da base.
    #[schema(examples("2026-11-14T10:32:05-03:00"))]
    pub data_hora: String,
    /// Código de quem mudou.
    #[schema(examples(3))]
    pub cod_usuario: Option<i32>,
    /// Nome de quem mudou.
    #[schema(examples("Ana Prado"))]
    pub nome_usuario: Option<String>,
    /// Código da mudança de situação; `null` na de um campo.
    #[schema(examples(918))]
    pub cod_historico: Option<i32>,
    /// O nome do campo; `situacao` na mudança de situação.
    #[schema(examples("situacao"))]
    pub campo: String,
    /// O valor de antes, como se lê; `null` onde não havia.
    #[schema(examples("ABERTO"))]
    pub antes: Option<String>,
    /// O valor de depois, como se lê; `null` onde não há mais.
    #[schema(examples("EM ANÁLISE"))]
    pub depois: Option<String>,
    /// O motivo de uma mudança de situação, se foi dado.
    #[schema(examples("Pedido do associado."))]
    pub motivo: Option<String>,
    /// De onde veio uma mudança de situação.
    #[schema(examples("API"))]
    pub origem: Option<String>,
}
