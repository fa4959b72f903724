//! Security: the token record.

use serde::Serialize;
use utoipa::ToSchema;

/// O acesso concedido: o token e o que o usuário pode usar.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AcessoTO {
    /// O token, que vale por 12 horas. Envie-o em `Authorization: Bearer`.
    #[schema(examples("amp_1_9f2c4a7be01d5836c7aa10f4e2b98d7365041cbe_5d1e02aa"))]
    pub authorization_token: String,
    /// O esquema do token, sempre `Bearer`.
    #[schema(examples("Bearer"))]
    pub authorization_type: &'static str,
    /// Código da base (associação).
    #[schema(examples(1))]
    pub cod_cliente_sistema: i32,
    /// Nome da base (associação).
    #[schema(examples("Associação Demonstração"))]
    pub nome_cliente_sistema: String,
    /// Código do usuário.
    #[schema(examples(3))]
    pub cod_usuario: i32,
    /// Nome do usuário.
    #[schema(examples("Maria Souza"))]
    pub nome_usuario: String,
    /// As lojas que o usuário pode acessar.
    pub permissao_loja: Vec<LojaPermitidaTO>,
    /// Os planos ativos da base.
    pub plano: Vec<PlanoAcessoTO>,
}

/// Uma loja que o usuário pode acessar.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LojaPermitidaTO {
    /// Código da loja.
    #[schema(examples(1))]
    pub cod_loja: i32,
    /// Nome da loja.
    #[schema(examples("Matriz"))]
    pub nome: String,
}

/// Um plano da base.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlanoAcessoTO {
    /// Código do plano.
    #[schema(examples(10))]
    pub cod_plano: i32,
    /// Nome do plano.
    #[schema(examples("Proteção Ouro"))]
    pub nome: String,
}

/// O fim de uma sessão.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessaoEncerradaTO {
    /// Sempre `true`.
    #[schema(examples(true))]
    pub encerrada: bool,
}
