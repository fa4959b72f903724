//! What a title is made of, what its record leaves out of its payments, and the code that it is paid by.

use super::JsonAmount;
use serde::Serialize;
use utoipa::ToSchema;

/// Uma linha do valor de um título.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TituloLinhaTO {
    /// Código do item de cobrança.
    #[schema(examples(1))]
    pub cod_item_cobranca: i32,
    /// Nome do item de cobrança.
    #[schema(examples("Taxa de administração"))]
    pub nome: String,
    /// `INDENIZACAO`, `REEMBOLSO`, `ADMINISTRACAO` ou `OPERACAO`.
    #[schema(examples("ADMINISTRACAO"))]
    pub natureza: &'static str,
    /// Código do benefício; `null`, se não é de um só.
    #[schema(examples(777))]
    pub cod_beneficio: Option<i32>,
    /// Quanto se cobra; 0 em um desconto.
    #[schema(value_type = f64, examples(150.55))]
    pub valor: JsonAmount,
    /// Quanto se desconta.
    #[schema(value_type = f64, examples(0))]
    pub desconto: JsonAmount,
    /// De onde vem o preço: `COMBINADO` com o associado, `TABELA` de preços ou `PLANO`; `null`, se a linha não é o preço
    /// de um plano, ou foi emitida antes que isto se guardasse.
    #[schema(examples("TABELA"))]
    pub origem_valor: Option<&'static str>,
    /// Código do preço da tabela (`/gestao/tabelaPreco`), se veio dela.
    #[schema(examples(12))]
    pub cod_preco: Option<i32>,
    /// O que é, se há mais a dizer.
    #[schema(examples("Proteção 360"))]
    pub descricao: Option<String>,
}

/// O que mais se sabe de um recebimento ou pagamento, além do que está em `liquidacoes`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TituloPagamentoTO {
    /// Código da liquidação.
    #[schema(examples(31))]
    pub cod_liquidacao: i32,
    /// Quanto passou do devido e ficou como crédito da pessoa.
    #[schema(value_type = f64, examples(0))]
    pub credito: JsonAmount,
    /// A multa e os juros que se deviam e não foram pagos.
    #[schema(value_type = f64, examples(0))]
    pub encargos_restantes: JsonAmount,
    /// Observação.
    #[schema(examples("Pago no balcão."))]
    pub observacao: Option<String>,
    /// O dia do estorno nos livros.
    #[schema(examples(json!(null)))]
    pub data_estorno: Option<String>,
    /// Por que foi estornado.
    #[schema(examples(json!(null)))]
    pub motivo_estorno: Option<String>,
}

/// O código Pix que paga um título.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TituloPixTO {
    /// O texto que se copia e cola no aplicativo do banco.
    #[schema(examples(
        "00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865406150.555802BR5917ASSOCIACAO AMPARO6007GOIANIA62170513B1T31N1K7QX3M63043BB9"
    ))]
    pub pix_copia_e_cola: String,
    /// O mesmo como QR code: uma imagem PNG em base64, sem `data:`.
    #[schema(examples("iVBORw0KGgo="))]
    pub qr_code_base64: String,
    /// Até quando o valor é este; o banco aceita o código também depois.
    #[schema(examples("2026-11-20T23:59:59-03:00"))]
    pub data_expiracao: String,
    /// O que liquida o título.
    #[schema(value_type = f64, examples(150.55))]
    pub valor: JsonAmount,
}
