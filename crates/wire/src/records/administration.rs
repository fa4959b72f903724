//! Administration: branches.

use domain::BranchCode;
use serde::Serialize;
use utoipa::ToSchema;

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
