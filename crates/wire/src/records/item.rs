//! Benefit: its items, which are its current and former plans.

use super::JsonAmount;
use crate::input;
use domain::{Date, Money, PlanCode};
use serde::Serialize;
use utoipa::ToSchema;

input! {
    /// Um plano a acrescentar a um benefício.
    pub struct ItemBeneficioInput = "ItemBeneficioInputTO" {
        /// Código do plano, de qualquer tipo.
        plan "codPlano": required PlanCode = 3,
        /// Valor do item, em reais; o do plano, onde não vem.
        price "valor": optional Money = 19.9,
        /// Data de inclusão; a de hoje, onde não vem.
        included "dataInclusao": optional Date = "14/11/2026",
    }
}

/// Um item de um benefício: um plano que ele tem ou teve.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ItemBeneficioOutputTO {
    /// Código do item.
    #[schema(examples(31))]
    pub cod_item: i32,
    /// Código do plano.
    #[schema(examples(3))]
    pub cod_plano: i32,
    /// Nome do plano.
    #[schema(examples("Clube de Descontos"))]
    pub nome: String,
    /// Tipo do plano: VEICULAR, SAUDE, DIVERSOS, CONSORCIO ou A24H.
    #[schema(examples("DIVERSOS"))]
    pub tipo_beneficio: Option<&'static str>,
    /// Valor do item neste benefício, em reais.
    #[schema(value_type = Option<f64>, examples(19.9))]
    pub valor: Option<JsonAmount>,
    /// Data de inclusão.
    #[schema(examples("14/11/2026"))]
    pub data_inclusao: String,
    /// Se o benefício ainda tem este item.
    #[schema(examples(true))]
    pub ativo: bool,
}
