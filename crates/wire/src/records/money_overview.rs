//! What is open, late and received, in figures.

use super::JsonAmount;
use crate::input;
use domain::BranchCode;
use serde::Serialize;
use utoipa::ToSchema;

input! {
    /// De que loja são os números.
    pub struct ResumoFinanceiroQuery = "ResumoFinanceiroQueryTO" {
        /// Código da loja; onde não vem, todas as que o usuário vê.
        branch "codLoja": optional BranchCode = 1,
    }
}

/// O que está em aberto, vencido e recebido, dos títulos de crédito.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResumoFinanceiroTO {
    /// O dia de que são os números.
    #[schema(examples("14/11/2026"))]
    pub dia: String,
    /// Os títulos em aberto que ainda não venceram.
    pub a_vencer: TitulosAbertosTO,
    /// Os vencidos, todos juntos.
    pub vencidos: TitulosAbertosTO,
    /// Os vencidos, por dias de atraso.
    pub faixas: Vec<FaixaAtrasoTO>,
    /// O que entrou neste mês.
    #[schema(value_type = f64, examples(150.55))]
    pub recebido_no_mes: JsonAmount,
    /// O que entrou no mês anterior inteiro.
    #[schema(value_type = f64, examples(150.55))]
    pub recebido_no_mes_anterior: JsonAmount,
    /// O que entrou no mês anterior até o mesmo dia, para comparar.
    #[schema(value_type = f64, examples(150.55))]
    pub recebido_no_mes_anterior_ate_o_dia: JsonAmount,
    /// Os últimos doze meses de vencimento, o de hoje por último.
    pub meses: Vec<MesVencimentoTO>,
}

/// Títulos em aberto, em soma.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TitulosAbertosTO {
    /// Quantos são.
    #[schema(examples(12))]
    pub quantidade: i64,
    /// Quanto falta pagar deles.
    #[schema(value_type = f64, examples(1806.6))]
    pub valor: JsonAmount,
}

/// Os títulos vencidos de uma faixa de atraso.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FaixaAtrasoTO {
    /// Desde quantos dias de atraso.
    #[schema(examples(1))]
    pub de_dias: i32,
    /// Até quantos dias de atraso; `null`, se a faixa não tem fim.
    #[schema(examples(30))]
    pub ate_dias: Option<i32>,
    /// Quantos são.
    #[schema(examples(12))]
    pub quantidade: i64,
    /// Quanto falta pagar deles.
    #[schema(value_type = f64, examples(1806.6))]
    pub valor: JsonAmount,
}

/// Os títulos que vencem em um mês.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MesVencimentoTO {
    /// O mês do vencimento.
    #[schema(examples("11/2026"))]
    pub mes: String,
    /// Quantos são.
    #[schema(examples(1150))]
    pub titulos: i64,
    /// Quanto se cobrou deles.
    #[schema(value_type = f64, examples(150.55))]
    pub valor: JsonAmount,
    /// Quanto falta pagar deles.
    #[schema(value_type = f64, examples(50.55))]
    pub valor_aberto: JsonAmount,
}
