//! Imports: their state, their column mapping, and the problems of their rows.

use crate::input;
use crate::read::BoundedInt;
use domain::{BoundedText, BranchCode};
use serde::Serialize;
use utoipa::ToSchema;

input! {
    /// O arquivo que se envia.
    pub struct ImportacaoArquivoQuery = "ImportacaoArquivoQueryTO" {
        /// O que o arquivo traz: associados, veiculos, dependentes, leads, planos, vendedores, titulos, saldos, precos, descontos, tiposTitulo, itensCobranca, regrasEncargos, formasPagamento, tiposLiquidacao, contasFinanceiras, feriados ou gruposProtecao.
        kind "tipo": required BoundedText<20> = "associados",
        /// O nome do arquivo, para encontrá-lo depois.
        name "arquivo": optional BoundedText<200> = "associados.csv",
    }
}

input! {
    /// Uma página das importações.
    pub struct ImportacaoQuery = "ImportacaoQueryTO" {
        /// O número da página, a partir de 1.
        page "pagina": optional BoundedInt<1, { i32::MAX }> = 1,
    }
}

input! {
    /// De que linha em diante.
    pub struct DepoisDaLinhaQuery = "DepoisDaLinhaQueryTO" {
        /// Só o que vem depois desta linha do arquivo; 0 para o começo.
        after "depoisDaLinha": optional BoundedInt<0, { i32::MAX }> = 0,
    }
}

input! {
    /// Para onde vai uma coluna.
    pub struct ColunaInput = "ColunaInputTO" {
        /// O nome da coluna, como está no arquivo.
        column "coluna": required BoundedText<200> = "CPF do associado",
        /// O campo a que ela vai; vazio ou ausente, a coluna é ignorada.
        field "campo": optional BoundedText<100> = "cpfCnpj",
    }
}

input! {
    /// Para onde vão as colunas; as que não vêm ficam como estão.
    pub struct ColunasInput = "ColunasInputTO" {
        /// As colunas.
        columns "colunas": required Vec<ColunaInput> = [{"coluna": "CPF do associado", "campo": "cpfCnpj"}],
        /// Loja de associados e leads novos em linhas que não dizem a loja; quem já existe fica na sua.
        branch "codLoja": optional BranchCode = 1,
    }
}

input! {
    /// Como a importação é feita.
    pub struct InicioImportacaoInput = "InicioImportacaoInputTO" {
        /// Se os receptores são avisados do que muda de situação; false onde não vem.
        triggers "dispararGatilhos": optional bool = false,
    }
}

/// Uma importação: o arquivo, as suas colunas e o que foi feito dele.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImportacaoTO {
    /// Código da importação.
    #[schema(examples(3))]
    pub cod_importacao: i32,
    /// O que o arquivo traz.
    #[schema(examples("associados"))]
    pub tipo: &'static str,
    /// O nome do arquivo.
    #[schema(examples("associados.csv"))]
    pub arquivo: String,
    /// lida, conferindo, conferida, importando, pausada, concluida, desfazendo ou desfeita.
    #[schema(examples("concluida"))]
    pub estado: &'static str,
    /// Se os receptores são avisados do que muda.
    #[schema(examples(false))]
    pub dispara_gatilhos: bool,
    /// A loja dos novos, em linhas que não dizem a loja.
    #[schema(examples(1))]
    pub cod_loja: Option<i32>,
    /// Quantas linhas o arquivo tem.
    #[schema(value_type = i32, examples(5000))]
    pub linhas: i64,
    /// Quantas linhas da etapa atual já foram feitas.
    #[schema(value_type = i32, examples(5000))]
    pub feitas: i64,
    /// Quantos registros foram criados, ou seriam, na conferência.
    #[schema(value_type = i32, examples(4800))]
    pub criados: i64,
    /// Quantos foram alterados.
    #[schema(value_type = i32, examples(150))]
    pub alterados: i64,
    /// Quantos já estavam assim.
    #[schema(value_type = i32, examples(30))]
    pub sem_mudanca: i64,
    /// Quantas linhas foram recusadas.
    #[schema(value_type = i32, examples(20))]
    pub recusados: i64,
    /// Quantos registros criados foram removidos ao desfazer.
    #[schema(value_type = i32, examples(0))]
    pub removidos: i64,
    /// Quantos registros alterados voltaram ao que eram ao desfazer.
    #[schema(value_type = i32, examples(0))]
    pub restaurados: i64,
    /// Quantos ficaram como estão ao desfazer.
    #[schema(value_type = i32, examples(0))]
    pub mantidos: i64,
    /// Se ainda pode ser desfeita.
    #[schema(examples(true))]
    pub pode_desfazer: bool,
    /// Quando o arquivo foi enviado.
    #[schema(examples("2026-11-14T10:32:05-03:00"))]
    pub data_envio: String,
    /// Quando a importação terminou.
    #[schema(examples("2026-11-14T10:35:00-03:00"))]
    pub data_conclusao: Option<String>,
    /// As colunas do arquivo e para onde vão.
    pub colunas: Vec<ColunaTO>,
    /// Os campos a que uma coluna pode ir.
    pub campos_possiveis: Vec<CampoImportacaoTO>,
}

/// Uma coluna do arquivo.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ColunaTO {
    /// O nome da coluna, como está no arquivo.
    #[schema(examples("CPF do associado"))]
    pub coluna: String,
    /// O campo a que vai; `null` onde é ignorada.
    #[schema(examples("cpfCnpj"))]
    pub campo: Option<String>,
}

/// Um campo a que uma coluna pode ir.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CampoImportacaoTO {
    /// O nome do campo.
    #[schema(examples("cpfCnpj"))]
    pub campo: &'static str,
    /// O que ele é.
    #[schema(examples("CPF ou CNPJ"))]
    pub nome: &'static str,
    /// Se é preciso que alguma coluna vá a ele.
    #[schema(examples(true))]
    pub obrigatorio: bool,
}

/// O que está errado em uma linha.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ErroImportacaoTO {
    /// O número da linha na planilha.
    #[schema(examples(17))]
    pub linha: i32,
    /// A coluna, onde o problema é de uma.
    #[schema(examples("CPF"))]
    pub coluna: Option<String>,
    /// O problema.
    #[schema(examples("\"111.111.111-11\" não é um CPF ou CNPJ válido; confira os dígitos."))]
    pub problema: String,
}

/// Um registro que ficou como está quando a importação foi desfeita.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MantidoTO {
    /// O número da linha na planilha.
    #[schema(examples(17))]
    pub linha: i32,
    /// O código do registro.
    #[schema(examples(555))]
    pub codigo: Option<i32>,
    /// Por que ficou.
    #[schema(examples("foi alterado depois da importação"))]
    pub motivo: String,
}
