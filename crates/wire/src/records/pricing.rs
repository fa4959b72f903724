//! Prices and discounts of benefits: the discounts granted, and the move of agreed prices to the price table.

use super::JsonAmount;
use crate::input;
use crate::read::{BoundedInt, MonthText};
use domain::{BoundedText, BranchCode, DiscountCode, Money, PlanCode};
use serde::Serialize;
use utoipa::ToSchema;

input! {
    /// Um desconto que um benefício recebe.
    pub struct DescontoBeneficioInput = "DescontoBeneficioInputTO" {
        /// Código do desconto, do cadastro de descontos.
        discount "codDesconto": required DiscountCode = 1,
        /// O primeiro mês em que ele vale (MM/aaaa).
        from_month "desdeMes": required MonthText = "12/2026",
        /// O último mês em que ele vale (MM/aaaa); sem ele, até ser encerrado.
        until_month "ateMes": optional MonthText = "05/2027",
        /// O motivo.
        reason "motivo": required BoundedText<500> = "Indicou um amigo.",
    }
}

input! {
    /// O fim de um desconto.
    pub struct DescontoEncerramentoInput = "DescontoEncerramentoInputTO" {
        /// O último mês em que ele ainda vale (MM/aaaa); um mês antes do primeiro o retira por inteiro.
        until_month "ateMes": required MonthText = "01/2027",
        /// O motivo.
        reason "motivo": required BoundedText<500> = "O amigo saiu da associação.",
    }
}

/// Um desconto concedido a um benefício.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DescontoBeneficioTO {
    /// Código da concessão.
    #[schema(examples(1))]
    pub cod_concessao: i32,
    /// Código do benefício.
    #[schema(examples(1))]
    pub cod_beneficio: i32,
    /// Código do desconto.
    #[schema(examples(1))]
    pub cod_desconto: i32,
    /// Nome do desconto.
    #[schema(examples("Indicação de amigo"))]
    pub nome: String,
    /// O primeiro mês em que vale (MM/aaaa).
    #[schema(examples("12/2026"))]
    pub desde_mes: String,
    /// O último mês em que vale (MM/aaaa).
    #[schema(examples("05/2027"))]
    pub ate_mes: Option<String>,
    /// Por que foi concedido.
    #[schema(examples("Indicou um amigo."))]
    pub motivo: String,
    /// Código do usuário que o concedeu.
    #[schema(examples(1))]
    pub cod_usuario: Option<i32>,
    /// Quando foi concedido.
    #[schema(examples("2026-11-14T10:32:05-03:00"))]
    pub data_hora: String,
    /// Por que foi encerrado.
    #[schema(examples("O amigo saiu da associação."))]
    pub motivo_encerramento: Option<String>,
    /// Código do usuário que o encerrou.
    #[schema(examples(1))]
    pub cod_usuario_encerramento: Option<i32>,
    /// Quando foi encerrado.
    #[schema(examples("2026-12-14T10:32:05-03:00"))]
    pub data_hora_encerramento: Option<String>,
}

input! {
    /// Que itens com valor combinado.
    pub struct ValorCombinadoQuery = "ValorCombinadoQueryTO" {
        /// Código do plano; sem ele, todos.
        plan "codPlano": optional PlanCode = 1,
        /// Código da loja; sem ele, todas as do usuário.
        branch "codLoja": optional BranchCode = 1,
    }
}

input! {
    /// Que itens vão à tabela de preços, e o que se viu deles na consulta.
    pub struct ValorCombinadoInput = "ValorCombinadoInputTO" {
        /// Código do plano; sem ele, todos.
        plan "codPlano": optional PlanCode = 1,
        /// Código da loja; sem ele, todas as do usuário.
        branch "codLoja": optional BranchCode = 1,
        /// Quantos itens vão à tabela.
        items "quantidade": required BoundedInt<0, { i32::MAX }> = 2,
        /// Quanto somam por mês os valores combinados deles.
        agreed_total "total": required Money = 301.1,
        /// Quanto somam por mês pela tabela.
        table_total "totalTabela": required Money = 319.8,
    }
}

/// Os itens com valor combinado que a tabela de preços pode assumir.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ValorCombinadoTO {
    /// Quantos itens vão à tabela.
    #[schema(examples(2))]
    pub quantidade: i64,
    /// Quanto somam por mês os valores combinados deles.
    #[schema(value_type = f64, examples(301.1))]
    pub total: JsonAmount,
    /// Quanto somam por mês pela tabela.
    #[schema(value_type = f64, examples(319.8))]
    pub total_tabela: JsonAmount,
    /// Quantos ficam com o valor combinado, porque nem a tabela nem o plano têm preço para eles.
    #[schema(examples(0))]
    pub sem_preco: i64,
}
