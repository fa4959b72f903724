//! The vehicle record, inside benefits, deals and claims.

use super::JsonAmount;
use crate::input;
use crate::read::{BoundedInt, TextOrNumber};
use domain::{BoundedText, Chassis, Fuel, Money, Plate, VehicleCategory, VehicleTypeCode};
use serde::Serialize;
use utoipa::ToSchema;

input! {
    /// O que se envia de um veículo, onde quer que seja.
    pub struct VeiculoCampos = "VeiculoCamposTO" {
        /// Placa, antiga ou do Mercosul, com ou sem hífen.
        plate "placa": optional Plate = "ABC1D23",
        /// Chassi, de até 20 letras e números.
        chassis "chassi": optional Chassis = "9BWZZZ377VT004251",
        /// Renavam.
        renavam "renavam": optional TextOrNumber<20> = "01234567890",
        /// Marca.
        brand "marca": optional BoundedText<100> = "FIAT",
        /// Modelo.
        model "modelo": optional BoundedText<200> = "ARGO 1.0",
        /// Ano de fabricação.
        built "anoFabricacao": optional BoundedInt<1900, 2100> = 2025,
        /// Ano do modelo.
        model_year "anoModelo": optional BoundedInt<1900, 2100> = 2026,
        /// Cor.
        colour "cor": optional BoundedText<50> = "Prata",
        /// GASOLINA, ETANOL, FLEX, DIESEL, GNV, ELETRICO ou OUTRO.
        fuel "combustivel": optional Fuel = "FLEX",
        /// BICICLETA, CAMINHAO, LEVE, MOTOCICLETA, PICKUP, UTILITARIO, ONIBUS ou OUTRO.
        category "categoria": optional VehicleCategory = "LEVE",
        /// Código do tipo de veículo.
        kind "codTipoVeiculo": optional VehicleTypeCode = 2,
        /// Número de portas.
        doors "numeroPortas": optional BoundedInt<0, 20> = 4,
        /// Valor do veículo, em reais.
        worth "valorVeiculo": optional Money = 78500,
        /// Valor protegido, em reais.
        protected "valorProtegido": optional Money = 75000.5,
        /// Valor da participação do associado, em reais.
        participation "valorParticipacao": optional Money = 3000,
    }
}

input! {
    /// Um veículo, com os campos com que também é respondido; o seu tipo vem pelo nome ou por `codTipoVeiculo`.
    pub struct VeiculoInput = "VeiculoInputTO" {
        flat vehicle: VeiculoCampos,
        /// Nome do tipo de veículo, em maiúsculas ou minúsculas, com ou sem acentos.
        kind_name "tipoVeiculo": optional BoundedText<200> = "Automóvel de passeio",
    }
}

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
    pub valor_participacao: Option<JsonAmount>,
    /// Valor protegido, em reais.
    #[schema(value_type = Option<f64>, examples(75000.5))]
    pub valor_protegido: Option<JsonAmount>,
    /// Valor do veículo, em reais.
    #[schema(value_type = Option<f64>, examples(78500))]
    pub valor_veiculo: Option<JsonAmount>,
}
