//! Slips: the search and the record.

use super::JsonAmount;
use crate::input;
use crate::read::{BoundedInt, LenientDate};
use domain::PersonCode;
use serde::Serialize;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;
use utoipa::{PartialSchema, ToSchema};

input! {
    /// O que se procura entre os boletos.
    pub struct PesquisaBoletoQuery = "PesquisaBoletoQueryTO" {
        /// A situação do título: `Aberto` ou `Vencido` (aberto e já vencido). Só um título aberto tem boleto em vigor; com
        /// outra situação, nada é encontrado.
        situation "situacao": optional String = "Aberto",
        /// CPF ou CNPJ da pessoa, com ou sem máscara.
        document "cpfCnpj": optional String = "529.982.247-25",
        /// Código da pessoa.
        person "codPessoa": optional PersonCode = 555,
        /// De títulos com vencimento nesta data ou depois (dd/MM/aaaa).
        due_from "dataVencimentoInicial": optional LenientDate = "01/11/2026",
        /// De títulos com vencimento nesta data ou antes (dd/MM/aaaa).
        due_to "dataVencimentoFinal": optional LenientDate = "30/11/2026",
        /// Quantos boletos pular desde o primeiro; vêm até 100 por vez.
        offset "inicio": optional BoundedInt<0, { i32::MAX }> = 0,
    }
}

/// Os boletos em vigor, pelo vencimento e pelo código dos títulos.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ListaBoletoTO {
    /// Quantos boletos há ao todo.
    #[schema(examples(1))]
    pub quantidade: i64,
    /// Até 100 boletos, a partir de `inicio`.
    pub itens: Vec<BoletoListaTO>,
}

/// Um boleto, na lista.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BoletoListaTO {
    /// Código do boleto.
    #[schema(examples(4711))]
    pub cod_boleto: i32,
    /// Código do título.
    #[schema(examples(9001))]
    pub cod_titulo: i32,
    /// Código da pessoa.
    #[schema(examples(555))]
    pub cod_pessoa: i32,
    /// CPF ou CNPJ da pessoa.
    #[schema(examples("529.982.247-25"))]
    pub cpf_cnpj_pessoa: Option<String>,
    /// Nome da loja.
    #[schema(examples("Matriz"))]
    pub nome_loja: String,
    /// Nome da pessoa.
    #[schema(examples("Maria Souza"))]
    pub nome_pessoa: String,
    /// Celular da pessoa; vazio se não há.
    #[schema(examples("(11)98765-4321"))]
    pub celular: String,
    /// `Crédito`: só o que a associação recebe tem boleto.
    #[schema(examples("Crédito"))]
    pub tipo: &'static str,
    /// O que se cobra.
    #[schema(examples("Mensalidade"))]
    pub descricao: String,
    /// Data de emissão do boleto.
    #[schema(examples("01/11/2026"))]
    pub data_emissao: String,
    /// Data de vencimento do boleto; na segunda via, não é a do título.
    #[schema(examples("10/11/2026"))]
    pub data_vencimento: String,
    /// O valor do boleto; na segunda via, com multa e juros.
    #[schema(value_type = f64, examples(150.55))]
    pub valor: JsonAmount,
    /// A linha digitável.
    #[schema(examples("00190.00009 01238.798076 77700.168188 1 16560000010120"))]
    pub linha_digitavel: String,
    /// O PDF do boleto, que abre sem senha por um tempo; vazio, se o endereço não vale mais: emita a segunda via.
    #[schema(examples("https://amparo.example/documento/3q2-7wAAAAB"))]
    pub url_pdf: String,
    /// O texto do Pix que paga o boleto, para copiar e colar; `null` depois do vencimento e onde a associação não recebe por
    /// Pix.
    #[schema(examples(
        "00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865406150.555802BR5917ASSOCIACAO AMPARO6007GOIANIA62160512B1S47112N7QX6304D0A1"
    ))]
    pub chave_pix: Option<String>,
}

/// Um boleto.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BoletoTO {
    #[serde(flatten)]
    pub boleto: BoletoListaTO,
    #[serde(flatten)]
    pub barras: CodigoBarrasTO,
}

/// One object with the fields of both: a schema of two parts could not refuse fields that neither has.
impl PartialSchema for BoletoTO {
    fn schema() -> RefOr<Schema> {
        match (BoletoListaTO::schema(), CodigoBarrasTO::schema()) {
            (RefOr::T(Schema::Object(mut all)), RefOr::T(Schema::Object(more))) => {
                all.description = Some("Um boleto.".to_owned());
                all.properties.extend(more.properties);
                all.required.extend(more.required);
                all.into()
            }
            (all, _) => all,
        }
    }
}

impl ToSchema for BoletoTO {}

/// O código de barras de um boleto.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CodigoBarrasTO {
    /// Os 44 algarismos do código de barras.
    #[schema(examples("00191165600000101200000001238798077770016818"))]
    pub codigo_barras: String,
}
