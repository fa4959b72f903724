//! Benefit: what is installed on the vehicle of a benefit.

use serde::Serialize;
use utoipa::ToSchema;

/// Um equipamento instalado no veículo de um benefício, ou que já foi. O que não se sabe é `null`.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RastreadorInstalacaoTO {
    /// Código da instalação.
    #[schema(examples(9))]
    pub cod_instalacao: i32,
    /// Código do benefício.
    #[schema(examples(777))]
    pub cod_beneficio: i32,
    /// Número de série do equipamento.
    #[schema(examples("SR-004251"))]
    pub numero_serie: Option<String>,
    /// IMEI do equipamento.
    #[schema(examples("356938035643809"))]
    pub imei: Option<String>,
    /// Modelo do equipamento.
    #[schema(examples("Rastreador 4G"))]
    pub modelo: Option<String>,
    /// Fabricante do equipamento.
    #[schema(examples("Sul Sinal"))]
    pub fabricante: Option<String>,
    /// Código do fornecedor que o instalou.
    #[schema(examples(5))]
    pub cod_fornecedor: Option<i32>,
    /// Nome do fornecedor que o instalou.
    #[schema(examples("Rastreamento Sul Sinal Ltda"))]
    pub nome_fornecedor: Option<String>,
    /// Onde no veículo está instalado.
    #[schema(examples("Sob o painel"))]
    pub local_instalacao: Option<String>,
    /// Data da instalação.
    #[schema(examples("14/11/2026"))]
    pub data_instalacao: Option<String>,
    /// Data da remoção.
    #[schema(examples("20/12/2026"))]
    pub data_remocao: Option<String>,
    /// Se ainda está instalado.
    #[schema(examples(true))]
    pub ativo: bool,
}
