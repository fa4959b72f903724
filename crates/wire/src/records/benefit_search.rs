//! Benefit: the search, and the item it shares with the list of all benefits.

use super::nested::build_nullable_schema;
use super::{JsonAmount, VeiculoTO};
use crate::input;
use crate::read::BoundedInt;
use domain::{BoundedText, CardNumber, PlanCode};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;

input! {
    /// O que se procura entre os benefícios: informe ao menos placa, chassi, sequencial ou número do cartão.
    pub struct PesquisaBeneficioQuery = "PesquisaBeneficioQueryTO" {
        /// CPF (ou CNPJ) do titular, com ou sem máscara.
        cpf "cpf": optional String = "529.982.247-25",
        /// CNPJ (ou CPF) do titular, com ou sem máscara.
        cnpj "cnpj": optional String = "11.222.333/0001-81",
        /// Placa do veículo, antiga ou do Mercosul.
        plate "placa": optional String = "ABC1D23",
        /// Chassi do veículo, de até 20 caracteres.
        chassis "chassi": optional BoundedText<20> = "9BWZZZ377VT004251",
        /// Número sequencial do benefício.
        sequence "sequencial": optional BoundedInt<0, { i32::MAX }> = 12,
        /// Número do cartão, de 13 dígitos.
        card "numeroCartaoDesconto": optional CardNumber = "1234 56 7 890 123",
        /// Nome da situação do benefício; `Todos` é qualquer uma.
        situation "situacaoBeneficio": optional String = "ATIVO",
        /// Código do plano.
        plan "codPlano": optional PlanCode = 10,
    }
}

input! {
    /// Qual página da lista se quer.
    pub struct ListaBeneficioQuery = "ListaBeneficioQueryTO" {
        /// A página, a partir de 1; cada uma tem 100 itens.
        page "pagina": optional BoundedInt<1, { i32::MAX }> = 1,
    }
}

/// Um plano de um benefício.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlanoValorTO {
    /// Código do plano.
    #[schema(examples(10))]
    pub cod_plano: i32,
    /// Nome do plano.
    #[schema(examples("Proteção Ouro"))]
    pub nome: String,
    /// Valor do plano neste benefício, em reais.
    #[schema(value_type = Option<f64>, examples(150.55))]
    pub valor: Option<JsonAmount>,
}

/// O valor de um campo adicional.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CampoAdicionalValorTO {
    /// Código do campo.
    #[schema(examples(3))]
    pub cod_campo: i32,
    /// Nome do campo.
    #[schema(examples("Cor da placa"))]
    pub nome: String,
    /// O valor, como texto.
    #[schema(examples("Cinza"))]
    pub valor: Option<String>,
}

/// Um benefício, com o seu titular e o seu veículo.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PesquisaBeneficioOutputTO {
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
    /// Nome do titular.
    #[schema(examples("Maria Souza"))]
    pub nome_pessoa: String,
    /// CPF ou CNPJ do titular, com máscara.
    #[schema(examples("529.982.247-25"))]
    pub cpf_cnpj: Option<String>,
    /// Código da loja.
    #[schema(examples(1))]
    pub cod_loja: i32,
    /// Nome da loja.
    #[schema(examples("Matriz"))]
    pub nome_loja: String,
    /// VEICULAR, SAUDE, DIVERSOS, CONSORCIO ou A24H.
    #[schema(examples("VEICULAR"))]
    pub tipo_beneficio: &'static str,
    /// Nome da situação, em maiúsculas.
    #[schema(examples("INADIMPLENTE"))]
    pub situacao: String,
    /// Tipo fixo da situação: ATIVO, PENDENTE, SUSPENSO, INATIVO ou CANCELADO.
    #[schema(examples("SUSPENSO"))]
    pub tipo_situacao: &'static str,
    /// Cor da situação, em seis dígitos hexadecimais.
    #[schema(examples("E37400"))]
    pub cor_destaque: String,
    /// Cor em que um texto sobre ela se lê bem.
    #[schema(examples("000000"))]
    pub cor_inversa: String,
    /// Dia de vencimento.
    #[schema(examples(10))]
    pub dia_vencimento: Option<i32>,
    /// Data de cadastro.
    #[schema(examples("14/11/2026"))]
    pub data_cadastro: String,
    /// Data de adesão.
    #[schema(examples("14/11/2026"))]
    pub data_adesao: Option<String>,
    /// Data em que ficou ativo.
    #[schema(examples("15/11/2026"))]
    pub data_ativacao: Option<String>,
    /// Data em que foi cancelado.
    #[schema(examples("20/12/2026"))]
    pub data_cancelamento: Option<String>,
    /// Os planos ativos do benefício.
    pub planos: Vec<PlanoValorTO>,
    /// Placa do veículo.
    #[schema(examples("ABC1D23"))]
    pub placa: Option<String>,
    /// Chassi do veículo.
    #[schema(examples("9BWZZZ377VT004251"))]
    pub chassi: Option<String>,
    #[schema(schema_with = describe_vehicle)]
    pub veiculo: Option<VeiculoTO>,
    /// Código do consultor.
    #[schema(examples(1))]
    pub cod_consultor: Option<i32>,
    /// Nome do consultor.
    #[schema(examples("Carla Dias"))]
    pub nome_consultor: Option<String>,
    /// Código do representante.
    #[schema(examples(2))]
    pub cod_representante: Option<i32>,
    /// Nome do representante.
    #[schema(examples("Rui Prado"))]
    pub nome_representante: Option<String>,
    /// Os campos adicionais do benefício.
    pub dados_adicionais: Vec<CampoAdicionalValorTO>,
}

fn describe_vehicle() -> RefOr<Schema> {
    build_nullable_schema::<VeiculoTO>("O veículo, num benefício veicular.")
}
