//! Lines that the next charge takes.

use super::JsonAmount;
use crate::input;
use crate::read::BoundedInt;
use domain::finance::PendingChargeSituation;
use domain::{BenefitCode, BoundedText, ChargeItemCode, Date, Money, PersonCode};
use serde::Serialize;
use utoipa::ToSchema;

input! {
    /// O que se procura entre os lançamentos.
    pub struct LancamentoQuery = "LancamentoQueryTO" {
        /// Código da pessoa.
        person "codPessoa": optional PersonCode = 555,
        /// Código do benefício.
        benefit "codBeneficio": optional BenefitCode = 777,
        /// `AGUARDANDO` a próxima cobrança, `COBRADO`, `CANCELADO` ou `DISPENSADO`.
        situation "situacao": optional PendingChargeSituation = "AGUARDANDO",
        /// Quantos lançamentos pular desde o primeiro; vêm até 100 por vez.
        offset "inicio": optional BoundedInt<0, { i32::MAX }> = 0,
    }
}

input! {
    /// Um lançamento avulso, que a próxima cobrança leva. Basta a pessoa ou o benefício.
    pub struct LancamentoInput = "LancamentoInputTO" {
        /// Código da pessoa; onde não vem, a do benefício.
        person "codPessoa": optional PersonCode = 555,
        /// Código do benefício, se é de um só; a cobrança dele o leva.
        benefit "codBeneficio": optional BenefitCode = 777,
        /// Código do item de cobrança.
        item "codItemCobranca": required ChargeItemCode = 5,
        /// O valor, de no mínimo 0.01.
        amount "valor": required Money = 80.00,
        /// O que se cobra; onde não vem, o nome do item.
        description "descricao": optional BoundedText<200> = "Segunda vistoria",
    }
}

input! {
    /// Um título só para um lançamento.
    pub struct LancamentoTituloInput = "LancamentoTituloInputTO" {
        /// O vencimento, de hoje em diante; onde não vem, daqui a cinco dias úteis.
        due "vencimento": optional Date = "2026-12-20",
    }
}

/// Os lançamentos encontrados, do mais novo ao mais antigo.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ListaLancamentoTO {
    /// Quantos lançamentos há ao todo.
    #[schema(examples(1))]
    pub quantidade: i64,
    /// Até 100 lançamentos, a partir de `inicio`.
    pub itens: Vec<LancamentoTO>,
}

/// Um lançamento: uma linha que a próxima cobrança leva, ou levou.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LancamentoTO {
    /// Código do lançamento.
    #[schema(examples(12))]
    pub cod_lancamento: i32,
    /// Código da pessoa.
    #[schema(examples(555))]
    pub cod_pessoa: i32,
    /// Nome da pessoa.
    #[schema(examples("Maria Souza"))]
    pub nome_pessoa: String,
    /// Código do benefício; `null`, se não é de um só.
    #[schema(examples(777))]
    pub cod_beneficio: Option<i32>,
    /// Código da loja.
    #[schema(examples(1))]
    pub cod_loja: i32,
    /// Código do item de cobrança.
    #[schema(examples(5))]
    pub cod_item_cobranca: i32,
    /// Nome do item de cobrança.
    #[schema(examples("Taxa de vistoria"))]
    pub nome_item_cobranca: String,
    /// O valor.
    #[schema(value_type = f64, examples(80.0))]
    pub valor: JsonAmount,
    /// O que se cobra; `null`, se é só o item.
    #[schema(examples("Segunda vistoria"))]
    pub descricao: Option<String>,
    /// `MANUAL`, ou `MULTA_JUROS` que uma liquidação deixou de pagar.
    #[schema(examples("MANUAL"))]
    pub origem: &'static str,
    /// Código da liquidação que deixou multa e juros; senão `null`.
    #[schema(examples(json!(null)))]
    pub cod_liquidacao: Option<i32>,
    /// `AGUARDANDO` a próxima cobrança, `COBRADO`, `CANCELADO` ou `DISPENSADO`.
    #[schema(examples("AGUARDANDO"))]
    pub situacao: &'static str,
    /// Código do título que o cobrou; `null` até lá.
    #[schema(examples(json!(null)))]
    pub cod_titulo: Option<i32>,
    /// Data de cancelamento.
    #[schema(examples(json!(null)))]
    pub data_cancelamento: Option<String>,
    /// O motivo do cancelamento, se foi alguém que cancelou.
    #[schema(examples(json!(null)))]
    pub motivo_cancelamento: Option<String>,
    /// Quando foi lançado.
    #[schema(examples("2026-11-18T10:31:40-03:00"))]
    pub data_cadastro: String,
}
