//! Benefit: the validation of whether a person has one.

use super::PlanoAcessoTO;
use crate::input;
use crate::read::{BoundedInt, CardOrDocument};
use domain::Document;
use serde::Serialize;
use utoipa::ToSchema;

input! {
    /// De que benefício se trata: informe ao menos um destes. Se vierem vários, o benefício deve ter todos.
    pub struct ValidacaoBeneficioInput = "ValidacaoBeneficioInputTO" {
        /// Número do cartão do benefício, com ou sem espaços; ou o CPF ou CNPJ do titular.
        number "matricula": optional CardOrDocument = "1234 56 7 890 123",
        /// CPF ou CNPJ do titular, com ou sem máscara.
        document "cpfCnpj": optional Document = "529.982.247-25",
        /// Número sequencial do benefício na base, a partir de 1.
        sequence "sequencial": optional BoundedInt<1, { i32::MAX }> = 12,
    }
}

/// Um benefício e o essencial do seu titular. Sem credencial, e com ela fora das suas lojas, o documento e o cartão
/// vêm só em parte.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ValidacaoBeneficioOutputTO {
    /// `ativo`, se a situação é do tipo ATIVO; senão `inativo`.
    #[schema(examples("ativo"))]
    pub status: &'static str,
    /// Nome da situação, em maiúsculas.
    #[schema(examples("ATIVO"))]
    pub situacao: String,
    /// Nome do titular.
    #[schema(examples("Maria Souza"))]
    pub nome: String,
    /// CPF ou CNPJ do titular; sem credencial, ou fora das suas lojas, só dois dígitos: `***.***.*47-**`.
    #[schema(examples("529.982.247-25"))]
    pub cpf: Option<String>,
    /// Código do benefício.
    #[schema(examples(777))]
    pub cod_beneficio: i32,
    /// Número sequencial do benefício na base.
    #[schema(examples(12))]
    pub sequencial: i32,
    /// Número do cartão; sem credencial, ou fora das suas lojas, só os três últimos dígitos.
    #[schema(examples("1234 56 7 890 123"))]
    pub numero_cartao_desconto: Option<String>,
    /// VEICULAR, SAUDE, DIVERSOS, CONSORCIO ou A24H.
    #[schema(examples("VEICULAR"))]
    pub tipo_beneficio: &'static str,
    /// Os planos ativos do benefício.
    pub planos: Vec<PlanoAcessoTO>,
    /// Data de adesão.
    #[schema(examples("14/11/2026"))]
    pub data_adesao: Option<String>,
}
