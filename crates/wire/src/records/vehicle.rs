//! The vehicle record, inside benefits, deals and events.

use super::Valor;
use serde::Serialize;
use utoipa::ToSchema;

/// Um veículo. O que não se sabe é `null`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct VeiculoTO {
    /// Ano de fabricação.
    #[schema(examples(2025))]
    pub ano_fabricacao: Option<i32>,
    /// Ano do modelo.
    #[schema(examples(2026))]
    pub ano_modelo: Option<i32>,
    /// Número de portas.
    #[schema(examples(4))]
    pub numero_portas: Option<i32>,
    /// BICICLETA, CAMINHAO, LEVE, MOTOCICLETA, PICKUP, UTILITARIO, ONIBUS ou OUTRO.
    #[schema(examples("LEVE"))]
    pub categoria: Option<&'static str>,
    /// Chassi.
    #[schema(examples("9BWZZZ377VT004251"))]
    pub chassi: Option<String>,
    /// GASOLINA, ETANOL, FLEX, DIESEL, GNV, ELETRICO ou OUTRO.
    #[schema(examples("FLEX"))]
    pub combustivel: Option<&'static str>,
    /// Cor.
    #[schema(examples("Prata"))]
    pub cor: Option<String>,
    /// Marca.
    #[schema(examples("FIAT"))]
    pub marca: Option<String>,
    /// Modelo.
    #[schema(examples("ARGO 1.0"))]
    pub modelo: Option<String>,
    /// Placa, em maiúsculas e sem hífen.
    #[schema(examples("ABC1D23"))]
    pub placa: Option<String>,
    /// Renavam.
    #[schema(examples("01234567890"))]
    pub renavam: Option<String>,
    /// Nome do tipo de veículo.
    #[schema(examples("Automóvel de passeio"))]
    pub tipo_veiculo: Option<String>,
    /// Valor da participação do associado, em reais.
    #[schema(value_type = Option<f64>, examples(3000))]
    pub valor_participacao: Option<Valor>,
    /// Valor protegido, em reais.
    #[schema(value_type = Option<f64>, examples(75000.5))]
    pub valor_protegido: Option<Valor>,
    /// Valor do veículo, em reais.
    #[schema(value_type = Option<f64>, examples(78500))]
    pub valor_veiculo: Option<Valor>,
}
