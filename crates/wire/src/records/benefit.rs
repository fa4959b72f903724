//! Benefit: the open lists of values for a benefit, and the answer after saving one.

use serde::Serialize;
use utoipa::ToSchema;

/// Uma situação que um benefício pode ter, com o seu tipo, que é fixo.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SituacaoBeneficioTO {
    /// Código da situação.
    #[schema(examples(3))]
    pub cod_situacao: i32,
    /// Nome da situação, dado pela associação, em maiúsculas.
    #[schema(examples("INADIMPLENTE"))]
    pub nome: String,
    /// Tipo fixo da situação: ATIVO, PENDENTE, SUSPENSO, INATIVO ou CANCELADO.
    #[schema(examples("SUSPENSO"))]
    pub tipo: &'static str,
    /// Cor da situação, em seis dígitos hexadecimais.
    #[schema(examples("E37400"))]
    pub cor_destaque: String,
    /// Cor em que um texto sobre ela se lê bem.
    #[schema(examples("000000"))]
    pub cor_inversa: String,
}

/// Um tipo de veículo da associação.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TipoVeiculoBean {
    /// Código do tipo de veículo.
    #[schema(examples(2))]
    pub cod_tipo_veiculo: i32,
    /// Nome do tipo de veículo.
    #[schema(examples("Automóvel de passeio"))]
    pub nome: String,
    /// Bicicleta, Caminhao, Leve, Motocicleta, Pickup, Utilitario, Onibus ou Outro.
    #[schema(examples("Leve"))]
    pub categoria: &'static str,
}

/// Os dias de vencimento que um benefício pode ter.
#[derive(Debug, Serialize, ToSchema)]
pub struct ListaDiaVencimentoTO {
    /// Os dias, em ordem.
    pub itens: Vec<DiaVencimentoTO>,
}

/// Um dia de vencimento.
#[derive(Debug, Serialize, ToSchema)]
pub struct DiaVencimentoTO {
    /// O dia do mês.
    #[schema(examples(10))]
    pub dia: i32,
}

/// Um benefício gravado, com a situação em que ficou.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BeneficioOutputTO {
    /// Código do benefício.
    #[schema(examples(777))]
    pub cod_beneficio: i32,
    /// Número sequencial do benefício na base.
    #[schema(examples(12))]
    pub sequencial: i32,
    /// Número do cartão.
    #[schema(examples("1234 56 7 890 123"))]
    pub numero_cartao_desconto: Option<String>,
    /// Código do titular.
    #[schema(examples(555))]
    pub cod_pessoa: i32,
    /// Nome da situação, em maiúsculas.
    #[schema(examples("ATIVO"))]
    pub situacao: String,
    /// Tipo fixo da situação: ATIVO, PENDENTE, SUSPENSO, INATIVO ou CANCELADO.
    #[schema(examples("ATIVO"))]
    pub tipo_situacao: &'static str,
}
