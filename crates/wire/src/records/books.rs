//! The books of a month: the balances of accounts, and what was booked on one of them.

use super::{JsonAmount, PagedRecord};
use crate::input;
use crate::read::{BoundedInt, MonthText};
use domain::GroupCode;
use domain::finance::LedgerAccountKind;
use serde::Serialize;
use utoipa::ToSchema;

input! {
    /// De que mês são os livros.
    pub struct BalanceteQuery = "BalanceteQueryTO" {
        /// O mês (MM/aaaa); onde não vem, o de hoje.
        month "mes": optional MonthText = "11/2026",
    }
}

input! {
    /// Que conta dos livros, e de que mês.
    pub struct RazaoQuery = "RazaoQueryTO" {
        /// Código do grupo de proteção, como no balancete.
        group "codGrupo": required GroupCode = 1,
        /// A conta, como no balancete.
        account "conta": required LedgerAccountKind = "A_RECEBER",
        /// O que distingue a conta de outras iguais, como no balancete.
        reference "codReferencia": optional BoundedInt<0, { i32::MAX }> = 3,
        /// O mês (MM/aaaa); onde não vem, o de hoje.
        month "mes": optional MonthText = "11/2026",
        /// O número da página, a partir de 1.
        page "pagina": optional BoundedInt<1, { i32::MAX }> = 1,
    }
}

/// O balancete de um mês: o saldo de cada conta antes dele, o que foi lançado nele, e o saldo no fim.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BalanceteTO {
    /// O mês.
    #[schema(examples("11/2026"))]
    pub mes: String,
    /// `true` se o mês está fechado: nada mais muda nele.
    #[schema(examples(false))]
    pub fechado: bool,
    /// As contas que já tiveram movimento.
    pub contas: Vec<BalanceteContaTO>,
    /// A soma dos débitos do mês, sempre igual à dos créditos.
    #[schema(value_type = f64, examples(150.55))]
    pub debitos: JsonAmount,
    /// A soma dos créditos do mês.
    #[schema(value_type = f64, examples(150.55))]
    pub creditos: JsonAmount,
}

/// Uma conta do balancete. Um saldo é devedor ou credor; o outro dos dois é 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BalanceteContaTO {
    /// Código do grupo de proteção, que tem livros próprios.
    #[schema(examples(1))]
    pub cod_grupo: i32,
    /// Nome do grupo de proteção.
    #[schema(examples("Associação"))]
    pub nome_grupo: String,
    /// `A_RECEBER`, `CAIXA_E_BANCOS`, `RECEITA`, `A_REPASSAR`, `ATRASO`, `DESCONTO`, `CREDITO`, `A_PAGAR`, `DESPESA` ou
    /// `ABERTURA`.
    #[schema(examples("A_RECEBER"))]
    pub conta: &'static str,
    /// O que distingue a conta de outras iguais: a natureza (1 a 4), o item de cobrança, ou a conta ou o caixa; `null` nos
    /// créditos, que são de todos os associados juntos.
    #[schema(examples(3))]
    pub cod_referencia: Option<i64>,
    /// Nome da conta.
    #[schema(examples("A receber: Taxa de administração"))]
    pub nome: String,
    /// O saldo antes do mês, se é devedor.
    #[schema(value_type = f64, examples(150.55))]
    pub saldo_anterior_devedor: JsonAmount,
    /// O saldo antes do mês, se é credor.
    #[schema(value_type = f64, examples(0))]
    pub saldo_anterior_credor: JsonAmount,
    /// Os débitos do mês.
    #[schema(value_type = f64, examples(150.55))]
    pub debitos: JsonAmount,
    /// Os créditos do mês.
    #[schema(value_type = f64, examples(150.55))]
    pub creditos: JsonAmount,
    /// O saldo no fim do mês, se é devedor.
    #[schema(value_type = f64, examples(150.55))]
    pub saldo_devedor: JsonAmount,
    /// O saldo no fim do mês, se é credor.
    #[schema(value_type = f64, examples(0))]
    pub saldo_credor: JsonAmount,
}

/// O que foi lançado em uma conta: um débito ou um crédito; o outro dos dois é 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RazaoLinhaTO {
    /// O número do lançamento nos livros. Todas as suas linhas, nas várias contas, têm o mesmo.
    #[schema(examples(31))]
    pub numero: i32,
    /// O dia nos livros, que nunca é de um mês fechado.
    #[schema(examples("10/11/2026"))]
    pub data: String,
    /// O dia em que aconteceu.
    #[schema(examples("10/11/2026"))]
    pub data_fato: String,
    /// `EMISSAO`, `CANCELAMENTO`, `LIQUIDACAO`, `ESTORNO`, `USO_DE_CREDITO`, `SALDO_DE_ABERTURA` ou
    /// `ESTORNO_DE_ABERTURA`.
    #[schema(examples("EMISSAO"))]
    pub origem: &'static str,
    /// O título, se foi um.
    #[schema(examples(9001))]
    pub cod_titulo: Option<i32>,
    /// O recebimento ou pagamento, se foi um.
    #[schema(examples(json!(null)))]
    pub cod_liquidacao: Option<i32>,
    /// Código do usuário; `null`, se foi o sistema.
    #[schema(examples(1))]
    pub cod_usuario: Option<i32>,
    /// O débito.
    #[schema(value_type = f64, examples(150.55))]
    pub debito: JsonAmount,
    /// O crédito.
    #[schema(value_type = f64, examples(0))]
    pub credito: JsonAmount,
}

impl PagedRecord for RazaoLinhaTO {
    const PAGE: &'static str = "ListaRazaoLinhaTO";
    const TEXT: &'static str = "Uma página do que foi lançado em uma conta.";
}
