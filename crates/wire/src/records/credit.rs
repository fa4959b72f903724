//! The credit of a person: money received as credit, what is paid back of it, and every movement.

use super::JsonAmount;
use crate::input;
use crate::read::BoundedInt;
use domain::{
    BranchCode, Date, GroupCode, Money, MoneyAccountCode, NoteText, PersonCode, SettlementTypeCode, TitleCode,
};
use serde::Serialize;
use utoipa::ToSchema;

input! {
    /// De quem é o crédito.
    pub struct CreditoQuery = "CreditoQueryTO" {
        /// Código da pessoa.
        person "codPessoa": required PersonCode = 555,
        /// Quantos movimentos pular desde o primeiro; vêm até 100 por vez.
        offset "inicio": optional BoundedInt<0, { i32::MAX }> = 0,
    }
}

input! {
    /// Dinheiro que entra e que nenhum título recebe: vira crédito da pessoa.
    pub struct CreditoInput = "CreditoInputTO" {
        /// Código da pessoa que fica com o crédito.
        person "codPessoa": required PersonCode = 555,
        /// Quanto foi pago, de no mínimo 0.01.
        amount "valor": required Money = 150.55,
        /// Código do tipo de liquidação.
        settlement_type "codTipoLiquidacao": required SettlementTypeCode = 3,
        /// Código da conta ou do caixa; onde não vem, o do tipo de liquidação.
        account "codContaFinanceira": optional MoneyAccountCode = 1,
        /// O dia em que foi pago; onde não vem, hoje.
        paid_on "dataPagamento": optional Date = "2026-11-18",
        /// Código do título a que o dinheiro se destinava, se ele já está liquidado ou cancelado.
        title "codTitulo": optional TitleCode = 12,
        /// Código da loja; onde não vem, a do título, ou a da pessoa.
        branch "codLoja": optional BranchCode = 1,
        /// Código do grupo de proteção; onde não vem, o do título, ou o dos benefícios cobrados da pessoa. Obrigatório se a
        /// associação tem vários grupos e nenhum dos dois indica um só.
        group "codGrupo": optional GroupCode = 1,
        /// Observação.
        note "observacao": optional NoteText = "Pagou o mesmo boleto duas vezes.",
        /// True registra o pagamento mesmo que já haja um igual em vigor: mesma pessoa, título, valor, data e conta.
        is_repeat_confirmed "confirmarRepetido": optional bool = false,
    }
}

input! {
    /// Crédito que volta para a pessoa.
    pub struct CreditoDevolucaoInput = "CreditoDevolucaoInputTO" {
        /// Código da pessoa.
        person "codPessoa": required PersonCode = 555,
        /// Quanto se devolve: no máximo o crédito que a pessoa tem no grupo e na loja.
        amount "valor": required Money = 20.00,
        /// Código do tipo de liquidação: como o dinheiro sai.
        settlement_type "codTipoLiquidacao": required SettlementTypeCode = 3,
        /// Código da conta ou do caixa de onde sai; onde não vem, o do tipo de liquidação.
        account "codContaFinanceira": optional MoneyAccountCode = 1,
        /// O dia em que foi devolvido; onde não vem, hoje. Nunca antes de a pessoa ter o crédito.
        paid_on "dataPagamento": optional Date = "2026-11-18",
        /// Código da loja cujo crédito é devolvido; onde não vem, a única que tem crédito da pessoa. Obrigatório se há várias.
        branch "codLoja": optional BranchCode = 1,
        /// Código do grupo de proteção; onde não vem, o único em que a pessoa tem crédito. Obrigatório se há vários.
        group "codGrupo": optional GroupCode = 1,
        /// Observação.
        note "observacao": optional NoteText = "Devolvido por Pix.",
    }
}

/// O crédito de uma pessoa e os seus movimentos, do mais novo ao mais antigo.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ListaCreditoTO {
    /// O crédito que a pessoa tem, em todos os grupos.
    #[schema(value_type = f64, examples(130.55))]
    pub disponivel: JsonAmount,
    /// Quantos movimentos há ao todo.
    #[schema(examples(1))]
    pub quantidade: i64,
    /// Até 100 movimentos, a partir de `inicio`.
    pub itens: Vec<CreditoTO>,
}

/// Um movimento do crédito de uma pessoa.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreditoTO {
    /// Código do que foi recebido ou devolvido, pelo qual se estorna; `null` nos outros movimentos.
    #[schema(examples(7))]
    pub cod_credito: Option<i32>,
    /// O que aumenta o crédito: `RECEBIDO`, a `SOBRA` do pagamento de um título, ou o `SALDO_INICIAL`. O que o diminui:
    /// `USADO` num título, ou `DEVOLVIDO`.
    #[schema(examples("RECEBIDO"))]
    pub tipo: &'static str,
    /// Código da pessoa.
    #[schema(examples(555))]
    pub cod_pessoa: i32,
    /// Código da loja.
    #[schema(examples(1))]
    pub cod_loja: i32,
    /// Código do grupo de proteção.
    #[schema(examples(1))]
    pub cod_grupo: i32,
    /// Quanto, sempre acima de 0.
    #[schema(value_type = f64, examples(150.55))]
    pub valor: JsonAmount,
    /// O dia em que foi pago, usado ou devolvido.
    #[schema(examples("18/11/2026"))]
    pub data: String,
    /// Código do título que deixou a sobra ou usou o crédito, ou a que o dinheiro se destinava.
    #[schema(examples(12))]
    pub cod_titulo: Option<i32>,
    /// Código da liquidação que deixou a sobra ou usou o crédito.
    #[schema(examples(json!(null)))]
    pub cod_liquidacao: Option<i32>,
    /// Código do tipo de liquidação; `null`, se nenhum dinheiro se moveu.
    #[schema(examples(3))]
    pub cod_tipo_liquidacao: Option<i32>,
    /// Código da conta ou do caixa; `null`, se nenhum dinheiro se moveu.
    #[schema(examples(1))]
    pub cod_conta_financeira: Option<i32>,
    /// Observação.
    #[schema(examples("Pagou o mesmo boleto duas vezes."))]
    pub observacao: Option<String>,
    /// Quando foi registrado.
    #[schema(examples("2026-11-18T10:31:40-03:00"))]
    pub data_cadastro: String,
    /// O dia do estorno nos livros; `null`, se vale.
    #[schema(examples(json!(null)))]
    pub data_estorno: Option<String>,
    /// Por que foi estornado.
    #[schema(examples(json!(null)))]
    pub motivo_estorno: Option<String>,
}
