//! Management: attached files.

use domain::BoundedText;
use serde::Serialize;
use utoipa::ToSchema;

/// Um arquivo anexado a um registro.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ArquivoTO {
    /// Código do arquivo.
    #[schema(examples(12))]
    pub cod_arquivo: i32,
    /// De que registro é: Evento, Vistoria, Help Desk ou Associado.
    #[schema(examples("Evento"))]
    pub entidade: &'static str,
    /// Código desse registro.
    #[schema(examples(7))]
    pub codigo: i32,
    /// Nome do arquivo, com a terminação do que ele contém.
    #[schema(examples("frente.jpg"))]
    pub nome: String,
    /// O tipo do conteúdo, reconhecido pelos bytes.
    #[schema(examples("image/jpeg"))]
    pub tipo: &'static str,
    /// Tamanho guardado, em bytes.
    #[schema(examples(183_204))]
    pub tamanho: i64,
    /// SHA-256 do que está guardado, em hexadecimal.
    #[schema(examples("b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c"))]
    pub sha256: String,
    /// Largura da foto, em pixels, como ela é vista.
    #[schema(examples(3000))]
    pub largura: Option<i32>,
    /// Altura da foto, em pixels, como ela é vista.
    #[schema(examples(4000))]
    pub altura: Option<i32>,
    /// Se há uma miniatura, em `/miniatura`.
    #[schema(examples(true))]
    pub tem_miniatura: bool,
    /// Quando foi anexado, no fuso da base.
    #[schema(examples("2026-11-14T10:32:05-03:00"))]
    pub data_hora: String,
    /// Código de quem anexou.
    #[schema(examples(3))]
    pub cod_usuario: Option<i32>,
    /// Nome de quem anexou.
    #[schema(examples("Ana Prado"))]
    pub nome_usuario: Option<String>,
    /// Quando foi removido, se foi; por um tempo ainda pode ser restaurado.
    #[schema(examples("2026-11-14T10:40:00-03:00"))]
    pub data_remocao: Option<String>,
}

crate::input! {
    /// Como se chama o arquivo que vem no corpo.
    pub struct ArquivoQuery = "ArquivoQueryTO" {
        /// Nome do arquivo, como `frente.jpg`; um caminho antes dele é ignorado.
        name "nome": required BoundedText<400> = "frente.jpg",
    }
}
