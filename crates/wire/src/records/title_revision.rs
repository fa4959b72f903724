//! Revisions: what becomes of a changed benefit's titles that are not yet due.

use super::{JsonAmount, PagedRecord};
use crate::input;
use crate::read::BoundedInt;
use domain::BoundedText;
use serde::Serialize;
use utoipa::ToSchema;

input! {
    /// Uma página das revisões.
    pub struct RevisaoQuery = "RevisaoQueryTO" {
        /// O número da página, a partir de 1.
        page "pagina": optional BoundedInt<1, { i32::MAX }> = 1,
    }
}

input! {
    /// Uma revisão como foi vista, para que só ela seja aplicada.
    pub struct RevisaoInput = "RevisaoInputTO" {
        /// A `conferencia` da revisão que se viu.
        seen "conferencia": required BoundedText<16> = "9f86d081884c7d65",
    }
}

/// Um benefício que mudou depois que seus títulos a vencer foram emitidos.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RevisaoResumoTO {
    /// Código do benefício.
    #[schema(examples(777))]
    pub cod_beneficio: i32,
    /// Código da pessoa.
    #[schema(examples(555))]
    pub cod_pessoa: i32,
    /// Nome da pessoa.
    #[schema(examples("Maria Souza"))]
    pub nome_pessoa: String,
    /// A placa do veículo.
    #[schema(examples("ABC1D23"))]
    pub placa: Option<String>,
    /// Quantos títulos dele estão a vencer.
    #[schema(examples(1))]
    pub titulos: i64,
    /// Quanto falta pagar deles.
    #[schema(value_type = f64, examples(150.55))]
    pub valor: JsonAmount,
    /// Quando o benefício mudou.
    #[schema(examples("2026-11-17T09:30:00-03:00"))]
    pub data_mudanca: String,
}

impl PagedRecord for RevisaoResumoTO {
    const PAGE: &'static str = "ListaRevisaoResumoTO";
    const TEXT: &'static str = "Uma página dos benefícios com títulos a rever.";
}

/// O que uma revisão faz com os títulos a vencer de um benefício.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RevisaoTO {
    /// Código do benefício.
    #[schema(examples(777))]
    pub cod_beneficio: i32,
    /// O que identifica o que a revisão faz: outro, se mudou alguma coisa nos títulos cancelados ou emitidos.
    #[schema(examples("9f86d081884c7d65"))]
    pub conferencia: String,
    /// Quantos títulos são cancelados.
    #[schema(examples(1))]
    pub titulos_cancelados: i64,
    /// Quanto falta pagar deles.
    #[schema(value_type = f64, examples(150.55))]
    pub valor_cancelado: JsonAmount,
    /// Quantos títulos são emitidos em seu lugar.
    #[schema(examples(1))]
    pub titulos_emitidos: i64,
    /// Quanto somam.
    #[schema(value_type = f64, examples(189.9))]
    pub valor_emitido: JsonAmount,
    /// Cada título a vencer, por mês.
    pub titulos: Vec<RevisaoTituloTO>,
}

/// O que uma revisão faz com um título.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RevisaoTituloTO {
    /// Código do título.
    #[schema(examples(9001))]
    pub cod_titulo: i32,
    /// O mês que ele cobra.
    #[schema(examples("12/2026"))]
    pub mes: String,
    /// O vencimento.
    #[schema(examples("10/12/2026"))]
    pub data_vencimento: String,
    /// Quanto falta pagar dele.
    #[schema(value_type = f64, examples(150.55))]
    pub valor: JsonAmount,
    /// `MANTIDO` (cobra o que cobraria hoje), `PAGO` (já tem pagamento e fica), `SUBSTITUIDO` ou `CANCELADO`.
    #[schema(examples("SUBSTITUIDO"))]
    pub resultado: &'static str,
    /// Por que o benefício deixa de ser cobrado, como em `motivo` de um benefício de uma cobrança.
    #[schema(examples(json!(null)))]
    pub motivo: Option<&'static str>,
    /// Os títulos que tomam o seu lugar.
    pub novos: Vec<RevisaoNovoTO>,
}

/// Um título que toma o lugar de outro.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RevisaoNovoTO {
    /// O vencimento.
    #[schema(examples("15/12/2026"))]
    pub data_vencimento: String,
    /// Código da loja.
    #[schema(examples(1))]
    pub cod_loja: i32,
    /// Código do grupo de proteção.
    #[schema(examples(1))]
    pub cod_grupo: i32,
    /// Quanto cobra.
    #[schema(value_type = f64, examples(189.9))]
    pub valor: JsonAmount,
}

/// O que uma revisão fez.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RevisaoAplicadaTO {
    /// Código do benefício.
    #[schema(examples(777))]
    pub cod_beneficio: i32,
    /// Os títulos cancelados.
    #[schema(examples(json!([9001])))]
    pub cancelados: Vec<i32>,
    /// Os títulos emitidos em seu lugar.
    #[schema(examples(json!([9340])))]
    pub emitidos: Vec<i32>,
}
