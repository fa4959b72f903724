//! Money: the registers that programs choose from.

use domain::{PaymentFormCode, SettlementTypeCode, TitleTypeCode};
use serde::Serialize;
use utoipa::ToSchema;

/// Um tipo de título. `codigo`, `id` e `codTipoTitulo` são sempre iguais.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TipoTituloTO {
    /// Código do tipo de título.
    #[schema(examples(1))]
    pub codigo: i32,
    /// O mesmo código.
    #[schema(examples(1))]
    pub id: i32,
    /// O mesmo código.
    #[schema(examples(1))]
    pub cod_tipo_titulo: i32,
    /// Nome do tipo de título.
    #[schema(examples("Mensalidade"))]
    pub nome: String,
    /// CREDITO (a receber), DEBITO (a pagar) ou RATEIO (o total que um rateio divide).
    #[schema(examples("CREDITO"))]
    pub tipo_lancamento: &'static str,
}

impl TipoTituloTO {
    pub fn new(code: TitleTypeCode, name: &str, launch_kind: &'static str) -> TipoTituloTO {
        let code = code.get();
        TipoTituloTO {
            codigo: code,
            id: code,
            cod_tipo_titulo: code,
            nome: name.to_owned(),
            tipo_lancamento: launch_kind,
        }
    }
}

/// Uma forma de pagamento. `codigo`, `id` e `codFormaPagamento` são sempre iguais.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FormaPagamentoTO {
    /// Código da forma de pagamento.
    #[schema(examples(2))]
    pub codigo: i32,
    /// O mesmo código.
    #[schema(examples(2))]
    pub id: i32,
    /// O mesmo código.
    #[schema(examples(2))]
    pub cod_forma_pagamento: i32,
    /// Nome da forma de pagamento.
    #[schema(examples("Pix"))]
    pub nome: String,
}

impl FormaPagamentoTO {
    pub fn new(code: PaymentFormCode, name: &str) -> FormaPagamentoTO {
        let code = code.get();
        FormaPagamentoTO { codigo: code, id: code, cod_forma_pagamento: code, nome: name.to_owned() }
    }
}

/// Um tipo de liquidação. `codigo`, `id` e `codTipoLiquidacao` são sempre iguais.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TipoLiquidacaoTO {
    /// Código do tipo de liquidação.
    #[schema(examples(3))]
    pub codigo: i32,
    /// O mesmo código.
    #[schema(examples(3))]
    pub id: i32,
    /// O mesmo código.
    #[schema(examples(3))]
    pub cod_tipo_liquidacao: i32,
    /// Nome do tipo de liquidação.
    #[schema(examples("Pix"))]
    pub nome: String,
}

impl TipoLiquidacaoTO {
    pub fn new(code: SettlementTypeCode, name: &str) -> TipoLiquidacaoTO {
        let code = code.get();
        TipoLiquidacaoTO { codigo: code, id: code, cod_tipo_liquidacao: code, nome: name.to_owned() }
    }
}
